"""Design: damage along the sweep, every condition by mechanism, and the price of bands."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import parts
from pages.figures.style import BEST_MARK, MARKS, NEUTRAL
from pages.views.design import DESIGN
from pages.views.design_charts import ConditionsChart, PriceChart, SweepChart

SWEEP_HEIGHT, PRICE_HEIGHT = 440, 380
_PLOT: Final = SWEEP_HEIGHT - parts.MARGIN["t"] - parts.MARGIN["b"]
_ROW: Final = 30  # pixels a mechanism
_RANGE_FILL: Final = "rgba(194, 37, 92, 0.10)"
CONDITIONS_COMPACT: Final = {**parts.COMPACT, "margin": {"l": 134, "r": 12, "t": 12, "b": 46}}
PRICE_COMPACT: Final = {**parts.COMPACT, "margin": {"l": 60, "r": 12, "t": 34, "b": 86}}


def sweep_figure(view: SweepChart) -> go.Figure:
    """Draw all curves, the range that was asked for, and the best possible at its conditions."""
    drawn = [curve for curve in view.curves if np.isfinite(curve.damage).any()]
    numbers = np.concatenate([*(curve.damage for curve in drawn), view.best])
    numbers = numbers[np.isfinite(numbers) & (numbers > 0)]
    low, high = (math.log10(x) for x in (numbers.min(), numbers.max())) if numbers.size else (-1, 1)
    room = max(0.05 * (high - low), 0.05)
    low, high = low - room, high + room
    ends = [float(curve.damage[np.isfinite(curve.damage)][-1]) for curve in drawn]
    heights = [_PLOT * (math.log10(end) - low) / (high - low) for end in ends]
    labels, leaders = parts.direct_labels(drawn, ends, heights, _PLOT, log=True)
    symbol = view.swept.symbol
    hover = (
        f"<b>%{{fullData.name}}</b><br>{symbol} = %{{x:.3~g}}<br>damage %{{y:.4~g}}<extra></extra>"
    )
    lines = [
        parts.line(view.values, curve.damage, curve.key, curve.label, hover)
        for curve in sorted(drawn, key=lambda curve: curve.key == DESIGN)
    ]
    best = {
        "type": "scatter",
        "x": view.places,
        "y": np.where(view.best > 0, view.best, np.nan),
        "name": "Best possible",
        "mode": "markers",
        "marker": {"symbol": "line-ew-open", "size": 15, "color": NEUTRAL, "line": {"width": 2.5}},
        "hovertemplate": hover,
    }
    return go.Figure(
        data=[*lines, best],
        layout={
            "height": SWEEP_HEIGHT,
            "margin": parts.MARGIN,
            "showlegend": False,
            "hovermode": "closest",
            "uirevision": "design-sweep",
            "xaxis": {
                "title": {"text": view.swept.title},
                "range": [view.swept.low, view.swept.high],
                "dtick": 0.1,
                "tickformat": ".1f",
                "showgrid": False,
            },
            "yaxis": {
                "type": "log",
                "range": [low, high],
                "title": {"text": "damage (log scale)"},
                "exponentformat": "power",
                **({"dtick": 1} if high - low > 1.5 else {}),
            },
            "annotations": labels,
            "shapes": [*leaders, _asked(view)],
        },
    )


def _asked(view: SweepChart) -> dict[str, Any]:
    """Return the range that was asked for, or a line at the one value."""
    span = {"xref": "x", "yref": "paper", "x0": view.low, "x1": view.high, "y0": 0, "y1": 1}
    if view.low < view.high:
        look = {"type": "rect", "fillcolor": _RANGE_FILL, "line": {"width": 0}}
    else:
        look = {"type": "line", "line": {"color": NEUTRAL, "width": 2}}
    return {**span, **look, "layer": "below"}


def conditions_height(count: int) -> int:
    """Return the height of the conditions' figure for so many mechanisms, in pixels."""
    return 70 + _ROW * count


