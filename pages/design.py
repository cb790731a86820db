"""Design: the mechanism of least damage for what is known of a training, and the file for it."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError
from pages.ui import controls, design, design_take, link, offer, optimizer, proof, report, texts
from pages.ui.shell import need_shell

need_shell()
report.page_style()
st.title(texts.DESIGN_TITLE)
st.markdown(texts.DESIGN_INTRO)
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
with controls.swept_place():
    value = optimizer.draw_swept()
try:
    scenario = controls.scenario()
    question = design.choose(scenario, value)
    proof.draw_suggestion()
    made = design.designed(question, message)
    prices = design.priced(question, value)
    if made is not None:
        found = design.contest_of(question, scenario, made)
        report.readouts(design.view_of(found), st.container(key="readouts"))
        design.draw_range(found)
        design_take.draw(found)
        design.draw_noise(found)
    design.draw_price(prices)
    if made is not None:
        design_take.draw_panel(found, prices)
except InputError as error:
    with message:
        offer.explain(error)
    st.stop()
# What takes long comes last: until then the page is whole, and any change of a control ends it.
design.wait(made is None, question, prices)
