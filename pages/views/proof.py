"""What private training says about designs: which kind is suggested, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from momentdp_core.experiments.design_proof import NEGLIGIBLE_SHARE
from pages.views.logistic import NAMES

Report = Mapping[str, Any]


def told_on(shipped: Mapping[str, Any]) -> str:
    """Say when and with what the study was computed.

    >>> told_on({"date": "d", "environment": {"momentdp": "v"}, "seed": 0})
    'Shipped: d, momentdp v, seed 0.'
    """
    version = shipped["environment"]["momentdp"]
    return f"Shipped: {shipped['date']}, momentdp {version}, seed {shipped['seed']}."


def suggestion(report: Report) -> str:
    """Say which kind is suggested and how it did on the fresh replicates."""
    found = report["verdict"]
    kind = in_words(report, found["best"])
    tuned, sweep = found["tuned"], found["sweep"]
    did = (
        f"On fresh replicates and with tuned rates, it ends better than the best published "
        f"mechanism in {_share(tuned, 'better')} cases ({lower(report)}) and worse in "
        f"{tuned['worse']}; over all rates, better in {_share(sweep, 'better')} and worse in "
        f"{sweep['worse']}."
    )
    if found["suggested"] is None:
        return (
            f"No design is suggested: of {len(report['kinds'])} kinds, {kind} did best in real "
            f"private training, but not well enough. {did}"
        )
    return (
        f"Suggested: **{kind}**, the best of {len(report['kinds'])} kinds of design in "
        f"real private training. {did}"
    )


def lower(report: Report) -> str:
    """Say by how much the loss is lower with tuned rates, over the conditions, at each ε."""
    kind, said = report["verdict"]["best"], []
    for epsilon in report["settings"]["epsilons"]:
        proofs = [proof for proof in report["proofs"] if proof["epsilon"] == epsilon]
        gains = [-relative(proof["tuned"][kind])[0] for proof in proofs]
        said.append(f"by {percent(min(gains))} to {percent(max(gains))} at ε = {epsilon:g}")
    return ", ".join(said)


def in_words(report: Report, kind: str) -> str:
    """Return what a kind of design is, as the controls of "Design" have it."""
    told = report["kinds"][kind]
    said = "a banded design" if told["banded"] else "a full design"
    low = f"{report['lowest_curvature']:g}"
    said += f" for curvature × {low} to 1" if told["ranged"] else " for the curvature as it is"
    way = told["path_share"]
    if way is None:
        return said + ", and the loss on the way alone"
    return said + (f", the loss on the way counted × {way:g}" if way else "")


def _share(counts: Mapping[str, int], word: str) -> str:
    return f"{counts[word]} of {sum(counts.values())}"


def method(report: Report) -> str:
    """Say how was chosen and confirmed."""
    told = report["settings"]
    count = told["replicates"]
    targets = " and ".join(f"{epsilon:g}" for epsilon in told["epsilons"])
    return (
        f"The paper's private logistic regression under {len(told['conditions'])} conditions, "
        f"{len(told['rates'])} rates and ε = {targets}: {len(told['kinds'])} kinds of design "
        f"beside {len(told['pool'])} published mechanisms. {count} paired replicates choose each "
        f"mechanism's rate, the best published one and the kind; {count} fresh ones give the "
        "differences shown, with paired 95 % intervals. Each replicate's noise is used with both "
        "signs, which leaves the mean as it is and narrows the intervals."
    )


def choice(report: Report) -> str:
    """Say by what the kind was chosen, and what would have been chosen otherwise."""
    score = report["score"]
    best = min(score, key=lambda key: score[key])
    said = (
        "Chosen is the least loss as a multiple of the best published one, on average over "
        f"conditions, rates and ε: {score[best]:.3f} for “{label_of(report, best)}”."
    )
    others = [
        (f"ε = {epsilon} alone", alone) for epsilon, alone in report["score_by_epsilon"].items()
    ]
    for where, alone in (*others, ("tuned rates alone", report["score_tuned"])):
        first = min(alone, key=lambda key: alone[key])
        if first == best:
            said += f" By {where} it is the same kind, with {alone[best]:.3f}."
        else:
            said += (
                f" By {where} it would be “{label_of(report, first)}”, with {alone[first]:.3f} "
                f"instead of {alone[best]:.3f}."
            )
    return said


def privacy(report: Report) -> str:
    """Say how large a part of the loss privacy is, and where it is too small to matter."""
    said = []
    for epsilon in report["settings"]["epsilons"]:
        proofs = [p for p in report["proofs"] if p["epsilon"] == epsilon]
        parts = [proof["privacy"] for proof in proofs]
        line = (
            f"With ε = {epsilon:g} and tuned rates, privacy noise is {percent(min(parts))} to "
            f"{percent(max(parts))} of the best published loss."
        )
        if max(parts) < NEGLIGIBLE_SHARE:
            line += " That is too small a part for any mechanism to matter much."
        elif min(parts) < NEGLIGIBLE_SHARE:
            line += f" Below {percent(NEGLIGIBLE_SHARE)}, no mechanism can matter much."
        said.append(line)
    return " ".join(said)


def partitions(report: Report) -> str:
    """Say what comes out when every replicate has its own partition of the rows."""
    checks = [check["outcome"] for check in report["partitions"]]
    return (
        "One partition of the rows is held fixed, as in the paper. With new noise and another "
        f"partition in every replicate the design is better in {checks.count('better')} of "
        f"{len(checks)} cases and worse in {checks.count('worse')}."
    )


def losses(report: Report) -> str:
    """Say where the suggested kind is worse than the best published mechanism at one rate."""
    kind = report["verdict"]["best"]
    found = []
    for proof in report["proofs"]:
        told = proof["sweep"][kind]
        for rate, gap, outcome in zip(
            proof["rates"], told["relative"], told["outcome"], strict=True
        ):
            if outcome == "worse":
                place = f"{condition_of(proof)}, ε = {proof['epsilon']:g}, rate {rate:g}"
                found.append(f"{place} (+{100 * gap:.1f} %)")
    if not found:
        return "It is worse at none of the rates."
    return f"It is worse at: {'; '.join(found)}."


def mending(report: Report) -> str:
    """Say how often each remedy makes up for what the banded design falls behind."""
    behind = [told for told in report["reasons"] if told["cause"]]
    if not behind:
        return "The banded design for one curvature falls behind nowhere."
    said = [f"“{label_of(report, told)}” in {count}" for told, count in _mended(behind).items()]
    causes = [told["cause"] for told in behind]
    tally = "; ".join(
        f"{causes.count(rung)} × {behind[causes.index(rung)]['said'].split(':')[0]}"
        for rung in dict.fromkeys(causes)
    )
    return (
        f"The banded design for one curvature is behind at {len(behind)} of "
        f"{len(report['reasons'])} settings looked at, owed mostly to: {tally}. No longer behind, "
        f"by the interval, is {', '.join(said)} of these. {_hardest(report, behind)}"
    )


def _hardest(report: Report, behind: list[Mapping[str, Any]]) -> str:
    """Say what the best remedy does where the banded design is furthest behind."""
    worst = max(behind, key=lambda told: _gap(told, told["kinds"][0]))
    remedy = min(worst["kinds"][1:], key=lambda kind: _gap(worst, kind), default=None)
    if remedy is None:
        return ""
    before, after = (_gap(worst, kind) for kind in (worst["kinds"][0], remedy))
    return (
        f"It is furthest behind at {NAMES[worst['condition']]}, rate {worst['rate']:g}, by "
        f"{percent(before)}; “{label_of(report, remedy)}” brings that to {percent(after)}."
    )


def _gap(told: Mapping[str, Any], kind: str) -> float:
    """Return how far a kind's loss is above the published one, as a share of that."""
    return float(told["behind"][kind][0] / told["rival_mean"])


