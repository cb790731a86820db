"""Optimizers side by side: excess loss by cause as stacked bars, and the total along ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import parts
from pages.figures.style import NEUTRAL, OPTIMIZER_MARKS
from pages.views import words
from pages.views.contenders import HIGHEST, LOWEST
from pages.views.optimizers_charts import CAUSES, CauseBar, OptimizersCharts

SWEEP_HEIGHT: Final = 430
_SWEEP_MARGIN: Final = {**parts.MARGIN, "r": 172}  # for the longest name
_PLOT: Final = SWEEP_HEIGHT - parts.MARGIN["t"] - parts.MARGIN["b"]
_BAR: Final = 34  # pixels a bar
# Pixels: between rows of labels, of a character with its share of the gap, of a decade of ε on a
# telephone.
_ROWS, _ROW, _CHARACTER, _DECADE = 2, 14, 8, 58
# Told apart by pattern, not by colour alone; a contrast of at least 3 : 1 on both backgrounds.
CAUSE_LOOKS: Final[dict[str, dict[str, Any]]] = {
    "bias": {"color": "#2f74e0"},
    "sampling noise": {"color": "#a8741a", "pattern": {"shape": ".", "size": 6}},
    "privacy noise": {"color": "#c0392b", "pattern": {"shape": "/", "size": 6, "solidity": 0.35}},
}
BARS_COMPACT: Final = {**parts.COMPACT, "margin": {"l": 134, "r": 66, "t": 76, "b": 64}}
SWEEP_COMPACT: Final = {**parts.COMPACT, "margin": {**parts.COMPACT["margin"], "r": 146}}


def bars_height(count: int) -> int:
    """Return the height of the bars' figure for so many optimizers, in pixels."""
    return 140 + _BAR * max(count, 2)


def bars_figure(view: OptimizersCharts) -> go.Figure:
    """Draw the stacked bars, smallest total on top."""
    rows = [bar.label for bar in view.bars]
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "y": rows,
            "x": [bar.scale * bar.parts[i] if bar.parts else 0.0 for bar in view.bars],
            "customdata": [bar.parts[i] if bar.parts else None for bar in view.bars],
            "name": cause,
            "hovertemplate": "%{fullData.name}: %{customdata:.4g}<extra></extra>",
            "marker": CAUSE_LOOKS[cause],
        }
        for i, cause in enumerate(CAUSES)
    ]
    return go.Figure(
        data=traces,
        layout={
            "height": bars_height(len(rows)),
            "margin": {"l": 170, "r": 90, "t": 70, "b": 64},
            "barmode": "stack",
            "bargap": 0.3,
            "hovermode": "closest",
            "uirevision": "bars",
            "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom",
                       "traceorder": "normal"},
            "xaxis": {
                "title": {"text": parts.with_squeezed(
                    "expected excess loss", any(bar.scale < 1 for bar in view.bars)
                )},
                "range": [0, 1.02 * view.most],
            },
            "yaxis": {
                "type": "category",
                "categoryorder": "array",
                "categoryarray": rows,
                "range": [len(rows) - 0.5, -0.5],
                "tickmode": "array",
                "tickvals": rows,
                "ticktext": [_tick(bar) for bar in view.bars],
                "ticks": "",
            },
            "annotations": [_total(bar) for bar in view.bars],
        },
    )  # fmt: skip


def sweep_figure(view: OptimizersCharts) -> go.Figure:
    """Draw the total of every stable optimizer along ε, and where lines cross."""
    drawn = [track for track in view.tracks if np.isfinite(track.total).any()]
    values = np.concatenate([track.total for track in drawn]) if drawn else np.array([1.0])
    values = values[np.isfinite(values)]
    low, high = math.log10(values.min()), math.log10(values.max())
    room = max(0.05 * (high - low), 0.05)
    low, high = low - room, high + room
    ends = [float(track.total[np.isfinite(track.total)][-1]) for track in drawn]
    heights = [_PLOT * (math.log10(end) - low) / (high - low) for end in ends]
    labels, leaders = parts.direct_labels(drawn, ends, heights, _PLOT, log=True)
    hover = "<b>%{fullData.name}</b><br>ε = %{x:.3~g}<br>total %{y:.4~g}<extra></extra>"
    lines = [
        parts.line(view.epsilons, track.total, track.key, track.label, hover)
        for track in reversed(drawn)
    ]
    return go.Figure(
        data=[*lines, *_meetings(view)],
        layout={
            "height": SWEEP_HEIGHT,
            "margin": _SWEEP_MARGIN,
            "showlegend": False,
            "hovermode": "closest",
            "uirevision": "sweep",
            "xaxis": {
                "type": "log",
                "range": [math.log10(LOWEST), math.log10(HIGHEST)],
                "tickvals": [0.1, 0.3, 1, 3, 10, 30, 100],
                "title": {"text": "ε: smaller is more private (log scale)"},
                "showgrid": False,
            },
            "yaxis": {
                "type": "log",
                "range": [low, high],
                "title": {"text": "total excess loss (log scale)"},
                "exponentformat": "power",
                **({"dtick": 1} if high - low > 1.5 else {}),
            },
            "annotations": [*labels, *_numbers(view), *([] if drawn else [_nothing()])],
            "shapes": [*leaders, *_changes(view), _here(view)],
        },
    )


