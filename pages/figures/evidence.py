"""Published beside ours: points with intervals over categories, and curves."""

from __future__ import annotations

from typing import Any, Final

import plotly.graph_objects as go

from pages.figures import parts
from pages.views.claim_charts import Comparison, Curves, Side

HEIGHT: Final = 400
_LOOKS: Final = (
    {"symbol": "diamond-open", "color": "#a8741a", "size": 11},
    {"symbol": "circle", "color": "#2f74e0", "size": 9},
    {"symbol": "square-open", "color": "#23844a", "size": 9},
    {"symbol": "triangle-up", "color": "#c74a9a", "size": 9},
)
_COLORS: Final = ("#2f74e0", "#c0392b", "#23844a", "#7e52cc", "#a8741a", "#067f96")
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_MARGIN: Final = {"l": 70, "r": 24, "t": 60, "b": 60}
COMPACT: Final = {**parts.COMPACT, "margin": {"l": 56, "r": 44, "t": 76, "b": 86}}
_LEGEND: Final = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}


def claim_figure(view: Comparison | Curves) -> go.Figure:
    """Draw the figure of a claim."""
    return comparison_figure(view) if isinstance(view, Comparison) else curves_figure(view)


def comparison_figure(view: Comparison) -> go.Figure:
    """Draw each side as points beside each other, with the intervals that it has."""
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [text.replace(", ", ",<br>") for text in view.categories],
            "y": side.values,
            "name": side.name,
            "offsetgroup": side.name,
            "error_y": _interval(side),
            "marker": _LOOKS[n % len(_LOOKS)],
            "hovertemplate": "%{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
        }
        for n, side in enumerate(view.sides)
    ]
    return go.Figure(
        data=traces,
        layout={
            "height": HEIGHT,
            "margin": _MARGIN,
            "hovermode": "closest",
            "legend": _LEGEND,
            "scattermode": "group",
            "scattergap": 0.7,
            "xaxis": {"type": "category", "showgrid": False, "title": {"text": view.x_axis}},
            "yaxis": {
                "title": {"text": view.axis},
                "type": "log" if view.log else "linear",
                "exponentformat": "power",
                **({"range": [9.5, 0.5], "dtick": 1} if view.reverse else {}),
            },
        },
    )


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
    traces: list[dict[str, Any]] = []
    for n, curve in enumerate(lines):
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": curve.x,
                "y": curve.y,
                "name": curve.name,
                "line": {"color": _COLORS[n % 6], "dash": _DASHES[n % 6], "width": 2},
                "marker": {"size": 5},
                "error_y": {"type": "data", "array": curve.error, "visible": bool(curve.error)},
            }
        )
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
                    "color": _COLORS[n % 6],
                    "line": {"width": 2},
                },
                "error_y": {"type": "data", "array": curve.error, "visible": bool(curve.error)},
                "showlegend": len(lines) < 6,
            }
        )
    for trace in traces:
        trace["hovertemplate"] = "%{x:.4g}: %{y:.4g}<extra>%{fullData.name}</extra>"
    return go.Figure(
        data=traces,
        layout={
            "height": HEIGHT,
            "margin": _MARGIN,
            "hovermode": "closest",
            "legend": _LEGEND,
            "xaxis": {"title": {"text": view.x_axis}, "showgrid": False},
            "yaxis": {"title": {"text": view.y_axis}},
        },
    )
