"""What "Mechanisms" draws: the choice, the heat maps with their legend, and the table."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import Scenario, Study
from pages.figures import mechanisms as figures
from pages.figures import parts
from pages.figures.style import MARKS, TEMPLATES
from pages.ui import mechanism_texts, offer, own, report, take_away, widgets
from pages.ui.live_chart import live_chart
from pages.ui.studies import shared
from pages.views import words
from pages.views.export import study_result
from pages.views.mechanisms import MatricesView, MechanismRow, MechanismView, matrices_view
from pages.views.mechanisms_export import mechanisms_columns
from pages.views.why_recipe import mechanisms_setting

_COLUMNS: Final = (
    ("Mechanism", "How the privacy noise of different steps is correlated."),
    ("Damage", "Expected final excess loss from the privacy noise alone; smaller is better."),
    ("MeanSE", "Mean squared error of the noisy running sums of the gradients, at σ = 1."),
    ("MaxSE", "The largest squared error of any of these sums, at σ = 1."),
    ("Sensitivity", "How far one example can move C times the gradients; the noise follows it."),
    ("Memory", "Floats kept from step to step for each weight, to make the noise."),
    ("Solver", "Whether the search for the design ended, and in how many steps."),
    (
        "Certificate",
        "How far the design can be from the best by its own aim, as proven. Dense MF: from any "
        "mechanism, by duality. BandMF: from any of b bands.",
    ),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Pictures:
    """The finished heat maps as JSON text: immutable, so safe to share and to cache."""

    view: MatricesView
    figures: tuple[str, ...]


@shared(max_entries=64)
def pictures(scenario: Scenario, key: str) -> Pictures:
    """Return the heat maps of a mechanism; `scenario` has that mechanism alone."""
    view = matrices_view(scenario, key)
    drawn = (figures.matrix_figure(view, matrix) for matrix in view.matrices)
    return Pictures(view=view, figures=tuple(map(parts.to_json, drawn)))


def choose() -> str:
    """Draw the choice of the mechanism with its explanation; return its key."""
    labels = {key: family.label for key, family in own.families().items()}
    key: str = widgets.pick("about", "Mechanism", labels)
    mark = report.swatch(MARKS[key])
    st.html(
        f'<p class="md-about" data-mechanism="{escape(key)}">{mark}<strong>{escape(labels[key])}'
        f"</strong>. {escape(mechanism_texts.ABOUT[key])}</p>"
    )
    return key


def draw_matrices(found: Pictures) -> None:
    """Draw the three heat maps, the legend they share, and what they are."""
    view = found.view
    st.subheader(f"The matrices of {view.label}")
    st.markdown(mechanism_texts.MATRICES)
    st.html(_legend(view.largest))
    columns = st.columns(len(view.matrices))
    for place, matrix, figure in zip(columns, view.matrices, found.figures, strict=True):
        with place:
            st.markdown(f"**{matrix.title}**")
            live_chart(
                figure,
                key=f"matrix-{matrix.key}",
                alt=matrix.alt,
                height=figures.HEIGHT,
                filename=f"momentdp-matrix-{matrix.key}",
                templates=dict(TEMPLATES),
                compact=figures.COMPACT,
            )
    st.caption(f"{mechanism_texts.LEGEND} {view.note}".strip())


def draw_table(view: MechanismView, place: DeltaGenerator) -> None:
    """Draw the table of all mechanisms of the study."""
    head = "".join(
        f'<th scope="col" title="{escape(tip)}">{escape(name)}</th>' for name, tip in _COLUMNS
    )
    body = "".join(_row(row) for row in view.rows)
    place.html(
        f"<h3>{escape(view.heading)}</h3>"
        '<div class="md-scroll" tabindex="0" role="region" aria-label="Mechanisms">'
        f'<table class="md-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def settle(scenario: Scenario, value: float) -> None:
    """Remember the swept value that the table is at, and offer a stable rate where it is not."""
    _shown()["value"] = value
    offer.draw(scenario, value)


def draw_take_away(study: Study, key: str, found: Pictures) -> None:
    """Draw the panel with the page's figures, numbers and code."""
    shown = _shown()  # a download is made outside of the session
    take_away.draw(
        "mechanisms",
        study.scenario,
        lambda: mechanisms_columns(study, shown["value"], key, found.view),
        lambda: study_result(study),
        mechanisms_setting(study.scenario, key, found.view.largest),
    )


def _shown() -> dict[str, float]:
    shown: dict[str, float] = st.session_state.setdefault("_mechanisms_shown", {})
    return shown


def explained() -> None:
    """Say what the columns mean."""
    st.caption(mechanism_texts.MEMORY)
    with st.expander("What the columns mean"):
        st.markdown("\n".join(f"- **{name}**: {tip}" for name, tip in _COLUMNS))


def _row(row: MechanismRow) -> str:
    cells = (
        *(row.damage, row.mean_error, row.max_error, row.sensitivity),
        *(row.memory, row.solver, row.certificate),
    )
    texts = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return (
        f'<tr data-mechanism="{escape(row.key)}"><th scope="row">'
        f"{report.swatch(MARKS[row.key])}{escape(row.label)}</th>{texts}</tr>"
    )


def _legend(largest: float) -> str:
    low, none, zero, high = figures.legend_colors()
    middle = words.short(figures.size_at(0.5, largest))
    end = words.short(largest)
    labels = (f"−{end}", f"−{middle}", "0", middle, end)
    ticks = "".join(f"<span>{text}</span>" for text in labels)
    return (
        f'<div class="md-scale" role="img" aria-label="Colours from −{end}, blue, over 0 to {end}, '
        f'red"><div class="md-bar" style="background:linear-gradient(to right, {low}, {none} 50%, '
        f'{zero} 50%, {high})"></div><div class="md-ticks">{ticks}</div></div>'
    )
