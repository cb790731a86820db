"""Names on the crossover map, none on another: on a wide and on a narrow screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pages.figures.style import MARKS
from pages.views.map_regions import Region

_DARK: Final = "#10141a"
PADDING: Final = 2  # pixels round a name
# Pixels that a letter and a line take, as shares of the size of the type; a letter is seldom wider.
LETTER, LINE = 0.56, 1.5


@dataclass(frozen=True, kw_only=True)
class Room:
    """The smallest plot on which names must not meet; on a larger one they are further apart.

    Args:
        width, height: of the plot, pixels.
        x, y: first and last position of each axis.
        size: of the type, pixels.
    """

    width: float
    height: float
    x: tuple[float, float]
    y: tuple[float, float]
    size: int

    def box(self, text: str, spot: tuple[float, float]) -> Box:
        """Return the place of a name at a spot, kept inside the plot from side to side."""
        (x0, x1), (y0, y1) = self.x, self.y
        across = self.width * (spot[0] - x0) / (x1 - x0)
        up = self.height * (spot[1] - y0) / (y1 - y0)
        width = LETTER * self.size * len(text) + 2 * PADDING
        half = (LINE * self.size) / 2 + PADDING
        anchor, left = "center", across - width / 2
        if left < 0:
            anchor, left = "left", across
        elif left + width > self.width:
            anchor, left = "right", across - width
        return Box(left=left, right=left + width, low=up - half, high=up + half, anchor=anchor)

    def holds(self, box: Box) -> bool:
        """Say whether a name is inside the plot."""
        return (
            box.left >= 0 and box.right <= self.width and box.low >= 0 and box.high <= self.height
        )


@dataclass(frozen=True, kw_only=True)
class Box:
    """The rectangle of a name in pixels from the lower left corner, and the side it hangs on."""

    left: float
    right: float
    low: float
    high: float
    anchor: str

    def meets(self, other: Box) -> bool:
        """Say whether two rectangles overlap."""
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.high <= other.low or other.high <= self.low)


def names(regions: tuple[Region, ...], room: Room) -> list[dict[str, Any]]:
    """Return annotations with the names of regions, those of the largest first.

    Each stands where its region is thickest, or else at the next best spot where it meets no other
    one; a name that has no such spot is left out.
    """
    return [
        {
            "x": x,
            "y": y,
            "xanchor": box.anchor,
            "text": text,
            "showarrow": False,
            "font": {"size": room.size, "color": _DARK},
            "bgcolor": "rgba(255,255,255,0.86)",
            "borderpad": PADDING,
            "captureevents": False,
        }
        for text, (x, y), box in _placed(regions, room)
    ]


def _placed(
    regions: tuple[Region, ...], room: Room
) -> Iterator[tuple[str, tuple[float, float], Box]]:
    taken: list[Box] = []
    for region in regions:
        text = f"{MARKS[region.key].glyph} {region.text}" if region.key else region.text
        for spot in region.spots:
            box = room.box(text, spot)
            if room.holds(box) and not any(box.meets(other) for other in taken):
                taken.append(box)
                yield text, spot, box
                break
