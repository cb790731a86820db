"""DP-PMLF and its rivals on the logistic task: their order, and where the filter stops helping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

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
from momentdp_core.experiments.logistic import UpdateRule, raw_noise, train
from momentdp_core.experiments.logistic_data import IntArray, LogisticProblem, streams
from momentdp_core.experiments.logistic_ranks import BOOTSTRAPS, mean_and_error, t_factor
from momentdp_core.experiments.progress import Tell, nobody, steps
from momentdp_core.optimizers.filters import designed_filter
from momentdp_core.privacy import noise_multiplier

METHODS: Mapping[str, str] = MappingProxyType(
    {
        "dpsgd": "DPSGD",
        "lp_dpsgd": "LP-DPSGD",
        "inner_outer": "InnerOuter",
        "dp_pmlf": "DP-PMLF",
        "per_sample": "DP-PMLF without its filter",
    }
)
# The published table has these four.
ORDERED = ("dpsgd", "lp_dpsgd", "inner_outer", "dp_pmlf")
RATES = tuple(float(rate) for rate in np.geomspace(3e-4, 1.0, 15).round(6))
EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(0.1, 100.0, 25).round(6))
# Of the rates tried, the sign of the filter's effect depends most clearly on ε at this one.
ABLATION_RATE = 0.01


@dataclass(frozen=True, kw_only=True)
class PmlfSettings:
    """The four methods and how they are run; none of these numbers is in what we have of the paper.

    Args:
        beta, window: β and k of per-sample momentum.
        outer: μ of InnerOuter's outer momentum, not normalised.
        cutoff: ω of the first-order low-pass filter, pole e^{−πω}.
        normalise: the start-up normalisation m_t/c_{m,t}.
        delta: δ; each example takes part once, σ by the analytic Gaussian mechanism.
        replicates: S ≥ 2, each with its own shards and noise, the same for all methods.
        seed: ≥ 0.

    Raises:
        InputError: a value is out of range.

    Source: DP-PMLF (arXiv:2511.08841), section "Method".
    """

    beta: float = 0.9
    window: int = 4
    outer: float = 0.9
    cutoff: float = 0.1
    normalise: bool = True
    delta: float = 1e-5
    replicates: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("beta", "outer"):
            check_real(name, getattr(self, name), low=0, high=1, open_high=True)
        check_real("cutoff", self.cutoff, low=0, high=1, open_low=True, open_high=True)
        check_integer("window", self.window, low=1)
        check_integer("replicates", self.replicates, low=2)
        check_integer("seed", self.seed, low=0)

    def rule(self, method: str) -> UpdateRule:
        """Return the update rule of a method, key of METHODS.

        >>> PmlfSettings(window=1).rule("dpsgd")
        UpdateRule(momentum=0.0, beta=0.0, window=1, a=(), b=(1.0,), normalise=True)
        """
        check_choice("method", method, METHODS)
        coefficients = designed_filter("first_order", 1, np.array([self.cutoff]))
        a, b = (
            tuple(float(np.squeeze(c)) for c in part) for part in (coefficients.a, coefficients.b)
        )
        filtered = method in ("lp_dpsgd", "dp_pmlf")
        averaged = method in ("inner_outer", "dp_pmlf", "per_sample")
        return UpdateRule(
            momentum=self.outer if method == "inner_outer" else 0.0,
            beta=self.beta if averaged else 0.0,
            window=self.window if averaged else 1,
            a=a if filtered else (),
            b=b if filtered else (1.0,),
            normalise=self.normalise,
        )


def _excess(
    problem: LogisticProblem,
    settings: PmlfSettings,
    method: str,
    grid: tuple[FloatArray, FloatArray],
    *,
    purpose: str = "noise",
) -> FloatArray:
    """Return the final excess loss at pairs (η, ε), shape (S, P)."""
    rates, epsilons = grid
    sigma = np.array([noise_multiplier(epsilon=e, delta=settings.delta) for e in epsilons.tolist()])
    shape = (settings.seed, settings.replicates, problem.horizon, len(problem.full))
    raw = raw_noise(*shape, purpose=purpose)
    noise = raw[:, :, None, :] * (sigma * problem.threshold / problem.shard_size)[:, None]
    steps = np.broadcast_to(rates / problem.calibrated[0], (problem.horizon, len(rates)))
    shards = _shards(problem, settings, "shards" if purpose == "noise" else "tuning shards")
    path = train(problem, settings.rule(method), steps, shards=shards, noise=noise)
    return np.asarray(problem.excess(path)[0])


def _shards(problem: LogisticProblem, settings: PmlfSettings, purpose: str) -> IntArray:
    generators = streams(purpose, settings.seed, settings.replicates)
    return np.stack([problem.reshuffled(generator) for generator in generators])


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderingStudy:
    """Excess losses of n methods at E privacy levels; arrays (S, E, n) over paired replicates.

    Args:
        methods: keys of METHODS.
        epsilons: shape (E,).
        tuned: each method at its own best rate, chosen on other replicates.
        tuned_rates: those rates, shape (E, n).
        common: every method at DPSGD's rate.
    """

    methods: tuple[str, ...]
    epsilons: FloatArray
    tuned: FloatArray
    tuned_rates: FloatArray
    common: FloatArray

    def order(self, which: str, place: int) -> tuple[str, ...]:
        """Return the methods from best to worst by the mean, at one ε, "tuned" or "common"."""
        mean = getattr(self, which)[:, place].mean(axis=0)
        return tuple(self.methods[n] for n in np.argsort(mean, kind="stable"))


def method_ordering(
    problem: LogisticProblem,
    settings: PmlfSettings,
    epsilons: Iterable[float] = (1.0, 8.0),
    rates: Iterable[float] = RATES,
    methods: tuple[str, ...] = ORDERED,
    *,
    tell: Tell = nobody,
) -> OrderingStudy:
    """Return the excess losses of the methods, each at its own best rate and all at DPSGD's.

    The best rate is chosen on replicates of their own, so that the reported ones are not selected.

    Args:
        problem: the task.
        settings: of the methods.
        epsilons: ε > 0, one number each.
        rates: η to choose from, peak rate times λ_max(H_cal).
        methods: keys of METHODS, "dpsgd" among them.
        tell: told how far it is.

    Raises:
        InputError: a value is out of range.

    Source: DP-PMLF (arXiv:2511.08841), "Image Classification" (accuracies on CIFAR-10 there).

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = PmlfSettings(replicates=2)
    >>> method_ordering(paper_problem(0), few, [1.0], [0.01, 0.1]).tuned.shape
    (2, 1, 4)
    """
    eps = check_vector("epsilons", list(epsilons), low=1e-6)
    etas = check_vector("rates", list(rates), low=1e-9)
    if "dpsgd" not in methods:
        raise InputError("methods", methods, "dpsgd among them", "Its rate is the common one.")
    grid = (np.tile(etas, len(eps)), np.repeat(eps, len(etas)))
    chosen = np.empty((len(eps), len(methods)))
    for n, method in enumerate(steps(methods, tell, METHODS.__getitem__)):
        mean = _excess(problem, settings, method, grid, purpose="tuning").mean(axis=0)
        chosen[:, n] = etas[mean.reshape(len(eps), -1).argmin(axis=1)]
    shared = chosen[:, methods.index("dpsgd")]
    tuned = [_excess(problem, settings, m, (chosen[:, n], eps)) for n, m in enumerate(methods)]
    common = [_excess(problem, settings, method, (shared, eps)) for method in methods]
    return OrderingStudy(
        methods=tuple(methods),
        epsilons=eps,
        tuned=read_only(np.stack(tuned, axis=-1)),
        tuned_rates=read_only(chosen),
        common=read_only(np.stack(common, axis=-1)),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class FilterAblation:
    """DP-PMLF with its filter minus without it, over E values of ε at one rate.

    Args:
        rate: η.
        epsilons: increasing, shape (E,).
        difference: mean paired difference of the excess loss; negative where the filter helps.
        half_width: of its 95 % t interval, shape (E,).
        without: mean excess loss without the filter, shape (E,).
        crossover: the ε where it turns from helping to hurting; None without such a change.
        crossover_low, crossover_high: 95 % bootstrap interval; None without one.
        crossing_share: share of the bootstrap samples that have such a change.
    """

    rate: float
    epsilons: FloatArray
    difference: FloatArray
    half_width: FloatArray
    without: FloatArray
    crossover: float | None
    crossover_low: float | None
    crossover_high: float | None
    crossing_share: float


def filter_ablation(
    problem: LogisticProblem,
    settings: PmlfSettings,
    *,
    rate: float = ABLATION_RATE,
    epsilons: Iterable[float] = EPSILONS,
    tell: Tell = nobody,
) -> FilterAblation:
    """Return what the low-pass filter does to DP-PMLF's excess loss over ε, on paired runs.

    Args:
        problem: the task.
        settings: of the method.
        rate: η > 0, the same with and without the filter.
        epsilons: increasing, at least two.
        tell: told how far it is.

    Raises:
        InputError: a value is out of range.

    Source: DP-PMLF (arXiv:2511.08841), "Ablation Study".

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = PmlfSettings(replicates=2)
    >>> filter_ablation(paper_problem(0), few, epsilons=[1.0, 8.0]).difference.shape
    (2,)
    """
    eta = check_real("rate", rate, low=0, open_low=True)
    eps = check_vector("epsilons", list(epsilons), low=1e-6)
    if len(eps) < 2 or (np.diff(eps) <= 0).any():
        raise InputError("epsilons", eps.tolist(), "an increasing list", "Sort the values.")
    grid = (np.full(len(eps), eta), eps)
    pair = steps(("dp_pmlf", "per_sample"), tell, METHODS.__getitem__)
    with_filter, without = (_excess(problem, settings, method, grid) for method in pair)
    gaps = with_filter - without
    mean, error = mean_and_error(gaps)
    count = settings.replicates
    generator = streams("bootstrap", settings.seed, 1)[0]
    weights = generator.multinomial(count, np.full(count, 1 / count), size=BOOTSTRAPS) / count
    crossings = [first_rise(eps, curve) for curve in weights @ gaps]
    found = [crossing for crossing in crossings if crossing is not None]
    low, high = np.quantile(found, [0.025, 0.975]).tolist() if found else (None, None)
    return FilterAblation(
        rate=eta,
        epsilons=eps,
        difference=read_only(mean),
        half_width=read_only(t_factor(count) * error),
        without=read_only(np.asarray(without.mean(axis=0))),
        crossover=first_rise(eps, mean),
        crossover_low=low,
        crossover_high=high,
        crossing_share=len(found) / BOOTSTRAPS,
    )


def first_rise(positions: FloatArray, values: FloatArray) -> float | None:
    """Return where values first pass from below 0 to above, linear in log position, or None.

    >>> round(first_rise(np.array([1.0, 100.0]), np.array([-1.0, 1.0])), 9)
    10.0
    """
    rises = np.flatnonzero((values[:-1] < 0) & (values[1:] > 0))
    if not rises.size:
        return None
    n = int(rises[0])
    share = values[n] / (values[n] - values[n + 1])
    return float(positions[n] * (positions[n + 1] / positions[n]) ** share)
