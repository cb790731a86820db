"""What paired runs say about the order of the mechanisms, and how well a score foretells it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core.errors import FloatArray, InputError, check_real, read_only
from momentdp_core.experiments.logistic_data import streams
from momentdp_core.experiments.logistic_runs import ConditionRun, LogisticStudy
from momentdp_core.ranking import IntArray, kendall_tau, ranks, selection_regret, top_one

BoolArray = NDArray[np.bool_]
CONFIDENCE = 0.95
BOOTSTRAPS = 400


def t_factor(replicates: int, confidence: float = CONFIDENCE) -> float:
    """Return the factor of the standard error in a two-sided t interval of S replicates.

    >>> round(t_factor(30), 3)
    2.045
    """
    from scipy.special import stdtrit

    level = check_real("confidence", confidence, low=0, high=1, open_low=True, open_high=True)
    if replicates < 2:
        raise InputError("replicates", replicates, "at least 2", "One run has no spread.")
    return float(stdtrit(replicates - 1, 0.5 + level / 2))


def mean_and_error(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean over the first axis and its standard error.

    >>> [float(part) for part in mean_and_error(np.array([1.0, 3.0]))]
    [2.0, 1.0]
    """
    spread = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return np.asarray(values.mean(axis=0)), np.asarray(spread)


@dataclass(frozen=True, kw_only=True, eq=False)
class ConditionRanks:
    """The mechanisms of one condition in the order of their mean excess loss.

    Args:
        condition: its key.
        mechanisms: n keys.
        mean, standard_error, half_width: of the excess loss, 95 % t interval, each (n,).
        rank: by the mean, 1 is the best, shape (n,).
        best_rank, worst_rank: 95 % interval of each mechanism's rank: 1 + how many are better,
            n − how many are worse, by paired t intervals at level 1 − 5 %/(n − 1), shape (n,).
        difference: mean paired difference of row − column, shape (n, n).
        difference_half_width: of its own 95 % t interval, shape (n, n).
        resolved: whether that interval leaves out 0, shape (n, n).
    """

    condition: str
    mechanisms: tuple[str, ...]
    mean: FloatArray
    standard_error: FloatArray
    half_width: FloatArray
    rank: IntArray
    best_rank: IntArray
    worst_rank: IntArray
    difference: FloatArray
    difference_half_width: FloatArray
    resolved: BoolArray

    def rank_of(self, key: str) -> tuple[int, int, int]:
        """Return the rank of a mechanism and its 95 % interval."""
        n = self.mechanisms.index(key)
        return int(self.rank[n]), int(self.best_rank[n]), int(self.worst_rank[n])


