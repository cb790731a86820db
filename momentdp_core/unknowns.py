"""What is known of a training run and what is not, as the conditions a design has to serve."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.best import OptimalDesign, optimal_design
from momentdp_core.crossover import is_stable
from momentdp_core.curvature import CONDITIONED
from momentdp_core.errors import InputError, check_real
from momentdp_core.ranges import Condition, RangeDesign, range_design
from momentdp_core.scenario import Scenario

# Conditions along each thing that is not known.
SWEPT_POINTS, RATE_POINTS = 5, 4


@dataclass(frozen=True, kw_only=True)
class Unknowns:
    """A scenario with what is not known about it: the swept value, κ and the learning rate.

    Args:
        scenario: everything that is known; its condition number and rate are the middle and the
            upper end of their ranges.
        low: lower end of the swept parameter's range.
        high: upper end of it, ≥ low; the same for a known value.
        condition_factor: f ≥ 1, the condition number is κ/f … κ f.
        lowest_rate: 0 < r ≤ 1, the learning rate is rη … η. Curvature that is lower than assumed,
            as clipping makes it, is the same thing but for the scale of the damage.

    Raises:
        InputError: out of range, or a spectrum that has no condition number to vary.

    Source: theory of this project ("A design for a range of conditions").

    >>> len(Unknowns(scenario=Scenario(), low=0.8, high=0.95, lowest_rate=0.25).conditions())
    20
    """

    scenario: Scenario
    low: float
    high: float
    condition_factor: float = 1.0
    lowest_rate: float = 1.0

    def __post_init__(self) -> None:
        name = self.scenario.optimizer.parameter
        self.scenario.optimizer.check([self.low, self.high])
        if self.low > self.high:
            raise InputError(
                f"lowest {name}", self.low, f"at most the highest, {self.high:g}", "Swap them."
            )
        check_real("condition_factor", self.condition_factor, low=1)
        check_real("lowest_rate", self.lowest_rate, low=0, high=1, open_low=True)
        curvature = self.scenario.curvature
        if self.condition_factor > 1 and curvature.family not in CONDITIONED:
            raise InputError(
                "condition_factor",
                self.condition_factor,
                f"1 for the spectrum {curvature.family}",
                "It has no condition number to vary: choose another spectrum.",
            )
        if self.condition_factor > curvature.condition_number:
            raise InputError(
                "condition_factor",
                self.condition_factor,
                f"at most the condition number, {curvature.condition_number:g}",
                "A condition number is at least 1.",
            )

    @property
    def values(self) -> tuple[float, ...]:
        """The swept values: one if known, else evenly spaced from `low` to `high`."""
        if self.low == self.high:
            return (float(self.low),)
        return tuple(np.linspace(self.low, self.high, SWEPT_POINTS).round(12).tolist())

    @property
    def condition_numbers(self) -> tuple[float, ...]:
        """κ if known, else κ/f, κ and κ f."""
        kappa, factor = self.scenario.curvature.condition_number, self.condition_factor
        return (kappa,) if factor == 1 else (kappa / factor, kappa, kappa * factor)

    @property
    def rate_shares(self) -> tuple[float, ...]:
        """1 if the rate is known, else evenly spaced shares of it from `lowest_rate` to 1."""
        if self.lowest_rate == 1:
            return (1.0,)
        return tuple(np.linspace(self.lowest_rate, 1, RATE_POINTS).round(12).tolist())

    def conditions(self) -> tuple[Condition, ...]:
        """Return every combination as (scenario, swept value): swept value slowest, rate fastest.

        >>> Unknowns(scenario=Scenario(), low=0.9, high=0.9).conditions() == ((Scenario(), 0.9),)
        True
        """
        return tuple(
            (self._scenario(kappa, share), value)
            for value in self.values
            for kappa in self.condition_numbers
            for share in self.rate_shares
        )

    def unstable(self) -> tuple[float, ...]:
        """Return the swept values at which the highest rate would be unstable if it were constant.

        >>> Unknowns(scenario=Scenario(learning_rate=3.0), low=0.0, high=0.9).unstable()
        (0.0, 0.225, 0.45)
        """
        limits = self.scenario.optimizer.stability_limit(np.array(self.values))
        stable = is_stable(self.scenario, limits).tolist()
        return tuple(v for v, good in zip(self.values, stable, strict=True) if not good)

    def _scenario(self, condition_number: float, share: float) -> Scenario:
        known = self.scenario
        return replace(
            known,
            curvature=replace(known.curvature, condition_number=condition_number),
            learning_rate=known.learning_rate * share,
        )


def design_for(
    unknown: Unknowns,
    bands: int | None = None,
    worst_case: bool = False,
    relative: bool = True,
    path_share: float = 0.0,
) -> OptimalDesign | RangeDesign:
    """Return the best mechanism for what is known: `optimal_design`, or `range_design` of a range.

    Args:
        unknown: the scenario and what is not known of it.
        bands: b ≥ 1; None for the full design.
        worst_case: minimise the largest damage of the range instead of the mean.
        relative: count multiples of each condition's own optimum.
        path_share: ρ ≥ 0, how much the mean damage over all steps counts beside the final one.

    Raises:
        InputError: out of range, or a condition that is unstable.

    Source: theory of this project ("The best mechanism for an optimizer").

    >>> design_for(Unknowns(scenario=Scenario(horizon=4), low=0.5, high=0.5)).mechanism.key
    'optimal'
    """
    check_stable(unknown)
    conditions = unknown.conditions()
    if len(conditions) == 1 and path_share == 0:
        return optimal_design(*conditions[0], bands)
    return range_design(
        conditions,
        worst_case=worst_case,
        bands=bands,
        relative=relative,
        path_share=path_share,
    )


def check_stable(unknown: Unknowns) -> None:
    """Raise InputError where a condition is unstable: there is nothing to design for.

    >>> check_stable(Unknowns(scenario=Scenario(), low=0.9, high=0.9))
    """
    unstable = unknown.unstable()
    if unstable:
        raise InputError(
            unknown.scenario.optimizer.parameter,
            unstable[0],
            "stable settings only: an unstable one has no damage worth designing for",
            "Lower the learning rate or narrow the range.",
        )
