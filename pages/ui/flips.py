"""What would flip it: the list of nearest flips, each with a button that goes there."""

from __future__ import annotations

from typing import Final

import streamlit as st

from momentdp_core import Flip, Scenario
from pages.ui import optimizer
from pages.ui.jobs import Job
from pages.ui.studies import shared
from pages.ui.url_state import PARAMETERS, SWEPT_LINKS
from pages.views import flips as views

SLICE: Final = 0.1  # seconds; one control at a time, however long it takes
PAUSE: Final = 0.05
_CONTROLS: Final = {"rate": "rate", "condition": "kappa", "schedule": "schedule"}

Pair = tuple[str, str] | None


@shared(max_entries=64)
def _job(scenario: Scenario, value: float, pair: Pair) -> Job[tuple[Flip, ...]]:
    return Job(views.flip_stages(scenario, value, pair))


def draw(scenario: Scenario, value: float, pair: Pair) -> None:
    """Draw the list for the current setting; it grows while the page stays alive.

    Raises:
        InputError: the scenario cannot be evaluated.
    """
    job = _job(scenario, value, pair)
    st.fragment(_fill, run_every=None if job.finished else PAUSE)(job, scenario)


def _fill(job: Job[tuple[Flip, ...]], scenario: Scenario) -> None:
    begun = job.finished
    stops = views.stops_of(scenario, PARAMETERS["rate"].options, PARAMETERS["kappa"].options)
    for group in views.flip_groups(job.latest, scenario, stops):
        st.markdown(f"**{group.title}**")
        for number, line in enumerate(group.lines):
            key = f"flip-{group.question}-{number}"
            with st.container(horizontal=True, vertical_alignment="center", key=f"{key}-line"):
                st.markdown(line.text, width="content")
                if line.control:
                    name = _CONTROLS.get(line.control) or SWEPT_LINKS[optimizer.swept().key]
                    st.button(line.button, key=key, on_click=_apply, args=(name, line.value))
    if begun:
        st.caption(views.NEVER)
    else:
        st.caption("Looking along the next control …")
    job.advance(SLICE)
    if job.finished and not begun:
        st.rerun()


def _apply(name: str, value: object) -> None:
    st.session_state[name] = value
