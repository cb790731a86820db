"""The step noise of a mechanism by itself: how its steps are correlated, and one sample of it."""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray, check_integer, read_only
from momentdp_core.scenario import Scenario


def noise_autocovariance(scenario: Scenario, lags: int) -> FloatArray:
    """Return K[m, m+k], the covariance of the middle step's noise with the k-th step after it.

    m = ⌊T/2⌋, k = 0 … min(lags, T−1−m), at σ = 1 and sensitivity 1. The noise of a mechanism
    need not be stationary: around another step it can look different.

    Args:
        scenario: the horizon and the n mechanisms.
        lags: largest k ≥ 0.

    Returns:
        shape (n, number of lags), in units of σ².

    Raises:
        InputError: a negative number of lags.

    Source: MOMENT-DP (arXiv:2611.11457), Section 2: K = C⁻¹ C⁻ᵀ.

    >>> noise_autocovariance(Scenario(horizon=8, mechanisms=("iid",)), 2).tolist()
    [[1.0, 0.0, 0.0]]
    """
    check_integer("lags", lags, low=0)
    middle = scenario.horizon // 2
    stop = min(middle + lags + 1, scenario.horizon)
    rows = [scenario.design(key).covariance[middle, middle:stop] for key in scenario.mechanisms]
    return read_only(np.array(rows))


def sample_noise(scenario: Scenario, seed: int) -> FloatArray:
    """Return one sample of each mechanism's step noise, C⁻¹ Z with the same Z for all.

    Z is T independent standard normal draws of NumPy's default generator; σ = 1.

    Args:
        scenario: the horizon and the n mechanisms.
        seed: of the generator, a whole number ≥ 0.

    Returns:
        shape (n, T), in units of σ.

    Raises:
        InputError: a seed that is no whole number ≥ 0.

    Source: MOMENT-DP, Section 2: step noise is row t of C⁻¹ Z.

    >>> sample_noise(Scenario(horizon=2, mechanisms=("iid",)), 0).round(3).tolist()
    [[0.126, -0.132]]
    """
    check_integer("seed", seed, low=0)
    draws = np.random.default_rng(seed).standard_normal(scenario.horizon)
    rows = [scenario.design(key).noising_matrix() @ draws for key in scenario.mechanisms]
    return read_only(np.array(rows))
