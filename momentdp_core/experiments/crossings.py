"""Every reported crossover is a sign change: confirmed by evaluating again on both sides."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.damage import final_damage
from momentdp_core.experiments.grid import SLICE_CONDITIONS, SLICE_SCHEDULES, scenarios
from momentdp_core.experiments.winners import TABLE_CONDITION, TABLE_RATE
from momentdp_core.scenario import Scenario
from momentdp_core.study import Study, evaluate

CROSSING_RATES = (0.1, 0.2)
CROSSING_MOMENTA = (0.0, 0.5, 0.9, 0.95)
# How far beside a crossover the damages are evaluated again, unless the next one is nearer.
STEP = 1e-3


@dataclass(frozen=True, kw_only=True)
class ConfirmedCrossovers:
    """How many crossovers were reported, and how many hold.

    Args:
        settings: number of settings searched.
        reported: crossovers of all pairs in all settings.
        confirmed: those with the reported order on both sides.
        blind_right_on_both: times one of three momentum-blind scores was right on both sides.
        failures: descriptions of those that do not hold.
        setting: in words.
    """

    settings: int
    reported: int
    confirmed: int
    blind_right_on_both: int
    failures: tuple[str, ...]
    setting: str


def confirmed_crossovers(
    *,
    rates: tuple[float, ...] = CROSSING_RATES,
    conditions: tuple[float, ...] = SLICE_CONDITIONS,
) -> ConfirmedCrossovers:
    """Search the nine slices and Table 1's setting, and evaluate beside every crossover.

    The search contracts covariances; the second evaluation is the norm route, which shares only
    the impulse responses with it.

    Source: MOMENT-DP, Section 2.2 (Δ(μ1) Δ(μ2) < 0).

    >>> found = confirmed_crossovers(rates=(0.1,), conditions=(10.0,))
    >>> found.reported == found.confirmed > 0
    True
    """
    spectra = tuple(Curvature(condition_number=kappa) for kappa in conditions)
    searched = [
        *scenarios(rates=rates, schedules=SLICE_SCHEDULES, spectra=spectra),
        Scenario(curvature=Curvature(condition_number=TABLE_CONDITION), learning_rate=TABLE_RATE),
    ]
    reported = confirmed = blind = 0
    failures: list[str] = []
    for scenario in searched:
        study = evaluate(scenario, CROSSING_MOMENTA)
        reported += len(study.crossovers)
        good, both = _confirm(study, failures)
        confirmed += good
        blind += both
    return ConfirmedCrossovers(
        settings=len(searched),
        reported=reported,
        confirmed=confirmed,
        blind_right_on_both=blind,
        failures=tuple(failures),
        setting=(
            f"the nine slices at rates {', '.join(map(str, rates))}, and κ = 10 at rate 0.8; "
            "momentum 0 to 0.95; all pairs of the pool of eleven"
        ),
    )


def _confirm(study: Study, failures: list[str]) -> tuple[int, int]:
    scenario, found = study.scenario, study.crossovers
    if not found:
        return 0, 0
    steps = np.array([_room(study, k) for k in range(len(found))])
    at = np.array([crossing.value for crossing in found])
    keys = scenario.mechanisms
    left = final_damage(replace(scenario), at - steps)
    right = final_damage(replace(scenario), at + steps)
    scores = (study.scores.noisecurve, study.scores.static_mse, study.scores.lr_aware)
    good = both = 0
    for k, crossing in enumerate(found):
        below, above = keys.index(crossing.below), keys.index(crossing.above)
        first = left[below, k] < left[above, k]
        second = right[above, k] < right[below, k]
        if first and second:
            good += 1
        else:
            failures.append(f"{crossing.pair} at {crossing.value:.6f} in {scenario}")
        for score in scores:
            says_below = score[below] < score[above]
            sides = (left[below, k] < left[above, k], right[below, k] < right[above, k])
            both += all(says_below == side for side in sides)
    return good, both


def _room(study: Study, k: int) -> float:
    """Return half the distance to the pair's next crossover or the sweep's end, at most STEP."""
    own = study.crossovers[k]
    others = [c.value for c in study.crossovers if c.pair == own.pair and c is not own]
    ends = [float(study.values[0]), float(study.values[-1])]
    return min(STEP, *(abs(x - own.value) / 2 for x in (*others, *ends)))
