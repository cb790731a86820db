"""Optimised Toeplitz mechanisms: b-banded C, or b-banded C⁻¹, of least mean or maximal error.

Both have b − 1 unknowns and need one series inverse and one product a step: no T×T matrix. With
s the running sum of the coefficients of C⁻¹, the errors of A C⁻¹ are Σ_{k≤t} s_k², so
MeanSE = Σ_k (1 − k/T) s_k² and MaxSE = Σ_k s_k² (the last row), each times the squared
sensitivity Σ_k c_k².
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from momentdp_core import series
from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.banded import minimise
from momentdp_core.mechanisms.base import DesignProblem, Family, SolverReport
from momentdp_core.mechanisms.structures import Strategy, ToeplitzStrategy

MAX_ITERATIONS = 1000
# Unit of the unknowns: L-BFGS tries a first step of about this length.
STEP = 1e-2

# From the unknowns and the row weights: the logarithm of the objective, and its gradient.
Target = Callable[[FloatArray, FloatArray], tuple[float, FloatArray]]


def _row_weights(horizon: int, maximal: bool) -> FloatArray:
    return np.ones(horizon) if maximal else 1 - np.arange(horizon) / horizon


def _reciprocal(coefficients: FloatArray, horizon: int) -> tuple[FloatArray, FloatArray]:
    """Return 1/c and 1/c² to T terms: two band solves for short c."""
    from scipy.linalg.lapack import dtbtrs

    bands = np.asfortranarray(np.broadcast_to(coefficients[:, None], (len(coefficients), horizon)))
    unit = np.zeros(horizon)
    unit[0] = 1.0
    once, _ = dtbtrs(bands, unit, uplo="L")
    once = np.asarray(once).reshape(horizon)
    twice, _ = dtbtrs(bands, once, uplo="L")
    return once, np.asarray(twice).reshape(horizon)


def _chain(outer: FloatArray, squared: FloatArray, width: int) -> FloatArray:
    # d(1/c) = −(1/c²)·dc, so ∂F/∂c_k = −Σ_t outer_t (1/c²)_{t−k}.
    size = len(outer)
    return np.array([-(outer[k:] @ squared[: size - k]) for k in range(width)])


def _log_product(
    first: float, first_gradient: FloatArray, second: float, second_gradient: FloatArray
) -> tuple[float, FloatArray]:
    # The logarithm makes the objective scale-free and keeps far-off points finite.
    value = np.log(first) + np.log(second)
    return float(value), (first_gradient / first + second_gradient / second)[1:]


def _strategy_objective(free: FloatArray, weights: FloatArray) -> tuple[float, FloatArray]:
    coefficients = np.concatenate([[1.0], free])
    noising, squared = _reciprocal(coefficients, len(weights))
    released = np.cumsum(noising)
    outer = np.cumsum((2 * weights * released)[::-1])[::-1]
    return _log_product(
        float(weights @ released**2),
        _chain(outer, squared, len(coefficients)),
        float(coefficients @ coefficients),
        2 * coefficients,
    )


def _noising_objective(free: FloatArray, weights: FloatArray) -> tuple[float, FloatArray]:
    # The unknowns are the running sums s_1 … s_{b−1} of C⁻¹'s coefficients, not the coefficients:
    # the error is diagonal in them, which takes a fifth of the steps.
    released = np.concatenate([[1.0], free])
    coefficients = np.diff(released, prepend=0.0)
    strategy, squared = _reciprocal(coefficients, len(weights))
    width = len(coefficients)
    # s_k is constant from k = b−1 on, so the tail of the weights acts on the last entry.
    short = np.concatenate([weights[: width - 1], [weights[width - 1 :].sum()]])
    by_coefficient = _chain(2 * strategy, squared, width)
    by_sum = by_coefficient - np.concatenate([by_coefficient[1:], [0.0]])
    return _log_product(
        float(short @ released**2), 2 * short * released, float(strategy @ strategy), by_sum
    )


def _minimise_to(
    horizon: int, start: FloatArray, target: Target, maximal: bool
) -> tuple[FloatArray, int, bool]:
    weights = _row_weights(horizon, maximal)

    def objective(scaled: FloatArray) -> tuple[float, FloatArray]:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value, gradient = target(scaled * STEP, weights)
        # A step that leaves the numbers' range is refused by the line search.
        good = np.isfinite(value) and np.isfinite(gradient).all()
        return (value, gradient * STEP) if good else (1e6, np.zeros_like(scaled))

    scaled, iterations, converged = minimise(objective, start / STEP, iterations=MAX_ITERATIONS)
    return scaled * STEP, iterations, converged


def _solve(
    problem: DesignProblem, *, maximal: bool, inverse: bool
) -> tuple[Strategy, SolverReport]:
    if inverse:
        target: Target = _noising_objective
        free = np.cumsum(series.inverse_square_root_of_sum(problem.bands))[1:]
    else:
        target = _strategy_objective
        free = series.square_root_of_sum(problem.bands)[1:]
    total, converged = 0, True
    if problem.bands > 1:
        # At a long horizon the good region is narrow: follow the solution up from a short one.
        horizons = [problem.horizon]
        while horizons[0] // 4 > 4 * problem.bands:
            horizons.insert(0, horizons[0] // 4)
        for horizon in horizons:
            free, iterations, converged = _minimise_to(horizon, free, target, maximal)
            total += iterations
    sums = np.concatenate([[1.0], free])
    strategy = (
        ToeplitzStrategy(steps=problem.horizon, noising=np.diff(sums, prepend=0.0))
        if inverse
        else ToeplitzStrategy(steps=problem.horizon, strategy=sums)
    )
    errors = strategy.prefix_errors()
    return strategy, SolverReport(
        objective=float(errors.max() if maximal else errors.mean()),
        iterations=total,
        converged=converged,
    )


def solve_toeplitz_mean(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MeanSE over b-banded Toeplitz C.

    Source: MOMENT-DP Appendix C, "Toeplitz mean"; jax_privacy's optimal banded Toeplitz.

    >>> round(solve_toeplitz_mean(DesignProblem(horizon=128, bands=16))[1].objective, 6)
    8.251567
    """
    return _solve(problem, maximal=False, inverse=False)


