"""Do designs beat the published mechanisms in real training? Chosen, confirmed, and judged.

Whatever is chosen (each mechanism's rate, the best published one, the kind to suggest) is chosen
on the first replicates; every difference that is told comes from the fresh ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.experiments.design_runs import (
    ConditionLosses,
    ProofSettings,
    condition_scenario,
    mechanism_of,
    mirrored,
    noise_scale,
)
from momentdp_core.experiments.logistic import mechanism_noise, raw_noise
from momentdp_core.experiments.logistic_data import LogisticProblem
from momentdp_core.experiments.logistic_ranks import mean_and_error, t_factor
from momentdp_core.experiments.logistic_runs import CONDITIONS, LogisticSettings, partitions

BETTER, WORSE, OPEN = "better", "worse", "open"
# Below this share of the loss, privacy noise is too small a part of it for any mechanism to matter.
NEGLIGIBLE_SHARE = 0.05


@dataclass(frozen=True, kw_only=True)
class Paired:
    """A design against a published mechanism on the confirming replicates.

    Args:
        rate, rival_rate: η of each.
        rival: key of the published mechanism.
        mean, rival_mean: mean excess losses.
        difference: mean of design − published.
        half_width: of its paired 95 % t interval.
        plain_half_width: the same without the mirrored noise.
    """

    rate: float
    rival: str
    rival_rate: float
    mean: float
    rival_mean: float
    difference: float
    half_width: float
    plain_half_width: float

    @property
    def outcome(self) -> str:
        """Return "better" or "worse" where the interval leaves out 0, else "open"."""
        if abs(self.difference) <= self.half_width:
            return OPEN
        return BETTER if self.difference < 0 else WORSE


def pair_of(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Return the mean of first − second over paired replicates and its 95 % half-width.

    >>> pair_of(np.array([1.0, 2.0]), np.array([0.0, 1.0]))
    (1.0, 0.0)
    """
    mean, error = mean_and_error(first - second)
    return float(mean), float(t_factor(len(first)) * error)


def paired(
    told: ConditionLosses, settings: ProofSettings, key: str, at: int, rival: int, rival_at: int
) -> Paired:
    """Return a design at one rate against a published mechanism at another, on fresh replicates."""
    fresh = list(settings.confirming)
    n = told.mechanisms.index(key)
    ours, theirs = told.loss[at, fresh, n], told.loss[rival_at, fresh, rival]
    difference, half = pair_of(ours, theirs)
    _, plain = pair_of(told.plain[at, fresh, n], told.plain[rival_at, fresh, rival])
    return Paired(
        rate=float(told.rates[at]),
        rival=told.mechanisms[rival],
        rival_rate=float(told.rates[rival_at]),
        mean=float(ours.mean()),
        rival_mean=float(theirs.mean()),
        difference=difference,
        half_width=half,
        plain_half_width=plain,
    )


def chosen_means(told: ConditionLosses, settings: ProofSettings) -> FloatArray:
    """Return the mean excess loss on the choosing replicates, shape (R, n)."""
    return np.asarray(told.loss[:, list(settings.choosing)].mean(axis=1))


@dataclass(frozen=True, kw_only=True, eq=False)
class ConditionProof:
    """What came out under one condition at one ε.

    Args:
        condition, epsilon: which.
        rates: η, R of them.
        tuned: every kind at its own best rate against the best published one at its own.
        sweep: every kind at each rate against the best published one at that rate, R each.
        privacy: privacy's part of the best published loss at its own rate: (loss − loss without
            noise)/loss; below 0 where noise helps.
        gain: by kind, the share of that loss which the quadratic says the kind would save at the
            same rate.
    """

    condition: str
    epsilon: float
    rates: tuple[float, ...]
    tuned: Mapping[str, Paired]
    sweep: Mapping[str, tuple[Paired, ...]]
    privacy: float
    gain: Mapping[str, float]


def confirm(told: ConditionLosses, settings: ProofSettings) -> ConditionProof:
    """Return the differences to the best published mechanism, tuned and rate by rate.

    Args:
        told: losses of one condition.
        settings: they were made with.

    Source: this project; paired t intervals as in `rank_condition`.
    """
    means = chosen_means(told, settings)
    pool = means[:, : told.published]
    best_at, best = (int(x) for x in np.unravel_index(pool.argmin(), pool.shape))
    kinds = told.mechanisms[told.published :]
    tuned, sweep, gain = {}, {}, {}
    for n, key in enumerate(kinds, told.published):
        at = int(means[:, n].argmin())
        tuned[key] = paired(told, settings, key, at, best, best_at)
        sweep[key] = tuple(
            paired(told, settings, key, r, int(pool[r].argmin()), r) for r in range(len(told.rates))
        )
        saved = float(told.predicted[best_at, best] - told.predicted[best_at, n])
        gain[key] = saved / tuned[key].rival_mean
    rival_mean = next(iter(tuned.values())).rival_mean
    return ConditionProof(
        condition=told.condition,
        epsilon=told.epsilon,
        rates=tuple(told.rates.tolist()),
        tuned=tuned,
        sweep=sweep,
        privacy=float(1 - told.quiet[best_at] / rival_mean),
        gain=gain,
    )


