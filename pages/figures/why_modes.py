"""Modes: every mechanism's damage as a bar, stacked from the steepest mode to the flattest."""

from __future__ import annotations

from typing import Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import why_parts as parts
from pages.figures.style import MARKS
from pages.figures.why_time import UNSTABLE
from pages.views import words
from pages.views.why_charts import Bar, ChartsView

_BAR: Final = 27  # pixels a bar
_MOST_BARS: Final = 12
HEIGHT: Final = 120 + _BAR * _MOST_BARS


def modes_figure(view: ChartsView) -> go.Figure:
    """Draw the stacked bars, least damage on top, with the deciding mode outlined."""
    modes = view.modes
    if modes is None:
        return parts.empty(view, HEIGHT, UNSTABLE)
    rows = [_name(bar) for bar in modes.bars]
    table = np.array([bar.parts for bar in modes.bars])
    figure = go.Figure()
    for mode, lam in enumerate(view.eigenvalues):
        decides = mode == modes.decider
        figure.add_trace(
            go.Bar(
                y=rows,
                x=table[:, mode],
                orientation="h",
                name=f"mode {mode + 1}, λ = {lam:.3g}",
                hovertemplate="%{fullData.name}: %{x:.4g}<extra></extra>",
                showlegend=False,
                marker={
                    "color": parts.shade(float(view.shades[mode])),
                    "line": {"width": 0},
                    # Told apart by a pattern too, not by colour alone.
                    "pattern": {"shape": "/" if decides else "", "size": 5, "solidity": 0.35},
                },
            )
        )
    figure.add_trace(parts.mode_scale(view))
    parts.frame(
        figure,
        view,
        HEIGHT,
        barmode="stack",
        bargap=0.25,
        xaxis={"title": {"text": "damage"}, "range": [0, modes.most]},
        yaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": rows,
            "range": [len(rows) - 0.5, -0.5],
            "tickmode": "array",
            "tickvals": rows,
            "ticktext": [_tick(bar) for bar in modes.bars],
            "ticks": "",
        },
    )
    figure.update_layout(margin={**parts.MARGIN, "l": 190})
    return figure


def _name(bar: Bar) -> str:
    return bar.key


def _tick(bar: Bar) -> str:
    mark = MARKS[bar.key]
    glyph = f'<span style="color:{mark.color}">{mark.glyph}</span>'
    name = f"<b>{bar.letter}: {bar.label}</b>" if bar.letter else bar.label
    return f"{glyph} {name} · {words.number(bar.damage)}"
