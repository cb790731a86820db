"""The broad controlled grid: damage and momentum-blind scores in all its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from threading import Lock

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.damage import sweep
from momentdp_core.errors import FloatArray, read_only
from momentdp_core.experiments.progress import Tell, nobody
from momentdp_core.mechanisms import POOL
from momentdp_core.scenario import Scenario
from momentdp_core.schedules import Schedule
from momentdp_core.scores import mechanism_scores

# The axes of the paper's Appendix D.
RATES = (0.0025, 0.005, 0.01, 0.02, 0.05, 0.10, 0.20, 0.40, 0.60, 0.80)
MOMENTA = (0.0, 0.5, 0.8, 0.9, 0.95, 0.99)
SCHEDULE_FAMILIES = (
    "constant",
    "warmup_constant",
    "cosine",
    "warmup_cosine",
    "step",
    "exponential",
    "front_loaded",
    "back_loaded",
)
# The paper names four of its six spectra; the two stress spectra are ours.
SPECTRA = (
    Curvature(family="isotropic", condition_number=1.0),
    Curvature(family="log", condition_number=10.0),
    Curvature(family="log", condition_number=100.0),
    Curvature(family="log", condition_number=1000.0),
    Curvature(family="spike", condition_number=100.0),
    Curvature(family="two_cluster", condition_number=100.0),
)
# The smaller grid of Section 3.1 and Table 1, for which the paper prints no learning rate.
SLICE_SCHEDULES = ("constant", "cosine", "warmup_cosine")
SLICE_CONDITIONS = (10.0, 100.0, 1000.0)

GRID_SETTING = (
    "T = 128, d = 16, b = 16; 10 rates × 6 momenta × 8 schedules × 6 spectra "
    "(stress spectra: spike and two clusters at κ = 100) = 2880 conditions; pool of eleven"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredSetting:
    """One spectrum, rate and schedule of the grid, with all momenta.

    Args:
        scenario: the setting.
        damage: D, shape (n, M), a column for each of MOMENTA.
        static_mse: momentum-blind score, shape (n,).
        lr_aware: momentum-blind score, shape (n,).
    """

    scenario: Scenario
    damage: FloatArray
    static_mse: FloatArray
    lr_aware: FloatArray


def scenarios(
    *,
    rates: tuple[float, ...] = RATES,
    schedules: tuple[str, ...] = SCHEDULE_FAMILIES,
    spectra: tuple[Curvature, ...] = SPECTRA,
    mechanisms: tuple[str, ...] = POOL,
    horizon: int = 128,
) -> Iterator[Scenario]:
    """Yield the grid's scenarios: spectra outermost, so that designs are used again.

    Source: MOMENT-DP, Appendix D ("Discovery grid").

    >>> len(list(scenarios()))
    480
    """
    for curvature in spectra:
        for rate in rates:
            base = Scenario(
                horizon=horizon, curvature=curvature, learning_rate=rate, mechanisms=mechanisms
            )
            for family in schedules:
                yield replace(base, schedule=Schedule(family=family))


def score(scenario: Scenario) -> ScoredSetting:
    """Return damage at each of MOMENTA and the momentum-blind scores of one setting.

    >>> score(Scenario(horizon=4)).damage.shape
    (11, 6)
    """
    blind = mechanism_scores(scenario)
    return ScoredSetting(
        scenario=scenario,
        damage=read_only(sweep(scenario, MOMENTA)),
        static_mse=blind.static_mse,
        lr_aware=blind.lr_aware,
    )


def name_of(scenario: Scenario) -> str:
    """Return the condition of a scenario of the grid in words, without its momentum.

    >>> name_of(Scenario())
    'log κ = 100, constant, rate 0.8'
    """
    shape = scenario.curvature
    return (
        f"{shape.family} κ = {shape.condition_number:g}, {scenario.schedule.family}, "
        f"rate {scenario.learning_rate:g}"
    )


@lru_cache(maxsize=1)
def _scored() -> tuple[list[ScoredSetting], Lock]:
    return [], Lock()


def controlled_grid(tell: Tell = nobody) -> tuple[ScoredSetting, ...]:
    """Return the whole grid of Appendix D; half a minute at first, then kept.

    Args:
        tell: told how far it is.

    >>> controlled_grid.__name__
    'controlled_grid'
    """
    (kept, turn), total = _scored(), len(RATES) * len(SCHEDULE_FAMILIES) * len(SPECTRA)
    with turn:  # a cluster's node may run two studies at once
        for scenario in islice(scenarios(), len(kept), None):
            tell(len(kept) / total, f"setting {len(kept) + 1} of {total}")
            kept.append(score(scenario))
        return tuple(kept)


def momentum_columns(momenta: tuple[float, ...]) -> list[int]:
    """Return the columns of some momenta of the grid.

    >>> momentum_columns((0.0, 0.9))
    [0, 3]
    """
    return [int(np.flatnonzero(np.array(MOMENTA) == momentum)[0]) for momentum in momenta]
