"""The remark on Explore about what NoiseCurve's criterion leaves open."""

from __future__ import annotations

import streamlit as st

from momentdp_core import DesignFreedom, Scenario, Study, design_freedom
from momentdp_core.freedom import LONGEST
from pages.ui.studies import shared, study_of
from pages.views.freedom import asks, freedom_text

_TOO_LONG = (
    "What another design does that NoiseCurve's criterion likes as well is told for runs of up to "
    f"{LONGEST} steps."
)


@shared(max_entries=64)
def _freedom(scenario: Scenario) -> DesignFreedom:
    return design_freedom(study_of(scenario))


def draw(study: Study) -> None:
    """Say it; call last, since a second design takes a moment."""
    if not asks(study):
        return
    long = study.scenario.horizon > LONGEST
    st.caption(_TOO_LONG if long else freedom_text(study, _freedom(study.scenario)))
