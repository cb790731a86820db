"""The paper's own recipe for problem P1, kept as the reproduction our solver is checked against.

Adam on the free band entries of X, started from 0.05·N(0, 1) with seed 0, with the penalty
1e6·(1e-3 − λ_min)² where λ_min(X) is below the floor; and its L-BFGS-B cross-check.
The paper does not print which iterate it keeps. With a fixed rate of 0.02 a step can land beside
the edge of positive definiteness and throw the later ones far off, so the best iterate above the
floor is kept, which comes closest to the agreement that the paper reports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray, check_choice, check_integer
from momentdp_core.mechanisms.base import DesignProblem
from momentdp_core.mechanisms.noisecurve import FLOOR, response_factor

ADAM_RATE = 0.02
ADAM_DECAYS = (0.9, 0.999)
ADAM_EPSILON = 1e-8
START_SCALE = 0.05
PENALTY = 1e6


@dataclass(frozen=True, kw_only=True, eq=False)
class RecipeResult:
    """What the recipe ended with.

    Args:
        gram: X, shape (T, T), unit diagonal, b-banded.
        objective: tr(L X⁻¹ Lᵀ) in the scale of `response_factor`, without the penalty.
        smallest_eigenvalue: λ_min(X); for L-BFGS the penalty holds it near the floor only.
        steps: optimizer steps taken.
    """

    gram: FloatArray
    objective: float
    smallest_eigenvalue: float
    steps: int


def noisecurve_recipe(
    problem: DesignProblem, *, optimizer: str = "adam", steps: int = 2000, seed: int = 0
) -> RecipeResult:
    """Solve problem P1 as the paper describes it.

    Minimise tr(Q X⁻¹) + 1e6·max(0, 1e-3 − λ_min(X))² over the free band entries of X.

    Args:
        problem: needs eigenvalues and learning_rate.
        optimizer: "adam" (rate 0.02) or "lbfgs" (maxiter 2000, ftol 1e-14, gtol 1e-10).
        steps: Adam steps; the paper uses 1500, 2000 and 3000.
        seed: of the starting entries.

    Raises:
        InputError: unknown optimizer, steps below 1, or a missing part of the problem.

    Source: MOMENT-DP Appendix B.2.

    >>> problem = DesignProblem(horizon=4, bands=2, eigenvalues=(1.0,), learning_rate=0.1)
    >>> result = noisecurve_recipe(problem, steps=50)
    >>> bool(np.allclose(np.diag(result.gram), 1))
    True
    """
    check_choice("optimizer", optimizer, ("adam", "lbfgs"))
    check_integer("steps", steps, low=1)
    eigenvalues, learning_rate = problem.need_quadratic()
    horizon, bands = problem.horizon, problem.bands
    factor = response_factor(eigenvalues, learning_rate, horizon)
    lower = [(i, j) for i in range(horizon) for j in range(max(0, i - bands + 1), i)]
    rows = np.array([i for i, _ in lower], dtype=int)
    columns = np.array([j for _, j in lower], dtype=int)

    def gram_of(entries: FloatArray) -> FloatArray:
        gram = np.eye(horizon)
        gram[rows, columns] = entries
        gram[columns, rows] = entries
        return gram

    def penalised(entries: FloatArray) -> tuple[float, FloatArray, bool]:
        gram = gram_of(entries)
        values, vectors = np.linalg.eigh(gram)
        solved = (vectors / values) @ (vectors.T @ factor.T)
        value = float(np.einsum("id,di->", solved, factor))
        gradient = -2 * np.einsum("kd,kd->k", solved[rows], solved[columns])
        short = FLOOR - values[0]
        if short > 0:
            value += PENALTY * short**2
            gradient -= 4 * PENALTY * short * vectors[rows, 0] * vectors[columns, 0]
        return value, gradient, short <= 0

    start = START_SCALE * np.random.default_rng(seed).standard_normal(len(lower))
    if optimizer == "adam":
        entries = _adam(penalised, start, steps)
    else:
        entries, steps = _lbfgs(penalised, start)
    gram = gram_of(entries)
    smallest = float(np.linalg.eigvalsh(gram)[0])
    objective = float(np.einsum("di,di->", factor, np.linalg.solve(gram, factor.T).T))
    return RecipeResult(gram=gram, objective=objective, smallest_eigenvalue=smallest, steps=steps)


# From the free entries: the penalised objective, its gradient, and whether λ_min ≥ the floor.
Penalised = Callable[[FloatArray], tuple[float, FloatArray, bool]]


def _adam(objective: Penalised, start: FloatArray, steps: int) -> FloatArray:
    entries = start.copy()
    best, best_value = entries.copy(), np.inf
    first, second = np.zeros_like(start), np.zeros_like(start)
    decay_1, decay_2 = ADAM_DECAYS
    for step in range(1, steps + 1):
        value, gradient, feasible = objective(entries)
        if feasible and value < best_value:
            best, best_value = entries.copy(), value
        first = decay_1 * first + (1 - decay_1) * gradient
        second = decay_2 * second + (1 - decay_2) * gradient**2
        mean = first / (1 - decay_1**step)
        spread = np.sqrt(second / (1 - decay_2**step)) + ADAM_EPSILON
        entries -= ADAM_RATE * mean / spread
    return best


def _lbfgs(objective: Penalised, start: FloatArray) -> tuple[FloatArray, int]:
    from scipy.optimize import minimize

    def value_and_gradient(entries: FloatArray) -> tuple[float, FloatArray]:
        return objective(entries)[:2]

    result = minimize(
        value_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 2000, "maxfun": 20000, "ftol": 1e-14, "gtol": 1e-10},
    )
    return result.x, int(result.nit)
