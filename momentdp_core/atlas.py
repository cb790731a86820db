"""The crossover map: who does the least damage over two controls at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from momentdp_core.axes import MapAxis, limit_lines, slices_at
from momentdp_core.boundary import Boundary, Damages, trace_boundaries
from momentdp_core.errors import FloatArray, read_only
from momentdp_core.lattice import DesignLattice
from momentdp_core.ranking import IntArray, ranks, regret
from momentdp_core.scenario import Scenario

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class CrossoverMap:
    """Damages over two axes and what is read off them; Y lines by X columns.

    Args:
        scenario: what both axes start from.
        value: of the swept parameter where no axis varies it.
        x, y: the axes.
        damage: D, shape (n, Y, X), loss units; +inf where it overflows or is still missing.
        stable: whether a cell may be ranked, shape (Y, X).
        ready: whether every mechanism has been judged in the cell, shape (Y, X).
        low, high: between which a damage may be called, from the precision of the designs; as
            `damage`.
        boundaries: the curves between winners; empty until the map is finished.
        design_rates, design_conditions: the lines at which NoiseCurve was designed; empty where
            one design serves all cells.
        done: share of the work done, 0 … 1.
        damages: D at positions (x, y) of the axes, shape (n, N), with the designs of the map.
    """

    scenario: Scenario
    value: float
    x: MapAxis
    y: MapAxis
    damage: FloatArray
    stable: BoolArray
    ready: BoolArray
    low: FloatArray
    high: FloatArray
    boundaries: tuple[Boundary, ...]
    design_rates: tuple[float, ...]
    design_conditions: tuple[float, ...]
    done: float
    damages: Damages

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The n keys."""
        return self.scenario.mechanisms

    @cached_property
    def rank(self) -> IntArray:
        """1 is best, ties share, 0 where there is no rank; shape (n, Y, X)."""
        return ranks(np.where(self.stable, self.damage, np.inf))

    @cached_property
    def winner(self) -> IntArray:
        """The first row of rank 1, −1 where there is none; shape (Y, X)."""
        return np.where((self.rank == 1).any(axis=0), (self.rank == 1).argmax(axis=0), -1)

    @cached_property
    def runner_up(self) -> IntArray:
        """The best row beside the winner, −1 where there is none; shape (Y, X)."""
        rest = np.where(self.stable, self.damage, np.inf)
        np.put_along_axis(rest, np.maximum(self.winner, 0)[None], np.inf, axis=0)
        return np.where(np.isfinite(rest).any(axis=0), rest.argmin(axis=0), -1)

    @cached_property
    def margin(self) -> FloatArray:
        """How much more damage the runner-up does, D_2/D_1 − 1; 0 where there is none."""
        first = np.take_along_axis(self.damage, np.maximum(self.winner, 0)[None], axis=0)[0]
        second = np.take_along_axis(self.damage, np.maximum(self.runner_up, 0)[None], axis=0)[0]
        told = (self.winner >= 0) & (self.runner_up >= 0) & (first > 0)
        return np.where(told, second / np.where(told, first, 1.0), 1.0) - 1

    @cached_property
    def too_close(self) -> BoolArray:
        """Whether another mechanism may be ahead within the precision of the designs, (Y, X)."""
        at = np.maximum(self.winner, 0)[None]
        best = np.take_along_axis(self.high, at, axis=0)[0]
        others = np.where(np.isfinite(self.damage), self.low, np.inf)
        np.put_along_axis(others, at, np.inf, axis=0)
        return np.asarray((self.winner >= 0) & (others.min(axis=0) <= best))

    @cached_property
    def regret(self) -> FloatArray:
        """D/min D − 1 of each fixed choice, shape (n, Y, X); inf where there is no rank."""
        return read_only(regret(np.where(self.stable, self.damage, np.inf)))

    def gap(self, first: str, second: str) -> FloatArray:
        """Return (D_a − D_b)/(D_a + D_b), shape (Y, X); 0 where one of them has no damage."""
        a, b = (self.damage[self.mechanisms.index(key)] for key in (first, second))
        told = self.stable & np.isfinite(a) & np.isfinite(b) & (a + b > 0)
        safe_a, safe_b = np.where(told, a, 1.0), np.where(told, b, 1.0)
        return np.asarray((safe_a - safe_b) / (safe_a + safe_b))

    def boundaries_of(self, first: str, second: str) -> tuple[Boundary, ...]:
        """Return the curves on which two mechanisms do equal damage, whoever wins."""
        rows = [self.mechanisms.index(key) for key in (first, second)]
        ahead = np.where(self.stable & self.ready, self.damage[rows].argmin(axis=0), -1)
        return trace_boundaries(
            (first, second),
            ahead,
            lambda x, y: self.damages(x, y)[rows],
            rows=self.y.name != "schedule",
            columns=self.x.name != "schedule",
        )

    def design_of(self, row: int, column: int) -> tuple[tuple[float, float], ...]:
        """Return the (rate, condition number) of the designs that a cell was judged with."""
        lattice = DesignLattice(
            rates=np.array(self.design_rates or (self.scenario.learning_rate,)),
            conditions=np.array(
                self.design_conditions or (self.scenario.curvature.condition_number,)
            ),
        )
        cell = (np.array([float(column)]), np.array([float(row)]))
        place = slices_at(self.scenario, self.value, (self.x, self.y), cell)[0].places
        return tuple(
            (float(lattice.rates[r]), float(lattice.conditions[s]))
            for (r, s), _, _ in lattice.shares(place.rates, place.conditions)
        )

    @cached_property
    def limit(self) -> tuple[FloatArray, ...]:
        """The analytic limit of stability as lines of positions (x, y), each (P, 2)."""
        return limit_lines(self.scenario, self.value, self.x, self.y)
