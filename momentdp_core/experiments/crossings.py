"""Every reported crossover is a sign change: confirmed by evaluating again on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.crossover import Crossover
from momentdp_core.curvature import Curvature
from momentdp_core.damage import final_damage
from momentdp_core.experiments.grid import SLICE_CONDITIONS, SLICE_SCHEDULES, name_of, scenarios
from momentdp_core.experiments.progress import Tell, nobody, steps
from momentdp_core.experiments.winners import TABLE_CONDITION, TABLE_RATE
from momentdp_core.scenario import Scenario
from momentdp_core.study import Study, evaluate

CROSSING_RATES = (0.1, 0.2)
CROSSING_MOMENTA = (0.0, 0.5, 0.9, 0.95)
# How far beside a crossover the damages are evaluated again, unless the next one is nearer.
STEP = 1e-3
EDGES = tuple(round(0.05 * n, 2) for n in range(20))


@dataclass(frozen=True, kw_only=True)
class ConfirmedCrossovers:
    """How many crossovers were reported, and how many hold.

    Args:
        settings: number of settings searched.
        reported: crossovers of all pairs in all settings.
        confirmed: those with the reported order on both sides.
        blind_right_on_both: times one of three momentum-blind scores was right on both sides.
        edges: of the intervals of momentum that the next three counts are for.
        reported_by, confirmed_by: crossovers reported and confirmed in each interval.
        blind_by: times a momentum-blind score was right on both sides, in each interval.
        failures: descriptions of those that do not hold.
        setting: in words.
    """

    settings: int
    reported: int
    confirmed: int
    blind_right_on_both: int
    edges: tuple[float, ...]
    reported_by: tuple[int, ...]
    confirmed_by: tuple[int, ...]
    blind_by: tuple[int, ...]
    failures: tuple[str, ...]
    setting: str


def confirmed_crossovers(
    *,
    rates: tuple[float, ...] = CROSSING_RATES,
    conditions: tuple[float, ...] = SLICE_CONDITIONS,
    tell: Tell = nobody,
) -> ConfirmedCrossovers:
    """Search the nine slices and Table 1's setting, and evaluate beside every crossover.

    The search contracts covariances; the second evaluation is the norm route, which shares only
    the impulse responses with it.

    Args:
        rates, conditions: η and κ of the slices.
        tell: told how far it is.

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
    counts = np.zeros((3, len(EDGES) - 1), dtype=int)
    failures: list[str] = []
    for scenario in steps(searched, tell, name_of):
        study = evaluate(scenario, CROSSING_MOMENTA)
        for crossing, holds, both in _confirm(study, failures):
            interval = int(np.searchsorted(EDGES, crossing.value, side="right")) - 1
            counts[:, interval] += (1, holds, both)
    reported_by, confirmed_by, blind_by = (tuple(row) for row in counts.tolist())
    return ConfirmedCrossovers(
        settings=len(searched),
        reported=sum(reported_by),
        confirmed=sum(confirmed_by),
        blind_right_on_both=sum(blind_by),
        edges=EDGES,
        reported_by=reported_by,
        confirmed_by=confirmed_by,
        blind_by=blind_by,
        failures=tuple(failures),
        setting=(
            f"the nine slices at rates {', '.join(map(str, rates))}, and κ = 10 at rate 0.8; "
            "momentum 0 to 0.95; all pairs of the pool of eleven"
        ),
    )


def _confirm(study: Study, failures: list[str]) -> Iterator[tuple[Crossover, bool, int]]:
    """Yield each crossover, whether it holds, and how many blind scores are right beside it."""
    scenario, found = study.scenario, study.crossovers
    if not found:
        return
    steps = np.array([_room(study, k) for k in range(len(found))])
    at = np.array([crossing.value for crossing in found])
    keys = scenario.mechanisms
    left = final_damage(replace(scenario), at - steps)
    right = final_damage(replace(scenario), at + steps)
    scores = (study.scores.noisecurve, study.scores.static_mse, study.scores.lr_aware)
    for k, crossing in enumerate(found):
        below, above = keys.index(crossing.below), keys.index(crossing.above)
        first = left[below, k] < left[above, k]
        second = right[above, k] < right[below, k]
        if not (first and second):
            failures.append(f"{crossing.pair} at {crossing.value:.6f} in {scenario}")
        both = 0
        for score in scores:
            says_below = score[below] < score[above]
            sides = (left[below, k] < left[above, k], right[below, k] < right[above, k])
            both += all(says_below == side for side in sides)
        yield crossing, bool(first and second), both


def _room(study: Study, k: int) -> float:
    """Return half the distance to the pair's next crossover or the sweep's end, at most STEP."""
    own = study.crossovers[k]
    others = [c.value for c in study.crossovers if c.pair == own.pair and c is not own]
    ends = [float(study.values[0]), float(study.values[-1])]
    return min(STEP, *(abs(x - own.value) / 2 for x in (*others, *ends)))
