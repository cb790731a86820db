"""What the figures of "Why it flips" share: frames, the two lines, and the shades of the modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.figures.style import MARKS
from pages.views.why_charts import ChartsView

MARGIN: Final = {"l": 64, "r": 16, "t": 62, "b": 46}
COMPACT: Final[dict[str, Any]] = {
    "margin": {"l": 52, "r": 10, "t": 62, "b": 46},
    "font": {"size": 11},
    "dragmode": False,  # a finger on the chart must scroll the page
}
# From the steepest mode to the flattest; readable on both backgrounds.
_RAMP: Final = ((122, 92, 201), (31, 143, 163), (150, 176, 40))
UNSTABLE: Final = "Nothing to draw: training is unstable."
UPPER, LOWER = (0.56, 1.0), (0.0, 0.44)  # shares of the height of two panels


def shade(value: float) -> str:
    """Return the colour of a mode, from 0 for the steepest to 1 for the flattest.

    >>> shade(0.0), shade(1.0)
    ('#7a5cc9', '#96b028')
    """
    channels = np.array(_RAMP)
    mixed = [np.interp(value, (0.0, 0.5, 1.0), channels[:, i]) for i in range(3)]
    return "#" + "".join(f"{round(channel):02x}" for channel in mixed)


def mode_scale(view: ChartsView) -> dict[str, Any]:
    """Return an invisible trace that draws the scale of the shades."""
    lam = view.eigenvalues
    steep, flat = float(lam.max()), float(lam.min())
    scale = {
        "orientation": "h",
        "thickness": 9,
        "len": 0.6,
        "x": 0,
        "xanchor": "left",
        "y": 1.0,
        "yanchor": "bottom",
        "outlinewidth": 0,
        "ticks": "",
        "tickvals": [0.12, 0.88],
        "ticktext": [f"steep, λ = {steep:.3g}", f"flat, λ = {flat:.2g}"],
        "ticklabelposition": "outside top",
        "tickfont": {"size": 11},
    }
    return {
        "type": "scatter",
        "x": [None],
        "y": [None],
        "mode": "markers",
        "showlegend": False,
        "hoverinfo": "skip",
        "marker": {
            "color": [0.0],
            "cmin": 0,
            "cmax": 1,
            "colorscale": [[s, shade(s)] for s in (0.0, 0.25, 0.5, 0.75, 1.0)],
            "showscale": True,
            "colorbar": scale,
        },
    }


def two_lines(
    view: ChartsView, x: ArrayLike, rows: ArrayLike, width: float = 2, **more: Any
) -> list[dict[str, Any]]:
    """Return one line for a and one for b, each in its mechanism's fixed looks."""
    return [
        {
            "type": "scatter",
            "x": x,
            "y": row,
            "name": f"{letter}: {label}",
            "legendgroup": letter,
            "mode": "lines",
            "line": {"color": MARKS[key].color, "dash": MARKS[key].dash, "width": width},
            "marker": {"color": MARKS[key].color, "symbol": MARKS[key].symbol, "size": 7},
            **more,
        }
        for letter, key, label, row in zip(
            "ab", view.keys, view.labels, np.asarray(rows), strict=True
        )
    ]


def frame(traces: Sequence[Any], height: int, setting: str = "", **layout: Any) -> go.Figure:
    """Return a figure with the common layout; `meta` tells the browser which swept value it is for.

    Everything is given at once: each later change of a figure would cost a validation of its own.
    """
    common = {
        "height": height,
        "margin": MARGIN,
        "hovermode": "closest",
        "uirevision": "why",
        "meta": setting,
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"},
    }
    return go.Figure(data=list(traces), layout={**common, **layout})


def empty(view: ChartsView, height: int, text: str) -> go.Figure:
    """Return a figure that says why there is nothing to draw."""
    axis = {"range": [0, 1], "showticklabels": False, "ticks": "", "showgrid": False}
    note = {"text": text, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}
    look = {"showarrow": False, "font": {"size": 15}}
    return frame([], height, view.setting, xaxis=axis, yaxis=axis, annotations=[{**note, **look}])


def padded(values: ArrayLike, *, zero: bool = False) -> list[float]:
    """Return a range that holds all finite values with some room; 0 too if asked for.

    >>> padded([0.0, 1.0])
    [-0.06, 1.06]
    """
    numbers = np.asarray(values, dtype=float).ravel()
    numbers = numbers[np.isfinite(numbers)]
    if zero or not numbers.size:
        numbers = np.append(numbers, 0.0)
    low, high = float(numbers.min()), float(numbers.max())
    room = 0.06 * (high - low) or max(abs(high), 1.0) * 0.5
    return [low - room, high + room]
