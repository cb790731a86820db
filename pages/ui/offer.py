"""Where training is unstable: which rate would be stable, and the button that sets it."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError, Scenario
from pages.ui import controls, optimizer, widgets
from pages.ui.url_state import PARAMETERS
from pages.views import words
from pages.views.stable_rate import stable_offer


def draw(scenario: Scenario, value: float) -> None:
    """Say what is stable at a swept value, and offer the largest such stop of the peak rate."""
    found = stable_offer(scenario, value, PARAMETERS["rate"].options)
    if found is None:
        return
    st.warning(found.text, icon=":material/warning:")
    if found.rate is None:
        return
    label = f"Set the peak rate to {words.number(found.rate)}"
    if st.button(label, key="stable-rate", on_click=_take, args=(found.rate,)):
        st.rerun()  # the swept value's own runs draw neither the sidebar nor the charts


def explain(error: InputError) -> None:
    """Say what is wrong with the controls; where training is unstable, offer a stable rate."""
    value = optimizer.value_of(widgets.value("opt"))
    try:
        found = stable_offer(controls.scenario(), value, PARAMETERS["rate"].options)
    except InputError:  # it is this that is said
        found = None
    if found is None:
        st.error(str(error))
    else:
        draw(controls.scenario(), value)


def _take(rate: float) -> None:
    st.session_state["rate"] = rate
