"""How M25 to M32, on private logistic regression, are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from momentdp_core.experiments.logistic_evidence import Evidence
from momentdp_core.experiments.verdicts import (
    NOT_REPRODUCED,
    REPRODUCED,
    SAME_DIRECTION,
    SAME_ORDER,
    Claim,
    Finding,
    compare_numbers,
    figures,
)


def setting_of(settings: Mapping[str, Any]) -> str:
    """Return the setting of a run of the logistic study as one line."""
    return (
        f"{settings['data']}; η {settings['learning_rate']:g}, ε {settings['epsilon']:g}, "
        f"δ {settings['delta']:g}, b {settings['bands']}, {settings['replicates']} replicates, "
        f"seed {settings['seed']}, NoiseCurve by the {settings['noisecurve']}"
    )


def _record(claim: Claim, evidence: Evidence) -> tuple[dict[str, Any], str]:
    entry = evidence.numbers[claim.id]
    return entry["ours"], setting_of(entry["settings"])


def _numbers(values: Any) -> tuple[float, ...]:
    return tuple(float(x) for x in values)


def judge_rank(claim: Claim, evidence: Evidence) -> Finding:
    """All four ranks; else last under momentum only; else better without momentum than with it."""
    ours, setting = _record(claim, evidence)
    ranks = _numbers(ours["rank"])
    first, *others = ranks
    last = max(claim.published_values)
    outcome = NOT_REPRODUCED
    if ranks == claim.published_values:
        outcome = REPRODUCED
    elif all(x == last for x in others) and first < last:
        outcome = SAME_ORDER
    elif all(x > first for x in others):
        outcome = SAME_DIRECTION
    spans = zip(ours["rank_low"], ours["rank_high"], strict=True)
    detail = ["95 % rank intervals " + ", ".join(f"{low:g} to {high:g}" for low, high in spans)]
    if "rates" in ours:
        met = ", ".join(f"{x:g}" for x in ours["rates_met"]) or "none"
        admitted = [float(x) for x in ours["rates_admitted"]]
        inside = ", ".join(f"{x:g}" for x in admitted) or "none"
        outside = ", ".join(f"{x:g}" for x in ours["rates"] if float(x) not in admitted) or "none"
        detail.append(
            f"of {len(ours['rates'])} learning rates the published ranks come out at: {met}; "
            f"they lie inside the intervals at: {inside}; outside at: {outside}"
        )
    if "data_ranks" in ours:
        detail.append(
            f"NoiseCurve is last in all three conditions with momentum on "
            f"{_always_last(ours['data_ranks'], last)} of {len(ours['data_ranks'])} draws of the "
            "data"
        )
    if "data_ranks_solved" in ours:
        detail.append(
            f"the printed recipe ends {100 * ours['recipe_shortfall']:.0f} % above the objective "
            f"that can be reached; solved properly, NoiseCurve is last in all three on "
            f"{_always_last(ours['data_ranks_solved'], last)} of those draws"
        )
    return Finding(
        outcome=outcome,
        ours=", ".join(f"{x:g}/{last:g}" for x in ranks),
        our_values=ranks,
        setting=setting,
        detail=". ".join(text[0].upper() + text[1:] for text in detail) + ".",
    )


def _always_last(ranks: Any, last: float) -> int:
    """Return on how many rows every rank but the first is the last one."""
    return sum(all(x == last for x in row[1:]) for row in ranks)


def judge_loss(claim: Claim, evidence: Evidence) -> Finding:
    """Compare the four mean losses; the intervals and the range over data sets are told."""
    ours, setting = _record(claim, evidence)
    means, errors = _numbers(ours["mean"]), _numbers(ours["standard_error"])
    published = _numbers(evidence.numbers[claim.id]["published"]["standard_error"])
    near = sum(
        abs(a - b) <= 2 * (x * x + y * y) ** 0.5
        for a, b, x, y in zip(claim.published_values, means, published, errors, strict=True)
    )
    detail = f"{near} of {len(means)} are within two standard errors of the difference."
    if "mechanism" in ours:
        detail += f" The best here: {', '.join(ours['mechanism'])}."
    if "data_low" in ours:
        spans = zip(ours["data_low"], ours["data_high"], strict=True)
        ranges = ", ".join(f"{low:.4f} to {high:.4f}" for low, high in spans)
        detail += f" Over several draws of the data: {ranges}."
    return Finding(
        outcome=compare_numbers(claim.published_values, means, rounding=0.000005),
        ours=" / ".join(f"{m:.5f}±{e:.5f}" for m, e in zip(means, errors, strict=True)),
        our_values=means,
        setting=setting,
        detail=detail,
    )


def _gain(published: Sequence[float], ours: Sequence[float], rounding: float) -> str:
    """Compare two figures whose difference is the claim: its sign must be the published one."""
    if (published[1] - published[0]) * (ours[1] - ours[0]) <= 0:
        return NOT_REPRODUCED
    word = compare_numbers(published, ours, rounding=rounding)
    return SAME_DIRECTION if word == SAME_ORDER else word


def judge_accuracy(claim: Claim, evidence: Evidence) -> Finding:
    """The optimizer-aware score orders more of the resolved pairs; then by figure."""
    ours, setting = _record(claim, evidence)
    if None in ours["accuracy"]:
        return Finding(outcome=NOT_REPRODUCED, ours="no pair is resolved", setting=setting)
    values = tuple(100 * float(x) for x in ours["accuracy"])
    detail = ""
    if None not in ours["strict_accuracy"]:
        strict = figures([100 * x for x in ours["strict_accuracy"]])
        detail = (
            f"Resolved by {ours['strict_errors']:g} standard errors instead of the 95 % interval: "
            f"{strict} % over {ours['strict_resolved']} pairs."
        )
    return Finding(
        outcome=_gain(claim.published_values, values, 0.05),
        ours=f"{figures(values)} % over {ours['resolved']} of {ours['pairs']} pairs",
        our_values=values,
        setting=setting,
        detail=detail,
    )


def judge_regret(claim: Claim, evidence: Evidence) -> Finding:
    """The optimizer-aware choice loses less than the static one; then by figure."""
    ours, setting = _record(claim, evidence)
    values = tuple(100 * x for x in _numbers(ours["regret"]))
    low, high = ([100 * float(x) for x in ours[name]] for name in ("low", "high"))
    spans = ", ".join(f"{a:.2f} to {b:.2f} %" for a, b in zip(low, high, strict=True))
    return Finding(
        outcome=_gain(claim.published_values, values, 0.005),
        ours=f"{figures(values, '.2f')} %",
        our_values=values,
        setting=setting,
        detail=f"95 % bootstrap intervals {spans}.",
    )


def judge_top_one(claim: Claim, evidence: Evidence) -> Finding:
    """Both scores name the best mechanism equally often; then by figure."""
    ours, setting = _record(claim, evidence)
    values = tuple(100 * x for x in _numbers(ours["top_one"]))
    outcome = NOT_REPRODUCED
    if values[0] == values[1]:
        near = compare_numbers(claim.published_values, values, rounding=0.05)
        outcome = SAME_DIRECTION if near == NOT_REPRODUCED else near
    detail = []
    if "rates" in ours:
        shares = [_numbers(pair) for pair in ours["top_one_by_rate"]]
        equal = [f"{x:g}" for x, (a, b) in zip(ours["rates"], shares, strict=True) if a == b]
        detail.append(
            f"Of {len(shares)} learning rates the two agree equally often at: "
            f"{', '.join(equal) or 'none'}; static {_span(a for a, _ in shares)}, "
            f"optimizer-aware {_span(b for _, b in shares)}."
        )
    if "not_told_from_best" in ours:
        near_best = figures([100 * x for x in _numbers(ours["not_told_from_best"])])
        detail.append(
            f"Counted as agreement when the 95 % rank interval of the first choice holds rank 1, "
            f"so that it cannot be told from the best: {near_best} %."
        )
    return Finding(
        outcome=outcome,
        ours=f"{figures(values)} %",
        our_values=values,
        setting=setting,
        detail=" ".join(detail),
    )


def _span(shares: Iterable[float]) -> str:
    percent = [100 * share for share in shares]
    return f"{min(percent):.1f} to {max(percent):.1f} %"


def judge_curvature(claim: Claim, evidence: Evidence) -> Finding:
    """The best is the same in four of four and the order in as many as published; then by size."""
    ours, setting = _record(claim, evidence)
    found = (float(ours["same_top"]), float(ours["same_order"]))
    values = (100 * float(ours["largest_discrepancy"]), *found)
    outcome = NOT_REPRODUCED
    if found == claim.published_values[1:]:
        near = compare_numbers(claim.published_values[:1], values[:1], rounding=0.05)
        outcome = SAME_DIRECTION if near == NOT_REPRODUCED else near
    elif found[0] == claim.published_values[1]:
        outcome = SAME_DIRECTION
    return Finding(
        outcome=outcome,
        ours=f"{values[0]:.1f} %; top-1 in {found[0]:g} of 4; whole order in {found[1]:g} of 4",
        our_values=values,
        setting=setting,
    )


def judge_kendall(claim: Claim, evidence: Evidence) -> Finding:
    """Compare the four correlations; else they must at least all be above 0."""
    ours, setting = _record(claim, evidence)
    values = _numbers(ours["kendall"])
    outcome = compare_numbers(claim.published_values, values, rounding=0.0005)
    if outcome in (SAME_DIRECTION, NOT_REPRODUCED):
        outcome = SAME_DIRECTION if all(x > 0 for x in values) else NOT_REPRODUCED
    spans = zip(ours["low"], ours["high"], strict=True)
    return Finding(
        outcome=outcome,
        ours=figures(values, ".3f"),
        our_values=values,
        setting=setting,
        detail=(
            "95 % bootstrap intervals "
            + ", ".join(f"{low:.2f} to {high:.2f}" for low, high in spans)
            + f". With the curvature of all rows: {figures(_numbers(ours['kendall_full']), '.3f')}."
        ),
    )
