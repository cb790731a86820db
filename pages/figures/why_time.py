"""Time: what a step's noise does in the end, how noise is correlated, and one sample of it."""

from __future__ import annotations

from typing import Final

import numpy as np
import plotly.graph_objects as go

from pages.figures import why_parts as parts
from pages.figures.why_parts import LOWER, UPPER
from pages.views.why_charts import ChartsView

HEIGHT: Final = 320
SAMPLE_HEIGHT: Final = 400
UNSTABLE: Final = "Nothing to draw: training is unstable."


def response_figure(view: ChartsView) -> go.Figure:
    """Draw the impulse response of one mode, or of all, shaded by steepness."""
    time = view.time
    if time is None:
        return parts.empty(view, HEIGHT, UNSTABLE)
    steps = np.arange(1, time.response.shape[1] + 1)
    figure = go.Figure()
    for mode, row in zip(time.modes, time.response, strict=True):
        figure.add_trace(
            go.Scatter(
                x=steps,
                y=row,
                name=f"mode {mode + 1}, λ = {view.eigenvalues[mode]:.3g}",
                mode="lines" if len(steps) > 1 else "markers",
                line={"color": parts.shade(float(view.shades[mode])), "width": 1.6},
                hovertemplate="%{fullData.name}<br>step %{x}: %{y:.4g}<extra></extra>",
                showlegend=False,
            )
        )
    figure.add_trace(parts.mode_scale(view))
    return parts.frame(
        figure,
        view,
        HEIGHT,
        xaxis={"title": {"text": "step t of the noise"}, "range": parts.padded(steps)},
        yaxis={
            "title": {"text": "effect on the final error, g(t)"},
            "range": parts.padded(time.response, zero=True),
        },
    )


def covariance_figure(view: ChartsView) -> go.Figure:
    """Draw how the noise of the middle step is correlated with the steps after it."""
    time = view.time
    if time is None:
        return parts.empty(view, HEIGHT, UNSTABLE)
    lags = np.arange(time.covariance.shape[1])
    hover = "%{fullData.name}<br>%{x} steps later: %{y:.4g}<extra></extra>"
    figure = go.Figure(parts.two_lines(view, lags, time.covariance, hovertemplate=hover))
    figure.update_traces(mode="lines+markers")
    return parts.frame(
        figure,
        view,
        HEIGHT,
        xaxis={"title": {"text": "steps later"}, "range": parts.padded(lags)},
        yaxis={
            "title": {"text": "covariance, in σ²"},
            "range": parts.padded(time.covariance, zero=True),
        },
    )


def sample_figure(view: ChartsView) -> go.Figure:
    """Draw one sample of the step noise, and below it the running sum."""
    time = view.time
    if time is None:
        return parts.empty(view, SAMPLE_HEIGHT, UNSTABLE)
    steps = np.arange(1, time.noise.shape[1] + 1)
    mode = "lines" if len(steps) > 1 else "markers"
    hover = "%{fullData.name}<br>step %{x}: %{y:.3g} σ<extra></extra>"
    figure = go.Figure(parts.two_lines(view, steps, time.noise, hovertemplate=hover))
    figure.add_traces(
        parts.two_lines(view, steps, time.total, hovertemplate=hover, yaxis="y2", showlegend=False)
    )
    figure.update_traces(mode=mode, line={"width": 1.5})
    return parts.frame(
        figure,
        view,
        SAMPLE_HEIGHT,
        xaxis={"title": {"text": "step"}, "range": parts.padded(steps), "anchor": "y2"},
        yaxis={
            "title": {"text": "step noise, in σ"},
            "domain": UPPER,
            "range": parts.padded(time.noise, zero=True),
        },
        yaxis2={
            "title": {"text": "running sum"},
            "domain": LOWER,
            "range": parts.padded(time.total, zero=True),
            "fixedrange": True,
        },
    )
