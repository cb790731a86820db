"""Modes: every mechanism's damage as a bar, stacked from the steepest mode to the flattest."""

from __future__ import annotations

from typing import Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import why_parts as parts
from pages.figures.parts import with_squeezed
from pages.figures.style import MARKS
from pages.figures.why_parts import UNSTABLE
from pages.views import words
from pages.views.why_charts import Bar, ChartsView

_BAR: Final = 27  # pixels a bar
_MOST_BARS: Final = 12
_STRIPES: Final = {"shape": "/", "size": 5, "solidity": 0.35}
# Room for the numbers, the title and what » means.
BOTTOM: Final = 64
HEIGHT: Final = 148 + _BAR * _MOST_BARS


def modes_figure(view: ChartsView) -> go.Figure:
    """Draw the stacked bars, least damage on top, with the deciding mode outlined."""
    modes = view.modes
    if modes is None:
        return parts.empty(view, HEIGHT, UNSTABLE)
    rows = [bar.key for bar in modes.bars]
    table = np.array([bar.parts for bar in modes.bars])
    drawn = np.array([bar.scale * bar.parts for bar in modes.bars])
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "y": rows,
            "x": drawn[:, mode],
            "customdata": table[:, mode],
            "name": f"mode {mode + 1}, λ = {lam:.3g}",
            "hovertemplate": "%{fullData.name}: %{customdata:.4g}<extra></extra>",
            "showlegend": False,
            "marker": {
                "color": parts.shade(float(view.shades[mode])),
                "line": {"width": 0},
                # Told apart by stripes, not by colour alone.
                **({"pattern": _STRIPES} if mode == modes.decider else {}),
            },
        }
        for mode, lam in enumerate(view.eigenvalues)
    ]
    return parts.frame(
        [*bars, parts.mode_scale(view)],
        HEIGHT,
        view.setting,
        margin={**parts.MARGIN, "l": 190, "b": BOTTOM},
        barmode="stack",
        bargap=0.25,
        xaxis={"range": [0, 1.05 * modes.most]},
        # Not the axis's own title, which Plotly sometimes puts upon the numbers of this chart.
        annotations=[
            {
                "text": with_squeezed("damage", any(bar.scale < 1 for bar in modes.bars)),
                "xref": "paper",
                "x": 0.5,
                "yref": "paper",
                "y": 0,
                "yshift": -24,
                "yanchor": "top",
                "showarrow": False,
                "font": {"size": 13},
            }
        ],
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


def _tick(bar: Bar) -> str:
    mark = MARKS[bar.key]
    glyph = f'<span style="color:{mark.color}">{mark.glyph}</span>'
    name = f"<b>{bar.letter}: {bar.label}</b>" if bar.letter else bar.label
    squeezed = " »" if bar.scale < 1 else ""
    return f"{glyph} {name} · {words.number(bar.damage)}{squeezed}"
