"""Places: many settings at once, and the damage of every mechanism at each of them.

A place is a value of the swept parameter, a peak rate and a condition number. All optimizers are
linear in the gradient, so rate and curvature meet only as η_t λ: g(η, λ) = η/λ_max · g̃(ηλ/λ_max)
with g̃ the response at the rates χ_t. One recursion therefore serves places of any rate and any
spectrum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from momentdp_core.damage import CovarianceStack, covariance_stack
from momentdp_core.errors import FloatArray, InputError
from momentdp_core.lattice import DesignLattice
from momentdp_core.mechanisms.structures import BandedStrategy
from momentdp_core.optimizers import LinearOptimizer, WeightDecay
from momentdp_core.participation import strategy_sensitivity
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import generic_response, heavy_ball_response

# Responses held at once.
RESPONSE_BYTES = 2**25
# The one mechanism whose design follows the rate and the curvature.
REDESIGNED = "noisecurve"


@dataclass(frozen=True, kw_only=True, eq=False)
class Places:
    """N settings under one schedule.

    Args:
        values: of the swept parameter, shape (N,).
        rates: η, peak rate times λ_max, shape (N,).
        conditions: condition numbers κ, shape (N,).
    """

    values: FloatArray
    rates: FloatArray
    conditions: FloatArray

    def __len__(self) -> int:
        return len(self.values)

    def part(self, chosen: object) -> Places:
        """Return the chosen places (a slice, a mask or indices)."""
        return Places(
            values=self.values[chosen],  # type: ignore[call-overload]
            rates=self.rates[chosen],  # type: ignore[call-overload]
            conditions=self.conditions[chosen],  # type: ignore[call-overload]
        )


def places_of(
    scenario: Scenario, *, values: object, rates: object = None, conditions: object = None
) -> Places:
    """Return places from numbers and vectors; what is not given is the scenario's own.

    >>> len(places_of(Scenario(), values=[0.0, 0.5], rates=0.1))
    2
    """
    eta = scenario.learning_rate if rates is None else rates
    kappa = scenario.curvature.condition_number if conditions is None else conditions
    given = [np.asarray(part, dtype=np.float64) for part in (values, eta, kappa)]
    v, e, k = (np.atleast_1d(part) for part in np.broadcast_arrays(*given))
    return Places(values=v, rates=e, conditions=k)


def spectra(scenario: Scenario, conditions: FloatArray) -> FloatArray:
    """Return λ of each condition number, shape (N, d); the scenario's own family.

    >>> spectra(Scenario(), np.array([10.0, 100.0]))[:, -1]
    array([0.1 , 0.01])
    """
    unique, inverse = np.unique(conditions, return_inverse=True)
    own = scenario.curvature
    rows = [
        own.eigenvalues
        if kappa == own.condition_number
        else replace(own, condition_number=float(kappa)).eigenvalues
        for kappa in unique
    ]
    return np.array(rows)[inverse]


def place_response(scenario: Scenario, places: Places) -> FloatArray:
    """Return g of every place, shape (N, d, T), in the scenario's schedule.

    Source: theory of this project ("Damage"); the rate is scaled out as above.

    >>> place_response(Scenario(horizon=2), places_of(Scenario(), values=[0.5])).shape
    (1, 16, 2)
    """
    optimizer, largest = scenario.optimizer, scenario.curvature.largest
    size = places.rates[:, None] / largest
    reduced = size * spectra(scenario, places.conditions)
    chi = scenario.multipliers
    with np.errstate(over="ignore", invalid="ignore"):
        if optimizer.key == "heavy_ball":
            response = heavy_ball_response(reduced, chi, places.values)
        elif isinstance(optimizer, WeightDecay):
            # Its decay is relative to the largest eigenvalue of each place.
            decayed = reduced + optimizer.decay * reduced.max(axis=1, keepdims=True)
            response = heavy_ball_response(decayed, chi, places.values)
        else:
            response = _grouped_response(optimizer, chi, places.values, reduced)
        return np.asarray(response * size[:, :, None])


def _grouped_response(
    optimizer: LinearOptimizer, chi: FloatArray, values: FloatArray, reduced: FloatArray
) -> FloatArray:
    """Return g̃, with one call for all places that share a swept value, or share a spectrum."""
    count, modes = reduced.shape
    out = np.empty((count, modes, len(chi)))
    shared, of_value = np.unique(values, return_inverse=True)
    rows, of_row = np.unique(reduced, axis=0, return_inverse=True)
    if len(rows) < len(shared):
        for n, row in enumerate(rows):
            here = np.flatnonzero(of_row == n)
            system = optimizer.system(eigenvalues=row, rates=chi, values=values[here])
            out[here] = generic_response(system)
        return out
    for n, value in enumerate(shared):
        here = np.flatnonzero(of_value == n)
        system = optimizer.system(
            eigenvalues=reduced[here].ravel(), rates=chi, values=np.array([value])
        )
        out[here] = generic_response(system).reshape(len(here), modes, len(chi))
    return out


@lru_cache(maxsize=64)
def _limits(optimizer: LinearOptimizer, values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(optimizer.stability_limit(np.array(values)).tolist())


def limits_of(optimizer: LinearOptimizer, values: FloatArray) -> FloatArray:
    """Return the stability limit of each value, each computed once; shape (N,).

    >>> limits_of(Scenario().optimizer, np.array([0.5, 0.5]))
    array([3., 3.])
    """
    unique, inverse = np.unique(values, return_inverse=True)
    limits = _limits(optimizer, tuple(unique.tolist()))  # type: ignore[arg-type]  # frozen
    return np.array(limits, dtype=np.float64)[inverse]


def stable_places(scenario: Scenario, places: Places) -> np.ndarray:
    """Return whether the peak rate of each place is below its limit, shape (N,) of bool.

    >>> stable_places(Scenario(), places_of(Scenario(), values=0.0, rates=[1.0, 3.0]))
    array([ True, False])
    """
    peak = scenario.multipliers.max()
    return np.asarray(places.rates * peak < limits_of(scenario.optimizer, places.values))


@dataclass(frozen=True, kw_only=True, eq=False)
class Judge:
    """The damage of every mechanism of a scenario at places of its schedule.

    Args:
        scenario: the problem with the schedule of the places.
        fixed: rows of the mechanisms whose design is the same at all places.
        stack: their covariances.
        lattice: the designs of the mechanism that is redesigned; None when none is.
    """

    scenario: Scenario
    fixed: tuple[int, ...]
    stack: CovarianceStack
    lattice: DesignLattice | None

    def damage(self, places: Places, *, redesign: bool = True) -> FloatArray:
        """Return D, shape (n, N); inf where it overflows or where redesigning is left out."""
        out = np.full((len(self.scenario.mechanisms), len(places)), np.inf)
        size = 8 * self.scenario.horizon * len(self.scenario.eigenvalues)
        step = max(1, RESPONSE_BYTES // size)
        for start in range(0, len(places), step):
            here = slice(start, start + step)
            part = places.part(here)
            response = place_response(self.scenario, part)
            lam = spectra(self.scenario, part.conditions)
            out[list(self.fixed), here] = self.stack.contract(response, lam)
            if redesign and self.lattice is not None:
                row = self.scenario.mechanisms.index(REDESIGNED)
                out[row, here] = self.redesigned(part, response, lam)
        return out

    def redesigned_at(self, places: Places) -> FloatArray:
        """Return D of the redesigned mechanism alone, shape (N,)."""
        response = place_response(self.scenario, places)
        return self.redesigned(places, response, spectra(self.scenario, places.conditions))

    def redesigned(
        self, places: Places, response: FloatArray, eigenvalues: FloatArray
    ) -> FloatArray:
        """Return D of the redesigned mechanism from the designs nearest to each place, (N,)."""
        assert self.lattice is not None
        total = np.zeros(len(places))
        half = 0.5 * self.scenario.noise_multiplier**2
        with np.errstate(over="ignore", invalid="ignore"):
            for node, index, weight in self.lattice.shares(places.rates, places.conditions):
                design = self.lattice.designs.get(node)
                if design is None:
                    total[index] = np.inf
                    continue
                own = half * _squared_sensitivity(
                    design, self.scenario.participations, self.scenario.min_separation
                )
                kept = eigenvalues[index]
                rows = design.apply_noising(response[index])
                norms = np.einsum("ndt,ndt->nd", rows, rows)
                total[index] += weight * own * np.where(kept > 0, kept * norms, 0.0).sum(axis=1)
        return np.where(np.isfinite(total), total, np.inf)


@lru_cache(maxsize=512)
def _squared_sensitivity(design: BandedStrategy, participations: int, separation: int) -> float:
    if participations == 1:
        return 1.0
    return strategy_sensitivity(design, participations, separation).value ** 2


def judge_of(scenario: Scenario, lattice: DesignLattice | None) -> Judge:
    """Return the judge of a scenario; a lattice takes over its redesigned mechanism.

    >>> judge_of(Scenario(horizon=4), None).fixed[:2]
    (0, 1)
    """
    keys = scenario.mechanisms
    moving = lattice is not None and REDESIGNED in keys
    fixed = tuple(n for n, key in enumerate(keys) if not (moving and key == REDESIGNED))
    if not fixed:
        raise InputError("mechanisms", keys, "two or more to compare", "Choose a second mechanism.")
    stack = covariance_stack(replace(scenario, mechanisms=tuple(keys[n] for n in fixed)))
    return Judge(scenario=scenario, fixed=fixed, stack=stack, lattice=lattice if moving else None)


def scenario_with(scenario: Scenario, changes: Mapping[str, object]) -> Scenario:
    """Return the scenario with some of rate, condition and schedule replaced.

    >>> scenario_with(Scenario(), {"rate": 0.1}).learning_rate
    0.1
    """
    given = dict(changes)
    if "rate" in given:
        scenario = replace(scenario, learning_rate=given["rate"])  # type: ignore[arg-type]
    if "condition" in given:
        kappa: object = given["condition"]
        curvature = replace(scenario.curvature, condition_number=kappa)  # type: ignore[arg-type]
        scenario = replace(scenario, curvature=curvature)
    if "schedule" in given:
        scenario = replace(scenario, schedule=given["schedule"])  # type: ignore[arg-type]
    return scenario
