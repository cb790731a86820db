"""Frequency: noise power, the optimizer as a filter, and the damage that the two make together."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import why_parts as parts
from pages.figures.style import MARKS, NEUTRAL
from pages.figures.why_parts import LOWER, UNSTABLE, UPPER
from pages.views.sweep import FloatArray
from pages.views.why_charts import ChartsView, SpectrumView

HEIGHT: Final = 440
_TICKS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)


def spectrum_figure(view: ChartsView) -> go.Figure:
    """Draw the noise power of a and b, and below it the optimizer's squared response."""
    found = view.spectrum
    if found is None:
        return parts.empty(view, HEIGHT, UNSTABLE)
    hover = "%{fullData.name}<br>%{y:.3g} at %{text} cycles per step<extra></extra>"
    texts = ["0", *(f"{place:.3g}" for place in found.places[1:])]
    rest, zero = slice(1, None), slice(0, 1)
    line = "lines" if len(found.places) > 2 else "markers"  # a line needs two points
    power = [
        # Frequency 0 is a point apart: no line may lead to a place where it is not.
        *parts.two_lines(
            view, found.places[rest], found.power[:, rest], text=texts[rest], hovertemplate=hover,
            mode=line,
        ),
        *parts.two_lines(
            view, found.places[zero], found.power[:, zero], text=texts[zero], hovertemplate=hover,
            mode="markers", showlegend=False,
        ),
    ]  # fmt: skip
    response = [
        {
            "type": "scatter",
            "x": found.places[part],
            "y": found.response[part],
            "text": texts[part],
            "mode": mode,
            "line": {"color": NEUTRAL, "width": 2.5},
            "marker": {"color": NEUTRAL, "size": 8},
            "name": "optimizer",
            "yaxis": "y2",
            "showlegend": False,
            "hovertemplate": hover,
        }
        for part, mode in ((rest, line), (zero, "markers"))
    ]
    return parts.frame(
        [*power, *response],
        HEIGHT,
        view.setting,
        xaxis=_frequencies(found, anchor="y2"),
        yaxis={"title": {"text": "noise power, in σ²"}, "domain": UPPER, **_log(found.power)},
        yaxis2={
            "title": {"text": "optimizer's response²"},
            "domain": LOWER,
            "fixedrange": True,
            **_log(found.response),
        },
        shapes=[_divider(found)],
    )


def damage_figure(view: ChartsView) -> go.Figure:
    """Draw damage per octave: the area is the damage, and the shading says who is ahead where."""
    found = view.spectrum
    if found is None:
        return parts.empty(view, HEIGHT, UNSTABLE)
    corners = np.repeat(found.edges, 2)[1:-1]
    shares = ["0", *(f"{place:.3g}" for place in found.places[1:])]
    hover = "%{fullData.name}<br>%{y:.4g} an octave at %{text} cycles per step<extra></extra>"
    lines = parts.two_lines(
        view,
        corners,
        np.repeat(found.heights, 2, axis=1),
        text=np.repeat(shares, 2),
        hovertemplate=hover,
    )
    return parts.frame(
        [_shading(view, found, 0, 1), _shading(view, found, 1, 0), *lines],
        HEIGHT,
        view.setting,
        xaxis=_frequencies(found),
        yaxis={
            "title": {"text": "damage an octave"},
            "range": parts.padded(found.heights, zero=True),
            "zeroline": True,
            "zerolinecolor": NEUTRAL,
        },
        shapes=[_divider(found)],
    )


def _shading(view: ChartsView, found: SpectrumView, ahead: int, behind: int) -> dict[str, Any]:
    """Return the area between the two lines where one does less damage, in its colour."""
    lower, upper = found.heights[ahead], found.heights[behind]
    x: list[float | None] = []
    y: list[float | None] = []
    for i in np.flatnonzero(lower < upper):
        left, right = float(found.edges[i]), float(found.edges[i + 1])
        x += [left, left, right, right, left, None]
        y += [float(lower[i]), *[float(upper[i])] * 2, *[float(lower[i])] * 2, None]
    color = MARKS[view.keys[ahead]].color
    channels = ", ".join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))
    return {
        "type": "scatter",
        "x": x or [None],
        "y": y or [None],
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": f"rgba({channels}, 0.34)",
        "name": f"{'ab'[ahead]} ahead",
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _frequencies(found: SpectrumView, **more: Any) -> dict[str, Any]:
    low, high = math.log10(found.edges[0]), math.log10(found.edges[-1])
    ticks = [tick for tick in _TICKS if found.edges[1] * 1.05 < tick <= found.edges[-1]]
    return {
        "title": {"text": "frequency, cycles per step (log scale)"},
        "type": "log",
        "range": [low, high + 0.02],
        "tickvals": [float(found.places[0]), *ticks],
        "ticktext": ["0", *(f"{tick:g}" for tick in ticks)],
        "showgrid": False,
        **more,
    }


def _divider(found: SpectrumView) -> dict[str, Any]:
    """Return the line that sets frequency 0 apart from the logarithmic axis."""
    place = float(found.edges[1])
    return {
        "type": "line", "layer": "below", "xref": "x", "yref": "paper", "x0": place, "x1": place,
        "y0": 0, "y1": 1, "line": {"color": NEUTRAL, "width": 1, "dash": "dot"},
    }  # fmt: skip


def _log(values: FloatArray) -> dict[str, Any]:
    drawn = values[np.isfinite(values)]
    if not drawn.size:
        return {"type": "log", "range": [-1.0, 1.0]}
    low, high = math.log10(drawn.min()), math.log10(drawn.max())
    room = max(0.06 * (high - low), 0.1)
    decades = high - low > 1.5
    return {
        "type": "log",
        "range": [low - room, high + room],
        "exponentformat": "power",
        **({"dtick": max(1, round((high - low) / 4))} if decades else {"nticks": 4}),
    }