def _mended(behind: list[Mapping[str, Any]]) -> dict[str, int]:
    kinds = behind[0]["kinds"][1:]
    return {kind: sum(kind in told["mended"] for told in behind) for kind in kinds}


REASONS = (
    "The columns with a ratio hold the loss that noise adds with the banded design for one "
    "curvature, as a multiple of that with the best published mechanism: in the **quadratic** that "
    "it is made for; with a quarter of the curvature, as clipping and p(1−p) < ¼ leave it; in "
    "training with the **real loss**, first without clipping; and **as trained**. **Way**: the "
    "largest damage on the way, likewise. The ratio grows most in the step it is **owed to**. The "
    "last columns are differences of the loss, for the design and for what may mend it."
)


def condition_of(proof: Mapping[str, Any]) -> str:
    """Return the name of a proof's condition."""
    return NAMES[proof["condition"]]


def label_of(report: Report, kind: str) -> str:
    """Return the name of a kind of design."""
    return str(report["kinds"][kind]["label"])


def relative(pair: Mapping[str, Any]) -> tuple[float, float]:
    """Return a paired difference and its half-width as shares of the published loss."""
    return pair["difference"] / pair["rival_mean"], pair["half_width"] / pair["rival_mean"]


def percent(share: float) -> str:
    """Return a share in percent with two digits.

    >>> percent(0.0384)
    '3.8 %'
    """
    return f"{100 * share:.2g} %".replace("-", "−")
