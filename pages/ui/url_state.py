"""The state of the study as link parameters: their names, allowed values and what is wrong in one.

The widgets are bound to the link by these names, which must therefore never change their meaning.
A default is left out of a link, so changing a default changes what old links show: raise VERSION.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qsl

from momentdp_core import AXIS_NAMES, MECHANISMS, OPTIMIZERS, POOL, SCHEDULES, SPECTRA
from momentdp_core.optimizers.filters import DESIGNS
from pages.views.contenders import AT, PLAIN
from pages.views.evidence import CLAIMS, KINDS, PAPERS, VERDICTS
from pages.views.logistic import COMPARED, KEYS, RATES, REPLICATES, SOLVERS, SUBJECT
from pages.views.map_regions import COLORINGS

VERSION: Final = "1"
VERSION_NAME: Final = "v"
NONE: Final = "none"
YES_NO: Final = ("yes", "no")
AXES: Final = ("momentum", "steps")
BEST, ALL_MODES = "best", "all"  # of b: the best other mechanism; of the mode: every one
# How to look at a study; everything else is the study itself.
LOOKS: Final = frozenset(
    {
        *("axis", "a", "vs", "mode", "seed", "step"),
        *("opts", "under", "at", "e0", "noise"),
        *("mx", "my", "by", "fix", "ma", "mb"),
        *("pin", "predict", "edge", "guess", "never", "tour", "talk"),
        *("claim", "paper", "verdict", "kind", "lr", "leps", "reps", "solver", "cond", "base"),
    }
)
LONGEST_TEXT: Final = 12_000  # characters of a pasted list: 512 multipliers and room to spare
LONGEST_STATE: Final = 4_000  # characters of a state within a link
OFF, HIDDEN, REVEALED = "off", "hidden", "revealed"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One link parameter: a list of stops, a stepped range, or (with neither) free text."""

    name: str
    default: Any
    options: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0
    many: bool = False  # several options, as in ?mech=iid,dense; NONE for no option
    switch: bool = False  # on or off, written as one of YES_NO
    state: bool = False  # the link text of another state of the study, or nothing

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.options:
            kind = "a comma-separated list of" if self.many else "one of"
            return f"{kind} {', '.join(map(str, self.options))}"
        if self.step:
            kind = "a whole number" if self.step == 1 else "a number"
            return f"{kind} from {self.low:g} to {self.high:g}"
        if self.state:
            return f"a scenario as in a link of this page, of at most {LONGEST_STATE} characters"
        return f"a list of numbers of at most {LONGEST_TEXT} characters"

    def accepts(self, texts: Sequence[str]) -> bool:
        """Say whether the texts given in a link are a value of this parameter."""
        if len(texts) != 1:
            return False
        if self.many:
            return texts[0] == NONE or set(texts[0].split(",")) <= set(self.options)
        if self.options:
            return texts[0] in map(str, self.options)
        if self.step:
            return _in_range(texts[0], self)
        if self.state:
            return not texts[0] or _is_state(texts[0])
        return len(texts[0]) <= LONGEST_TEXT


def _in_range(text: str, parameter: Parameter) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    # A count takes whole numbers only: the slider would drop the fraction without a word.
    fits = number.is_integer() or not isinstance(parameter.step, int)
    return math.isfinite(number) and fits and parameter.low <= number <= parameter.high


def _is_state(text: str) -> bool:
    if len(text) > LONGEST_STATE:
        return False
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True)
    except ValueError:
        return False
    names = [name for name, _ in pairs]
    return len(set(names)) == len(names) and all(
        name in PARAMETERS and name not in LOOKS and PARAMETERS[name].accepts([given])
        for name, given in pairs
    )


_SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
_ALL = (
    Parameter(name="mu", default=0.9, low=0.0, high=0.99, step=0.01),
    Parameter(name="opt", default="heavy_ball", options=tuple(OPTIMIZERS)),
    # What an optimizer sweeps, and its fixed parameters: OPTIMIZER_PARAMETERS says which it has.
    Parameter(name="beta", default=0.9, low=0.0, high=0.99, step=0.01),
    Parameter(name="alpha", default=0.9, low=0.0, high=0.99, step=0.01),
    Parameter(name="cutoff", default=0.1, low=0.01, high=0.99, step=0.01),
    Parameter(name="gain", default=0.5, low=0.01, high=1.0, step=0.01),
    Parameter(name="k", default=4, options=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32)),
    Parameter(name="design", default=DESIGNS[0], options=DESIGNS),
    Parameter(name="order", default=2, options=(1, 2, 3, 4, 5, 6, 7, 8)),
    Parameter(name="norm", default=True, options=YES_NO, switch=True),
    Parameter(name="corr", default=False, options=YES_NO, switch=True),
    Parameter(name="wd", default=0.01, options=(0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)),
    Parameter(name="tail", default=0.25, options=(0.05, 0.1, 0.25, 0.5, 0.75, 1.0)),
    Parameter(name="fa", default="-0.9"),
    Parameter(name="fb", default="0.1"),
    Parameter(name="schedule", default="constant", options=tuple(SCHEDULES)),
    Parameter(name="warmup", default=0.1, options=_SHARES),
    Parameter(name="factor", default=0.1, options=(0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)),
    Parameter(name="stages", default=3, options=(1, 2, 3, 4, 5, 6, 8, 10)),
    Parameter(name="final", default=0.01, options=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)),
    Parameter(name="front", default=0.1, options=(0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)),
    Parameter(name="back", default=0.1, options=(0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)),
    Parameter(name="chi", default=""),
    Parameter(name="spectrum", default="log", options=tuple(SPECTRA)),
    Parameter(name="kappa", default=100, options=(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000)),
    Parameter(name="lam", default=""),
    Parameter(
        name="rate",
        default=0.8,
        options=(0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0),
    ),
    Parameter(name="T", default=128, options=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)),
    Parameter(name="d", default=16, low=1, high=64, step=1),
    Parameter(name="b", default=16, low=1, high=64, step=1),
    Parameter(name="eps", default=4, options=(0.5, 1, 2, 3, 4, 6, 8, 10, 16)),
    Parameter(name="delta", default="1e-5", options=("1e-3", "1e-4", "1e-5", "1e-6", "1e-7")),
    Parameter(name="mech", default=list(POOL), options=tuple(MECHANISMS), many=True),
    Parameter(name="axis", default=AXES[0], options=AXES),
    # The page "Why it flips": the pair (b is the bands'), the mode, the sample, the lesson's step.
    Parameter(name="a", default="noisecurve", options=tuple(MECHANISMS)),
    Parameter(name="vs", default=BEST, options=(BEST, *MECHANISMS)),
    Parameter(name="mode", default=ALL_MODES, options=(ALL_MODES, *map(str, range(1, 65)))),
    Parameter(name="seed", default=0, low=0, high=9999, step=1),
    Parameter(name="step", default="0", options=tuple("012345")),
    # The page "Optimizers": which ones, under which mechanism, at which value of each, and how
    # large the starting error and the sampling noise are.
    Parameter(
        name="opts",
        default=[PLAIN, "heavy_ball", "lp_dpsgd", "dp_pmlf", "inner_outer", "disk"],
        options=(PLAIN, *OPTIMIZERS),
        many=True,
    ),
    Parameter(name="under", default="iid", options=tuple(MECHANISMS)),
    Parameter(name="at", default=AT[0], options=AT),
    Parameter(name="e0", default="30", options=("0", "0.1", "0.3", "1", "3", "10", "30", "100")),
    Parameter(name="noise", default="0.1", options=("0", "0.03", "0.1", "0.3", "1", "3", "10")),
    # The page "Map": its axes, what it is coloured by, the fixed choice, and its pair.
    Parameter(name="mx", default="value", options=("value", "rate", "condition")),
    Parameter(name="my", default="rate", options=AXIS_NAMES),
    Parameter(name="by", default="winner", options=tuple(COLORINGS)),
    Parameter(name="fix", default="dense", options=tuple(MECHANISMS)),
    Parameter(name="ma", default="noisecurve", options=tuple(MECHANISMS)),
    Parameter(name="mb", default="dense", options=tuple(MECHANISMS)),
    # To compare and to teach on Explore: the pinned scenario; what is hidden and the guess; the
    # step of the tour; the colours of talk mode.
    Parameter(name="pin", default="", state=True),
    Parameter(name="predict", default=OFF, options=(OFF, HIDDEN, REVEALED)),
    Parameter(name="edge", default=0.1, low=0.0, high=1.0, step=0.01),
    Parameter(name="guess", default=0.5, low=0.0, high=1.0, step=0.01),
    Parameter(name="never", default=False, options=YES_NO, switch=True),
    Parameter(name="tour", default="0", options=tuple("012345678")),
    Parameter(name="talk", default=OFF, options=(OFF, "light", "dark")),
    # The page "Evidence": the open claim, and which claims are listed.
    Parameter(name="claim", default="M25", options=CLAIMS),
    Parameter(name="paper", default="all", options=tuple(PAPERS)),
    Parameter(name="verdict", default=list(VERDICTS), options=tuple(VERDICTS), many=True),
    Parameter(name="kind", default="all", options=tuple(KINDS)),
    # The page "Logistic": how is trained, and which condition and differences are shown.
    Parameter(name="lr", default="0.1", options=RATES),
    Parameter(name="leps", default="4", options=("0.5", "1", "2", "4", "8", "16")),
    Parameter(name="reps", default="30", options=REPLICATES),
    Parameter(name="solver", default="recipe", options=tuple(SOLVERS)),
    Parameter(name="cond", default="L1", options=KEYS),
    Parameter(name="base", default=SUBJECT, options=COMPARED),
)
PARAMETERS: Final[Mapping[str, Parameter]] = MappingProxyType({p.name: p for p in _ALL})

