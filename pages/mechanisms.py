"""Mechanisms: what each one is, its matrices, what it costs and how good it is at its own aim."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import InputError, Study
from pages.ui import controls, link, mechanism_texts, mechanisms, optimizer, own, report, texts
from pages.ui.shell import need_shell
from pages.ui.studies import study_of
from pages.views.mechanisms import mechanism_view, scenario_about


def _study(about: str) -> Study:
    return study_of(scenario_about(controls.scenario(), about))


@st.fragment  # a new swept value reruns only this: the heat maps do not depend on it
def _at_value(
    message: DeltaGenerator, top: DeltaGenerator, table: DeltaGenerator, about: str
) -> None:
    value = optimizer.draw_swept()
    try:
        with message:
            study = _study(about)
    except InputError as error:
        message.error(str(error))
    else:
        view = mechanism_view(study, value, about)
        report.readouts(view, top)
        mechanisms.draw_table(view, table)
        mechanisms.settle(study.scenario, value)


need_shell()
report.page_style()
st.title(mechanism_texts.TITLE)
st.markdown(mechanism_texts.INTRO)
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
own.draw_form()
about = mechanisms.choose()
top, charts, table = (st.container(key=place) for place in ("readouts", "charts", "table"))
with controls.swept_place():
    _at_value(message, top, table, about)
try:
    study = _study(about)
except InputError:  # said above
    st.stop()
scenario = study.scenario
pictures = mechanisms.pictures(replace(scenario, mechanisms=(about,)), about)
with charts:
    mechanisms.draw_matrices(pictures)
mechanisms.draw_take_away(study, about, pictures)
mechanisms.explained()
st.caption(texts.exact(scenario))
