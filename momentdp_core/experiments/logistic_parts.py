"""The excess loss of private training by cause, from paired runs that differ in one thing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray, check_choice, read_only
from momentdp_core.experiments.logistic import UpdateRule, mechanism_noise, raw_noise, train
from momentdp_core.experiments.logistic_data import LogisticProblem
from momentdp_core.experiments.logistic_designs import mechanisms_of
from momentdp_core.experiments.logistic_runs import (
    CONDITIONS,
    LogisticSettings,
    check_size,
    partitions,
    scenario_of,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class ExcessParts:
    """The excess loss of paired runs by cause; the four parts add up to `total` in every run.

    Each cause is what the loss changes by when it is switched on after those before it:
    optimisation (full batch, no clipping, no noise), then sampling (shards), then clipping, then
    privacy (noise). A later part also holds what it does to the earlier ones, and may be negative.

    Args:
        mechanisms: n keys.
        optimisation: excess loss of the full-batch run, one number.
        sampling: shape (S,).
        clipping: shape (S,).
        privacy: shape (S, n).
        total: excess loss of the private run, shape (S, n).
    """

    mechanisms: tuple[str, ...]
    optimisation: float
    sampling: FloatArray
    clipping: FloatArray
    privacy: FloatArray
    total: FloatArray


def excess_parts(
    problem: LogisticProblem, settings: LogisticSettings, condition: str
) -> ExcessParts:
    """Return the excess loss under one condition by cause, from paired runs.

    Args:
        problem: the data.
        settings: as for `run_logistic`; with `reshuffle` the sampling part has a spread.
        condition: key of CONDITIONS.

    Raises:
        InputError: a setting is out of range.

    Source: MOMENT-DP, Appendix H.2 (named there as a future direction).

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = LogisticSettings(mechanisms=("bisr",), replicates=2)
    >>> excess_parts(paper_problem(0), few, "L0").privacy.shape
    (2, 1)
    """
    chosen = CONDITIONS[check_choice("condition", condition, CONDITIONS)]
    scenario = scenario_of(problem, settings, chosen)
    rule, rates = UpdateRule(momentum=chosen.momentum), scenario.step_sizes
    check_size(problem, settings)
    shards = partitions(problem, settings)
    raw = raw_noise(settings.seed, settings.replicates, problem.horizon, len(problem.full))
    full = problem.excess(train(problem, rule, rates, shards=None, clip=False))[0, :, 0]
    sampled = problem.excess(train(problem, rule, rates, shards=shards, clip=False))[0, :, 0]
    clipped = problem.excess(train(problem, rule, rates, shards=shards))[0, :, 0]
    scale = scenario.noise_multiplier * problem.threshold / problem.shard_size
    noise = mechanism_noise(mechanisms_of(scenario, settings.noisecurve), scale, raw)
    total = problem.excess(train(problem, rule, rates, shards=shards, noise=noise))[0]
    each = np.ones(settings.replicates)
    return ExcessParts(
        mechanisms=scenario.mechanisms,
        optimisation=float(full[0]),
        sampling=read_only((sampled - full) * each),
        clipping=read_only((clipped - sampled) * each),
        privacy=read_only(total - clipped[:, None]),
        total=read_only(total),
    )
