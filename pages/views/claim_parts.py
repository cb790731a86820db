"""What a figure of a claim is made of: sides of a comparison, curves, or named cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pages.views.evidence import Row

SCHEDULES: Final = {
    "constant": "constant", "cosine": "cosine", "warmup_cosine": "warm-up cosine",
    "step": "step", "exponential": "exponential", "front_loaded": "front-loaded",
    "back_loaded": "back-loaded",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a comparison: its values, and intervals where there are some."""

    name: str
    values: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Published beside ours over a few categories.

    Args:
        title: what is compared.
        categories: along the horizontal axis, or below each other with `flat`.
        sides: one value a category each.
        axis: title of the axis of values.
        alt: for a reader who cannot see it.
        log: whether that axis is logarithmic.
        words: what whole values from 0 on are called, where they are no numbers.
        ranks: number of ranks where values are ranks, 1 on top; 0 for other values.
        flat: whether the categories have one row each: many, or long names.
        x_axis: title of the axis of categories.
    """

    title: str
    categories: tuple[str, ...]
    sides: tuple[Side, ...]
    axis: str
    alt: str
    log: bool = False
    words: tuple[str, ...] = ()
    ranks: int = 0
    flat: bool = False
    x_axis: str = ""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One line of a chart, or with `marks` points alone; `key` names a mechanism."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...] = ()
    marks: bool = False
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Several lines over one axis; `ticks` are the only places of the horizontal axis."""

    title: str
    curves: tuple[Curve, ...]
    x_axis: str
    y_axis: str
    alt: str
    x_log: bool = False
    y_log: bool = False
    ticks: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tiles:
    """Rows and columns of mechanisms, such as who wins where; rows from top to bottom."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]
    names: tuple[tuple[str, ...], ...]
    x_axis: str
    alt: str


Chart = Comparison | Curves | Tiles


def both(row: Row) -> str:
    """Return a claim with what was published and what came out, for a figure's alternative."""
    return f"{row.statement}: {row.published} published, {row.ours} here."


def around(name: str, values: Sequence[float], half: Sequence[float]) -> Side:
    """Return a side whose intervals are so wide to either side of each value."""
    pairs = list(zip(values, half, strict=True))
    return Side(
        name=name,
        values=tuple(values),
        low=tuple(a - b for a, b in pairs),
        high=tuple(a + b for a, b in pairs),
    )


def percent(shares: Sequence[float]) -> tuple[float, ...]:
    """Return shares in percent.

    >>> percent([0.5, 1])
    (50.0, 100)
    """
    return tuple(100 * share for share in shares)


def flat_curve(name: str, x: Sequence[float], y: float) -> Curve:
    """Return a published value that holds everywhere, as a line from end to end."""
    return Curve(name=name, x=(x[0], x[-1]), y=(y, y))
