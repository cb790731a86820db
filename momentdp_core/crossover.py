"""Where two mechanisms change places along the swept parameter, and who wins in between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.damage import sweep
from momentdp_core.errors import FloatArray
from momentdp_core.ranking import TIE_TOLERANCE, IntArray, ranks
from momentdp_core.scenario import Scenario

# Crossovers are refined to this distance in the swept parameter.
PRECISION = 1e-7
# A dip of |Δ| between grid points is searched when its parabola comes this close to zero,
# relative to the smaller neighbour.
DIP_SHARE = 0.25


@dataclass(frozen=True, kw_only=True)
class Crossover:
    """A sign change of Δ_ab along the swept parameter.

    Args:
        value: where along the swept parameter, to 1e-6.
        below: the one of the pair with less damage just below it.
        above: the one with less damage just above it.
        pair: both keys, in the order of the scenario.
    """

    value: float
    below: str
    above: str
    pair: tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Region:
    """A stretch of the swept parameter with one winner, or several that tie.

    Args:
        start, stop: its ends, refined like the crossovers.
        winners: keys that share rank 1; empty where the setting is unstable.
    """

    start: float
    stop: float
    winners: tuple[str, ...]


def find_crossovers(
    scenario: Scenario, values: FloatArray, damages: FloatArray, stable: FloatArray
) -> tuple[Crossover, ...]:
    """Return every crossover of every pair between stable neighbouring grid values.

    Δ_ab changes sign between two grid values, or dips through zero and back between three; the
    root of (D_a − D_b)/(D_a + D_b) is bracketed and refined. Two crossings closer together than
    the grid spacing, with no dip to be seen on it, are missed.

    Args:
        scenario: the problem.
        values: swept parameter, ascending, shape (M,).
        damages: D at these values, shape (n, M).
        stable: which values are stable, shape (M,).

    Source: MOMENT-DP, Section 2.2 ("momentum-dependent rankings").

    >>> find_crossovers(Scenario(horizon=4), np.zeros(1), np.ones((11, 1)), np.ones(1))
    ()
    """
    usable = np.flatnonzero(np.asarray(stable, dtype=bool))
    grid, table = values[usable], damages[:, usable]
    # A mechanism that has no finite damage here is beaten everywhere: it crosses nobody.
    finite = np.flatnonzero(np.isfinite(table).all(axis=1))
    if len(usable) < 2 or len(finite) < 2:
        return ()
    first, second = (finite[side] for side in np.triu_indices(len(finite), 1))
    gap = relative_gap(table[first], table[second])
    brackets = [*_sign_changes(gap), *_dips(scenario, grid, gap, first, second)]
    if not brackets:
        return ()
    pairs = np.array([pair for pair, _, _ in brackets])
    low = np.array([x if isinstance(x, float) else grid[x] for _, x, _ in brackets])
    high = np.array([x if isinstance(x, float) else grid[x] for _, _, x in brackets])
    roots = _refine(scenario, low, high, first[pairs], second[pairs])
    keys = scenario.mechanisms
    found = []
    ends = sweep_many(scenario, low)
    for number, pair in enumerate(pairs):
        a, b = int(first[pair]), int(second[pair])
        below, above = (a, b) if ends[a, number] < ends[b, number] else (b, a)
        found.append(
            Crossover(
                value=float(roots[number]),
                below=keys[below],
                above=keys[above],
                pair=(keys[a], keys[b]),
            )
        )
    return tuple(sorted(found, key=lambda c: (c.value, c.pair)))


def relative_gap(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return (D_a − D_b)/(D_a + D_b), 0 within the tie tolerance; −1 … 1.

    >>> relative_gap(np.array([3.0]), np.array([1.0]))
    array([0.5])
    """
    total = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = np.where(total > 0, (first - second) / total, 0.0)
    return np.where(np.abs(gap) <= TIE_TOLERANCE / 2, 0.0, gap)


def sweep_many(scenario: Scenario, values: FloatArray) -> FloatArray:
    """Return `sweep` at values that may repeat, each computed once; shape (n, M).

    >>> sweep_many(Scenario(horizon=4), np.array([0.5, 0.5])).shape
    (11, 2)
    """
    unique, inverse = np.unique(values, return_inverse=True)
    return sweep(scenario, unique)[:, inverse]


# A bracket: pair number, and its two ends as grid indices or as values.
Bracket = tuple[int, int | float, int | float]


def _sign_changes(gap: FloatArray) -> list[Bracket]:
    brackets: list[Bracket] = []
    for pair, row in enumerate(gap):
        told = np.flatnonzero(row)  # ties in between belong to the bracket
        turns = np.flatnonzero(np.sign(row[told[:-1]]) != np.sign(row[told[1:]]))
        brackets += [(pair, int(told[k]), int(told[k + 1])) for k in turns]
    return brackets


