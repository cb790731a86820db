"""What bands cost and what they bring: damage of the best b-banded design against its upkeep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core.best import check_bands, solve_factor
from momentdp_core.errors import FloatArray, InputError, check_integer, check_real, read_only
from momentdp_core.mechanisms.structures import Strategy
from momentdp_core.participation import strategy_sensitivity
from momentdp_core.scenario import Scenario
from momentdp_core.workload import workload_factor

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
BANDS = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, kw_only=True, eq=False)
class BandPrices:
    """The best designs of n numbers of bands, and what their noise costs to make.

    Step noise comes from y_t = (z_t − Σ_{0<k<b} C_{t,t−k} y_{t−k})/C_tt, whatever T is.

    Args:
        scenario: the condition.
        value: the swept parameter.
        bands: b, ascending, shape (n,).
        damage: D of the best b-banded design at its calibrated noise, (n,), loss units.
        bound: no b-banded mechanism of one participation has a smaller D, (n,).
        converged: whether the gap for a single participation is at most 3 %, (n,).
        memory: past noise to keep, floats a model parameter: b − 1, (n,).
        work: multiply-adds a model parameter and step: b, (n,).
        full_damage: D of the full design, which keeps T − 1 floats a parameter.
        full_bound: no mechanism of one participation has a smaller D.
        knee_share: share of the possible saving that makes the knee.
        knee: the smallest of `bands` that brings this share of the saving from independent noise
            (b = 1) to the least damage D_* of these designs and the full one,
            D_1 − D_b ≥ share·(D_1 − D_*); None where none does.
    """

    scenario: Scenario
    value: float
    bands: IntArray
    damage: FloatArray
    bound: FloatArray
    converged: BoolArray
    memory: IntArray
    work: IntArray
    full_damage: float
    full_bound: float
    knee_share: float
    knee: int | None


def price_of_bands(
    scenario: Scenario,
    value: float,
    bands: Iterable[int] = BANDS,
    weights: object = None,
    knee_share: float = 0.95,
) -> BandPrices:
    """Return the damage of the best b-banded design for each b, with its memory and work.

    Args:
        scenario: the problem, T ≤ 4096.
        value: swept parameter.
        bands: numbers of bands, each ≥ 1; those above T count as T.
        weights: trajectory weights, or None for the final loss.
        knee_share: 0 … 1, see `BandPrices`.

    Raises:
        InputError: out of range, or a setting whose damage overflows.

    Source: theory of this project ("The best mechanism for an optimizer").

    >>> prices = price_of_bands(Scenario(horizon=16), 0.9, bands=(1, 4, 16))
    >>> prices.memory.tolist(), bool((np.diff(prices.damage) < 0).all())
    ([0, 3, 15], True)
    """
    share = check_real("knee_share", knee_share, low=0, high=1)
    horizon = scenario.horizon
    check_bands(None, horizon)
    counts = sorted({min(check_integer("bands", b, low=1), horizon) for b in bands})
    if not counts:
        raise InputError("bands", (), "at least one number of bands", "Give one or more.")
    factor = workload_factor(scenario, value, weights)
    multiple = scenario.participations > 1

    def squared(strategy: Strategy) -> float:
        rule = (scenario.participations, scenario.min_separation)
        return strategy_sensitivity(strategy, *rule).value ** 2 if multiple else 1.0

    full = solve_factor(factor, None)
    solutions = [solve_factor(factor, count) for count in counts]
    damage = np.array([s.value * squared(s.strategy) for s in solutions])
    if not multiple:
        # A design of fewer bands is one of more bands too.
        damage = np.minimum.accumulate(damage)
    full_damage = full.value * squared(full.strategy)
    independent = float(np.vdot(factor, factor)) * _identity_square(scenario)
    saving = independent - min(full_damage, float(damage.min()))
    enough = np.flatnonzero(independent - damage >= share * saving)
    converged = np.array([s.converged for s in solutions])
    converged.setflags(write=False)
    numbers = np.array(counts, dtype=np.int64)
    return BandPrices(
        scenario=scenario,
        value=float(value),
        bands=_frozen(numbers),
        damage=read_only(damage),
        # What no mechanism can beat, no banded one can.
        bound=read_only(np.array([min(s.value, max(s.bound, full.bound)) for s in solutions])),
        converged=converged,
        memory=_frozen(numbers - 1),
        work=_frozen(numbers.copy()),
        full_damage=full_damage,
        full_bound=full.bound,
        knee_share=share,
        knee=counts[int(enough[0])] if len(enough) else None,
    )


def _identity_square(scenario: Scenario) -> float:
    return scenario.sensitivity("iid").value ** 2


def _frozen(array: IntArray) -> IntArray:
    array.setflags(write=False)
    return array
