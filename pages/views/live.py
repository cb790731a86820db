"""What Explore says at every swept value at once, for the browser to show during a drag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from momentdp_core import Study
from pages.views import words
from pages.views.explore import PointView, point_view
from pages.views.sweep import axis_of
from pages.views.swept import swept_of

# The cells of the table that depend on the swept value, in the table's order of columns; where the
# best possible is shown, its cell comes next.
CELLS = ("damage", "rank", "times")


def live_view(
    study: Study,
    axis_key: str,
    say: Callable[[float], PointView] | None = None,
    also: Callable[[float], Mapping[str, str]] | None = None,
) -> Mapping[str, Any]:
    """Return, for each value of the slider, all texts of its `point_view` and the marker's place.

    The browser only looks these up: it ranks nothing and computes nothing.

    Args:
        study: what is shown.
        axis_key: one of AXES.
        say: what the page says at a value, if not the study's own `point_view`.
        also: further texts at a value, by the name in the `data-live` attribute of their place.
    """
    swept = swept_of(study.scenario.optimizer)
    axis = axis_of(swept, axis_key)
    values = swept.values.tolist()
    say = say or (lambda value: point_view(study, value))
    also = also or (lambda value: {})
    return {
        "study": words.digest(study.scenario),
        "values": values,
        "markers": [
            {
                "x": float(axis.place(value)),
                "text": f"{swept.symbol} = {words.setting(value)}",
                "side": axis.side(value),
            }
            for value in values
        ],
        "points": [{**_point(say(value)), "also": also(value)} for value in values],
    }


def _point(view: PointView) -> Mapping[str, Any]:
    return {
        "setting": view.setting,
        "readouts": {r.key: (r.label, r.value, r.detail) for r in view.readouts},
        "sentence": view.sentence,
        "heading": view.heading,
        "note": view.stability,
        "rows": [
            (row.key, *(getattr(row, cell) for cell in CELLS), *([row.best] if row.best else []))
            for row in view.rows
        ],
    }