def _tick(bar: CauseBar) -> str:
    mark = OPTIMIZER_MARKS[bar.key]
    return (
        f'<span style="color:{mark.color}">{mark.glyph}</span> {bar.label}'
        f'<br><span style="font-size:11px">{bar.setting}</span>'
    )


def _total(bar: CauseBar) -> dict[str, Any]:
    text = words.number(bar.total) + (" »" if bar.scale < 1 else "") if bar.parts else "unstable"
    return {
        "text": text,
        "x": bar.scale * bar.total if bar.parts else 0,
        "y": bar.label,
        "xanchor": "left",
        "xshift": 5,
        "showarrow": False,
        "font": {"size": 13},
    }


def _meetings(view: OptimizersCharts) -> list[dict[str, Any]]:
    """Return the crossings as points: filled where the best one changes, else small and open."""
    looks = {
        True: {"symbol": "circle", "size": 11, "color": NEUTRAL},
        False: {"symbol": "circle-open", "size": 6, "color": NEUTRAL},
    }
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [m.epsilon for m in view.meetings if m.strong is kind],
            "y": [m.total for m in view.meetings if m.strong is kind],
            "text": [m.text for m in view.meetings if m.strong is kind],
            "hovertemplate": "%{text}<extra></extra>",
            "marker": look,
            "name": "the best one changes" if kind else "two others change places",
        }
        for kind, look in looks.items()
        if any(m.strong is kind for m in view.meetings)
    ]


def _changes(view: OptimizersCharts) -> list[dict[str, Any]]:
    return [
        {
            "type": "line",
            "layer": "below",
            "xref": "x",
            "yref": "paper",
            "x0": epsilon,
            "x1": epsilon,
            "y0": 0,
            "y1": 1,
            "line": {"color": NEUTRAL, "width": 1.5, "dash": "dash"},
        }
        for epsilon in _places(view)
    ]


def _numbers(view: OptimizersCharts) -> list[dict[str, Any]]:
    """Return the ε of each change of the best one, on top of its line; none covers another."""
    return [
        {
            "text": text,
            "xref": "x",
            "x": place,
            "yref": "paper",
            "y": 1,
            "yanchor": "bottom",
            "yshift": _ROW * row,
            "showarrow": False,
            "font": {"size": 12},
        }
        for place, text, row in apart(_places(view))
    ]


def apart(places: Sequence[float]) -> list[tuple[float, str, int]]:
    """Return labels of places on the ε axis that do not overlap: log10 of the place, text, row.

    A label that has no room beside its neighbour goes a row higher; where both rows are taken, it
    shares one with its neighbour. There is room for them on a telephone, and so on any screen.

    Args:
        places: ε, ascending.

    >>> [text for _, text, _ in apart([1.0, 1.01, 1.02, 1.03])]
    ['1', '1.01, 1.02 and 1.03']
    """
    groups = [[place] for place in places]
    while True:
        found, ends = [], [-math.inf] * _ROWS
        for at, group in enumerate(groups):
            text = words.listed([words.number(place) for place in group])
            middle = float(np.log10(group).mean())
            half = _CHARACTER * len(text) / _DECADE / 2
            free = [row for row, end in enumerate(ends) if end <= middle - half]
            if not free:
                groups[at - 1 : at + 1] = [groups[at - 1] + group]
                break
            ends[free[0]] = middle + half
            found.append((middle, text, free[0]))
        else:
            return found


def _places(view: OptimizersCharts) -> list[float]:
    return sorted({round(m.epsilon, 9) for m in view.meetings if m.strong})


def _here(view: OptimizersCharts) -> dict[str, Any]:
    return {
        "type": "line",
        "name": "here",
        "xref": "x",
        "yref": "paper",
        "x0": view.epsilon,
        "x1": view.epsilon,
        "y0": 0,
        "y1": 1,
        "line": {"color": NEUTRAL, "width": 2},
        "label": {"text": "your ε", "textposition": "start", "textangle": 0, "yanchor": "bottom",
                  "xanchor": "left", "font": {"size": 12}, "padding": 3},
    }  # fmt: skip


def _nothing() -> dict[str, Any]:
    return {
        "text": "Nothing to draw.", "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5,
        "showarrow": False, "font": {"size": 15},
    }  # fmt: skip
