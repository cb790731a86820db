"""What the figures share: axes, lines, direct labels, and the JSON that a page sends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Protocol

import plotly.graph_objects as go
from numpy.typing import ArrayLike

from pages.figures.style import BEST_MARK, EMPHASIS, MARKS, NEUTRAL, OPTIMIZER_MARKS
from pages.views.sweep import Axis, Crossing, Curve

LABEL_GAP: Final = 17.0  # pixels between two labels
_LEADER: Final = 16  # pixels from the plot to the labels
LABEL_MARGIN: Final = 140  # pixels to the right of the plot, for the labels
# Layout that replaces the figure's own on a narrow screen.
COMPACT: Final[dict[str, Any]] = {
    "margin": {"l": 46, "r": 122, "t": 34, "b": 46},
    "font": {"size": 11},
    "dragmode": False,  # a finger on the chart must scroll the page
}
_LOOKS: Final = {**MARKS, **OPTIMIZER_MARKS, "best": BEST_MARK, "design": BEST_MARK}
MARGIN: Final = {"l": 64, "r": LABEL_MARGIN, "t": 34, "b": 46}


def with_squeezed(title: str, squeezed: bool) -> str:
    """Return an axis title that says what the mark of a squeezed bar means, where there is one.

    >>> with_squeezed("damage", False)
    'damage'
    """
    note = '<br><span style="font-size:11px">» squeezed to fit; its number holds</span>'
    return title + (note if squeezed else "")


class Labelled(Protocol):
    """A curve of a mechanism or an optimizer."""

    @property
    def key(self) -> str:
        """Whose curve it is."""
        ...

    @property
    def label(self) -> str:
        """The name on screen."""
        ...


def x_axis(axis: Axis, **more: Any) -> dict[str, Any]:
    """Return the horizontal axis of a figure."""
    scale: dict[str, Any]
    if axis.log:
        scale = {"type": "log", "range": [0, 2], "tickvals": [1, 2, 5, 10, 20, 50, 100]}
    else:
        scale = {"range": [axis.low, axis.high], "dtick": 0.1, "tickformat": ".1f"}
    # No vertical grid: the only vertical lines are crossovers and the marker.
    return {"title": {"text": axis.title}, "showgrid": False, **scale, **more}


def line(x: ArrayLike, y: ArrayLike, key: str, label: str, hover: str, **more: Any) -> go.Scatter:
    """Return the curve of one mechanism or optimizer in its fixed colour, dash and symbol."""
    mark = _LOOKS[key]
    return go.Scatter(
        x=x,
        y=y,
        name=label,
        mode="lines+markers",
        line={"color": mark.color, "dash": mark.dash, "width": mark.width},
        marker={"symbol": mark.symbol, "size": 7 if key != EMPHASIS else 9, "maxdisplayed": 9},
        hovertemplate=hover,
        **more,
    )


def ghost(curve: Curve, axis: Axis) -> go.Scatter:
    """Return a curve of a pinned scenario: thin and pale, in the same colour and dash."""
    mark = MARKS[curve.key]
    return go.Scatter(
        x=curve.x,
        y=curve.damage,
        name=f"A: {curve.label}",
        mode="lines",
        opacity=0.45,
        line={"color": mark.color, "dash": mark.dash, "width": mark.width / 2},
        hovertemplate="<b>%{fullData.name}</b><br>"
        f"{axis.symbol} = %{{x:.3~g}}<br>damage %{{y:.4~g}}<extra></extra>",
    )


def in_drawing_order(keys: Sequence[str]) -> list[int]:
    """Return positions in the order to draw: what is emphasised last, on top of the others."""
    return sorted(range(len(keys)), key=lambda i: keys[i] == EMPHASIS)


def marker(low: float, high: float) -> dict[str, Any]:
    """Return the line at the current momentum; the browser moves the shape of this name."""
    return {
        "type": "line",
        "name": "marker",
        "xref": "x",
        "yref": "paper",
        "x0": low,
        "x1": low,
        "y0": 0,
        "y1": 1,
        "line": {"color": NEUTRAL, "width": 2},
        "label": {"text": "", "textposition": "end", "yanchor": "bottom", "textangle": 0,
                  "font": {"size": 13}, "padding": 2},
    }  # fmt: skip


def crossing_lines(crossings: Sequence[Crossing], bottom: float, top: float) -> list[Any]:
    """Return thin lines at the crossovers and stronger ones where the winner changes.

    Each kind is one shape, however many lines it has: shapes are what a move of the marker redraws.
    """
    looks = {
        False: {"color": "rgba(123, 132, 148, 0.35)", "width": 1},
        True: {"color": NEUTRAL, "width": 1.5, "dash": "dash"},
    }
    return [
        {
            "type": "path",
            "layer": "below",
            "xref": "x",
            "yref": "paper",
            "path": "".join(
                f"M{c.x!r},{bottom}L{c.x!r},{top}" for c in crossings if c.strong is kind
            ),
            "line": look,
        }
        for kind, look in looks.items()
        if any(c.strong is kind for c in crossings)
    ]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places near the wanted ones, at least `gap` apart and within low … high.

    Labels that would overlap are merged into one block that is centred on what its members
    want, as long as there is room.

    >>> spread([10, 12, 60], 10, 0, 100)
    [6.0, 16.0, 60.0]
    """
    if not wanted:
        return []
    gap = min(gap, (high - low) / max(len(wanted) - 1, 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    blocks: list[tuple[float, int]] = []  # first place and number of members
    for i in order:
        start, count = float(wanted[i]), 1
        start = min(max(start, low), high)
        while blocks and blocks[-1][0] + blocks[-1][1] * gap > start:
            before, members = blocks.pop()
            # Each member wants to be where its own label belongs, not where the block begins.
            total = members + count
            start = (before * members + (start - members * gap) * count) / total
            count = total
            start = min(max(start, low), high - (count - 1) * gap)
        blocks.append((start, count))
    places = [start + j * gap for start, count in blocks for j in range(count)]
    result = [0.0] * len(wanted)
    for place, i in zip(places, order, strict=True):
        result[i] = place
    return result


def direct_labels(
    curves: Sequence[Labelled],
    ends: Sequence[float],
    heights: Sequence[float],
    room: float,
    *,
    log: bool,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the labels right of the plot and the thin lines that lead to them.

    The lines are shapes and not the arrows of annotations, which cost five times as much to draw.

    Args:
        curves: curves to label.
        ends: where each curve ends on the vertical axis.
        heights: the same in pixels above the bottom of the plot.
        room: height of the plot in pixels.
        log: whether the vertical axis is logarithmic.

    Returns:
        Annotations and shapes.
    """
    shifts = [
        place - height
        for place, height in zip(spread(heights, LABEL_GAP, 0, room), heights, strict=True)
    ]
    marks = [_LOOKS[curve.key] for curve in curves]
    texts = [
        {
            "xref": "paper",
            "x": 1,
            "xshift": _LEADER + 3,
            "xanchor": "left",
            "yref": "y",
            # On a logarithmic axis an annotation wants the logarithm, a shape the value.
            "y": math.log10(end) if log else end,
            "yshift": shift,
            "yanchor": "middle",
            "showarrow": False,
            "text": f'<span style="color:{mark.color}">{mark.glyph}</span> '
            + (f"<b>{curve.label}</b>" if curve.key == EMPHASIS else curve.label),
        }
        for curve, mark, end, shift in zip(curves, marks, ends, shifts, strict=True)
    ]
    leaders = [
        {
            # A path and not a line: pixel sizes of lines cannot be negative.
            "type": "path",
            "xref": "paper",
            "xsizemode": "pixel",
            "xanchor": 1,
            "yref": "y",
            "ysizemode": "pixel",
            "yanchor": end,
            "path": f"M2,0L{_LEADER},{shift:.1f}",
            "line": {"color": mark.color, "width": 1},
        }
        for mark, end, shift in zip(marks, ends, shifts, strict=True)
    ]
    return texts, leaders


def to_json(figure: go.Figure) -> str:
    """Return the figure as JSON without a template: the browser adds the one of its theme."""
    figure.layout.template = None
    return str(figure.to_json())
