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
    MapAxis,
    Scenario,
)
from pages.figures import map as figures
from pages.figures.style import TEMPLATES
from pages.ui import optimizer, widgets
from pages.ui.live_chart import live_chart
from pages.ui.map_point import Stops, draw_point
from pages.ui.url_state import PARAMETERS, SWEPT_LINKS
from pages.views import map_axes
from pages.views.map_regions import COLORINGS
from pages.views.swept import swept_of

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
