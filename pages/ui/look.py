"""What the controls of Explore ask for: the study to show, what is hidden, and the pinned one."""

from __future__ import annotations

from dataclasses import replace

from streamlit.delta_generator import DeltaGenerator

from momentdp_core import InputError
from pages.ui import best, controls, pin, predict
from pages.ui.charts import look_of
from pages.ui.states import State
from pages.views.look import Look


def look() -> Look:
    """Return what the controls ask for.

    Raises:
        InputError: they describe no study.
    """
    scenario = controls.scenario()
    made = predict.prediction()
    edge = made.edge if made is not None and not made.revealed else None
    then, _ = _pinned()
    pinned = (None, 0.0) if then is None else (then.scenario, then.at)
    shown = look_of(scenario, edge, *pinned)
    return replace(shown, best=best.known(shown))


def _pinned() -> tuple[State | None, str]:
    """Return the pinned state if it can be used, and else what is wrong with it."""
    then = pin.pinned()
    if then is None:
        return None, ""
    try:
        controls.scenario(read=then.__getitem__)
    except InputError as error:
        return None, str(error)
    return then, ""


def show_pin(shown: Look, value: float, summary: DeltaGenerator, panel: DeltaGenerator) -> None:
    """Show what changed from A at a swept value, if one is pinned."""
    then, fault = _pinned()
    view = shown.difference(value)
    if fault:
        summary.warning(f"The pinned scenario A cannot be shown. {fault}")
    if then is not None and view is not None:
        pin.summary(view, summary)
        pin.panel(then, view, panel)
