"""NoiseCurve's problem P1: the banded strategy that is best at zero momentum and constant rate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.banded import MEMORY, BandLayout, minimise
from momentdp_core.mechanisms.base import DesignProblem, Family, SolverReport
from momentdp_core.mechanisms.structures import BandedStrategy, Strategy

# X ⪰ FLOOR·I is part of the problem.
FLOOR = 1e-3
# Enough to come within about 0.03 % of the best known objective at T = 128, b = 16.
MAX_ITERATIONS = 500
# Up to this horizon, products with the band go through a T×T buffer.
DENSE_PRODUCTS = 512
# A design that starts from a neighbour's stops when its last steps together gained less than this;
# a shorter memory makes its steps cheaper.
SETTLED, SHORT_MEMORY = 5e-5, 10
# Where X touches its floor the unknowns are singular; a start only has to be near.
NUDGE = 1e-6
# Columns that matter this much less than the heaviest are not scaled further.
SMALLEST_SCALE = 1e-4


def response_factor(eigenvalues: FloatArray, learning_rate: float, horizon: int) -> FloatArray:
    """Return L with Q = LᵀL up to one common factor: L = M^½ V, V_ij = (1−ηλ_i)^{T−1−j}.

    λ is scaled by its largest value, and L so that its largest entry is 1, since neither
    changes the minimiser and powers of |1−ηλ| > 1 would overflow.

    Args:
        eigenvalues: λ, shape (d,).
        learning_rate: η, peak rate times λ_max.
        horizon: T.

    Returns:
        L, shape (d, T).

    Source: MOMENT-DP, Eq. (5) and Appendix B.2.

    >>> response_factor(np.array([1.0]), 0.5, 3)
    array([[0.25, 0.5 , 1.  ]])
    """
    relative = eigenvalues / eigenvalues.max()
    kept = relative[relative > 0]  # a flat direction adds nothing to Q
    base = 1 - learning_rate * kept
    age = np.arange(horizon)[::-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0·log 0 is 0 here: the last step's response is 1 whatever the base.
        logs = np.where(age == 0, 0.0, np.log(np.abs(base))[:, None] * age)
    logs += 0.5 * np.log(kept)[:, None]
    signs = np.where((base[:, None] < 0) & (age % 2 == 1), -1.0, 1.0)
    return np.asarray(signs * np.exp(logs - logs.max()))


def trace_objective(
    layout: BandLayout, factor: FloatArray
) -> Callable[[FloatArray], tuple[float, FloatArray]]:
    """Return F(entries) = tr(L X⁻¹ Lᵀ) with its gradient, for X = f I + (1−f) CᵀC.

    C is b-banded with unit columns, so diag(X) = 1 and X ⪰ f I hold at every point. With
    W = X⁻¹Lᵀ: ∂F/∂C = −2(1−f) C W Wᵀ, needed on the band only. One evaluation is a band
    Cholesky, d band solves and band-only products: O(T b (b + d)).

    Source: MOMENT-DP Appendix B.2 (problem P1); parametrisation of this project.

    >>> layout = BandLayout(bands=1, horizon=2)
    >>> trace_objective(layout, np.array([[3.0, 4.0]]))(np.ones(2))[0]
    25.0
    """
    from scipy.linalg.lapack import dpbtrf, dpbtrs

    right_sides = np.asfortranarray(factor.T)

    def objective(entries: FloatArray) -> tuple[float, FloatArray]:
        bands, norms = layout.from_vector(entries)
        cholesky, _ = dpbtrf(gram_bands(bands), lower=1)
        weights, _ = dpbtrs(cholesky, right_sides, lower=1)
        value = float(np.vdot(right_sides, weights))
        gradient = band_products(bands, weights)
        return value, layout.pull_back(-2 * (1 - FLOOR) * gradient, bands, norms)

    return objective


def band_products(bands: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the band of C W Wᵀ in band storage, from the bands of C and W (T, d); shape (b, T).

    >>> band_products(np.array([[1.0, 1.0]]), np.array([[2.0], [3.0]]))
    array([[4., 9.]])
    """
    count, horizon = bands.shape
    if horizon <= DENSE_PRODUCTS:
        # Two small dense products beat 2b short band loops. Row j+k, column j of a (T+b)×T
        # buffer is where bands[k, j] lives; what falls below row T is padding.
        buffer = np.zeros((horizon + count, horizon))
        row, column = buffer.strides
        diagonals = np.lib.stride_tricks.as_strided(
            buffer, shape=bands.shape, strides=(row, row + column)
        )
        diagonals[...] = bands
        product = buffer @ weights
        product[horizon:] = 0
        np.matmul(product, weights.T, out=buffer)
        return diagonals
    weights = np.ascontiguousarray(weights)
    product = np.zeros_like(weights)
    gradient = np.zeros_like(bands)
    for k in range(count):
        product[k:] += bands[k, : horizon - k, None] * weights[: horizon - k]
    for k in range(count):
        kept = horizon - k
        gradient[k, :kept] = np.einsum("td,td->t", product[k:], weights[:kept])
    return gradient


def gram_bands(bands: FloatArray) -> FloatArray:
    """Return X = f I + (1−f) CᵀC in band storage, from the bands of C; shape (b, T).

    >>> gram_bands(np.array([[1.0, 1.0]]))
    array([[1., 1.]])
    """
    gram = plain_gram(bands)
    gram *= 1 - FLOOR
    gram[0] += FLOOR
    return gram


