"""The simulated gaps with their intervals, in units of the analytic gap."""

from __future__ import annotations

from typing import Any, Final

import plotly.graph_objects as go

from pages.figures import parts
from pages.figures.style import NEUTRAL
from pages.views.registry import VERDICT_MARKS, Gaps

_ROW: Final = 24
_LOOKS: Final = {
    "confirmed": {"symbol": "circle", "color": "#23844a", "size": 9},
    "unresolved": {"symbol": "diamond-open", "color": "#a8741a", "size": 11},
    "contradicted": {"symbol": "x", "color": "#c0392b", "size": 11},
}
COMPACT: Final = {**parts.COMPACT, "margin": {"l": 96, "r": 12, "t": 60, "b": 46}}


def height(view: Gaps) -> int:
    """Return the height of the figure, in pixels."""
    return 140 + _ROW * len(view.lines)


def runs_figure(view: Gaps) -> go.Figure:
    """Draw each interval on its own row; 1 is the analytic gap, 0 is no difference."""
    rows = [line.label for line in view.lines]
    low, high = min(line.low for line in view.lines), max(1, *(line.high for line in view.lines))
    traces = []
    for verdict, look in _LOOKS.items():
        lines = [line for line in view.lines if line.verdict == verdict]
        if not lines:
            continue
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "orientation": "h",
                "x": [line.ratio for line in lines],
                "y": [line.label for line in lines],
                "text": [f"{line.pair}, {line.runs} runs" for line in lines],
                "name": f"{VERDICT_MARKS[verdict]} {verdict}",
                "marker": look,
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [line.high - line.ratio for line in lines],
                    "arrayminus": [line.ratio - line.low for line in lines],
                    "thickness": 2,
                    "width": 4,
                },
                "hovertemplate": "%{text}<br>%{x:.3f} of the analytic gap<extra>%{y}</extra>",
            }
        )
    return go.Figure(
        data=traces,
        layout={
            "height": height(view),
            "margin": {"l": 120, "r": 24, "t": 50, "b": 46},
            "hovermode": "closest",
            "showlegend": True,
            "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
            "xaxis": {
                "title": {"text": "simulated gap ÷ analytic gap, with 95 % interval"},
                "range": [min(-0.06, low - 0.06), high + 0.06],
            },
            "yaxis": {
                "type": "category",
                "categoryorder": "array",
                "categoryarray": rows,
                "range": [len(rows) - 0.5, -0.5],
                "tickmode": "array",
                "tickvals": rows,
                "ticks": "",
                "title": {"text": ""},
            },
            "shapes": [_upright(1.0, "solid"), _upright(0.0, "dash")],
        },
    )


def _upright(x: float, dash: str) -> dict[str, Any]:
    return {
        "type": "line", "layer": "below", "xref": "x", "yref": "paper",
        "x0": x, "x1": x, "y0": 0, "y1": 1, "line": {"color": NEUTRAL, "width": 1.5, "dash": dash},
    }  # fmt: skip
