"""Explore: slide the momentum, or what else the optimizer has; see whose noise does the least."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import InputError, Scenario
from pages.ui import controls, link, optimizer, report, take_away, texts
from pages.ui.charts import Charts, draw_charts, draw_marker, explore_charts
from pages.ui.studies import shared, study_of
from pages.views import explore, export


@shared(max_entries=64)
def _charts(scenario: Scenario, axis: str) -> Charts:
    return explore_charts(study_of(scenario), axis)


@st.fragment  # a new swept value reruns only this: the charts and the other controls stay
def _at_value(message: DeltaGenerator, top: DeltaGenerator, table: DeltaGenerator) -> None:
    value = optimizer.draw_swept()
    draw_marker(optimizer.swept(), value, controls.axis())
    try:
        with message:
            study = study_of(controls.scenario())
    except InputError as error:
        message.error(str(error))
    else:
        view = explore.point_view(study, value)
        report.readouts(view, top)
        report.table(view, table)


report.page_style()
st.title(texts.TITLE)
st.markdown(texts.DAMAGE)
places = ("message", "readouts", "charts", "table")
message, top, charts, table = (st.container(key=place) for place in places)
with message:
    report.link_problems(link.link_problems())
with controls.swept_place():
    _at_value(message, top, table)
try:
    study = study_of(controls.scenario())
except InputError:  # said above
    st.stop()
with charts:
    controls.draw_axis()
    draw_charts(_charts(study.scenario, controls.axis()))
take_away.draw("explore", study.scenario, lambda: export.study_columns(study), lambda: study)
report.explained()
st.caption(texts.exact(study.scenario.optimizer))
