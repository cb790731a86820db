"""The studies that the pages share, each computed once for everybody."""

from __future__ import annotations

import streamlit as st

from momentdp_core import Scenario, Study, evaluate
from pages.views.sweep import MOMENTA


@st.cache_resource(max_entries=64, show_spinner="designing…")
def study_of(scenario: Scenario) -> Study:
    """Return the study of a scenario at every momentum of the slider."""
    return evaluate(scenario, MOMENTA)
