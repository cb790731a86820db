"""Ranks, regret and agreement between rankings, against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from momentdp_core import (
    InputError,
    difference,
    kendall_tau,
    pairwise_accuracy,
    ranks,
    regret,
    selection_regret,
    top_one,
)

VALUES = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 7.0]), min_size=1, max_size=8)


@given(values=VALUES)
def test_rank_is_one_plus_the_number_of_better_entries(values):
    """Without near-ties a rank counts the strictly smaller entries."""
    array = np.array(values)
    expected = [1 + int((array < value).sum()) for value in values]
    assert ranks(array).tolist() == expected


def test_near_ties_share_a_rank():
    """Values within the relative tolerance of the group's smallest share; others do not."""
    values = np.array([1.0, 1.0 + 5e-10, 1.0 + 5e-9, 2.0])
    assert ranks(values).tolist() == [1, 1, 3, 4]
    assert ranks(values, tolerance=1e-8).tolist() == [1, 1, 1, 4]
    with pytest.raises(InputError, match="tolerance"):
        ranks(values, tolerance=-1)


def test_infinity_has_no_rank_and_zeros_tie():
    """Overflowed entries get rank 0 and never win; exact zeros are a tie."""
    table = np.array([[0.0, np.inf], [0.0, np.inf], [1.0, 3.0]])
    assert ranks(table).T.tolist() == [[1, 1, 3], [0, 0, 1]]


def test_regret_of_zeros_and_infinity():
    """Regret is 0 for the best even when it is 0, inf for what cannot be reached."""
    np.testing.assert_array_equal(regret(np.array([0.0, 1.0, np.inf])), [0, np.inf, np.inf])
    np.testing.assert_allclose(regret(np.array([2.0, 3.0])), [0, 0.5])
    np.testing.assert_array_equal(regret(np.array([0.0, 0.0])), [0, 0])


def test_difference_has_the_sign_of_the_worse():
    """Δ_ab = D_a − D_b."""
    table = np.array([[1.0, 2.0], [3.0, 1.0]])
    np.testing.assert_array_equal(difference(table, 0, 1), [-2.0, 1.0])


@given(pairs=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=8))
def test_kendall_tau_equals_scipy(pairs):
    """τ_b with ties agrees with SciPy's; undefined cases are 0."""
    score, truth = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    expected = kendalltau(score, truth).statistic if np.ptp(score) and np.ptp(truth) else 0.0
    assert kendall_tau(score, truth) == pytest.approx(expected, abs=1e-12)


def test_perfect_reversed_and_tied_scores():
    """A perfect score is right on all pairs, a reversed one on none, a constant one on half."""
    truth = [1.0, 2.0, 3.0, 4.0]
    assert pairwise_accuracy(truth, truth) == 1.0
    assert pairwise_accuracy(truth[::-1], truth) == 0.0
    assert pairwise_accuracy([5.0] * 4, truth) == 0.5
    assert pairwise_accuracy(truth, [1.0] * 4) == 1.0
    assert kendall_tau(truth, truth) == 1.0
    assert kendall_tau(truth[::-1], truth) == -1.0


def test_selection_by_a_score():
    """Top-1 and regret look at the score's first choice only."""
    assert top_one([1, 2, 3], [2.0, 2.0, 9.0])
    assert not top_one([3, 2, 1], [2.0, 2.0, 9.0])
    assert selection_regret([3, 2, 1], [2.0, 2.0, 9.0]) == 3.5
    with pytest.raises(InputError, match="score"):
        pairwise_accuracy([1.0], [1.0, 2.0])
