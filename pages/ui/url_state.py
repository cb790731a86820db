"""The state of the study as link parameters: their names, allowed values and what is wrong in one.

The widgets are bound to the link by these names, which must therefore never change their meaning.
A default is left out of a link, so changing a default changes what old links show: raise VERSION.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from momentdp_core import OPTIMIZERS
from pages.ui.parameters import (
    ALL_MODES,
    AXES,
    BEST,
    HIDDEN,
    LONGEST_STATE,
    LONGEST_TEXT,
    LOOKS,
    NONE,
    OFF,
    PARAMETERS,
    REVEALED,
    VERSION,
    VERSION_NAME,
    YES_NO,
    Parameter,
)

__all__ = [
    "ALL_MODES",
    "AXES",
    "BEST",
    "HIDDEN",
    "LONGEST_STATE",
    "LONGEST_TEXT",
    "LOOKS",
    "NONE",
    "OFF",
    "OPTIMIZER_PARAMETERS",
    "PARAMETERS",
    "REVEALED",
    "SWEPT_LINKS",
    "VERSION",
    "VERSION_NAME",
    "YES_NO",
    "Parameter",
    "optimizer_links",
    "problems",
    "snap",
    "text",
    "value",
]

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
    >>> value("rate", "3")
    3.0
    """
    parameter = PARAMETERS[name]
    if parameter.switch:
        return text == parameter.options[0]
    if parameter.many:
        return [] if text == NONE else text.split(",")
    if parameter.step:
        return type(parameter.step)(float(text))
    return parameter.option(text) if parameter.options else text


def text(name: str, value: Any) -> str:
    """Return the link text of a value of a labelled parameter.

    >>> text("mech", [])
    'none'
    """
    if PARAMETERS[name].switch:
        return str(PARAMETERS[name].options[0 if value else 1])
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
            if len(texts) > 1:
                yield f"{name}: given {len(texts)} times, and so left out; give it once."
            elif not PARAMETERS[name].accepts(texts):
                yield f"{name}: expected {PARAMETERS[name].allowed}."
        elif re.fullmatch(r"[A-Za-z0-9_]{1,20}", name):
            yield f"{name}: no parameter has this name."
        else:
            yield "A parameter with an unreadable name."
