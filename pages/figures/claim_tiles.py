"""Who wins where: cells in the colours of the mechanisms, with their symbols."""

from __future__ import annotations

from typing import Any, Final

import plotly.graph_objects as go

from pages.figures.style import MARKS, NEUTRAL
from pages.views.claim_parts import Tiles

LEGEND: Final = {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom"}
LINE: Final = 18  # pixels: a line of the legend
_TILE, _EDGES = 24, 118  # pixels: a row of cells, all the rest


def kinds_of(view: Tiles) -> dict[str, str]:
    """Return the names of the mechanisms that win somewhere, by their keys."""
    pairs = zip(view.keys, view.names, strict=True)
    return {key: name for some in pairs for key, name in zip(*some, strict=True)}


def tiles_height(view: Tiles) -> int:
    """Return the height of the figure, in pixels; on a narrow screen each name has a line."""
    return _EDGES + LINE * len(kinds_of(view)) + _TILE * len(view.rows)


def tiles_figure(view: Tiles) -> go.Figure:
    """Draw each cell in the colour of its mechanism, with its symbol; names in the legend."""
    names = kinds_of(view)
    kinds = list(names)
    scale: list[list[Any]] = []
    for n, key in enumerate(kinds):
        scale += [[n / len(kinds), MARKS[key].color], [(n + 1) / len(kinds), MARKS[key].color]]
    cells = {
        "type": "heatmap",
        "x": view.columns,
        "y": view.rows,
        "z": [[kinds.index(key) + 0.5 for key in keys] for keys in view.keys],
        "zmin": 0,
        "zmax": len(kinds),
        "colorscale": scale,
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
        "text": [[MARKS[key].glyph for key in keys] for keys in view.keys],
        "texttemplate": "%{text}",
        "textfont": {"size": 16, "color": "#ffffff"},
        "customdata": view.names,
        "hovertemplate": "%{y}, μ = %{x}: %{customdata}<extra></extra>",
        "meta": {"columns": view.columns, "rows": view.rows, "kinds": [names[k] for k in kinds]},
    }
    legend = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [None],
            "y": [None],
            "name": f"{MARKS[key].glyph} {name}",
            "marker": {"symbol": "square", "size": 11, "color": MARKS[key].color},
            "hoverinfo": "skip",
        }
        for key, name in names.items()
    ]
    return go.Figure(
        data=[cells, *legend],
        layout={
            "height": tiles_height(view),
            "margin": {"l": 12, "r": 24, "t": 60, "b": 50},
            "showlegend": True,
            "legend": LEGEND,
            "xaxis": {"type": "category", "showgrid": False, "title": {"text": view.x_axis}},
            "yaxis": {
                "type": "category",
                "autorange": "reversed",
                "showgrid": False,
                "automargin": True,
                "tickfont": {"size": 11},
                "linecolor": NEUTRAL,
            },
        },
    )
