"""The curves on which the winner changes: crossing points by root finding, joined cell by cell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray, read_only
from momentdp_core.ranking import IntArray

# A point is on a curve when |Δ|/(D_a + D_b) is at most this.
ON_CURVE = 1e-7
# Winners that a root may still reveal between two others on one edge.
ROUNDS = 8
# Newton steps towards a point where three winners meet.
MEETING_STEPS = 20
Damages = Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, kw_only=True, eq=False)
class Boundary:
    """A curve on which two winners do equal damage.

    Args:
        first, second: their keys.
        x, y: its points as positions along the axes, shape (P,).
    """

    first: str
    second: str
    x: FloatArray
    y: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class _Crossings:
    """K crossing points: pair (a, b) with a < b, edge number, and position."""

    first: IntArray
    second: IntArray
    edge: IntArray
    x: FloatArray
    y: FloatArray


def trace_boundaries(
    keys: Sequence[str], winner: IntArray, damages: Damages, *, rows: bool, columns: bool
) -> tuple[Boundary, ...]:
    """Return the curves between winner regions.

    On each edge between two neighbouring cells with different winners a and b, the root of
    (D_a − D_b)/(D_a + D_b) is refined; where a third mechanism wins at the root, the edge is split
    there. The points are joined within each square of four cells; three curves of one square
    meet where all three winners are equal.

    Args:
        keys: the mechanisms.
        winner: row of the winner, −1 for none, shape (Y, X).
        damages: D at positions (x, y), shape (n, N).
        rows: whether there is anything between two lines of cells; a list of schedules has none.
        columns: the same between two columns.

    Source: theory of this project ("Ranking"); Lorensen and Cline (1987) for the joining.

    >>> flat = lambda x, y: np.array([x + y, 1.5 + 0 * x])
    >>> winner = np.array([[0, 0], [0, 1]])
    >>> [c.x.tolist() for c in trace_boundaries(("a", "b"), winner, flat, rows=True, columns=True)]
    [[1.0, 0.5]]
    """
    points = _crossings(winner, damages, rows=rows, columns=columns)
    if rows and columns:
        chains = _joined(points, winner.shape, damages)
    else:
        half = (np.array([0.0, 0.0]), np.array([-0.5, 0.5]))
        across, along = half if columns else half[::-1]
        chains = [
            (int(points.first[k]), int(points.second[k]), points.x[k] + across, points.y[k] + along)
            for k in range(len(points.x))
        ]
    return tuple(
        Boundary(first=keys[a], second=keys[b], x=read_only(x), y=read_only(y))
        for a, b, x, y in chains
    )


def _crossings(winner: IntArray, damages: Damages, *, rows: bool, columns: bool) -> _Crossings:
    """Find every crossing on every edge. Edges are numbered 2·cell, + 1 for those along y."""
    height, width = winner.shape
    starts = []
    for along_y, used in ((0, columns), (1, rows)):
        if not used:
            continue
        near = winner[: height - along_y, : width - 1 + along_y]
        far = winner[along_y:, 1 - along_y :]
        turns = (near != far) & (near >= 0) & (far >= 0)
        y0, x0 = np.nonzero(turns)
        edge = 2 * (y0 * width + x0) + along_y
        starts.append(
            np.stack([edge, x0, y0, np.full_like(edge, along_y), near[turns], far[turns]])
        )
    edges = np.concatenate(starts, axis=1)
    low, high = np.zeros(edges.shape[1]), np.ones(edges.shape[1])
    found: list[tuple[IntArray, FloatArray]] = []
    for _ in range(ROUNDS):
        if not edges.shape[1]:
            break
        root, solved = _roots(edges, low, high, damages)
        table = damages(*_on_edge(edges, root))
        own = np.minimum(*(table[edges[row], np.arange(len(root))] for row in (4, 5)))
        third = table.argmin(axis=0)
        split = (table.min(axis=0) < own * (1 - 2 * ON_CURVE)) & solved
        found.append((edges[:, solved & ~split], root[solved & ~split]))
        left, right = edges[:, split].copy(), edges[:, split].copy()
        left[5] = right[4] = third[split]
        low, high = (
            np.concatenate([low[split], root[split]]),
            np.concatenate([root[split], high[split]]),
        )
        edges = np.concatenate([left, right], axis=1)
    if not found:
        none = np.empty(0, dtype=np.int64)
        return _Crossings(first=none, second=none, edge=none, x=np.empty(0), y=np.empty(0))
    kept = np.concatenate([part for part, _ in found], axis=1)
    x, y = _on_edge(kept, np.concatenate([root for _, root in found]))
    pair = np.sort(kept[4:6], axis=0)
    return _Crossings(first=pair[0], second=pair[1], edge=kept[0], x=x, y=y)


def _on_edge(edges: IntArray, share: FloatArray) -> tuple[FloatArray, FloatArray]:
    along_y = edges[3] == 1
    return edges[1] + np.where(along_y, 0.0, share), edges[2] + np.where(along_y, share, 0.0)


def _roots(
    edges: IntArray, low: FloatArray, high: FloatArray, damages: Damages
) -> tuple[FloatArray, np.ndarray]:
    """Refine all edges together: one batch of damages an iteration."""
    from scipy.optimize.elementwise import find_root

    def gap(share: FloatArray, number: FloatArray) -> FloatArray:
        here = edges[:, number.astype(int)]
        return _gap(damages(*_on_edge(here, share)), here[4], here[5])

    numbers = np.arange(len(low), dtype=np.float64)
    result = find_root(
        gap,
        (low, high),
        args=(numbers,),
        tolerances={"fatol": ON_CURVE, "frtol": 0.0, "xatol": 0.0, "xrtol": 0.0},
        maxiter=80,
    )
    root = np.where(np.isfinite(result.x), result.x, low)
    return root, np.abs(gap(root, numbers)) <= 10 * ON_CURVE


def _gap(table: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    columns = np.arange(table.shape[1])
    a, b = table[first, columns], table[second, columns]
    total = a + b
    told = np.isfinite(total) & (total > 0)
    return np.where(told, a - b, np.sign(b - a)) / np.where(told, total, 1.0)


Chain = tuple[int, int, FloatArray, FloatArray]


def _joined(points: _Crossings, shape: tuple[int, int], damages: Damages) -> list[Chain]:
    """Join crossing points within each square of four cells, then the pieces into curves."""
    height, width = shape
    squares: dict[tuple[int, int], dict[tuple[int, int], list[int]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for k, edge in enumerate(points.edge.tolist()):
        along_y, cell = edge % 2, edge // 2
        row, column = divmod(cell, width)
        neighbour = (row, column - 1) if along_y else (row - 1, column)
        pair = (int(points.first[k]), int(points.second[k]))
        for square in ((row, column), neighbour):
            if 0 <= square[0] < height - 1 and 0 <= square[1] < width - 1:
                squares[square][pair].append(k)
    x, y = points.x.tolist(), points.y.tolist()
    pieces: list[tuple[tuple[int, int], int, int]] = []
    open_ends: list[tuple[tuple[int, int], dict[tuple[int, int], int]]] = []
    for square, pairs in squares.items():
        alone = {}
        for pair, members in pairs.items():
            # Round the square's middle, so that neighbours along its rim are joined.
            turn = [np.arctan2(y[k] - square[0] - 0.5, x[k] - square[1] - 0.5) for k in members]
            ring = [members[n] for n in np.argsort(turn)]
            pieces += [(pair, a, b) for a, b in zip(ring[::2], ring[1::2], strict=False)]
            if len(ring) % 2:
                alone[pair] = ring[-1]
        if len(alone) == 3 and len({n for pair in alone for n in pair}) == 3:
            open_ends.append((square, alone))
    for (_, alone), place in zip(open_ends, _meetings(open_ends, points, damages), strict=True):
        if place is not None:
            x.append(place[0])
            y.append(place[1])
            pieces += [(pair, k, len(x) - 1) for pair, k in alone.items()]
    return [
        (*pair, np.array([x[k] for k in chain]), np.array([y[k] for k in chain]))
        for pair, chain in _chains(pieces)
    ]


def _meetings(
    open_ends: list[tuple[tuple[int, int], dict[tuple[int, int], int]]],
    points: _Crossings,
    damages: Damages,
) -> list[tuple[float, float] | None]:
    """Find by Newton's method where three winners are equal, in each of some squares."""
    if not open_ends:
        return []
    ends = np.array([sorted(alone.values()) for _, alone in open_ends])
    rows = np.array([sorted({n for pair in alone for n in pair}) for _, alone in open_ends]).T
    corner = np.array([square[::-1] for square, _ in open_ends], dtype=np.float64).T
    place = np.stack([points.x[ends].mean(axis=1), points.y[ends].mean(axis=1)])

    def gaps(at: FloatArray) -> FloatArray:
        table = damages(at[0], at[1])
        return np.stack([_gap(table, rows[0], rows[1]), _gap(table, rows[1], rows[2])])

    step = 1e-5
    for _ in range(MEETING_STEPS):
        value = gaps(place)
        if np.abs(value).max() <= ON_CURVE:
            break
        jacobian = np.empty((2, 2, place.shape[1]))
        for n in range(2):
            # Away from the far side of the square, where the axis may end.
            side = np.where(place[n] - corner[n] > 0.5, -step, step)
            moved = place.copy()
            moved[n] += side
            jacobian[:, n] = (gaps(moved) - value) / side
        flat = np.abs(np.linalg.det(np.moveaxis(jacobian, 2, 0))) < 1e-300
        jacobian[:, :, flat] = np.eye(2)[:, :, None]
        move = np.linalg.solve(np.moveaxis(jacobian, 2, 0), value.T[:, :, None])[:, :, 0].T
        place = np.clip(place - np.clip(move, -0.5, 0.5), corner, corner + 1)
    table = damages(place[0], place[1])
    best = table.min(axis=0) * (1 + 1e-6)
    settled = np.abs(gaps(place)).max(axis=0) <= 10 * ON_CURVE
    settled &= (table[rows, np.arange(len(best))] <= best).all(axis=0)
    return [
        (float(place[0, k]), float(place[1, k])) if settled[k] else None
        for k in range(len(settled))
    ]


def _chains(
    pieces: list[tuple[tuple[int, int], int, int]],
) -> list[tuple[tuple[int, int], list[int]]]:
    """Join pieces that share a point into chains, pair by pair."""
    links: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for pair, a, b in pieces:
        links[pair][a].append(b)
        links[pair][b].append(a)
    chains = []
    for pair, graph in links.items():
        # Ends first, so that only closed curves are entered in their middle.
        for start in sorted(graph, key=lambda k: len(graph[k]) == 2):
            while graph[start]:
                chain = [start]
                while graph[chain[-1]]:
                    following = graph[chain[-1]].pop()
                    graph[following].remove(chain[-1])
                    chain.append(following)
                chains.append((pair, chain))
    return chains
