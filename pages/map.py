"""Map: who does the least damage over two controls at once, and what would change it."""

from __future__ import annotations

import streamlit as st

from momentdp_core import InputError
from pages.ui import (
    controls,
    flips,
    link,
    map,
    map_fill,
    offer,
    optimizer,
    report,
    take_away,
    texts,
)
from pages.ui.shell import need_shell
from pages.views import map_export

need_shell()
report.page_style()
st.title(texts.MAP_TITLE)
st.markdown(texts.MAP_INTRO)
message = st.container(key="message")
with message:
    report.link_problems(link.link_problems())
with controls.swept_place():
    value = optimizer.draw_swept()
try:
    scenario = controls.scenario()
    choice = map.choose(scenario)
    pair = map.choose_pair(scenario) if choice.coloring == "gap" else None
    filling = map_fill.filling(scenario, value, choice)
except InputError as error:
    message.error(str(error))
    st.stop()
with message:
    offer.draw(scenario, value)
below = map.draw_place(choice)
map.draw_marker(scenario, value, choice)
st.subheader("What would flip it")
st.markdown(texts.MAP_FLIPS)
asked = pair or map.choose_pair(scenario)
listed = st.container(key="flips")
take_away.draw(
    "map",
    scenario,
    lambda: map_export.map_columns(filling.latest),
    setting=map_export.map_setting(filling.latest, scenario),
)
st.caption(texts.exact(scenario))
finished = map_fill.fill(filling, scenario, value, choice, pair, below)
with listed:
    flips.draw(scenario, value, asked, begin=finished)
