"""The LR-aware factorization in its constant-rate limit: the square-root Toeplitz strategy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.scenario import Scenario

LIMIT_HORIZONS = (8, 32, 128, 512)


@dataclass(frozen=True, kw_only=True)
class LrAwareLimit:
    """How far LR-aware at a constant schedule is from the square root, entry by entry.

    Args:
        horizons: T of each comparison.
        to_sqrt: largest absolute difference to the mechanism `sqrt`, a T each.
        to_binomials: largest absolute difference to the normalised binomial coefficients.
        to_workload: largest absolute entry of C² − c A, with A the prefix sum and c = C_00².
        setting: in words.
    """

    horizons: tuple[int, ...]
    to_sqrt: tuple[float, ...]
    to_binomials: tuple[float, ...]
    to_workload: tuple[float, ...]
    setting: str

    @property
    def worst(self) -> float:
        """The largest difference of all."""
        return max(*self.to_sqrt, *self.to_binomials, *self.to_workload)


def lr_aware_limit(*, horizons: tuple[int, ...] = LIMIT_HORIZONS) -> LrAwareLimit:
    """Compare LR-aware at a constant schedule with the square root in three ways.

    Source: MOMENT-DP, Appendix B.1.

    >>> lr_aware_limit(horizons=(4,)).worst < 1e-15
    True
    """
    rows = []
    for horizon in horizons:
        scenario = Scenario(horizon=horizon, mechanisms=("lr_aware", "sqrt"))
        strategy = scenario.design("lr_aware").strategy_matrix()
        root = scenario.design("sqrt").strategy_matrix()
        workload = strategy[0, 0] ** 2 * np.tril(np.ones((horizon, horizon)))
        rows.append(
            (
                float(np.abs(strategy - root).max()),
                float(np.abs(strategy[:, 0] - _binomials(horizon)).max()),
                float(np.abs(strategy @ strategy - workload).max()),
            )
        )
    to_sqrt, to_binomials, to_workload = zip(*rows, strict=True)
    return LrAwareLimit(
        horizons=horizons,
        to_sqrt=to_sqrt,
        to_binomials=to_binomials,
        to_workload=to_workload,
        setting="constant schedule; T = " + ", ".join(map(str, horizons)),
    )


def _binomials(horizon: int) -> FloatArray:
    """Return C(2k, k)/4^k for k < T from SciPy's binomials, as a unit vector."""
    from scipy.special import gammaln

    k = np.arange(horizon)
    values = np.exp(gammaln(2 * k + 1) - 2 * gammaln(k + 1) - k * np.log(4))
    return np.asarray(values / np.linalg.norm(values))