# Which link parameter holds which parameter of the optimizers: the swept ones by the engine's name,
# the fixed ones by optimizer and field. The same name always means the same thing.
SWEPT_LINKS: Final[Mapping[str, str]] = MappingProxyType(
    {"momentum": "mu", "beta": "beta", "decay": "alpha", "cutoff": "cutoff", "kappa": "gain"}
)
_FILTER: Final = {"design": "design", "order": "order", "normalise": "norm"}
_WINDOW: Final = {"beta": "beta", "steps": "k"}
OPTIMIZER_PARAMETERS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        **{key: {} for key in OPTIMIZERS},
        "ema": {"bias_correction": "corr"},
        "weight_decay": {"decay": "wd"},
        "tail_average": {"fraction": "tail"},
        "weight_average": {"momentum": "mu"},
        "lp_dpsgd": _FILTER,
        "filter": {"a": "fa", "b": "fb", "normalise": "norm"},
        "per_sample_momentum": {"steps": "k"},
        "dp_pmlf": {**_WINDOW, **_FILTER},
        "inner_outer": _WINDOW,
    }
)


def optimizer_links(key: str) -> frozenset[str]:
    """Return the link parameters that an optimizer reads.

    >>> sorted(optimizer_links("inner_outer"))
    ['beta', 'k', 'mu']
    """
    swept = SWEPT_LINKS[OPTIMIZERS[key].parameter]
    return frozenset({swept, *OPTIMIZER_PARAMETERS[key].values()})


def value(name: str, text: str) -> Any:
    """Return the value that an accepted link text stands for.

    >>> value("mech", "iid,dense"), value("kappa", "10"), value("mu", "0.5")
    (['iid', 'dense'], 10, 0.5)
    """
    parameter = PARAMETERS[name]
    if parameter.switch:
        return text == YES_NO[0]
    if parameter.many:
        return [] if text == NONE else text.split(",")
    if parameter.step:
        return type(parameter.step)(float(text))
    return next((option for option in parameter.options if str(option) == text), text)


def text(name: str, value: Any) -> str:
    """Return the link text of a value of a labelled parameter.

    >>> text("mech", [])
    'none'
    """
    if PARAMETERS[name].switch:
        return YES_NO[0] if value else YES_NO[1]
    if PARAMETERS[name].step:
        return f"{value:g}"
    if not PARAMETERS[name].many:
        return str(value)
    # In the order of the options, so that the order of clicks makes no other link.
    return ",".join(key for key in PARAMETERS[name].options if key in value) or NONE


def snap(name: str, value: float) -> float:
    """Return the stop nearest to a value of a stepped parameter: a link may hold 0.12345.

    >>> snap("mu", 0.12345)
    0.12
    """
    step = PARAMETERS[name].step
    # Rounded to the step's decimals, so that 0.29 is the float 0.29 that the grid holds.
    return round(round(value / step) * step, 2)


def problems(query: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return one line for each parameter of a link that cannot be used, naming the parameter.

    The lines never repeat a value of the link, and a name only if it is a plain word: whatever
    was typed there stays text.

    >>> problems({"mu": ["two"]})
    ('mu: expected a number from 0 to 0.99.',)
    """
    return tuple(_describe(query))


def _describe(query: Mapping[str, Sequence[str]]) -> Iterable[str]:
    for name, texts in query.items():
        if name == VERSION_NAME:
            if list(texts) != [VERSION]:
                yield f"{name}: this page reads links of version {VERSION}."
        elif name in PARAMETERS:
            if not PARAMETERS[name].accepts(texts):
                yield f"{name}: expected {PARAMETERS[name].allowed}."
        elif re.fullmatch(r"[A-Za-z0-9_]{1,20}", name):
            yield f"{name}: no parameter has this name."
        else:
            yield "A parameter with an unreadable name."
