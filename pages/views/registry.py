"""What "Registry" shows: every simulated gap, with its interval, beside the analytic one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from momentdp_core import Curvature, HeavyBall, Scenario, Schedule, evaluate
from momentdp_core.experiments.registry import CrossoverCase
from momentdp_core.experiments.validation import SimulatedGap
from pages.views import words

VERDICT_MARKS: Final = {"confirmed": "✔", "contradicted": "✘", "unresolved": "?"}


@dataclass(frozen=True, kw_only=True)
class GapLine:
    """One simulated gap, in units of the analytic gap.

    Args:
        label: which case and momentum.
        pair: who should do less damage than whom.
        ratio, low, high: of the simulated gap and its 95 % interval to the analytic gap.
        verdict: confirmed, contradicted or unresolved.
        runs: simulated trainings of each mechanism.
        analytic, simulated, half_width: the gaps themselves, loss units.
    """

    label: str
    pair: str
    ratio: float
    low: float
    high: float
    verdict: str
    runs: int
    analytic: float
    simulated: float
    half_width: float


@dataclass(frozen=True, kw_only=True)
class Gaps:
    """All gaps of a chart."""

    lines: tuple[GapLine, ...]
    alt: str


def scenario_of(case: CrossoverCase) -> Scenario:
    """Return the scenario of a frozen case, with its two mechanisms."""
    return Scenario(
        horizon=case.horizon,
        curvature=Curvature(
            family=case.spectrum, modes=case.modes, condition_number=case.condition_number
        ),
        schedule=Schedule(family=case.schedule),
        learning_rate=case.learning_rate,
        bands=case.bands,
        epsilon=case.epsilon,
        delta=case.delta,
        mechanisms=(case.better_at_low, case.better_at_high),
        optimizer=HeavyBall(),
    )


def case_link(case: CrossoverCase) -> str:
    """Return the link parameters that show a case in Explore."""
    values = {
        "spectrum": case.spectrum,
        "kappa": f"{case.condition_number:g}",
        "d": case.modes,
        "schedule": case.schedule,
        "rate": f"{case.learning_rate:g}",
        "T": case.horizon,
        "b": case.bands,
        "eps": f"{case.epsilon:g}",
        "mu": f"{case.low:g}",
        "mech": f"{case.better_at_low},{case.better_at_high}",
    }
    return "&".join(f"{name}={value}" for name, value in values.items())


def analytic_gap(scenario: Scenario, predicted: str, other: str, value: float) -> float:
    """Return the damage of the other mechanism minus that of the predicted one."""
    study = evaluate(scenario, np.array([value]))
    place = scenario.mechanisms.index
    return float(study.damage[place(other), 0] - study.damage[place(predicted), 0])


def line_of(label: str, gap: SimulatedGap, analytic: float) -> GapLine:
    """Return a gap in units of the analytic one."""
    return GapLine(
        label=label,
        pair=f"{words.name(gap.predicted)} over {words.name(gap.other)}",
        ratio=gap.gap / analytic,
        low=(gap.gap - gap.half_width) / analytic,
        high=(gap.gap + gap.half_width) / analytic,
        verdict=gap.verdict,
        runs=gap.runs,
        analytic=analytic,
        simulated=gap.gap,
        half_width=gap.half_width,
    )


def lines_of(number: int, case: Mapping[str, Any]) -> tuple[GapLine, ...]:
    """Return both sides of one validated case, given as the plain values of a record."""
    settings = CrossoverCase(**case["case"])
    scenario = scenario_of(settings)
    out = []
    for told in case["gaps"]:
        gap = SimulatedGap(**told)
        analytic = analytic_gap(scenario, gap.predicted, gap.other, gap.momentum)
        out.append(line_of(f"{number} at μ = {gap.momentum:g}", gap, analytic))
    return tuple(out)


def gaps_view(lines: Sequence[GapLine]) -> Gaps:
    """Return the view of several gaps."""
    inside = sum(line.low <= 1 <= line.high for line in lines)
    confirmed = sum(line.verdict == "confirmed" for line in lines)
    return Gaps(
        lines=tuple(lines),
        alt=(
            f"{len(lines)} simulated gaps with 95 % intervals, in units of the analytic gap: "
            f"{confirmed} confirmed, {inside} intervals hold the analytic gap."
        ),
    )


def gaps_of_record(record: Mapping[str, Any]) -> Gaps:
    """Return the view of a validated registry, given as the plain values of a record."""
    cases = enumerate(record["cases"], 1)
    return gaps_view([line for number, case in cases for line in lines_of(number, case)])


def settings_text(case: CrossoverCase) -> str:
    """Return the settings of a case in words."""
    told = asdict(case)
    return (
        f"{told['spectrum']}, κ {case.condition_number:g}, {case.schedule.replace('_', '-')}, "
        f"rate {case.learning_rate:g}"
    )
