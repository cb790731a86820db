"""Time: what a step's noise does in the end, how noise is correlated, and one sample of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import why_parts as parts
from pages.figures.why_parts import LOWER, UNSTABLE, UPPER
from pages.views.why_charts import ChartsView

HEIGHT: Final = 350
SAMPLE_HEIGHT: Final = 400


def response_figure(view: ChartsView) -> go.Figure:
    """Draw the impulse response of one mode, or of all, shaded by steepness."""
    found = view.filter
    if found is None:
        return parts.empty(view, HEIGHT, UNSTABLE)
    steps = np.arange(1, found.response.shape[1] + 1)
    lines = [
        {
            "type": "scatter",
            "x": steps,
            "y": row,
            "name": f"mode {mode + 1}, λ = {view.eigenvalues[mode]:.3g}",
            "mode": _mode(steps),
            "line": {"color": parts.shade(float(view.shades[mode])), "width": 1.6},
            "hovertemplate": "%{fullData.name}<br>step %{x}: %{y:.4g}<extra></extra>",
            "showlegend": False,
        }
        for mode, row in zip(found.modes, found.response, strict=True)
    ]
    return parts.frame(
        [*lines, parts.mode_scale(view)],
        HEIGHT,
        view.setting,
        xaxis={"title": {"text": "step t of the noise"}, "range": parts.padded(steps)},
        yaxis={
            "title": {"text": "effect on the final error, g(t)"},
            "range": parts.padded(found.response, zero=True),
        },
    )


def covariance_figure(view: ChartsView) -> go.Figure:
    """Draw how the noise of the middle step is correlated with the steps after it."""
    noise = view.noise
    lags = np.arange(noise.covariance.shape[1])
    hover = "%{fullData.name}<br>%{x} steps later: %{y:.4g}<extra></extra>"
    return parts.frame(
        parts.two_lines(view, lags, noise.covariance, mode="lines+markers", hovertemplate=hover),
        HEIGHT,
        xaxis={"title": {"text": "steps later"}, "range": parts.padded(lags)},
        yaxis={
            "title": {"text": "covariance, in σ²"},
            "range": parts.padded(noise.covariance, zero=True),
        },
    )


def sample_figure(view: ChartsView) -> go.Figure:
    """Draw one sample of the step noise, and below it the running sum."""
    noise = view.noise
    steps = np.arange(1, noise.noise.shape[1] + 1)
    look: dict[str, Any] = {
        "width": 1.5,
        "mode": _mode(steps),
        "hovertemplate": "%{fullData.name}<br>step %{x}: %{y:.3g} σ<extra></extra>",
    }
    upper = parts.two_lines(view, steps, noise.noise, **look)
    lower = parts.two_lines(view, steps, noise.total, **look, yaxis="y2", showlegend=False)
    return parts.frame(
        [*upper, *lower],
        SAMPLE_HEIGHT,
        xaxis={"title": {"text": "step"}, "range": parts.padded(steps), "anchor": "y2"},
        yaxis={
            "title": {"text": "step noise, in σ"},
            "domain": UPPER,
            "range": parts.padded(noise.noise, zero=True),
        },
        yaxis2={
            "title": {"text": "running sum"},
            "domain": LOWER,
            "range": parts.padded(noise.total, zero=True),
            "fixedrange": True,
        },
    )


def _mode(steps: np.ndarray) -> str:
    return "lines" if len(steps) > 1 else "markers"  # a line needs two points
