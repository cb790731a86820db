"""The best mechanism for one condition, with the proof of how good it is."""

from __future__ import annotations

from dataclasses import dataclass

from momentdp_core.errors import FloatArray, InputError, check_integer
from momentdp_core.mechanisms import Mechanism, SolverReport
from momentdp_core.mechanisms.base import DENSE_HORIZON_LIMIT
from momentdp_core.mechanisms.optimal import (
    DualWeights,
    criterion,
    participation_bound,
    solve_optimal,
)
from momentdp_core.mechanisms.optimal_banded import BandedSolution, solve_optimal_banded
from momentdp_core.mechanisms.structures import BandedStrategy, Strategy
from momentdp_core.participation import Sensitivity, strategy_sensitivity
from momentdp_core.scenario import Scenario
from momentdp_core.workload import workload_factor

# A design counts as converged when its solver is within this share of its bound.
FULL_GAP = 0.01
BANDED_GAP = 0.03


@dataclass(frozen=True, kw_only=True, eq=False)
class OptimalDesign:
    """A mechanism designed for one condition, and what no mechanism of its kind can beat there.

    Args:
        scenario: the condition.
        value: the swept parameter it was designed for.
        bands: b, or None for the full design.
        mechanism: the design for a single participation, sensitivity 1; its key is "optimal" or
            "optimal_banded".
        sensitivity: its sensitivity under the scenario's participation.
        damage: D it reaches at its own calibrated noise, loss units.
        bound: no mechanism (with these bands) has a smaller D here, each at its own noise. Beyond
            one participation the design is not the best one, and the gap says by how much at most.
        converged: whether the gap for a single participation is at most 1 % (full) or 3 % (banded).
    """

    scenario: Scenario
    value: float
    bands: int | None
    mechanism: Mechanism
    sensitivity: Sensitivity
    damage: float
    bound: float
    converged: bool

    @property
    def gap(self) -> float:
        """D/bound − 1: at most this much is left to gain; 0 where both are 0."""
        return relative_gap(self.damage, self.bound)


def relative_gap(damage: float, bound: float) -> float:
    """Return damage/bound − 1, or 0 where both are 0.

    >>> relative_gap(1.5, 1.0)
    0.5
    """
    return damage / bound - 1 if bound > 0 else 0.0


def check_bands(bands: object, horizon: int) -> int | None:
    """Return b ≤ T, or None for a full design, or raise InputError.

    >>> check_bands(16, 4)
    4
    """
    if horizon > DENSE_HORIZON_LIMIT:
        raise InputError(
            "horizon",
            horizon,
            f"at most {DENSE_HORIZON_LIMIT} for a design with a certificate",
            "Use a shorter horizon, or one of the published mechanisms.",
        )
    return None if bands is None else min(check_integer("bands", bands, low=1), horizon)


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """A design for one factor L, as the solvers hand it over.

    Args:
        strategy: C, unit columns.
        value: ‖L C⁻¹‖²_F.
        bound: the certified lower bound of that value.
        iterations: of the solver.
        weights: the full problem's dual weights, or None if it was not solved.
        banded: the banded problem's solution, or None.
    """

    strategy: Strategy
    value: float
    bound: float
    iterations: int
    weights: DualWeights | None = None
    banded: BandedSolution | None = None

    @property
    def converged(self) -> bool:
        """Whether the gap is small enough."""
        allowed = BANDED_GAP if isinstance(self.strategy, BandedStrategy) else FULL_GAP
        return relative_gap(self.value, self.bound) <= allowed

    def sensitivity(self, scenario: Scenario) -> Sensitivity:
        """Return the design's sensitivity under a scenario's participation."""
        return strategy_sensitivity(self.strategy, scenario.participations, scenario.min_separation)

    def mechanism(self) -> Mechanism:
        """Return the design as a mechanism, with its certificate in the report."""
        banded = isinstance(self.strategy, BandedStrategy)
        return Mechanism(
            key="optimal_banded" if banded else "optimal",
            strategy=self.strategy,
            report=SolverReport(
                objective=self.value,
                lower_bound=self.bound,
                iterations=self.iterations,
                converged=self.converged,
            ),
        )


