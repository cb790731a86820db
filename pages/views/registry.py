"""What "Registry" shows: every simulated gap, with its interval, beside the analytic one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from momentdp_core import (
    SCHEDULES,
    SPECTRA,
    Curvature,
    HeavyBall,
    InputError,
    Scenario,
    Schedule,
    Study,
    evaluate,
)
from momentdp_core.experiments.registry import CrossoverCase
from momentdp_core.experiments.validation import SimulatedGap
from pages.views import words
from pages.views.readout import Readout
from pages.views.swept import swept_of

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


def case_gaps(case: CrossoverCase) -> tuple[float, float]:
    """Return the analytic gaps of a case at its low and its high momentum."""
    scenario, pair = scenario_of(case), (case.better_at_low, case.better_at_high)
    low = analytic_gap(scenario, *pair, case.low)
    return low, analytic_gap(scenario, *pair[::-1], case.high)


def case_of(told: Mapping[str, Any]) -> CrossoverCase:
    """Return the settings of a validated case, given as the plain values of a record."""
    return CrossoverCase(**told["case"])


def lines_of(
    number: int, told: Mapping[str, Any], analytic: tuple[float, float]
) -> tuple[GapLine, ...]:
    """Return both sides of one validated case, given as the plain values of a record."""
    gaps = [SimulatedGap(**gap) for gap in told["gaps"]]
    return tuple(
        line_of(f"{number} at μ = {gap.momentum:g}", gap, size)
        for gap, size in zip(gaps, analytic, strict=True)
    )


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


@dataclass(frozen=True, kw_only=True)
class CaseRow:
    """One frozen case in the table; all texts, `link` opens it in Explore."""

    number: int
    setting: str
    low: str
    high: str
    better_at_low: str
    better_at_high: str
    verdict: str
    runs: str
    link: str


def case_rows(record: Mapping[str, Any]) -> tuple[CaseRow, ...]:
    """Return the table of a validated registry, given as the plain values of a record."""
    rows = []
    for number, told in enumerate(record["cases"], 1):
        case = case_of(told)
        gaps = [SimulatedGap(**gap) for gap in told["gaps"]]
        verdict = verdict_of(gaps)
        rows.append(
            CaseRow(
                number=number,
                setting=settings_text(case),
                low=f"{case.low:g}",
                high=f"{case.high:g}",
                better_at_low=words.name(case.better_at_low),
                better_at_high=words.name(case.better_at_high),
                verdict=f"{VERDICT_MARKS[verdict]} {verdict}",
                runs=f"{max(gap.runs for gap in gaps)}",
                link=case_link(case),
            )
        )
    return tuple(rows)


def verdict_of(gaps: Sequence[SimulatedGap]) -> str:
    """Return the verdict on a case: confirmed only if both sides are."""
    found = {gap.verdict for gap in gaps}
    return next(word for word in ("contradicted", "unresolved", "confirmed") if word in found)


def readouts(record: Mapping[str, Any], gaps: Gaps) -> tuple[Readout, ...]:
    """Return the three numbers of a validated registry."""
    rows = case_rows(record)
    confirmed = sum(row.verdict.endswith("confirmed") for row in rows)
    inside = sum(line.low <= 1 <= line.high for line in gaps.lines)
    return (
        Readout(
            key="confirmed",
            label="Confirmed cases",
            value=f"{confirmed} of {len(rows)}",
            detail="the predicted order at both momenta, by simulation alone",
        ),
        Readout(
            key="inside",
            label="Intervals that hold the predicted size",
            value=f"{inside} of {len(gaps.lines)}",
            detail="95 % intervals: about one in twenty misses by chance",
        ),
        Readout(
            key="runs",
            label="Simulated trainings",
            value=f"{sum(line.runs for line in gaps.lines):,}".replace(",", " "),
            detail="of each of the two mechanisms, on the same draws",
        ),
    )


@dataclass(frozen=True, kw_only=True)
class OwnPair:
    """The reader's own case: which of two mechanisms the formula puts ahead, and by how much."""

    scenario: Scenario
    value: float
    predicted: str
    other: str
    gap: float


def own_pair(study: Study, value: float, first: str, second: str | None) -> OwnPair:
    """Return what the formula says about two mechanisms at a swept value.

    Args:
        study: with both mechanisms.
        value: one of the study's.
        first: key of one.
        second: key of the other; None is the best one here beside the first.

    Raises:
        InputError: training is unstable, or both do the same damage.
    """
    at = study.at(value)
    damage = dict(zip(study.mechanisms, study.damage[:, at].tolist(), strict=True))
    other = second or min((key for key in damage if key != first), key=damage.__getitem__)
    better, worse = sorted((first, other), key=damage.__getitem__)
    gap = damage[worse] - damage[better]
    stable = all(study.stable[study.mechanisms.index(key), at] for key in (first, other))
    if not stable:
        limit = f"less than {words.number(float(study.stability_limit[at]))}"
        raise InputError("peak rate", study.scenario.learning_rate, limit, "Use a smaller one.")
    if gap <= 1e-9 * damage[worse]:
        wanted = f"one that does another damage here than {words.name(first)}"
        raise InputError("Mechanism b", words.name(other), wanted, "These two tie: choose again.")
    return OwnPair(
        scenario=replace(study.scenario, mechanisms=(better, worse)),
        value=value,
        predicted=better,
        other=worse,
        gap=gap,
    )


def prediction(pair: OwnPair) -> str:
    """Say what the formula predicts about the reader's own case."""
    symbol = swept_of(pair.scenario.optimizer).symbol
    return (
        f"The formula predicts: at {symbol} = {pair.value:g}, {words.name(pair.predicted)} does "
        f"less damage than {words.name(pair.other)}, by {words.number(pair.gap)}."
    )


def answer(pair: OwnPair, gap: SimulatedGap) -> str:
    """Say what the simulator found about the reader's own case."""
    found = f"{words.number(gap.gap)} ± {words.number(gap.half_width)} (95 % interval)"
    meaning = {
        "confirmed": "the predicted order is confirmed",
        "contradicted": "the predicted order is contradicted",
        "unresolved": "the difference is too small to be told apart with so many runs",
    }[gap.verdict]
    inside = abs(gap.gap - pair.gap) <= gap.half_width
    holds = "holds" if inside else "does not hold"
    return (
        f"{VERDICT_MARKS[gap.verdict]} {gap.runs} simulated trainings: {found}; {meaning}. The "
        f"interval {holds} the predicted {words.number(pair.gap)}."
    )


def settings_text(case: CrossoverCase) -> str:
    """Return the settings of a case in words."""
    spectrum, schedule = SPECTRA[case.spectrum].label, SCHEDULES[case.schedule].label
    return f"{spectrum}, κ {case.condition_number:g}, {schedule}, rate {case.learning_rate:g}"
