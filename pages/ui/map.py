"""What the Map page draws: the choice of axes and colours, the map as it fills, and its point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import (
    FAMILIES,
    SCHEDULES,
    CrossoverMap,
    MapAxis,
    Scenario,
    map_stages,
)
from pages.figures import map as figures
from pages.figures import parts
from pages.figures.style import TEMPLATES
from pages.ui import optimizer, widgets
from pages.ui.live_chart import feed_charts, live_chart
from pages.ui.map_point import Stops, draw_point
from pages.ui.process_job import LEASE, ProcessJob, job_of_session
from pages.ui.studies import shared
from pages.ui.url_state import PARAMETERS, SWEPT_LINKS
from pages.views import map as views
from pages.views import map_axes
from pages.views.map_regions import COLORINGS
from pages.views.swept import swept_of

EVERY: Final = 0.7  # seconds between two looks at the filling
GAIN: Final = 0.1  # share of the work that a new picture must show: each is a third of a megabyte
CHART: Final = "map"
# The control of each axis; the swept value's depends on the optimizer.
_CONTROLS: Final = {"rate": "rate", "condition": "kappa", "schedule": "schedule"}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the reader chose to look at."""

    x: str
    y: str
    coloring: str
    fixed: str


def choose(scenario: Scenario) -> Choice:
    """Draw the pickers and return what they say."""
    titles = {"value": swept_of(scenario.optimizer).title, **map_axes.AXIS_LABELS}
    shown = {key: FAMILIES[key].label for key in scenario.mechanisms}
    across, up, colors, more = st.columns(4)
    with across:
        flat = {key: title for key, title in titles.items() if key != "schedule"}
        x = widgets.pick("mx", "Across", _known("mx", flat))
    with up:
        y = widgets.pick("my", "Up", _known("my", {k: t for k, t in titles.items() if k != x}))
    with colors:
        offered = dict(COLORINGS)
        if "noisecurve" not in shown:
            del offered["rank"]
        if len(shown) < 2:
            del offered["gap"]
        coloring = widgets.pick("by", "Colour by", _known("by", offered))
    fixed = scenario.mechanisms[0]
    with more:
        if coloring == "regret":
            fixed = widgets.pick("fix", "Always using", _known("fix", shown))
    return Choice(x=x, y=y, coloring=coloring, fixed=fixed)


def choose_pair(scenario: Scenario) -> tuple[str, str] | None:
    """Draw the pickers of a and b and return both; None where there are no two to choose."""
    shown = {key: FAMILIES[key].label for key in scenario.mechanisms}
    if len(shown) < 2:
        return None
    left, right, _ = st.columns((1, 1, 2))
    with left:
        first = widgets.pick("ma", "Mechanism a", _known("ma", shown))
    with right:
        others = {key: label for key, label in shown.items() if key != first}
        second = widgets.pick("mb", "Mechanism b", _known("mb", others))
    return first, second


def _known(name: str, options: dict[str, str]) -> dict[str, str]:
    """Return the options, with the control put to one of them if it is at none."""
    if st.session_state.get(name, PARAMETERS[name].default) not in options:
        st.session_state[name] = next(iter(options))
    return options


@dataclass(frozen=True, kw_only=True, eq=False)
class Filling:
    """A map on its way: its first picture, and the process that makes the rest of it."""

    key: str
    first: CrossoverMap
    job: ProcessJob

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


def draw_place(choice: Choice) -> DeltaGenerator:
    """Draw the place of the map and return the one of what is said below it."""
    live_chart(
        "",
        key=CHART,
        alt="",
        height=figures.HEIGHT,
        filename="momentdp-map",
        templates=dict(TEMPLATES),
        compact=figures.COMPACT_SCHEDULES if choice.y == "schedule" else figures.COMPACT,
    )
    return st.container(key="map-progress")


