"""Why it flips: which frequencies of the noise and which mode decide between two mechanisms."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import InputError
from pages.ui import controls, lesson, link, report, texts, why
from pages.ui.shell import need_shell
from pages.views.why import pair_view


@st.fragment  # a new momentum reruns only this: it feeds the charts, which stay
def _at_momentum(message: DeltaGenerator, top: DeltaGenerator, choice: why.Choice) -> None:
    momentum = controls.draw_momentum()
    try:
        with message:
            pair = why.pair_at(choice, momentum)
    except InputError as error:
        message.error(str(error))
    else:
        report.readouts(pair_view(pair), top)
        why.feed(pair, choice)


need_shell()
report.page_style()
st.title(texts.WHY_TITLE)
st.markdown(texts.WHY_INTRO)
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
lesson.draw()
choice = why.choose()
top = st.container(key="readouts")
charts = st.container(key="charts")
with controls.momentum_place():
    _at_momentum(message, top, choice)
try:
    why.study(choice)
except InputError:  # said above
    st.stop()
with charts:
    why.draw_charts(choice)
st.caption(texts.WHY_MODEL)
