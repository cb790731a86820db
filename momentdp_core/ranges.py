"""One mechanism for several conditions: the least mean damage, or the least worst case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from momentdp_core.best import (
    BANDED_GAP,
    FULL_GAP,
    Solution,
    check_bands,
    relative_gap,
    solve_factor,
)
from momentdp_core.errors import FloatArray, InputError, check_real, check_vector, read_only
from momentdp_core.mechanisms import Mechanism, SolverReport
from momentdp_core.mechanisms.optimal import criterion, solve_optimal
from momentdp_core.mechanisms.optimal_worst import (
    WorstCase,
    solve_worst,
    solve_worst_banded,
    stacked,
)
from momentdp_core.participation import Sensitivity, strategy_sensitivity
from momentdp_core.scenario import Scenario
from momentdp_core.workload import one_value, workload_factor

Condition = tuple[Scenario, float]
# Of a criterion's largest eigenvalue.
NEGLIGIBLE = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class RangeDesign:
    """A mechanism designed for n conditions at once.

    Args:
        conditions: the (scenario, swept value) pairs.
        weights: w_c ≥ 0, Σw = 1, shape (n,): as given, or those that prove the worst case.
        worst_case: whether max_c was minimised rather than Σ w_c.
        relative: whether each damage counts as a multiple of `best`.
        path_share: ρ, how much the mean damage over all steps counted beside the final one.
        bands: b, or None for the full design.
        mechanism: the design, sensitivity 1; its key is "optimal" or "optimal_banded".
        sensitivity: its sensitivity under the conditions' participation.
        damage: D in each condition at the calibrated noise, shape (n,), loss units.
        best: in each condition alone no mechanism of one participation has a smaller D, (n,).
        objective: what was minimised, for a single participation.
        bound: no mechanism (with these bands) has a smaller objective.
        converged: whether the gap is at most 1 % (full) or 3 % (banded).
    """

    conditions: tuple[Condition, ...]
    weights: FloatArray
    worst_case: bool
    relative: bool
    bands: int | None
    mechanism: Mechanism
    sensitivity: Sensitivity
    damage: FloatArray
    best: FloatArray
    objective: float
    bound: float
    converged: bool
    path_share: float = 0.0

    @property
    def gap(self) -> float:
        """objective/bound − 1: at most this much is left to gain."""
        return relative_gap(self.objective, self.bound)


def range_design(
    conditions: Iterable[Condition],
    weights: object = None,
    worst_case: bool = False,
    bands: int | None = None,
    relative: bool = False,
    path_share: float = 0.0,
) -> RangeDesign:
    """Return one mechanism for several conditions.

    Mean: min tr(Σ_c w_c Q_c X⁻¹), the problem of one condition with an averaged Q. Worst case:
    min max_c tr(Q_c X⁻¹). With `relative`, Q_c is divided by its own certified optimum, so that
    no condition counts more because its damage is larger. With ρ = `path_share`, Q_c gains ρ times
    the criterion of the mean damage over all steps, scaled to the same optimum: a design for the
    final loss alone may let noise pile up on the way and rely on the curvature to take it back.

    Args:
        conditions: (scenario, swept value) pairs of one horizon and one participation.
        weights: w_c ≥ 0, one a condition, not all zero; equal if left out. Not for the worst case.
        worst_case: minimise the largest damage instead of the mean.
        bands: b ≥ 1; None for the full design.
        relative: count multiples of each condition's optimum.
        path_share: ρ ≥ 0; 0 for the final loss alone.

    Raises:
        InputError: no condition, conditions that do not fit together, or a value out of range.

    Source: theory of this project ("A design for a range of conditions").

    >>> pairs = [(Scenario(horizon=16), 0.8), (Scenario(horizon=16), 0.95)]
    >>> design = range_design(pairs, worst_case=True, relative=True)
    >>> design.converged, bool((design.damage / design.best).max() < 1.2)
    (True, True)
    """
    pairs = _checked(conditions)
    horizon = pairs[0][0].horizon
    count = check_bands(bands, horizon)
    share = _checked_weights(weights, len(pairs), worst_case)
    path = check_real("path_share", path_share, low=0)
    factors = [workload_factor(scenario, value) for scenario, value in pairs]
    best = np.array([solve_optimal(factor)[1].bound for factor in factors])
    scales = np.where(best > 0, best, 1.0) if relative else np.ones(len(pairs))
    counted = [
        _with_path(condition, factor, bound, path)
        for condition, factor, bound in zip(pairs, factors, best, strict=True)
    ]
    scaled = [f / np.sqrt(scale) for f, scale in zip(counted, scales, strict=True)]
    live = [c for c, factor in enumerate(scaled) if factor.any()]
    if worst_case and live:
        parts = [scaled[c] for c in live]
        worst = solve_worst(parts) if count is None else solve_worst_banded(parts, count)
        share = np.zeros(len(pairs))
        share[live] = worst.weights
        mechanism, objective, bound = _of_worst(worst, count)
    else:
        solution: Solution = solve_factor(stacked(scaled, share), count)
        mechanism, objective, bound = solution.mechanism(), solution.value, solution.bound
    first = pairs[0][0]
    reach = strategy_sensitivity(mechanism.strategy, first.participations, first.min_separation)
    square = reach.value**2 if first.participations > 1 else 1.0
    return RangeDesign(
        conditions=pairs,
        weights=read_only(share),
        worst_case=worst_case,
        relative=relative,
        bands=count,
        mechanism=mechanism,
        sensitivity=reach,
        damage=read_only(
            np.array([square * criterion(mechanism.strategy, factor) for factor in factors])
        ),
        best=read_only(best),
        objective=objective,
        bound=bound,
        converged=mechanism.report.converged,
        path_share=path,
    )


def _with_path(condition: Condition, final: FloatArray, best: float, share: float) -> FloatArray:
    """Return a factor of Q + ρ (best/best on the way) Q of the mean damage over all steps."""
    if share == 0 or best <= 0:
        return final
    way, floor = path_criterion(*condition)
    rows = np.concatenate([final, np.sqrt(share * best / floor) * way])
    values, vectors = np.linalg.eigh(rows.T @ rows)
    # A smaller criterion keeps every bound valid, and few rows keep the solver fast.
    kept = values > NEGLIGIBLE * values[-1]
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors.T[kept])


@lru_cache(maxsize=32)
def path_criterion(scenario: Scenario, value: float) -> tuple[FloatArray, float]:
    """Return a factor of the mean damage over all steps, and what no mechanism can beat in it.

    >>> way, floor = path_criterion(Scenario(horizon=4), 0.5)
    >>> bool(0 < floor < (way**2).sum())
    True
    """
    even = np.full(scenario.horizon, 1 / scenario.horizon)
    way = workload_factor(scenario, value, even)
    return way, solve_optimal(way)[1].bound


def _of_worst(worst: WorstCase, bands: int | None) -> tuple[Mechanism, float, float]:
    objective = float(worst.values.max())
    bound = min(worst.bound, objective)
    allowed = FULL_GAP if bands is None else BANDED_GAP
    report = SolverReport(
        objective=objective,
        lower_bound=bound,
        iterations=worst.iterations,
        converged=relative_gap(objective, bound) <= allowed,
    )
    key = "optimal" if bands is None else "optimal_banded"
    return Mechanism(key=key, strategy=worst.strategy, report=report), objective, bound


def _checked(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    pairs = tuple(
        (scenario, float(one_value(scenario, value)[0])) for scenario, value in conditions
    )
    if not pairs:
        raise InputError(
            "conditions", (), "at least one (scenario, value) pair", "Give one or more."
        )
    for name in ("horizon", "participations", "min_separation"):
        values = sorted({getattr(scenario, name) for scenario, _ in pairs})
        if len(values) > 1:
            raise InputError(
                "conditions",
                values,
                f"one {name} for all of them",
                "Design for each of them on its own.",
            )
    return pairs


def _checked_weights(weights: object, count: int, worst_case: bool) -> FloatArray:
    if weights is None:
        return np.full(count, 1 / count)
    if worst_case:
        raise InputError(
            "weights", weights, "none for the worst case", "Leave them out: it finds its own."
        )
    given = check_vector("weights", weights, low=0, length=count)
    if not given.any():
        raise InputError("weights", given.tolist(), "at least one above 0", "Raise one of them.")
    return np.asarray(given / given.sum())
