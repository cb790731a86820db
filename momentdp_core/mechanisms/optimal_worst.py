"""The mechanism whose worst damage over several conditions is least, with a bound.

min over X of max_c tr(Q_c X⁻¹) is convex in X and concave in weights on the conditions, so for any
weights w ≥ 0 with Σw = 1 the best mechanism for Σ w_c Q_c bounds the worst case from below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.banded import BandLayout, minimise
from momentdp_core.mechanisms.dense import reversed_cholesky
from momentdp_core.mechanisms.noisecurve import SMALLEST_SCALE
from momentdp_core.mechanisms.optimal import DualWeights, criterion, solve_optimal
from momentdp_core.mechanisms.optimal_banded import (
    CENTRAL,
    PRECISION,
    Objective,
    RowCriterion,
    banded_bound,
    barrier_objective,
)
from momentdp_core.mechanisms.structures import (
    BandedStrategy,
    DenseStrategy,
    Strategy,
    unit_columns,
)

MAX_ROUNDS = 80
# The rounds stop at this relative gap.
WORST_GAP = 3e-3
# A condition's damage falls about as the root of its weight: 2 undoes that.
STEP = 2
SMALLEST_WEIGHT = 1e-9
# Barrier weight, iterations and power of the smoothed maximum, one stage after the other.
STAGES = ((1e-1, 100, 16.0), (CENTRAL, 300, 64.0), (CENTRAL, 300, 512.0), (1e-3, 200, 4096.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class WorstCase:
    """A strategy for several conditions and what bounds its worst case.

    Args:
        strategy: C, unit columns.
        values: ‖L_c C⁻¹‖²_F of each condition, shape (n,).
        bound: no C (with these bands) has a smaller largest value.
        weights: w_c ≥ 0, Σw = 1, that prove it, shape (n,).
        iterations: of the solver.
    """

    strategy: Strategy
    values: FloatArray
    bound: float
    weights: FloatArray
    iterations: int


def solve_worst(factors: Sequence[FloatArray]) -> WorstCase:
    """Minimise max_c ‖L_c C⁻¹‖²_F over all C with unit columns.

    Multiplicative weights: w_c ∝ w_c D_c(X_w)², with X_w the best for Σ w_c Q_c. Both X_w and
    the running mean of all X_w are candidates.

    Args:
        factors: L_c, each of shape (r_c, T), not all zero.

    Source: theory of this project ("A design for a range of conditions"); Arora, Hazan and Kale
    (2012) for multiplicative weights.

    >>> worst = solve_worst([np.array([[2.0, 0.0]]), np.array([[0.0, 1.0]])])
    >>> bool(abs(worst.values.max() - 4) < 0.02), bool(worst.bound <= 4)
    (True, True)
    """
    weights = np.full(len(factors), 1 / len(factors))
    best: tuple[float, Strategy, FloatArray] | None = None
    bound, proof = 0.0, weights
    mean: FloatArray | None = None
    last: DualWeights | None = None
    rounds = 0
    while rounds < MAX_ROUNDS:
        rounds += 1
        strategy, last = solve_optimal(stacked(factors, weights), last)
        if last.bound > bound:
            bound, proof = last.bound, weights
        gram = strategy.matrix.T @ strategy.matrix
        mean = gram if mean is None else mean + (gram - mean) * 2 / (rounds + 1)
        values = _values(strategy, factors)
        middle = DenseStrategy(matrix=unit_columns(reversed_cholesky(mean)))
        for candidate, reached in ((strategy, values), (middle, _values(middle, factors))):
            if best is None or reached.max() < best[0]:
                best = (float(reached.max()), candidate, reached)
        assert best is not None
        if best[0] <= bound * (1 + WORST_GAP):
            break
        weights = np.maximum(weights * (values / values.max()) ** STEP, SMALLEST_WEIGHT)
        weights = weights / weights.sum()
    assert best is not None
    return WorstCase(
        strategy=best[1], values=best[2], bound=bound, weights=proof, iterations=rounds
    )


def solve_worst_banded(factors: Sequence[FloatArray], bands: int) -> WorstCase:
    """Minimise max_c ‖L_c C⁻¹‖²_F over b-banded C with unit columns.

    The maximum is approached by p-norms of growing p, with a falling log barrier. At the optimum
    of a p-norm, C is also best for the weights w_c ∝ D_c^{p−1}, so they give the bound.

    Args:
        factors: L_c, each of shape (r_c, T), not all zero.
        bands: b, 1 ≤ b ≤ T.

    Source: theory of this project ("A design for a range of conditions").

    >>> worst = solve_worst_banded([np.array([[2.0, 0.0]]), np.array([[0.0, 1.0]])], 1)
    >>> worst.values.tolist()
    [4.0, 1.0]
    """
    horizon = factors[0].shape[1]
    layout = BandLayout(bands=bands, horizon=horizon)
    scale = max(float(np.abs(factor).max()) for factor in factors)
    rows = np.concatenate(list(factors)) / scale
    owners = np.repeat(np.arange(len(factors)), [len(factor) for factor in factors])
    size = np.sqrt(np.einsum("dt,dt->t", rows, rows))
    size = np.maximum(size / size.max(), SMALLEST_SCALE)
    unit = np.broadcast_to(size, layout.shape)[layout.free]
    scaled = [factor / scale for factor in factors]
    entries = layout.square_root_start()
    best: tuple[float, Strategy, FloatArray] | None = None
    bound, proof, total = 0.0, np.full(len(factors), 1 / len(factors)), 0
    level = float(_values(_strategy(layout, entries), scaled).max())
    for share, allowed, power in STAGES:
        combine = power_of_groups(owners, power)
        objective = barrier_objective(layout, rows, share * level / horizon, combine)

        def in_units(x: FloatArray, objective: Objective = objective) -> tuple[float, FloatArray]:
            value, gradient = objective(x / unit)
            return value, gradient / unit

        found, iterations, _ = minimise(
            in_units, entries * unit, iterations=allowed, precision=PRECISION
        )
        entries, total = found / unit, total + iterations
        strategy = _strategy(layout, entries)
        values = _values(strategy, scaled)
        weights = (values / values.max()) ** (power - 1)
        weights = weights / weights.sum()
        proven = banded_bound(stacked(scaled, weights), strategy.bands)
        if proven > bound:
            bound, proof = proven, weights
        if best is None or values.max() < best[0]:
            best = (float(values.max()), strategy, values)
        level = best[0]
    assert best is not None
    return WorstCase(
        strategy=best[1],
        values=best[2] * scale**2,
        bound=min(bound, best[0]) * scale**2,
        weights=proof,
        iterations=total,
    )


def stacked(factors: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Return L with ‖L C⁻¹‖²_F = Σ_c w_c ‖L_c C⁻¹‖²_F, of at most T rows.

    >>> stacked([np.array([[1.0, 0.0]]), np.array([[0.0, 2.0]])], np.array([4.0, 1.0]))
    array([[2., 0.],
           [0., 2.]])
    """
    pairs = zip(factors, weights, strict=True)
    rows = np.concatenate([np.sqrt(weight) * factor for factor, weight in pairs])
    return rows if len(rows) <= rows.shape[1] else np.asarray(np.linalg.qr(rows, mode="r"))


def power_of_groups(owners: NDArray[np.int64], power: float) -> RowCriterion:
    """Return the p-norm of the conditions' values as a criterion of the rows they own.

    >>> power_of_groups(np.array([0, 0, 1]), 2.0)(np.array([1.0, 2.0, 4.0]))[0]
    5.0
    """

    def combine(squares: FloatArray) -> tuple[float, FloatArray]:
        values = np.bincount(owners, weights=squares)
        peak = values.max()
        powers = (values / peak) ** (power - 1)
        total = float(powers @ values / peak)
        return float(peak * total ** (1 / power)), (powers * total ** (1 / power - 1))[owners]

    return combine


def _values(strategy: Strategy, factors: Sequence[FloatArray]) -> FloatArray:
    return np.array([criterion(strategy, factor) for factor in factors])


def _strategy(layout: BandLayout, entries: FloatArray) -> BandedStrategy:
    bands = layout.from_vector(entries)[0]
    # The sign of a column of C changes no X.
    return BandedStrategy(bands=np.asfortranarray(bands * np.where(bands[0] < 0, -1.0, 1.0)))
