"""Chart 2: rank against momentum, a bump chart that follows NoiseCurve."""

from __future__ import annotations

from typing import Any, Final

import plotly.graph_objects as go

from pages.figures import parts
from pages.figures.style import EMPHASIS, UNSTABLE_FILL
from pages.views.sweep import SweepView

HEIGHT: Final = 380
_PLOT: Final = HEIGHT - parts.MARGIN["t"] - parts.MARGIN["b"]


def rank_figure(view: SweepView) -> go.Figure:
    """Draw every mechanism's rank, best on top, with NoiseCurve emphasised."""
    count = len(view.curves)
    keys = [curve.key for curve in view.curves]
    hover = f"<b>%{{fullData.name}}</b><br>{view.axis.symbol} = %{{x:.3~g}}<br>rank %{{y}}<extra></extra>"  # noqa: E501
    labels, leaders = _labels(view)
    figure = go.Figure()
    for i in parts.in_drawing_order(keys):
        curve = view.curves[i]
        faint = EMPHASIS in keys and curve.key != EMPHASIS
        figure.add_trace(
            parts.line(
                curve.x, curve.rank, curve.key, curve.label, hover, opacity=0.55 if faint else 1
            )
        )
    figure.update_layout(
        height=HEIGHT,
        margin=parts.MARGIN,
        showlegend=False,
        hovermode="closest",
        uirevision=view.axis.key,
        xaxis=parts.x_axis(view.axis),
        yaxis={
            "range": [count + 0.5, 0.5],
            "tickmode": "array",
            "tickvals": list(range(1, count + 1)),
            "title": {"text": "rank (1 = least damage)"},
        },
        annotations=labels,
        shapes=[
            *leaders,
            *[
                {
                    "type": "rect",
                    "layer": "below",
                    "xref": "x",
                    "yref": "paper",
                    "x0": span.start,
                    "x1": span.stop,
                    "y0": 0,
                    "y1": 1,
                    "line": {"width": 0},
                    "fillcolor": UNSTABLE_FILL,
                    "label": {"text": "unstable", "textposition": "middle center"},
                }
                for span in view.spans
                if not span.winners
            ],
            parts.marker(view.axis.low, view.axis.high),
        ],
    )
    return figure


def _labels(view: SweepView) -> tuple[list[Any], list[Any]]:
    curves = [curve for curve in view.curves if curve.rank_end is not None]
    ends = [curve.rank_end for curve in curves if curve.rank_end is not None]
    rows = len(view.curves)
    heights = [_PLOT * (rows + 0.5 - end) / rows for end in ends]
    return parts.direct_labels(curves, ends, heights, _PLOT, log=False)
