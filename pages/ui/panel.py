"""A long computation that a reader starts: its button, its progress and its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, Final

import streamlit as st

from pages.ui.background import DONE, FAILED, QUEUED, WAITING, Job, server_jobs, session

_POLL: Final = 1.0  # seconds between two looks at a running job


def draw(
    key: Hashable,
    label: str,
    function: Callable[..., Any],
    *arguments: Any,
    name: str,
    seconds: float | None = None,
    reports: bool = False,
) -> Any:
    """Draw a button that starts a computation, its progress and a way to cancel it.

    Args:
        key: as for `Jobs.start`.
        label: of the button.
        function, arguments, reports: as for `Jobs.start`.
        name: of the widgets; once on a page.
        seconds: how long it takes, for the bar until a function reports, if it does.

    Returns:
        What the function returned, once it is done and as long as it is kept; else None.
    """
    jobs, who = server_jobs(), session()
    job = jobs.find(key, who)
    active = job is not None and job.active
    # Not by a callback, which would still have the arguments of the last run.
    if st.button(label, key=f"{name}-start", disabled=active, icon=":material/replay:"):
        job = jobs.start(key, who, function, *arguments, reports=reports)
    if job is None:
        return None
    if job.active:
        st.fragment(_progress, run_every=_POLL)(job, who, name, seconds)
    elif job.status == FAILED:
        st.error(job.text)
    return job.result if job.status == DONE else None


def _progress(job: Job, who: str, name: str, seconds: float | None) -> None:
    if not job.active:
        st.rerun()
    share, text = job.share, job.text
    if job.status == WAITING:
        share, text = 0.0, QUEUED
    elif share is None:
        spent = time.monotonic() - job.begun
        share, text = 0.0, f"{spent:.0f} s so far"
        if seconds:
            share = min(0.99, spent / seconds)
            text += f", usually about {max(1, round(seconds))} s"
    bar, stop = st.columns((4, 1), vertical_alignment="center")
    bar.progress(min(1.0, share), text=text[:1].upper() + text[1:])
    with stop:
        if st.button("Cancel", key=f"{name}-cancel", width="stretch"):
            server_jobs().cancel(job.key, who)
            st.rerun()
