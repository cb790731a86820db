"""The step noise of a mechanism: its covariance in the middle, samples, and memory."""

from __future__ import annotations

import numpy as np
import pytest

from momentdp_core import (
    MECHANISMS,
    InputError,
    Scenario,
    noise_autocovariance,
    noise_memory,
    sample_noise,
)

ALL = tuple(MECHANISMS)
SMALL = Scenario(horizon=9, bands=3, mechanisms=ALL)


def test_autocovariance_is_the_middle_row_of_the_covariance():
    """Lag k is entry (m, m+k) of the inverse of Cᵀ C, for every mechanism."""
    found = noise_autocovariance(SMALL, 100)
    assert found.shape == (len(ALL), 5)
    for row, key in zip(found, ALL, strict=True):
        strategy = SMALL.design(key).strategy_matrix()
        np.testing.assert_allclose(row, np.linalg.inv(strategy.T @ strategy)[4, 4:], atol=1e-9)


def test_samples_have_the_mechanisms_covariance():
    """Over 4,000 seeds the sample covariance is K within five standard errors."""
    scenario = Scenario(horizon=4, bands=2, mechanisms=("iid", "dense"))
    draws = np.array([sample_noise(scenario, seed) for seed in range(4000)])
    for row, key in enumerate(scenario.mechanisms):
        exact = scenario.design(key).covariance
        found = draws[:, row].T @ draws[:, row] / len(draws)
        variance = np.diag(exact)
        error = np.sqrt((exact**2 + np.outer(variance, variance)) / len(draws))
        assert (np.abs(found - exact) < 5 * error).all()


def test_all_mechanisms_mix_the_same_draws():
    """C times the sample is the same vector for every mechanism, and the seed decides it."""
    sample = sample_noise(SMALL, 3)
    for row, key in zip(sample, ALL, strict=True):
        mixed = SMALL.design(key).strategy_matrix() @ row
        np.testing.assert_allclose(mixed, np.random.default_rng(3).standard_normal(9), atol=1e-9)
    assert not np.allclose(sample, sample_noise(SMALL, 4))


def test_one_step_and_bad_arguments():
    """T = 1 has lag 0 alone; negative lags and seeds are refused."""
    one = Scenario(horizon=1, mechanisms=("dense",))
    assert noise_autocovariance(one, 5).shape == sample_noise(one, 0).shape == (1, 1)
    with pytest.raises(InputError, match="lags"):
        noise_autocovariance(one, -1)
    with pytest.raises(InputError, match="seed"):
        sample_noise(one, -1)


@pytest.mark.parametrize("key", list(MECHANISMS))
def test_the_memory_is_enough_and_not_too_much(key):
    """No step passes on more numbers than are kept; structured mechanisms keep no more than that.

    What the past can hand to the future has the rank of the block of C⁻¹ below and left of a step.
    """
    scenario = Scenario(horizon=24, bands=4)
    noising = scenario.design(key).noising_matrix()
    ranks = [np.linalg.matrix_rank(noising[t:, :t], tol=1e-9) for t in range(1, 24)]
    kept = noise_memory(scenario, key)
    assert max(ranks) <= kept
    if "bands" in MECHANISMS[key].depends_on or key == "iid":
        assert kept == max(ranks) == (0 if key == "iid" else 3)
    elif key.startswith("blt"):
        assert kept == 4
    else:
        assert kept == 23


@pytest.mark.parametrize("key", list(MECHANISMS))
def test_a_run_of_one_step_keeps_nothing(key):
    """Without a past there is nothing to remember."""
    assert noise_memory(Scenario(horizon=1), key) == 0
