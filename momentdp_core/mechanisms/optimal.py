"""The best mechanism for any quadratic criterion: least tr(L X⁻¹ Lᵀ), with a certificate.

The problem is convex in X = CᵀC. Its dual has one weight v_t ≥ 0 a step, and for Q = LᵀL it is
the Φ_p-optimal experimental design of p = ½ with the columns of L as points: for a low-rank Q
often only a few dozen steps keep a weight. Everything happens in the d dimensions of L, and the
dual solution gives the design directly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.dense import reversed_cholesky
from momentdp_core.mechanisms.structures import DenseStrategy, Strategy, unit_columns

# X ⪰ FLOOR·I for the design; it costs at most the share FLOOR of its value.
FLOOR = 1e-3
# The dual stops at this relative gap of its own, or after this many evaluations.
DUAL_GAP = 1e-4
MAX_EVALUATIONS = 2000
# Directions and steps of Q below these shares of the largest are left out of the dual.
RANK_SHARE = 1e-12
COLUMN_SHARE = 1e-13
# Eigenvalues below this share are 0; roots below that share may be rounding.
SMALLEST_EIGENVALUE = 1e-28
ROUNDING = 1e-7
# Steps of the fixed point for repeated participation.
PATTERN_STEPS = 200
# Longest extrapolation, and how far below the largest a weight may fall, as a logarithm.
LONGEST_STRIDE = 30.0
LOWEST_LOG_WEIGHT = -80.0


@dataclass(frozen=True, kw_only=True, eq=False)
class DualWeights:
    """A point of the dual problem and what it proves.

    Args:
        log_weights: log v of the best bound, shape (T,); −inf for steps without influence.
        primal: log v of the best primal point, shape (T,).
        bound: no X ⪰ 0 with diag(X) = 1 has a smaller tr(L X⁻¹ Lᵀ).
        gap: what the dual's own primal point lies above the bound, relative.
        evaluations: of the dual's gradient.
    """

    log_weights: FloatArray
    primal: FloatArray
    bound: float
    gap: float
    evaluations: int


class DualProblem:
    """The concave dual φ(v) = 2 tr((L V Lᵀ)^½) − Σv for one L.

    Only steps whose column of L is not negligible take part; leaving a step out is v_t = 0, and
    leaving a small direction of L out makes Q smaller, so every bound stays a bound.

    Args:
        factor: L, shape (r, T), finite, not all zero.

    >>> problem = DualProblem(np.array([[3.0, 4.0]]))
    >>> round(problem.value(np.log([1e-30, 1.0]))[0] * problem.scale**2, 9)
    16.0
    """

    def __init__(self, factor: FloatArray) -> None:
        self.horizon = factor.shape[1]
        self.scale = float(np.abs(factor).max())
        _, values, rows = np.linalg.svd(factor / self.scale, full_matrices=False)
        kept = values > RANK_SHARE * values[0]
        self.basis = values[kept, None] * rows[kept]
        squares = np.einsum("dt,dt->t", self.basis, self.basis)
        self.active = squares > COLUMN_SHARE**2 * squares.max()
        self.points = np.ascontiguousarray(self.basis[:, self.active])
        self.squares = squares[self.active]

    def spectrum(self, log_v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the eigenvalues s and rows U with (L V Lᵀ)^½ = Uᵀ diag(s) U, without zeros."""
        values, vectors = np.linalg.eigh((self.points * np.exp(log_v)) @ self.points.T)
        kept = values > values[-1] * SMALLEST_EIGENVALUE
        return np.sqrt(values[kept]), vectors[:, kept].T

    def value(self, log_v: FloatArray) -> tuple[float, float, FloatArray]:
        """Return the bound and ρ = diag(Lᵀ(LVLᵀ)^−½ L), both at v's best scale, and the gap.

        With s the eigenvalues of (LVLᵀ)^½: that scale multiplies v by (Σs/Σv)², the bound is
        (Σs)²/Σv, and max ρ times that is reached by X = Lᵀ(LVLᵀ)^−½L / max ρ with its diagonal
        filled up to 1. The fixed point is ρ = 1.
        """
        values, vectors = self.spectrum(log_v)
        projected = vectors @ self.points
        total = float(values.sum())
        weight = float(np.exp(log_v).sum())
        density = np.einsum("dt,dt,d->t", projected, projected, weight / (total * values))
        # What rounding may have made up proves nothing.
        proven = float(values[values > values[-1] * ROUNDING].sum())
        gap = float(density.max()) * (total / proven) ** 2 - 1
        return proven**2 / weight, gap, density

    def maximise(self, start: FloatArray | None = None) -> DualWeights:
        """Climb the dual by the fixed point v ← v ρ, i.e. v ← diag((V^½ Q V^½)^½), accelerated.

        Two plain steps in log v give an extrapolated one (SQUAREM); it is taken only where it
        proves more than they do. Weights of steps that do not count fall without end, which
        Anderson's mixing would follow and never converge.

        Source: theory of this project ("Certificate"); Varadhan and Roland (2008), scheme S3.
        """
        log_v = np.log(self.squares) / 2
        if start is not None:
            known = start[self.active]
            peak = known.max()
            # A warm start gives every step its chance again.
            log_v = np.where(known > peak - 14, known, peak - 14)
        best: float = -np.inf
        smallest: float = np.inf
        best_log = smallest_log = log_v
        evaluations = 0

        def look(point: FloatArray) -> tuple[float, FloatArray]:
            nonlocal best, best_log, smallest, smallest_log, evaluations
            bound, gap, density = self.value(point)
            evaluations += 1
            if (1 + gap) * bound < smallest:
                smallest, smallest_log = (1 + gap) * bound, point
            if bound > best:
                best, best_log = bound, point
            return bound, np.log(np.maximum(density, 1e-300))

        while evaluations < MAX_EVALUATIONS:
            _, first = look(log_v)
            if smallest / best - 1 < DUAL_GAP:
                break
            plain, second = look(log_v + first)
            if smallest / best - 1 < DUAL_GAP:
                break
            # Only steps that keep a weight say how long to stride.
            heavy = log_v > log_v.max() - 11.5
            change = float(np.linalg.norm((second - first)[heavy]))
            stride = float(np.linalg.norm(first[heavy])) / max(change, 1e-300)
            stride = min(max(1.0, stride), LONGEST_STRIDE)
            far = log_v + 2 * stride * first + stride**2 * (second - first)
            far = np.maximum(far - far.max(), LOWEST_LOG_WEIGHT)
            bound, third = look(far)
            log_v = far + third if bound >= plain else log_v + first + second
            log_v = np.maximum(log_v - log_v.max(), LOWEST_LOG_WEIGHT)
        full = np.full((2, self.horizon), -np.inf)
        full[:, self.active] = best_log, smallest_log
        return DualWeights(
            log_weights=full[0],
            primal=full[1],
            bound=best * self.scale**2,
            gap=smallest / best - 1,
            evaluations=evaluations,
        )

    def gram(self, log_v: FloatArray, *, evenly: bool) -> FloatArray:
        """Return the X that a dual point stands for, with diag(X) = 1 and X ⪰ FLOOR·I.

        X₀ = Lᵀ(LVLᵀ)^−½L has diagonal ρ, at v's best scale. Where ρ > 1 it is scaled down, evenly
        or step by step; what the diagonal then lacks is added to it, which only lowers the value.

        Args:
            log_v: log v, shape (T,).
            evenly: scale all steps by the largest ρ.
        """
        kept = log_v[self.active]
        values, vectors = self.spectrum(kept)
        rows = (vectors @ self.basis) * np.sqrt(np.exp(kept).sum() / (values.sum() * values))[
            :, None
        ]
        density = np.einsum("dt,dt->t", rows, rows)
        density = np.maximum(density, 1.0)
        rows = rows / np.sqrt(density.max() if evenly else density)
        gram = np.asarray((1 - FLOOR) * (rows.T @ rows))
        np.fill_diagonal(gram, 1.0)
        return gram