def solve_toeplitz_max(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MaxSE, the last row's error, over b-banded Toeplitz C.

    Source: MOMENT-DP Appendix C, "Toeplitz max".

    >>> round(solve_toeplitz_max(DesignProblem(horizon=128, bands=16))[1].objective, 6)
    13.21006
    """
    return _solve(problem, maximal=True, inverse=False)


def solve_bandinv_mean(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MeanSE over Toeplitz C whose inverse is b-banded.

    Source: Kalinin et al. (2026), banded inverse; MOMENT-DP Appendix C, "BISR variants".

    >>> round(solve_bandinv_mean(DesignProblem(horizon=128, bands=16))[1].objective, 3)
    5.813
    """
    return _solve(problem, maximal=False, inverse=True)


def solve_bandinv_max(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MaxSE, the last row's error, over Toeplitz C whose inverse is b-banded.

    Source: Kalinin et al. (2026), banded inverse; MOMENT-DP Appendix C, "BISR variants".

    >>> round(solve_bandinv_max(DesignProblem(horizon=128, bands=16))[1].objective, 3)
    7.144
    """
    return _solve(problem, maximal=True, inverse=True)


def _family(key: str, label: str, what: str, build: object) -> Family:
    return Family(
        key=key,
        label=label,
        description=what,
        depends_on=frozenset({"bands"}),
        iterative=True,
        build=build,  # type: ignore[arg-type]
    )


TOEPLITZ_MEAN = _family(
    "toeplitz_mean",
    "Toeplitz (mean)",
    "Toeplitz strategy with b bands of least mean error for prefix sums.",
    solve_toeplitz_mean,
)
TOEPLITZ_MAX = _family(
    "toeplitz_max",
    "Toeplitz (max)",
    "Toeplitz strategy with b bands of least last-step error for prefix sums.",
    solve_toeplitz_max,
)
BANDINV_MEAN = _family(
    "bandinv_mean",
    "BandInvMF (mean)",
    "Noise mixes the last b draws, weights of least mean error for prefix sums.",
    solve_bandinv_mean,
)
BANDINV_MAX = _family(
    "bandinv_max",
    "BandInvMF (max)",
    "Noise mixes the last b draws, weights of least last-step error for prefix sums.",
    solve_bandinv_max,
)
