"""What the charts of the Explore page draw: every mechanism over the whole range of momentum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core import Region, Study
from pages.views import words

FloatArray = NDArray[np.float64]
MOMENTA = np.arange(100) / 100  # where the slider can stand: 0 to 0.99
# Crossovers and region edges are refined to a millionth, each on its own.
_SAME_PLACE = 2e-6


@dataclass(frozen=True, kw_only=True)
class Axis:
    """The horizontal axis: its title and range, and how a momentum is placed on it."""

    key: str
    title: str
    symbol: str
    low: float
    high: float
    log: bool

    def place(self, momentum: FloatArray | float) -> FloatArray:
        """Return the place of a momentum in the axis's own unit."""
        values = np.asarray(momentum, dtype=np.float64)
        return 1 / (1 - values) if self.log else values

    def side(self, momentum: float) -> str:
        """Return which side of a line at this momentum has room for its label."""
        place = float(self.place(momentum))
        share = (
            math.log(place / self.low) / math.log(self.high / self.low)
            if self.log
            else (place - self.low) / (self.high - self.low)
        )
        return "right" if share < 0.15 else "left" if share > 0.8 else "both"


MOMENTUM = Axis(
    key="momentum", title="momentum μ", symbol="μ", low=0.0, high=0.99, log=False
)  # fmt: skip
STEPS = Axis(
    key="steps",
    title="steps that momentum averages over, 1/(1−μ)",
    symbol="1/(1−μ)",
    low=1.0,
    high=100.0,
    log=True,
)
AXES = {axis.key: axis for axis in (MOMENTUM, STEPS)}


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


def sweep_view(study: Study, axis_key: str) -> SweepView:
    """Return what the charts draw of a study on one of AXES."""
    axis = AXES[axis_key]
    curves = tuple(_curve(study, row, axis) for row in range(len(study.mechanisms)))
    drawn = [curve.damage[np.isfinite(curve.damage)] for curve in curves]
    values = np.concatenate(drawn) if drawn else np.empty(0)
    return SweepView(
        axis=axis,
        curves=curves,
        crossings=tuple(_crossings(study, axis)),
        spans=tuple(_span(region, axis) for region in study.regions),
        damage_range=(float(values.min()), float(values.max())) if values.size else None,
        damage_alt=_alt("Damage, on a logarithmic scale, against momentum", study),
        rank_alt=_alt("Rank, 1 is best, against momentum", study),
        notes=tuple(_notes(study)),
    )


def _curve(study: Study, row: int, axis: Axis) -> Curve:
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


def _span(region: Region, axis: Axis) -> Span:
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
        text=f"{who}: μ from {words.edge(region.start)} to {words.edge(region.stop)}",
    )


def _alt(what: str, study: Study) -> str:
    spans = "; ".join(_span(region, MOMENTUM).text for region in study.regions)
    shown = "one mechanism" if len(study.mechanisms) == 1 else f"{len(study.mechanisms)} mechanisms"
    return f"{what} from 0 to 0.99, for {shown}. {spans}. The table below has the numbers."


def _notes(study: Study) -> Sequence[str]:
    zero = [
        key
        for key, damage, stable in zip(study.mechanisms, study.damage, study.stable, strict=True)
        if ((damage == 0) & stable).any()
    ]
    notes = []
    if zero:
        whose = "any mechanism" if len(zero) == len(study.mechanisms) else words.names(zero)
        notes.append(
            f"The damage of {whose} is zero for some momentum; a logarithmic axis has no zero, "
            "so those points are left out."
        )
    if not study.stable.all():
        notes.append(
            "Where training is unstable the noise grows without bound; nothing is drawn there."
        )
    return notes
