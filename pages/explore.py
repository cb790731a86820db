"""Explore: slide the momentum, or what else the optimizer has; see whose noise does the least."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError
from pages.ui import best, controls, link, offer, optimizer, report, stage, take_away, talk
from pages.ui.charts import draw_marker
from pages.ui.look import look, show_pin
from pages.views import export


@st.fragment  # a new swept value reruns only this: the charts and the other controls stay
def _at_value(places: stage.Places) -> None:
    value = optimizer.draw_swept()
    draw_marker(optimizer.swept(), value, controls.axis())
    try:
        with places.message:
            shown = look()
    except InputError as error:
        places.message.error(str(error))
    else:
        view = shown.point(value)
        report.readouts(view, places.readouts)
        report.table(view, places.table)
        show_pin(shown, value, places.summary, places.pin)
        if shown.edge is None or value <= shown.edge:  # what is hidden is not given away
            offer.draw(shown.whole.scenario, value)


report.page_style()
places = stage.lay_out()
with places.message:
    report.link_problems(link.link_problems())
with places.slider:
    _at_value(places)
try:
    shown = look()
except InputError:  # said above
    st.stop()
stage.draw(shown, places)
if not talk.theme():
    scenario = shown.whole.scenario
    known = best.teller(shown)
    take_away.draw(
        "explore",
        scenario,
        lambda: export.study_columns(shown.study, known()),
        lambda: export.study_result(shown.study, known()),
    )
    stage.explain(shown)
