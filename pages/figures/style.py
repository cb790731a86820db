"""How every mechanism looks, and the light and dark templates of all figures."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import plotly.graph_objects as go

LIGHT_BACKGROUND: Final = "#ffffff"
DARK_BACKGROUND: Final = "#10141a"
NEUTRAL: Final = "#7b8494"  # lines that carry no mechanism; readable on both backgrounds
GUESS: Final = "#d6247f"  # a guess and its answer
EMPHASIS: Final = "noisecurve"  # drawn thicker than the others, everywhere


@dataclass(frozen=True, kw_only=True)
class Mark:
    """Colour, dash, symbol and glyph of one mechanism, the same on every chart and background."""

    color: str
    dash: str
    symbol: str
    glyph: str
    width: float = 2.0


# Each colour has a contrast of at least 3 : 1 on both backgrounds. Fifteen colours of so narrow a
# range of lightness cannot all be told apart by every eye, so that symbol and dash carry the
# difference too: no two mechanisms share a symbol.
MARKS: Final = MappingProxyType(
    {
        "iid": Mark(color="#7f8790", dash="dot", symbol="circle-open", glyph="○"),
        "dense": Mark(color="#2f74e0", dash="solid", symbol="square", glyph="■"),
        "banded_mean": Mark(color="#067f96", dash="solid", symbol="triangle-up", glyph="▲"),
        "banded_max": Mark(color="#1a9db5", dash="dash", symbol="triangle-up-open", glyph="△"),
        "toeplitz_mean": Mark(color="#23844a", dash="solid", symbol="diamond", glyph="◆"),
        "toeplitz_max": Mark(color="#3fa35c", dash="dash", symbol="diamond-open", glyph="◇"),
        "bisr": Mark(color="#a8741a", dash="dashdot", symbol="square-open", glyph="□"),
        "bandinv_mean": Mark(color="#7e52cc", dash="solid", symbol="triangle-down", glyph="▼"),
        "bandinv_max": Mark(color="#a27ce2", dash="dash", symbol="triangle-down-open", glyph="▽"),
        "lr_aware": Mark(color="#c74a9a", dash="longdash", symbol="star", glyph="★"),
        "sqrt": Mark(color="#6f7fa8", dash="longdashdot", symbol="star-open", glyph="☆"),
        "blt_mean": Mark(color="#84841f", dash="solid", symbol="hourglass", glyph="⧗"),
        "blt_max": Mark(color="#958a3c", dash="dash", symbol="hourglass-open", glyph="⧖"),
        "noisecurve": Mark(color="#e0440e", dash="solid", symbol="circle", glyph="●", width=4.0),
        "own": Mark(color="#b8336a", dash="longdash", symbol="hexagram", glyph="✶", width=3.0),
    }
)

# The best possible mechanism, and the one that was designed; no symbol and glyph of another.
BEST_MARK: Final = Mark(color="#c2255c", dash="solid", symbol="star-square", glyph="✸", width=3.0)

# The optimizers; like the mechanisms', and no symbol of theirs. The other keys are the engine's.
OPTIMIZER_MARKS: Final = MappingProxyType(
    {
        "dpsgd": Mark(color="#7f8790", dash="dot", symbol="cross", glyph="✚"),
        "heavy_ball": Mark(color="#e0440e", dash="solid", symbol="hexagon", glyph="⬢", width=3.0),
        "nesterov": Mark(color="#c7622f", dash="dash", symbol="hexagon-open", glyph="⬡"),
        "ema": Mark(color="#a8741a", dash="dashdot", symbol="pentagon-open", glyph="⬠"),
        "weight_decay": Mark(color="#b5566b", dash="longdash", symbol="pentagon", glyph="⬟"),
        "tail_average": Mark(
            color="#6f7fa8", dash="longdashdot", symbol="asterisk-open", glyph="✱"
        ),
        "weight_average": Mark(color="#8a7f4d", dash="dot", symbol="bowtie", glyph="⧓"),
        "lp_dpsgd": Mark(color="#2f74e0", dash="solid", symbol="triangle-left", glyph="◀"),
        "filter": Mark(color="#5a8fd6", dash="dash", symbol="triangle-left-open", glyph="◁"),
        "per_sample_momentum": Mark(
            color="#3fa35c", dash="dash", symbol="triangle-right-open", glyph="▷"
        ),
        "dp_pmlf": Mark(color="#23844a", dash="solid", symbol="triangle-right", glyph="▶"),
        "inner_outer": Mark(color="#c74a9a", dash="longdash", symbol="x-open", glyph="✕"),
        "disk": Mark(color="#7e52cc", dash="solid", symbol="star-diamond", glyph="✦"),
    }
)

# Opacity of the fill over an unstable range of momentum.
UNSTABLE_FILL: Final = "rgba(123, 132, 148, 0.18)"


def _template(*, background: str, text: str, grid: str, line: str, hover: str) -> dict[str, Any]:
    axis = {
        "gridcolor": grid,
        "linecolor": line,
        "tickcolor": line,
        "zeroline": False,
        "ticks": "outside",
        "ticklen": 4,
        "title": {"standoff": 8, "font": {"size": 13}},
        "tickfont": {"size": 12},
    }
    layout = go.Layout(
        paper_bgcolor=background,
        plot_bgcolor=background,
        font={
            "family": "'Source Sans', 'Source Sans Pro', system-ui, Helvetica, Arial, sans-serif",
            "color": text,
        },
        xaxis=axis,
        yaxis=axis,
        hoverlabel={"bgcolor": hover, "bordercolor": line, "font": {"color": text, "size": 13}},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": line, "activecolor": text},
    )
    # Plain lists and dictionaries: the browser gets it as JSON.
    return dict(go.layout.Template(layout=layout).to_plotly_json())


TEMPLATES: Final = MappingProxyType(
    {
        "light": _template(
            background=LIGHT_BACKGROUND,
            text="#1b2430",
            grid="#e6e9ee",
            line="#7b8494",
            hover="#ffffff",
        ),
        "dark": _template(
            background=DARK_BACKGROUND,
            text="#e6eaf0",
            grid="#262d37",
            line="#7b8494",
            hover="#1a2029",
        ),
    }
)
