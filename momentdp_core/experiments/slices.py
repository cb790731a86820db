"""The nine curvature-schedule slices: does the winner change when only the momentum does?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.damage import final_damage
from momentdp_core.experiments.grid import SLICE_CONDITIONS, SLICE_SCHEDULES, name_of, scenarios
from momentdp_core.experiments.progress import Tell, nobody, steps
from momentdp_core.mechanisms import POOL
from momentdp_core.ranking import ranks
from momentdp_core.scores import mechanism_scores

SLICE_MOMENTA = (0.0, 0.5, 0.9, 0.95)
SLICE_RATES = (0.1, 0.2)


@dataclass(frozen=True, kw_only=True)
class Slice:
    """One curvature, schedule and rate.

    Args:
        condition_number, schedule, learning_rate: the slice.
        winners: key of the least damage at each momentum.
        rankings: the ranks by damage, a momentum each.
        lr_aware_rankings: the ranks that the LR-aware score gives, a momentum each.
    """

    condition_number: float
    schedule: str
    learning_rate: float
    winners: tuple[str, ...]
    rankings: tuple[tuple[int, ...], ...]
    lr_aware_rankings: tuple[tuple[int, ...], ...]

    @property
    def winner_changes(self) -> bool:
        """Whether the winner depends on the momentum."""
        return len(set(self.winners)) > 1

    @property
    def lr_aware_changes(self) -> bool:
        """Whether the LR-aware ranking depends on the momentum."""
        return len(set(self.lr_aware_rankings)) > 1


@dataclass(frozen=True, kw_only=True)
class SliceCount:
    """All slices at all rates.

    Args:
        slices: nine a rate.
        momenta: μ of the winners.
        rates: the rates.
        setting: in words.
    """

    slices: tuple[Slice, ...]
    momenta: tuple[float, ...]
    rates: tuple[float, ...]
    setting: str

    def at(self, rate: float) -> tuple[Slice, ...]:
        """Return the slices of one rate."""
        return tuple(s for s in self.slices if s.learning_rate == rate)


def slice_count(*, rates: tuple[float, ...] = SLICE_RATES, tell: Tell = nobody) -> SliceCount:
    """Find the winners and the LR-aware rankings along the momentum in every slice.

    Args:
        rates: η, each with nine slices.
        tell: told how far it is.

    Source: MOMENT-DP, Section 3.1.

    >>> len(slice_count(rates=(0.1,)).slices)
    9
    """
    spectra = tuple(Curvature(condition_number=kappa) for kappa in SLICE_CONDITIONS)
    found = []
    given = scenarios(rates=rates, schedules=SLICE_SCHEDULES, spectra=spectra)
    for scenario in steps(given, tell, name_of):
        damage = final_damage(scenario, SLICE_MOMENTA)
        # The score is asked for anew at each momentum: that it has no place for it is the claim.
        rankings = []
        for _ in SLICE_MOMENTA:
            mechanism_scores.cache_clear()
            rankings.append(tuple(ranks(mechanism_scores(scenario).lr_aware).tolist()))
        found.append(
            Slice(
                condition_number=scenario.curvature.condition_number,
                schedule=scenario.schedule.family,
                learning_rate=scenario.learning_rate,
                winners=tuple(POOL[int(n)] for n in np.argmin(damage, axis=0)),
                rankings=tuple(tuple(column) for column in ranks(damage).T.tolist()),
                lr_aware_rankings=tuple(rankings),
            )
        )
    return SliceCount(
        slices=tuple(found),
        momenta=SLICE_MOMENTA,
        rates=rates,
        setting=(
            f"T = 128, d = 16, b = 16; κ = 10, 100, 1000 × {', '.join(SLICE_SCHEDULES)}; "
            f"rates {', '.join(map(str, rates))}; pool of eleven (the paper prints no rate)"
        ),
    )
