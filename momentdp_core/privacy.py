"""The analytic Gaussian mechanism: from (ε, δ) to the noise multiplier σ."""

from __future__ import annotations

import math
from functools import lru_cache

from momentdp_core.errors import InputError, check_real

# Above this ε, e^ε leaves the numbers' range.
LARGEST_EPSILON = 700.0


def gaussian_delta(*, epsilon: float, noise_multiplier: float) -> float:
    """Return the δ that Gaussian noise of σ gives at ε, for sensitivity 1.

    δ = Φ(1/(2σ) − εσ) − e^ε Φ(−1/(2σ) − εσ)

    Args:
        epsilon: ε, 0 ≤ ε ≤ 700.
        noise_multiplier: σ > 0.

    Raises:
        InputError: out of range.

    Source: Balle and Wang (2018), Theorem 8; MOMENT-DP Appendix C.

    >>> round(gaussian_delta(epsilon=4, noise_multiplier=1.0811618495), 10)
    1e-05
    """
    eps = check_real("epsilon", epsilon, low=0, high=LARGEST_EPSILON)
    sigma = check_real("noise_multiplier", noise_multiplier, low=0, open_low=True)
    return _delta(eps, sigma)


def _delta(epsilon: float, sigma: float) -> float:
    from scipy.special import log_ndtr

    upper = float(log_ndtr(0.5 / sigma - epsilon * sigma))
    lower = epsilon + float(log_ndtr(-0.5 / sigma - epsilon * sigma))
    # Both are logarithms; e^ε never stands alone, so a large ε is safe.
    return math.exp(upper) * -math.expm1(min(lower - upper, 0.0))


@lru_cache(maxsize=256)
def noise_multiplier(*, epsilon: float, delta: float) -> float:
    """Return the smallest σ for which noise of sensitivity 1 is (ε, δ)-private.

    σ solves Φ(1/(2σ) − εσ) − e^ε Φ(−1/(2σ) − εσ) = δ.

    Args:
        epsilon: ε, 0 < ε ≤ 700.
        delta: δ, 0 < δ < 1.

    Returns:
        σ, relative precision 1e-12.

    Raises:
        InputError: out of range.

    Source: Balle and Wang (2018), Algorithm 1; MOMENT-DP Appendix C.

    >>> round(noise_multiplier(epsilon=4, delta=1e-5), 10)
    1.0811618495
    """
    eps = check_real("epsilon", epsilon, low=0, high=LARGEST_EPSILON, open_low=True)
    target = check_real("delta", delta, low=0, high=1, open_low=True, open_high=True)
    # δ falls in σ: bracket it by doubling, then halve the bracket in log σ.
    low, high = 1.0, 1.0
    while _delta(eps, low) < target and low > 1e-8:
        low /= 2
    while _delta(eps, high) > target:
        high *= 2
        if high > 1e12:
            raise InputError(
                "delta", delta, "a δ that Gaussian noise can reach", "Give a larger delta."
            )
    for _ in range(200):
        middle = math.sqrt(low * high)
        if high / low - 1 < 1e-13:
            break
        if _delta(eps, middle) > target:
            low = middle
        else:
            high = middle
    return high


def gaussian_epsilon(*, delta: float, noise_multiplier: float, sensitivity: float = 1.0) -> float:
    """Return the smallest ε of Gaussian noise σ on a query of this sensitivity.

    δ(ε, σ/Δ) = δ: total accounting, all of an example's participations are one query of
    sensitivity Δ.

    Args:
        delta: δ, 0 < δ < 1.
        noise_multiplier: σ > 0, absolute.
        sensitivity: Δ > 0.

    Returns:
        ε to a relative 1e-12; 0 where δ already covers it.

    Raises:
        InputError: out of range, or an ε above 700.

    Source: Balle and Wang (2018), Theorem 8.

    >>> round(gaussian_epsilon(delta=1e-5, noise_multiplier=1.0811618495), 8)
    4.0
    """
    target = check_real("delta", delta, low=0, high=1, open_low=True, open_high=True)
    noise = check_real("noise_multiplier", noise_multiplier, low=0, open_low=True)
    sigma = noise / check_real("sensitivity", sensitivity, low=0, open_low=True)
    low, high = 0.0, LARGEST_EPSILON
    if _delta(low, sigma) <= target:
        return 0.0
    if _delta(high, sigma) > target:
        raise InputError(
            "noise_multiplier",
            noise_multiplier,
            "noise that gives an ε of at most 700",
            "Raise it.",
        )
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if _delta(middle, sigma) > target:
            low = middle
        else:
            high = middle
    return high
