"""Regions of a map: where their names have room, and runs of cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
COLORINGS: Final = {
    "winner": "the winner",
    "rank": "NoiseCurve's rank",
    "regret": "regret of a fixed choice",
    "gap": "the gap between a and b",
}
# A region of fewer layers of cells, or a line of fewer cells, has no room for its name.
THINNEST: Final = 2
SHORTEST: Final = 8


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A class of cells: its name, the mechanism whose colour it has, and how strong, 0 … 1."""

    text: str
    key: str
    shade: float


@dataclass(frozen=True, kw_only=True)
class Region:
    """Cells of one kind that hang together, and have room for its name.

    Args:
        text: the name.
        key: the mechanism whose sign stands before it; empty for none.
        size: the number of cells.
        spots: positions (x, y) inside for the name, the best first.
    """

    text: str
    key: str
    size: int
    spots: tuple[tuple[float, float], ...]


def regions_of(
    kinds: tuple[Kind, ...], cells: IntArray, unstable: BoolArray, *, lines: bool
) -> tuple[Region, ...]:
    """Return every region that has room for its name, the largest first.

    Args:
        kinds, cells, unstable: as in MapView.
        lines: whether each line of cells stands for itself, as a schedule does.
    """
    found = list(_regions("unstable", "", unstable, lines=False, thinnest=1))
    for text in dict.fromkeys(kind.text for kind in kinds):
        members = [n for n, kind in enumerate(kinds) if kind.text == text]
        found += _regions(text, kinds[members[0]].key, np.isin(cells, members), lines=lines)
    return tuple(sorted(found, key=lambda region: -region.size))


def _regions(
    text: str, key: str, cells: BoolArray, *, lines: bool, thinnest: int = THINNEST
) -> Iterator[Region]:
    if lines:
        for row, start, stop in runs(cells):
            if stop - start >= SHORTEST:
                middle = ((start + stop - 1) / 2, float(row))
                yield Region(text=text, key=key, size=stop - start, spots=(middle,))
        return
    left = cells.copy()
    while left.any():
        part = _connected(left)
        left &= ~part
        depth = _depth(part)
        if depth.max() < thinnest:
            continue
        # Nearest to the middle of the thickest cells, but one of them: inside the region.
        middle_of_it = np.argwhere(depth == depth.max()).mean(axis=0)
        inside = np.argwhere(depth >= thinnest)
        away = np.abs(inside - middle_of_it).sum(axis=1)
        order = np.lexsort((away, -depth[tuple(inside.T)]))
        spots = tuple((float(column), float(row)) for row, column in inside[order])
        yield Region(text=text, key=key, size=int(part.sum()), spots=spots)


def runs(region: BoolArray) -> Iterator[tuple[int, int, int]]:
    """Yield line, first and last-but-one cell of each run of cells."""
    for row, line in enumerate(region):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], line.astype(int), [0]])))
        for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            yield row, start, stop


def _connected(region: BoolArray) -> BoolArray:
    """Return the cells that hang together with the region's first one, side by side."""
    part = np.zeros_like(region)
    part[np.unravel_index(region.argmax(), region.shape)] = True
    while True:
        wide = np.pad(part, 1)
        grown = part | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
        grown &= region
        if (grown == part).all():
            return part
        part = grown


def _depth(region: BoolArray) -> IntArray:
    """Return how many layers of cells lie between each cell and the region's rim, 0 outside."""
    depth = np.zeros(region.shape, dtype=np.int64)
    left = region.copy()
    while left.any():
        depth += left
        padded = np.pad(left, 1)
        left = left & padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return depth
