"""BandMF: b-banded strategies with unit columns, of least mean or least maximal prefix error.

The bands of C are the unknowns, each column scaled to norm 1, so every point is feasible; in
X = CᵀC the problem is convex, so a stationary point is the optimum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from momentdp_core import series
from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.base import DesignProblem, Family, SolverReport
from momentdp_core.mechanisms.certificate import banded_lower_bound
from momentdp_core.mechanisms.structures import BandedStrategy, Strategy

# Powers of the smoothed maximum with the relative precision each is solved to. Each starts from
# the last one's solution; the one solved tightly gives the tightest lower bound.
MAX_NORM_STAGES = ((8.0, 1e-8), (64.0, 1e-8), (512.0, 1e-12), (4096.0, 1e-8), (16384.0, 1e-8))

# Steps over which a run that may stop early is watched.
SETTLING_STEPS = 20
# From how many steps L-BFGS draws the curvature.
MEMORY = 20


class BandLayout:
    """Index bookkeeping between a (b, T) band storage, its free entries, and a T×T matrix.

    bands[k, j] = C[j+k, j]; entries with j + k ≥ T do not exist.

    Args:
        bands: b.
        horizon: T.

    >>> layout = BandLayout(bands=2, horizon=3)
    >>> layout.free.sum()
    np.int64(5)
    """

    def __init__(self, *, bands: int, horizon: int) -> None:
        steps = np.arange(horizon)
        rows = steps + np.arange(bands)[:, None]
        self.shape = (bands, horizon)
        self.free = rows < horizon
        self.rows = np.minimum(rows, horizon - 1)
        self.columns = np.broadcast_to(steps, self.shape)

    def from_vector(self, entries: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the bands with unit columns, and the column norms they were divided by."""
        bands = np.zeros(self.shape)
        bands[self.free] = entries
        norms = np.sqrt(np.einsum("kj,kj->j", bands, bands))
        return bands / norms, norms

    def to_matrix(self, bands: FloatArray) -> FloatArray:
        """Return the T×T matrix of the bands."""
        matrix = np.zeros((self.shape[1], self.shape[1]))
        matrix[self.rows[self.free], self.columns[self.free]] = bands[self.free]
        return matrix

    def of_matrix(self, matrix: FloatArray) -> FloatArray:
        """Return the bands of a T×T matrix, 0 where they do not exist."""
        return np.where(self.free, matrix[self.rows, self.columns], 0.0)

    def pull_back(self, gradient: FloatArray, bands: FloatArray, norms: FloatArray) -> FloatArray:
        """Carry ∂F/∂C (in band storage) through the column scaling to the free entries."""
        radial = np.einsum("kj,kj->j", gradient, bands)
        return np.asarray(((gradient - bands * radial) / norms)[self.free])

    def square_root_start(self) -> FloatArray:
        """Return the free entries of the banded square root, the usual starting point."""
        root = series.square_root_of_sum(self.shape[0])
        return np.asarray(np.broadcast_to(root[:, None], self.shape)[self.free])


# From the squared error of each row: the value, and its derivative by each of them.
Criterion = Callable[[FloatArray], tuple[float, FloatArray]]


def prefix_objective(
    layout: BandLayout, criterion: Criterion
) -> Callable[[FloatArray], tuple[float, FloatArray]]:
    """Return F(entries) = criterion(row errors of A C⁻¹) with its gradient.

    With B = A C⁻¹ and row weights w = ∂F/∂errors: ∂F/∂C = −2 BᵀWB C⁻ᵀ, kept on the band.

    >>> layout = BandLayout(bands=1, horizon=2)
    >>> prefix_objective(layout, mean_criterion(2))(np.ones(2))[0]
    1.5
    """
    from scipy.linalg.blas import dsyrk
    from scipy.linalg.lapack import dtbtrs

    prefix_transposed = np.asfortranarray(np.triu(np.ones((layout.shape[1],) * 2)))

    def objective(entries: FloatArray) -> tuple[float, FloatArray]:
        bands, norms = layout.from_vector(entries)
        released, _ = dtbtrs(bands, prefix_transposed, uplo="L", trans="T")  # Bᵀ = C⁻ᵀ Aᵀ
        value, weights = criterion(np.einsum("jt,jt->t", released, released))
        inner = dsyrk(1.0, released * np.sqrt(weights), lower=1)
        inner += np.tril(inner, -1).T
        solved, _ = dtbtrs(bands, inner, uplo="L", trans="N")
        return value, layout.pull_back(-2 * layout.of_matrix(solved.T), bands, norms)

    return objective


def mean_criterion(horizon: int) -> Criterion:
    """Return the mean of the row errors as a criterion."""
    weights = np.full(horizon, 1 / horizon)
    return lambda errors: (float(errors.mean()), weights)


def weighted_criterion(weights: FloatArray) -> Criterion:
    """Return Σ_t w_t errors_t as a criterion."""
    return lambda errors: (float(weights @ errors), weights)


