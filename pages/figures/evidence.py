"""Published beside ours: points with intervals over categories, and curves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any, Final

import plotly.graph_objects as go

from pages.figures import parts
from pages.figures.claim_tiles import LEGEND, LINE, kinds_of, tiles_figure, tiles_height
from pages.figures.style import MARKS
from pages.views.claim_parts import Chart, Comparison, Curve, Curves, Side, Tiles

HEIGHT: Final = 400
_ROW, _SIDE, _EDGES = 22, 5, 118  # pixels: a row, more for each side, all the rest
_PUBLISHED: Final = (
    {"symbol": "diamond-open", "color": "#a8741a", "size": 11},
    {"symbol": "hexagon-open", "color": "#7e52cc", "size": 11},
)
_LOOKS: Final = (
    {"symbol": "circle", "color": "#2f74e0", "size": 9},
    {"symbol": "square-open", "color": "#23844a", "size": 9},
    {"symbol": "triangle-up", "color": "#c74a9a", "size": 9},
    {"symbol": "x-open", "color": "#7e52cc", "size": 9},
)
_COLORS: Final = ("#2f74e0", "#c0392b", "#23844a", "#7e52cc", "#a8741a", "#067f96")
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_MARGIN: Final = {"l": 70, "r": 24, "t": 60, "b": 60}
COMPACT: Final = {**parts.COMPACT, "margin": {"l": 56, "r": 44, "t": 76, "b": 86}}
_BUTTONS: Final = 44  # pixels
_ROOM, _DECADES = 0.03, 50.0  # beside the outermost points; of an axis that has decades


def claim_figure(view: Chart) -> go.Figure:
    """Draw one figure of a claim."""
    if isinstance(view, Comparison):
        return flat_figure(view) if view.flat else comparison_figure(view)
    return tiles_figure(view) if isinstance(view, Tiles) else curves_figure(view)


def height(view: Chart) -> int:
    """Return the height of a figure, in pixels."""
    if isinstance(view, Tiles):
        return tiles_height(view)
    if isinstance(view, Comparison) and view.flat:
        rows = (_ROW + _SIDE * (len(view.sides) - 1)) * len(view.categories)
        return _EDGES + LINE * _names(view) + rows
    return HEIGHT


def compact(view: Chart) -> dict[str, Any]:
    """Return what replaces a figure's layout on a narrow screen."""
    if isinstance(view, Tiles) or (isinstance(view, Comparison) and view.flat):
        # The legend has a line for each name there, below the buttons.
        top = _BUTTONS + LINE * _names(view)
        return {**parts.COMPACT, "margin": {"l": 8, "r": 16, "t": top, "b": 46}}
    return COMPACT


def _names(view: Tiles | Comparison) -> int:
    """Return how many names the legend has."""
    return len(view.sides if isinstance(view, Comparison) else kinds_of(view))


def comparison_figure(view: Comparison) -> go.Figure:
    """Draw each side as points beside each other, with the intervals that it has."""
    return go.Figure(
        data=_points(view, [text.replace(", ", ",<br>") for text in view.categories]),
        layout={
            "height": HEIGHT,
            "margin": _MARGIN,
            "hovermode": "closest",
            "legend": LEGEND,
            "scattermode": "group",
            "scattergap": 0.7,
            "xaxis": {"type": "category", "showgrid": False, "title": {"text": view.x_axis}},
            "yaxis": _values_axis(view, reverse=view.ranks > 0),
        },
    )


def flat_figure(view: Comparison) -> go.Figure:
    """Draw the categories as rows, from top to bottom, with a point of each side in each."""
    return go.Figure(
        data=_points(view, view.categories),
        layout={
            "height": height(view),
            "margin": {"l": 12, "r": 24, "t": 60, "b": 50},
            "hovermode": "closest",
            "showlegend": True,
            "legend": LEGEND,
            "scattermode": "group",
            "scattergap": 0.5,
            "xaxis": _values_axis(view, reverse=False),
            "yaxis": {
                "type": "category",
                "range": [len(view.categories) - 0.5, -0.5],
                "tickmode": "array",
                "tickvals": list(view.categories),
                "automargin": True,
                "title": {"text": ""},
            },
        },
    )


