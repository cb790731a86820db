"""Fills a crossover map in stages.

First the mechanisms whose design is the same everywhere, all at once; then NoiseCurve, which is
redesigned along the learning rate and the condition number; then the curves on which the winner
changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from momentdp_core.atlas import BoolArray, CrossoverMap
from momentdp_core.axes import MapAxis, Slice, check_axes, grid_positions, slices_at
from momentdp_core.boundary import Boundary, trace_boundaries
from momentdp_core.errors import FloatArray, read_only
from momentdp_core.lattice import DesignLattice, native_problem, second_design
from momentdp_core.mechanisms.structures import BandedStrategy
from momentdp_core.places import REDESIGNED, Judge, Places, judge_of, stable_places
from momentdp_core.ranking import TIE_TOLERANCE
from momentdp_core.scenario import Scenario

# Lines of the lattice of designs on each axis where both axes need one.
COARSE_LINES = 9
# A second design is made on every so many lines; between them the distance is interpolated.
SECOND_LINES = 10
# Designs without a certificate are solved to this relative precision of their objective.
SOLVED_TO = 1e-12


@dataclass(kw_only=True, eq=False)
class _Draft:
    """The map while it is being filled."""

    scenario: Scenario
    value: float
    x: MapAxis
    y: MapAxis
    slices: list[Slice]
    lattice: DesignLattice | None
    damage: FloatArray  # (n, Y·X)
    spread: FloatArray  # of the redesigned mechanism: second design's damage / first's, (Y·X,)
    ready: BoolArray
    stable: BoolArray
    done: int = 0
    boundaries: tuple[Boundary, ...] = ()

    @property
    def work(self) -> int:
        designs = 0 if self.lattice is None else self.lattice.size
        return designs + 2  # the first stage and the curves

    def picture(self) -> CrossoverMap:
        shape = (len(self.y), len(self.x))
        damage = self.damage.copy()
        loose = np.array([
            0.0 if key == REDESIGNED else _looseness(self.scenario, key)  # it has its spread
            for key in self.scenario.mechanisms
        ])  # fmt: skip
        low, high = damage * (1 - loose[:, None]), damage * (1 + loose[:, None])
        if REDESIGNED in self.scenario.mechanisms:
            row = self.scenario.mechanisms.index(REDESIGNED)
            low[row] = damage[row] * np.minimum(self.spread, 1.0)
            high[row] = damage[row] * np.maximum(self.spread, 1.0)
        cells = (len(damage), *shape)
        designed = self.lattice if self.lattice is not None and self.lattice.size > 1 else None
        return CrossoverMap(
            scenario=self.scenario,
            value=self.value,
            x=self.x,
            y=self.y,
            damage=read_only(damage.reshape(cells)),
            stable=self.stable.reshape(shape).copy(),
            ready=self.ready.reshape(shape).copy(),
            low=read_only(low.reshape(cells)),
            high=read_only(high.reshape(cells)),
            boundaries=self.boundaries,
            design_rates=tuple(designed.rates.tolist()) if designed else (),
            design_conditions=tuple(designed.conditions.tolist()) if designed else (),
            done=self.done / self.work,
            damages=self.damages_at,
        )

    def judge(self, part: Slice) -> Judge:
        return judge_of(part.scenario, self.lattice)

    def fill_fixed(self) -> None:
        for part in self.slices:
            judge = self.judge(part)
            self.damage[:, part.index] = judge.damage(part.places, redesign=False)

    def fill_designed(self, rate: int, condition: int) -> None:
        """Judge the cells for which the newest design was the last one missing."""
        assert self.lattice is not None
        rates, conditions = self.lattice.rates, self.lattice.conditions
        for part in self.slices:
            places = part.places
            new = places.conditions <= conditions[condition] * (1 + 1e-12)
            if len(rates) > 1:
                row = places.rates <= rates[rate] * (1 + 1e-12)
                if condition:
                    row |= places.conditions <= conditions[condition - 1] * (1 + 1e-12)
                new &= row
            new &= ~self.ready[part.index]
            if new.any():
                chosen = part.index[new]
                values = self._redesigned(part, places.part(new), self.lattice)
                self.damage[self.scenario.mechanisms.index(REDESIGNED), chosen] = values
                self.ready[chosen] = True

    def compare_seconds(self) -> None:
        """Fill `spread`: how far a second design that is as good in its own terms is from ours."""
        own = self.lattice
        if own is None:
            rate, kappa = self.scenario.learning_rate, self.scenario.curvature.condition_number
            own = DesignLattice(rates=np.array([rate]), conditions=np.array([kappa]))
            design = self.scenario.design(REDESIGNED).strategy
            assert isinstance(design, BandedStrategy)
            own.designs[0, 0] = design
        step = SECOND_LINES if 1 in (len(own.rates), len(own.conditions)) else COARSE_LINES // 2
        first = own.thinned(step)
        second = DesignLattice(rates=first.rates, conditions=first.conditions)
        for r, s in first.designs:
            second.designs[r, s] = second_design(
                native_problem(self.scenario, float(first.rates[r]), float(first.conditions[s]))
            )
        for part in self.slices:
            ours = self._redesigned(part, part.places, first)
            theirs = self._redesigned(part, part.places, second)
            told = np.isfinite(ours) & np.isfinite(theirs) & (ours > 0)
            self.spread[part.index] = np.where(told, theirs, 1.0) / np.where(told, ours, 1.0)

    def _redesigned(self, part: Slice, places: Places, lattice: DesignLattice) -> FloatArray:
        return judge_of(part.scenario, lattice).redesigned_at(places)

    def damages_at(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return D at positions of the two axes, shape (n, N)."""
        out = np.empty((len(self.scenario.mechanisms), len(x)))
        for part in slices_at(self.scenario, self.value, (self.x, self.y), (x, y)):
            out[:, part.index] = self.judge(part).damage(part.places)
        return out