def conditions_figure(view: ConditionsChart) -> go.Figure:
    """Draw a row of points for each mechanism, one a condition; the worst is ringed."""
    traces = []
    for place, (key, label) in enumerate(zip(view.keys, view.labels, strict=True)):
        mark = BEST_MARK if key == DESIGN else MARKS[key]
        worst = int(view.times[place].argmax())
        sizes = np.full(view.times.shape[1], 8)
        sizes[worst] = 13
        traces.append(
            {
                "type": "scatter",
                "x": view.times[place],
                "y": [label] * view.times.shape[1],
                "text": view.hover,
                "name": label,
                "mode": "markers",
                "marker": {
                    "color": mark.color,
                    "symbol": mark.symbol,
                    "size": sizes,
                    "opacity": 0.75,
                },
                "hovertemplate": "<b>%{fullData.name}</b><br>%{text}<br>%{x:.3f} times the best "
                "possible<extra></extra>",
            }
        )
    largest = float(np.log10(view.times.max()))
    looks = [BEST_MARK if key == DESIGN else MARKS[key] for key in view.keys]
    return go.Figure(
        data=traces,
        layout={
            "height": conditions_height(len(view.keys)),
            "margin": {"l": 170, "r": 20, "t": 12, "b": 46},
            "showlegend": False,
            "hovermode": "closest",
            "uirevision": "design-conditions",
            "xaxis": {
                "type": "log",
                "range": [-0.02 * max(largest, 0.1), 1.04 * max(largest, 0.1)],
                "title": {"text": "damage ÷ best possible (log scale)"},
                "tickvals": [1, 2, 5, 10, 20, 50, 100, 1000]
                if largest > 0.6
                else [1, 1.1, 1.2, 1.5, 2, 3, 4],
            },
            "yaxis": {
                "type": "category",
                "categoryorder": "array",
                "categoryarray": view.labels,
                "range": [len(view.keys) - 0.5, -0.5],
                "tickmode": "array",
                "tickvals": view.labels,
                "ticktext": [
                    f'<span style="color:{mark.color}">{mark.glyph}</span> {label}'
                    for mark, label in zip(looks, view.labels, strict=True)
                ],
                "ticks": "",
            },
        },
    )


def price_figure(view: PriceChart) -> go.Figure:
    """Draw damage and bound by bands, the full design as a line, and the knee."""
    prices = view.prices
    shared = {"type": "scatter", "x": prices.bands, "customdata": view.hover}
    hover = "%{customdata}<br>%{fullData.name} %{y:.4g}<extra></extra>"
    values = np.array([*prices.damage, *prices.bound, prices.full_damage])
    kept = values[values > 0]
    low, high = (math.log10(x) for x in (kept.min(), kept.max())) if kept.size else (-1.0, 1.0)
    room = max(0.06 * (high - low), 0.05)
    full = [
        {
            "type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": prices.full_damage,
            "y1": prices.full_damage, "line": {"color": NEUTRAL, "width": 1.5, "dash": "dash"},
            "label": {"text": "full design", "textposition": "start", "yanchor": "bottom"},
        }
    ] if prices.full_damage > 0 else []  # fmt: skip
    knee = [
        {
            "type": "line", "yref": "paper", "x0": prices.knee, "x1": prices.knee, "y0": 0,
            "y1": 1, "line": {"color": NEUTRAL, "width": 1.5},
            "label": {"text": f"knee: b = {prices.knee}", "textposition": "end",
                      "yanchor": "bottom", "textangle": 0},
        }
    ] if prices.knee is not None else []  # fmt: skip
    return go.Figure(
        data=[
            {
                **shared, "y": prices.bound, "name": "bound", "mode": "lines",
                "line": {"color": BEST_MARK.color, "width": 1}, "hovertemplate": hover,
            },
            {
                **shared, "y": prices.damage, "name": "damage", "mode": "lines+markers",
                "line": {"color": BEST_MARK.color, "width": BEST_MARK.width},
                "marker": {"symbol": BEST_MARK.symbol, "size": 9}, "hovertemplate": hover,
            },
        ],
        layout={
            "height": PRICE_HEIGHT,
            "margin": {"l": 64, "r": 20, "t": 34, "b": 86},
            "showlegend": False,
            "hovermode": "closest",
            "uirevision": "design-price",
            "xaxis": {
                "type": "log",
                "tickvals": prices.bands,
                "ticktext": view.ticks,
                "title": {"text": "bands b · floats kept a parameter · multiply-adds a step"},
                "showgrid": False,
            },
            "yaxis": {
                "type": "log",
                "range": [low - room, high + room],
                "title": {"text": "damage (log scale)"},
            },
            "shapes": [*full, *knee],
        },
    )  # fmt: skip
