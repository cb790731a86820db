"""What the crossover map draws: kinds of cells, their names, lines, and what each cell says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from momentdp_core import CrossoverMap
from momentdp_core.errors import FloatArray
from pages.views import words
from pages.views.map_axes import Side, place_name, side
from pages.views.map_regions import COLORINGS, BoolArray, IntArray, Kind, Region, regions_of
from pages.views.swept import swept_of

# Margins and regrets from which a cell is drawn one step stronger, and what a step is called.
MARGIN_STEPS: Final = (0.01, 0.05, 0.2, 1.0)
REGRET_STEPS: Final = (0.001, 0.05, 0.2, 1.0, 4.0)
REGRET_NAMES: Final = (
    *("best", "up to 5 %", "5 to 20 %"),
    *("20 to 100 %", "2 to 5 times", "over 5 times"),
)
GAP_STEPS: Final = (0.01, 0.05, 0.2, 0.5)


@dataclass(frozen=True, kw_only=True, eq=False)
class MapView:
    """Everything that the map draws.

    `cells` holds the number of each cell's kind, −1 for none; `hover` what it says.
    """

    x: Side
    y: Side
    kinds: tuple[Kind, ...]
    cells: IntArray
    hover: tuple[tuple[str, ...], ...]
    close: BoolArray
    unstable: BoolArray
    pending: BoolArray
    curves: tuple[FloatArray, ...]
    limit: tuple[FloatArray, ...]
    regions: tuple[Region, ...]
    legend: tuple[str, ...]
    alt: str
    done: float


def map_view(
    found: CrossoverMap, coloring: str, fixed: str, pair: tuple[str, str] | None
) -> MapView:
    """Return what is drawn of a map.

    Args:
        found: the map, finished or not.
        coloring: one of COLORINGS.
        fixed: key for the regret.
        pair: keys a and b of the gap.
    """
    unstable = found.winner < 0
    curves = found.boundaries
    if coloring == "winner":
        kinds, cells = _winners(found)
    elif coloring == "rank":
        kinds, cells = _ranks(found)
        curves = ()
    elif coloring == "regret":
        kinds, cells = _regrets(found, fixed)
        curves = ()
    else:
        assert pair is not None
        kinds, cells = _gaps(found, *pair)
        curves = found.boundaries_of(*pair) if found.done == 1 else ()
    cells = np.where(unstable, -1, cells)
    close = found.too_close
    if coloring == "gap" and pair is not None:
        a, b = (found.mechanisms.index(key) for key in pair)
        close = (found.low[a] <= found.high[b]) & (found.low[b] <= found.high[a])
    close = close & ~unstable & found.ready & (coloring in ("winner", "gap"))
    return MapView(
        x=side(found.x, found.scenario),
        y=side(found.y, found.scenario),
        kinds=kinds,
        cells=cells,
        hover=_hover(found),
        close=close,
        unstable=unstable,
        pending=~found.ready & ~unstable,
        curves=tuple(np.column_stack([curve.x, curve.y]) for curve in curves),
        limit=found.limit,
        regions=regions_of(kinds, cells, unstable, lines=found.y.name == "schedule"),
        legend=_legend(found, coloring, fixed),
        alt=_alt(found, coloring, kinds, cells),
        done=found.done,
    )


def _step(values: FloatArray, steps: Sequence[float]) -> IntArray:
    return np.searchsorted(np.array(steps), values, side="right").astype(np.int64)


def _winners(found: CrossoverMap) -> tuple[tuple[Kind, ...], IntArray]:
    count = len(MARGIN_STEPS) + 1
    kinds = tuple(
        Kind(text=words.name(key), key=key, shade=(level + 1) / count)
        for key in found.mechanisms
        for level in range(count)
    )
    return kinds, found.winner * count + _step(found.margin, MARGIN_STEPS)


def _ranks(found: CrossoverMap) -> tuple[tuple[Kind, ...], IntArray]:
    count = len(found.mechanisms)
    kinds = tuple(
        Kind(text=words.ordinal(r), key="noisecurve", shade=1 - 0.9 * (r - 1) / max(count - 1, 1))
        for r in range(1, count + 1)
    )
    row = found.mechanisms.index("noisecurve")
    return kinds, np.where(found.ready, found.rank[row] - 1, -1)


def _regrets(found: CrossoverMap, fixed: str) -> tuple[tuple[Kind, ...], IntArray]:
    count = len(REGRET_NAMES)
    kinds = tuple(
        Kind(text=text, key=fixed, shade=(n + 0.2) / (count - 0.8))
        for n, text in enumerate(REGRET_NAMES)
    )
    regret = found.regret[found.mechanisms.index(fixed)]
    return kinds, _step(np.where(np.isfinite(regret), regret, 1e9), REGRET_STEPS)


def _gaps(found: CrossoverMap, first: str, second: str) -> tuple[tuple[Kind, ...], IntArray]:
    count = len(GAP_STEPS) + 1
    kinds = tuple(
        Kind(text=f"{words.name(key)} ahead", key=key, shade=(level + 1) / count)
        for key in (first, second)
        for level in range(count)
    )
    gap = found.gap(first, second)
    return kinds, np.where(gap < 0, 0, count) + _step(np.abs(gap), GAP_STEPS)


def _hover(found: CrossoverMap) -> tuple[tuple[str, ...], ...]:
    """Return what each cell says: where it is and its top three."""
    table = np.where(found.stable, found.damage, np.inf)
    order = np.argsort(table, axis=0, kind="stable")[:3]
    best = np.take_along_axis(table, order, axis=0)
    swept = swept_of(found.scenario.optimizer)
    where = [
        [place_name(axis, n, swept.symbol) for n in range(len(axis))] for axis in (found.x, found.y)
    ]
    names = [words.name(key) for key in found.mechanisms]
    lines = []
    for row in range(len(found.y)):
        line = []
        for column in range(len(found.x)):
            text = f"{where[0][column]}, {where[1][row]}"
            if found.winner[row, column] < 0:
                line.append(f"{text}<br>unstable: the noise grows without bound")
                continue
            for place, n in enumerate(order[:, row, column]):
                value = best[place, row, column]
                if np.isfinite(value):
                    more = f" ({words.times(value / best[0, row, column] - 1)}×)" if place else ""
                    text += f"<br>{place + 1}. {names[n]} {words.number(value)}{more}"
            if found.too_close[row, column] and found.ready[row, column]:
                text += "<br>too close to call"
            if not found.ready[row, column]:
                text += "<br>NoiseCurve is not judged here yet"
            line.append(text)
        lines.append(tuple(line))
    return tuple(lines)


def _legend(found: CrossoverMap, coloring: str, fixed: str) -> tuple[str, ...]:
    lines = {
        "winner": "Colour: who does the least damage. The stronger, the further ahead of the next.",
        "rank": "Colour: the rank of NoiseCurve, 1 is best. Stronger is better.",
        "regret": f"Colour: how much more damage {words.name(fixed)} does than the best choice. "
        "Stronger is worse.",
        "gap": "Colour: which of a and b does less damage. The stronger, the further apart.",
    }
    out = [lines[coloring]]
    if coloring in ("winner", "gap"):
        out.append("Solid line: both sides do equal damage there, to a millionth.")
        out.append("Striped: too close to call, because equally good designs disagree.")
    if found.limit:
        out.append("Dashed line: the analytic limit of stability at a constant rate.")
    if "noisecurve" in found.mechanisms and found.design_rates:
        both = len(found.design_rates) > 1 and len(found.design_conditions) > 1
        out.append(
            f"NoiseCurve was designed at {len(found.design_rates)} rates × "
            f"{len(found.design_conditions)} condition numbers; a cell in between is judged with "
            "a mix of the designs round it."
            if both
            else "NoiseCurve was designed anew for every "
            f"{'rate' if len(found.design_rates) > 1 else 'condition number'} of the map."
        )
    return tuple(out)


def _alt(found: CrossoverMap, coloring: str, kinds: tuple[Kind, ...], cells: IntArray) -> str:
    total = cells.size
    shares = []
    for text in dict.fromkeys(kind.text for kind in kinds):
        members = [n for n, kind in enumerate(kinds) if kind.text == text]
        share = np.isin(cells, members).sum() / total
        if share >= 0.005:
            shares.append((share, text))
    parts = ", ".join(f"{text} {share:.0%}" for share, text in sorted(shares, reverse=True))
    left = (found.winner < 0).sum() / total
    more = f", unstable {left:.0%}" if left else ""
    x, y = (side(axis, found.scenario).title for axis in (found.x, found.y))
    return (
        f"Map of {COLORINGS[coloring]}: {x} across, {y} up. Shares of the cells: {parts}{more}. "
        f"Too close to call: {(found.too_close & (found.winner >= 0)).sum() / total:.0%}."
    )
