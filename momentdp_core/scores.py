"""Criteria that do not know the momentum: NoiseCurve's own, static MeanSE, and LR-aware MeanSE."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from momentdp_core.damage import final_damage, squared_sensitivities
from momentdp_core.errors import FloatArray, InputError, read_only
from momentdp_core.optimizers import HeavyBall
from momentdp_core.ranking import IntArray, ranks
from momentdp_core.scenario import Scenario
from momentdp_core.schedules import Schedule

# The LR-aware score works on a T×T matrix.
SCORE_HORIZON_LIMIT = 4096


@dataclass(frozen=True, kw_only=True, eq=False)
class MechanismScores:
    """Momentum-blind scores of a scenario's n mechanisms, each shape (n,), smaller is better.

    Args:
        noisecurve: damage at μ = 0 and constant rate, NoiseCurve's criterion.
        static_mse: MeanSE = ‖A C⁻¹‖²_F / T for the prefix workload A.
        lr_aware: ‖A_χ C⁻¹‖²_F / T with A_χ = A diag(χ).
    """

    noisecurve: FloatArray
    static_mse: FloatArray
    lr_aware: FloatArray

    @cached_property
    def noisecurve_rank(self) -> IntArray:
        """Ranks by `noisecurve`; 0 where that condition is unstable."""
        return ranks(self.noisecurve)

    @cached_property
    def static_mse_rank(self) -> IntArray:
        """Ranks by `static_mse`."""
        return ranks(self.static_mse)

    @cached_property
    def lr_aware_rank(self) -> IntArray:
        """Ranks by `lr_aware`."""
        return ranks(self.lr_aware)


@lru_cache(maxsize=64)
def mechanism_scores(scenario: Scenario) -> MechanismScores:
    """Return the momentum-blind scores of the scenario's mechanisms.

    NoiseCurve: σ²/2 Σ_i λ_i ‖g_i C⁻¹‖² at μ = 0, χ = 1 (inf where that is unstable, η ≥ 2) ·
    static: ‖A C⁻¹‖²_F/T · LR-aware: ‖A diag(χ) C⁻¹‖²_F/T.

    Raises:
        InputError: T is above 4096.

    Source: MOMENT-DP, Eq. (5), Table 3 and Appendix B.1.

    >>> mechanism_scores(Scenario(horizon=4)).static_mse_rank.tolist()[:2]
    [10, 1]
    """
    horizon = scenario.horizon
    if horizon > SCORE_HORIZON_LIMIT:
        raise InputError(
            "horizon",
            horizon,
            f"at most {SCORE_HORIZON_LIMIT} for the momentum-blind scores",
            "Use a shorter horizon to compare the criteria.",
        )
    mechanisms = [scenario.design(key) for key in scenario.mechanisms]
    native = replace(scenario, schedule=Schedule(family="constant"), optimizer=HeavyBall())
    stable = scenario.learning_rate < 2
    blind = final_damage(native, [0.0])[:, 0] if stable else np.full(len(mechanisms), np.inf)
    weighted = np.tril(np.ones((horizon, horizon))) * scenario.multipliers
    lr_aware = [float((m.apply_noising(weighted) ** 2).sum() / horizon) for m in mechanisms]
    squares = squared_sensitivities(scenario)
    return MechanismScores(
        noisecurve=read_only(blind),
        static_mse=read_only(squares * np.array([m.mean_squared_error for m in mechanisms])),
        lr_aware=read_only(squares * np.array(lr_aware)),
    )
