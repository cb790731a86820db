"""The studies that the pages share, each computed once for everybody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, ParamSpec, TypeVar, cast

import streamlit as st

from momentdp_core import Scenario, Study, evaluate
from momentdp_core.experiments.registry import CrossoverCase
from pages.views.contenders import Answer, Question, answer_of
from pages.views.design import Question as DesignQuestion
from pages.views.registry import Gaps, case_gaps, case_of, gaps_view, lines_of
from pages.views.swept import swept_of

P = ParamSpec("P")
R = TypeVar("R")
# Records of which a key must hold everything.
_RECORDS: Final = (Scenario, Question, DesignQuestion, CrossoverCase)
_WHOLE: Final[dict[str | type[Any], Any]] = dict.fromkeys(_RECORDS, repr)


def shared(
    *, max_entries: int, spinner: str | bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that computes a function of such a record once for all sessions.

    Streamlit alone would tell records apart by their fields and not by their class, so that all
    optimizers without parameters would be one.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        cached = st.cache_resource(
            max_entries=max_entries,
            show_spinner=spinner,
            hash_funcs=_WHOLE,
        )(function)
        return cast("Callable[P, R]", cached)

    return decorate


@shared(max_entries=64, spinner="designing…")
def study_of(scenario: Scenario) -> Study:
    """Return the study of a scenario at every value of its slider."""
    return evaluate(scenario, swept_of(scenario.optimizer).values)


@shared(max_entries=64, spinner="designing…")
def comparison_of(question: Question) -> Answer:
    """Return the answer to a question about several optimizers."""
    return answer_of(question)


@shared(max_entries=64)
def gaps_of_case(case: CrossoverCase) -> tuple[float, float]:
    """Return the analytic gaps of a frozen case."""
    return case_gaps(case)


def gaps_of_record(record: Mapping[str, Any]) -> Gaps:
    """Return the view of a validated registry, given as the plain values of a record."""
    lines = [
        line
        for number, told in enumerate(record["cases"], 1)
        for line in lines_of(number, told, gaps_of_case(case_of(told)))
    ]
    return gaps_view(lines)
