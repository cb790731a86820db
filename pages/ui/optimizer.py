"""The controls of the optimizer: which one, its fixed parameters, and what it sweeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import streamlit as st

from momentdp_core.optimizers import OPTIMIZERS, LinearOptimizer
from pages.ui import help_texts, link, parse, widgets
from pages.ui.url_state import OPTIMIZER_PARAMETERS, SWEPT_LINKS, snap
from pages.views.swept import SWEPT, SweptParameter

_DESIGN_LABELS: Final = {"first_order": "First order", "butterworth": "Butterworth"}


def draw() -> None:
    """Draw the choice of the optimizer and its fixed parameters."""
    key = widgets.choice("opt", "Optimizer", OPTIMIZERS)
    st.caption(f"{OPTIMIZERS[key].description}  \n{help_texts.EQUATIONS[key]}")
    for name in OPTIMIZER_PARAMETERS[key].values():
        _fixed(name)


def draw_swept() -> float:
    """Draw the slider of what the optimizer sweeps where the caller is, and return its value."""
    _slider(swept())
    return value_of(widgets.value("opt"))


def draw_all(keys: Sequence[str], *, idle: bool) -> None:
    """Draw what several optimizers sweep and their fixed parameters, each control once.

    Args:
        keys: the optimizers.
        idle: whether what they sweep is chosen for the reader.
    """
    sliders = {SWEPT_LINKS[SWEPT[key].key]: SWEPT[key] for key in keys}
    fixed = {name: None for key in keys for name in OPTIMIZER_PARAMETERS[key].values()}
    for name, parameter in sliders.items():
        whose = ", ".join(OPTIMIZERS[key].label for key in keys if SWEPT[key].key == parameter.key)
        _slider(parameter, f" · {whose}", disabled=idle and name not in fixed)
    rest = [name for name in fixed if name not in sliders]
    if rest:
        with st.expander("Their fixed parameters"):
            for name in rest:
                _fixed(name)


def value_of(key: str) -> float:
    """Return where the slider of what an optimizer sweeps stands."""
    name = SWEPT_LINKS[SWEPT[key].key]
    return snap(name, widgets.value(name))


def _slider(parameter: SweptParameter, whose: str = "", **options: Any) -> None:
    name = SWEPT_LINKS[parameter.key]
    title = parameter.title
    widgets.slider(name, f"{title[0].upper()}{title[1:]}{whose}", format="%.2f", **options)
    link.put_on_step(name)


def swept() -> SweptParameter:
    """Return what the chosen optimizer sweeps."""
    return SWEPT[widgets.value("opt")]


def optimizer(read: Callable[[str], Any] = widgets.value) -> LinearOptimizer:
    """Return the optimizer that the controls describe, or another reader of their values.

    Raises:
        InputError: coefficients of a filter that cannot be used.
    """
    return built(read("opt"), read)


def built(key: str, read: Callable[[str], Any] = widgets.value) -> LinearOptimizer:
    """Return an optimizer with its fixed parameters as their controls, or another reader, say.

    Raises:
        InputError: coefficients of a filter that cannot be used.
    """
    fields = {field: _value(name, read(name)) for field, name in OPTIMIZER_PARAMETERS[key].items()}
    if fields.get("design") == "first_order":
        fields.pop("order")  # two states that mean the same are one study
    return OPTIMIZERS[key](**fields)


def _value(name: str, given: Any) -> Any:
    if name in ("fa", "fb"):
        # A filter may have no past values of its own, but must take in something.
        empty = name == "fa" and not given.strip()
        return () if empty else parse.numbers(given, f"filter coefficients {name[1]}")
    return snap(name, given) if name in link.STEPPED else given


def _fixed(name: str) -> None:
    label = help_texts.OPTIMIZER_LABELS[name]
    if name in link.STEPPED:
        widgets.slider(name, label, format="%.2f")
        link.put_on_step(name)
    elif name in ("fa", "fb"):
        widgets.text(name, label, {"fa": "-0.9", "fb": "0.1"}[name])
    elif name in ("norm", "corr"):
        widgets.switch(name, label)
    elif name == "design":
        widgets.pick(name, label, _DESIGN_LABELS)
    elif name != "order" or widgets.value("design") == "butterworth":
        widgets.stops(name, label)