def power_criterion(power: float) -> Criterion:
    """Return the p-norm of the row errors, which tends to their maximum as p grows."""

    def criterion(errors: FloatArray) -> tuple[float, FloatArray]:
        peak = errors.max()
        powers = (errors / peak) ** power
        total = powers.sum()
        value = peak * total ** (1 / power)
        return float(value), value * powers / (total * errors)

    return criterion


def minimise(
    objective: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    *,
    iterations: int,
    precision: float = 1e-13,
    settled: float = 0.0,
    memory: int = MEMORY,
) -> tuple[FloatArray, int, bool]:
    """Run L-BFGS from `start`; return the best entries, the iterations, and whether it converged.

    Args:
        objective: value and gradient.
        start: first entries.
        iterations: limit.
        precision: relative decrease of one step below which it has converged.
        settled: stop, too, when the last `SETTLING_STEPS` steps together gained less than this
            share; 0 never stops for it.
        memory: from how many steps the curvature is drawn.

    >>> minimise(lambda x: (float(x @ x), 2 * x), np.ones(2), iterations=10)[2]
    True
    """
    from scipy.optimize import minimize

    seen: list[float] = []

    def watch(*, intermediate_result: Any) -> None:
        seen.append(float(intermediate_result.fun))
        if len(seen) > SETTLING_STEPS and seen[-1 - SETTLING_STEPS] < seen[-1] * (1 + settled):
            raise StopIteration

    result = minimize(  # type: ignore[call-overload]  # a callback known by its argument's name
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=watch if settled else None,
        options={
            "maxiter": iterations,
            "maxfun": 4 * iterations,
            "maxcor": memory,
            "ftol": precision,
            "gtol": 1e-10,
        },
    )
    stopped = bool(settled) and len(seen) < iterations
    return result.x, int(result.nit), bool(result.success) or stopped


def solve_banded_mean(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MeanSE = ‖A C⁻¹‖²_F / T over b-banded C with unit columns.

    Source: Choquette-Choo et al. (2023), BandMF; MOMENT-DP Appendix C, "BandMF mean".

    >>> round(solve_banded_mean(DesignProblem(horizon=2, bands=2))[1].objective, 6)
    1.309017
    """
    problem.check_dense("banded_mean")
    layout = BandLayout(bands=problem.bands, horizon=problem.horizon)
    objective = prefix_objective(layout, mean_criterion(problem.horizon))
    entries, iterations, converged = minimise(
        objective, layout.square_root_start(), iterations=2000
    )
    strategy = BandedStrategy(bands=layout.from_vector(entries)[0])
    value = float(strategy.prefix_errors().mean())
    uniform = np.full(problem.horizon, 1 / problem.horizon)
    return strategy, SolverReport(
        objective=value,
        lower_bound=min(_mean_bound(strategy, uniform), value),
        iterations=iterations,
        converged=converged,
    )


def solve_banded_max(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MaxSE = max_t ‖(A C⁻¹)_t‖² over b-banded C with unit columns.

    The maximum is approached by p-norms of growing p. At the optimum of a p-norm, C is also
    optimal for the mean error with row weights w_t ∝ errors_t^{p−1}, Σ w = 1, and no strategy has
    a smaller maximum than its weighted mean: the dual bound of that mean is the reported one.

    Source: Choquette-Choo et al. (2023), BandMF; MOMENT-DP Appendix C, "BandMF max".

    >>> round(solve_banded_max(DesignProblem(horizon=2, bands=2))[1].objective, 3)
    1.333
    """
    problem.check_dense("banded_max")
    layout = BandLayout(bands=problem.bands, horizon=problem.horizon)
    entries, total, converged, bound = layout.square_root_start(), 0, True, 0.0
    for power, precision in MAX_NORM_STAGES:
        criterion = power_criterion(power)
        entries, iterations, converged = minimise(
            prefix_objective(layout, criterion), entries, iterations=600, precision=precision
        )
        total += iterations
        strategy = BandedStrategy(bands=layout.from_vector(entries)[0])
        errors = strategy.prefix_errors()
        weights = criterion(errors)[1]
        bound = max(bound, _mean_bound(strategy, weights / weights.sum()))
    return strategy, SolverReport(
        objective=float(errors.max()),
        lower_bound=min(bound, float(errors.max())),
        iterations=total,
        converged=converged,
    )


def _mean_bound(strategy: BandedStrategy, weights: FloatArray) -> float:
    """Return a lower bound of Σ_t w_t errors_t over all strategies with these bands."""
    prefix = np.tril(np.ones((strategy.horizon,) * 2))
    factor = np.sqrt(weights)[:, None] * prefix
    return banded_lower_bound(factor, strategy.strategy_matrix(), len(strategy.bands))


BANDED_MEAN = Family(
    key="banded_mean",
    label="BandMF (mean)",
    description="Strategy with b bands of least mean error for prefix sums.",
    depends_on=frozenset({"bands"}),
    iterative=True,
    build=solve_banded_mean,
)
BANDED_MAX = Family(
    key="banded_max",
    label="BandMF (max)",
    description="Strategy with b bands of least maximal error for prefix sums.",
    depends_on=frozenset({"bands"}),
    iterative=True,
    build=solve_banded_max,
)
