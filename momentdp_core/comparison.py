"""Several optimizers side by side: what each loses to bias, sampling and privacy noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from momentdp_core.crossover import is_stable
from momentdp_core.errors import FloatArray, InputError, check_choice, check_vector, read_only
from momentdp_core.excess import SMALLEST_EPSILON, ExcessLoss, epsilon_crossover, excess_loss
from momentdp_core.optimizers import LinearOptimizer
from momentdp_core.privacy import LARGEST_EPSILON, noise_multiplier
from momentdp_core.ranking import IntArray, ranks
from momentdp_core.scenario import Scenario
from momentdp_core.stability import growth_over_schedule
from momentdp_core.suppression import noise_suppression

BoolArray = NDArray[np.bool_]
# By what an optimizer's value is chosen among those given.
AIMS = ("total", "privacy")
# Crossings closer than this, relatively, are one place.
SAME_EPSILON = 1e-8


@dataclass(frozen=True, kw_only=True)
class EpsilonCrossing:
    """Where two optimizers have the same total excess loss.

    Args:
        epsilon: ε.
        below, above: positions of the optimizers that are better at smaller and at larger ε.
    """

    epsilon: float
    below: int
    above: int


@dataclass(frozen=True, kw_only=True)
class EpsilonRegion:
    """A stretch of ε in which the same optimizers have the smallest total excess loss.

    Args:
        start, stop: its ends.
        winners: positions of the optimizers; several in a tie, none where all are unstable.
    """

    start: float
    stop: float
    winners: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class OptimizerComparison:
    """O optimizers, each at one value of its swept parameter, times n mechanisms.

    With one optimizer and value all mechanisms share bias and sampling, so the order of the
    mechanisms by total is that by privacy damage; only between optimizers the two can differ.

    Args:
        scenario: the problem, its n mechanisms and (ε, δ); its own optimizer plays no part.
        optimizers: the O optimizers.
        values: their swept values, shape (O,).
        bias: what is left of the starting error, shape (O,), loss units.
        sampling: from the sampling noise, shape (O,), loss units.
        damage: from the privacy noise, D, shape (O, n), loss units.
        stable: whether the peak rate is below the stability limit, shape (O,).
        stability_limit: peak ηλmax at which that value stops being stable, shape (O,).
        growth: largest growth of a starting error over the schedule, shape (O,).
    """

    scenario: Scenario
    optimizers: tuple[LinearOptimizer, ...]
    values: FloatArray
    bias: FloatArray
    sampling: FloatArray
    damage: FloatArray
    stable: BoolArray
    stability_limit: FloatArray
    growth: FloatArray

    @cached_property
    def total(self) -> FloatArray:
        """bias + sampling + damage, shape (O, n)."""
        return read_only(self.bias[:, None] + self.sampling[:, None] + self.damage)

    @cached_property
    def suppression(self) -> FloatArray:
        """Factor on the noise variance of the steps, shape (O, n).

        Raises:
            InputError: the horizon is beyond what T×T matrices allow.
        """
        pairs = zip(self.optimizers, self.values.tolist(), strict=True)
        own = [(replace(self.scenario, optimizer=optimizer), value) for optimizer, value in pairs]
        return read_only(np.array([noise_suppression(*pair) for pair in own]))

    @cached_property
    def damage_rank(self) -> IntArray:
        """Rank of the damage among the optimizers, per mechanism; 0 if unstable; (O, n)."""
        return ranks(self._ranked(self.damage))

    @cached_property
    def total_rank(self) -> IntArray:
        """Rank of the total among the optimizers, per mechanism; 0 if unstable; (O, n)."""
        return ranks(self._ranked(self.total))

    @cached_property
    def mechanism_rank(self) -> IntArray:
        """Rank among the mechanisms, per optimizer, by damage and so by total; (O, n)."""
        return ranks(self._ranked(self.damage).T).T

    @property
    def best_in_column(self) -> BoolArray:
        """Which optimizers have the smallest damage under each mechanism, shape (O, n)."""
        return np.asarray(self.damage_rank == 1)

    @property
    def best_in_row(self) -> BoolArray:
        """Which mechanisms have the smallest damage with each optimizer, shape (O, n)."""
        return np.asarray(self.mechanism_rank == 1)

    @property
    def differs(self) -> BoolArray:
        """Where an optimizer's rank by total is not its rank by damage, shape (O, n)."""
        return np.asarray(self.damage_rank != self.total_rank)

    def crossings(self, mechanism: str) -> tuple[EpsilonCrossing, ...]:
        """Return where pairs of stable optimizers swap places by total, by ascending ε.

        Each costs q + σ(ε)² p, so a pair meets at most once. An ε up to which a value was chosen
        is not chosen anew along ε: the values stay what they are.

        Raises:
            InputError: the mechanism is not in the scenario.
        """
        parts = self._parts(mechanism)
        usable = [k for k in range(len(parts)) if self.stable[k] and np.isfinite(parts[k]).all()]
        found = []
        for place, a in enumerate(usable):
            for b in usable[place + 1 :]:
                epsilon = epsilon_crossover(self.scenario, parts[a], parts[b])
                if epsilon is not None:
                    below, above = (a, b) if parts[a][1] < parts[b][1] else (b, a)
                    found.append(EpsilonCrossing(epsilon=epsilon, below=below, above=above))
        return tuple(sorted(found, key=lambda crossing: crossing.epsilon))

    def regions(
        self, mechanism: str, *, start: float = SMALLEST_EPSILON, stop: float = LARGEST_EPSILON
    ) -> tuple[EpsilonRegion, ...]:
        """Return the stretches of ε from `start` to `stop`, each with its best optimizers.

        Raises:
            InputError: the mechanism is not in the scenario, or an end is out of range.
        """
        edges = [start]
        for crossing in self.crossings(mechanism):
            # Optimizers in a tie cross the others at one place, up to rounding.
            if edges[-1] * (1 + SAME_EPSILON) < crossing.epsilon < stop:
                edges.append(crossing.epsilon)
        ends = [*edges[1:], stop]
        inside = np.sqrt(np.array(edges) * np.array(ends))
        placed = ranks(self._ranked(self.sweep(mechanism, inside)))
        regions: list[EpsilonRegion] = []
        for begin, end, column in zip(edges, ends, placed.T, strict=True):
            winners = tuple(int(o) for o in np.flatnonzero(column == 1))
            if regions and regions[-1].winners == winners:
                begin = regions.pop().start
            regions.append(EpsilonRegion(start=begin, stop=end, winners=winners))
        return tuple(regions)

    def sweep(self, mechanism: str, epsilons: object) -> FloatArray:
        """Return the total excess loss of every optimizer at each ε, shape (O, E).

        Bias and sampling do not depend on ε; the damage scales with σ(ε)².

        Raises:
            InputError: the mechanism is not in the scenario, or an ε is out of range.
        """
        parts = np.array(self._parts(mechanism))
        given = check_vector("epsilons", epsilons, low=0)
        delta = self.scenario.delta
        sigma = [noise_multiplier(epsilon=float(e), delta=delta) for e in given]
        return np.asarray(parts[:, :1] + parts[:, 1:] * np.array(sigma) ** 2)

    def _parts(self, mechanism: str) -> list[tuple[float, float]]:
        """Return (q, p) of each optimizer: bias plus sampling, and damage at σ = 1."""
        check_choice("mechanism", mechanism, self.scenario.mechanisms)
        column = self.damage[:, self.scenario.mechanisms.index(mechanism)]
        unit = column / self.scenario.noise_multiplier**2
        return list(zip((self.bias + self.sampling).tolist(), unit.tolist(), strict=True))

    def _ranked(self, losses: FloatArray) -> FloatArray:
        return np.where(self.stable[:, None], losses, np.inf)


