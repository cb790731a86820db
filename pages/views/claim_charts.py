"""The figures of the claims: published beside ours, from a study's record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pages.views.evidence import Row

SCORES: Final = ("Static MeanSE", "LR-aware", "Curvature + schedule", "Optimizer-aware")
CONDITIONS: Final = (
    "L0: no momentum", "L1: momentum 0.9", "L2: 0.9, cosine", "L3: 0.9, warm-up cosine"
)  # fmt: skip
_PAIR: Final = ("static", "optimizer-aware")
_WINNERS: Final = ("Dense", "BandMF", "Toeplitz")


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a comparison: its values, and intervals where there are some."""

    name: str
    values: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Published beside ours over a few categories."""

    categories: tuple[str, ...]
    sides: tuple[Side, ...]
    axis: str
    alt: str
    log: bool = False
    reverse: bool = False  # ranks: 1 on top
    x_axis: str = ""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One line of a chart, or with `marks` points alone."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    error: tuple[float, ...] = ()
    marks: bool = False


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Several lines over one axis."""

    curves: tuple[Curve, ...]
    x_axis: str
    y_axis: str
    alt: str


def chart_of(row: Row, record: Mapping[str, Any]) -> Comparison | Curves | None:
    """Return the figure of a claim, None where a table says it better."""
    if row.claim in ("M8", "M9", "M10", "M11"):
        return _bars(row, SCORES, "τ" if row.claim == "M9" else "%")
    if row.claim in ("M13", "M14", "M15", "M16"):
        return _bars(row, SCORES[:3], "pairwise accuracy, %")
    if row.claim == "M12":
        rows = ("constant", "cosine", "warm-up cosine")
        labels = tuple(f"{m}, {schedule}" for schedule in rows for m in _WINNERS)
        return _bars(row, labels, "damage (log scale)", log=True)
    if row.claim in ("M17", "M18"):
        return _perturbation(row, record)
    if row.claim == "P1":
        return _reduction(record["numbers"]["P1"])
    if row.study == "logistic":
        return _logistic(row, record["numbers"][row.claim])
    return None


def _bars(row: Row, categories: tuple[str, ...], axis: str, *, log: bool = False) -> Comparison:
    count = len(categories)
    return Comparison(
        categories=categories,
        sides=(
            Side(name="published", values=row.published_values[:count]),
            Side(name="ours", values=row.our_values[:count]),
        ),
        axis=axis,
        log=log,
        alt=f"{row.statement}: {row.published} published, {row.ours} here.",
    )


def _percent(values: Any) -> tuple[float, ...]:
    return tuple(100 * x for x in values)


def _perturbation(row: Row, record: Mapping[str, Any]) -> Curves:
    at = 25.0 if row.claim == "M17" else 50.0
    signed, uniform = record["signed"], record["uniform"]
    size = _percent(signed["sizes"])
    return Curves(
        curves=(
            Curve(
                name="pairs ordered right",
                x=size,
                y=_percent(signed["pairwise"]),
                error=_percent(signed["pairwise_error"]),
            ),
            Curve(name="best named right", x=size, y=_percent(signed["top_one"])),
            Curve(name="pairs, sizes drawn", x=size, y=_percent(uniform["pairwise"])),
            *(
                Curve(name=f"published, {what}", x=(at,), y=(value,), marks=True)
                for what, value in zip(("pairs", "best"), row.published_values, strict=False)
            ),
        ),
        x_axis="perturbation of every eigenvalue, %",
        y_axis="share, %",
        alt="Share of pairs ordered right and of best mechanisms named right, against how wrong "
        "the curvature is, with the published points.",
    )


def _reduction(entry: Mapping[str, Any]) -> Curves:
    windows = tuple(float(k) for k in entry["settings"]["windows"])
    curves = []
    for place, beta in enumerate(entry["settings"]["betas"]):
        ours = entry["ours"]
        half = [(b - a) / 2 for a, b in zip(ours["low"][place], ours["high"][place], strict=True)]
        formula = tuple(entry["published"]["reduction"][place])
        simulated = tuple(ours["reduction"][place])
        curves.append(Curve(name=f"β = {beta:g}", x=windows, y=formula))
        curves.append(
            Curve(name=f"β = {beta:g}, simulated", x=windows, y=simulated, error=tuple(half),
                  marks=True)
        )  # fmt: skip
    return Curves(
        curves=tuple(curves),
        x_axis="window k",
        y_axis="sampling variance falls by",
        alt="The formula as lines and simulation as points with 95 % intervals, against the "
        "window, for each β.",
    )


def _logistic(row: Row, entry: Mapping[str, Any]) -> Comparison | None:
    ours, published = entry["ours"], entry["published"]
    alt = f"{row.statement}: {row.published} published, {row.ours} here."
    if row.claim == "M25":
        return Comparison(
            categories=CONDITIONS,
            sides=(
                Side(name="published", values=row.published_values),
                Side(
                    name="ours, 95 % interval",
                    values=row.our_values,
                    low=tuple(ours["rank_low"]),
                    high=tuple(ours["rank_high"]),
                ),
            ),
            axis="NoiseCurve's rank among nine",
            reverse=True,
            alt=alt,
        )
    if row.claim in ("M26", "M27"):
        error, half = published["standard_error"], ours["half_width"]
        sides = (("published ± 2 SE", row.published_values, [2 * x for x in error]),
                 ("ours, 95 % interval", row.our_values, half))  # fmt: skip
        return Comparison(
            categories=CONDITIONS,
            sides=tuple(_around(*side) for side in sides),
            axis="excess loss (log scale)",
            log=True,
            alt=alt,
        )
    if row.claim in ("M29", "M32"):
        scale = 100.0 if row.claim == "M29" else 1.0
        return Comparison(
            categories=_PAIR if row.claim == "M29" else CONDITIONS,
            sides=(
                Side(name="published", values=row.published_values),
                Side(
                    name="ours, 95 % interval",
                    values=row.our_values,
                    low=tuple(scale * x for x in ours["low"]),
                    high=tuple(scale * x for x in ours["high"]),
                ),
            ),
            axis="regret, %" if row.claim == "M29" else "Kendall's τ",
            alt=alt,
        )
    if row.claim in ("M28", "M30"):
        return _bars(row, _PAIR, "%")
    return None


def _around(name: str, values: tuple[float, ...], half: Any) -> Side:
    pairs = list(zip(values, half, strict=True))
    return Side(
        name=name,
        values=values,
        low=tuple(a - b for a, b in pairs),
        high=tuple(a + b for a, b in pairs),
    )
