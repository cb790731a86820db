"""What would flip it: the list of nearest flips, each with a button that goes there."""

from __future__ import annotations

from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import Scenario
from pages.ui import optimizer
from pages.ui.background import DONE, LEASE, QUEUED, Job, job_of_session
from pages.ui.url_state import PARAMETERS, SWEPT_LINKS
from pages.views import flips as views

EVERY: Final = 0.5  # seconds between two looks
_CONTROLS: Final = {"rate": "rate", "condition": "kappa", "schedule": "schedule"}
_APPLIED: Final = "_flip_applied"
_LOOKING: Final = "Looking along the next control …"

Pair = tuple[str, str] | None


def draw(scenario: Scenario, value: float, pair: Pair, *, begin: bool) -> None:
    """Draw the list for the current setting, control by control as they are searched.

    Args:
        scenario, value, pair: the question.
        begin: whether to search; the map comes first.
    """
    st.session_state.pop(_APPLIED, None)
    if not begin:
        st.caption("The search begins when the map is finished.")
        return
    job = _job(scenario, value, pair)
    if job.told:
        _draw(job, scenario)
    else:
        st.fragment(_picture, run_every=EVERY)(scenario, value, pair, [job])


def _job(scenario: Scenario, value: float, pair: Pair) -> Job:
    asked = scenario, value, pair
    return job_of_session("flips", ("flips", repr(asked)), views.flip_stages, *asked, lease=LEASE)


def _picture(scenario: Scenario, value: float, pair: Pair, begun: list[Job]) -> None:
    """Draw the list as far as it is; `begun` holds the search for the first look."""
    job = begun.pop() if begun else _job(scenario, value, pair)
    # A button of the list was pressed, which reruns this alone, or there is nothing to wait for.
    if st.session_state.pop(_APPLIED, False) or not job.active:
        st.rerun()
    _draw(job, scenario)


def _draw(job: Job, scenario: Scenario) -> None:
    stops = views.stops_of(scenario, PARAMETERS["rate"].options, PARAMETERS["kappa"].options)
    groups = views.flip_groups(job.latest or (), scenario, stops)
    for column, group in zip(st.columns(max(1, len(groups))), groups, strict=False):
        column.markdown(f"**{group.title}**")
        for number, line in enumerate(group.lines):
            _line(column, line, f"flip-{group.question}-{number}")
    if job.error:
        st.error(job.error)
    elif job.status == DONE:
        st.caption(views.NEVER)
    else:
        share = views.share_searched(job.latest or (), scenario)
        st.progress(share, text=QUEUED if job.queued else _LOOKING)


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
    st.session_state[_APPLIED] = True
