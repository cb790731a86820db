"""What the Design page draws: what is known, the design, where it loses, its noise, its price."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import (
    BandPrices,
    OptimalDesign,
    RangeDesign,
    Scenario,
    price_of_bands,
)
from momentdp_core.unknowns import check_stable
from pages.figures import design as figures
from pages.figures import design_noise, parts, why_parts
from pages.figures.style import BEST_MARK, MARKS, TEMPLATES
from pages.ui import help_texts, optimizer, texts, widgets
from pages.ui.background import Job, job_of_session, server_jobs, session
from pages.ui.live_chart import live_chart
from pages.ui.studies import shared, study_of
from pages.ui.url_state import PARAMETERS
from pages.views import design as views
from pages.views import design_charts as charts
from pages.views.design import DESIGN, Contest, Question
from pages.views.design_texts import DesignView, design_view

Design = OptimalDesign | RangeDesign
_STOPPED: Final = "_design_stopped"
_FACTORS: Final = {"1": "known", "2": "within 2 ×", "3": "within 3 ×", "10": "within 10 ×",
                   "30": "within 30 ×"}  # fmt: skip
_RATES: Final = {"0.1": "× 0.1 to 1", "0.25": "× ¼ to 1", "0.5": "× ½ to 1", "1": "known"}
_WAYS: Final = {"0": "not at all", "0.1": "a tenth", "1": "as the end"}
_COLUMNS: Final = (
    ("Mechanism", "Published mechanisms are designed for the sidebar's setting."),
    ("Mean × best", "Damage as a multiple of the best possible, averaged over the conditions."),
    ("Worst × best", "The largest of these multiples."),
    ("Worst at", "The condition in which it is reached."),
    ("Beats the design in", "Conditions in which it does less damage than this design."),
)


def choose(scenario: Scenario, value: float) -> Question:
    """Draw the controls of this page and return what they ask.

    Raises:
        InputError: ends of the range in the wrong order, or a factor that the spectrum lacks.
    """
    swept = optimizer.swept()
    known, condition, rate, way, form = st.columns(5)
    with known:
        title = swept.title[0].upper() + swept.title[1:]
        ranged = widgets.pick("dval", title, {"at": "as the slider", "range": "a range"})
    with condition:
        factor = widgets.pick("dk", "Condition number κ", _FACTORS)
    with rate:
        lowest = widgets.pick("dr", "Rate or curvature", _RATES)
    with way:
        path = widgets.pick("dway", "Loss on the way counts", _WAYS)
    with form:
        forms = {"full": "full", "banded": f"{scenario.bands} bands"}
        shape = widgets.pick("dform", "Form", forms)
    low = high = value
    several = ranged == "range" or factor != "1" or lowest != "1"
    if several:
        first, second, third, fourth = st.columns(4)
        if ranged == "range":
            with first:
                low = _number("dlo", f"{swept.symbol} from")
            with second:
                high = _number("dhi", f"{swept.symbol} to")
        with third:
            widgets.pick("aim", "Smallest", {"mean": "mean", "worst": "worst case"})
        with fourth:
            widgets.switch("rel", "Relative to each condition's best")
    return views.question_of(
        scenario,
        low=low,
        high=high,
        condition_factor=float(factor),
        lowest_rate=float(lowest),
        banded=shape == "banded",
        worst_case=widgets.value("aim") == "worst",
        relative=bool(widgets.value("rel")),
        path_share=float(path),
    )


def _number(name: str, label: str) -> float:
    if name not in st.session_state:
        st.session_state[name] = PARAMETERS[name].default
    low, high = PARAMETERS[name].low, PARAMETERS[name].high
    help_text = help_texts.CONTROLS[name]
    return float(
        st.number_input(
            label, low, high, step=0.01, format="%.2f", key=name, help=help_text,
            persist_state="session",
        )
    )  # fmt: skip


@shared(max_entries=32, spinner="designing…")
def _quick(question: Question) -> Design:
    return views.design_of(question)


def designed(question: Question, message: DeltaGenerator) -> Design | None:
    """Return the design, or None while it is being made beside the page.

    Raises:
        InputError: a condition that is unstable or out of range.
    """
    if question.quick:
        with message:
            return _quick(question)
    check_stable(question.unknown)  # said at once, not after a process has started
    key = ("design", repr(question))
    if key == st.session_state.get(_STOPPED):
        st.info("The design was stopped.")
        st.button("Design it", on_click=lambda: st.session_state.pop(_STOPPED, None))
        return None
    job = job_of_session("design", key, views.design_of, question)
    if job.error:
        st.error(job.error)
    design: Design | None = job.result
    return design


def priced(question: Question, value: float) -> Job:
    """Return the prices of bands at the slider's value, begun if they are not there yet."""
    scenario = question.unknown.scenario
    check_stable(replace(question.unknown, low=value, high=value))
    key = ("price", repr(scenario), value)
    return job_of_session("price", key, price_of_bands, scenario, value)


@shared(max_entries=32)
def _contest(question: Question, scenario: Scenario, _design: Design) -> Contest:
    return views.contest(question, scenario, _design)


def contest_of(question: Question, scenario: Scenario, design: Design) -> Contest:
    """Return how the design and the mechanisms shown do in every condition."""
    return _contest(question, scenario, design)


def view_of(found: Contest) -> DesignView:
    """Return the texts of the page."""
    return design_view(found)