def solve_factor(factor: FloatArray, bands: int | None, start: Solution | None = None) -> Solution:
    """Return the best design for ‖L C⁻¹‖²_F, full or with b bands, with its bound.

    Args:
        factor: L, shape (r, T).
        bands: b, or None.
        start: the solution of a nearby problem.

    >>> import numpy as np
    >>> solve_factor(np.array([[3.0, 4.0]]), 1).value
    25.0
    """
    known_weights = None if start is None else start.weights
    if bands is None:
        full, weights = solve_optimal(factor, known_weights)
        value = criterion(full, factor)
        return Solution(
            strategy=full,
            value=value,
            bound=min(weights.bound, value),
            iterations=weights.evaluations,
            weights=weights,
        )
    known = None if start is None or start.banded is None else start.banded.inside
    usable = known is not None and known.shape == (bands, factor.shape[1])
    found = solve_optimal_banded(factor, bands, known if usable else None)
    if usable and relative_gap(found.value, found.bound) > BANDED_GAP:
        # A start from beside the cone's wall can stay there: begin anew.
        found = solve_optimal_banded(factor, bands)
    bound, last = found.bound, known_weights
    if relative_gap(found.value, bound) > FULL_GAP:
        # What no mechanism can beat, no banded one can.
        _, last = solve_optimal(factor, known_weights)
        bound = max(bound, last.bound)
    return Solution(
        strategy=found.strategy,
        value=found.value,
        bound=min(bound, found.value),
        iterations=found.iterations,
        weights=last,
        banded=found,
    )


def optimal_design(
    scenario: Scenario, value: float, bands: int | None = None, weights: object = None
) -> OptimalDesign:
    """Return the mechanism of least damage for this scenario at one value of its swept parameter.

    min tr(Q X⁻¹) over X ⪰ 0 with diag(X) = 1 (b-banded, if wanted), Q = σ²/2 Σ_i λ_i g_i g_iᵀ.
    The bound (tr (L V Lᵀ)^½)²/tr V, Q = LᵀL, holds whatever the solver did.

    Args:
        scenario: the problem: any optimizer, schedule and spectrum, T ≤ 4096.
        value: swept parameter, such as μ.
        bands: b ≥ 1; None for the full design.
        weights: w_1 … w_T ≥ 0 for the trajectory's damage Σ_t w_t D^(t); None for the final one.

    Raises:
        InputError: out of range, or a setting so unstable that its damage overflows.

    Source: theory of this project ("The best mechanism for an optimizer").

    >>> design = optimal_design(Scenario(horizon=16), 0.9)
    >>> bool(0 <= design.gap < 0.01), design.converged
    (True, True)
    """
    count = check_bands(bands, scenario.horizon)
    factor = workload_factor(scenario, value, weights)
    solution = solve_factor(factor, count)
    reach = solution.sensitivity(scenario)
    return OptimalDesign(
        scenario=scenario,
        value=float(value),
        bands=count,
        mechanism=solution.mechanism(),
        sensitivity=reach,
        damage=solution.value * (reach.value**2 if scenario.participations > 1 else 1.0),
        bound=damage_bound(scenario, factor, solution),
        converged=solution.converged,
    )


def damage_bound(scenario: Scenario, factor: FloatArray, solution: Solution) -> float:
    """Return what no mechanism can beat under the scenario's participation, each at its own noise.

    >>> import numpy as np
    >>> factor = np.array([[3.0, 4.0]])
    >>> damage_bound(Scenario(horizon=2), factor, solve_factor(factor, 1))
    25.0
    """
    if scenario.participations == 1:
        return solution.bound
    rule = (scenario.participations, scenario.min_separation)
    return max(solution.bound, participation_bound(factor, *rule))
