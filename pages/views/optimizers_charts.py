"""What the charts of "Optimizers" draw: stacked bars, the ε-sweep, and the matrix of damages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core import FAMILIES
from pages.views import words
from pages.views.contenders import HIGHEST, LOWEST, Answer, in_order, named
from pages.views.sweep import FloatArray
from pages.views.why_charts import longest_bar

CAUSES = ("bias", "sampling noise", "privacy noise")
_POINTS = 121


@dataclass(frozen=True, kw_only=True)
class CauseBar:
    """One optimizer's excess loss by cause; `scale` is below 1 for a bar that is squeezed.

    Without parts, the optimizer is unstable.
    """

    key: str
    label: str
    setting: str
    parts: tuple[float, ...]
    total: float
    scale: float


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """A place where two lines of the ε-sweep cross; `strong` where the best one changes."""

    epsilon: float
    total: float
    strong: bool
    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Track:
    """One optimizer's total excess loss along ε."""

    key: str
    label: str
    total: FloatArray


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One optimizer with one mechanism: its damage, how dark it is, and whether it is best.

    `shade` is from 0 for the least damage of all to 1 for the most, on a logarithmic scale, and
    missing where training is unstable.
    """

    mechanism: str
    text: str
    shade: float | None
    best_in_row: bool
    best_in_column: bool
    hint: str


@dataclass(frozen=True, kw_only=True)
class MatrixRow:
    """One optimizer with all mechanisms; `value` is that of its main parameter."""

    key: str
    label: str
    setting: str
    value: float
    cells: tuple[Cell, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class OptimizersCharts:
    """Everything that is drawn of a comparison."""

    bars: tuple[CauseBar, ...]
    most: float
    bars_alt: str
    epsilons: FloatArray
    tracks: tuple[Track, ...]
    meetings: tuple[Meeting, ...]
    epsilon: float
    sweep_alt: str
    mechanisms: tuple[tuple[str, str], ...]
    shown: str
    matrix: tuple[MatrixRow, ...]


def optimizers_charts(answer: Answer) -> OptimizersCharts:
    """Return what the charts draw of a comparison."""
    question = answer.question
    bars, most = _bars(answer)
    under = words.name(question.mechanism)
    said = "; ".join(
        f"{bar.label} {words.number(bar.total) if bar.parts else 'unstable'}" for bar in bars
    )
    epsilons = np.geomspace(LOWEST, HIGHEST, _POINTS)
    regions = "; ".join(
        f"{named(answer, region.winners) if region.winners else 'nobody'} from ε = "
        f"{words.number(region.start)} to {words.number(region.stop)}"
        for region in answer.regions
    )
    return OptimizersCharts(
        bars=bars,
        most=most,
        bars_alt=f"Total excess loss of each optimizer under {under}, stacked from bias, sampling "
        f"noise and privacy noise: {said}.",
        epsilons=epsilons,
        tracks=tuple(_tracks(answer, epsilons)),
        meetings=tuple(_meetings(answer)),
        epsilon=question.scenario.epsilon,
        sweep_alt=f"Total excess loss against ε under {under}, both logarithmic. Best: {regions}.",
        mechanisms=tuple((key, words.name(key)) for key in question.scenario.mechanisms),
        shown=question.mechanism,
        matrix=tuple(_matrix(answer)),
    )


def _bars(answer: Answer) -> tuple[tuple[CauseBar, ...], float]:
    found, at = answer.found, answer.column
    order = in_order(answer)
    sizes = [float(found.total[place, at]) for place in order if found.stable[place]]
    most = longest_bar(sizes) if sizes else 1.0

    def bar(place: int) -> CauseBar:
        total = float(found.total[place, at])
        parts = (found.bias[place], found.sampling[place], found.damage[place, at])
        return CauseBar(
            key=answer.question.entries[place].key,
            label=answer.label(place),
            setting=answer.setting(place),
            parts=tuple(map(float, parts)) if found.stable[place] else (),
            total=total,
            scale=min(1.0, most / max(total, most)) if found.stable[place] else 1.0,
        )

    return tuple(bar(place) for place in order), most


def _tracks(answer: Answer, epsilons: FloatArray) -> list[Track]:
    totals = answer.found.sweep(answer.question.mechanism, epsilons)
    return [
        Track(
            key=answer.question.entries[place].key,
            label=answer.label(place),
            # A logarithmic axis has no zero.
            total=np.where(totals[place] > 0, totals[place], np.nan),
        )
        for place in in_order(answer)
        if answer.found.stable[place]
    ]


def _meetings(answer: Answer) -> list[Meeting]:
    mechanism = answer.question.mechanism
    inside = [c for c in answer.found.crossings(mechanism) if LOWEST < c.epsilon < HIGHEST]
    if not inside:
        return []
    totals = answer.found.sweep(mechanism, [c.epsilon for c in inside])
    changes = np.array([region.start for region in answer.regions[1:]])
    best = np.where(answer.found.stable[:, None], totals, np.inf).min(axis=0)
    return [
        Meeting(
            epsilon=crossing.epsilon,
            total=float(totals[crossing.below, k]),
            strong=bool(np.isclose(changes, crossing.epsilon, rtol=1e-7).any())
            and bool(np.isclose(totals[crossing.below, k], best[k], rtol=1e-6)),
            text=f"ε = {words.number(crossing.epsilon)}: above it {answer.label(crossing.above)} "
            f"beats {answer.label(crossing.below)}",
        )
        for k, crossing in enumerate(inside)
    ]


def _first(what: str, firsts: NDArray[np.bool_]) -> str:
    """Say that something is best, or one of several that tie."""
    count = int(firsts.sum())
    return f"best {what}" if count == 1 else f"tie of {count} for the best {what}"


def _matrix(answer: Answer) -> list[MatrixRow]:
    found = answer.found
    ranked = found.stable[:, None] & np.isfinite(found.damage) & (found.damage > 0)
    logs = np.log(np.where(ranked, found.damage, 1.0))
    low = float(logs[ranked].min()) if ranked.any() else 0.0
    spread = float(np.ptp(logs[ranked])) if ranked.any() else 0.0

    def cell(place: int, column: int) -> Cell:
        key = answer.question.scenario.mechanisms[column]
        stable = bool(found.stable[place]) and bool(np.isfinite(found.damage[place, column]))
        along, down = found.best_in_row[place], found.best_in_column[:, column]
        row, top = bool(along[column]), bool(down[place])
        text = words.short(found.damage[place, column]) if stable else "unstable"
        best = [
            *([_first("mechanism for this optimizer", along)] if row else []),
            *([_first("optimizer for this mechanism", down)] if top else []),
        ]
        said = f"damage {text}" if stable else "unstable"
        return Cell(
            mechanism=key,
            text=text,
            shade=float((logs[place, column] - low) / (spread or 1.0))
            if ranked[place, column]
            else 0.0
            if stable
            else None,
            best_in_row=row,
            best_in_column=top,
            hint=f"{answer.label(place)} with {FAMILIES[key].label}: {', '.join([said, *best])}",
        )

    return [
        MatrixRow(
            key=answer.question.entries[place].key,
            label=answer.label(place),
            setting=answer.setting(place),
            value=float(found.values[place]),
            cells=tuple(cell(place, column) for column in range(found.damage.shape[1])),
        )
        for place in range(len(found.values))
    ]
