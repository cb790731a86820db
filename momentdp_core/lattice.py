"""Designs along rates and condition numbers, each started from its neighbour's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms import DesignProblem, design
from momentdp_core.mechanisms.noisecurve import solve_noisecurve
from momentdp_core.mechanisms.registry import problem_of
from momentdp_core.mechanisms.structures import BandedStrategy
from momentdp_core.scenario import Scenario

# Nearly equal eigenvalues leave most of a design open: up to this condition number it is no good
# start for the next one.
NEARLY_EQUAL = 2.0

Node = tuple[int, int]
Share = tuple[Node, NDArray[np.int64], FloatArray]


@dataclass(kw_only=True, eq=False)
class DesignLattice:
    """NoiseCurve's designs at every pair of a rate and a condition number.

    Between its lines the noise covariance is mixed from the nearest designs, in proportion on
    the logarithmic axes. A mix Σ w K_k is itself attainable: inversion is operator convex, so
    its Gram matrix is ⪯ Σ w X_k and its sensitivity is at most the largest of theirs.

    Args:
        rates: η, ascending, shape (R,).
        conditions: κ, ascending, shape (S,).
        designs: strategy by (rate index, condition index); filled by `fill`.
    """

    rates: FloatArray
    conditions: FloatArray
    designs: dict[Node, BandedStrategy] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of designs when it is full."""
        return len(self.rates) * len(self.conditions)

    def fill(self, scenario: Scenario) -> Iterator[Node]:
        """Design every node, each from a neighbour of lower rate or condition number."""
        for s in range(len(self.conditions)):
            for r in range(len(self.rates)):
                apart = s > 0 and self.conditions[s - 1] > NEARLY_EQUAL
                below = self.designs.get((r, s - 1)) if apart else None
                near = below or self.designs.get((r - 1, s))
                self.designs[r, s] = warm_design(
                    native_problem(scenario, float(self.rates[r]), float(self.conditions[s])), near
                )
                yield r, s

    def thinned(self, step: int) -> DesignLattice:
        """Return the lattice of every so many lines, with the designs that are there."""
        rates, conditions = self.rates[::step], self.conditions[::step]
        designs = {
            (r // step, s // step): design
            for (r, s), design in self.designs.items()
            if r % step == 0 and s % step == 0
        }
        return DesignLattice(rates=rates, conditions=conditions, designs=designs)

    def shares(self, rates: FloatArray, conditions: FloatArray) -> Iterator[Share]:
        """Yield each node with the places it counts for and its weight there."""
        r, u = _between(self.rates, rates)
        s, v = _between(self.conditions, conditions)
        corners = (
            (0, 0, (1 - u) * (1 - v)),
            (1, 0, u * (1 - v)),
            (0, 1, (1 - u) * v),
            (1, 1, u * v),
        )
        width = len(self.conditions)
        for dr, ds, weight in corners:
            used = np.flatnonzero(weight > 0)
            names = (r[used] + dr) * width + s[used] + ds
            for name in np.unique(names):
                index = used[names == name]
                yield (int(name) // width, int(name) % width), index, weight[index]


def _between(lines: FloatArray, at: FloatArray) -> tuple[NDArray[np.int64], FloatArray]:
    """Return the line below each place, and the share of the way to the next on a log axis."""
    if len(lines) == 1:
        return np.zeros(len(at), dtype=np.int64), np.zeros(len(at))
    below = np.clip(np.searchsorted(lines, at, side="right") - 1, 0, len(lines) - 2)
    low, high = np.log(lines[below]), np.log(lines[below + 1])
    share = np.clip((np.log(at) - low) / (high - low), 0.0, 1.0)
    share = np.where(share < 1e-12, 0.0, np.where(share > 1 - 1e-12, 1.0, share))
    return below, share


def native_problem(scenario: Scenario, rate: float, condition: float) -> DesignProblem:
    """Return NoiseCurve's design problem at a rate and a condition number.

    >>> native_problem(Scenario(horizon=8), 0.1, 10.0).learning_rate
    0.1
    """
    curvature = scenario.curvature
    if condition != curvature.condition_number:
        curvature = replace(curvature, condition_number=condition)
    return problem_of(
        horizon=scenario.horizon,
        bands=scenario.bands,
        eigenvalues=curvature.eigenvalues,
        learning_rate=rate,
    )


def warm_design(problem: DesignProblem, near: BandedStrategy | None) -> BandedStrategy:
    """Return NoiseCurve's design, started from a neighbouring one.

    >>> problem = DesignProblem(horizon=8, bands=2, eigenvalues=(1.0, 0.1), learning_rate=0.1)
    >>> warm_design(problem, None).bands.shape
    (2, 8)
    """
    strategy, _ = solve_noisecurve(problem, start=near)
    assert isinstance(strategy, BandedStrategy)
    return strategy


@lru_cache(maxsize=256)  # 16 kB each at T = 128, b = 16
def second_design(problem: DesignProblem) -> BandedStrategy:
    """Return a design that NoiseCurve's criterion likes as well, found from another start.

    Many designs are nearly optimal at zero momentum and a constant rate and differ elsewhere; the
    distance between two of them says how far a comparison elsewhere can be trusted.

    >>> problem = DesignProblem(horizon=8, bands=2, eigenvalues=(1.0, 0.1), learning_rate=0.1)
    >>> second_design(problem).bands.shape
    (2, 8)
    """
    mean = design("banded_mean", horizon=problem.horizon, bands=problem.bands).strategy
    assert isinstance(mean, BandedStrategy)
    return warm_design(problem, mean)