def _dips(
    scenario: Scenario, grid: FloatArray, gap: FloatArray, first: IntArray, second: IntArray
) -> list[Bracket]:
    """Look where |Δ| has a local minimum without a sign change: two crossings may hide there."""
    if len(grid) < 3:
        return []
    left, middle, right = (np.abs(gap[:, k : len(grid) - 2 + k]) for k in range(3))
    same = (np.sign(gap[:, :-2]) == np.sign(gap[:, 1:-1])) & (
        np.sign(gap[:, 1:-1]) == np.sign(gap[:, 2:])
    )
    pairs, starts = np.nonzero(same & (middle > 0) & (middle <= left) & (middle < right))
    if not len(pairs):
        return []
    x = np.stack([grid[starts], grid[starts + 1], grid[starts + 2]])
    y = np.stack([left[pairs, starts], middle[pairs, starts], right[pairs, starts]])
    slope_left, slope_right = (y[1] - y[0]) / (x[1] - x[0]), (y[2] - y[1]) / (x[2] - x[1])
    bend = (slope_right - slope_left) / (x[2] - x[0])
    lowest = np.clip((x[0] + x[1]) / 2 - slope_left / (2 * bend), x[0], x[2])
    value = y[1] + (lowest - x[1]) * (slope_left + bend * (lowest - x[0]))
    near = np.flatnonzero(value < DIP_SHARE * y[1])
    if not len(near):
        return []
    table = sweep_many(scenario, lowest[near])
    brackets: list[Bracket] = []
    for column, k in enumerate(near):
        pair = int(pairs[k])
        a, b = table[first[pair], column], table[second[pair], column]
        sign = np.sign(relative_gap(np.array([a]), np.array([b]))[0])
        if sign and sign != np.sign(gap[pair, starts[k] + 1]):
            turn = float(lowest[k])
            # The dip lies in one of the two cells; the other end of it has the old sign.
            brackets.append((pair, float(x[0, k]) if turn <= x[1, k] else float(x[1, k]), turn))
            brackets.append((pair, turn, float(x[1, k]) if turn <= x[1, k] else float(x[2, k])))
    return brackets


def _refine(
    scenario: Scenario, low: FloatArray, high: FloatArray, first: IntArray, second: IntArray
) -> FloatArray:
    """Refine all brackets together: one sweep an iteration, however many there are."""
    from scipy.optimize.elementwise import find_root

    def gap(values: FloatArray, index: FloatArray) -> FloatArray:
        where = index.astype(int)
        table = sweep_many(scenario, np.ravel(values))
        columns = np.arange(table.shape[1])
        a, b = table[first[where], columns], table[second[where], columns]
        return np.asarray((a - b) / (a + b))

    index = np.arange(len(low), dtype=np.float64)
    result = find_root(
        gap, (low, high), args=(index,), tolerances={"xatol": PRECISION, "xrtol": 0.0}, maxiter=60
    )
    return np.asarray(result.x)


def winner_regions(
    scenario: Scenario,
    values: FloatArray,
    crossovers: tuple[Crossover, ...],
    breaks: tuple[float, ...] = (),
) -> tuple[Region, ...]:
    """Return the stretches from the first to the last swept value, each with its winners.

    Between two neighbouring crossovers no pair changes places, so the winner at the middle is
    the winner throughout.

    Args:
        scenario: the problem.
        values: swept parameter, ascending, shape (M,).
        crossovers: from `find_crossovers` on the same values.
        breaks: further edges, such as the edge of stability.

    >>> [r.winners for r in winner_regions(Scenario(horizon=1), np.array([0.0, 0.9]), ())][0][:2]
    ('iid', 'dense')
    """
    start, stop = float(values[0]), float(values[-1])
    inner = {c.value for c in crossovers} | set(breaks)
    edges = np.array([start, *sorted(x for x in inner if start < x < stop), stop])
    middles = (edges[:-1] + edges[1:]) / 2
    limits = scenario.optimizer.stability_limit(middles)
    stable = is_stable(scenario, limits)
    placed = ranks(sweep(scenario, middles))
    regions: list[Region] = []
    for k in range(len(middles)):
        best = np.flatnonzero((placed[:, k] == 1) & stable[k])
        winners = tuple(scenario.mechanisms[int(n)] for n in best)
        if regions and regions[-1].winners == winners:
            regions[-1] = Region(start=regions[-1].start, stop=float(edges[k + 1]), winners=winners)
        else:
            regions.append(Region(start=float(edges[k]), stop=float(edges[k + 1]), winners=winners))
    return tuple(regions)


def is_stable(scenario: Scenario, limits: FloatArray) -> FloatArray:
    """Return whether the peak rate η max χ is below each limit, shape (M,) of bool.

    A schedule counts as unstable when a constant rate at its peak would be: the noise then grows
    for as long as the peak lasts. A zero rate is stable.

    Source: theory of this project, "Stability".

    >>> is_stable(Scenario(learning_rate=2.5), np.array([2.0, 3.0]))
    array([False,  True])
    """
    return np.asarray(scenario.learning_rate * scenario.multipliers.max() < limits)