def _points(view: Comparison, categories: Sequence[str]) -> list[dict[str, Any]]:
    """Return the points of each side, along the categories or in a row of each."""
    along, across = ("y", "x") if view.flat else ("x", "y")
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "orientation": "h" if view.flat else "v",
            along: categories,
            across: side.values,
            "name": side.name,
            "offsetgroup": side.name,
            f"error_{across}": _interval(side),
            "marker": look,
            "hovertemplate": f"%{{{along}}}: %{{{across}:.4g}}<extra>%{{fullData.name}}</extra>",
        }
        for side, look in zip(view.sides, _looks(view.sides), strict=True)
    ]


def _looks(sides: Sequence[Side]) -> list[dict[str, Any]]:
    """Return the look of each side; what is published has its own everywhere."""
    ours, published = cycle(_LOOKS), cycle(_PUBLISHED)
    return [next(published if s.name.startswith("published") else ours) for s in sides]


def _values_axis(view: Comparison, *, reverse: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": view.axis}, "exponentformat": "power"}
    axis |= _scale([x for side in view.sides for x in side.values], log=view.log)
    if not view.log:
        # Points on the edge, most of all those at 0, would be cut in half.
        ends = [0.0, *(x for s in view.sides for x in (*s.values, *s.low, *s.high))]
        room = _ROOM * (max(ends) - min(ends))
        axis["range"] = [min(ends) - room, max(ends) + room]
    if view.ranks:
        ends = [0.5, view.ranks + 0.5]
        axis |= {"range": ends[::-1] if reverse else ends, "dtick": 1}
    if view.words:
        axis |= {
            "range": [-0.5, len(view.words) - 0.5],
            "tickvals": list(range(len(view.words))),
            "ticktext": list(view.words),
        }
    return axis


def _scale(values: Sequence[float], *, log: bool) -> dict[str, Any]:
    """Return what makes an axis logarithmic, with marks at the powers of ten if it has several."""
    if not log:
        return {"type": "linear"}
    several = max(values) > _DECADES * min(values)
    return {"type": "log", **({"dtick": 1} if several else {})}


def _interval(side: Side) -> dict[str, Any]:
    if not side.low:
        return {"visible": False}
    return {
        "type": "data",
        "symmetric": False,
        "array": [b - a for a, b in zip(side.values, side.high, strict=True)],
        "arrayminus": [a - b for a, b in zip(side.values, side.low, strict=True)],
        "thickness": 2,
        "width": 5,
    }


def curves_figure(view: Curves) -> go.Figure:
    """Draw lines, and points alone for what is published or simulated."""
    lines = [curve for curve in view.curves if not curve.marks]
    traces: list[dict[str, Any]] = [_line(curve, n) for n, curve in enumerate(lines)]
    for n, curve in enumerate(curve for curve in view.curves if curve.marks):
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": curve.x,
                "y": curve.y,
                "name": curve.name,
                "marker": {
                    "symbol": "diamond-open" if n % 2 == 0 else "circle-open",
                    "size": 11,
                    "color": _COLORS[n % 6] if len(lines) == 6 else _COLORS[-2 - n % 2],
                    "line": {"width": 2},
                },
                "error_y": {"type": "data", "array": curve.error, "visible": bool(curve.error)},
                "showlegend": len(lines) < 6,
            }
        )
    for trace in traces:
        trace["hovertemplate"] = "%{x:.4g}: %{y:.4g}<extra>%{fullData.name}</extra>"
    ticks = {"tickvals": view.ticks, "ticktext": [f"{x:g}" for x in view.ticks]}
    return go.Figure(
        data=traces,
        layout={
            "height": HEIGHT,
            "margin": _MARGIN,
            "hovermode": "closest",
            "showlegend": True,
            "legend": LEGEND,
            "xaxis": {
                "title": {"text": view.x_axis},
                "showgrid": False,
                **_scale([x for curve in view.curves for x in curve.x], log=view.x_log),
                **(ticks if view.ticks else {}),
            },
            "yaxis": {
                "title": {"text": view.y_axis},
                "exponentformat": "power",
                **_scale([y for curve in view.curves for y in curve.y], log=view.y_log),
            },
        },
    )


def _line(curve: Curve, place: int) -> dict[str, Any]:
    color, dash = _COLORS[place % 6], _DASHES[place % 6]
    if curve.key:
        color, dash = MARKS[curve.key].color, MARKS[curve.key].dash
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": curve.x,
        "y": curve.y,
        "name": curve.name,
        "line": {"color": color, "dash": dash, "width": 2},
        "marker": {"size": 5},
        "error_y": {"type": "data", "array": curve.error, "visible": bool(curve.error)},
    }