def plain_gram(bands: FloatArray) -> FloatArray:
    """Return CᵀC in band storage, from the bands of C; shape (b, T).

    >>> plain_gram(np.array([[0.8, 1.0], [0.6, 0.0]]))
    array([[1. , 1. ],
           [0.6, 0. ]])
    """
    count, horizon = bands.shape
    # Σ_m bands[m, j+k] bands[m+k, j] for all k and j in one product: both factors are views of the
    # bands with zeros round them.
    padded = np.zeros((2 * count - 1, horizon + count - 1))
    padded[:count, :horizon] = bands
    row, column = padded.strides
    shape = (count, count, horizon)
    right = np.lib.stride_tricks.as_strided(padded, shape=shape, strides=(column, row, column))
    below = np.lib.stride_tricks.as_strided(padded, shape=shape, strides=(row, row, column))
    gram: FloatArray = np.einsum("kmj,kmj->kj", right, below)
    return gram


def strategy_of_gram(gram: FloatArray) -> BandedStrategy:
    """Return the banded C with CᵀC = X, from X in lower band storage, by a reversed Cholesky.

    >>> strategy_of_gram(np.array([[1.0, 1.0], [0.5, 0.0]])).bands.round(3)
    array([[0.866, 1.   ],
           [0.5  , 0.   ]])
    """
    from scipy.linalg.lapack import dpbtrf

    count, horizon = gram.shape
    reversed_gram = np.zeros_like(gram)
    for k in range(count):
        reversed_gram[k, : horizon - k] = gram[k, : horizon - k][::-1]
    factor, _ = dpbtrf(reversed_gram, lower=1)
    bands = np.zeros_like(gram)
    for k in range(count):
        bands[k, : horizon - k] = factor[k, : horizon - k][::-1]
    return BandedStrategy(bands=bands / np.sqrt(np.einsum("kj,kj->j", bands, bands)))


def entries_of(layout: BandLayout, strategy: BandedStrategy) -> FloatArray:
    """Return the free entries of the C in X = f I + (1−f) CᵀC whose X is the strategy's.

    >>> one = BandedStrategy(bands=np.ones((1, 2)))  # the identity
    >>> entries_of(BandLayout(bands=1, horizon=2), one)
    array([1., 1.])
    """
    gram = gram_bands(strategy.bands)  # f I + (1−f) CᵀC of the strategy's own C
    for _ in range(2):  # once for its CᵀC, once more for that of the unknowns
        gram[0] -= FLOOR
        gram /= 1 - FLOOR
    gram[0] += NUDGE
    return np.asarray(strategy_of_gram(gram).bands[layout.free])


def solve_noisecurve(
    problem: DesignProblem, *, start: BandedStrategy | None = None
) -> tuple[Strategy, SolverReport]:
    """Minimise tr(Q X⁻¹), Q = VᵀMV, over b-banded X with diag(X) = 1 and X ⪰ 1e-3 I.

    Designed once for its native condition, zero momentum and constant rate. L-BFGS on C in
    X = f I + (1−f) CᵀC, started from the banded square root, each column's unknowns scaled by
    (Q_jj)^½: early noise is damped by all later steps, so the objective hardly feels it, and
    without the scale L-BFGS takes several times the steps.

    Args:
        problem: with λ and η.
        start: a design to start from, such as that of a neighbouring rate; the run then stops
            when it has settled within about 0.1 % of what a run from scratch reaches.

    Source: MOMENT-DP, Eq. (5) and Appendix B.2 (NoiseCurve's problem P1).

    >>> problem = DesignProblem(horizon=8, bands=2, eigenvalues=(1.0, 0.1), learning_rate=0.1)
    >>> solve_noisecurve(problem)[1].converged
    True
    """
    eigenvalues, learning_rate = problem.need_quadratic()
    layout = BandLayout(bands=problem.bands, horizon=problem.horizon)
    factor = response_factor(eigenvalues, learning_rate, problem.horizon)
    objective = trace_objective(layout, factor)
    weight = np.sqrt(np.einsum("dt,dt->t", factor, factor))
    weight = np.maximum(weight / weight.max(), SMALLEST_SCALE)
    scale = np.broadcast_to(weight, layout.shape)[layout.free]

    def scaled_objective(scaled: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(scaled / scale)
        return value, gradient / scale

    scaled, iterations, converged = minimise(
        scaled_objective,
        (layout.square_root_start() if start is None else entries_of(layout, start)) * scale,
        iterations=MAX_ITERATIONS,
        precision=1e-11,
        settled=0.0 if start is None else SETTLED,
        memory=MEMORY if start is None else SHORT_MEMORY,
    )
    entries = scaled / scale
    bands, _ = layout.from_vector(entries)
    strategy = strategy_of_gram(gram_bands(bands))
    return strategy, SolverReport(
        objective=objective(entries)[0], iterations=iterations, converged=converged
    )


NOISECURVE = Family(
    key="noisecurve",
    label="NoiseCurve",
    description="Best b-banded strategy for this Hessian at zero momentum and constant rate.",
    depends_on=frozenset({"bands", "eigenvalues", "learning_rate"}),
    iterative=True,
    build=solve_noisecurve,
)
