"""ε rescales all damages by one factor, so that ranks do not depend on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.damage import final_damage
from momentdp_core.errors import FloatArray
from momentdp_core.experiments.grid import MOMENTA
from momentdp_core.ranking import ranks
from momentdp_core.scenario import Scenario
from momentdp_core.schedules import Schedule

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


@dataclass(frozen=True, kw_only=True)
class EpsilonInvariance:
    """Damages at several ε against those at the first.

    Args:
        epsilons: ε.
        factors: the common factor at each ε, (σ/σ_first)².
        smallest_ratio, largest_ratio: of any damage at each ε to the same one at the first ε.
        spread: largest relative departure of a damage ratio from its factor.
        rank_changes: how often a rank differs from the one at the first ε.
        setting: in words.
    """

    epsilons: tuple[float, ...]
    factors: tuple[float, ...]
    smallest_ratio: tuple[float, ...]
    largest_ratio: tuple[float, ...]
    spread: float
    rank_changes: int
    setting: str


def epsilon_invariance(*, epsilons: tuple[float, ...] = EPSILONS) -> EpsilonInvariance:
    """Compare the damages of the pool at several ε, momenta and schedules.

    Source: MOMENT-DP, Appendix E.4.

    >>> epsilon_invariance(epsilons=(1.0, 4.0)).rank_changes
    0
    """
    spread, changes = 0.0, 0
    factors: tuple[float, ...] = ()
    ratios: list[list[FloatArray]] = [[] for _ in epsilons]
    for family in ("constant", "cosine"):
        scenario = Scenario(schedule=Schedule(family=family))
        each = [replace(scenario, epsilon=epsilon) for epsilon in epsilons]
        first = final_damage(each[0], MOMENTA)
        factors = tuple((s.noise_multiplier / each[0].noise_multiplier) ** 2 for s in each)
        for own, factor, kept in zip(each, factors, ratios, strict=True):
            damage = final_damage(own, MOMENTA)
            kept.append(damage / first)
            spread = max(spread, float(np.abs(damage / first / factor - 1).max()))
            changes += int((ranks(damage) != ranks(first)).sum())
    return EpsilonInvariance(
        epsilons=epsilons,
        factors=factors,
        smallest_ratio=tuple(float(np.min(each)) for each in ratios),
        largest_ratio=tuple(float(np.max(each)) for each in ratios),
        spread=spread,
        rank_changes=changes,
        setting="T = 128, κ = 100, rate 0.8; constant and cosine; six momenta; δ = 1e-5",
    )
