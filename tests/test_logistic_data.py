"""The data of the logistic regression: the paper's draw, its shards, and its minimum."""

from __future__ import annotations

import numpy as np
import pytest

from momentdp_core import InputError
from momentdp_core.experiments.logistic import per_example_gradients
from momentdp_core.experiments.logistic_data import mean_loss, minimise, paper_problem, streams
from momentdp_core.experiments.logistic_runs import LogisticSettings, partitions

SMALL = paper_problem(3, dimension=4, rows=96, horizon=12, calibration_rows=20)


def test_paper_problem_is_that_of_the_appendix():
    """4096 rows, 16 features of variance 10^-2 … 10^-1, calibrated on 500 rows at θ = 0."""
    problem = paper_problem(0)
    assert problem.shards.shape == (128, 32)
    assert problem.features.var(axis=0) == pytest.approx(np.logspace(-2, -1, 16), rel=0.12)
    x = problem.calibration_features
    assert len(x) == 500
    # |½ − y| = ½ for either label.
    assert problem.threshold == pytest.approx(np.median(np.linalg.norm(x, axis=1)) / 2, rel=1e-12)
    assert problem.calibrated == pytest.approx(np.linalg.eigvalsh(x.T @ x / 2000)[::-1], rel=1e-9)
    assert set(np.unique(problem.labels)) == {0.0, 1.0}


def test_labels_follow_the_drawn_weights():
    """The fitted weights are near w*, drawn as N(0, I/d): the labels carry the signal."""
    weights = streams("data", 5, 1)[0].standard_normal(3) / np.sqrt(3)
    problem = paper_problem(5, dimension=3, rows=60_000, horizon=4)
    error = 1 / np.sqrt(60_000 * problem.full)
    assert np.linalg.norm(problem.optimum - weights) < 4 * np.linalg.norm(error)


@pytest.mark.parametrize("reshuffle", [False, True])
def test_every_row_is_in_exactly_one_shard(reshuffle):
    """The shards of each replicate are disjoint and complete; reshuffled ones differ."""
    shards = partitions(SMALL, LogisticSettings(replicates=3, reshuffle=reshuffle))
    assert len(shards) == (3 if reshuffle else 1)
    for replicate in shards:
        assert replicate.shape == (12, 8)
        assert np.sort(replicate.ravel()).tolist() == list(range(96))
    assert not reshuffle or (shards[0] != shards[1]).any()


def test_minimum_has_no_slope_and_separable_classes_have_none():
    """Newton ends where the gradient is 0; separable classes have infimum 0 and no minimiser."""
    assert SMALL.attained
    slope = per_example_gradients(SMALL, SMALL.optimum, np.arange(96), clip=False).mean(axis=0)
    assert np.abs(slope).max() < 1e-9
    x = np.array([[1.0, 2.0], [2.0, -1.0], [-1.0, 0.3], [-2.0, 0.2]])
    y = np.array([1.0, 1.0, 0.0, 0.0])
    theta, attained = minimise(x, y)
    assert not attained
    assert 0 <= mean_loss(x, y, theta) < 1e-9


def test_shards_need_one_common_size():
    """A number of rows that the steps do not divide is refused."""
    with pytest.raises(InputError, match="a multiple of 7"):
        paper_problem(0, rows=100, horizon=7)
