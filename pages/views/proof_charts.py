"""The charts and tables of designs in private training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pages.views import words
from pages.views.claim_parts import Comparison, Side
from pages.views.logistic import NAMES
from pages.views.proof import Report, condition_of, label_of, lower, percent, relative

_RUNGS: Final = {
    "quadratic": "quadratic",
    "less curvature": "less curvature",
    "no clipping": "real loss, no clipping",
    "as trained": "as trained",
}
# What a cause is called in a column.
_OWED: Final = {
    "quadratic": "its bands",
    "less curvature": "less curvature",
    "no clipping": "no quadratic loss",
    "as trained": "clipping",
    "": "not behind",
}


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table in words; the first cell of a row is its head."""

    heading: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tuned_chart(report: Report) -> Comparison:
    """Return the suggested kind's difference with tuned rates, by condition and ε."""
    kind = report["verdict"]["best"]
    sides = []
    for epsilon in report["settings"]["epsilons"]:
        pairs = [
            relative(proof["tuned"][kind])
            for proof in report["proofs"]
            if proof["epsilon"] == epsilon
        ]
        sides.append(_side(f"ε = {epsilon:g}", pairs))
    return Comparison(
        title="The design against the best published mechanism, rates tuned",
        categories=tuple(NAMES[key] for key in report["settings"]["conditions"]),
        sides=tuple(sides),
        axis="loss − best published (%)",
        alt="Loss of the design minus that of the best published mechanism in percent of the "
        f"latter, both at their own best rates, with 95 % intervals: lower {lower(report)}.",
    )


def sweep_chart(report: Report, epsilon: float) -> Comparison:
    """Return the suggested kind's difference at every rate, by condition."""
    kind = report["verdict"]["best"]
    sides = []
    for proof in report["proofs"]:
        if proof["epsilon"] == epsilon:
            told = proof["sweep"][kind]
            pairs = list(zip(told["relative"], told["half_width"], strict=True))
            sides.append(_side(condition_of(proof), pairs))
    outcomes = [
        outcome
        for proof in report["proofs"]
        if proof["epsilon"] == epsilon
        for outcome in proof["sweep"][kind]["outcome"]
    ]
    return Comparison(
        title=f"The design against the best published mechanism at each rate, ε = {epsilon:g}",
        categories=tuple(f"{rate:g}" for rate in report["settings"]["rates"]),
        sides=tuple(sides),
        axis="loss − best published (%)",
        x_axis="learning rate η",
        alt=f"Loss of the design minus that of the best published mechanism at the same rate, in "
        f"percent, ε = {epsilon:g}: better at {outcomes.count('better')} of {len(outcomes)}, worse "
        f"at {outcomes.count('worse')}.",
    )


def kinds_table(report: Report) -> Table:
    """Return every kind's difference with tuned rates, the best score first."""
    score = report["score"]
    head = ["Kind of design", "Score"]
    head += [f"{p['condition']}, ε = {p['epsilon']:g}" for p in report["proofs"]]
    rows = []
    for kind in sorted(score, key=lambda key: score[key]):
        cells = [_interval(*relative(proof["tuned"][kind])) for proof in report["proofs"]]
        rows.append((label_of(report, kind), f"{score[kind]:.3f}", *cells))
    rivals = [
        f"{words.name(p['tuned'][next(iter(score))]['rival'])}, {percent(p['privacy'])}"
        for p in report["proofs"]
    ]
    rows.append(("Best published, its privacy part", "1", *rivals))
    return Table(
        heading="Every kind against the best published mechanism, rates tuned",
        head=tuple(head),
        rows=tuple(rows),
    )


def reasons_table(report: Report) -> Table:
    """Return the banded design's noise against the best published one's, assumption by assumption.

    "Way" is the largest damage on the way against the rival's; the last columns are differences of
    the loss, of the banded design and of its remedies.
    """
    reasons = report["reasons"]
    kinds = list(reasons[0]["kinds"]) if reasons else []
    head = ("Condition, rate", "Best published", *(_RUNGS[r] for r in _RUNGS), "Way", "Owed to")
    rows = []
    for told in reasons:
        ours, theirs = told["privacy"][told["kinds"][0]], told["privacy"][told["rival"]]
        ratios = [f"{a / b:.2f}" if b > 0 else "–" for a, b in zip(ours, theirs, strict=True)]
        gaps = [
            _interval(*(x / told["rival_mean"] for x in told["behind"][kind])) for kind in kinds
        ]
        place = f"{told['condition']}, {told['rate']:g}"
        reach = words.short(told["peak"][told["kinds"][0]] / told["peak"][told["rival"]])
        owed = _OWED[told["cause"]]
        rows.append((place, words.name(told["rival"]), *ratios, reach, owed, *gaps))
    return Table(
        heading="Why a banded design falls behind, and what mends it",
        head=(*head, *(label_of(report, kind) for kind in kinds)),
        rows=tuple(rows),
    )


def _side(name: str, pairs: list[tuple[float, float]]) -> Side:
    return Side(
        name=name,
        values=tuple(100 * x for x, _ in pairs),
        low=tuple(100 * (x - half) for x, half in pairs),
        high=tuple(100 * (x + half) for x, half in pairs),
    )


def _interval(gap: float, half: float) -> str:
    """Return a difference with its half-width in percent.

    >>> _interval(-0.0123, 0.004)
    '−1.23 ± 0.40 %'
    """
    return f"{100 * gap:+.2f} ± {100 * half:.2f} %".replace("-", "−")
