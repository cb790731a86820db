"""The dense optimum: the strategy of least mean error for prefix sums, with a certificate."""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.base import DesignProblem, Family, SolverReport
from momentdp_core.mechanisms.structures import DenseStrategy, Strategy, unit_columns

MAX_ITERATIONS = 200
RELATIVE_GAP = 1e-11
# Number of past steps that Anderson's acceleration combines.
HISTORY = 8


def solve_dense(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Minimise MeanSE = ‖A C⁻¹‖²_F / T over all C with unit columns.

    With Q = AᵀA and V = diag v: the fixed point v = diag((V^½ Q V^½)^½) gives
    X = V^−½ (V^½ Q V^½)^½ V^−½ and C with X = CᵀC. For every v > 0 the optimum is at least
    (2 tr((V^½ Q V^½)^½) − Σv)/T, which certifies the result. The fixed point is iterated in
    log v with Anderson acceleration.

    Source: MOMENT-DP Appendix C, "dense optimal MF"; Denisov et al. (2022), Theorem 3.2.

    >>> round(solve_dense(DesignProblem(horizon=2))[1].objective, 9)
    1.309016994
    """
    problem.check_dense("dense")
    horizon = problem.horizon
    prefix = np.tril(np.ones((horizon, horizon)))
    gram, _, bound, iterations, converged = minimise_trace(prefix.T @ prefix)
    strategy = DenseStrategy(matrix=unit_columns(reversed_cholesky(gram)))
    value = float(strategy.prefix_errors().mean())
    return strategy, SolverReport(
        objective=value,
        lower_bound=min(bound / horizon, value),
        iterations=iterations,
        converged=converged,
    )


def minimise_trace(workload: FloatArray) -> tuple[FloatArray, float, float, int, bool]:
    """Minimise tr(Q X⁻¹) over X ⪰ 0 with diag(X) = 1 for a positive definite Q.

    Args:
        workload: Q, shape (T, T).

    Returns:
        X, the reached value, the certified lower bound, iterations, converged.

    >>> round(minimise_trace(np.array([[2.0, 1.0], [1.0, 1.0]]))[1], 9)
    2.618033989
    """
    log_v = np.log(np.diag(workload)) / 2
    points: list[FloatArray] = []
    residuals: list[FloatArray] = []
    best_bound, best_value = -np.inf, np.inf
    gram = np.eye(len(workload))
    for iteration in range(1, MAX_ITERATIONS + 1):
        root = np.exp(log_v / 2)
        values, vectors = np.linalg.eigh(root[:, None] * workload * root)
        values = np.sqrt(np.maximum(values, 0))
        image = (vectors * vectors) @ values  # diag((V^½ Q V^½)^½)
        best_bound = max(best_bound, float(2 * values.sum() - np.exp(log_v).sum()))
        candidate, value = _feasible(values, vectors, root, image)
        if value < best_value:
            best_value, gram = value, candidate
        if best_value - best_bound <= RELATIVE_GAP * best_value:
            return gram, best_value, best_bound, iteration, True
        residual = np.log(image) - log_v
        points, residuals = [*points[-HISTORY:], log_v], [*residuals[-HISTORY:], residual]
        log_v = _anderson_step(points, residuals)
    return gram, best_value, best_bound, MAX_ITERATIONS, False


def _feasible(
    values: FloatArray, vectors: FloatArray, root: FloatArray, image: FloatArray
) -> tuple[FloatArray, float]:
    # With R = (V^½ Q V^½)^½ and S² = diag(R), X = S⁻¹ R S⁻¹ has unit diagonal, and
    # tr(Q X⁻¹) = tr(R² M R⁻¹ M) with the diagonal M = S V^−½.
    scale = np.sqrt(image)
    power = (vectors * values) @ vectors.T
    gram = power / scale[:, None] / scale
    np.fill_diagonal(gram, 1.0)
    ratio = vectors.T @ ((scale / root)[:, None] * vectors)
    value = float(np.einsum("i,ij,ij,j->", values**2, ratio, ratio, 1 / values))
    return gram, value


def _anderson_step(points: list[FloatArray], residuals: list[FloatArray]) -> FloatArray:
    plain = points[-1] + residuals[-1]
    if len(points) == 1:
        return plain
    steps = np.diff(np.array(points), axis=0).T
    changes = np.diff(np.array(residuals), axis=0).T
    weights = np.linalg.lstsq(changes, residuals[-1], rcond=1e-10)[0]
    mixed = plain - (steps + changes) @ weights
    # A jump of more than e² in any v is the extrapolation failing: take the plain step.
    return mixed if np.abs(mixed - points[-1]).max() < 2 else plain


def reversed_cholesky(gram: FloatArray) -> FloatArray:
    """Return the lower-triangular C with CᵀC = X.

    A plain Cholesky gives X = LLᵀ, whose factor has unit rows, not unit columns; turning the
    order of the steps round before and after gives X = CᵀC.

    >>> gram = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> factor = reversed_cholesky(gram)
    >>> bool(np.allclose(factor.T @ factor, gram))
    True
    """
    return np.array(np.linalg.cholesky(gram[::-1, ::-1])[::-1, ::-1].T)


DENSE = Family(
    key="dense",
    label="Dense MF",
    description="The least mean error for prefix sums that any strategy can have (certified).",
    iterative=True,
    build=solve_dense,
)
