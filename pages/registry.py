"""Registry: crossovers that were frozen before they were tested, and the same for your own case."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError
from momentdp_core.experiments.shipped import shipped_results
from pages.ui import link, offer, registry, report, texts
from pages.ui.shell import need_shell

need_shell()
report.page_style()
st.title(texts.REGISTRY_TITLE)
st.markdown(texts.REGISTRY_INTRO)
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
try:
    registry.verify()
except InputError as error:
    st.error(str(error))
    st.stop()
registry.draw_cases(shipped_results())
st.markdown(texts.REGISTRY_NOISECURVE)
try:
    registry.draw_own()
except InputError as error:
    with message:
        offer.explain(error)
