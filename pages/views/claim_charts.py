"""The figures of the claims: published beside ours, from a study's record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pages.views import claim_charts_designs as designs
from pages.views import claim_charts_exact as exact
from pages.views import claim_charts_pmlf as pmlf
from pages.views import claim_charts_winners as winners
from pages.views.claim_parts import (
    Chart,
    Comparison,
    Curve,
    Curves,
    Side,
    around,
    both,
    flat_curve,
    percent,
)
from pages.views.evidence import Row

SCORES: Final = ("Static MeanSE", "LR-aware", "Curvature + schedule", "Optimizer-aware")
CONDITIONS: Final = (
    "L0: no momentum", "L1: momentum 0.9", "L2: 0.9, cosine", "L3: 0.9, warm-up cosine"
)  # fmt: skip
_PAIR: Final = ("static", "optimizer-aware")
_WINNERS: Final = ("Dense", "BandMF", "Toeplitz")
_BY_CLAIM: Final = {**exact.CHARTS, **winners.CHARTS, **designs.CHARTS}
_OWN: Final = "blind_protocol"  # its figure is that of the page Registry


def charts_of(row: Row, record: Mapping[str, Any]) -> tuple[Chart, ...]:
    """Return the figures of a claim, the main one first; M24 has that of the page Registry."""
    if row.study == _OWN:
        return ()
    if row.study == "pmlf":
        return pmlf.charts(row, record["numbers"][row.claim])
    if row.study == "logistic":
        return _logistic(row, record["numbers"][row.claim])
    if row.claim in _BY_CLAIM:
        return _BY_CLAIM[row.claim](row, record)
    return (_ranking(row, record),)


def _ranking(row: Row, record: Mapping[str, Any]) -> Chart:
    if row.claim in ("M17", "M18"):
        return _perturbation(row, record)
    if row.claim == "M12":
        rows = ("constant", "cosine", "warm-up cosine")
        labels = tuple(f"{m}, {schedule}" for schedule in rows for m in _WINNERS)
        return _bars(row, labels, "damage (log scale)", log=True)
    if row.claim in ("M13", "M14", "M15", "M16"):
        return _bars(row, SCORES[:3], "pairwise accuracy, %")
    return _bars(row, SCORES, "τ" if row.claim == "M9" else "%")


def _bars(row: Row, categories: tuple[str, ...], axis: str, *, log: bool = False) -> Comparison:
    count = len(categories)
    return Comparison(
        title=f"{row.statement}, published and ours",
        categories=categories,
        sides=(
            Side(name="published", values=row.published_values[:count]),
            Side(name="ours", values=row.our_values[:count]),
        ),
        axis=axis,
        log=log,
        alt=both(row),
    )


def _perturbation(row: Row, record: Mapping[str, Any]) -> Curves:
    at = 25.0 if row.claim == "M17" else 50.0
    signed, uniform = record["signed"], record["uniform"]
    size = percent(signed["sizes"])
    return Curves(
        title="How well the ranking survives wrong eigenvalues, ours over all sizes",
        curves=(
            Curve(
                name="pairs ordered right",
                x=size,
                y=percent(signed["pairwise"]),
                error=percent(signed["pairwise_error"]),
            ),
            Curve(name="best named right", x=size, y=percent(signed["top_one"])),
            Curve(name="pairs, sizes drawn", x=size, y=percent(uniform["pairwise"])),
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


def _logistic(row: Row, entry: Mapping[str, Any]) -> tuple[Chart, ...]:
    if row.claim == "M31":
        return _curvature(row, entry)
    if row.claim == "M30":
        return (_bars(row, _PAIR, "best named, %"), *_agreement(row, entry))
    return (_training(row, entry),)


def _training(row: Row, entry: Mapping[str, Any]) -> Comparison:
    ours, published = entry["ours"], entry["published"]
    if row.claim == "M28":
        return _bars(row, _PAIR, "resolved pairs ordered right, %")
    if row.claim in ("M26", "M27"):
        sides = (
            around(
                "published ± 2 SE",
                row.published_values,
                [2 * x for x in published["standard_error"]],
            ),
            around("ours, 95 % interval", row.our_values, ours["half_width"]),
        )
        return Comparison(
            title="Excess loss under each optimizer condition, published and ours",
            categories=CONDITIONS,
            sides=sides,
            axis="excess loss (log scale)",
            log=True,
            alt=both(row),
        )
    ranks, regret = row.claim == "M25", row.claim == "M29"
    low, high = ("rank_low", "rank_high") if ranks else ("low", "high")
    scale = 100.0 if regret else 1.0
    axis = "NoiseCurve's rank among nine" if ranks else "regret, %" if regret else "Kendall's τ"
    return Comparison(
        title=f"{row.statement}, published and ours",
        categories=_PAIR if regret else CONDITIONS,
        sides=(
            Side(name="published", values=row.published_values),
            Side(
                name="ours, 95 % interval",
                values=row.our_values,
                low=tuple(scale * x for x in ours[low]),
                high=tuple(scale * x for x in ours[high]),
            ),
        ),
        axis=axis,
        ranks=9 if ranks else 0,
        alt=both(row),
    )


def _agreement(row: Row, entry: Mapping[str, Any]) -> tuple[Curves, ...]:
    ours = entry["ours"]
    if "rates" not in ours:
        return ()
    rates = tuple(ours["rates"])
    shares = [percent(column) for column in zip(*ours["top_one_by_rate"], strict=True)]
    return (
        Curves(
            title="The same at every learning rate of the sweep (the paper prints none)",
            curves=(
                *(
                    Curve(name=f"ours, {n}", x=rates, y=y)
                    for n, y in zip(_PAIR, shares, strict=True)
                ),
                flat_curve("published, both", rates, row.published_values[0]),
            ),
            x_axis="learning rate η (log scale)",
            y_axis="best named, %",
            x_log=True,
            alt="Share of conditions whose best mechanism each score names, over learning rates.",
        ),
    )


def _curvature(row: Row, entry: Mapping[str, Any]) -> tuple[Chart, ...]:
    size = tuple(abs(x) for x in percent(entry["ours"]["discrepancy"]))
    place = tuple(float(n) for n in range(1, len(size) + 1))
    return (
        Curves(
            title="How far each eigenvalue of 500 examples is from that of all",
            curves=(
                Curve(name="ours", x=place, y=size),
                flat_curve("published, the largest", place, row.published_values[0]),
            ),
            x_axis="eigenvalue, from the largest",
            y_axis="discrepancy, %",
            alt=both(row),
        ),
        Comparison(
            title="Of four optimizer conditions, those in which the prediction is the same",
            categories=("same best", "same whole order"),
            sides=(
                Side(name="published", values=row.published_values[1:]),
                Side(name="ours", values=row.our_values[1:]),
            ),
            axis="conditions of 4",
            alt=both(row),
        ),
    )
