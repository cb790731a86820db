"""The best possible on Explore: made value by value in a process of its own, drawn as it comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import streamlit as st

from momentdp_core import optimal_curve_stages
from pages.figures import damage
from pages.ui import widgets
from pages.ui.background import QUEUED, Job, job_of_session
from pages.ui.charts import build_charts
from pages.ui.live_chart import feed_charts
from pages.ui.predict import Mark
from pages.views.best import Best, best_of, question_of
from pages.views.look import Look

EVERY: Final = 0.6  # seconds between two pictures


def draw_switch(look: Look) -> None:
    """Draw the switch that asks for the best possible, unless something is hidden."""
    if look.edge is None:
        widgets.switch("best", "Show the best possible")


def known(look: Look) -> Best | None:
    """Return the best possible as far as it is known; None if it is not shown."""
    return teller(look)()


def teller(look: Look) -> Callable[[], Best | None]:
    """Return what gives the best possible as far as it is known, also outside of the session."""
    job = _job(look)
    return lambda: None if job is None else best_of(look.whole, job.latest)


def is_filling(look: Look) -> bool:
    """Say whether designs were still missing when a look was taken."""
    job = _job(look)
    failed = job is not None and bool(job.error)
    return look.best is not None and not look.best.finished and not failed


def fill(look: Look, axis: str, marks: tuple[Mark, ...]) -> None:
    """Draw the damage chart anew as designs come in, without holding up anything else.

    A fragment of its own that looks every now and then: other controls stay alive meanwhile.
    """
    job = _job(look)
    if job is not None and job.error:
        st.error(job.error)
    if is_filling(look):
        st.fragment(_picture, run_every=EVERY)(look, axis, marks)


def _job(look: Look) -> Job | None:
    """Return the designs of a study, begun if they are not there yet; None if not shown."""
    if look.edge is not None or not widgets.value("best"):
        return None
    scenario, values = question_of(look.whole)
    if not len(values):  # unstable everywhere
        return None
    return job_of_session("best", ("best", repr(scenario)), optimal_curve_stages, scenario, values)


def _picture(look: Look, axis: str, marks: tuple[Mark, ...]) -> None:
    job = _job(look)
    if job is None or not job.active:
        st.rerun()
    now = best_of(look.whole, job.latest)
    charts = build_charts(replace(look, best=now), axis, marks, damage.HEIGHT)
    feed_charts({"damage": (charts.damage, charts.view.damage_alt)}, key="best-feed")
    said = f"Designing the best possible: {now.done:.0%}"
    st.progress(now.done, text=QUEUED if job.queued else said)
