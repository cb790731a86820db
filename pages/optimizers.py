"""Optimizers: what each one loses to bias, sampling and privacy noise, and where the best flips."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError
from pages.ui import link, optimizers, report, take_away, texts
from pages.ui.shell import need_shell
from pages.ui.studies import comparison_of
from pages.views.optimizers import optimizers_view
from pages.views.optimizers_charts import optimizers_charts
from pages.views.optimizers_export import comparison_columns, comparison_setting

need_shell()
report.page_style()
st.title(texts.OPTIMIZERS_TITLE)
st.markdown(texts.OPTIMIZERS_INTRO)
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
try:
    question = optimizers.choose()
    with message:
        answer = comparison_of(question)
except InputError as error:
    message.error(str(error))
    st.stop()
view = optimizers_view(answer)
charts = optimizers_charts(answer)
report.readouts(view, st.container(key="readouts"))
optimizers.draw_charts(charts)
optimizers.draw_table(view)
optimizers.draw_matrix(charts)
take_away.draw(
    "optimizers",
    question.scenario,
    lambda: comparison_columns(answer),
    setting=comparison_setting(answer),
)
st.caption(texts.optimizers_exact(question.scenario))
