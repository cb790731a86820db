"""The crossover map: cells in the mechanisms' colours, exact curves, names in the regions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures.map_names import Room, names
from pages.figures.style import MARKS, NEUTRAL
from pages.views.map import MapView
from pages.views.map_axes import Side
from pages.views.map_regions import BoolArray, runs

HEIGHT: Final = 560
MARGIN: Final = {"l": 70, "r": 16, "t": 34, "b": 52}
# Pixels of the narrowest chart that is drawn as on a wide screen (see live_chart.js), and of one on
# the narrowest phone.
NARROW_BELOW, NARROWEST = 560, 320
WIDE_LEFT: Final = 172  # pixels for the names of the schedules
COMPACT: Final[dict[str, Any]] = {
    "font": {"size": 11},
    "margin": {"l": 50, "r": 10, "t": 34, "b": 46},
}
# The names of the schedules take two fifths of a narrow screen; the axis shows them smaller.
COMPACT_SCHEDULES: Final[dict[str, Any]] = {
    "font": {"size": 10},
    "margin": {"l": 130, "r": 10, "t": 34, "b": 46},
}
# Opacity of the weakest and the strongest shade of a colour.
WEAKEST, STRONGEST = 0.22, 0.92
_DARK, _LIGHT = "#10141a", "#ffffff"


def map_figure(view: MapView) -> go.Figure:
    """Draw the map. The axes count positions, so that every cell has the same size."""
    figure = go.Figure()
    figure.add_trace(_cells(view))
    for cells, pattern, color in (
        (view.pending, ".", NEUTRAL),
        (view.close, "/", _DARK),
        (view.unstable, "x", NEUTRAL),
    ):
        if cells.any():
            figure.add_trace(_hatch(cells, pattern, color))
    if view.curves:
        # A light line below a dark one is seen on every colour and on both backgrounds.
        for color, width in ((_LIGHT, 4.0), (_DARK, 1.8)):
            figure.add_trace(_lines(view.curves, {"color": color, "width": width}))
    if view.limit:
        for color, width, dash in ((_LIGHT, 4.5, "solid"), (_DARK, 2.2, "dash")):
            figure.add_trace(_lines(view.limit, {"color": color, "width": width, "dash": dash}))
    figure.update_layout(
        height=HEIGHT,
        margin=_margin(view),
        xaxis=_axis(view.x),
        yaxis=_axis(view.y),
        annotations=names(view.regions, wide_room(view)),
        # Takes the place of these entries on a narrow screen.
        meta={"compact": {"annotations": names(view.regions, narrow_room(view))}},
        showlegend=False,
        hovermode="closest",
        dragmode=False,
        uirevision=f"{view.x.name}|{view.y.name}",
    )
    return figure


def _axis(side: Side) -> dict[str, Any]:
    return {
        "title": {"text": "" if side.name == "schedule" else side.title},
        # Cells stand for the setting in their middle: the outer ones are cut there, except lists'.
        "range": [-0.5, side.count - 0.5] if side.name == "schedule" else [0, side.count - 1],
        "tickvals": list(side.ticks),
        "ticktext": list(side.texts),
        "showgrid": False,
        "fixedrange": True,
    }


def _cells(view: MapView) -> go.Heatmap:
    count = len(view.kinds)
    scale: list[list[Any]] = []
    for n, kind in enumerate(view.kinds):
        color = _tint(MARKS[kind.key].color, kind.shade)
        scale += [[n / count, color], [(n + 1) / count, color]]
    z = np.where(view.cells >= 0, view.cells + 0.5, np.nan)
    return go.Heatmap(
        z=z,
        zmin=0,
        zmax=count,
        colorscale=scale,
        showscale=False,
        text=view.hover,
        hovertemplate="%{text}<extra></extra>",
        hoverongaps=True,
        # For the data table: what the positions and the numbers stand for.
        meta={
            "columns": view.x.names,
            "rows": view.y.names,
            "kinds": [kind.text for kind in view.kinds],
        },
    )


def _tint(color: str, shade: float) -> str:
    red, green, blue = (int(color[n : n + 2], 16) for n in (1, 3, 5))
    return f"rgba({red},{green},{blue},{WEAKEST + (STRONGEST - WEAKEST) * shade:.3f})"


def _hatch(cells: BoolArray, pattern: str, color: str) -> go.Scatter:
    """Return the cells as one pattern: each run of a line is a rectangle."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row, start, stop in runs(cells):
        left, right, low, high = start - 0.5, stop - 0.5, row - 0.5, row + 0.5
        x += [left, right, right, left, left, None]
        y += [low, low, high, high, low, None]
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor="rgba(0,0,0,0)",
        fillpattern={
            "shape": pattern,
            "fgcolor": color,
            "bgcolor": "rgba(255,255,255,0.2)",  # so that dark stripes are seen on a dark page
            "size": 7,
            "solidity": 0.16,
            "fillmode": "replace",
        },
        hoverinfo="skip",
    )


def _lines(lines: Iterable[Any], look: dict[str, Any]) -> go.Scatter:
    parts = [np.vstack([line, [np.nan, np.nan]]) for line in lines]
    points = np.vstack(parts)
    return go.Scatter(
        x=points[:, 0], y=points[:, 1], mode="lines", line=look, hoverinfo="skip", connectgaps=False
    )


def wide_room(view: MapView) -> Room:
    """Return the smallest plot of a wide screen."""
    return _room(view, NARROW_BELOW, _margin(view), 13)


def narrow_room(view: MapView) -> Room:
    """Return the smallest plot of a phone."""
    compact = COMPACT_SCHEDULES if view.y.name == "schedule" else COMPACT
    return _room(view, NARROWEST, compact["margin"], 11)


def _room(view: MapView, width: int, margin: Mapping[str, int], size: int) -> Room:
    axes = (tuple(_axis(side)["range"]) for side in (view.x, view.y))
    x, y = axes
    return Room(
        width=width - margin["l"] - margin["r"],
        height=HEIGHT - margin["t"] - margin["b"],
        x=x,
        y=y,
        size=size,
    )


def _margin(view: MapView) -> dict[str, int]:
    return {**MARGIN, "l": WIDE_LEFT if view.y.name == "schedule" else MARGIN["l"]}


def key_entries(view: MapView) -> tuple[tuple[str, str, str], ...]:
    """Return sign, colour and name of every kind that is on the map, once for each name."""
    found = {}
    for n, kind in enumerate(view.kinds):  # of several shades the strongest, which comes last
        if (view.cells == n).any():
            mark = MARKS[kind.key]
            found[kind.text] = (mark.glyph, _tint(mark.color, kind.shade), kind.text)
    return tuple(found.values())