def compare_optimizers(
    scenario: Scenario,
    entries: Sequence[tuple[LinearOptimizer, object]],
    *,
    start_error: object = 1.0,
    sampling_noise: float = 0.0,
    mechanism: str | None = None,
    aim: str = "total",
) -> OptimizerComparison:
    """Return several optimizers side by side under all mechanisms of a scenario.

    An optimizer given with several values takes the one with the smallest total excess loss
    ½ E[eᵀHe] (or the smallest privacy damage D) under `mechanism`, among those whose limit is
    above the peak rate; if there is none, the value with the highest limit.

    Args:
        scenario: the problem, its n mechanisms and (ε, δ).
        entries: at least one optimizer, each with its swept value or the values to choose from.
        start_error: e_0, one number for all modes or shape (d,), in eigen-coordinates.
        sampling_noise: s ≥ 0, per mode and step.
        mechanism: under which a value is chosen; the scenario's first if left out.
        aim: "total" or "privacy", what a chosen value makes smallest.

    Raises:
        InputError: a value is out of range, a mechanism is unknown, or nothing is to be compared.

    Source: theory of this project; DP-PMLF (arXiv:2511.08841) for the optimizers compared.

    >>> from momentdp_core.optimizers import HeavyBall, LowPass
    >>> entries = [(HeavyBall(), 0.5), (LowPass(), [0.2, 0.5])]
    >>> compare_optimizers(Scenario(horizon=8), entries).total.shape
    (2, 11)
    """
    check_choice("aim", aim, AIMS)
    row = scenario.mechanisms.index(
        check_choice("mechanism", mechanism or scenario.mechanisms[0], scenario.mechanisms)
    )
    if not entries:
        raise InputError("entries", (), "at least one optimizer", "Choose an optimizer.")
    peak = max(float(scenario.multipliers.max()), 1e-300)
    chosen: list[float] = []
    parts: list[ExcessLoss] = []
    limits: list[float] = []
    growths: list[float] = []
    for optimizer, values in entries:
        own = replace(scenario, optimizer=optimizer)
        given = optimizer.check(values)
        loss = excess_loss(own, given, start_error=start_error, sampling_noise=sampling_noise)
        at = optimizer.stability_limit(given)
        aimed = loss.total[row] if aim == "total" else loss.privacy[row]
        usable = np.where(is_stable(scenario, at), aimed, np.inf)
        best = int(np.argmin(usable) if np.isfinite(usable).any() else np.argmax(at))
        chosen.append(float(given[best]))
        limits.append(float(at[best]))
        parts.append(_only(loss, best))
        growths.append(float(growth_over_schedule(own, given[best : best + 1])[0]))
    damage = np.array([part.privacy[:, 0] for part in parts])
    return OptimizerComparison(
        scenario=scenario,
        optimizers=tuple(optimizer for optimizer, _ in entries),
        values=read_only(np.array(chosen)),
        bias=read_only(np.array([part.bias[0] for part in parts])),
        sampling=read_only(np.array([part.sampling[0] for part in parts])),
        damage=read_only(damage),
        stable=is_stable(scenario, np.array(limits)) & np.isfinite(damage).any(axis=1),
        stability_limit=read_only(np.array(limits) / peak),
        growth=read_only(np.array(growths)),
    )


def _only(loss: ExcessLoss, position: int) -> ExcessLoss:
    cut = slice(position, position + 1)
    return ExcessLoss(
        bias=loss.bias[cut], sampling=loss.sampling[cut], privacy=loss.privacy[:, cut]
    )