def _looseness(scenario: Scenario, key: str) -> float:
    """Return how far the damage of a solved design may be from that of the exact optimum.

    A design whose objective is within a share g of the optimum is within about √g of it, and so is
    a damage that it was not designed for.
    """
    report = scenario.design(key).report
    if report.iterations == 0:
        return TIE_TOLERANCE
    gap = 0.0
    if report.lower_bound:
        gap = report.objective / report.lower_bound - 1
    return float(np.sqrt(max(gap, SOLVED_TO)))


def map_stages(scenario: Scenario, value: float, x: MapAxis, y: MapAxis) -> Iterator[CrossoverMap]:
    """Yield the map as it fills, the last one finished; stop asking to cancel.

    First every mechanism whose design is the same in all cells. Then NoiseCurve: where the rate or
    the condition number is an axis it is designed on each of its lines, started from the line
    before; where both are, on a lattice of 9 × 9 and mixed in between (see DesignLattice). Last
    the curves between the winners.

    Args:
        scenario: what is not on an axis.
        value: of the swept parameter, used where it is not on an axis.
        x, y: the axes.

    Raises:
        InputError: axes that this scenario does not have, or T > 1024.

    Source: theory of this project ("Ranking"); MOMENT-DP, Section 3.

    >>> axes = MapAxis(name="value", points=(0.0, 0.9)), MapAxis(name="rate", points=(0.1, 0.8))
    >>> [m.done for m in map_stages(Scenario(horizon=8, bands=2), 0.0, *axes)]
    [0.25, 0.5, 0.75, 1.0]
    """
    check_axes(scenario, x, y)
    names = {x.name, y.name}
    moving = REDESIGNED in scenario.mechanisms and bool(names & {"rate", "condition"})
    positions = grid_positions(x, y)
    slices = slices_at(scenario, value, (x, y), positions)
    count = len(positions[0])
    stable = np.zeros(count, dtype=bool)
    for part in slices:
        stable[part.index] = stable_places(part.scenario, part.places)
    draft = _Draft(
        scenario=scenario,
        value=value,
        x=x,
        y=y,
        slices=slices,
        lattice=_lattice_of(scenario, x, y) if moving else None,
        damage=np.full((len(scenario.mechanisms), count), np.inf),
        spread=np.ones(count),
        ready=np.full(count, not moving),
        stable=stable,
    )
    draft.fill_fixed()
    draft.done = 1
    yield draft.picture()
    if draft.lattice is not None:
        for rate, condition in draft.lattice.fill(scenario):
            draft.fill_designed(rate, condition)
            draft.done += 1
            yield draft.picture()
    if REDESIGNED in scenario.mechanisms:
        draft.compare_seconds()
    winner = draft.picture().winner
    draft.boundaries = trace_boundaries(
        scenario.mechanisms, winner, draft.damages_at, rows=y.name != "schedule",
        columns=x.name != "schedule",
    )  # fmt: skip
    draft.done = draft.work
    yield draft.picture()


def damage_map(scenario: Scenario, value: float, x: MapAxis, y: MapAxis) -> CrossoverMap:
    """Return the finished map of two axes; see `map_stages` for arguments and errors.

    >>> axes = MapAxis(name="value", points=(0.0, 0.9)), MapAxis(name="rate", points=(0.1, 0.8))
    >>> damage_map(Scenario(horizon=8, bands=2), 0.0, *axes).winner.shape
    (2, 2)
    """
    *_, finished = map_stages(scenario, value, x, y)
    return finished


def _lattice_of(scenario: Scenario, x: MapAxis, y: MapAxis) -> DesignLattice:
    own = {"rate": scenario.learning_rate, "condition": scenario.curvature.condition_number}
    lines = {name: np.array([value]) for name, value in own.items()}
    both = {x.name, y.name} == {"rate", "condition"}
    for axis in (x, y):
        if axis.name in lines:
            count = min(COARSE_LINES, len(axis)) if both else len(axis)
            lines[axis.name] = axis.at(np.linspace(0, len(axis) - 1, count))
    return DesignLattice(rates=lines["rate"], conditions=lines["condition"])
