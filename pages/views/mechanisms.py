"""What "Mechanisms" says: one mechanism with its matrices, and all that are shown in a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from momentdp_core import FAMILIES, OWN_KEY, Mechanism, Scenario, Study, noise_memory
from pages.views import words
from pages.views.readout import Readout
from pages.views.sweep import FloatArray
from pages.views.swept import swept_of

# Cells along each side of a heat map, at most: more would be smaller than a pixel of the screen.
MOST_CELLS: Final = 128
# A gap below this is as good as none.
_CLOSED = 1e-5


@dataclass(frozen=True, kw_only=True)
class MechanismRow:
    """One mechanism in the table; all cells are text."""

    key: str
    label: str
    mean_error: str
    max_error: str
    sensitivity: str
    damage: str
    memory: str
    solver: str
    certificate: str


@dataclass(frozen=True, kw_only=True)
class MechanismView:
    """What is said of one mechanism at one swept value; `rows` are all mechanisms of the study."""

    study: str
    setting: str
    heading: str
    readouts: tuple[Readout, ...]
    sentence: str
    rows: tuple[MechanismRow, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Matrix:
    """One matrix as it is drawn: `steps` are the places of its rows and columns."""

    key: str
    title: str
    steps: FloatArray
    cells: FloatArray
    alt: str


@dataclass(frozen=True, kw_only=True, eq=False)
class MatricesView:
    """C, C⁻¹ and K of one mechanism; `block` entries to a cell in each direction."""

    label: str
    horizon: int
    block: int
    largest: float
    matrices: tuple[Matrix, ...]

    @property
    def note(self) -> str:
        """Say what a cell is where it is more than one entry."""
        if self.block == 1:
            return ""
        size = f"{self.block} × {self.block}"
        return f"Each cell stands for {size} entries and shows the one that is largest in size."


def scenario_about(scenario: Scenario, key: str) -> Scenario:
    """Return the scenario with the mechanism among those compared.

    >>> scenario_about(Scenario(mechanisms=("iid",)), "sqrt").mechanisms
    ('iid', 'sqrt')
    """
    if key in scenario.mechanisms:
        return scenario
    return replace(scenario, mechanisms=(*scenario.mechanisms, key))


def mechanism_view(study: Study, value: float, key: str) -> MechanismView:
    """Return what is said about a mechanism at one swept value of the study's grid."""
    rows = tuple(_row(study, study.at(value), place) for place in range(len(study.mechanisms)))
    (own,) = (row for row in rows if row.key == key)
    swept = swept_of(study.scenario.optimizer)
    return MechanismView(
        study=words.digest(study.scenario),
        setting=words.setting(value),
        heading=f"All mechanisms shown, at {swept.symbol} = {words.setting(value)}",
        readouts=(
            _readout("damage", f"Damage at {swept.symbol} = {words.setting(value)}", own.damage,
                     _place(study, study.at(value), key)),
            _readout("mean", "MeanSE", own.mean_error, "mean squared error of the running sums"),
            _readout("max", "MaxSE", own.max_error, "largest squared error of a running sum"),
            _readout("sensitivity", "Sensitivity", own.sensitivity, _counted(study.scenario)),
            _readout("memory", "Memory per step", own.memory, "floats kept for each weight"),
            _readout("solver", "Solver", own.solver, own.certificate),
        ),
        sentence=_sentence(study, value, key),
        rows=rows,
    )  # fmt: skip


