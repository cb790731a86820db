"""The claims about who wins: M4 to M7 and M12."""

from __future__ import annotations

from collections.abc import Sequence

from momentdp_core.experiments.schedule_table import ScheduleTable, schedule_table
from momentdp_core.experiments.slices import SliceCount, slice_count
from momentdp_core.experiments.verdicts import (
    EXACT,
    MOMENT_DP,
    NOT_REPRODUCED,
    SAME_DIRECTION,
    SAME_ORDER,
    STATISTICAL,
    Claim,
    Experiment,
    Finding,
    compare_numbers,
    figures,
    holds,
    relative_gap,
)
from momentdp_core.experiments.winners import MomentumTable, momentum_table

PUBLISHED_WINNERS = ("noisecurve", "dense", "dense", "dense", "dense")
PUBLISHED_SCHEDULE_WINNERS = ("dense", "toeplitz_mean", "toeplitz_mean")


def judge_winners(claim: Claim, record: MomentumTable) -> Finding:
    """The winner at each momentum is the published one."""
    return Finding(
        outcome=holds(record.winners == PUBLISHED_WINNERS),
        ours=", ".join(
            f"{w} at {mu:g}" for mu, w in zip(record.momenta, record.winners, strict=True)
        ),
        setting=record.setting,
        detail=f"The second is worse by {figures([100 * m for m in record.margins])} %.",
    )


def judge_columns(claim: Claim, record: MomentumTable) -> Finding:
    """NoiseCurve's score is right at zero momentum only, the optimizer-aware one always."""
    blind, aware = record.blind_correct, record.aware_correct
    fits = blind == tuple(mu == 0 for mu in record.momenta) and len(aware) == 5 and all(aware)
    words = ", ".join("correct" if right else "wrong" for right in blind)
    return Finding(
        outcome=holds(fits),
        ours=f"{words}; optimizer-aware correct {sum(aware)} of {len(aware)}",
        our_values=(float(sum(blind)), float(sum(aware))),
        setting=record.setting,
        detail="The truth is explicit covariance propagation, not the score itself.",
    )


def judge_slices(claim: Claim, record: SliceCount) -> Finding:
    """Seven of nine slices change their winner, at every rate."""
    counts = [sum(s.winner_changes for s in record.at(rate)) for rate in record.rates]
    totals = [len(record.at(rate)) for rate in record.rates]
    each = "; ".join(
        f"{c} of {n} at rate {r:g}" for c, n, r in zip(counts, totals, record.rates, strict=True)
    )
    values = (float(min(counts)), float(max(totals)))
    met = all(pair == claim.published_values for pair in zip(counts, totals, strict=True))
    return Finding(
        outcome=holds(met and len(counts) > 0),
        ours=each,
        our_values=values,
        setting=record.setting,
    )


def judge_lr_aware(claim: Claim, record: SliceCount) -> Finding:
    """The LR-aware ranking changes in none of the slices whose winner does."""
    changing = [s for s in record.slices if s.winner_changes]
    moved = sum(s.lr_aware_changes for s in changing)
    return Finding(
        outcome=holds(len(changing) > 0 and moved == 0),
        ours=f"{moved} of {len(changing)} over {len(record.rates)} rates",
        our_values=(float(moved), float(len(changing))),
        setting=record.setting,
    )


def judge_schedules(claim: Claim, record: ScheduleTable) -> Finding:
    """Compare the nine figures, and the winner of each row."""
    values = tuple(x for row in record.damage for x in row)
    if record.winners != PUBLISHED_SCHEDULE_WINNERS:
        outcome = NOT_REPRODUCED
    else:
        outcome = compare_numbers(claim.published_values, values, rounding=0.005)
        if outcome in (SAME_ORDER, SAME_DIRECTION, NOT_REPRODUCED):
            outcome = _rows_in_order(claim.published_values, values)
    gaps = [relative_gap(a, b) for a, b in zip(claim.published_values, values, strict=True)]
    rows = [
        f"{name} within {100 * max(gaps[3 * k : 3 * k + 3]):.0f} %"
        for k, name in enumerate(record.schedules)
    ]
    return Finding(
        outcome=outcome,
        ours="; ".join(figures(row, ".2f") for row in record.damage),
        our_values=values,
        setting=record.setting,
        detail=(
            f"Winners {', '.join(record.winners)}. {', '.join(rows)}. Looked for at "
            f"{len(record.elsewhere)} other condition numbers and rates."
        ),
    )


def _rows_in_order(published: Sequence[float], ours: Sequence[float]) -> str:
    """Return "same order" when each row of three is ordered as published, else by direction."""
    rows = [(published[k : k + 3], ours[k : k + 3]) for k in range(0, len(published), 3)]
    words = [compare_numbers(a, b) for a, b in rows]
    if NOT_REPRODUCED in words:
        return NOT_REPRODUCED
    return SAME_DIRECTION if SAME_DIRECTION in words else SAME_ORDER


EXPERIMENTS = (
    Experiment(
        key="momentum_table",
        title="Table 1: the winner as only the momentum changes",
        run=lambda seed, tell: momentum_table(),
    ),
    Experiment(
        key="slice_count",
        title="Nine curvature-schedule slices",
        run=lambda seed, tell: slice_count(tell=tell),
    ),
    Experiment(
        key="schedule_table",
        title="E.2: the winner by schedule",
        run=lambda seed, tell: schedule_table(),
    ),
)

CLAIMS = (
    Claim(
        id="M4",
        statement="Changing only the momentum changes the oracle-best mechanism",
        source=MOMENT_DP + "Table 1, Figure 1b",
        published="NoiseCurve at 0; Dense at 0.5, 0.8, 0.9, 0.95",
        kind=EXACT,
        study="momentum_table",
        judge=judge_winners,
    ),
    Claim(
        id="M5",
        statement="NoiseCurve's score is right at zero momentum only, the optimizer-aware always",
        source=MOMENT_DP + "Table 1",
        published="correct, wrong ×4; optimizer-aware correct 5 of 5",
        published_values=(1.0, 5.0),
        kind=EXACT,
        study="momentum_table",
        judge=judge_columns,
    ),
    Claim(
        id="M6",
        statement="The oracle-best mechanism changes with momentum in most slices",
        source=MOMENT_DP + "Section 3.1",
        published="7 of 9",
        published_values=(7.0, 9.0),
        kind=EXACT,
        study="slice_count",
        judge=judge_slices,
    ),
    Claim(
        id="M7",
        statement="The LR-aware ranking never changes with momentum in those slices",
        source=MOMENT_DP + "Section 3.1",
        published="0 of 7",
        published_values=(0.0, 7.0),
        kind=EXACT,
        study="slice_count",
        judge=judge_lr_aware,
    ),
    Claim(
        id="M12",
        statement="At momentum 0.9 the winner depends on the schedule (Dense, BandMF, Toeplitz)",
        source=MOMENT_DP + "Appendix E.2",
        published="21.86 / 22.12 / 34.26; 0.58 / 0.51 / 0.44; 0.66 / 0.58 / 0.50",
        published_values=(21.86, 22.12, 34.26, 0.58, 0.51, 0.44, 0.66, 0.58, 0.50),
        kind=STATISTICAL,
        study="schedule_table",
        judge=judge_schedules,
    ),
)
