"""What the Design page says: a question, the design that answers it, and who else does how well."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from momentdp_core import (
    OWN_KEY,
    OptimalDesign,
    RangeDesign,
    SavedDesign,
    Scenario,
    Unknowns,
    design_for,
    workload_factor,
)
from momentdp_core.design_file import saved
from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.optimal import criterion
from pages.views import words
from pages.views.swept import swept_of

DESIGN, DESIGN_LABEL = "design", "This design"
QUICK_HORIZON: Final = 128
# Damages that differ by less than this share are equal.
EQUAL: Final = 1e-6


@dataclass(frozen=True, kw_only=True)
class Question:
    """What the reader asks for: what is known, how many bands, and what is to be small.

    Nothing in it that the design does not depend on, so that equal designs are made once.
    """

    unknown: Unknowns
    bands: int | None
    worst_case: bool
    relative: bool
    path_share: float = 0.0

    @property
    def quick(self) -> bool:
        """Whether the answer takes less than about a second."""
        short = self.unknown.scenario.horizon <= QUICK_HORIZON
        return short and self.path_share == 0 and len(self.unknown.conditions()) == 1


def question_of(
    scenario: Scenario,
    *,
    low: float,
    high: float,
    condition_factor: float,
    lowest_rate: float,
    banded: bool,
    worst_case: bool,
    relative: bool,
    path_share: float = 0.0,
) -> Question:
    """Return the question about a scenario; the mechanisms shown are no part of it."""
    unknown = Unknowns(
        scenario=replace(scenario, mechanisms=("iid",), bands=1, own=None),
        low=low,
        high=high,
        condition_factor=condition_factor,
        lowest_rate=lowest_rate,
    )
    several = len(unknown.conditions()) > 1
    return Question(
        unknown=unknown,
        bands=scenario.bands if banded else None,
        # One condition has no worst one, and no other to be relative to.
        worst_case=worst_case and several,
        relative=relative or not several,
        path_share=path_share,
    )


def design_of(question: Question) -> OptimalDesign | RangeDesign:
    """Return the design that a question asks for."""
    return design_for(
        question.unknown,
        bands=question.bands,
        worst_case=question.worst_case,
        relative=question.relative,
        path_share=question.path_share,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Contest:
    """The design and the mechanisms that are shown, in every condition of the range.

    Args:
        question: what was asked.
        scenario: what is known, with the mechanisms that are shown. Theirs are designed for it and
            keep their design in every condition.
        design: the answer.
        keys: DESIGN, then the mechanisms, n in all.
        damage: D, shape (n, conditions), loss units.
        best: what no mechanism can beat, shape (conditions,).
    """

    question: Question
    scenario: Scenario
    design: SavedDesign
    keys: tuple[str, ...]
    damage: FloatArray
    best: FloatArray

    @property
    def times(self) -> FloatArray:
        """Damage as a multiple of the best possible, shape (n, conditions); 1 where both are 0."""
        floor = np.where(self.best > 0, self.best, 1.0)
        return np.where(self.best > 0, self.damage / floor, 1.0)

    def score(self) -> FloatArray:
        """What is to be small, by the question's own aim, shape (n,)."""
        rows = self.times if self.question.relative else self.damage
        return rows.max(axis=1) if self.question.worst_case else rows @ self.weights

    @property
    def weights(self) -> FloatArray:
        """Equal weights of the conditions."""
        return np.full(len(self.best), 1 / len(self.best))

    def label(self, condition: int) -> str:
        """Return a condition in words: only what is not known of it."""
        unknown, (scenario, value) = self.question.unknown, self.design.conditions[condition]
        swept = swept_of(scenario.optimizer)
        said = [f"{swept.symbol} = {value:.4g}"]
        if len(unknown.condition_numbers) > 1:
            said.append(f"κ = {scenario.curvature.condition_number:.4g}")
        if len(unknown.rate_shares) > 1:
            share = scenario.learning_rate / unknown.scenario.learning_rate
            said.append(f"rate × {share:.3g}")
        return ", ".join(said)


def contest(question: Question, scenario: Scenario, design: OptimalDesign | RangeDesign) -> Contest:
    """Return how the design and the scenario's mechanisms do in every condition."""
    kept = saved(design)
    factors = [workload_factor(known, value) for known, value in kept.conditions]
    rows = [kept.damage]
    for key in scenario.mechanisms:
        strategy = scenario.design(key).strategy
        square = 1.0
        if scenario.participations > 1:
            square = scenario.sensitivity(key).value ** 2
        rows.append(np.array([square * criterion(strategy, factor) for factor in factors]))
    return Contest(
        question=question,
        scenario=scenario,
        design=kept,
        keys=(DESIGN, *scenario.mechanisms),
        damage=np.array(rows),
        best=kept.best,
    )


def rivals_called(found: Contest) -> str:
    """Return what the mechanisms beside the design are called: the reader's own is not published.

    >>> scenario = Scenario(horizon=4, mechanisms=("iid",))
    >>> known = {"low": 0.5, "high": 0.5, "condition_factor": 1.0, "lowest_rate": 1.0}
    >>> asked = question_of(scenario, **known, banded=False, worst_case=False, relative=True)
    >>> rivals_called(contest(asked, scenario, design_of(asked)))
    'published'
    """
    return "other" if OWN_KEY in found.keys else "published"


def name_of(key: str) -> str:
    """Return how a row is called.

    >>> name_of("design"), name_of("dense")
    ('This design', 'Dense MF')
    """
    return DESIGN_LABEL if key == DESIGN else words.name(key)


def multiple(value: float) -> str:
    """Return a multiple of the best possible, which rounding must not put below 1.

    >>> multiple(1.234), multiple(0.9999999)
    ('1.23', '1.00')
    """
    return words.times(max(value, 1.0) - 1)


def beaten(found: Contest, n: int) -> int:
    """Return in how many conditions a mechanism does less damage than the design."""
    return int((found.damage[n] < found.damage[0] * (1 - EQUAL)).sum())
