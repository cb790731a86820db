"""The axes of the map as the page offers them, and how they are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from momentdp_core import SCHEDULES, MapAxis, Scenario, Schedule
from pages.views.swept import swept_of

CELLS: Final = 41
RATES: Final = (0.0025, 4.0)
CONDITIONS: Final = (1.0, 10000.0)
RATE_TICKS: Final = (0.0025, 0.01, 0.03, 0.1, 0.3, 1.0, 4.0)
CONDITION_TICKS: Final = (1.0, 10.0, 100.0, 1000.0, 10000.0)
AXIS_LABELS: Final = {
    "rate": "peak rate ηλmax",
    "condition": "condition number κ",
    "schedule": "learning-rate schedule",
}


@dataclass(frozen=True, kw_only=True)
class Side:
    """One axis as it is drawn, in positions; `names` are those of its lines of cells."""

    name: str
    title: str
    count: int
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    names: tuple[str, ...]


def axis_for(name: str, scenario: Scenario) -> MapAxis:
    """Return an axis of the map with its 41 cells, or with all schedules."""
    if name == "value":
        swept = swept_of(scenario.optimizer)
        return MapAxis(name=name, points=tuple(np.linspace(swept.low, swept.high, CELLS)))
    if name == "schedule":
        own = scenario.schedule
        families = [family for family in SCHEDULES if family not in ("custom", own.family)]
        # In the order of the list, with the reader's own parameters for the family in use.
        given = {family: Schedule(family=family) for family in families} | {own.family: own}
        return MapAxis(
            name=name, schedules=tuple(given[f] for f in reversed(tuple(SCHEDULES)) if f in given)
        )
    low, high = RATES if name == "rate" else CONDITIONS
    return MapAxis(name=name, points=tuple(np.geomspace(low, high, CELLS)))


def common(scenario: Scenario, x: MapAxis, y: MapAxis) -> Scenario:
    """Return the scenario with what the axes vary put to one value: the map does not depend on it.

    >>> axes = axis_for("value", Scenario()), axis_for("rate", Scenario())
    >>> common(Scenario(learning_rate=0.1), *axes) == common(Scenario(learning_rate=0.2), *axes)
    True
    """
    names = {x.name, y.name}
    if "rate" in names:
        scenario = replace(scenario, learning_rate=1.0)
    if "condition" in names:
        scenario = replace(scenario, curvature=replace(scenario.curvature, condition_number=10.0))
    if "schedule" in names:
        scenario = replace(scenario, schedule=Schedule())
    return scenario


def side(axis: MapAxis, scenario: Scenario) -> Side:
    """Return how an axis is drawn."""
    title = AXIS_LABELS.get(axis.name) or swept_of(scenario.optimizer).title
    if axis.name == "schedule":
        ticks = np.arange(len(axis), dtype=np.float64)
        texts = tuple(SCHEDULES[schedule.family].label for schedule in axis.schedules)
    else:
        marks = np.arange(11) / 10
        if axis.log:
            marks = np.array(RATE_TICKS if axis.name == "rate" else CONDITION_TICKS)
        marks = marks[(marks >= axis.points[0]) & (marks <= axis.points[-1])]
        ticks, texts = axis.position(marks), tuple(f"{mark:g}" for mark in marks)
    swept = swept_of(scenario.optimizer)
    return Side(
        name=axis.name,
        title=title,
        count=len(axis),
        ticks=tuple(ticks),
        texts=texts,
        names=tuple(place_name(axis, n, swept.symbol) for n in range(len(axis))),
    )


def place_name(axis: MapAxis, n: int, symbol: str) -> str:
    """Return what a line of cells stands for, such as "κ = 10"."""
    if axis.name == "schedule":
        return SCHEDULES[axis.schedules[n].family].label
    if axis.name == "value":
        return f"{symbol} = {axis.points[n]:.3g}"
    return f"{'ηλmax' if axis.name == 'rate' else 'κ'} = {axis.points[n]:.3g}"
