"""The map as it fills: its first picture at once, the rest from a process of its own."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import CrossoverMap, MapAxis, Scenario, map_stages
from pages.figures import map as figures
from pages.figures import parts
from pages.ui.background import LEASE, QUEUED, Job, job_of_session
from pages.ui.live_chart import feed_charts
from pages.ui.map import CHART, Choice
from pages.ui.studies import shared
from pages.views import map as views
from pages.views import map_axes
from pages.views.swept import swept_of

EVERY: Final = 0.5  # seconds between two looks at the filling
_DOTTED: Final = (
    "Not final where dotted: NoiseCurve, or what else is made anew for each setting, is still "
    "being designed there and may win"
)
_TRACING: Final = "Tracing the boundaries"
GAIN: Final = 0.1  # share of the work that a new picture must show: each is a third of a megabyte

Pair = tuple[str, str] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Filling:
    """A map on its way: its first picture, and the process that makes the rest of it."""

    key: str
    first: CrossoverMap
    job: Job

    @property
    def latest(self) -> CrossoverMap:
        """The map as far as it is known."""
        return self.job.latest or self.first


@shared(max_entries=24)
def _first(scenario: Scenario, value: float, x: MapAxis, y: MapAxis) -> CrossoverMap:
    return next(map_stages(scenario, value, x, y))


def filling(scenario: Scenario, value: float, choice: Choice) -> Filling:
    """Return the map of the controls, begun if it is not there yet.

    The first picture is made here, without the start of a process; it shows all mechanisms but
    the one that is designed anew along the axes.

    Raises:
        InputError: an axis that this scenario does not have.
    """
    x, y = (map_axes.axis_for(name, scenario) for name in (choice.x, choice.y))
    # What is on an axis is no part of the map: moving there keeps it.
    fixed = swept_of(scenario.optimizer).low if "value" in (choice.x, choice.y) else value
    asked = map_axes.common(scenario, x, y), fixed, x, y
    first = _first(*asked)
    key = repr(asked)
    job = job_of_session("map", ("map", key), map_stages, *asked, lease=LEASE)
    return Filling(key=key, first=first, job=job)


def fill(
    now: Filling,
    scenario: Scenario,
    value: float,
    choice: Choice,
    pair: Pair,
    below: DeltaGenerator,
) -> bool:
    """Draw the map, and draw it anew as it fills, without holding up anything else.

    Returns:
        Whether it is finished.
    """
    with below:
        if now.job.error:
            st.error(now.job.error)
        if now.job.told:
            draw = _draw if now.job.error else _finished
            drawn = draw(now, choice, pair)
            _feed(drawn)
            _draw_key(drawn)
            st.caption("  \n".join(drawn.legend))
        else:
            fed: list[_Drawn] = []
            st.fragment(_picture, run_every=EVERY)(scenario, value, choice, pair, [now], fed)
    return now.job.told


@dataclass(frozen=True, kw_only=True, eq=False)
class _Drawn:
    """What a picture of the map comes to: immutable, so safe to share and to cache."""

    figure: str
    alt: str
    key: tuple[tuple[str, str, str], ...]
    legend: tuple[str, ...]
    done: float


def _draw(now: Filling, choice: Choice, pair: Pair) -> _Drawn:
    view = views.map_view(now.latest, choice.coloring, choice.fixed, pair)
    return _Drawn(
        figure=parts.to_json(figures.map_figure(view)),
        alt=view.alt,
        key=figures.key_entries(view),
        legend=view.legend,
        done=view.done,
    )


def _finished(now: Filling, choice: Choice, pair: Pair) -> _Drawn:
    return _kept(now.key, choice, pair, now)


@shared(max_entries=32)
def _kept(key: str, choice: Choice, pair: Pair, _now: Filling) -> _Drawn:
    return _draw(_now, choice, pair)


def _feed(drawn: _Drawn) -> None:
    feed_charts({CHART: (drawn.figure, drawn.alt)}, key="map-feed")


def _draw_key(drawn: _Drawn) -> None:
    """Name every colour on the map: not every region has room for its name."""
    entries = "".join(
        f'<li><span class="md-key-color" style="background:{color}"></span>'
        f"{sign} {escape(text)}</li>"
        for sign, color, text in drawn.key
    )
    st.html(f'<ul class="md-key" aria-label="Colours of the map">{entries}</ul>')


def _picture(
    scenario: Scenario,
    value: float,
    choice: Choice,
    pair: Pair,
    begun: list[Filling],
    fed: list[_Drawn],
) -> None:
    """Feed the chart what is new.

    Args:
        scenario, value, choice, pair: what to draw.
        begun: the filling as the page's run began it, taken by the first look.
        fed: what the chart has, kept for the looks that follow.
    """
    first = bool(begun)
    now = begun.pop() if first else filling(scenario, value, choice)
    if not now.job.active:
        st.rerun()
    done = now.latest.done
    if first or done >= fed[-1].done + GAIN:
        fed[:] = [_draw(now, choice, pair)]
        _feed(fed[-1])
    _draw_key(fed[-1])
    st.progress(done, text=QUEUED if now.job.queued else _said(now.latest))


def _said(found: CrossoverMap) -> str:
    """Say what the filling does, and which cells can still change."""
    pending = (~found.ready & (found.winner >= 0)).any()
    return f"{_DOTTED if pending else _TRACING}: {found.done:.0%}"
