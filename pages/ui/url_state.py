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

from momentdp_core import MECHANISMS, POOL, SCHEDULES, SPECTRA

VERSION: Final = "1"
VERSION_NAME: Final = "v"
NONE: Final = "none"
AXES: Final = ("momentum", "steps")
BEST, ALL_MODES = "best", "all"  # of b: the best other mechanism; of the mode: every one
# How to look at a study; everything else is the study itself.
LOOKS: Final = frozenset({"axis", "a", "vs", "mode", "seed", "step"})
LONGEST_TEXT: Final = 12_000  # characters of a pasted list: 512 multipliers and room to spare


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

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.options:
            kind = "a comma-separated list of" if self.many else "one of"
            return f"{kind} {', '.join(map(str, self.options))}"
        if self.step:
            kind = "a whole number" if self.step == 1 else "a number"
            return f"{kind} from {self.low:g} to {self.high:g}"
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
        return len(texts[0]) <= LONGEST_TEXT


def _in_range(text: str, parameter: Parameter) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    # A count takes whole numbers only: the slider would drop the fraction without a word.
    fits = number.is_integer() or not isinstance(parameter.step, int)
    return math.isfinite(number) and fits and parameter.low <= number <= parameter.high


_SHARES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
_ALL = (
    Parameter(name="mu", default=0.9, low=0.0, high=0.99, step=0.01),
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
)
PARAMETERS: Final[Mapping[str, Parameter]] = MappingProxyType({p.name: p for p in _ALL})


def value(name: str, text: str) -> Any:
    """Return the value that an accepted link text of a labelled parameter stands for.

    >>> value("mech", "iid,dense")
    ['iid', 'dense']
    """
    if not PARAMETERS[name].many:
        return text
    return [] if text == NONE else text.split(",")


def text(name: str, value: Any) -> str:
    """Return the link text of a value of a labelled parameter.

    >>> text("mech", [])
    'none'
    """
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
