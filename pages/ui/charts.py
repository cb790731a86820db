"""The charts of the Explore page: made once for a study, then only their marker moves."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from momentdp_core import Scenario
from pages.figures import damage, parts, predict, ranks
from pages.figures.style import TEMPLATES
from pages.ui import texts
from pages.ui.live_chart import live_chart, live_values, move_marker
from pages.ui.predict import Mark
from pages.ui.studies import shared, study_of
from pages.ui.url_state import SWEPT_LINKS
from pages.views import words
from pages.views.look import Look
from pages.views.sweep import SweepView, axis_of
from pages.views.swept import SweptParameter, swept_of

_CHARTS: Final = ("damage", "ranks")


@dataclass(frozen=True, kw_only=True, eq=False)
class Charts:
    """The view and the finished figures as JSON text: immutable, so safe to share and to cache."""

    view: SweepView
    damage: str
    ranks: str


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


def look_of(scenario: Scenario, edge: float | None, pinned: Scenario | None, stood: float) -> Look:
    """Return the studies of a scenario and of a pinned one, if any."""
    then = None if pinned is None else study_of(pinned)
    return Look(whole=study_of(scenario), edge=edge, then=then, stood=stood)


def draw_charts(look: Look, axis: str, marks: tuple[Mark, ...], *, fed: bool = False) -> None:
    """Draw both charts; they follow the slider while it is dragged.

    Args:
        look: what to draw.
        axis, marks: the horizontal axis, and the upright lines on it.
        fed: whether the damage chart waits for the figures that it is fed.
    """
    charts = charts_of(look, axis, marks, damage.HEIGHT)
    _follow(look, axis)
    _chart("damage", "" if fed else charts.damage, charts.view.damage_alt, damage.HEIGHT)
    st.caption(texts.READING)
    with st.container():  # notes come and go; the next chart must keep its place in the page
        for note in charts.view.notes:
            st.caption(note)
    st.subheader("Who comes first, who comes last")
    _chart("ranks", charts.ranks, charts.view.rank_alt, ranks.HEIGHT)


def draw_slide(look: Look, axis: str, marks: tuple[Mark, ...], height: int) -> None:
    """Draw the damage chart alone, at another height."""
    charts = charts_of(look, axis, marks, height)
    _follow(look, axis)
    _chart("damage", charts.damage, charts.view.damage_alt, height)


# What is kept for all sessions is found by these, which say all that a Look depends on.
_Key = tuple[Scenario, float | None, Scenario | None, float]


def _key(look: Look) -> _Key:
    pinned = None if look.then is None else look.then.scenario
    return look.whole.scenario, look.edge, pinned, look.stood


def charts_of(look: Look, axis: str, marks: tuple[Mark, ...], height: int) -> Charts:
    """Return both figures; kept, unless the best possible is still being designed."""
    if look.best is not None and not look.best.finished:
        return build_charts(look, axis, marks, height)
    return _charts(*_key(look), look.best is not None, axis, marks, height, look)


@shared(max_entries=64)
def _charts(
    scenario: Scenario,
    edge: float | None,
    pinned: Scenario | None,
    stood: float,
    with_best: bool,
    axis: str,
    marks: tuple[Mark, ...],
    height: int,
    _look: Look,
) -> Charts:
    return build_charts(_look, axis, marks, height)


def build_charts(look: Look, axis: str, marks: tuple[Mark, ...], height: int) -> Charts:
    """Return both figures, made now."""
    view = look.sweep(axis)
    ghosts = look.ghosts(view)
    first, second = damage.damage_figure(view, ghosts, height), ranks.rank_figure(view)
    alt = [view.damage_alt]
    symbol = swept_of(look.whole.scenario.optimizer).symbol
    if ghosts:
        alt.append("Pale lines show the pinned scenario A.")
    if look.edge is not None:
        for figure in (first, second):
            predict.hide(figure, view.axis, look.edge)
    for text, value, solid in marks:
        predict.mark(first, view.axis, value, text, solid=solid)
        alt.append(f"An upright line marks {text} at {symbol} = {words.edge(value)}.")
    return Charts(
        view=replace(view, damage_alt=" ".join(alt)),
        damage=parts.to_json(first),
        ranks=parts.to_json(second),
    )


@shared(max_entries=64)
def _live(
    scenario: Scenario,
    edge: float | None,
    pinned: Scenario | None,
    stood: float,
    with_best: bool,
    axis: str,
    _look: Look,
) -> str:
    return _said(_look, axis)


def _said(look: Look, axis: str) -> str:
    return json.dumps(look.live(axis), ensure_ascii=False)


def _follow(look: Look, axis: str) -> None:
    slider = SWEPT_LINKS[swept_of(look.whole.scenario.optimizer).key]
    if look.best is not None and not look.best.finished:
        live = _said(look, axis)
    else:
        live = _live(*_key(look), look.best is not None, axis, look)
    live_values(live, slider=slider, charts=_CHARTS)


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
