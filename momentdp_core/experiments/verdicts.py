"""Verdicts: what was published, what comes out here, and how near the two are, computed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from momentdp_core.experiments.progress import Tell

EXACT, STATISTICAL = "exact", "statistical"

REPRODUCED = "reproduced"
SAME_ORDER = "same order"
SAME_DIRECTION = "same direction"
NOT_REPRODUCED = "not reproduced"
MOMENT_DP = "MOMENT-DP (arXiv:2611.11457), "
# Figures that are further apart than this share are compared by order and direction only.
CLOSE = 0.10


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One claim, side by side with what comes out here.

    Args:
        claim: its identity, such as "M4".
        published: what the paper says, as text.
        published_values: the paper's figures; empty where it prints none.
        ours: what comes out here, as text.
        our_values: our figures, in the order of the published ones.
        outcome: "reproduced", "within x %", "same order", "same direction" or "not reproduced".
        kind: "exact" or "statistical".
        setting: under which conditions ours was computed.
        detail: what else a reader should know.
    """

    claim: str
    published: str
    published_values: tuple[float, ...]
    ours: str
    our_values: tuple[float, ...]
    outcome: str
    kind: str
    setting: str
    detail: str

    @property
    def fails(self) -> bool:
        """Whether an exact claim does not hold, which means that something is broken."""
        return self.kind == EXACT and self.outcome != REPRODUCED


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What a judge says about a record: the part of a verdict that is computed.

    Args:
        outcome: as in `Verdict`.
        ours: our result as text.
        our_values: our figures.
        setting: under which conditions they were computed.
        detail: what else a reader should know.
    """

    outcome: str
    ours: str
    our_values: tuple[float, ...] = ()
    setting: str = ""
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A published claim, where it stands, and how a study's record is held against it.

    Args:
        id: row of the list of claims, such as "M4".
        statement: the claim in one line.
        source: paper and place.
        published: what the paper says, as text.
        published_values: the paper's figures; empty where it prints none.
        kind: "exact" where full agreement is expected at the stated setting, so that anything
            else is a fault of this program; "statistical" where the figures come from sampling,
            or hang on settings that the paper does not print.
        study: key of the study whose record is judged.
        judge: pure function from the claim and that record to a finding.
    """

    id: str
    statement: str
    source: str
    published: str
    published_values: tuple[float, ...] = ()
    kind: str
    study: str
    judge: Callable[[Claim, Any], Finding]

    def verdict(self, record: object) -> Verdict:
        """Return the verdict on a record of the claim's study."""
        finding = self.judge(self, record)
        return Verdict(
            claim=self.id,
            published=self.published,
            published_values=self.published_values,
            ours=finding.ours,
            our_values=finding.our_values,
            outcome=finding.outcome,
            kind=self.kind,
            setting=finding.setting,
            detail=finding.detail,
        )


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A study of the paper under its key.

    Args:
        key: its name, as claims refer to it.
        title: one line.
        run: from a seed, and who is to be told how far it is, to the study's frozen record;
            without sampling the seed is not used.
        long: takes more than ten seconds; long studies are started first.
    """

    key: str
    title: str
    run: Callable[[int, Tell], object]
    long: bool = False


def holds(condition: bool) -> str:
    """Return "reproduced" when a condition holds, else "not reproduced".

    >>> holds(1 > 2)
    'not reproduced'
    """
    return REPRODUCED if condition else NOT_REPRODUCED


def below(values: Sequence[float], limit: float) -> str:
    """Return "reproduced" when there are values and all are finite and at most `limit`.

    >>> below([1e-16], 1e-12), below([], 1e-12)
    ('reproduced', 'not reproduced')
    """
    return holds(bool(values) and all(math.isfinite(x) and x <= limit for x in values))


def compare_numbers(
    published: Sequence[float], ours: Sequence[float], *, rounding: float = 0.0
) -> str:
    """Say how near our figures are to the published ones; the nearest true word is used.

    All within the paper's rounding: "reproduced". All within 10 %: "within x %", x the worst,
    rounded up. Else every pair that the paper tells apart in the same order: "same order". Else
    the last minus the first of the same sign: "same direction". Else "not reproduced".

    Args:
        published: the paper's figures.
        ours: ours in the same order.
        rounding: half a unit of the last digit the paper prints.

    >>> compare_numbers([55.0, 60.8], [54.0, 62.0])
    'within 2 %'
    >>> compare_numbers([12.7, 11.7, 20.1], [15.8, 19.2, 473.6])
    'same direction'
    """
    if len(published) != len(ours) or not ours or not all(math.isfinite(x) for x in ours):
        return NOT_REPRODUCED
    pairs = list(zip(published, ours, strict=True))
    if all(abs(a - b) <= rounding * (1 + 1e-9) for a, b in pairs):
        return REPRODUCED
    worst = max(relative_gap(a, b) for a, b in pairs)
    if worst <= CLOSE:
        return f"within {max(1, math.ceil(100 * worst - 1e-9))} %"
    return compare_order(published, ours)


def relative_gap(published: float, ours: float) -> float:
    """Return |ours − published|/|published|, infinite where only the published figure is 0.

    >>> relative_gap(2.0, 1.5)
    0.25
    """
    if published == ours:
        return 0.0
    return abs(ours - published) / abs(published) if published else math.inf


def compare_order(published: Sequence[float], ours: Sequence[float]) -> str:
    """Return "same order", "same direction" or "not reproduced" for two lists of figures.

    >>> compare_order([1, 2, 3], [5, 6, 9]), compare_order([1, 2, 3], [6, 5, 9])
    ('same order', 'same direction')
    >>> compare_order([1, 2, 3], [9, 6, 5])
    'not reproduced'
    """
    count = len(published)
    if count < 2 or len(ours) != count or not all(math.isfinite(x) for x in ours):
        return NOT_REPRODUCED
    told = [(i, j) for i in range(count) for j in range(i) if published[i] != published[j]]
    if all((published[i] - published[j]) * (ours[i] - ours[j]) > 0 for i, j in told) and told:
        return SAME_ORDER
    along = (published[-1] - published[0]) * (ours[-1] - ours[0])
    return SAME_DIRECTION if along > 0 else NOT_REPRODUCED


def figures(values: Sequence[float], form: str = ".1f") -> str:
    """Return figures as one text, with slashes between.

    >>> figures([58.0, 60.8])
    '58.0 / 60.8'
    """
    return " / ".join(format(x, form) for x in values)