def draw_range(found: Contest) -> None:
    """Draw where the design wins and loses: along the sweep, and in every condition."""
    st.subheader("Where does it lose?")
    st.markdown(texts.DESIGN_SWEEP)
    sweep = charts.sweep_chart(found, study_of(found.scenario))
    _chart("sweep", figures.sweep_figure(sweep), sweep.alt, figures.SWEEP_HEIGHT, parts.COMPACT)
    if len(found.best) > 1:
        st.markdown(texts.DESIGN_CONDITIONS)
        chart = charts.conditions_chart(found)
        height = figures.conditions_height(len(chart.keys))
        figure = figures.conditions_figure(chart)
        _chart("conditions", figure, chart.alt, height, figures.CONDITIONS_COMPACT)
    _table(design_view(found))


def draw_noise(found: Contest) -> None:
    """Draw the matrices, a sample and the spectrum of the design's noise."""
    st.subheader("The noise it makes")
    seed = int(widgets.value("seed"))
    view = charts.noise_chart(found, seed)
    st.markdown(texts.DESIGN_MATRICES)
    alt = "Strategy matrix, noising matrix and covariance of the design as shaded squares."
    _chart("matrices", design_noise.matrices_figure(view), alt, design_noise.MATRICES_HEIGHT,
           design_noise.MATRICES_COMPACT)  # fmt: skip
    if view.thinned:
        horizon = found.design.mechanism.horizon
        st.caption(texts.DESIGN_THINNED.format(horizon=horizon, shown=len(view.steps)))
    left, right = st.columns(2)
    with left:
        st.markdown(texts.DESIGN_SAMPLE.format(seed=seed))
        alt = "One sample of the design's noise beside independent noise, and their running sums."
        _chart("sample", design_noise.sample_figure(view), alt, design_noise.SAMPLE_HEIGHT,
               why_parts.COMPACT)  # fmt: skip
        _seed()
    with right:
        st.markdown(texts.DESIGN_SPECTRUM)
        alt = "Power of the design's noise against frequency, beside independent noise."
        _chart("spectrum", design_noise.spectrum_figure(view), alt, design_noise.SAMPLE_HEIGHT,
               why_parts.COMPACT)  # fmt: skip


def _seed() -> None:
    low, high = int(PARAMETERS["seed"].low), int(PARAMETERS["seed"].high)
    st.number_input(
        "Seed of the sample", low, high, value=PARAMETERS["seed"].default, key="seed",
        help=help_texts.CONTROLS["seed"], bind="query-params",
    )  # fmt: skip


def draw_price(job: Job) -> None:
    """Draw the price of bands, once it is known."""
    st.subheader("The price of bands")
    st.markdown(texts.DESIGN_PRICE)
    if job.error:
        st.error(job.error)
    prices: BandPrices | None = job.result
    if prices is not None:
        view = charts.price_chart(prices)
        figure = figures.price_figure(view)
        _chart("price", figure, view.alt, figures.PRICE_HEIGHT, figures.PRICE_COMPACT)
        st.caption(view.sentence)


def wait(undone: bool, question: Question, prices: Job) -> None:
    """Say what is still being computed and draw the page anew when it is there.

    Whatever the reader does meanwhile ends the run, and so the waiting; the computation goes on.
    """
    key = ("design", repr(question))
    jobs = [("The price of bands", prices)]
    if undone and key != st.session_state.get(_STOPPED):
        job = job_of_session("design", key, views.design_of, question)
        jobs.insert(0, ("The design", job))
        if job.active:
            st.button("Stop the design", on_click=_stop, args=(key,))
    jobs = [(name, job) for name, job in jobs if job.active]
    if not jobs:
        return
    place = st.empty()
    while all(job.active for _, job in jobs):
        place.progress(0.0, text=" · ".join(_said(name, job) for name, job in jobs))
        jobs[0][1].wait(0.5)
    st.rerun()


def _said(name: str, job: Job) -> str:
    if job.queued:
        return f"{name} waits for its turn"
    return f"{name} is being computed: {job.seconds} s so far"


def _stop(key: Any) -> None:
    st.session_state[_STOPPED] = key
    server_jobs().cancel(key, session())


def _table(view: DesignView) -> None:
    head = "".join(
        f'<th scope="col" title="{escape(tip)}">{escape(name)}</th>' for name, tip in _COLUMNS
    )
    rows = []
    for line in view.lines:
        mark = BEST_MARK if line.key == DESIGN else MARKS[line.key]
        cells = "".join(
            f"<td>{escape(cell)}</td>" for cell in (line.mean, line.worst, line.where, line.beats)
        )
        rows.append(
            f'<tr data-mechanism="{escape(line.key)}"><th scope="row"><span class="md-swatch" '
            f'aria-hidden="true" style="color:{mark.color}">{mark.glyph}</span>'
            f"{escape(line.label)}</th>{cells}</tr>"
        )
    st.html(
        f"<h3>{escape(view.heading)}</h3>"
        '<div class="md-scroll" tabindex="0" role="region" aria-label="Mechanisms">'
        f'<table class="md-table"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody>'
        "</table></div>"
    )


def _chart(key: str, figure: Any, alt: str, height: int, compact: dict[str, Any]) -> None:
    live_chart(
        parts.to_json(figure),
        key=f"design-{key}",
        alt=alt,
        height=height,
        filename=f"momentdp-design-{key}",
        templates=dict(TEMPLATES),
        compact=compact,
    )