def solve_optimal(
    factor: FloatArray, start: DualWeights | None = None
) -> tuple[DenseStrategy, DualWeights]:
    """Minimise tr(L X⁻¹ Lᵀ) over all C with X = CᵀC and unit columns.

    The bound 2 tr((L V Lᵀ)^½) − Σv holds for every v ≥ 0; an iteration costs O(T r²). The design
    is X = (1−f)·Lᵀ(LVLᵀ)^−½L + diag(…), f = 1e-3, at most 1/(1−f) times the dual's own primal
    value.

    Args:
        factor: L, shape (r, T), finite.
        start: a solution of a nearby problem.

    Source: theory of this project ("The best mechanism for an optimizer").

    >>> strategy, weights = solve_optimal(np.array([[1.0, 1.0], [0.0, 1.0]]))
    >>> bool(abs(weights.bound - (3 + 5**0.5) / 2) < 1e-3)
    True
    """
    horizon = factor.shape[1]
    if not factor.any():
        none = np.full(horizon, -np.inf)
        empty = DualWeights(log_weights=none, primal=none, bound=0.0, gap=0.0, evaluations=0)
        return DenseStrategy(matrix=np.eye(horizon)), empty
    problem = DualProblem(factor)
    usable = start is not None and np.isfinite(start.log_weights[problem.active]).any()
    weights = problem.maximise(start.log_weights if start is not None and usable else None)
    candidates = [
        DenseStrategy(matrix=unit_columns(reversed_cholesky(problem.gram(log_v, evenly=evenly))))
        for log_v, evenly in ((weights.primal, True), (weights.log_weights, False))
    ]
    return min(candidates, key=lambda strategy: criterion(strategy, factor)), weights


