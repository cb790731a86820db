"""What "Optimizers" draws: its controls, two charts, the table, and the matrix of damages."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, Final

import streamlit as st

from momentdp_core import HeavyBall, InputError
from pages.figures import optimizers as figures
from pages.figures import parts
from pages.figures.style import MARKS, OPTIMIZER_MARKS, TEMPLATES
from pages.ui import controls, optimizer, own, texts, widgets
from pages.ui.live_chart import live_chart
from pages.ui.url_state import PARAMETERS, SWEPT_LINKS
from pages.views.contenders import (
    BEST_PRIVACY,
    BEST_TOTAL,
    LABELS,
    OWN,
    PLAIN,
    Entry,
    Question,
    question_of,
)
from pages.views.optimizers import Line, OptimizersView
from pages.views.optimizers_charts import MatrixRow, OptimizersCharts
from pages.views.swept import SWEPT

_HERE: Final = Path(__file__).parent
_OPEN, _MATRIX = "_open_in_explore", "matrix"
_AT: Final = {
    OWN: "at its slider", BEST_TOTAL: "at its best total", BEST_PRIVACY: "at its least damage"
}  # fmt: skip
_COLUMNS: Final = (
    ("Optimizer", "What turns noisy gradients into steps, and the value it stands at."),
    ("Bias", "What is left of the starting error after the last step."),
    ("Sampling", "Expected loss from drawing batches."),
    ("Privacy", "Expected loss from the privacy noise: the damage."),
    ("Total", "The three together: the expected excess loss."),
    ("Rank by privacy", "1 is the least privacy damage of the optimizers shown."),
    ("Rank by total", "1 is the smallest total excess loss."),
    ("Do they differ?", "Whether the total ranks it better or worse than privacy damage alone."),
    (
        "Noise let through",
        "Variance of the noise in its steps, as a multiple of the variance that the mechanism "
        "adds; computed without curvature and schedule. Below 1 it filters noise out. Optimizers "
        "that add gradients up, as heavy ball does, enlarge noise and signal alike.",
    ),
    ("Stability limit", "Peak rate ηλmax from which on training is unstable at a constant rate."),
    (
        "Growth",
        "How many times a starting error becomes as large as it was, at worst, over the schedule "
        "that is run: finite where a decaying schedule is above the limit for a while only.",
    ),
)
_matrix = st.components.v2.component(
    "momentdp_matrix",
    html='<div class="md-matrix" tabindex="0" role="region" aria-label="Damages of every optimizer '
    'under every mechanism"><table><thead></thead><tbody></tbody></table></div>',
    css=(_HERE / "matrix.css").read_text(encoding="utf-8"),
    js=(_HERE / "matrix.js").read_text(encoding="utf-8"),
    isolate_styles=False,  # the marks look as in the other tables
)


def choose() -> Question:
    """Draw the controls of this page and return what they ask.

    Raises:
        InputError: a control cannot be used, or no optimizer is shown.
    """
    shown = widgets.pick("opts", "Optimizers shown", LABELS, widget=st.multiselect)
    # In the order of the list, so that the order of clicks makes no new question.
    keys = [key for key in LABELS if key in shown]
    under, at, error, noise = st.columns((3, 4, 3, 3))
    with under:
        labels = {key: mechanism.label for key, mechanism in own.families().items()}
        mechanism = widgets.pick("under", "Noise mechanism", labels)
    with at:
        value = widgets.pick("at", "Each optimizer", _AT)
    with error:
        start = _stops("e0", "Starting error e₀")
    with noise:
        sampling = _stops("noise", "Sampling noise s")
    with controls.swept_place():
        optimizer.draw_all([key for key in keys if key != PLAIN], idle=value != OWN)
    if not keys:
        raise InputError("optimizers", "none", "at least one", "Choose an optimizer to show.")
    scenario = controls.scenario(HeavyBall())
    return question_of(
        scenario,
        _that_fit([_entry(key) for key in keys], scenario.horizon),
        mechanism=mechanism,
        at=value,
        start_error=float(start),
        sampling_noise=float(sampling),
    )


def _that_fit(entries: list[Entry], horizon: int) -> list[Entry]:
    """Return the optimizers whose window fits the training, and say which ones were left out."""
    fit = [entry for entry in entries if getattr(entry.optimizer, "steps", 1) <= horizon]
    names = " and ".join(entry.label for entry in entries if entry not in fit)
    window = widgets.value("k")
    if not fit:
        raise InputError(
            f"per-sample window k of {names}",
            window,
            f"at most the steps T = {horizon}",
            "Use a smaller window or more steps, or show another optimizer.",
        )
    if names:
        st.caption(
            f"Left out: {names}. The per-sample window of k = {window} steps needs at least as "
            "many steps T."
        )
    return fit


def draw_charts(charts: OptimizersCharts) -> None:
    """Draw the bars and the sweep of ε."""
    st.markdown(texts.OPTIMIZERS_BARS)
    bars = parts.to_json(figures.bars_figure(charts))
    height = figures.bars_height(len(charts.bars))
    _chart("bars", bars, charts.bars_alt, height, figures.BARS_COMPACT)
    st.markdown(texts.OPTIMIZERS_SWEEP)
    sweep = parts.to_json(figures.sweep_figure(charts))
    _chart("sweep", sweep, charts.sweep_alt, figures.SWEEP_HEIGHT, figures.SWEEP_COMPACT)


def draw_table(view: OptimizersView) -> None:
    """Draw the table of all optimizers."""
    head = "".join(
        f'<th scope="col" title="{escape(tip)}">{escape(name)}</th>' for name, tip in _COLUMNS
    )
    body = "".join(_row(line) for line in view.lines)
    st.html(
        f"<h3>{escape(view.heading)}</h3>"
        '<div class="md-scroll" tabindex="0" role="region" aria-label="Optimizers">'
        f'<table class="md-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )
    st.caption(texts.OPTIMIZERS_SAME)
    with st.expander("What the columns mean"):
        st.markdown("\n".join(f"- **{name}**: {tip}" for name, tip in _COLUMNS))


def draw_matrix(charts: OptimizersCharts) -> None:
    """Draw the matrix; a cell that was chosen opens Explore."""
    st.subheader("Every optimizer under every mechanism")
    st.markdown(texts.OPTIMIZERS_MATRIX)
    _matrix(
        key=_MATRIX,
        data=[
            {
                "mechanisms": [
                    {
                        "key": key,
                        "label": label,
                        "glyph": MARKS[key].glyph,
                        "color": MARKS[key].color,
                    }
                    for key, label in charts.mechanisms
                ],
                "shown": charts.shown,
                "rows": [_matrix_row(row) for row in charts.matrix],
                # Streamlit's own switch of pages would have to clear the bound part of the link,
                # which it refuses; the browser follows its link to Explore instead.
                "leave": st.session_state.pop(_OPEN, False),
            }
        ],
        on_open_change=lambda: _open(charts, st.session_state[_MATRIX].open),
    )


def _open(charts: OptimizersCharts, key: str) -> None:
    """Set the optimizer of a chosen row; runs before the page does."""
    for row in charts.matrix:
        if row.key == key:
            opened, name = _target(row)
            st.session_state["opt"] = opened
            st.session_state[name] = row.value
            st.session_state[_OPEN] = True


def _target(row: MatrixRow) -> tuple[str, str]:
    """Return the optimizer that Explore shows for a row, and the link parameter of its value."""
    key = "heavy_ball" if row.key == PLAIN else row.key
    return key, SWEPT_LINKS[SWEPT[key].key]


def _matrix_row(row: MatrixRow) -> dict[str, Any]:
    opened, name = _target(row)
    mark = OPTIMIZER_MARKS[row.key]
    return {
        "key": row.key,
        "label": row.label,
        "setting": row.setting,
        "glyph": mark.glyph,
        "color": mark.color,
        "link": {"opt": opened, name: f"{row.value:g}"},
        "cells": [
            {
                "mechanism": cell.mechanism,
                "text": cell.text,
                "shade": cell.shade,
                "row": cell.best_in_row,
                "column": cell.best_in_column,
                "hint": cell.hint,
            }
            for cell in row.cells
        ],
    }


def _row(line: Line) -> str:
    cells = (
        *(line.bias, line.sampling, line.privacy, line.total),
        *(line.privacy_rank, line.total_rank, line.differs),
        *(line.suppression, line.limit, line.growth),
    )
    mark = OPTIMIZER_MARKS[line.key]
    numbers = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    moved = ' class="md-moved"' if line.moved else ""
    return (
        f'<tr data-optimizer="{escape(line.key)}"{moved}>'
        f'<th scope="row" title="{escape(line.description)}">'
        f'<span class="md-swatch" aria-hidden="true" style="color:{mark.color}">{mark.glyph}</span>'
        f"{escape(line.label)} <small>{escape(line.setting)}</small></th>{numbers}</tr>"
    )


def _entry(key: str) -> Entry:
    if key == PLAIN:
        return Entry(key=key, optimizer=HeavyBall(), value=0.0)
    return Entry(key=key, optimizer=optimizer.built(key), value=optimizer.value_of(key))


def _stops(name: str, label: str) -> str:
    options = {text: text for text in PARAMETERS[name].options}
    chosen: str = widgets.pick(name, label, options, widget=st.select_slider)
    return chosen


def _chart(key: str, figure: str, alt: str, height: int, compact: dict[str, Any]) -> None:
    live_chart(
        figure,
        key=f"optimizers-{key}",
        alt=alt,
        height=height,
        filename=f"momentdp-optimizers-{key}",
        templates=dict(TEMPLATES),
        compact=compact,
    )
