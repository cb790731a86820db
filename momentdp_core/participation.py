"""Sensitivity when an example takes part several times: at most k times, at least s steps apart.

An example that takes part at the steps π moves C G by Σ_{i∈π} C_i ⊗ g_i with ‖g_i‖ ≤ 1, so its
squared sensitivity is the largest Σ_{i,j∈π} X_ij ⟨g_i, g_j⟩, X = CᵀC. That is Σ |X_ij| where the
signs of X on π can be met by ±1 on the steps; elsewhere Σ |X_ij| is an upper bound, because
gradients are vectors and can also stand at other angles than 0 and 180 degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray, check_integer
from momentdp_core.mechanisms import Mechanism
from momentdp_core.mechanisms.base import DENSE_HORIZON_LIMIT
from momentdp_core.mechanisms.structures import BandedStrategy, Strategy, ToeplitzStrategy

# Patterns looked at one by one, at most.
ENUMERATION_LIMIT = 50_000


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """The sensitivity of a mechanism under a participation rule.

    Args:
        value: no example moves C G by more than this, in 2-norm.
        exact: whether some example does; else the value is an upper bound.
        method: "single", "bands", "toeplitz", "enumeration" or "bound".
    """

    value: float
    exact: bool
    method: str


def most_participations(horizon: int, participations: int, min_separation: int) -> int:
    """Return how often an example can really take part: min(k, 1 + ⌊(T−1)/s⌋).

    >>> most_participations(10, 99, 4)
    3
    """
    return min(participations, 1 + (horizon - 1) // min_separation)


def sensitivity(
    mechanism: Mechanism, *, participations: int = 1, min_separation: int = 1
) -> Sensitivity:
    """Return the mechanism's sensitivity for at most k participations at least s steps apart.

    max over patterns π of (Σ_{i,j∈π} |X_ij|)^½, X = CᵀC.

    Args:
        mechanism: C of single-participation sensitivity 1.
        participations: k ≥ 1.
        min_separation: s ≥ 1, the least difference of two steps with the same example.

    Raises:
        InputError: out of range.

    Source: theory of this project ("Multi-participation"); Choquette-Choo et al. (2023).

    >>> from momentdp_core.mechanisms import solve
    >>> sensitivity(solve("iid", horizon=8), participations=4, min_separation=2)
    Sensitivity(value=2.0, exact=True, method='bands')
    """
    return strategy_sensitivity(mechanism.strategy, participations, min_separation)


def strategy_sensitivity(
    strategy: Strategy, participations: int = 1, min_separation: int = 1
) -> Sensitivity:
    """Return `sensitivity` of a strategy matrix on its own, whatever its scale.

    Single: the largest column norm · bands of C at most s: columns of one example are orthogonal,
    so √k times that for equal columns · Toeplitz with c_0 ≥ c_1 ≥ … ≥ 0: participation at
    0, s, 2s, … is worst · few patterns: all of them · else a bound (`pattern_bound`), and k times
    the largest column beyond T = 4096.
    """
    k = check_integer("participations", participations, low=1)
    separation = check_integer("min_separation", min_separation, low=1)
    k = most_participations(strategy.horizon, k, separation)
    if k == 1:
        return Sensitivity(value=strategy.sensitivity, exact=True, method="single")
    if isinstance(strategy, ToeplitzStrategy):
        series = strategy.strategy_series
        if len(series) > separation and _falls(series):
            return Sensitivity(
                value=_regular(series, strategy.horizon, k, separation),
                exact=True,
                method="toeplitz",
            )
        width = len(series)
        squares = np.full(strategy.horizon, strategy.sensitivity**2)
        lengths = np.cumsum(series**2)
        short = min(width, strategy.horizon)
        squares[strategy.horizon - short :] = lengths[:short][::-1]
    elif isinstance(strategy, BandedStrategy):
        width = len(strategy.bands)
        squares = np.einsum("kj,kj->j", strategy.bands, strategy.bands)
    else:
        width, squares = strategy.horizon, np.empty(0)
    if width <= separation:
        value = float(np.sqrt(_best_sums(squares[:, None], k, separation)[0]))
        return Sensitivity(value=value, exact=True, method="bands")
    if strategy.horizon > DENSE_HORIZON_LIMIT:
        return Sensitivity(value=k * strategy.sensitivity, exact=False, method="bound")
    matrix = strategy.strategy_matrix()
    return gram_sensitivity(matrix.T @ matrix, k, separation)


def gram_sensitivity(gram: FloatArray, participations: int, min_separation: int) -> Sensitivity:
    """Return the sensitivity from X = CᵀC, by all patterns where they are few, else as a bound.

    Args:
        gram: X, shape (T, T).
        participations: k ≥ 1.
        min_separation: s ≥ 1.

    >>> gram_sensitivity(np.array([[1.0, -0.5], [-0.5, 1.0]]), 2, 1)
    Sensitivity(value=1.7320508075688772, exact=True, method='enumeration')
    """
    horizon = len(gram)
    if not np.isfinite(gram).all():
        return Sensitivity(value=np.inf, exact=False, method="bound")
    k = most_participations(horizon, participations, min_separation)
    sizes = np.abs(gram)
    count = _pattern_count(horizon, k, min_separation)
    if count > ENUMERATION_LIMIT:
        value = float(np.sqrt(pattern_bound(sizes, k, min_separation)))
        return Sensitivity(value=value, exact=False, method="bound")
    best = 0.0
    worst: tuple[int, ...] = (0,)
    for pattern, total in _patterns(sizes, k, min_separation):
        if total > best:
            best, worst = total, pattern
    balanced = _is_balanced(gram[np.ix_(worst, worst)])
    return Sensitivity(value=float(np.sqrt(best)), exact=balanced, method="enumeration")


def pattern_bound(sizes: FloatArray, participations: int, min_separation: int) -> float:
    """Return an upper bound of the largest Σ_{i,j∈π} |X_ij| over all patterns π.

    Each row i has at most r_i = max_π Σ_{j∈π} |X_ij|, and the sum is at most max_π Σ_{i∈π} r_i:
    T + 1 problems with one weight a step, each solved exactly.

    Args:
        sizes: |X|, shape (T, T).
        participations: k ≥ 1.
        min_separation: s ≥ 1.

    Source: theory of this project ("Multi-participation").

    >>> pattern_bound(np.eye(4), 2, 2)
    2.0
    """
    rows = _best_sums(sizes, participations, min_separation)
    return float(_best_sums(rows[:, None], participations, min_separation)[0])


def _best_sums(weights: FloatArray, k: int, separation: int) -> FloatArray:
    """Return the largest sum over patterns of each column of weights ≥ 0, shape (T, n)."""
    horizon, columns = weights.shape
    before = np.zeros((horizon + separation, columns))
    for _ in range(k):
        # after[t]: the best sum that begins at step t or later, one participation more.
        after = np.zeros_like(before)
        after[:horizon] = weights + before[separation:]
        np.maximum.accumulate(after[horizon - 1 :: -1], axis=0, out=after[horizon - 1 :: -1])
        before = after
    return np.asarray(before[0])


def _falls(series: FloatArray) -> bool:
    slack = 1e-13 * abs(float(series[0]))  # rounding
    return bool((series >= -slack).all() and (np.diff(series) <= slack).all())


def _regular(series: FloatArray, horizon: int, k: int, separation: int) -> float:
    total = np.zeros(horizon)
    for start in range(0, k * separation, separation):
        reach = min(len(series), horizon - start)
        total[start : start + reach] += series[:reach]
    return float(np.linalg.norm(total))


def _pattern_count(horizon: int, k: int, separation: int) -> float:
    """Return how many patterns have 1 … k participations."""
    from scipy.special import comb

    return float(sum(comb(horizon - (m - 1) * (separation - 1), m) for m in range(1, k + 1)))


def _patterns(sizes: FloatArray, k: int, separation: int) -> list[tuple[tuple[int, ...], float]]:
    """Return every pattern that cannot be extended, or has k steps, with its Σ |X_ij|."""
    horizon = len(sizes)
    open_: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    done = []
    while open_:
        pattern, total = open_.pop()
        first = pattern[-1] + separation if pattern else 0
        if len(pattern) == k or first >= horizon:
            done.append((pattern, total))
            continue
        chosen = list(pattern)
        for step in range(first, horizon):
            more = sizes[step, step] + 2 * float(sizes[step, chosen].sum())
            open_.append(((*pattern, step), total + more))
    return done


def _is_balanced(block: FloatArray) -> bool:
    """Say whether ±1 on the steps can meet the sign of every entry that is not 0."""
    size = len(block)
    sign = np.zeros(size)
    for root in range(size):
        if sign[root]:
            continue
        sign[root] = 1.0
        queue = [root]
        while queue:
            i = queue.pop()
            for j in np.flatnonzero(block[i]):
                wanted = sign[i] * np.sign(block[i, j])
                if sign[j] == 0:
                    sign[j] = wanted
                    queue.append(int(j))
                elif sign[j] != wanted:
                    return False
    return True
