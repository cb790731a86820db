"""The charts of the Explore page: made once for a study, then only their marker moves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

import streamlit as st

from momentdp_core import Study
from pages.figures import damage, parts, ranks
from pages.figures.style import TEMPLATES
from pages.ui import texts
from pages.ui.live_chart import live_chart, live_values, move_marker
from pages.ui.url_state import SWEPT_LINKS
from pages.views import words
from pages.views.live import live_view
from pages.views.sweep import SweepView, axis_of, sweep_view
from pages.views.swept import SweptParameter, swept_of

_CHARTS: Final = ("damage", "ranks")


@dataclass(frozen=True, kw_only=True, eq=False)
class Charts:
    """The view and the finished figures as JSON text: immutable, so safe to share and to cache."""

    swept: SweptParameter
    view: SweepView
    damage: str
    ranks: str
    live: str


def explore_charts(study: Study, axis: str) -> Charts:
    """Build both figures of a study."""
    view = sweep_view(study, axis)
    return Charts(
        swept=swept_of(study.scenario.optimizer),
        view=view,
        damage=parts.to_json(damage.damage_figure(view)),
        ranks=parts.to_json(ranks.rank_figure(view)),
        live=json.dumps(live_view(study, axis), ensure_ascii=False),
    )


def draw_marker(swept: SweptParameter, value: float, axis: str) -> None:
    """Put the marker of both charts at the swept value; draw it before the charts."""
    place = axis_of(swept, axis)
    move_marker(
        _CHARTS,
        x=float(place.place(value)),
        text=f"{swept.symbol} = {words.setting(value)}",
        side=place.side(value),
        slider=SWEPT_LINKS[swept.key],
    )


def draw_charts(charts: Charts) -> None:
    """Draw both charts; they follow the slider while it is dragged."""
    view = charts.view
    live_values(charts.live, slider=SWEPT_LINKS[charts.swept.key], charts=_CHARTS)
    _chart("damage", charts.damage, view.damage_alt, damage.HEIGHT)
    st.caption(texts.READING)
    with st.container():  # notes come and go; the next chart must keep its place in the page
        for note in view.notes:
            st.caption(note)
    st.subheader("Who comes first, who comes last")
    _chart("ranks", charts.ranks, view.rank_alt, ranks.HEIGHT)


def _chart(key: str, figure: str, alt: str, height: int) -> None:
    live_chart(
        figure,
        key=key,
        alt=alt,
        height=height,
        filename=f"momentdp-{key}",
        templates=dict(TEMPLATES),
        compact=parts.COMPACT,
    )
