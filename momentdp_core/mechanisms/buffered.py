"""BLT, buffered linear Toeplitz mechanisms: noise made from a few decaying buffers.

C is Toeplitz with c_0 = 1 and c_k = Σ_j ω_j θ_j^{k−1}, so c(x) = N(x)/D(x) with polynomials of the
number of buffers as degree, and C⁻¹ has the series D(x)/N(x): both are recursions of that order.
"""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.banded import minimise
from momentdp_core.mechanisms.base import DesignProblem, Family, SolverReport
from momentdp_core.mechanisms.structures import Strategy, ToeplitzStrategy

MAX_ITERATIONS = 1000
PRECISION = 1e-12
# The gradient of the logarithm of the error that counts as zero.
FLAT = 1e-6
# Unknowns are kept within these: 1 − θ above 1e-9 of 1, ω above e^−40.
LARGEST_LOGIT = 20.7
LARGEST_LOG = 40.0


def buffer_series(decays: FloatArray, weights: FloatArray, horizon: int) -> FloatArray:
    """Return c_0 = 1, c_k = Σ_j ω_j θ_j^{k−1}, shape (T,).

    >>> buffer_series(np.array([0.5]), np.array([0.4]), 4)
    array([1. , 0.4, 0.2, 0.1])
    """
    powers = decays ** np.arange(horizon - 1)[:, None]
    return np.concatenate([[1.0], powers @ weights])


def _fraction(decays: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of N and D, c(x) = N(x)/D(x)."""
    denominator = np.ones(1)
    for decay in decays:
        denominator = np.convolve(denominator, [1.0, -decay])
    numerator = denominator.copy()
    for j, weight in enumerate(weights):
        others = np.ones(1)
        for decay in np.delete(decays, j):
            others = np.convolve(others, [1.0, -decay])
        numerator[1:] += weight * others
    return numerator, denominator


def buffered_objective(unknowns: FloatArray, row_weights: FloatArray) -> tuple[float, FloatArray]:
    """Return log(Σ_k w_k s_k² · Σ_k c_k²) and its gradient; s sums up the series of C⁻¹.

    The unknowns are logit θ_j and log ω_j. w = 1 gives MaxSE, w_k = 1 − k/T MeanSE. O(T d).

    Args:
        unknowns: shape (2d,), the logits first.
        row_weights: w, shape (T,).

    >>> round(buffered_objective(np.array([0.0, -1.0]), np.ones(2))[0], 6)
    0.463098
    """
    from scipy.signal import lfilter

    horizon = len(row_weights)
    logits, logs = np.split(unknowns, 2)
    decays, weights = 1 / (1 + np.exp(-logits)), np.exp(logs)
    ages = np.arange(horizon - 1)[:, None]
    powers = decays**ages
    series = np.concatenate([[1.0], powers @ weights])
    numerator, denominator = _fraction(decays, weights)
    impulse = np.zeros(horizon)
    impulse[0] = 1.0
    released = np.cumsum(lfilter(denominator, numerator, impulse))
    error, length = float(row_weights @ released**2), float(series @ series)
    # With n = 1/c: dn = −(1/c²)·dc, a correlation, filtered from the end.
    outer = np.cumsum((2 * row_weights * released)[::-1])
    for _ in range(2):
        outer = lfilter(denominator, numerator, outer)
    by_series = (-outer[::-1] / error + 2 * series / length)[1:]
    by_weight = powers.T @ by_series
    slopes = ages * decays ** np.maximum(ages - 1, 0)
    by_decay = weights * (slopes.T @ by_series)
    gradient = np.concatenate([by_decay * decays * (1 - decays), by_weight * weights])
    return float(np.log(error) + np.log(length)), gradient


def _start(buffers: int, horizon: int) -> FloatArray:
    """Return logits and logs of a quadrature of (1−x)^−½ with decays spread in log(1−θ)."""
    step = np.log(max(horizon, 4)) / buffers
    gaps = np.exp(-step * (np.arange(buffers) + 0.5))
    decays = 1 - gaps
    weights = np.sqrt(decays * gaps) * step / np.pi
    return np.concatenate([np.log(decays / gaps), np.log(weights)])


def _solve(problem: DesignProblem, *, maximal: bool) -> tuple[Strategy, SolverReport]:
    horizon = problem.horizon
    row_weights = np.ones(horizon) if maximal else 1 - np.arange(horizon) / horizon
    limits = np.repeat([LARGEST_LOGIT, LARGEST_LOG], problem.buffers)

    def objective(unknowns: FloatArray) -> tuple[float, FloatArray]:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value, gradient = buffered_objective(unknowns, row_weights)
        inside = bool((np.abs(unknowns) < limits).all())
        # A step that leaves the range is refused by the line search.
        good = inside and np.isfinite(value) and np.isfinite(gradient).all()
        return (value, gradient) if good else (1e6, np.zeros_like(unknowns))

    unknowns, iterations, converged = minimise(
        objective,
        _start(problem.buffers, horizon),
        iterations=MAX_ITERATIONS,
        precision=PRECISION,
    )
    # A line search that rounding stops at a flat gradient has arrived as well.
    converged = converged or float(np.abs(objective(unknowns)[1]).max()) < FLAT
    logits, logs = np.split(unknowns, 2)
    series = buffer_series(1 / (1 + np.exp(-logits)), np.exp(logs), horizon)
    strategy = ToeplitzStrategy(steps=horizon, strategy=series)
    errors = strategy.prefix_errors()
    return strategy, SolverReport(
        objective=float(errors.max() if maximal else errors.mean()),
        iterations=iterations,
        converged=converged,
    )


def solve_blt_mean(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MeanSE over strategies c_k = Σ_j ω_j θ_j^{k−1} with d buffers, normalised.

    Source: McMahan, Xu and Zhang (2024), BLT-DP-FTRL; Dvijotham et al. (2024) for the class.

    >>> problem = DesignProblem(horizon=32, buffers=3)
    >>> round(solve_blt_mean(problem)[1].objective, 2)
    3.86
    """
    return _solve(problem, maximal=False)


def solve_blt_max(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MaxSE over strategies c_k = Σ_j ω_j θ_j^{k−1} with d buffers, normalised.

    Source: Dvijotham et al. (2024), buffered linear Toeplitz mechanisms.

    >>> problem = DesignProblem(horizon=128, buffers=2)
    >>> round(solve_blt_max(problem)[1].objective, 4)
    6.8511
    """
    return _solve(problem, maximal=True)


BLT_MEAN = Family(
    key="blt_mean",
    label="BLT (mean)",
    description="A few decaying buffers, tuned for least mean error for prefix sums.",
    depends_on=frozenset({"buffers"}),
    iterative=True,
    build=solve_blt_mean,
)
BLT_MAX = Family(
    key="blt_max",
    label="BLT (max)",
    description="A few decaying buffers, tuned for least last-step error for prefix sums.",
    depends_on=frozenset({"buffers"}),
    iterative=True,
    build=solve_blt_max,
)
