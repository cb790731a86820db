"""The learning rate that the paper does not print: ranks and losses of NoiseCurve over a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.errors import FloatArray, check_vector, read_only
from momentdp_core.experiments.logistic_data import LogisticProblem, paper_problem
from momentdp_core.experiments.logistic_ranks import BoolArray, rank_condition
from momentdp_core.experiments.logistic_runs import (
    COMPARED,
    PAPER_CONDITIONS,
    LogisticSettings,
    LogisticStudy,
    run_logistic,
)
from momentdp_core.experiments.progress import Tell, nobody, steps
from momentdp_core.ranking import IntArray

SWEPT_RATES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.12, 0.15, 0.2, 0.4, 0.8)
SUBJECT = "noisecurve"
# Table 2: NoiseCurve's rank among nine under L0 … L3.
PUBLISHED_RANKS = (2, 9, 9, 9)


@dataclass(frozen=True, kw_only=True, eq=False)
class RateSweep:
    """NoiseCurve among n mechanisms under L0 … L3 at R learning rates; arrays (R, 4).

    Args:
        rates: η, shape (R,).
        mechanisms: the n keys it is ranked among.
        rank, best_rank, worst_rank: its rank by the mean and the 95 % interval.
        mean, standard_error: of its excess loss.
        best_mean, best_error: of the excess loss of the best mechanism by the mean.
        best: key of that mechanism, R rows of 4.
    """

    rates: FloatArray
    mechanisms: tuple[str, ...]
    rank: IntArray
    best_rank: IntArray
    worst_rank: IntArray
    mean: FloatArray
    standard_error: FloatArray
    best_mean: FloatArray
    best_error: FloatArray
    best: tuple[tuple[str, ...], ...]

    def matches(self, ranks: tuple[int, ...]) -> BoolArray:
        """Return at which rates the ranks are these in every condition, shape (R,)."""
        return np.asarray((self.rank == np.array(ranks)).all(axis=1))

    def admits(self, ranks: tuple[int, ...]) -> BoolArray:
        """Return at which rates these ranks lie inside all the rank intervals, shape (R,)."""
        given = np.array(ranks)
        inside = (self.best_rank <= given) & (given <= self.worst_rank)
        return np.asarray(inside.all(axis=1))

    def log_distance(self, mean: FloatArray, best_mean: FloatArray) -> FloatArray:
        """Return the root mean square of log(ours/given) over the 8 losses, shape (R,)."""
        logs = np.log(np.concatenate([self.mean / mean, self.best_mean / best_mean], axis=1))
        return np.asarray(np.sqrt((logs**2).mean(axis=1)))


def rate_sweep(
    problem: LogisticProblem,
    settings: LogisticSettings,
    rates: Iterable[float] = SWEPT_RATES,
    *,
    keys: tuple[str, ...] = COMPARED,
    tell: Tell = nobody,
) -> RateSweep:
    """Return NoiseCurve's rank and loss under L0 … L3 over learning rates, designed at each.

    Args:
        problem: the data.
        settings: as for `run_logistic`; its learning rate and conditions are replaced.
        rates: η > 0, one number each.
        keys: the mechanisms that are ranked, NoiseCurve among them.
        tell: told how far it is.

    Raises:
        InputError: a rate is out of range.

    Source: MOMENT-DP, Table 2 (its learning rate is not printed).

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = LogisticSettings(replicates=2, noisecurve="solved")
    >>> rate_sweep(paper_problem(0), few, [0.02], keys=("bisr", "noisecurve")).rank.shape
    (1, 4)
    """
    asked = replace(settings, mechanisms=keys, conditions=PAPER_CONDITIONS)
    return rank_sweep(swept_studies(problem, asked, rates, tell=tell))


def swept_studies(
    problem: LogisticProblem,
    settings: LogisticSettings,
    rates: Iterable[float] = SWEPT_RATES,
    *,
    tell: Tell = nobody,
) -> tuple[LogisticStudy, ...]:
    """Return the study at each learning rate, with its final losses alone.

    Args:
        problem: the data.
        settings: as for `run_logistic`; its learning rate is replaced.
        rates: η > 0, one number each.
        tell: told how far it is.

    Raises:
        InputError: a rate is out of range.

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = LogisticSettings(replicates=2, mechanisms=("iid",))
    >>> [s.settings.learning_rate for s in swept_studies(paper_problem(0), few, [0.1, 0.2])]
    [0.1, 0.2]
    """
    etas = check_vector("rates", list(rates), low=1e-6).tolist()
    return tuple(
        run_logistic(problem, replace(settings, learning_rate=eta, checkpoints=1))
        for eta in steps(etas, tell, "rate {:g}".format)
    )


def rank_sweep(studies: Sequence[LogisticStudy]) -> RateSweep:
    """Return NoiseCurve's rank and loss under L0 … L3 from a study at each of several rates.

    Args:
        studies: with the same mechanisms, NoiseCurve among them, and at least L0 … L3.

    Source: MOMENT-DP, Table 2 (its learning rate is not printed).

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = LogisticSettings(replicates=2, noisecurve="solved")
    >>> studies = swept_studies(paper_problem(0), few, [0.02])
    >>> rank_sweep(studies).rates.tolist()
    [0.02]
    """
    etas = check_vector("rates", [study.settings.learning_rate for study in studies], low=0)
    keys = studies[0].runs[0].mechanisms
    rows = [
        [rank_condition(study.by_condition[key]) for key in PAPER_CONDITIONS] for study in studies
    ]
    place = keys.index(SUBJECT)
    first = [[int(order.mean.argmin()) for order in row] for row in rows]

    def table(name: str) -> FloatArray:
        return read_only(np.array([[getattr(o, name)[place] for o in row] for row in rows]))

    def best(name: str) -> FloatArray:
        pairs = [zip(row, where, strict=True) for row, where in zip(rows, first, strict=True)]
        return read_only(np.array([[getattr(o, name)[n] for o, n in pair] for pair in pairs]))

    return RateSweep(
        rates=etas,
        mechanisms=tuple(keys),
        rank=table("rank").astype(np.int64),
        best_rank=table("best_rank").astype(np.int64),
        worst_rank=table("worst_rank").astype(np.int64),
        mean=table("mean"),
        standard_error=table("standard_error"),
        best_mean=best("mean"),
        best_error=best("standard_error"),
        best=tuple(tuple(keys[n] for n in where) for where in first),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class DataSweep:
    """NoiseCurve under L0 … L3 on D data sets at one rate; arrays (D, 4).

    Args:
        seeds: of the data sets, D numbers.
        rate: η.
        rank: NoiseCurve's rank by the mean.
        admitted: on which data sets the published ranks lie in the rank intervals, shape (D,).
        mean: its excess loss.
        best_mean: that of the best mechanism.
    """

    seeds: tuple[int, ...]
    rate: float
    rank: IntArray
    admitted: BoolArray
    mean: FloatArray
    best_mean: FloatArray


def data_sweep(
    settings: LogisticSettings,
    seeds: Iterable[int] = range(10),
    *,
    keys: tuple[str, ...] = COMPARED,
    tell: Tell = nobody,
) -> DataSweep:
    """Return NoiseCurve's ranks and losses on several draws of the paper's synthetic data.

    With one partition of one data set the sampling part of the loss is a single draw, so that two
    data sets differ by far more than the printed standard errors.

    Args:
        settings: as for `run_logistic`.
        seeds: of the data, each ≥ 0.
        keys: the mechanisms that are ranked, NoiseCurve among them.
        tell: told how far it is.

    Source: MOMENT-DP, Table 2 and Appendix F.1.

    >>> few = LogisticSettings(replicates=2, noisecurve="solved")
    >>> data_sweep(few, [0], keys=("bisr", "noisecurve")).mean.shape
    (1, 4)
    """
    numbers = tuple(seeds)
    rate = settings.learning_rate
    parts = [
        rate_sweep(paper_problem(seed), settings, [rate], keys=keys)
        for seed in steps(numbers, tell, "data of seed {}".format)
    ]
    return DataSweep(
        seeds=numbers,
        rate=rate,
        rank=np.concatenate([part.rank for part in parts]),
        admitted=np.concatenate([part.admits(PUBLISHED_RANKS) for part in parts]),
        mean=read_only(np.concatenate([part.mean for part in parts])),
        best_mean=read_only(np.concatenate([part.best_mean for part in parts])),
    )
