"""What the charts of the Explore page draw: every mechanism over the range of what is swept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core import Region, Study
from pages.views import words
from pages.views.best import BEST, BEST_LABEL, Best
from pages.views.swept import SweptParameter, swept_of

FloatArray = NDArray[np.float64]
# Crossovers and region edges are refined to a millionth, each on its own.
_SAME_PLACE = 2e-6


@dataclass(frozen=True, kw_only=True)
class Axis:
    """The horizontal axis: its title and range, and how a swept value is placed on it."""

    key: str
    title: str
    symbol: str
    low: float
    high: float
    log: bool

    def place(self, value: FloatArray | float) -> FloatArray:
        """Return the place of a swept value in the axis's own unit."""
        values = np.asarray(value, dtype=np.float64)
        return 1 / (1 - values) if self.log else values

    def side(self, value: float) -> str:
        """Return which side of a line at this value has room for its label."""
        place = float(self.place(value))
        share = (
            math.log(place / self.low) / math.log(self.high / self.low)
            if self.log
            else (place - self.low) / (self.high - self.low)
        )
        return "right" if share < 0.15 else "left" if share > 0.8 else "both"


# What the horizontal axis can show; the second only where it counts steps.
AXES = ("momentum", "steps")


def axis_of(swept: SweptParameter, key: str) -> Axis:
    """Return an axis of AXES for what is swept; its own one where it counts no steps."""
    if key == "steps" and swept.counts_steps:
        symbol = f"1/(1−{swept.symbol})"
        return Axis(
            key="steps",
            title=f"steps that {swept.name} averages over, {symbol}",
            symbol=symbol,
            low=1 / (1 - swept.low),
            high=1 / (1 - swept.high),
            log=True,
        )
    return Axis(
        key=swept.key,
        title=swept.title,
        symbol=swept.symbol,
        low=swept.low,
        high=swept.high,
        log=False,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """One mechanism: damage and rank at each place, NaN where there is nothing to draw.

    `damage_end` and `rank_end` are the last values drawn, where the label goes.
    """

    key: str
    label: str
    x: FloatArray
    damage: FloatArray
    rank: FloatArray
    damage_end: float | None
    rank_end: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class BestCurve:
    """What the designs for each value reach, and what nothing can beat; NaN where not known."""

    key: str
    label: str
    x: FloatArray
    damage: FloatArray
    bound: FloatArray
    damage_end: float | None


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """A place where two curves cross; `strong` where the winner changes there."""

    x: float
    strong: bool
    text: str


@dataclass(frozen=True, kw_only=True)
class Span:
    """A range that one mechanism wins, several tie in, or (with no winners) is unstable."""

    start: float
    stop: float
    winners: tuple[str, ...]
    text: str


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepView:
    """Everything the two charts draw."""

    axis: Axis
    curves: tuple[Curve, ...]
    crossings: tuple[Crossing, ...]
    spans: tuple[Span, ...]
    damage_range: tuple[float, float] | None
    damage_alt: str
    rank_alt: str
    notes: tuple[str, ...]
    best: BestCurve | None = None


def sweep_view(study: Study, axis_key: str, best: Best | None = None) -> SweepView:
    """Return what the charts draw of a study on one of AXES, with the best possible if given."""
    swept = swept_of(study.scenario.optimizer)
    axis = axis_of(swept, axis_key)
    curves = tuple(curve_of(study, row, axis) for row in range(len(study.mechanisms)))
    drawn = [curve.damage[np.isfinite(curve.damage)] for curve in curves]
    values = np.concatenate(drawn) if drawn else np.empty(0)
    return SweepView(
        axis=axis,
        curves=curves,
        crossings=tuple(_crossings(study, axis)),
        spans=tuple(_span(region, axis, swept) for region in study.regions),
        damage_range=(float(values.min()), float(values.max())) if values.size else None,
        damage_alt=_alt(f"Damage, on a logarithmic scale, against {swept.name}", study, swept),
        rank_alt=_alt(f"Rank, 1 is best, against {swept.name}", study, swept),
        notes=tuple(_notes(study, swept)),
        best=None if best is None else _best(study, best, axis),
    )


def _best(study: Study, best: Best, axis: Axis) -> BestCurve:
    # A logarithmic axis has no zero.
    damage, bound = (np.where(row > 0, row, np.nan) for row in (best.damage, best.bound))
    return BestCurve(
        key=BEST,
        label=BEST_LABEL,
        x=axis.place(study.values),
        damage=damage,
        bound=bound,
        damage_end=_end(damage),
    )


def curve_of(study: Study, row: int, axis: Axis) -> Curve:
    """Return what is drawn of one mechanism of a study."""
    x = axis.place(study.values)
    stable = study.stable[row]
    damage = study.damage[row]
    # A logarithmic axis has no zero; a note says so.
    damage = np.where(stable & np.isfinite(damage) & (damage > 0), damage, np.nan)
    rank = np.where(study.rank[row] > 0, study.rank[row], np.nan)
    return Curve(
        key=study.mechanisms[row],
        label=words.name(study.mechanisms[row]),
        x=x,
        damage=damage,
        rank=rank,
        damage_end=_end(damage),
        rank_end=_end(rank),
    )


def _end(y: FloatArray) -> float | None:
    drawn = y[np.isfinite(y)]
    return float(drawn[-1]) if drawn.size else None


def _crossings(study: Study, axis: Axis) -> Sequence[Crossing]:
    edges = [
        (after.start, {*before.winners, *after.winners})
        for before, after in zip(study.regions, study.regions[1:], strict=False)
    ]
    return [
        Crossing(
            x=float(axis.place(crossover.value)),
            strong=any(
                abs(place - crossover.value) <= _SAME_PLACE and winners >= set(crossover.pair)
                for place, winners in edges
            ),
            text=words.edge(crossover.value),
        )
        for crossover in study.crossovers
    ]


def _span(region: Region, axis: Axis, swept: SweptParameter) -> Span:
    if not region.winners:
        who = "unstable"
    elif len(region.winners) == 1:
        who = f"{words.name(region.winners[0])} wins"
    else:
        who = f"{words.names(region.winners)} tie"
    return Span(
        start=float(axis.place(region.start)),
        stop=float(axis.place(region.stop)),
        winners=region.winners,
        text=f"{who}: {swept.symbol} from {words.edge(region.start)} to {words.edge(region.stop)}",
    )


def _alt(what: str, study: Study, swept: SweptParameter) -> str:
    plain = axis_of(swept, "momentum")
    spans = "; ".join(_span(region, plain, swept).text for region in study.regions)
    shown = "one mechanism" if len(study.mechanisms) == 1 else f"{len(study.mechanisms)} mechanisms"
    return (
        f"{what} from {study.values[0]:g} to {study.values[-1]:g}, for {shown}. {spans}. "
        "The table below has the numbers."
    )


def _notes(study: Study, swept: SweptParameter) -> Sequence[str]:
    zero = [
        key
        for key, damage, stable in zip(study.mechanisms, study.damage, study.stable, strict=True)
        if ((damage == 0) & stable).any()
    ]
    notes = []
    if zero:
        whose = "any mechanism" if len(zero) == len(study.mechanisms) else words.names(zero)
        notes.append(
            f"The damage of {whose} is zero for some {swept.name}; a logarithmic axis has no zero, "
            "so those points are left out."
        )
    if not study.stable.all():
        notes.append(
            "Where training is unstable the noise grows without bound; nothing is drawn there."
        )
    return notes


def stable_stretches(regions: Sequence[Region]) -> list[tuple[float, float]]:
    """Return the ends of the stretches in which training is stable."""
    stretches: list[tuple[float, float]] = []
    for region in regions:
        if not region.winners:
            continue
        if stretches and stretches[-1][1] == region.start:
            stretches[-1] = (stretches[-1][0], region.stop)
        else:
            stretches.append((region.start, region.stop))
    return stretches
