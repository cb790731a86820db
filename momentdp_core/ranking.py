"""Ranks with ties, differences, regret, and how well one ranking predicts another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from momentdp_core.errors import FloatArray, check_real, check_vector

IntArray = NDArray[np.int64]
# Damages closer than this, relatively, are a tie.
TIE_TOLERANCE = 1e-9


def ranks(values: FloatArray, *, tolerance: float = TIE_TOLERANCE) -> IntArray:
    """Return ranks along the first axis: 1 is the smallest, ties share, infinity has rank 0.

    Sorted values join the group of the smallest one within the relative tolerance; a rank is
    1 + the number of strictly better entries.

    Args:
        values: damages or scores ≥ 0, shape (n, …).
        tolerance: relative size of a tie.

    Raises:
        InputError: a negative tolerance.

    Source: MOMENT-DP, Section 3; ties by the theory of this project.

    >>> ranks(np.array([3.0, 1.0, 1.0, np.inf])).tolist()
    [3, 1, 1, 0]
    """
    check_real("tolerance", tolerance, low=0)
    table = np.asarray(values, dtype=np.float64)
    order = np.argsort(table, axis=0, kind="stable")
    ordered = np.take_along_axis(table, order, axis=0)
    placed = np.ones(table.shape, dtype=np.int64)
    leader = ordered[0].copy()
    rank = np.ones(table.shape[1:], dtype=np.int64)
    for place in range(len(table)):
        beyond = ordered[place] > leader * (1 + tolerance)
        leader = np.where(beyond, ordered[place], leader)
        rank = np.where(beyond, place + 1, rank)
        placed[place] = np.where(np.isfinite(ordered[place]), rank, 0)
    out = np.empty_like(placed)
    np.put_along_axis(out, order, placed, axis=0)
    return out


def regret(values: FloatArray) -> FloatArray:
    """Return D/min D − 1 along the first axis; 0 for the best, inf where D is inf.

    Where the best is exactly 0, regret is 0 for entries that are 0 too, else inf.

    >>> regret(np.array([2.0, 1.0]))
    array([1., 0.])
    """
    table = np.asarray(values, dtype=np.float64)
    best = table.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        out = table / best - 1
    out = np.where(np.isfinite(table), out, np.inf)
    return np.where((table == best) & np.isfinite(table), 0.0, out)


def difference(values: FloatArray, first: int, second: int) -> FloatArray:
    """Return Δ_ab = D_a − D_b for two rows of (n, …).

    >>> difference(np.array([[2.0], [1.5]]), 0, 1)
    array([0.5])
    """
    return np.asarray(values[first] - values[second])


def _pair_signs(values: FloatArray, tolerance: float) -> IntArray:
    first, second = np.triu_indices(len(values), 1)
    a, b = values[first], values[second]
    scale = np.maximum(np.abs(a), np.abs(b))
    return np.where(np.abs(a - b) <= tolerance * scale, 0, np.sign(a - b)).astype(np.int64)


def pairwise_accuracy(score: object, truth: object, *, tolerance: float = TIE_TOLERANCE) -> float:
    """Return the share of pairs that `score` orders as `truth` does.

    Pairs tied in the truth do not count; a pair tied in the score counts half.

    Args:
        score: predicted values, smaller is better, shape (n,).
        truth: damages, shape (n,).
        tolerance: relative size of a tie.

    Returns:
        0 … 1; NaN-free: 1 when no pair can be told apart.

    Source: MOMENT-DP, Table 3 ("Pairwise").

    >>> pairwise_accuracy([1, 2, 3], [1, 3, 2])
    0.6666666666666666
    """
    predicted, actual = _both_signs(score, truth, tolerance)
    told = actual != 0
    if not told.any():
        return 1.0
    right = np.where(predicted == 0, 0.5, predicted == actual)
    return float(right[told].mean())


def kendall_tau(score: object, truth: object, *, tolerance: float = TIE_TOLERANCE) -> float:
    """Return Kendall's τ_b = (concordant − discordant)/√((pairs − ties_s)(pairs − ties_t)).

    Returns:
        −1 … 1; 0 when one of the two has only ties.

    Source: MOMENT-DP, Table 3 ("Kendall τ"); Kendall (1945) for ties.

    >>> round(kendall_tau([1, 2, 3], [1, 3, 2]), 6)
    0.333333
    """
    predicted, actual = _both_signs(score, truth, tolerance)
    told = float(np.count_nonzero(predicted)) * float(np.count_nonzero(actual))
    return float((predicted * actual).sum() / np.sqrt(told)) if told else 0.0


def top_one(score: object, truth: object, *, tolerance: float = TIE_TOLERANCE) -> bool:
    """Return whether the score's first choice is (one of) the truth's best.

    >>> top_one([1, 2], [5, 4])
    False
    """
    predicted, actual = check_vector("score", score), check_vector("truth", truth)
    return bool(ranks(actual, tolerance=tolerance)[int(np.argmin(predicted))] == 1)


def selection_regret(score: object, truth: object) -> float:
    """Return the regret of the score's first choice: D_choice/min D − 1.

    Source: MOMENT-DP, Table 3 ("Rel. regret").

    >>> selection_regret([1, 2], [5.0, 4.0])
    0.25
    """
    predicted, actual = check_vector("score", score), check_vector("truth", truth)
    return float(regret(actual)[int(np.argmin(predicted))])


def _both_signs(score: object, truth: object, tolerance: float) -> tuple[IntArray, IntArray]:
    actual = check_vector("truth", truth)
    predicted = check_vector("score", score, length=len(actual))
    return _pair_signs(predicted, tolerance), _pair_signs(actual, tolerance)