def criterion(strategy: Strategy, factor: FloatArray) -> float:
    """Return tr(L X⁻¹ Lᵀ) = ‖L C⁻¹‖²_F, the norm route.

    >>> criterion(DenseStrategy(matrix=np.eye(2)), np.ones((1, 2)))
    2.0
    """
    filtered = strategy.apply_noising(factor)
    return float(np.vdot(filtered, filtered))


def participation_bound(factor: FloatArray, participations: int, min_separation: int) -> float:
    """Return a proven lower bound of Δ² ‖L C⁻¹‖²_F, Δ the sensitivity for k participations.

    The steps a, a + p, a + 2p, … with p = max(s, ⌈T/k⌉) are a pattern, and for gradients of random
    signs Δ² is at least Σ X_tt over it. So with one weight u_a ≥ 0 a pattern and v_t = u_{t mod p},
    Δ² tr(L X⁻¹ Lᵀ) ≥ (tr (L V Lᵀ)^½)²/Σu. The fixed point is u ← u Σ_{t ∈ a} ρ_t.

    Args:
        factor: L, shape (r, T).
        participations: k ≥ 1.
        min_separation: s ≥ 1.

    Source: theory of this project ("Certificate"), extended to repeated participation.

    >>> round(participation_bound(np.eye(4), 2, 2), 6)
    8.0
    """
    if not factor.any():
        return 0.0
    problem = DualProblem(factor)
    horizon = factor.shape[1]
    period = min(max(min_separation, -(-horizon // participations)), horizon)
    pattern = (np.arange(horizon) % period)[problem.active]
    log_u = np.full(period, -np.inf)
    np.maximum.at(log_u, pattern, np.log(problem.squares) / 2)
    live = np.isfinite(log_u)
    best = 0.0
    for _ in range(PATTERN_STEPS):
        log_v = log_u[pattern]
        bound, _, density = problem.value(log_v)
        # `value` divides by Σv, the patterns by Σu.
        ratio = float(np.exp(log_v).sum() / np.exp(log_u[live]).sum())
        best = max(best, bound * ratio)
        shared = np.bincount(pattern, weights=density, minlength=period)
        log_u[live] += np.log(np.maximum(shared[live], 1e-300))
        log_u = np.maximum(log_u - log_u.max(), np.where(live, LOWEST_LOG_WEIGHT, -np.inf))
    return best * problem.scale**2
