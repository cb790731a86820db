"""Where training is unstable: which rate would be stable, and the button that sets it."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError, Scenario
from pages.ui import controls, optimizer, widgets
from pages.ui.url_state import PARAMETERS
from pages.views import words
from pages.views.stable_rate import stable_offer


def draw(scenario: Scenario, value: float) -> bool:
    """Say what is stable at a swept value, and offer the largest such stop of the peak rate.

    Returns:
        Whether training is unstable, so that there was something to say.
    """
    found = stable_offer(scenario, value, PARAMETERS["rate"].options)
    if found is None:
        return False
    st.warning(found.text, icon=":material/warning:")
    if found.rate is not None:
        label = f"Set the peak rate to {words.number(found.rate)}"
        if st.button(label, key="stable-rate", on_click=_take, args=(found.rate,)):
            st.rerun()  # the swept value's own runs draw neither the sidebar nor the charts
    return True


def explain(error: InputError) -> None:
    """Say what is wrong with the controls; where training is unstable, offer a stable rate."""
    try:
        said = draw(controls.scenario(), optimizer.value_of(widgets.value("opt")))
    except InputError:  # it is this that is said
        said = False
    if not said:
        st.error(str(error))


def _take(rate: float) -> None:
    st.session_state["rate"] = rate