def matrices_view(scenario: Scenario, key: str) -> MatricesView:
    """Return C, C⁻¹ and K of a mechanism, in at most 128 × 128 cells each."""
    mechanism = scenario.design(key)
    block = -(-scenario.horizon // MOST_CELLS)
    steps: FloatArray = np.arange(0.0, scenario.horizon, block) + (block + 1) / 2
    pictures = tuple(
        Matrix(
            key=name,
            title=title,
            steps=steps,
            cells=coarse(build(mechanism), block),
            alt=f"Heat map of {title}, {scenario.horizon} by {scenario.horizon}. {says}",
        )
        for name, title, says, build in _MATRICES
    )
    sizes = np.abs(np.concatenate([picture.cells.ravel() for picture in pictures]))
    return MatricesView(
        label=words.name(key),
        horizon=scenario.horizon,
        block=block,
        largest=float(np.nanmax(sizes, initial=0.0)) or 1.0,
        matrices=pictures,
    )


_MATRICES: Final[tuple[tuple[str, str, str, Callable[[Mechanism], FloatArray]], ...]] = (
    ("strategy", "C", "Columns are gradients, rows are sums.", Mechanism.strategy_matrix),
    ("noising", "C⁻¹", "Rows are steps, columns are fresh draws.", Mechanism.noising_matrix),
    ("covariance", "K", "Covariance of the noise of two steps.", lambda found: found.covariance),
)


def coarse(matrix: FloatArray, block: int) -> FloatArray:
    """Return the entry of largest size of each block × block part; infinite ones are left out.

    >>> coarse(np.array([[1.0, -3.0, 0.5], [2.0, 0.0, 0.0], [0.0, 0.0, -0.1]]), 2).tolist()
    [[-3.0, 0.5], [0.0, -0.1]]
    """
    finite = np.where(np.isfinite(matrix), matrix, np.nan)
    if block == 1:
        return finite
    count = -(-len(matrix) // block)
    wide = np.zeros((count * block, count * block))
    wide[: len(matrix), : len(matrix)] = finite
    parts = wide.reshape(count, block, count, block).swapaxes(1, 2).reshape(count, count, -1)
    places = np.nanargmax(np.where(np.isnan(parts), -1.0, np.abs(parts)), axis=2)
    return np.asarray(np.take_along_axis(parts, places[..., None], axis=2)[..., 0])


def _row(study: Study, at: int, place: int) -> MechanismRow:
    scenario, key = study.scenario, study.mechanisms[place]
    mechanism = scenario.design(key)
    found = scenario.sensitivity(key)
    square = found.value**2 if scenario.participations > 1 else 1.0
    stable = bool(study.rank[place, at])
    return MechanismRow(
        key=key,
        label=words.name(key),
        mean_error=words.number(square * mechanism.mean_squared_error),
        max_error=words.number(square * mechanism.max_squared_error),
        sensitivity=words.sensitivity(found),
        damage=words.number(study.damage[place, at]) if stable else "unstable",
        memory=f"{noise_memory(scenario, key)}",
        solver=_solver(mechanism),
        certificate=_certificate(mechanism),
    )


def _solver(mechanism: Mechanism) -> str:
    report = mechanism.report
    if mechanism.key == OWN_KEY:
        return "as given"
    if not FAMILIES[mechanism.key].iterative:
        return "closed form"
    steps = f"{report.iterations} step{'' if report.iterations == 1 else 's'}"
    return f"converged, {steps}" if report.converged else f"stopped after {steps}"


def _certificate(mechanism: Mechanism) -> str:
    report = mechanism.report
    if report.lower_bound is None:
        return "no certificate"
    if not FAMILIES[mechanism.key].iterative:
        return "nothing to certify"
    gap = report.objective / report.lower_bound - 1
    among = "duality gap" if mechanism.key == "dense" else "proven gap for its bands"
    return f"{among} {100 * gap:.2g} %" if gap > _CLOSED else f"{among} below 0.001 %"


def _counted(scenario: Scenario) -> str:
    if scenario.participations == 1:
        return "each example takes part once"
    apart = scenario.min_separation
    return f"at most {scenario.participations} times, {apart} or more steps apart"


def _place(study: Study, at: int, key: str) -> str:
    rank = int(study.rank[study.mechanisms.index(key), at])
    if not rank:
        return "training is unstable"
    return f"{words.ordinal(rank)} of {int((study.rank[:, at] > 0).sum())}"


def _sentence(study: Study, value: float, key: str) -> str:
    at = study.at(value)
    here = f"With {swept_of(study.scenario.optimizer).name} {words.setting(value)}"
    if not study.winners[at]:
        return f"{here} training is unstable, so that nothing is ranked."
    row = study.mechanisms.index(key)
    if key in study.winners[at]:
        tie = " together with others" if len(study.winners[at]) > 1 else ""
        return f"{here}, {words.name(key)} does the least damage of those shown{tie}."
    times = words.times(study.regret[row, at])
    best = words.names(study.winners[at])
    return f"{here}, {words.name(key)} does {times} times the damage of the best, {best}."


def _readout(key: str, label: str, value: str, detail: str) -> Readout:
    return Readout(key=key, label=label, value=value, detail=detail)
