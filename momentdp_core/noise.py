"""The step noise of a mechanism by itself: its correlation, a sample, the memory it takes."""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray, check_integer, read_only
from momentdp_core.mechanisms import MECHANISMS, DesignProblem
from momentdp_core.mechanisms.structures import BandedStrategy, ToeplitzStrategy
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


def noise_memory(scenario: Scenario, key: str) -> int:
    """Return the floats a model parameter that making the noise keeps from step to step.

    b − 1 past noises where C has b bands, b − 1 past draws where C⁻¹ has, the number of buffers
    of a buffered mechanism, else all T − 1 of the past. The smallest of these that applies.

    Args:
        scenario: the horizon and what the design depends on.
        key: of the mechanism.

    Raises:
        InputError: an unknown key, or a mechanism that has no design here.

    Source: streaming with a banded C: Choquette-Choo et al. (2023), BandMF; with buffers:
    McMahan, Xu and Zhang (2024), BLT-DP-FTRL.

    >>> [noise_memory(Scenario(horizon=64, bands=8), key) for key in ("iid", "banded_mean", "sqrt")]
    [0, 7, 63]
    """
    strategy = scenario.design(key).strategy
    most = scenario.horizon - 1
    family = MECHANISMS.get(key)
    if family is not None and "buffers" in family.depends_on:
        return min(DesignProblem.buffers, most)
    if isinstance(strategy, BandedStrategy):
        return min(len(strategy.bands) - 1, most)
    if isinstance(strategy, ToeplitzStrategy):
        sides = (strategy.strategy_series[:, None], strategy.noising_series[:, None])
    else:
        sides = (strategy.strategy_matrix(), strategy.noising_matrix())
    return min(map(_reach, sides))


def _reach(lower: FloatArray) -> int:
    """Return how far below the diagonal a lower-triangular matrix, or its column, reaches."""
    # What rounding leaves outside the bands of an inverse is no entry.
    rows, columns = np.nonzero(np.abs(lower) > 1e-12 * np.abs(lower).max())
    return int((rows - columns).max(initial=0))
