"""Chart 1: damage against momentum, with a strip below that shows who wins where."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import parts
from pages.figures.style import BEST_MARK, MARKS, NEUTRAL, UNSTABLE_FILL
from pages.views.sweep import BestCurve, Curve, Span, SweepView

HEIGHT: Final = 490
_STRIP: Final = (0.0, 0.06)  # share of the plot's height
_MAIN: Final = (0.10, 1.0)


def damage_figure(view: SweepView, ghosts: Sequence[Curve] = (), height: int = HEIGHT) -> go.Figure:
    """Draw the damage curves, the crossovers, the marker and the strip of winners.

    Args:
        view: what to draw.
        ghosts: the curves of a pinned scenario, drawn behind.
        height: of the figure, in pixels.
    """
    low, high = _range(view, ghosts)
    labels, leaders = _labels(view, low, high, height)
    decades = high - low > 1.5
    keys = [curve.key for curve in view.curves]
    hover = f"<b>%{{fullData.name}}</b><br>{view.axis.symbol} = %{{x:.3~g}}<br>damage %{{y:.4~g}}<extra></extra>"  # noqa: E501
    figure = go.Figure()
    for ghost in ghosts:
        figure.add_trace(parts.ghost(ghost, view.axis))
    for i in parts.in_drawing_order(keys):
        curve = view.curves[i]
        figure.add_trace(parts.line(curve.x, curve.damage, curve.key, curve.label, hover))
    if view.best is not None:
        figure.add_traces(_best(view.best, hover))
    for span in view.spans:
        figure.add_trace(_strip(span))
    figure.update_layout(
        height=height,
        margin=parts.MARGIN,
        showlegend=False,
        hovermode="closest",
        uirevision=view.axis.key,
        xaxis=parts.x_axis(view.axis, anchor="y2"),
        yaxis={
            "type": "log",
            "range": [low, high],
            "domain": _MAIN,
            "title": {"text": "damage (log scale)"},
            "exponentformat": "power",
            # Less than one and a half decades: Plotly's own ticks, since powers are too few.
            **({"dtick": 1, "minor": {"dtick": "D1", "ticks": "outside"}} if decades else {}),
        },
        yaxis2={
            "domain": _STRIP,
            "range": [0, 1],
            "fixedrange": True,
            "showticklabels": False,
            "ticks": "",
            "showgrid": False,
            "title": {"text": "winner", "font": {"size": 12}, "standoff": 22},
        },
        annotations=labels,
        shapes=[
            *leaders,
            *_unstable(view),
            *parts.crossing_lines(view.crossings, _MAIN[0], _MAIN[1]),
            parts.marker(view.axis.low, view.axis.high),
        ],
    )
    if view.damage_range is None:
        stable = any(span.winners for span in view.spans)
        what = "There is no positive<br>damage to draw." if stable else "Nothing to draw."
        figure.add_annotation(
            text=what, xref="paper", yref="paper", x=0.5, y=0.55, showarrow=False,
            font={"size": 15},
        )  # fmt: skip
    return figure


def _best(curve: BestCurve, hover: str) -> list[go.Scatter]:
    """Return the certified bound as a thin line, and what the designs reach as a curve."""
    bound = go.Scatter(
        x=curve.x,
        y=curve.bound,
        name="No mechanism can do less",
        mode="lines",
        line={"color": BEST_MARK.color, "width": 1},
        hovertemplate=hover,
    )
    return [bound, parts.line(curve.x, curve.damage, curve.key, curve.label, hover)]


def _range(view: SweepView, ghosts: Sequence[Curve]) -> tuple[float, float]:
    """Return the vertical range in powers of ten, with a margin that keeps a flat curve inside."""
    drawn = [curve.damage[np.isfinite(curve.damage)] for curve in (*view.curves, *ghosts)]
    if view.best is not None:
        drawn.append(view.best.bound[np.isfinite(view.best.bound)])
    values = np.concatenate(drawn) if drawn else np.empty(0)
    if not values.size:
        return -1.0, 1.0
    low, high = math.log10(values.min()), math.log10(values.max())
    room = max(0.05 * (high - low), 0.05)
    return low - room, high + room


def _labels(view: SweepView, low: float, high: float, height: int) -> tuple[list[Any], list[Any]]:
    every: list[Curve | BestCurve] = [*view.curves, *([view.best] if view.best else [])]
    curves = [curve for curve in every if curve.damage_end is not None]
    ends = [curve.damage_end for curve in curves if curve.damage_end is not None]
    plot = height - parts.MARGIN["t"] - parts.MARGIN["b"]
    room = plot * (_MAIN[1] - _MAIN[0])
    heights = [room * (math.log10(end) - low) / (high - low) for end in ends]
    return parts.direct_labels(curves, ends, heights, room, log=True)


def _unstable(view: SweepView) -> list[dict[str, Any]]:
    return [
        {
            "type": "rect",
            "layer": "below",
            "xref": "x",
            "yref": "paper",
            "x0": span.start,
            "x1": span.stop,
            "y0": _MAIN[0],
            "y1": _MAIN[1],
            "line": {"width": 0},
            "fillcolor": UNSTABLE_FILL,
            "label": {"text": "unstable", "textposition": "top center", "font": {"size": 13}},
        }
        for span in view.spans
        if not span.winners
    ]


def _strip(span: Span) -> go.Scatter:
    """Return the strip's rectangle of one region.

    It has the winner's colour, stripes in both colours where two tie, and a neutral pattern where
    more tie (crossed) or nothing is stable (stripes).
    """
    colors = [MARKS[key].color for key in span.winners] or [NEUTRAL]
    fill: dict[str, Any] = {"fillcolor": colors[0]}
    if len(span.winners) != 1:
        two = len(span.winners) == 2
        fill["fillpattern"] = {
            "shape": "x" if len(span.winners) > 2 else "/",
            "fgcolor": colors[0] if two else NEUTRAL,
            "bgcolor": colors[1] if two else "rgba(0, 0, 0, 0)",
            "size": 8,
        }
    return go.Scatter(
        x=[span.start, span.start, span.stop, span.stop],
        y=[0, 1, 1, 0],
        yaxis="y2",
        mode="lines",
        line={"width": 0},
        fill="toself",
        hoveron="fills",
        name=span.text,
        text=span.text,
        hoverinfo="text",
        **fill,
    )
