"""Every link parameter: its name, its default and the values that it takes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qsl

from momentdp_core import AXIS_NAMES, FAMILIES, MECHANISMS, OPTIMIZERS, POOL, SCHEDULES, SPECTRA
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
        *("opts", "under", "at", "e0", "noise", "about"),
        *("mx", "my", "by", "fix", "ma", "mb"),
        *("pin", "predict", "edge", "guess", "never", "tour", "talk"),
        *("dval", "dlo", "dhi", "dk", "dr", "dway", "dform", "aim", "rel", "best"),
        *("claim", "paper", "verdict", "kind", "lr", "leps", "reps", "solver", "cond", "base"),
    }
)
LONGEST_TEXT: Final = 12_000  # characters of a pasted list: 512 multipliers and room to spare
LONGEST_STATE: Final = 4_000  # characters of a state within a link
_PLAIN: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
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
    switch: bool = False  # on or off, written as the first or the second option
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
            return self.option(texts[0]) is not None
        if self.step:
            return _in_range(texts[0], self)
        if self.state:
            return not texts[0] or _is_state(texts[0])
        return len(texts[0]) <= LONGEST_TEXT

    def option(self, text: str) -> Any:
        """Return the option that a text of a link means, None if none: a number in any spelling."""
        named = next((option for option in self.options if str(option) == text), None)
        if named is not None or self.switch:
            return named
        number = _number(text)
        return next(
            (o for o in self.options if number is not None and _number(str(o)) == number), None
        )


def _number(text: str) -> float | None:
    """Return a plain finite number, None for any other text."""
    if not _PLAIN.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


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
_RATES = (0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0)
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
    Parameter(name="rate", default=0.8, options=_RATES),
    Parameter(name="T", default=128, options=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)),
    Parameter(name="d", default=16, low=1, high=64, step=1),
    Parameter(name="b", default=16, low=1, high=64, step=1),
    Parameter(name="eps", default=4, options=(0.5, 1, 2, 3, 4, 6, 8, 10, 16)),
    Parameter(name="delta", default="1e-5", options=("1e-3", "1e-4", "1e-5", "1e-6", "1e-7")),
    Parameter(name="parts", default=1, options=(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)),
    Parameter(name="apart", default=1, options=(1, 2, 4, 8, 16, 32, 64, 128, 256)),
    Parameter(name="mech", default=list(POOL), options=tuple(MECHANISMS), many=True),
    # Whether the mechanism that was uploaded in this session takes part; it is in no link itself.
    Parameter(name="own", default=False, options=("1", "0"), switch=True),
    Parameter(name="axis", default=AXES[0], options=AXES),
    # The page "Why it flips": the pair (b is the bands'), the mode, the sample, the lesson's step.
    Parameter(name="a", default="noisecurve", options=tuple(FAMILIES)),
    Parameter(name="vs", default=BEST, options=(BEST, *FAMILIES)),
    Parameter(name="mode", default=ALL_MODES, options=(ALL_MODES, *map(str, range(1, 65)))),
    Parameter(name="seed", default=0, low=0, high=9999, step=1),
    Parameter(name="step", default="0", options=tuple("012345")),
    # The page "Mechanisms": the one that is explained.
    Parameter(name="about", default="dense", options=tuple(FAMILIES)),
    # The page "Optimizers": which ones, under which mechanism, at which value of each, and how
    # large the starting error and the sampling noise are.
    Parameter(
        name="opts",
        default=[PLAIN, "heavy_ball", "lp_dpsgd", "dp_pmlf", "inner_outer", "disk"],
        options=(PLAIN, *OPTIMIZERS),
        many=True,
    ),
    Parameter(name="under", default="iid", options=tuple(FAMILIES)),
    Parameter(name="at", default=AT[0], options=AT),
    Parameter(name="e0", default="30", options=("0", "0.1", "0.3", "1", "3", "10", "30", "100")),
    Parameter(name="noise", default="0.1", options=("0", "0.03", "0.1", "0.3", "1", "3", "10")),
    # The page "Map": its axes, what it is coloured by, the fixed choice, and its pair.
    Parameter(name="mx", default="value", options=("value", "rate", "condition")),
    Parameter(name="my", default="rate", options=AXIS_NAMES),
    Parameter(name="by", default="winner", options=tuple(COLORINGS)),
    Parameter(name="fix", default="dense", options=tuple(FAMILIES)),
    Parameter(name="ma", default="noisecurve", options=tuple(FAMILIES)),
    Parameter(name="mb", default="dense", options=tuple(FAMILIES)),
    # To compare and to teach on Explore: the pinned scenario; what is hidden and the guess; the
    # step of the tour; the colours of talk mode.
    Parameter(name="pin", default="", state=True),
    Parameter(name="predict", default=OFF, options=(OFF, HIDDEN, REVEALED)),
    Parameter(name="edge", default=0.1, low=0.0, high=1.0, step=0.01),
    Parameter(name="guess", default=0.5, low=0.0, high=1.0, step=0.01),
    Parameter(name="never", default=False, options=YES_NO, switch=True),
    Parameter(name="tour", default="0", options=tuple("012345678")),
    Parameter(name="talk", default=OFF, options=(OFF, "light", "dark")),
    # The page "Design": what is not known (the swept value, κ, the rate), how much the loss on the
    # way counts, the form, the aim.
    Parameter(name="dval", default="at", options=("at", "range")),
    Parameter(name="dlo", default=0.8, low=0.0, high=0.99, step=0.01),
    Parameter(name="dhi", default=0.95, low=0.0, high=1.0, step=0.01),
    Parameter(name="dk", default="1", options=("1", "2", "3", "10", "30")),
    Parameter(name="dr", default="1", options=("0.1", "0.25", "0.5", "1")),
    Parameter(name="dway", default="0", options=("0", "0.1", "1")),
    Parameter(name="dform", default="full", options=("full", "banded")),
    Parameter(name="aim", default="mean", options=("mean", "worst")),
    Parameter(name="rel", default=True, options=YES_NO, switch=True),
    # Whether Explore shows the best possible.
    Parameter(name="best", default=False, options=YES_NO, switch=True),
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
