"""Why it flips: which frequencies of the noise and which mode decide between two mechanisms."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import InputError
from pages.ui import controls, lesson, link, offer, optimizer, report, take_away, texts, why
from pages.ui.shell import need_shell
from pages.views.export import study_result
from pages.views.why import pair_view


@st.fragment  # a new swept value reruns only this: it feeds the charts, which stay
def _at_value(message: DeltaGenerator, top: DeltaGenerator, choice: why.Choice) -> None:
    value = optimizer.draw_swept()
    try:
        with message:
            pair = why.pair_at(choice, value)
    except InputError as error:
        message.error(str(error))
    else:
        report.readouts(pair_view(pair), top)
        why.feed(pair, choice)
        offer.draw(pair.scenario, value)


need_shell()
report.page_style()
st.title(texts.WHY_TITLE)
st.markdown(texts.why_intro(optimizer.swept()))
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
lesson.draw()
choice = why.choose()
top = st.container(key="readouts")
charts = st.container(key="charts")
with controls.swept_place():
    _at_value(message, top, choice)
try:
    study = why.study(choice)
except InputError:  # said above
    st.stop()
with charts:
    why.draw_charts(choice)
take_away.draw(
    "why", study.scenario, why.columns(choice), lambda: study_result(study), why.setting(choice)
)
st.caption(texts.why_model(study.scenario))
