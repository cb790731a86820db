"""What a prediction puts on a chart: the hidden range, the guess and the answer."""

from __future__ import annotations

from typing import Any, Final

import plotly.graph_objects as go

from pages.figures.style import GUESS, NEUTRAL
from pages.views.sweep import Axis

_HIDDEN_FILL: Final = "rgba(123, 132, 148, 0.14)"


def hide(figure: go.Figure, axis: Axis, edge: float) -> None:
    """Cover everything beyond an edge, a swept value, with an empty area that says so."""
    figure.add_shape(
        {
            "type": "rect",
            "layer": "below",
            "xref": "x",
            "yref": "paper",
            "x0": float(axis.place(edge)),
            "x1": axis.high,
            "y0": 0,
            "y1": 1,
            "line": {"color": NEUTRAL, "width": 1, "dash": "dot"},
            "fillcolor": _HIDDEN_FILL,
            "label": {"text": "hidden", "textposition": "top right", "font": {"size": 14}},
        }
    )


def mark(figure: go.Figure, axis: Axis, value: float, text: str, *, solid: bool) -> None:
    """Draw an upright line with a label at a swept value: dotted for a guess, or solid."""
    line: dict[str, Any] = {"color": GUESS, "width": 2.5, "dash": "solid" if solid else "dot"}
    figure.add_shape(
        {
            "type": "line",
            "xref": "x",
            "yref": "paper",
            "x0": float(axis.place(value)),
            "x1": float(axis.place(value)),
            "y0": 0.1,
            "y1": 1,
            "line": line,
            "label": {
                "text": text,
                # At different heights, so that a guess close to the answer stays readable.
                "textposition": "end" if solid else "start",
                "textangle": 0,
                "xanchor": {"left": "right", "right": "left"}.get(axis.side(value), "left"),
                "yanchor": "top" if solid else "bottom",
                "padding": 6,
                "font": {"size": 14},
            },
        }
    )
