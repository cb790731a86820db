"""The studies that the pages share, each computed once for everybody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar, cast

import streamlit as st

from momentdp_core import Scenario, Study, evaluate
from pages.views.contenders import Answer, Question, answer_of
from pages.views.design import Question as DesignQuestion
from pages.views.swept import swept_of

P = ParamSpec("P")
R = TypeVar("R")
# Records of which a key must hold everything.
_RECORDS: Final = (Scenario, Question, DesignQuestion)
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
