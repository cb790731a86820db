"""Study: everything a scenario says along a sweep of the optimizer's parameter, in one record."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from momentdp_core.crossover import (
    Crossover,
    Region,
    find_crossovers,
    is_stable,
    winner_regions,
)
from momentdp_core.damage import CONTRACTION_HORIZON, sweep
from momentdp_core.errors import FloatArray, InputError, read_only
from momentdp_core.ranking import IntArray, ranks, regret
from momentdp_core.scenario import Scenario
from momentdp_core.scores import MechanismScores, mechanism_scores
from momentdp_core.stability import growth_over_schedule

BoolArray = NDArray[np.bool_]
# Cells, from the first to the last value, in which crossovers are looked for.
SEARCH_CELLS = 100
# The edge of stability is narrowed by cutting its cell into so many parts, so many times: 2^-60.
EDGE_PARTS, EDGE_ROUNDS = 8, 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Study:
    """The damages of n mechanisms at M values of the swept parameter, and what is read off them.

    Args:
        scenario: what was evaluated.
        values: of the optimizer's swept parameter (μ for heavy ball), ascending, shape (M,).
        mechanisms: the n keys, in the scenario's order.
        damage: D, shape (n, M), loss units; +inf where the numbers overflow, never NaN.
        rank: 1 is best, ties share, 0 where there is no rank (unstable); shape (n, M).
        stable: whether the damage may be ranked, shape (n, M).
        stability_limit: the ηλmax at which each value stops being stable, shape (M,).
        crossovers: all sign changes of all pairs, refined.
        regions: winner regions along the swept parameter, edges refined.
    """

    scenario: Scenario
    values: FloatArray
    mechanisms: tuple[str, ...]
    damage: FloatArray
    rank: IntArray
    stable: BoolArray
    stability_limit: FloatArray
    crossovers: tuple[Crossover, ...]
    regions: tuple[Region, ...]

    @cached_property
    def winners(self) -> tuple[tuple[str, ...], ...]:
        """Keys that share rank 1 at each value; empty where unstable."""
        return tuple(
            tuple(key for key, place in zip(self.mechanisms, column, strict=True) if place == 1)
            for column in self.rank.T
        )

    @cached_property
    def regret(self) -> FloatArray:
        """D/min D − 1, shape (n, M); inf where there is no rank."""
        masked = np.where(self.stable, self.damage, np.inf)
        return read_only(np.where(self.rank > 0, regret(masked), np.inf))

    @cached_property
    def growth(self) -> FloatArray:
        """Largest growth of a starting error over the schedule without noise, shape (M,)."""
        return growth_over_schedule(self.scenario, self.values)

    @cached_property
    def scores(self) -> MechanismScores:
        """The momentum-blind scores of the mechanisms."""
        return mechanism_scores(self.scenario)

    @property
    def noise_multiplier(self) -> float:
        """σ."""
        return self.scenario.noise_multiplier

    def at(self, value: float) -> int:
        """Return the column of `value`, which must be one of `values`.

        Raises:
            InputError: it is not on the grid.
        """
        column = int(np.argmin(np.abs(self.values - value)))
        if abs(self.values[column] - value) > 1e-9:
            raise InputError(
                self.scenario.optimizer.parameter,
                value,
                "one of the study's values",
                "Evaluate it in the study.",
            )
        return column


def evaluate(scenario: Scenario, values: object) -> Study:
    """Return the study of a scenario along these values of its optimizer's swept parameter.

    Damage by the contraction route for T ≤ 1024, else by the norm route. Crossovers and winner
    regions lie between the first and the last value. For T ≤ 1024 they are looked for on a
    grid of at least 100 cells, denser beside the edge of stability, however few values are asked
    for; beyond that only on the values themselves.

    Args:
        scenario: the problem and its mechanisms.
        values: ascending without repeats, in the parameter's range (0 ≤ μ < 1 for heavy ball),
            shape (M,).

    Raises:
        InputError: values out of range or not ascending, or a mechanism that has no design here.

    Source: MOMENT-DP, Eq. (3), Sections 2.2 and 3.

    >>> from momentdp_core.curvature import Curvature
    >>> study = evaluate(Scenario(curvature=Curvature(condition_number=10)), [0.0, 0.5, 0.9])
    >>> study.winners
    (('noisecurve',), ('dense',), ('dense',))
    """
    optimizer = scenario.optimizer
    grid = optimizer.check(values)
    if (np.diff(grid) <= 0).any():
        raise InputError(
            optimizer.parameter,
            grid.tolist(),
            "ascending values without repeats",
            "Sort them first.",
        )
    # Before anything is designed: an optimizer that does not fit the horizon says so here.
    optimizer.system(eigenvalues=scenario.eigenvalues, rates=scenario.step_sizes, values=grid[:1])
    edges = _stability_edges(scenario, grid)
    search = _search_grid(scenario, grid, edges)
    table = sweep(scenario, search)
    damages = table[:, np.searchsorted(search, grid)]
    limits = optimizer.stability_limit(grid)
    stable = is_stable(scenario, limits) & np.isfinite(damages)
    settled = is_stable(scenario, optimizer.stability_limit(search))
    crossovers = find_crossovers(scenario, search, table, settled)
    return Study(
        scenario=scenario,
        values=grid,
        mechanisms=scenario.mechanisms,
        damage=read_only(damages),
        rank=ranks(np.where(stable, damages, np.inf)),
        stable=stable,
        stability_limit=read_only(limits / max(scenario.multipliers.max(), 1e-300)),
        crossovers=crossovers,
        regions=winner_regions(scenario, grid, crossovers, edges),
    )


def _search_grid(scenario: Scenario, grid: FloatArray, edges: tuple[float, ...]) -> FloatArray:
    """Return the values on which crossovers are looked for: the grid, refined."""
    if scenario.horizon > CONTRACTION_HORIZON or len(grid) < 2:
        return grid
    span = float(grid[-1] - grid[0])
    pieces = np.ceil(np.diff(grid) / (span / SEARCH_CELLS) - 1e-6).astype(int)
    points = [
        start + (stop - start) * np.arange(count) / count
        for start, stop, count in zip(grid[:-1], grid[1:], np.maximum(pieces, 1), strict=True)
    ]
    # Beside the edge of stability the damage grows without bound, and orders change fast.
    beside = [
        edge + side * span * 10.0 ** -np.arange(2, 7) for edge in edges for side in (-1.0, 1.0)
    ]
    found: FloatArray = np.unique(np.concatenate([*points, *beside, grid]))
    inside = (found >= grid[0]) & (found <= grid[-1])
    return np.asarray(found[inside], dtype=np.float64)


def _stability_edges(scenario: Scenario, grid: FloatArray) -> tuple[float, ...]:
    """Return where along the grid the peak rate meets the limit, bisected to rounding."""
    optimizer = scenario.optimizer
    settled = is_stable(scenario, optimizer.stability_limit(grid))
    edges = []
    for k in np.flatnonzero(settled[:-1] != settled[1:]):
        low, high = float(grid[k]), float(grid[k + 1])
        for _ in range(EDGE_ROUNDS):
            ends = np.linspace(low, high, EDGE_PARTS + 1)
            same = is_stable(scenario, optimizer.stability_limit(ends[1:-1])) == settled[k]
            part = EDGE_PARTS - 1 if same.all() else int(np.argmin(same))
            low, high = float(ends[part]), float(ends[part + 1])
        edges.append(high)
    return tuple(edges)
