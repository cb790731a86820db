"""The axes of a map: what can be varied, where the cells stand, and where training is unstable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core.curvature import CONDITIONED
from momentdp_core.errors import FloatArray, InputError, check_choice, check_vector
from momentdp_core.places import Places, limits_of, places_of, scenario_with
from momentdp_core.scenario import Scenario
from momentdp_core.schedules import Schedule

# What can be on an axis; "value" is the optimizer's swept parameter.
AXIS_NAMES = ("value", "rate", "condition", "schedule")
# Points of a curved line.
LINE_POINTS = 200


@dataclass(frozen=True, kw_only=True)
class MapAxis:
    """One axis of a map.

    Args:
        name: one of AXIS_NAMES.
        points: where its lines of cells stand, ascending; rate and condition number above 0 and
            on a logarithmic axis. Empty for schedules.
        schedules: the schedules of a "schedule" axis.

    Raises:
        InputError: an unknown name, or points that are not ascending.

    >>> MapAxis(name="rate", points=(0.1, 1.0)).at(np.array([0.5])).round(3)
    array([0.316])
    """

    name: str
    points: tuple[float, ...] = ()
    schedules: tuple[Schedule, ...] = ()

    def __post_init__(self) -> None:
        check_choice("axis", self.name, AXIS_NAMES)
        if self.name == "schedule":
            points = np.arange(len(self.schedules), dtype=np.float64)
            object.__setattr__(self, "points", tuple(points.tolist()))
        lines = check_vector(self.name, self.points, low=0)
        ascending = (np.diff(lines) > 0).all() and not (self.log and lines[0] <= 0)
        if len(lines) < 2 or not ascending:
            raise InputError(
                self.name, self.points, "two or more ascending points", "Sort them first."
            )
        object.__setattr__(self, "points", tuple(lines.tolist()))

    @property
    def log(self) -> bool:
        """Whether the axis is logarithmic."""
        return self.name in ("rate", "condition")

    def __len__(self) -> int:
        return len(self.points)

    def at(self, position: FloatArray) -> FloatArray:
        """Return the value at positions counted in lines, 0 … len − 1."""
        lines = np.array(self.points)
        index = np.arange(len(lines))
        if self.log:
            return np.asarray(np.exp(np.interp(position, index, np.log(lines))))
        return np.asarray(np.interp(position, index, lines))

    def position(self, value: FloatArray) -> FloatArray:
        """Return the position of values, the inverse of `at`."""
        lines = np.array(self.points)
        index = np.arange(len(lines))
        if self.log:
            return np.asarray(np.interp(np.log(value), np.log(lines), index))
        return np.asarray(np.interp(value, lines, index))


def check_axes(scenario: Scenario, *axes: MapAxis) -> None:
    """Raise InputError where an axis cannot vary this scenario."""
    names = [axis.name for axis in axes]
    for axis in axes:
        if names.count(axis.name) > 1:
            raise InputError("axis", axis.name, "two different axes", "Choose another one.")
        if axis.name == "value":
            scenario.optimizer.check(axis.points)
        if axis.name == "condition" and scenario.curvature.family not in CONDITIONED:
            raise InputError(
                "axis",
                axis.name,
                f"another axis with the {scenario.curvature.family} spectrum",
                "That spectrum has no condition number: choose another spectrum or axis.",
            )


@dataclass(frozen=True, kw_only=True, eq=False)
class Slice:
    """The places of a map that share a schedule.

    Args:
        scenario: with that schedule.
        index: which points of the list they are, shape (N,).
        places: the settings, shape (N,).
    """

    scenario: Scenario
    index: NDArray[np.int64]
    places: Places


def slices_at(
    scenario: Scenario, value: float, axes: tuple[MapAxis, ...], positions: tuple[FloatArray, ...]
) -> list[Slice]:
    """Return the places at positions along the axes, split by schedule.

    >>> axis = MapAxis(name="rate", points=(0.1, 1.0))
    >>> slices_at(Scenario(), 0.5, (axis,), (np.zeros(1),))[0].places.rates
    array([0.1])
    """
    given: dict[str, FloatArray] = {
        axis.name: axis.at(position) for axis, position in zip(axes, positions, strict=True)
    }
    count = len(positions[0])
    row = given.pop("schedule", np.zeros(count))
    places = places_of(
        scenario,
        values=np.broadcast_to(given.get("value", np.array(value)), count),
        rates=given.get("rate"),
        conditions=given.get("condition"),
    )
    found = []
    for number in np.unique(row):
        index = np.flatnonzero(row == number)
        own = scenario
        for axis in axes:
            if axis.name == "schedule":
                own = scenario_with(scenario, {"schedule": axis.schedules[int(number)]})
        found.append(Slice(scenario=own, index=index, places=places.part(index)))
    return found


def grid_positions(x: MapAxis, y: MapAxis) -> tuple[FloatArray, FloatArray]:
    """Return the positions of all cells, line by line, each shape (Y·X,).

    >>> axis = MapAxis(name="rate", points=(0.1, 1.0))
    >>> grid_positions(axis, axis)[0]
    array([0., 1., 0., 1.])
    """
    columns, rows = np.meshgrid(np.arange(float(len(x))), np.arange(float(len(y))))
    return columns.ravel(), rows.ravel()


def limit_lines(scenario: Scenario, value: float, x: MapAxis, y: MapAxis) -> tuple[FloatArray, ...]:
    """Return the limit of stability as lines of positions (x, y), each (P, 2); may be empty.

    The peak rate η max χ meets the optimizer's analytic limit of a constant rate.

    Source: theory of this project, "Stability".

    >>> value, rate = (MapAxis(name="value", points=(0.0, 0.5)),
    ...                MapAxis(name="rate", points=(1.0, 4.0)))
    >>> line = limit_lines(Scenario(), 0.0, value, rate)[0]
    >>> rate.at(line[[0, -1], 1]).round(9)
    array([2., 3.])
    """
    names = (x.name, y.name)
    if "schedule" in names:
        rows = y if y.name == "schedule" else x
        other = x if y.name == "schedule" else y
        found = []
        for row, schedule in enumerate(rows.schedules):
            own = scenario_with(scenario, {"schedule": schedule})
            for place in _limits_along(own, value, other):
                ends = np.array([row - 0.5, row + 0.5])
                pair = (np.full(2, place), ends)
                found.append(np.column_stack(pair if y.name == "schedule" else pair[::-1]))
        return tuple(found)
    along, across = (y, x) if x.name == "rate" else (x, y)
    position = np.linspace(0, len(along) - 1, LINE_POINTS)
    if across.name != "rate":  # value and condition number: the rate is given
        swept, other = (x, y) if x.name == "value" else (y, x)
        ends = np.array([0.0, len(other) - 1.0])
        lines = [(np.full(2, place), ends) for place in _limits_along(scenario, value, swept)]
        return tuple(np.column_stack(p if swept is x else p[::-1]) for p in lines)
    values = along.at(position) if along.name == "value" else np.full(LINE_POINTS, value)
    rates = limits_of(scenario.optimizer, values) / max(scenario.multipliers.max(), 1e-300)
    inside = (rates >= across.points[0]) & (rates <= across.points[-1])
    if not inside.any():
        return ()
    line = (position[inside], across.position(rates[inside]))
    return (np.column_stack(line if along is x else line[::-1]),)


def _limits_along(scenario: Scenario, value: float, axis: MapAxis) -> list[float]:
    """Return the positions along one axis at which the setting turns unstable, or stable."""
    peak = scenario.multipliers.max()
    if axis.name == "condition":
        return []
    if axis.name == "rate":
        limit = limits_of(scenario.optimizer, np.array([value]))[0] / max(peak, 1e-300)
        inside = axis.points[0] < limit < axis.points[-1]
        return [float(axis.position(np.array([limit]))[0])] if inside else []

    def stable(position: FloatArray) -> NDArray[np.bool_]:
        limits = limits_of(scenario.optimizer, axis.at(position))
        return np.asarray(scenario.learning_rate * peak < limits)

    lines = np.arange(float(len(axis)))
    settled = stable(lines)
    found = []
    for k in np.flatnonzero(settled[:-1] != settled[1:]):
        low, high = float(k), float(k + 1)
        while high - low > 1e-9:
            middle = (low + high) / 2
            if stable(np.array([middle]))[0] == settled[k]:
                low = middle
            else:
                high = middle
        found.append(high)
    return found
