"""The charts of the Explore page: made once for a study, then only their marker moves."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from momentdp_core import Study
from pages.figures import damage, parts, ranks
from pages.figures.style import TEMPLATES
from pages.ui import texts
from pages.ui.live_chart import live_chart, move_marker
from pages.views import words
from pages.views.sweep import SweepView, axis_of, sweep_view
from pages.views.swept import SweptParameter


@dataclass(frozen=True, kw_only=True, eq=False)
class Charts:
    """The view and the finished figures as JSON text: immutable, so safe to share and to cache."""

    view: SweepView
    damage: str
    ranks: str


def explore_charts(study: Study, axis: str) -> Charts:
    """Build both figures of a study."""
    view = sweep_view(study, axis)
    return Charts(
        view=view,
        damage=parts.to_json(damage.damage_figure(view)),
        ranks=parts.to_json(ranks.rank_figure(view)),
    )


def draw_marker(swept: SweptParameter, value: float, axis: str) -> None:
    """Put the marker of both charts at the swept value; draw it before the charts."""
    place = axis_of(swept, axis)
    move_marker(
        ("damage", "ranks"),
        x=float(place.place(value)),
        text=f"{swept.symbol} = {words.setting(value)}",
        side=place.side(value),
    )


def draw_charts(charts: Charts) -> None:
    """Draw both charts."""
    view = charts.view
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
