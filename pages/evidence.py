"""Evidence: every published claim beside what comes out here, and a button to run it again."""

from __future__ import annotations

import streamlit as st

from momentdp_core.experiments.shipped import shipped_results
from pages.ui import evidence, link, report, texts
from pages.ui.shell import need_shell
from pages.views.evidence import label, readouts, rows_of, sentence

need_shell()
report.page_style()
evidence.without_sidebar_controls()
st.title(texts.EVIDENCE_TITLE)
st.markdown(texts.EVIDENCE_INTRO)
report.link_problems(link.link_problems())
results = shipped_results()
rows = rows_of(results)
report.note(label(results))
report.summary(readouts(rows), sentence(rows))
evidence.draw_table(evidence.choose(rows))
evidence.draw_claim(rows, results)
st.caption(texts.EVIDENCE_NOTES)