def rank_condition(run: ConditionRun) -> ConditionRanks:
    """Return means, ranks and paired differences of one condition's runs.

    Source: MOMENT-DP, Table 2 and Appendix F.6 (its rule for "resolved" is not printed).

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> from momentdp_core.experiments.logistic_runs import LogisticSettings, run_logistic
    >>> small = LogisticSettings(mechanisms=("iid", "bisr"), conditions=("L1",), replicates=4)
    >>> rank_condition(run_logistic(paper_problem(0), small).runs[0]).rank.tolist()
    [2, 1]
    """
    excess = run.excess
    count, n = excess.shape
    mean, error = mean_and_error(excess)
    difference, spread = mean_and_error(excess[:, :, None] - excess[:, None, :])
    width = t_factor(count) * spread
    strict = t_factor(count, 1 - (1 - CONFIDENCE) / max(1, n - 1)) * spread
    resolved = np.abs(difference) > width
    return ConditionRanks(
        condition=run.condition,
        mechanisms=run.mechanisms,
        mean=read_only(mean),
        standard_error=read_only(error),
        half_width=read_only(t_factor(count) * error),
        rank=ranks(mean),
        best_rank=1 + (difference > strict).sum(axis=1),
        worst_rank=n - (difference < -strict).sum(axis=1),
        difference=read_only(difference),
        difference_half_width=read_only(width),
        resolved=resolved,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Foretelling:
    """How well one score foretells the order of the mean excess losses, over several conditions.

    Args:
        score: "static", "optimizer_aware" or "optimizer_aware_full".
        right: resolved pairs ordered as observed; a pair tied in the score counts half.
        resolved: number of resolved pairs over all conditions.
        pairs: number of pairs over all conditions.
        regret: relative selection regret, mean over the conditions.
        regret_low, regret_high: 95 % bootstrap interval over the replicates.
        top_one: share of conditions whose best mechanism is the score's first choice.
        kendall: τ of each condition, shape (conditions,).
        kendall_low, kendall_high: 95 % bootstrap interval of each, shape (conditions,).
    """

    score: str
    right: float
    resolved: int
    pairs: int
    regret: float
    regret_low: float
    regret_high: float
    top_one: float
    kendall: FloatArray
    kendall_low: FloatArray
    kendall_high: FloatArray

    @property
    def accuracy(self) -> float | None:
        """right/resolved; None when no pair is resolved."""
        return self.right / self.resolved if self.resolved else None


SCORES = {"static": "static", "optimizer_aware": "predicted"}
SCORES["optimizer_aware_full"] = "predicted_full"


def foretelling(
    study: LogisticStudy, score: str, keys: tuple[str, ...], *, errors: float | None = None
) -> Foretelling:
    """Return how well a score foretells the study's order of the mechanisms `keys`.

    Args:
        study: its conditions are pooled.
        score: key of SCORES: MeanSE of the prefix workload, or the damage on H_cal or H_full.
        keys: the mechanisms that are compared, at least two.
        errors: a pair is resolved when its mean difference is above so many standard errors; by
            default those of the 95 % t interval.

    Source: MOMENT-DP, Appendix F.4 and F.6.

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> from momentdp_core.experiments.logistic_runs import LogisticSettings, run_logistic
    >>> small = LogisticSettings(mechanisms=("iid", "bisr"), conditions=("L1",), replicates=4)
    >>> study = run_logistic(paper_problem(0), small)
    >>> foretelling(study, "static", ("iid", "bisr")).accuracy
    1.0
    """
    right, resolved, pairs = 0.0, 0, 0
    regrets, tops, taus = [], [], []
    boot_regrets, boot_taus = [], []
    first, second = np.triu_indices(len(keys), 1)
    weights = _bootstrap_weights(study)
    for run in (run.only(keys) for run in study.runs):
        foretold = np.asarray(getattr(run, SCORES[score]))
        order = rank_condition(run)
        spread = order.difference_half_width / t_factor(study.settings.replicates)
        least = order.difference_half_width if errors is None else errors * spread
        told = (np.abs(order.difference) > least)[first, second]
        observed = np.sign(order.difference[first, second])
        expected = np.sign(foretold[first] - foretold[second])
        right += float(np.where(expected == 0, 0.5, expected == observed)[told].sum())
        resolved += int(told.sum())
        pairs += len(first)
        regrets.append(selection_regret(foretold, order.mean))
        tops.append(top_one(foretold, order.mean))
        taus.append(kendall_tau(foretold, order.mean))
        resampled = weights @ run.excess
        boot_regrets.append(resampled[:, int(foretold.argmin())] / resampled.min(axis=1) - 1)
        signs = np.sign(resampled[:, first] - resampled[:, second])
        told_apart = np.count_nonzero(signs, axis=1) * np.count_nonzero(expected)
        boot_taus.append(signs @ expected / np.sqrt(np.maximum(told_apart, 1)))
    low, high = np.quantile(np.mean(boot_regrets, axis=0), [0.025, 0.975])
    tau_low, tau_high = np.quantile(np.array(boot_taus), [0.025, 0.975], axis=1)
    return Foretelling(
        score=score,
        right=right,
        resolved=resolved,
        pairs=pairs,
        regret=float(np.mean(regrets)),
        regret_low=float(low),
        regret_high=float(high),
        top_one=float(np.mean(tops)),
        kendall=read_only(np.array(taus)),
        kendall_low=read_only(tau_low),
        kendall_high=read_only(tau_high),
    )


def _bootstrap_weights(study: LogisticStudy) -> FloatArray:
    """Return how often each replicate is drawn, over S, shape (BOOTSTRAPS, S); paired over all."""
    count = study.settings.replicates
    generator = streams("bootstrap", study.settings.seed, 1)[0]
    return generator.multinomial(count, np.full(count, 1 / count), size=BOOTSTRAPS) / count


@dataclass(frozen=True, kw_only=True, eq=False)
class CurvatureSources:
    """The prediction on H_cal against that on H_full, by condition.

    Args:
        discrepancy: relative difference of each eigenvalue, λ(H_cal)/λ(H_full) − 1, shape (d,).
        same_top: whether the predicted best mechanism is the same, shape (conditions,).
        same_order: whether the whole predicted ranking is, shape (conditions,).
    """

    discrepancy: FloatArray
    same_top: BoolArray
    same_order: BoolArray


def curvature_sources(study: LogisticStudy, keys: tuple[str, ...]) -> CurvatureSources:
    """Return what replacing H_cal by H_full changes in the predicted rankings.

    Source: MOMENT-DP, Appendix F.4.
    """
    chosen = [run.only(keys) for run in study.runs]
    orders = [(ranks(run.predicted), ranks(run.predicted_full)) for run in chosen]
    return CurvatureSources(
        discrepancy=read_only(study.problem.discrepancy),
        same_top=np.array([bool(a.argmin() == b.argmin()) for a, b in orders]),
        same_order=np.array([bool((a == b).all()) for a, b in orders]),
    )
