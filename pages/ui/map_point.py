"""The point on the map that a reader can drag, click to, or move with the arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

_HERE = Path(__file__).parent
_KEY: Final = "map-point"

_point = st.components.v2.component(
    "momentdp_map_point",
    css=(_HERE / "map_point.css").read_text(encoding="utf-8"),
    js=(_HERE / "map_point.js").read_text(encoding="utf-8"),
    isolate_styles=False,  # the point lies over the chart, outside the component
)


@dataclass(frozen=True, kw_only=True)
class Stops:
    """Where the point can stand along one axis: position on the map, and what is said there."""

    positions: Sequence[float]
    texts: Sequence[str]
    at: int

    @property
    def data(self) -> dict[str, Any]:
        """The same for the browser."""
        return {"at": self.at, "positions": list(self.positions), "texts": list(self.texts)}


def draw_point(chart: str, x: Stops, y: Stops, on_move: Callable[[int, int], None]) -> None:
    """Put the point on a chart; `on_move` gets the numbers of the stops that it was moved to."""

    def moved() -> None:
        spot = st.session_state[_KEY].spot
        if spot is not None:
            on_move(int(spot["x"]), int(spot["y"]))

    _point(
        key=_KEY,
        height=1,
        data=[{"chart": chart, "x": x.data, "y": y.data}],  # a list: see live_chart
        on_spot_change=moved,
    )
