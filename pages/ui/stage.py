"""The places of Explore: the page with its tools, or the slide of a talk."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.ui import best, controls, freedom, pin, predict, report, talk, texts, tour, widgets
from pages.ui.charts import draw_charts, draw_slide
from pages.ui.url_state import HIDDEN
from pages.views.look import Look


@dataclass(frozen=True, kw_only=True)
class Places:
    """The containers that the parts of the page are drawn into."""

    message: DeltaGenerator
    slider: DeltaGenerator
    readouts: DeltaGenerator
    summary: DeltaGenerator
    charts: DeltaGenerator
    pin: DeltaGenerator
    table: DeltaGenerator


def lay_out() -> Places:
    """Draw what stands around the results and return the places of the results."""
    return _slide() if talk.theme() else _page()


def draw(look: Look, places: Places) -> None:
    """Draw the charts of the study."""
    axis, marks = controls.axis(), predict.marks(look.whole)
    with places.charts:
        if talk.theme():
            draw_slide(look, axis, marks, talk.HEIGHT)
        else:
            controls.draw_axis()
            best.draw_switch(look)
            draw_charts(look, axis, marks, fed=best.is_filling(look))
            best.fill(look, axis, marks)


def explain(look: Look) -> None:
    """Draw what the page's words mean and what is exact; call last."""
    report.explained()
    st.caption(texts.exact(look.whole.scenario))
    if look.edge is None:
        freedom.draw(look.whole)


def _page() -> Places:
    st.title(texts.TITLE)
    st.markdown(texts.DAMAGE)
    message = st.container(key="message")
    with st.container(horizontal=True, key="tools"):
        tour.button()
        predict.button()
        pin.button()
        talk.button()
    tour.draw()
    predict.draw()
    names = ("readouts", "pin-summary", "charts", "pin", "table")
    readouts, summary, charts, panel, table = (st.container(key=name) for name in names)
    return Places(
        message=message,
        slider=controls.swept_place(),
        readouts=readouts,
        summary=summary,
        charts=charts,
        pin=panel,
        table=table,
    )


def _slide() -> Places:
    controls.swept_place()  # stays empty: the slider is on the slide
    talk.style()
    with st.container(key="talk"):
        stage = st.container(key="talk-stage")
        with st.container(key="talk-bar"):
            message = st.container(key="message")
            predict.draw_verdict()
            with st.container(horizontal=True, vertical_alignment="center"):
                slider = st.container(key="talk-slider")
                if widgets.value("predict") == HIDDEN:
                    with st.container(key="talk-guess"):
                        predict.draw_guess()
                readouts = st.container(key="readouts", width="content")
                predict.buttons()
                talk.leave()
    unseen = st.container(key="talk-unseen")
    return Places(
        message=message,
        slider=slider,
        readouts=readouts,
        summary=unseen,
        charts=stage,
        pin=unseen,
        table=unseen,
    )
