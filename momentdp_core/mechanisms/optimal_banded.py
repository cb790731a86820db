"""The best b-banded mechanism for any quadratic criterion, with a bound over all banded ones.

With a log barrier the optimum lies inside the cone, so L-BFGS meets no wall, and the barrier's
own multiplier is a strictly positive dual point. What L-BFGS leaves over in the stationarity then
costs a little of the bound, not all of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.banded import BandLayout, minimise
from momentdp_core.mechanisms.noisecurve import DENSE_PRODUCTS, SMALLEST_SCALE
from momentdp_core.mechanisms.structures import BandedStrategy

# Barrier weights, as a share of the value spread over the steps, with the iterations each may take.
CENTRAL = 1.2e-2
STAGES = ((1e-1, 100), (CENTRAL, 500), (1e-3, 150))
# From a solution nearby, the later stages suffice; where its gap is larger than this, the stage
# that gives the bound is gone on with, so many times.
WARM_STAGES = ((CENTRAL, 300), (1e-3, 150))
AGAIN, GOOD_GAP, MOST_AGAIN = (CENTRAL, 400), 0.01, 2
# L-BFGS takes a first step of length 1 in its own units, which must be short: one that nearly makes
# C singular has a value of 1e150, from which the line search does not come back.
UNITS = 100.0
# Beyond this horizon more iterations are allowed, in proportion and up to four times.
PATIENT_HORIZON = 256
PRECISION = 1e-14
# What the objective is called where its numbers overflow.
REFUSED = 1e200
# Rounds in which the dual's diagonal is redistributed.
ROUNDS = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class BandedSolution:
    """A b-banded strategy and what no b-banded strategy can beat.

    Args:
        strategy: C, unit columns.
        value: ‖L C⁻¹‖²_F.
        bound: tr(L X⁻¹ Lᵀ) is at least this for every b-banded X ⪰ 0 with diag(X) = 1.
        iterations: of L-BFGS.
        inside: bands of the solution at the barrier weight from which neighbours start, (b, T).
        dual: W of `dual_bound`, which gives the bound and one for any other L, shape (T, r).
    """

    strategy: BandedStrategy
    inside: FloatArray
    value: float
    bound: float
    iterations: int
    dual: FloatArray


def solve_optimal_banded(
    factor: FloatArray, bands: int, start: FloatArray | None = None
) -> BandedSolution:
    """Minimise tr(L X⁻¹ Lᵀ) over b-banded C with X = CᵀC and unit columns.

    L-BFGS on ‖L C⁻¹‖² − 2τ Σ_t log C_tt with falling τ. Each τ gives a bound
    (`banded_bound`); the best is kept.

    Args:
        factor: L, shape (r, T), finite.
        bands: b, 1 ≤ b ≤ T.
        start: `inside` of a nearby problem's solution, with the same b and T.

    Source: theory of this project ("The best mechanism for an optimizer").

    >>> solution = solve_optimal_banded(np.array([[1.0, 1.0], [0.0, 1.0]]), 2)
    >>> round(solution.value, 3)
    2.618
    """
    layout = BandLayout(bands=bands, horizon=factor.shape[1])
    scale = float(np.abs(factor).max())
    if scale == 0:
        identity = np.zeros(layout.shape)
        identity[0] = 1.0
        return BandedSolution(
            strategy=BandedStrategy(bands=identity),
            inside=identity,
            value=0.0,
            bound=0.0,
            iterations=0,
            dual=np.zeros_like(factor.T),
        )
    scaled = factor / scale
    weight = np.sqrt(np.einsum("dt,dt->t", scaled, scaled))
    weight = np.maximum(weight / weight.max(), SMALLEST_SCALE)
    unit = UNITS * np.broadcast_to(weight, layout.shape)[layout.free]
    entries = layout.square_root_start() if start is None else start[layout.free]
    plain = barrier_objective(layout, scaled, 0.0)
    best = (plain(entries)[0], entries)
    bound, total, inside, dual = 0.0, 0, entries, np.zeros_like(factor.T)
    patience = min(max(1.0, layout.shape[1] / PATIENT_HORIZON), 4.0)
    stages = STAGES if start is None else (*WARM_STAGES, *(AGAIN,) * MOST_AGAIN)
    for number, (share, allowed) in enumerate(stages):
        if start is not None and number >= len(WARM_STAGES):
            if best[0] <= bound * (1 + GOOD_GAP):
                break
            entries = inside
        tau = share * best[0] / layout.shape[1]
        objective = barrier_objective(layout, scaled, tau)

        def in_units(x: FloatArray, objective: Objective = objective) -> tuple[float, FloatArray]:
            value, gradient = objective(x / unit)
            return value, gradient / unit

        found, iterations, _ = minimise(
            in_units, entries * unit, iterations=int(patience * allowed), precision=PRECISION
        )
        entries, total = found / unit, total + iterations
        best = min(best, (plain(entries)[0], entries), key=lambda pair: pair[0])
        value, weights, trace = _dual(scaled, layout.from_vector(entries)[0])
        if value**2 / trace > bound:
            bound, dual = value**2 / trace, weights / np.sqrt(trace)
        if share == CENTRAL:
            inside = entries
    strategy = BandedStrategy(bands=_positive_diagonal(layout.from_vector(best[1])[0]))
    return BandedSolution(
        strategy=strategy,
        inside=layout.from_vector(inside)[0],
        value=best[0] * scale**2,
        bound=min(bound, best[0]) * scale**2,
        iterations=total,
        dual=dual,
    )


Objective = Callable[[FloatArray], tuple[float, FloatArray]]


# From the squared norm of each row of L C⁻¹: a value, and its derivative by each of them.
RowCriterion = Callable[[FloatArray], tuple[float, FloatArray]]


def barrier_objective(
    layout: BandLayout, factor: FloatArray, tau: float, combine: RowCriterion | None = None
) -> Objective:
    """Return F(entries) = ‖L C⁻¹‖²_F − 2τ Σ_t log|C_tt| with its gradient; columns are unit.

    With Y = C⁻ᵀLᵀ and W = C⁻¹Y: ∂F/∂C = −2 Y Wᵀ − 2τ diag(1/C_tt), needed on the band only. With
    `combine` the first term is its value of the squared norms of the rows instead of their sum.

    >>> layout = BandLayout(bands=1, horizon=2)
    >>> barrier_objective(layout, np.array([[3.0, 4.0]]), 1.0)(np.ones(2))[0]
    25.0
    """
    from scipy.linalg.lapack import dtbtrs

    right_sides = np.asfortranarray(factor.T)

    def objective(entries: FloatArray) -> tuple[float, FloatArray]:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            bands, norms = layout.from_vector(entries)
            released, _ = dtbtrs(bands, right_sides, uplo="L", trans="T")
            weights, _ = dtbtrs(bands, released, uplo="L", trans="N")
            if combine is None:
                value, shares = float(np.vdot(released, released)), released
            else:
                value, slopes = combine(np.einsum("td,td->d", released, released))
                shares = released * slopes
            gradient = -2 * band_outer(shares, weights, layout.shape[0])
            if tau:
                value -= 2 * tau * float(np.log(np.abs(bands[0])).sum())
                gradient[0] -= 2 * tau / bands[0]
            slope = layout.pull_back(gradient, bands, norms)
        # A step that leaves the numbers' range is refused by the line search.
        good = np.isfinite(value) and np.isfinite(slope).all()
        return (value, slope) if good else (REFUSED, np.zeros_like(entries))

    return objective


def band_outer(left: FloatArray, right: FloatArray, bands: int) -> FloatArray:
    """Return the lower band of Y Wᵀ in band storage, shape (b, T), for Y and W of shape (T, r).

    >>> band_outer(np.array([[1.0], [2.0]]), np.array([[3.0], [4.0]]), 2)
    array([[3., 8.],
           [6., 0.]])
    """
    horizon = len(left)
    out = np.zeros((bands, horizon))
    if horizon <= DENSE_PRODUCTS:
        buffer = np.zeros((horizon + bands, horizon))
        np.matmul(left, right.T, out=buffer[:horizon])
        row, column = buffer.strides
        diagonals = np.lib.stride_tricks.as_strided(
            buffer, shape=out.shape, strides=(row, row + column)
        )
        out[...] = diagonals
        return out
    for k in range(bands):
        out[k, : horizon - k] = np.einsum("td,td->t", left[k:], right[: horizon - k])
    return out


def banded_bound(factor: FloatArray, bands: FloatArray) -> float:
    """Return a proven lower bound of tr(L X⁻¹ Lᵀ) over all b-banded X ⪰ 0 with diag(X) = 1.

    For V ⪰ 0 that is zero on the band beside the diagonal, tr(V X) = tr V, so the value is at
    least (tr (L V Lᵀ)^½)²/tr V. Take V = M + Z with M = X⁻¹LᵀL X⁻¹ from the strategy at hand and
    Z ⪰ 0 that is −M on that band. A banded matrix can be completed to such a Z if and only if
    each of its b × b windows along the diagonal is positive semidefinite, so only diag(Z) is
    needed: (tr(L X⁻¹ Lᵀ))² / (tr M + tr Z). It starts in the shape of diag(X⁻¹), which is the
    barrier's multiplier, and is scaled window by window.

    Args:
        factor: L, shape (r, T).
        bands: C with X = CᵀC in band storage, shape (b, T), unit columns.

    Source: theory of this project ("Certificate"), extended to banded X; Grone, Johnson, Sá and
    Wolkowicz (1984), Theorem 7, for the completion.

    >>> round(banded_bound(np.eye(3), np.ones((1, 3))), 12)
    3.0
    """
    value, _, trace = _dual(factor, bands)
    return value**2 / trace


def dual_bound(factor: FloatArray, dual: FloatArray) -> float:
    """Return what tr(L X⁻¹ Lᵀ) cannot be less than, from the dual point of another L.

    V ⪰ W Wᵀ with tr V = 1 is as good a dual point for any L: the value is at least
    (tr (L V Lᵀ)^½)² ≥ ‖L W‖_*². Dual points may be mixed: [√(1−s) W_a, √s W_b] is one, too.

    Args:
        factor: L, shape (r, T).
        dual: W of a solution, shape (T, any).

    Source: theory of this project ("Certificate").

    >>> solution = solve_optimal_banded(np.array([[1.0, 1.0], [0.0, 1.0]]), 2)
    >>> bool(dual_bound(np.array([[2.0, 2.0], [0.0, 2.0]]), solution.dual) <= 4 * solution.value)
    True
    """
    return float(np.linalg.svd(factor @ dual, compute_uv=False).sum() ** 2)


def _dual(factor: FloatArray, bands: FloatArray) -> tuple[float, FloatArray, float]:
    """Return tr(L X⁻¹ Lᵀ), W = X⁻¹Lᵀ and tr V of a V ⪰ W Wᵀ as `banded_bound` says."""
    from scipy.linalg.lapack import dtbtrs

    count, horizon = bands.shape
    released, _ = dtbtrs(bands, np.asfortranarray(factor.T), uplo="L", trans="T")
    weights, _ = dtbtrs(bands, released, uplo="L", trans="N")
    value = float(np.vdot(released, released))
    trace = float(np.vdot(weights, weights))
    if count == 1:
        return value, weights, trace
    noising, _ = dtbtrs(bands, np.asfortranarray(np.eye(horizon)), uplo="L")
    shape = np.einsum("ij,ij->i", noising, noising)  # diag(X⁻¹)
    index = np.arange(horizon - count + 1)[:, None] + np.arange(count)
    rows = weights[index]
    windows = -np.einsum("wid,wjd->wij", rows, rows, optimize=True)
    inside = np.arange(count)
    windows[:, inside, inside] = 0.0
    best = np.inf
    for _ in range(ROUNDS):
        roots = np.sqrt(shape)[index]
        smallest = np.linalg.eigvalsh(windows / roots[:, :, None] / roots[:, None, :])[:, 0]
        needed = np.zeros(horizon)
        for k in range(count):
            part = needed[k : k + len(smallest)]
            np.maximum(part, -smallest, out=part)
        shape = shape * np.maximum(needed, 1e-12)
        best = min(best, float(shape.sum()))
    return value, weights, trace + best


def _positive_diagonal(bands: FloatArray) -> FloatArray:
    # The sign of a column of C changes no X.
    return np.asfortranarray(bands * np.where(bands[0] < 0, -1.0, 1.0))
