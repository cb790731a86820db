"""Design: the matrices of the noise, one sample of it, and its spectrum."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import parts, why_parts
from pages.figures.style import BEST_MARK, MARKS
from pages.figures.why_parts import LOWER, UPPER
from pages.views.design_charts import NoiseChart

MATRICES_HEIGHT, SAMPLE_HEIGHT, SPECTRUM_HEIGHT = 380, 400, 330
NAMES: Final = ("C", "C⁻¹", "K = C⁻¹C⁻ᵀ")
# Negative, zero, positive: zero is the chart's own background.
_SCALE: Final = (
    (0.0, "rgba(47, 116, 224, 1)"),
    (0.5, "rgba(128, 128, 128, 0)"),
    (1.0, "rgba(224, 68, 14, 1)"),
)
_OWN: Final[dict[str, Any]] = {"color": BEST_MARK.color, "width": 2}
_INDEPENDENT: Final[dict[str, Any]] = {"color": MARKS["iid"].color, "dash": "dot", "width": 1.5}
MATRICES_COMPACT: Final = {**parts.COMPACT, "margin": {"l": 34, "r": 8, "t": 40, "b": 40}}


def matrices_figure(view: NoiseChart) -> go.Figure:
    """Draw C, C⁻¹ and K side by side, each shaded up to its own largest entry."""
    traces, layout, titles = [], {}, []
    edges = (0.0, float(view.steps[-1]) + 1)
    for n, (name, matrix) in enumerate(zip(NAMES, view.matrices, strict=True)):
        number = "" if n == 0 else str(n + 1)
        largest = float(np.abs(matrix).max())
        # Stronger than in proportion: most entries are far below the diagonal's.
        shown = np.sign(matrix) * np.sqrt(np.abs(matrix) / largest)
        traces.append(
            {
                "type": "heatmap",
                "x": view.steps,
                "y": view.steps,
                "z": shown.astype(np.float32),
                "customdata": matrix.astype(np.float32),
                "zmin": -1,
                "zmax": 1,
                "colorscale": _SCALE,
                "showscale": False,
                "xaxis": f"x{number}",
                "yaxis": f"y{number}",
                "name": name,
                "hovertemplate": "%{fullData.name}[%{y}, %{x}] = %{customdata:.4g}<extra></extra>",
            }
        )
        domain = [n / 3 + (0.03 if n else 0), (n + 1) / 3 - (0.0 if n == 2 else 0.01)]
        layout[f"xaxis{number}"] = {
            "domain": domain, "range": edges, "showgrid": False, "anchor": f"y{number}",
            "title": {"text": "step"}, "nticks": 5,
        }  # fmt: skip
        layout[f"yaxis{number}"] = {
            "range": edges[::-1], "showgrid": False, "anchor": f"x{number}",
            "showticklabels": n == 0, "nticks": 5,
        }  # fmt: skip
        titles.append(
            {
                "text": f"<b>{name}</b>, up to {largest:.3g}", "xref": "paper", "yref": "paper",
                "x": domain[0], "xanchor": "left", "y": 1, "yanchor": "bottom", "showarrow": False,
            }
        )  # fmt: skip
    return go.Figure(
        data=traces,
        layout={
            "height": MATRICES_HEIGHT,
            "margin": {"l": 48, "r": 12, "t": 34, "b": 46},
            "uirevision": "design-matrices",
            "annotations": titles,
            **layout,
        },
    )


def sample_figure(view: NoiseChart) -> go.Figure:
    """Draw one sample of the step noise, and below it the running sum."""
    steps = np.arange(1, len(view.sample) + 1)
    pairs = (("This design", view.sample, _OWN), ("Independent", view.independent, _INDEPENDENT))
    traces = [
        {
            "type": "scatter",
            "x": steps,
            "y": rows,
            "name": name,
            "mode": "lines" if len(steps) > 1 else "markers",
            "line": look,
            "yaxis": axis,
            "showlegend": axis == "y",
            "hovertemplate": "%{fullData.name}<br>step %{x}: %{y:.4g}<extra></extra>",
        }
        for name, row, look in reversed(pairs)
        for axis, rows in (("y", row), ("y2", np.cumsum(row)))
    ]
    return why_parts.frame(
        traces,
        SAMPLE_HEIGHT,
        xaxis={"title": {"text": "step"}, "anchor": "y2"},
        yaxis={"title": {"text": "noise, in σ"}, "domain": UPPER},
        yaxis2={"title": {"text": "running sum, in σ"}, "domain": LOWER},
    )


def spectrum_figure(view: NoiseChart) -> go.Figure:
    """Draw the noise power at each frequency, and independent noise as a level line."""
    lines = (("This design", view.power, _OWN), ("Independent", np.ones_like(view.power),
                                                 _INDEPENDENT))  # fmt: skip
    return why_parts.frame(
        [
            {
                "type": "scatter",
                "x": view.frequencies,
                "y": row,
                "name": name,
                "mode": "lines" if len(view.frequencies) > 1 else "markers",
                "line": look,
                "hovertemplate": "%{fullData.name}<br>%{y:.3g} at %{x:.3g} cycles per step"
                "<extra></extra>",
            }
            for name, row, look in lines
        ],
        SPECTRUM_HEIGHT,
        xaxis={"title": {"text": "frequency, cycles per step"}, "range": [-0.01, 0.51]},
        yaxis={"type": "log", "title": {"text": "noise power, in σ²"}, "exponentformat": "power"},
    )