def fill(
    scenario: Scenario,
    value: float,
    choice: Choice,
    pair: tuple[str, str] | None,
    below: DeltaGenerator,
) -> bool:
    """Draw the map, and draw it anew as it fills, without holding up anything else.

    Returns:
        Whether it is finished.
    """
    now = filling(scenario, value, choice)
    with below:
        if now.job.error:
            st.error(now.job.error)
        if now.job.finished:
            draw = _draw if now.job.error else _finished
            drawn = draw(now, choice, pair)
            _feed(drawn)
            st.caption("  \n".join(drawn.legend))
        else:
            fed: list[CrossoverMap] = []
            st.fragment(_picture, run_every=EVERY)(scenario, value, choice, pair, fed)
    return now.job.finished


@dataclass(frozen=True, kw_only=True, eq=False)
class _Drawn:
    """What a picture of the map comes to: immutable, so safe to share and to cache."""

    figure: str
    alt: str
    legend: tuple[str, ...]
    done: float


def _draw(now: Filling, choice: Choice, pair: tuple[str, str] | None) -> _Drawn:
    view = views.map_view(now.latest, choice.coloring, choice.fixed, pair)
    figure = parts.to_json(figures.map_figure(view))
    return _Drawn(figure=figure, alt=view.alt, legend=view.legend, done=view.done)


def _finished(now: Filling, choice: Choice, pair: tuple[str, str] | None) -> _Drawn:
    return _kept(now.key, choice, pair, now)


@shared(max_entries=32)
def _kept(key: str, choice: Choice, pair: tuple[str, str] | None, _now: Filling) -> _Drawn:
    return _draw(_now, choice, pair)


def _feed(drawn: _Drawn) -> None:
    feed_charts({CHART: (drawn.figure, drawn.alt)}, key="map-feed")


def _picture(
    scenario: Scenario,
    value: float,
    choice: Choice,
    pair: tuple[str, str] | None,
    fed: list[CrossoverMap],
) -> None:
    """Feed the chart what is new; `fed` holds what it has, for all runs of one fragment."""
    now = filling(scenario, value, choice)
    if now.job.finished:
        st.rerun()
    found = now.latest
    said = f"Designing and tracing: {found.done:.0%}"
    if now.job.waiting:
        said = "Waiting for a process to design in: others are computing."
    st.progress(found.done, text=said)
    if not fed or found.done >= fed[-1].done + GAIN:
        fed[:] = [found]
        _feed(_draw(now, choice, pair))


def draw_marker(scenario: Scenario, value: float, choice: Choice) -> None:
    """Put the point where the controls stand; moving it moves them."""
    names = [_control(name) for name in (choice.x, choice.y)]
    settings = [_settings(name) for name in (choice.x, choice.y)]
    across, up = (
        _stops(map_axes.axis_for(name, scenario), options, scenario, value)
        for name, options in zip((choice.x, choice.y), settings, strict=True)
    )

    def move(x: int, y: int) -> None:
        for name, options, number in zip(names, settings, (x, y), strict=True):
            st.session_state[name] = options[number]

    draw_point(CHART, across, up, move)


def _control(axis: str) -> str:
    return _CONTROLS.get(axis) or SWEPT_LINKS[optimizer.swept().key]


def _settings(axis: str) -> list[Any]:
    if axis == "value":
        return [float(v) for v in optimizer.swept().values]
    if axis == "schedule":
        # A custom list can be left on the map but not entered: it needs its numbers.
        own = widgets.value("schedule")
        return [key for key in SCHEDULES if key != "custom" or own == "custom"]
    return list(PARAMETERS[_CONTROLS[axis]].options)


def _stops(axis: MapAxis, options: list[Any], scenario: Scenario, value: float) -> Stops:
    swept = swept_of(scenario.optimizer)
    if axis.name == "schedule":
        families = [schedule.family for schedule in axis.schedules]
        return Stops(
            positions=[float(families.index(key)) for key in options],
            texts=[SCHEDULES[key].label for key in options],
            at=options.index(scenario.schedule.family),
        )
    symbol = {"value": swept.symbol, "rate": "ηλmax", "condition": "κ"}[axis.name]
    own = {
        "value": value,
        "rate": scenario.learning_rate,
        "condition": scenario.curvature.condition_number,
    }[axis.name]
    places = axis.position(np.array(options, dtype=float))
    return Stops(
        positions=[float(place) for place in places],
        texts=[f"{symbol} = {option:g}" for option in options],
        at=min(range(len(options)), key=lambda n: abs(options[n] - own)),
    )
