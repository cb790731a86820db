"""Private training: ranks, paired differences, trajectories with bands, and causes of the loss."""

from __future__ import annotations

import math
from typing import Any, Final

import plotly.graph_objects as go

from pages.figures import parts
from pages.figures.style import EMPHASIS, MARKS, NEUTRAL
from pages.views.logistic import CAUSES, Causes, Track, Tracks

HEIGHT: Final = 430
_ROW: Final = 30
_LEGEND: Final = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}
_MARGIN: Final = {"l": 66, "r": 24, "t": 84, "b": 60}
COMPACT: Final = {**parts.COMPACT, "margin": {"l": 52, "r": 10, "t": 150, "b": 80}}
ROWS_COMPACT: Final = {**parts.COMPACT, "margin": {"l": 116, "r": 10, "t": 90, "b": 50}}
_PATH: Final = HEIGHT - 34 - 46
# Told apart by pattern, not by colour alone.
_LOOKS: Final[dict[str, dict[str, Any]]] = {
    "optimisation": {"color": "#2f74e0"},
    "sampling": {"color": "#a8741a", "pattern": {"shape": ".", "size": 6}},
    "clipping": {"color": "#23844a", "pattern": {"shape": "x", "size": 6, "solidity": 0.25}},
    "privacy": {"color": "#c0392b", "pattern": {"shape": "/", "size": 6, "solidity": 0.35}},
}


def rows_height(count: int) -> int:
    """Return the height of a figure with a row for each mechanism, in pixels."""
    return 140 + _ROW * count


def ranks_figure(view: Tracks) -> go.Figure:
    """Draw every mechanism's rank under each condition, side by side, with its interval."""
    places = [text.replace(", ", ",<br>") for text in view.x]
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": places,
            "y": track.y,
            "name": track.label,
            "offsetgroup": track.key,
            "marker": _marker(track),
            "error_y": _interval(track),
            "hovertemplate": "%{x}: rank %{y:g}<extra>%{fullData.name}</extra>",
        }
        for track in view.tracks
    ]
    return go.Figure(
        data=traces,
        layout={
            "height": HEIGHT,
            "margin": _MARGIN,
            "hovermode": "closest",
            "legend": _LEGEND,
            "scattermode": "group",
            "scattergap": 0.25,
            "xaxis": {"type": "category", "showgrid": False, "title": {"text": ""}},
            "yaxis": {
                "title": {"text": "rank by mean loss"},
                "range": [len(view.tracks) + 0.5, 0.5],
                "dtick": 1,
            },
        },
    )


def differences_figure(view: Tracks) -> go.Figure:
    """Draw each mechanism's difference on its own row; 0 is no difference."""
    rows = [track.label for track in view.tracks]
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "orientation": "h",
            "x": track.y,
            "y": [track.label],
            "name": track.label,
            "marker": _marker(track),
            "error_x": _interval(track),
            "hovertemplate": "%{x:.3g}<extra>%{fullData.name}</extra>",
        }
        for track in view.tracks
    ]
    return go.Figure(
        data=traces,
        layout={
            "height": rows_height(len(rows)),
            "margin": {"l": 150, "r": 24, "t": 34, "b": 50},
            "showlegend": False,
            "hovermode": "closest",
            "xaxis": {
                "title": {"text": "difference of the excess loss"}, "exponentformat": "power"
            },
            "yaxis": _rows(rows),
            "shapes": [{
                "type": "line", "layer": "below", "xref": "x", "yref": "paper", "x0": 0, "x1": 0,
                "y0": 0, "y1": 1, "line": {"color": NEUTRAL, "width": 1.5, "dash": "dash"},
            }],
        },
    )  # fmt: skip


def path_figure(view: Tracks) -> go.Figure:
    """Draw the mean excess loss over the steps; the bands are 95 % intervals."""
    ordered = sorted(view.tracks, key=lambda track: track.key == EMPHASIS)
    values = [y for track in view.tracks for y in track.y if y > 0]
    low, high = math.log10(min(values)), math.log10(max(values))
    room = max(0.05 * (high - low), 0.02)
    low, high = low - room, high + room
    ends = [track.y[-1] for track in ordered]
    heights = [_PATH * (math.log10(end) - low) / (high - low) for end in ends]
    labels, leaders = parts.direct_labels(ordered, ends, heights, _PATH, log=True)
    hover = "<b>%{fullData.name}</b><br>step %{x}: %{y:.4~g}<extra></extra>"
    bands = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [*view.x, *view.x[::-1]],
            "y": [*track.high, *track.low[::-1]],
            "fill": "toself",
            "fillcolor": MARKS[track.key].color,
            "opacity": 0.14,
            "line": {"width": 0},
            "hoverinfo": "skip",
            "showlegend": False,
        }
        for track in ordered
    ]
    lines = [parts.line(view.x, track.y, track.key, track.label, hover) for track in ordered]
    return go.Figure(
        data=[*bands, *lines],
        layout={
            "height": HEIGHT,
            "margin": parts.MARGIN,
            "showlegend": False,
            "hovermode": "closest",
            "xaxis": {"title": {"text": "step"}, "showgrid": False},
            "yaxis": {
                "type": "log",
                "range": [low, high],
                "title": {"text": "mean excess loss (log scale)"},
                "exponentformat": "power",
            },
            "annotations": labels,
            "shapes": leaders,
        },
    )


def causes_figure(view: Causes) -> go.Figure:
    """Draw the stacked causes of every mechanism's loss; a cause may lower it."""
    rows = list(view.labels)
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "orientation": "h",
            "y": rows,
            "x": view.parts[cause],
            "name": cause,
            "marker": _LOOKS[cause],
            "hovertemplate": "%{fullData.name}: %{x:.3g}<extra>%{y}</extra>",
        }
        for cause in CAUSES
    ]
    traces[-1]["error_x"] = {
        "type": "data",
        "array": view.half_width,
        "thickness": 1.5,
        "color": NEUTRAL,
    }
    return go.Figure(
        data=traces,
        layout={
            "height": rows_height(len(rows)) + 30,
            "margin": {"l": 150, "r": 24, "t": 60, "b": 50},
            "barmode": "relative",
            "bargap": 0.3,
            "hovermode": "closest",
            "legend": {**_LEGEND, "traceorder": "normal"},
            "xaxis": {"title": {"text": "excess loss"}, "exponentformat": "power"},
            "yaxis": _rows(rows),
        },
    )


def _rows(rows: list[str]) -> dict[str, Any]:
    return {
        "type": "category", "categoryorder": "array", "categoryarray": rows,
        "range": [len(rows) - 0.5, -0.5], "tickmode": "array", "tickvals": rows, "ticks": "",
        "title": {"text": ""},
    }  # fmt: skip


def _marker(track: Track) -> dict[str, Any]:
    mark = MARKS[track.key]
    return {
        "symbol": mark.symbol, "color": mark.color, "size": 11 if track.key == EMPHASIS else 9
    }  # fmt: skip


def _interval(track: Track) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [b - a for a, b in zip(track.y, track.high, strict=True)],
        "arrayminus": [a - b for a, b in zip(track.y, track.low, strict=True)],
        "thickness": 1.5,
        "width": 3,
    }
