"""Training with designs and published mechanisms: conditions × rates × paired replicates.

The noise of every replicate is used with both signs. Both are equally likely, so the mean of the
two losses has the same expectation, and what is odd in the noise cancels: chiefly its product with
the sampling error of the one partition, which hides most differences otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import (
    FloatArray,
    InputError,
    check_choice,
    check_integer,
    check_real,
    check_vector,
    read_only,
)
from momentdp_core.experiments.design_kinds import KINDS, design_kind
from momentdp_core.experiments.logistic import UpdateRule, mechanism_noise, raw_noise, train
from momentdp_core.experiments.logistic_data import IntArray, LogisticProblem
from momentdp_core.experiments.logistic_designs import quadratic_damage
from momentdp_core.experiments.logistic_runs import (
    CONDITIONS,
    LARGEST_RATE,
    PAPER_CONDITIONS,
    LogisticSettings,
    scenario_of,
)
from momentdp_core.mechanisms import POOL, Mechanism
from momentdp_core.scenario import Scenario

RATES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
# The paper's ε, and one at which privacy noise is a large part of the loss.
EPSILONS = (4.0, 1.0)
REPLICATES = 30


@dataclass(frozen=True, kw_only=True)
class ProofSettings:
    """How designs are tried; hashable.

    Args:
        rates: η, peak rates times λ_max(H_cal), increasing, 0 < η ≤ 10.
        conditions: keys of CONDITIONS.
        kinds: keys of KINDS.
        pool: keys of the published mechanisms.
        epsilons: privacy targets.
        delta: of all of them.
        bands: b of the banded designs and mechanisms.
        replicates: S ≥ 2; the first S replicates choose, S further ones confirm.
        seed: ≥ 0, of the noise.

    Raises:
        InputError: a value is out of range.
    """

    rates: tuple[float, ...] = RATES
    conditions: tuple[str, ...] = PAPER_CONDITIONS
    kinds: tuple[str, ...] = tuple(KINDS)
    pool: tuple[str, ...] = POOL
    epsilons: tuple[float, ...] = EPSILONS
    delta: float = 1e-5
    bands: int = 16
    replicates: int = REPLICATES
    seed: int = 0

    def __post_init__(self) -> None:
        if min(map(len, (self.conditions, self.kinds, self.pool, self.epsilons))) == 0:
            raise InputError("settings", "an empty list", "one entry of each", "Name at least one.")
        for key in self.conditions:
            check_choice("conditions", key, CONDITIONS)
        for key in self.kinds:
            check_choice("kinds", key, KINDS)
        rates = check_vector("rates", list(self.rates), low=1e-6)
        if (np.diff(rates) <= 0).any() or rates[-1] > LARGEST_RATE:
            raise InputError(
                "rates", self.rates, f"increasing numbers up to {LARGEST_RATE:g}", "Sort them."
            )
        for epsilon in self.epsilons:
            check_real("epsilons", epsilon, low=0, open_low=True)
        check_integer("replicates", self.replicates, low=2)
        check_integer("seed", self.seed, low=0)

    @property
    def choosing(self) -> range:
        """The replicates by which rates, rivals and the suggestion are chosen."""
        return range(self.replicates)

    @property
    def confirming(self) -> range:
        """The replicates from which every reported difference comes."""
        return range(self.replicates, 2 * self.replicates)


@dataclass(frozen=True, kw_only=True, eq=False)
class ConditionLosses:
    """The excess losses under one condition at one ε, R rates, n mechanisms, 2S replicates.

    Args:
        condition: its key.
        epsilon: ε.
        mechanisms: the published ones, then the designs.
        published: how many of them are published.
        rates: η, shape (R,).
        loss: final excess loss, mean over both signs of the noise, shape (R, 2S, n).
        plain: with the noise as drawn alone, shape (R, 2S, n).
        quiet: without privacy noise, shape (R,).
        predicted: damage in the quadratic of H_cal, shape (R, n).
    """

    condition: str
    epsilon: float
    mechanisms: tuple[str, ...]
    published: int
    rates: FloatArray
    loss: FloatArray
    plain: FloatArray
    quiet: FloatArray
    predicted: FloatArray


def condition_scenario(
    problem: LogisticProblem, settings: ProofSettings, condition: str, rate: float, epsilon: float
) -> Scenario:
    """Return the quadratic of H_cal that the designs are made for.

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> condition_scenario(paper_problem(0), ProofSettings(), "L2", 0.02, 4.0).learning_rate
    0.02
    """
    asked = LogisticSettings(
        learning_rate=rate,
        epsilon=epsilon,
        delta=settings.delta,
        bands=settings.bands,
        mechanisms=settings.pool,
        seed=settings.seed,
    )
    return scenario_of(problem, asked, CONDITIONS[condition])


def mechanism_of(scenario: Scenario, momentum: float, key: str) -> Mechanism:
    """Return a design by its kind, or a published mechanism by its key.

    >>> mechanism_of(Scenario(horizon=4), 0.0, "iid").key
    'iid'
    """
    return design_kind(scenario, momentum, key) if key in KINDS else scenario.design(key)


def noise_scale(problem: LogisticProblem, scenario: Scenario) -> float:
    """Return σC/B, the scale of the step noise of the mean gradient.

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> noise_scale(paper_problem(0), Scenario()) < 1
    True
    """
    return scenario.noise_multiplier * problem.threshold / problem.shard_size


def mirrored(
    problem: LogisticProblem,
    momentum: float,
    step_sizes: FloatArray,
    noise: FloatArray,
    shards: IntArray,
    *,
    clip: bool = True,
) -> tuple[FloatArray, FloatArray]:
    """Return the final excess loss with noise z, and its mean over z and −z, each (S, n).

    Args:
        problem: the data.
        momentum: μ.
        step_sizes: η_t, shape (T,) or (T, n).
        noise: z, shape (T, S, n, d).
        shards: (1, T, B), or (S, T, B) for a partition each.
        clip: whether each example's gradient is clipped.
    """
    rule = UpdateRule(momentum=momentum)
    plus, minus = (
        problem.excess(train(problem, rule, step_sizes, shards=shards, noise=z, clip=clip))[0]
        for z in (noise, -noise)
    )
    return plus, (plus + minus) / 2


def run_condition(
    problem: LogisticProblem, settings: ProofSettings, condition: str
) -> tuple[ConditionLosses, ...]:
    """Train with every mechanism at every rate under one condition; a record for each ε.

    Replicate s has the same Z for every mechanism, rate, condition and ε.

    Args:
        problem: the data.
        settings: how.
        condition: key of CONDITIONS.

    Raises:
        InputError: a setting is out of range.

    Source: MOMENT-DP (arXiv:2611.11457), Appendix F, with designs beside its mechanisms.

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = ProofSettings(rates=(0.02,), kinds=("range",), pool=("iid", "bisr"), replicates=2)
    >>> [r.loss.shape for r in run_condition(paper_problem(0), few, "L0")]
    [(1, 4, 3), (1, 4, 3)]
    """
    keys = (*settings.pool, *settings.kinds)
    momentum = CONDITIONS[condition].momentum
    dimension = problem.features.shape[1]
    raw = raw_noise(settings.seed, 2 * settings.replicates, problem.horizon, dimension)
    shards = problem.shards[None]
    shape = (len(settings.epsilons), len(settings.rates), 2 * settings.replicates, len(keys))
    loss, plain = np.empty(shape), np.empty(shape)
    quiet, predicted = np.empty(shape[1]), np.empty((*shape[:2], len(keys)))
    for r, rate in enumerate(settings.rates):
        scenario = condition_scenario(problem, settings, condition, rate, settings.epsilons[0])
        mechanisms = tuple(mechanism_of(scenario, momentum, key) for key in keys)
        steps = scenario.step_sizes
        still = train(problem, UpdateRule(momentum=momentum), steps, shards=shards)
        quiet[r] = problem.excess(still)[0, 0, 0]
        unit = quadratic_damage(mechanisms, problem.calibrated, steps, momentum)
        noise = mechanism_noise(mechanisms, 1.0, raw)
        for e, epsilon in enumerate(settings.epsilons):
            # No design depends on ε.
            known = condition_scenario(problem, settings, condition, rate, epsilon)
            scale = noise_scale(problem, known)
            predicted[e, r] = scale**2 * unit
            plain[e, r], loss[e, r] = mirrored(problem, momentum, steps, scale * noise, shards)
    return tuple(
        ConditionLosses(
            condition=condition,
            epsilon=epsilon,
            mechanisms=keys,
            published=len(settings.pool),
            rates=read_only(np.array(settings.rates)),
            loss=read_only(loss[e]),
            plain=read_only(plain[e]),
            quiet=read_only(quiet.copy()),
            predicted=read_only(predicted[e]),
        )
        for e, epsilon in enumerate(settings.epsilons)
    )
