"""Table 3 and the structured held-outs: how well four scores order the mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from momentdp_core.errors import FloatArray
from momentdp_core.experiments.grid import (
    GRID_SETTING,
    MOMENTA,
    SLICE_SCHEDULES,
    ScoredSetting,
    controlled_grid,
    momentum_columns,
)
from momentdp_core.experiments.progress import Tell, nobody, part
from momentdp_core.mechanisms import POOL
from momentdp_core.ranking import (
    TIE_TOLERANCE,
    kendall_tau,
    pairwise_accuracy,
    selection_regret,
    top_one,
)

SCORES = ("static MeanSE", "LR-aware", "curvature and schedule at zero momentum", "optimizer-aware")
# A second reading of "broad grid", narrower than Appendix D: the momenta of Table 1, the
# schedules of E.2, one rate, and the mechanisms that are designed for no schedule or curvature.
NARROW_RATE = 0.2
NARROW_MOMENTA = (0.0, 0.5, 0.8, 0.9, 0.95)
NARROW_POOL = (
    *("iid", "dense", "banded_mean", "banded_max"),
    *("toeplitz_mean", "toeplitz_max", "bandinv_mean", "bandinv_max"),
)
# Of the time that the study takes on the whole grid.
GRID_SHARE = 0.5
BISR_FAMILY = ("bisr", "bandinv_mean", "bandinv_max")


@dataclass(frozen=True, kw_only=True)
class ScoreQuality:
    """Averages over conditions, one entry for each of SCORES.

    Args:
        conditions: how many were averaged.
        pairwise: accuracy of the order of all pairs, 0 … 1.
        tau: Kendall's τ.
        regret: relative regret of the first choice.
        median_regret: the median of the same.
        top_one: share of conditions whose winner is named.
    """

    conditions: int
    pairwise: tuple[float, ...]
    tau: tuple[float, ...]
    regret: tuple[float, ...]
    median_regret: tuple[float, ...]
    top_one: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Rankings:
    """Table 3 on the whole grid and on the narrow one, and the four held-outs.

    Args:
        broad: on the grid of Appendix D with the pool of eleven.
        narrow: on the narrow grid.
        held_out: pairwise accuracy of each of SCORES on each held-out split, by its name.
        every_split: the same for each single momentum, schedule, spectrum and for BISR alone.
        setting: the broad grid in words.
        narrow_setting: the narrow grid in words.
    """

    broad: ScoreQuality
    narrow: ScoreQuality
    held_out: dict[str, tuple[float, ...]]
    every_split: dict[str, tuple[float, ...]]
    setting: str
    narrow_setting: str


def rankings(grid: Sequence[ScoredSetting] | None = None, *, tell: Tell = nobody) -> Rankings:
    """Measure the four scores on the grid, on the narrow grid and on the held-out splits.

    Held out are μ = 0.95 (the largest of Table 1), the warm-up-cosine schedule, κ = 1000, and
    the pairs with a BISR variant. The scores are not fitted, so a split is a part of the grid.

    Args:
        grid: scored settings; the whole grid of Appendix D if left out.
        tell: told how far it is.

    Source: MOMENT-DP, Table 3 and Appendix E.3.

    >>> from momentdp_core.experiments.grid import scenarios, score
    >>> small = scenarios(rates=(0.2,), horizon=8)
    >>> rankings([score(scenario) for scenario in small]).broad.pairwise[3]
    1.0
    """
    settings = controlled_grid(part(tell, 0, GRID_SHARE)) if grid is None else grid
    tell(GRID_SHARE, "the four scores on the grid and on its parts")
    narrow = [s for s in settings if _is_narrow(s)]
    return Rankings(
        broad=score_quality(settings),
        narrow=score_quality(narrow, momenta=NARROW_MOMENTA, pool=NARROW_POOL),
        held_out={
            "momentum": pair_accuracy(settings, momenta=(0.95,)),
            "schedule": pair_accuracy(_having(settings, _schedule("warmup_cosine"))),
            "condition number": pair_accuracy(_having(settings, _spectrum("log", 1000.0))),
            "BISR": pair_accuracy(settings, involving=BISR_FAMILY),
        },
        every_split=_every_split(settings),
        setting=GRID_SETTING,
        narrow_setting=(
            f"rate {NARROW_RATE}; momenta 0 to 0.95 of Table 1 × {', '.join(SLICE_SCHEDULES)} × "
            f"six spectra = 90 conditions; {', '.join(NARROW_POOL)}"
        ),
    )


def score_quality(
    settings: Sequence[ScoredSetting],
    *,
    momenta: tuple[float, ...] = MOMENTA,
    pool: tuple[str, ...] = POOL,
) -> ScoreQuality:
    """Average Table 3's four metrics of the four scores over settings and momenta.

    Source: MOMENT-DP, Table 3.

    >>> from momentdp_core.experiments.grid import score
    >>> from momentdp_core.scenario import Scenario
    >>> score_quality([score(Scenario(horizon=4))]).top_one[3]
    1.0
    """
    kept = [POOL.index(key) for key in pool]
    rows = []
    for setting in settings:
        for column in momentum_columns(momenta):
            truth = setting.damage[kept, column]
            rows.append(
                [
                    (
                        pairwise_accuracy(values, truth),
                        kendall_tau(values, truth),
                        selection_regret(values, truth),
                        float(top_one(values, truth)),
                    )
                    for values in _scores(setting, column)[:, kept]
                ]
            )
    table = np.array(rows)
    pairwise, tau, regret, top = table.mean(axis=0).T.tolist()
    return ScoreQuality(
        conditions=len(rows),
        pairwise=tuple(pairwise),
        tau=tuple(tau),
        regret=tuple(regret),
        median_regret=tuple(np.median(table[:, :, 2], axis=0).tolist()),
        top_one=tuple(top),
    )


def pair_accuracy(
    settings: Sequence[ScoredSetting],
    *,
    momenta: tuple[float, ...] = MOMENTA,
    involving: tuple[str, ...] = POOL,
) -> tuple[float, ...]:
    """Return the pairwise accuracy of the four scores over pairs with a mechanism of `involving`.

    Source: MOMENT-DP, Appendix E.3.

    >>> from momentdp_core.experiments.grid import score
    >>> from momentdp_core.scenario import Scenario
    >>> pair_accuracy([score(Scenario(horizon=4))], momenta=(0.0,))[3]
    1.0
    """
    first, second = np.triu_indices(len(POOL), 1)
    meant = [POOL.index(key) for key in involving]
    kept = np.isin(first, meant) | np.isin(second, meant)
    first, second = first[kept], second[kept]
    shares = []
    for setting in settings:
        for column in momentum_columns(momenta):
            truth = _order(setting.damage[:, column], first, second)
            told = truth != 0
            said = np.array([_order(v, first, second) for v in _scores(setting, column)])
            right = np.where(said == 0, 0.5, said == truth)[:, told]
            shares.append(right.mean(axis=1))
    return tuple(np.mean(shares, axis=0).tolist())


def _scores(setting: ScoredSetting, column: int) -> FloatArray:
    """Return the four scores of the mechanisms, shape (4, n), in the order of SCORES."""
    return np.array(
        [setting.static_mse, setting.lr_aware, setting.damage[:, 0], setting.damage[:, column]]
    )


def _order(values: FloatArray, first: Places, second: Places) -> FloatArray:
    a, b = values[first], values[second]
    tied = np.abs(a - b) <= TIE_TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    return np.where(tied, 0.0, np.sign(a - b))


Places = NDArray[np.signedinteger[Any]]
Test = Callable[[ScoredSetting], bool]


def _having(settings: Sequence[ScoredSetting], test: Test) -> list[ScoredSetting]:
    return [setting for setting in settings if test(setting)]


def _schedule(family: str) -> Test:
    return lambda setting: setting.scenario.schedule.family == family


def _spectrum(family: str, condition_number: float) -> Test:
    return lambda setting: (
        setting.scenario.curvature.family == family
        and setting.scenario.curvature.condition_number == condition_number
    )


def _is_narrow(setting: ScoredSetting) -> bool:
    scenario = setting.scenario
    return scenario.learning_rate == NARROW_RATE and scenario.schedule.family in SLICE_SCHEDULES


def _every_split(settings: Sequence[ScoredSetting]) -> dict[str, tuple[float, ...]]:
    splits = {f"momentum {mu:g}": pair_accuracy(settings, momenta=(mu,)) for mu in MOMENTA}
    for family in dict.fromkeys(s.scenario.schedule.family for s in settings):
        splits[f"schedule {family}"] = pair_accuracy(_having(settings, _schedule(family)))
    for shape in dict.fromkeys(s.scenario.curvature for s in settings):
        chosen = _having(settings, _spectrum(shape.family, shape.condition_number))
        splits[f"{shape.family} κ = {shape.condition_number:g}"] = pair_accuracy(chosen)
    splits["BISR alone"] = pair_accuracy(settings, involving=("bisr",))
    return splits
