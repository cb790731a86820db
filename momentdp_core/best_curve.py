"""The least damage along a sweep: a new design at every value, each starting the next.

Banded designs take longer. They are solved for at every eighth value; in between the two solutions
are mixed, which leaves a design and a bound as good as theirs, or else there is a solution there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from momentdp_core.best import (
    BANDED_GAP,
    Solution,
    check_bands,
    damage_bound,
    relative_gap,
    solve_factor,
)
from momentdp_core.errors import FloatArray, InputError, read_only
from momentdp_core.mechanisms.banded_mix import mixed_solution
from momentdp_core.scenario import Scenario
from momentdp_core.workload import workload_factor

BoolArray = NDArray[np.bool_]

# Banded designs are solved for at every so many values.
STRIDE = 8
# In between a mix will do with a gap of so much, or this many times that of the two beside it.
MIXED_GAP, ALLOWANCE = 0.012, 1.05


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

    With bands, several values come at once.

    Args, Raises: as for `optimal_curve`; what is wrong is raised with the first one.

    >>> [len(c.values) for c in optimal_curve_stages(Scenario(horizon=4), [0.0, 0.5])]
    [1, 2]
    """
    count = check_bands(bands, scenario.horizon)
    swept = scenario.optimizer.check(values)
    damage, bound = np.full((2, len(swept)), np.inf)
    converged = np.zeros(len(swept), dtype=np.bool_)

    # One at a time, and those of a block again: with trajectory weights a factor is T×T.
    @lru_cache(maxsize=STRIDE + 1)
    def factor_of(m: int) -> FloatArray | None:
        return _finite_factor(scenario, float(swept[m]), weights)

    done = 0
    for found in (
        _full(factor_of, len(swept)) if count is None else _banded(factor_of, len(swept), count)
    ):
        for m, solution in enumerate(found, done):
            factor = factor_of(m)
            if factor is not None and solution is not None:
                square = 1.0
                if scenario.participations > 1:
                    square = solution.sensitivity(scenario).value ** 2
                damage[m] = square * solution.value
                bound[m] = damage_bound(scenario, factor, solution)
                converged[m] = solution.converged
        done += len(found)
        known = converged[:done].copy()
        known.setflags(write=False)
        yield OptimalCurve(
            scenario=scenario,
            values=read_only(swept[:done].copy()),
            bands=count,
            damage=read_only(damage[:done].copy()),
            bound=read_only(bound[:done].copy()),
            converged=known,
        )


Factors = Callable[[int], FloatArray | None]
Solutions = list[Solution | None]


def _full(factor_of: Factors, count: int) -> Iterator[Solutions]:
    """Yield the full designs one by one, None where there is no factor."""
    last: Solution | None = None
    for m in range(count):
        factor = factor_of(m)
        if factor is not None:
            last = solve_factor(factor, None, last)
        yield [last if factor is not None else None]


def _banded(factor_of: Factors, count: int, bands: int) -> Iterator[Solutions]:
    """Yield the first banded design, then several at once, None where there is no factor."""
    known: dict[int, Solution] = {}
    done = 0
    while done < count:
        solved = list(known)  # the last one
        places, end = list(solved), done
        while end < count and len(places) < len(solved) * STRIDE + 1:
            if factor_of(end) is not None:
                places.append(end)
            end += 1
        if len(places) > len(solved):
            last = places[-1]
            start = known[solved[0]] if solved else None
            known[last] = solve_factor(_given(factor_of(last)), bands, start)
            _fill(factor_of, places, bands, known)
            solved = [last]
        yield [known.get(m) for m in range(done, end)]
        known = {m: known[m] for m in solved}
        done = end


def _fill(factor_of: Factors, places: list[int], bands: int, known: dict[int, Solution]) -> None:
    """Find the designs between the first place and the last, which have theirs."""
    if len(places) < 3:
        return
    first, last = known[places[0]], known[places[-1]]
    worse = max(relative_gap(end.value, end.bound) for end in (first, last))
    allowed = min(max(MIXED_GAP, ALLOWANCE * worse), BANDED_GAP)
    middle = len(places) // 2
    found = {}
    # The middle one is the worst: if it will not do, no other one needs to be tried.
    for m in (places[middle], *places[1:middle], *places[middle + 1 : -1]):
        found[m] = _between(_given(factor_of(m)), first, last)
        if relative_gap(found[m].value, found[m].bound) > allowed:
            break
    else:
        known.update(found)
        return
    between = places[middle]
    known[between] = solve_factor(_given(factor_of(between)), bands, found[between])
    _fill(factor_of, places[: middle + 1], bands, known)
    _fill(factor_of, places[middle:], bands, known)


def _between(factor: FloatArray, first: Solution, second: Solution) -> Solution:
    assert first.banded is not None
    assert second.banded is not None
    mixed = mixed_solution(factor, first.banded, second.banded)
    return Solution(
        strategy=mixed.strategy,
        value=mixed.value,
        bound=mixed.bound,
        iterations=0,
        weights=first.weights,
        banded=mixed,
    )


def _given(factor: FloatArray | None) -> FloatArray:
    assert factor is not None
    return factor


def _finite_factor(scenario: Scenario, value: float, weights: object) -> FloatArray | None:
    try:
        return workload_factor(scenario, value, weights)
    except InputError as error:
        if error.argument != scenario.optimizer.parameter:
            raise
        return None
