"""Logistic: real private training of a logistic regression, on the paper's data or your own."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError
from pages.ui import evidence, link, logistic, logistic_texts, proof, report
from pages.ui.shell import need_shell

need_shell()
report.page_style()
evidence.without_sidebar_controls()
st.title(logistic_texts.LOGISTIC_TITLE)
st.markdown(logistic_texts.LOGISTIC_INTRO)
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
try:
    settings = logistic.choose()
    own = logistic.own_data()
except InputError as error:
    message.error(str(error))
    st.stop()
told, origin = logistic.trained(settings, own)
if told is None:
    st.info(logistic_texts.LOGISTIC_MISSING)
else:
    logistic.draw(told, origin)
logistic.draw_sweep(settings)
st.subheader("Designs made for the optimizer", divider="gray")
proof.draw_evidence("logistic")
logistic.draw_choices()
st.caption(logistic_texts.LOGISTIC_MODEL)
