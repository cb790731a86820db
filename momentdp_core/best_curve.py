"""The least damage along a sweep: a new design at every value, each starting the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from momentdp_core.best import (
    Solution,
    check_bands,
    damage_bound,
    relative_gap,
    solve_factor,
)
from momentdp_core.errors import FloatArray, InputError, read_only
from momentdp_core.scenario import Scenario
from momentdp_core.workload import workload_factor

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class OptimalCurve:
    """The least damage along a sweep, a new design at every value.

    Args:
        scenario: the problem.
        values: swept parameter, shape (M,).
        bands: b, or None.
        damage: what the designs reach, shape (M,); +inf where the numbers overflow.
        bound: what no mechanism can beat, shape (M,); +inf where the numbers overflow.
        converged: shape (M,); False where the numbers overflow.
    """

    scenario: Scenario
    values: FloatArray
    bands: int | None
    damage: FloatArray
    bound: FloatArray
    converged: BoolArray

    @cached_property
    def gap(self) -> FloatArray:
        """D/bound − 1, shape (M,); 0 where both are 0, +inf where the numbers overflow."""
        pairs = zip(self.damage, self.bound, strict=True)
        gaps = [relative_gap(d, b) if np.isfinite(d) else np.inf for d, b in pairs]
        return read_only(np.array(gaps))


def optimal_curve(
    scenario: Scenario, values: object, bands: int | None = None, weights: object = None
) -> OptimalCurve:
    """Return the least damage at each value of the swept parameter, with its bound.

    As `optimal_design` at every value; each solution starts the next, so neighbours should be
    close to one another.

    Args:
        scenario: the problem, T ≤ 4096.
        values: swept parameter, shape (M,).
        bands: b ≥ 1; None for full designs.
        weights: trajectory weights, or None.

    Raises:
        InputError: out of range.

    Source: theory of this project ("The best mechanism for an optimizer").

    >>> curve = optimal_curve(Scenario(horizon=16), [0.0, 0.5])
    >>> bool((curve.bound <= curve.damage).all())
    True
    """
    *_, curve = optimal_curve_stages(scenario, values, bands, weights)
    return curve


def optimal_curve_stages(
    scenario: Scenario, values: object, bands: int | None = None, weights: object = None
) -> Iterator[OptimalCurve]:
    """Yield the curve of the first value, of the first two, and so on up to all of them.

    Args, Raises: as for `optimal_curve`; what is wrong is raised with the first one.

    >>> [len(c.values) for c in optimal_curve_stages(Scenario(horizon=4), [0.0, 0.5])]
    [1, 2]
    """
    count = check_bands(bands, scenario.horizon)
    swept = scenario.optimizer.check(values)
    damage, bound = np.full((2, len(swept)), np.inf)
    converged = np.zeros(len(swept), dtype=np.bool_)
    last: Solution | None = None
    for m, value in enumerate(swept):
        factor = _finite_factor(scenario, float(value), weights)
        if factor is not None:
            last = solve_factor(factor, count, last)
            square = 1.0
            if scenario.participations > 1:
                square = last.sensitivity(scenario).value ** 2
            damage[m] = square * last.value
            bound[m] = damage_bound(scenario, factor, last)
            converged[m] = last.converged
        known = converged[: m + 1].copy()
        known.setflags(write=False)
        yield OptimalCurve(
            scenario=scenario,
            values=read_only(swept[: m + 1].copy()),
            bands=count,
            damage=read_only(damage[: m + 1].copy()),
            bound=read_only(bound[: m + 1].copy()),
            converged=known,
        )


def _finite_factor(scenario: Scenario, value: float, weights: object) -> FloatArray | None:
    try:
        return workload_factor(scenario, value, weights)
    except InputError as error:
        if error.argument != scenario.optimizer.parameter:
            raise
        return None
