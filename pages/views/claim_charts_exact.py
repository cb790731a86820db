"""The figures of M1 to M3, M19 and M33: identities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

from momentdp_core.experiments.validation import NORMAL_95
from pages.views import words
from pages.views.claim_parts import SCHEDULES, Chart, Comparison, Curve, Curves, Side, around, both
from pages.views.evidence import Row

Record = Mapping[str, Any]


def _sampled(row: Row, record: Record) -> tuple[Chart, ...]:
    cases = record["cases"]
    names = tuple(
        f"{words.name(c['mechanism'])}, {SCHEDULES[c['schedule']]}, μ {c['momentum']:g}"
        for c in cases
    )
    return (
        Comparison(
            title="Mean loss of simulated trainings minus the formula",
            categories=names,
            sides=(
                Side(name="published: no difference", values=(0.0,) * len(cases)),
                around(
                    "ours, sampled, 95 % interval",
                    [c["deviation"] for c in cases],
                    [NORMAL_95] * len(cases),
                ),
            ),
            axis="difference, standard errors",
            flat=True,
            alt=both(row),
        ),
        Comparison(
            title="Explicit propagation of covariances against the formula",
            categories=names,
            sides=(
                Side(name="published: no difference", values=(0.0,) * len(cases)),
                Side(name="ours", values=tuple(c["propagation_gap"] for c in cases)),
            ),
            axis="relative difference",
            flat=True,
            alt=both(row),
        ),
    )


def _identity(row: Row, record: Record) -> tuple[Chart, ...]:
    names = tuple(words.name(key) for key in record["mechanisms"])
    return (
        Comparison(
            title="The largest relative difference of the three routes, by mechanism and horizon",
            categories=names,
            sides=(
                Side(name="published, worst of all", values=row.published_values[2:] * len(names)),
                *(
                    Side(name=f"ours, T = {horizon}", values=tuple(worst))
                    for horizon, worst in zip(record["horizons"], record["worst_by"], strict=True)
                ),
            ),
            axis="relative difference (log scale)",
            log=True,
            flat=True,
            alt=both(row),
        ),
    )


def _crossings(row: Row, record: Record) -> tuple[Chart, ...]:
    middle = tuple((a + b) / 2 for a, b in pairwise(record["edges"]))
    return (
        Curves(
            title="Crossovers between two mechanisms, by the momentum where they lie",
            curves=(
                Curve(name="reported", x=middle, y=tuple(map(float, record["reported_by"]))),
                Curve(
                    name="confirmed on both sides",
                    x=middle,
                    y=tuple(map(float, record["confirmed_by"])),
                    marks=True,
                ),
                Curve(
                    name="a momentum-blind score right on both sides",
                    x=middle,
                    y=tuple(map(float, record["blind_by"])),
                ),
            ),
            x_axis="momentum μ, intervals of 0.05",
            y_axis="crossovers",
            alt=both(row),
        ),
    )


def _epsilon(row: Row, record: Record) -> tuple[Chart, ...]:
    epsilons = tuple(record["epsilons"])
    marks = (("the smallest", "smallest_ratio"), ("the largest", "largest_ratio"))
    return (
        Curves(
            title="Damage at ε over damage at the smallest ε, for every mechanism and momentum",
            curves=(
                Curve(name="published: one factor σ²/σ₀²", x=epsilons, y=tuple(record["factors"])),
                *(
                    Curve(
                        name=f"ours, {name}",
                        x=epsilons,
                        y=tuple(record[key]),
                        marks=True,
                    )
                    for name, key in marks
                ),
            ),
            x_axis="ε (log scale)",
            y_axis="ratio of damages (log scale)",
            x_log=True,
            y_log=True,
            alt=both(row),
        ),
    )


def _trajectory(row: Row, record: Record) -> tuple[Chart, ...]:
    conditions = record["conditions"]
    names = tuple(dict.fromkeys(_condition(c) for c in conditions))
    momenta = dict.fromkeys(c["momentum"] for c in conditions)
    by = {mu: [c for c in conditions if c["momentum"] == mu] for mu in momenta}
    return (
        Comparison(
            title="Agreement of the ranks by trajectory-weighted and by final damage",
            categories=names,
            sides=tuple(
                Side(name=f"ours, μ = {mu:g}", values=tuple(c["tau"] for c in some))
                for mu, some in by.items()
            ),
            axis="Kendall's τ (1: the same ranks)",
            flat=True,
            alt=both(row),
        ),
        Comparison(
            title="How far apart the mechanisms are by each of the two",
            categories=names,
            sides=tuple(
                Side(name=f"{what}, μ = {mu:g}", values=tuple(c[key] for c in some))
                for mu, some in by.items()
                for what, key in (("final", "final_spread"), ("trajectory", "trajectory_spread"))
            ),
            axis="standard deviation of ln D",
            flat=True,
            alt="Spread of the logarithm of the damage over the mechanisms, by both scores.",
        ),
    )


def _condition(entry: Record) -> str:
    return f"κ {entry['condition_number']:g}, {SCHEDULES[entry['schedule']]}"


CHARTS: Final[Mapping[str, Callable[[Row, Record], tuple[Chart, ...]]]] = MappingProxyType(
    {"M1": _sampled, "M2": _identity, "M3": _crossings, "M19": _epsilon, "M33": _trajectory}
)
