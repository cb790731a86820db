"""The heat maps of a mechanism's matrices, all on one diverging scale with its middle at zero."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures.style import NEUTRAL
from pages.views.mechanisms import MatricesView, Matrix

HEIGHT: Final = 360
COMPACT: Final[dict[str, Any]] = {
    "margin": {"l": 44, "r": 8, "t": 34, "b": 42},
    "font": {"size": 11},
    "dragmode": False,  # a finger on the chart must scroll the page
}
_NEGATIVE, _POSITIVE = (47, 116, 224), (224, 68, 14)
_STOPS: Final = 16  # on either side; the colour between them is interpolated
# Sizes well below this look alike, those above differ by their logarithm.
_FAINT: Final = 0.01


def size_at(strength: float, largest: float) -> float:
    """Return the size of an entry that is drawn with a strength of colour from 0 to 1.

    >>> size_at(0.0, 5.0), round(size_at(1.0, 5.0), 9)
    (0.0, 5.0)
    """
    return float(_FAINT * np.expm1(strength * np.log1p(largest / _FAINT)))


def color_stops(largest: float) -> list[tuple[float, str]]:
    """Return the scale from the most negative (0) over zero (0.5) to the most positive (1).

    Strength is log(1 + size/0.01), from nothing, the page's own background, to the largest.
    """
    places = [(size_at(s, largest) / largest, s) for s in np.linspace(0, 1, _STOPS + 1)]
    places[-1] = (1.0, 1.0)
    below = [(0.5 - place / 2, _color(_NEGATIVE, s)) for place, s in places[:0:-1]]
    return [*below, *((0.5 + place / 2, _color(_POSITIVE, s)) for place, s in places)]


def legend_colors() -> tuple[str, str, str, str]:
    """Return the colours of the legend's two halves, which are even in strength."""
    return (
        *(_color(_NEGATIVE, 1.0), _color(_NEGATIVE, 0.0)),
        *(_color(_POSITIVE, 0.0), _color(_POSITIVE, 1.0)),
    )


def _color(rgb: tuple[int, int, int], strength: float) -> str:
    return f"rgba({rgb[0]},{rgb[1]},{rgb[2]},{strength:.4f})"


def matrix_figure(view: MatricesView, matrix: Matrix) -> go.Figure:
    """Return the heat map of one of the view's matrices."""
    near = "near " if view.block > 1 else ""
    heat = go.Heatmap(
        x=matrix.steps,
        y=matrix.steps,
        z=matrix.cells.astype(np.float32),
        zmin=-view.largest,
        zmax=view.largest,
        colorscale=color_stops(view.largest),
        showscale=False,
        hoverongaps=False,
        hovertemplate=f"{near}row %{{y}}, column %{{x}}<br>%{{z:.4g}}<extra></extra>",
    )
    edge = view.horizon + 0.5
    axis: dict[str, Any] = {"showgrid": False, "linecolor": NEUTRAL, "showline": True}
    axis |= {"mirror": True, "nticks": 6, "minallowed": 0.5, "maxallowed": edge}
    return go.Figure(
        data=[heat],
        layout={
            "margin": {"l": 52, "r": 12, "t": 34, "b": 46},
            "uirevision": f"{view.label}-{view.horizon}",
            "xaxis": {"title": {"text": "column"}, "range": [0.5, edge], **axis},
            "yaxis": {"title": {"text": "row"}, "range": [edge, 0.5], **axis},
        },
    )
