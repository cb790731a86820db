"""The claims about how well scores rank the mechanisms: M8 to M11 and M13 to M16."""

from __future__ import annotations

from collections.abc import Callable

from momentdp_core.experiments.rankings import Rankings, ScoreQuality, rankings
from momentdp_core.experiments.verdicts import (
    MOMENT_DP,
    NOT_REPRODUCED,
    STATISTICAL,
    Claim,
    Experiment,
    Finding,
    compare_numbers,
    figures,
)

HELD_OUT = {
    "momentum": "conditions with μ = 0.95",
    "schedule": "conditions with the warmup-cosine schedule",
    "condition number": "conditions with log-spaced κ = 1000",
    "BISR": "pairs with a BISR variant (bisr, bandinv_mean, bandinv_max)",
}


def _judge_quality(
    pick: Callable[[ScoreQuality], tuple[float, ...]], scale: float, form: str
) -> Callable[[Claim, Rankings], Finding]:
    def judge(claim: Claim, record: Rankings) -> Finding:
        """Compare the three blind scores by figure or order; the fourth must be perfect."""
        ours = tuple(scale * x for x in pick(record.broad))
        narrow = tuple(scale * x for x in pick(record.narrow))
        rounding = 0.5 * 10.0 ** -int(form[1])
        perfect = abs(ours[3] - claim.published_values[3]) <= 1e-9 * scale
        told = compare_numbers(claim.published_values[:3], ours[:3], rounding=rounding)
        also = compare_numbers(claim.published_values[:3], narrow[:3], rounding=rounding)
        detail = f"On a narrower grid ({record.narrow_setting}): {figures(narrow, form)}: {also}."
        if pick(record.broad) == record.broad.regret:
            medians = [scale * x for x in record.broad.median_regret]
            detail += f" Median regret on the broad grid: {figures(medians, form)}."
        return Finding(
            outcome=told if perfect else NOT_REPRODUCED,
            ours=figures(ours, form),
            our_values=ours,
            setting=record.setting,
            detail=detail,
        )

    return judge


def _judge_held_out(split: str) -> Callable[[Claim, Rankings], Finding]:
    def judge(claim: Claim, record: Rankings) -> Finding:
        """Compare the accuracies of the three blind scores on one split."""
        ours = tuple(100 * x for x in record.held_out[split][:3])
        others = "; ".join(
            f"{name}: {figures([100 * x for x in values[:3]])}"
            for name, values in record.every_split.items()
        )
        return Finding(
            outcome=compare_numbers(claim.published_values, ours, rounding=0.05),
            ours=figures(ours),
            our_values=ours,
            setting=f"{HELD_OUT[split]}; {record.setting}",
            detail=f"Other splits: {others}.",
        )

    return judge


def _table_3(id: str, what: str, pick: str, values: tuple[float, ...], scale: float) -> Claim:
    form = ".1f" if scale == 100 else ".3f"
    return Claim(
        id=id,
        statement=f"{what} of static MeanSE, LR-aware, curvature and schedule, optimizer-aware",
        source=MOMENT_DP + "Table 3",
        published=figures(values, form),
        published_values=values,
        kind=STATISTICAL,
        study="rankings",
        judge=_judge_quality(lambda quality: getattr(quality, pick), scale, form),
    )


def _held_out(id: str, split: str, values: tuple[float, ...]) -> Claim:
    return Claim(
        id=id,
        statement=f"Held-out {split}: pairwise accuracy of static, LR-aware, curvature-schedule",
        source=MOMENT_DP + "Appendix E.3",
        published=figures(values),
        published_values=values,
        kind=STATISTICAL,
        study="rankings",
        judge=_judge_held_out(split),
    )


EXPERIMENTS = (
    Experiment(
        key="rankings",
        title="Table 3 and the held-outs on the broad grid",
        run=lambda seed, tell: rankings(tell=tell),
        long=True,
    ),
)

CLAIMS = (
    _table_3("M8", "Pairwise accuracy", "pairwise", (58.0, 60.8, 75.8, 100.0), 100),
    _table_3("M9", "Kendall's τ", "tau", (0.143, 0.200, 0.501, 1.0), 1),
    _table_3("M10", "Relative regret", "regret", (12.7, 11.7, 20.1, 0.0), 100),
    _table_3("M11", "Top-1 accuracy", "top_one", (33.3, 33.3, 36.7, 100.0), 100),
    _held_out("M13", "momentum", (55.0, 53.2, 60.8)),
    _held_out("M14", "schedule", (58.5, 62.8, 68.6)),
    _held_out("M15", "condition number", (68.3, 70.4, 83.9)),
    _held_out("M16", "BISR", (59.1, 59.1, 73.3)),
)
