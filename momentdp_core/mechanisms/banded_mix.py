"""Banded designs between two others: nearly optimal where the problem lies between theirs.

The feasible Gram matrices are convex, and so are the dual points, so a mix of two solutions is
feasible on both sides; what it loses falls with the square of the distance between the problems.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.noisecurve import plain_gram, strategy_of_gram
from momentdp_core.mechanisms.optimal import criterion
from momentdp_core.mechanisms.optimal_banded import BandedSolution, dual_bound

# To how much of the way from one solution to the other the best mix is found.
SHARE = 0.02


def mixed_solution(
    factor: FloatArray, first: BandedSolution, second: BandedSolution
) -> BandedSolution:
    """Return the best mix of two solutions for a problem between theirs, with the bound of a mix.

    X = (1−s) X_a + s X_b, and W = [√(1−u) W_a, √u W_b] of `dual_bound`, each share searched for
    on its own. The bound holds wherever L comes from; it is close where L is between.

    Args:
        factor: L, shape (r, T).
        first, second: of problems with the same T and b.

    Source: theory of this project ("Certificate").

    >>> from momentdp_core.mechanisms.optimal_banded import solve_optimal_banded
    >>> ends = [solve_optimal_banded(np.array([[1.0, 1.0], [0.0, x]]), 2) for x in (1.0, 1.2)]
    >>> between = mixed_solution(np.array([[1.0, 1.0], [0.0, 1.1]]), *ends)
    >>> bool(between.bound <= between.value < between.bound * 1.001)
    True
    """
    from scipy.linalg.lapack import dpbtrf, dpbtrs

    grams = [plain_gram(solution.strategy.bands) for solution in (first, second)]
    inside = [plain_gram(solution.inside) for solution in (first, second)]
    right_sides = np.asfortranarray(factor.T)

    def value(share: float) -> float:
        cholesky, _ = dpbtrf((1 - share) * grams[0] + share * grams[1], lower=1)
        weights, _ = dpbtrs(cholesky, right_sides, lower=1)
        return float(np.vdot(right_sides, weights))

    def dual(share: float) -> FloatArray:
        return np.hstack([np.sqrt(1 - share) * first.dual, np.sqrt(share) * second.dual])

    share = _best_share(value)
    strategy = strategy_of_gram((1 - share) * grams[0] + share * grams[1])
    proof = dual(_best_share(lambda s: -dual_bound(factor, dual(s))))
    reached = criterion(strategy, factor)
    return BandedSolution(
        strategy=strategy,
        inside=strategy_of_gram((1 - share) * inside[0] + share * inside[1]).bands,
        value=reached,
        bound=min(dual_bound(factor, proof), reached),
        iterations=0,
        dual=proof,
    )


def _best_share(loss: Callable[[float], float]) -> float:
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(loss, bounds=(0.0, 1.0), method="bounded", options={"xatol": SHARE})
    return float(found.x)
