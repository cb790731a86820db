"""What "Optimizers" asks the engine: which optimizers, at which values, under which mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from momentdp_core import (
    OPTIMIZERS,
    EpsilonRegion,
    HeavyBall,
    OptimizerComparison,
    Scenario,
    compare_optimizers,
)
from momentdp_core.optimizers import LinearOptimizer
from pages.views import words
from pages.views.swept import swept_of

# Plain SGD, which is heavy ball without momentum, and every optimizer of the engine.
PLAIN: Final = "dpsgd"
LABELS: Final = {PLAIN: "DPSGD", **{key: kind.label for key, kind in OPTIMIZERS.items()}}
# At which value of its main parameter each optimizer stands.
OWN, BEST_TOTAL, BEST_PRIVACY = AT = ("own", "total", "privacy")
# The range of ε that the page shows.
LOWEST, HIGHEST = 0.1, 100.0


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One optimizer of the list, at a value of its main parameter or, without one, at its best."""

    key: str
    optimizer: LinearOptimizer
    value: float | None

    @property
    def label(self) -> str:
        """The name on screen."""
        return LABELS[self.key]


@dataclass(frozen=True, kw_only=True)
class Question:
    """Everything the comparison depends on; hashable."""

    scenario: Scenario
    entries: tuple[Entry, ...]
    mechanism: str
    at: str
    start_error: float
    sampling_noise: float

    def answer(self) -> OptimizerComparison:
        """Return the comparison, in the order of the entries.

        Raises:
            InputError: no optimizer, or one whose window does not fit the horizon.
        """
        entries: list[tuple[LinearOptimizer, object]] = [
            (e.optimizer, swept_of(e.optimizer).values if e.value is None else e.value)
            for e in self.entries
        ]
        return compare_optimizers(
            self.scenario,
            entries,
            start_error=self.start_error,
            sampling_noise=self.sampling_noise,
            mechanism=self.mechanism,
            aim=BEST_PRIVACY if self.at == BEST_PRIVACY else BEST_TOTAL,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Answer:
    """A question with its answer, and the column of the mechanism that is shown."""

    question: Question
    found: OptimizerComparison
    column: int

    @property
    def regions(self) -> tuple[EpsilonRegion, ...]:
        """Who is best where in the range of ε that is shown."""
        return self.found.regions(self.question.mechanism, start=LOWEST, stop=HIGHEST)

    def label(self, place: int) -> str:
        """Return the name of an optimizer."""
        return self.question.entries[place].label

    def setting(self, place: int) -> str:
        """Return the main parameter of an optimizer with its value."""
        if self.question.entries[place].key == PLAIN:
            return "no memory"
        symbol = swept_of(self.found.optimizers[place]).symbol
        return f"{symbol} = {words.setting(self.found.values[place])}"


def question_of(
    scenario: Scenario,
    entries: Sequence[Entry],
    *,
    mechanism: str,
    at: str,
    start_error: float,
    sampling_noise: float,
) -> Question:
    """Return the question that the controls describe, with the shown mechanism among those asked.

    The scenario's own optimizer plays no part, so it is put to one and the same.
    """
    keys = scenario.mechanisms
    return Question(
        scenario=replace(
            scenario,
            optimizer=HeavyBall(),
            mechanisms=keys if mechanism in keys else (*keys, mechanism),
        ),
        entries=tuple(
            e if at == OWN or e.key == PLAIN else replace(e, value=None) for e in entries
        ),
        mechanism=mechanism,
        at=at,
        start_error=start_error,
        sampling_noise=sampling_noise,
    )


def answer_of(question: Question) -> Answer:
    """Return the question with its answer; raises what `Question.answer` raises."""
    column = question.scenario.mechanisms.index(question.mechanism)
    return Answer(question=question, found=question.answer(), column=column)


def in_order(answer: Answer) -> list[int]:
    """Return the optimizers from the smallest total to the largest, the unstable ones last."""
    found = answer.found
    total = np.where(found.stable, found.total[:, answer.column], np.inf)
    return [int(place) for place in np.argsort(total, kind="stable")]


def named(answer: Answer, places: Sequence[int]) -> str:
    """Return the names of optimizers as a list in words."""
    labels = [answer.label(place) for place in places]
    return labels[0] if len(labels) == 1 else f"{', '.join(labels[:-1])} and {labels[-1]}"
