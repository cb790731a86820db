"""What would flip it: the list of nearest flips, each with a button that goes there."""

from __future__ import annotations

from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import Flip, Scenario
from pages.ui import optimizer
from pages.ui.jobs import Job
from pages.ui.studies import shared
from pages.ui.url_state import PARAMETERS, SWEPT_LINKS
from pages.views import flips as views

SLICE: Final = 0.1  # seconds; one control at a time, however long it takes
_CONTROLS: Final = {"rate": "rate", "condition": "kappa", "schedule": "schedule"}

Pair = tuple[str, str] | None


@shared(max_entries=64)
def _job(scenario: Scenario, value: float, pair: Pair) -> Job[tuple[Flip, ...]]:
    return Job(views.flip_stages(scenario, value, pair))


def draw(scenario: Scenario, value: float, pair: Pair) -> None:
    """Draw the list for the current setting, control by control as they are searched.

    Raises:
        InputError: the scenario cannot be evaluated.
    """
    job = _job(scenario, value, pair)
    stops = views.stops_of(scenario, PARAMETERS["rate"].options, PARAMETERS["kappa"].options)
    groups = views.flip_groups(job.latest, scenario, stops)
    columns = st.columns(len(groups))
    for column, group in zip(columns, groups, strict=True):
        column.markdown(f"**{group.title}**")
    below = st.empty()
    shown = [0] * len(groups)  # a line that was drawn stays, and new ones come below it
    while True:
        finished = job.finished
        groups = views.flip_groups(job.latest, scenario, stops)
        for n, (column, group) in enumerate(zip(columns, groups, strict=True)):
            for number in range(shown[n], len(group.lines)):
                _line(column, group.lines[number], f"flip-{group.question}-{number}")
            shown[n] = len(group.lines)
        below.caption(views.NEVER if finished else "Looking along the next control …")
        if finished:
            return
        job.advance(SLICE)


def _line(place: DeltaGenerator, line: views.FlipLine, key: str) -> None:
    if not line.control:
        place.caption(line.text)
        return
    name = _CONTROLS.get(line.control) or SWEPT_LINKS[optimizer.swept().key]
    place.button(
        line.text,
        key=key,
        on_click=_apply,
        args=(name, line.value),
        type="tertiary",
        icon=":material/arrow_forward:",
        help=line.button,
    )


def _apply(name: str, value: object) -> None:
    st.session_state[name] = value