def scores(all_told: Sequence[ConditionLosses], settings: ProofSettings) -> dict[str, float]:
    """Return each kind's loss as a multiple of the best published one, choosing replicates only.

    The geometric mean over all conditions, rates and ε of loss/best published loss there: what a
    kind costs a trainer whose rate is one of these, without knowing which.

    Args:
        all_told: losses of every condition and ε.
        settings: they were made with.

    Source: this project.
    """
    logs: dict[str, list[float]] = {key: [] for key in settings.kinds}
    for told in all_told:
        means = chosen_means(told, settings)
        floor = means[:, : told.published].min(axis=1)
        for n, key in enumerate(told.mechanisms[told.published :], told.published):
            logs[key] += np.log(means[:, n] / floor).tolist()
    return {key: float(np.exp(np.mean(values))) for key, values in logs.items()}


def tuned_scores(all_told: Sequence[ConditionLosses], settings: ProofSettings) -> dict[str, float]:
    """Return the same with every mechanism at its own best rate."""
    logs: dict[str, list[float]] = {key: [] for key in settings.kinds}
    for told in all_told:
        least = chosen_means(told, settings).min(axis=0)
        floor = least[: told.published].min()
        for n, key in enumerate(told.mechanisms[told.published :], told.published):
            logs[key].append(float(np.log(least[n] / floor)))
    return {key: float(np.exp(np.mean(values))) for key, values in logs.items()}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What follows for the reader's default.

    Args:
        best: the kind with the smallest score.
        suggested: the same, or None where it did not hold on the fresh replicates.
        tuned: how often it was better, worse, open with both at their own rates.
        sweep: the same over all rates.
    """

    best: str
    suggested: str | None
    tuned: Mapping[str, int]
    sweep: Mapping[str, int]


def verdict(score: Mapping[str, float], proofs: Sequence[ConditionProof]) -> Verdict:
    """Return the kind to suggest: the best by score, if fresh replicates bear it out.

    It is suggested if its score is below 1 and, tuned and over the sweep, it is better more often
    than it is worse.

    Args:
        score: from `scores`.
        proofs: every condition and ε.

    >>> verdict({"single": 1.2}, []).suggested is None
    True
    """
    best = min(score, key=lambda key: score[key])
    tuned = _count([proof.tuned[best] for proof in proofs])
    sweep = _count([one for proof in proofs for one in proof.sweep[best]])
    holds = score[best] < 1 and all(told[BETTER] > told[WORSE] for told in (tuned, sweep))
    return Verdict(best=best, suggested=best if holds else None, tuned=tuned, sweep=sweep)


def _count(pairs: Sequence[Paired]) -> dict[str, int]:
    outcomes = [pair.outcome for pair in pairs]
    return {word: outcomes.count(word) for word in (BETTER, WORSE, OPEN)}


def other_partitions(
    problem: LogisticProblem, settings: ProofSettings, proof: ConditionProof, key: str
) -> Paired:
    """Return the tuned comparison again, every replicate with new noise and its own partition.

    The study holds one partition into shards fixed, as the paper does; this tells what of the
    difference is owed to that partition.

    Args:
        problem: the data.
        settings: of the study; noise and partitions take the next seed.
        proof: names the rates and the published mechanism.
        key: of KINDS.
    """
    told, momentum = proof.tuned[key], CONDITIONS[proof.condition].momentum
    seed = settings.seed + 1
    asked = LogisticSettings(replicates=settings.replicates, seed=seed, reshuffle=True)
    raw = raw_noise(seed, settings.replicates, problem.horizon, problem.features.shape[1])
    shards = partitions(problem, asked)
    scenarios = [
        condition_scenario(problem, settings, proof.condition, rate, proof.epsilon)
        for rate in (told.rate, told.rival_rate)
    ]
    mechanisms = [
        mechanism_of(scenario, momentum, name)
        for scenario, name in zip(scenarios, (key, told.rival), strict=True)
    ]
    noise = mechanism_noise(mechanisms, noise_scale(problem, scenarios[0]), raw)
    steps = np.stack([scenario.step_sizes for scenario in scenarios], axis=1)
    plain, loss = mirrored(problem, momentum, steps, noise, shards)
    difference, half = pair_of(loss[:, 0], loss[:, 1])
    return replace(
        told,
        mean=float(loss[:, 0].mean()),
        rival_mean=float(loss[:, 1].mean()),
        difference=difference,
        half_width=half,
        plain_half_width=pair_of(plain[:, 0], plain[:, 1])[1],
    )
