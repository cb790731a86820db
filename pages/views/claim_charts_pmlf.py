"""The figures of P1 to P5: the formulas, the start-up, the order of the methods, the ablation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

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

Entry = Mapping[str, Any]
SHOWN_CUTOFF: Final = 0.1
_READ: Final = {"tuned": "each at its best rate", "common": "all at DPSGD's rate"}


def charts(row: Row, entry: Entry) -> tuple[Chart, ...]:
    """Return the figures of one of P1 to P5."""
    return CHARTS[row.claim](row, entry)


def _half(low: Any, high: Any) -> tuple[float, ...]:
    return tuple((b - a) / 2 for a, b in zip(low, high, strict=True))


def _reduction(row: Row, entry: Entry) -> tuple[Chart, ...]:
    windows = tuple(float(k) for k in entry["settings"]["windows"])
    curves = []
    for place, beta in enumerate(entry["settings"]["betas"]):
        ours = entry["ours"]
        half = _half(ours["low"][place], ours["high"][place])
        formula = tuple(entry["published"]["reduction"][place])
        simulated = tuple(ours["reduction"][place])
        curves.append(Curve(name=f"β = {beta:g}", x=windows, y=formula))
        curves.append(
            Curve(name=f"β = {beta:g}, simulated", x=windows, y=simulated, error=half, marks=True)
        )
    return (
        Curves(
            title="The formula as lines, simulation as points with 95 % intervals",
            curves=tuple(curves),
            x_axis="window k",
            y_axis="sampling variance falls by",
            ticks=windows,
            alt="The formula as lines and simulation as points with 95 % intervals, against the "
            "window, for each β.",
        ),
    )


def _filter(row: Row, entry: Entry) -> tuple[Chart, ...]:
    ours, cutoffs = entry["ours"], tuple(entry["settings"]["cutoffs"])
    factors = tuple(ours["suppression"])
    return (
        Curves(
            title="Noise suppressed, signal kept: the filter at several cutoffs",
            curves=(
                Curve(name="variance of the noise falls by", x=cutoffs, y=factors),
                Curve(
                    name="the same simulated, 95 % interval",
                    x=cutoffs,
                    y=tuple(ours["suppression_simulated"]),
                    error=_half(ours["low"], ours["high"]),
                    marks=True,
                ),
                Curve(name="ours, gain of the mean", x=cutoffs, y=tuple(ours["gain_at_zero"])),
                Curve(
                    name="published, gain of the mean",
                    x=cutoffs,
                    y=(entry["published"]["gain_at_zero"],) * len(cutoffs),
                    marks=True,
                ),
            ),
            x_axis="cutoff ω (log scale)",
            y_axis="factor (log scale)",
            x_log=True,
            y_log=True,
            ticks=cutoffs,
            alt=both(row),
        ),
    )


def _start(row: Row, entry: Entry) -> tuple[Chart, ...]:
    ours, cutoffs = entry["ours"], list(entry["settings"]["cutoffs"])
    place = cutoffs.index(SHOWN_CUTOFF)
    steps = tuple(float(t) for t in range(len(ours["output"][place])))
    some = steps[::4]
    return (
        Curves(
            title=f"The filter's output on a constant 1, cutoff {SHOWN_CUTOFF:g}",
            curves=(
                Curve(name="ours, with normalisation", x=steps, y=tuple(ours["output"][place])),
                Curve(
                    name="without it", x=steps, y=tuple(ours["output_without_normalisation"][place])
                ),
                Curve(
                    name="published: 1 from the first step",
                    x=some,
                    y=(1.0,) * len(some),
                    marks=True,
                ),
            ),
            x_axis="step",
            y_axis="output",
            alt=both(row),
        ),
        Comparison(
            title="Its first output is off by, at every cutoff",
            categories=tuple(f"ω = {x:g}" for x in cutoffs),
            sides=(
                Side(name="published", values=row.published_values * len(cutoffs)),
                Side(name="ours, with normalisation", values=tuple(ours["largest_deviation"])),
                Side(name="without it", values=tuple(ours["bias_without_normalisation"])),
            ),
            axis="distance from 1",
            alt=both(row),
        ),
    )


def _order(row: Row, entry: Entry) -> tuple[Chart, ...]:
    published, ours, names = entry["published"], entry["ours"], entry["settings"]["labels"]
    places = [(eps, key) for eps in published for key in published[eps]["order"]]
    labels = tuple(f"{names[key]}, ε {eps}" for eps, key in places)

    def rank(order: Any) -> tuple[float, ...]:
        return tuple(float(order(eps).index(key) + 1) for eps, key in places)

    return (
        Comparison(
            title="The order of the four methods, published (accuracy) and ours (excess loss)",
            categories=labels,
            sides=(
                Side(name="published", values=rank(lambda eps: published[eps]["order"])),
                *(
                    Side(
                        name=f"ours, {text}",
                        values=rank(lambda eps, which=which: ours[eps][which]["order"]),
                    )
                    for which, text in _READ.items()
                ),
            ),
            axis="rank of four",
            ranks=4,
            flat=True,
            alt=both(row),
        ),
        Comparison(
            title="How sure that is: excess loss over DPSGD's, each at its own best rate",
            categories=labels,
            sides=(
                around(
                    "ours, 95 % interval",
                    [ours[eps]["tuned"]["over_dpsgd"][key] for eps, key in places],
                    [ours[eps]["tuned"]["over_dpsgd_half_width"][key] for eps, key in places],
                ),
            ),
            axis="excess loss minus DPSGD's",
            flat=True,
            alt="Excess loss of each method minus that of DPSGD, with 95 % intervals.",
        ),
    )


def _ablation(row: Row, entry: Entry) -> tuple[Chart, ...]:
    ours = entry["ours"]
    epsilons = tuple(ours["epsilons"])
    both_ways = (
        ("ours", ours),
        ("ours, not normalised at the start", ours["without_normalisation"]),
    )
    return (
        Curves(
            title="What the filter adds to the loss; below 0 it helps",
            curves=(
                *(
                    Curve(
                        name=f"{name}, 95 % interval",
                        x=epsilons,
                        y=percent(found["effect"]),
                        error=percent(found["effect_half_width"]),
                    )
                    for name, found in both_ways
                ),
                flat_curve("no effect", epsilons, 0.0),
                Curve(
                    name="published: changes from help to harm",
                    x=row.published_values,
                    y=(0.0,),
                    marks=True,
                ),
            ),
            x_axis="ε (log scale)",
            y_axis="change of the excess loss, %",
            x_log=True,
            alt=both(row),
        ),
    )


CHARTS: Final[Mapping[str, Callable[[Row, Entry], tuple[Chart, ...]]]] = MappingProxyType(
    {"P1": _reduction, "P2": _filter, "P3": _start, "P4": _order, "P5": _ablation}
)
