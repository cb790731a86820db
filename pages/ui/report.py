"""Readouts, the sentence and the table as HTML; every text in it is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import MECHANISMS
from pages.figures.style import MARKS, Mark
from pages.ui import texts
from pages.ui.link_versions import LinkNotes
from pages.views.design_texts import DesignView
from pages.views.explore import PointView, Row
from pages.views.mechanisms import MechanismView
from pages.views.optimizers import OptimizersView
from pages.views.readout import Readout
from pages.views.why import PairView

_CSS: Final = Path(__file__).with_name("report.css")
_BEST: Final[str] = "× best possible"
_COLUMNS: Final[tuple[tuple[str, str], ...]] = (
    ("Mechanism", "How the privacy noise of different steps is correlated."),
    ("Damage", "Expected final excess loss from the privacy noise alone; smaller is better."),
    ("Rank", "1 is the least damage at this setting; ties share a rank."),
    ("Times the best", "Damage divided by the least damage at this setting."),
    (
        _BEST,
        "Damage as a multiple of what no mechanism can beat at this setting, which is proved by a "
        "bound. “At most” where no design is known that comes close to that bound.",
    ),
    (
        "NoiseCurve criterion",
        "Rank by the criterion that NoiseCurve minimises: the damage at momentum 0 and a constant "
        "rate. It knows the curvature, but no momentum and no schedule. Score in brackets.",
    ),
    (
        "Static MeanSE",
        "Rank by the mean squared error of the noisy prefix sums: the sums of all gradients up to "
        "each step, which is what SGD with a constant rate adds up. It knows neither the loss nor "
        "the optimizer. Score in brackets.",
    ),
    (
        "LR-aware score",
        "The same with each gradient weighted by the learning-rate schedule, so a constant "
        "schedule gives the same column. Score in brackets.",
    ),
)
_SENSITIVITY: Final = (
    "Sensitivity",
    "How far one example can move what the mechanism adds its noise to, when it takes part as "
    "often as allowed. The noise grows with it. Exact, or an upper bound where the worst case is "
    "not known. Shown where an example may take part more than once; else it is 1 for all.",
)


def page_style() -> None:
    """Add the style sheet of the readouts and the table to the page."""
    st.html(_CSS)


def link_problems(notes: LinkNotes) -> None:
    """Say what changed since an old link was made, and which parameters were ignored, if any."""
    if notes.changed:
        st.info("  \n".join(("This link is of an older version. What changed:", *notes.changed)))
    if notes.ignored:
        st.warning("  \n".join(("Ignored in this link:", *notes.ignored)))


def readouts(
    view: PointView | PairView | OptimizersView | MechanismView | DesignView,
    place: DeltaGenerator,
) -> None:
    """Show the readouts and the sentence in a place of the page."""
    place.html(
        f'<div class="md-cards" role="status" data-study="{escape(view.study)}" '
        f'data-setting="{escape(view.setting)}">{cards(view.readouts)}</div>'
        f'<p class="md-sentence">{escape(view.sentence)}</p>'
    )


def cards(readouts: Sequence[Readout]) -> str:
    """Return readouts as HTML cards."""
    return "".join(
        f'<div class="md-card" data-readout="{escape(r.key)}"><span class="md-label">'
        f"{escape(r.label)}</span><strong>{escape(r.value)}</strong>"
        f'<span class="md-detail">{escape(r.detail)}</span></div>'
        for r in readouts
    )


def summary(readouts: Sequence[Readout], sentence: str) -> None:
    """Show readouts and a sentence that belong to no setting."""
    st.html(
        f'<div class="md-cards">{cards(readouts)}</div>'
        f'<p class="md-sentence" style="min-height:0">{escape(sentence)}</p>'
    )


def note(text: str) -> None:
    """Show a remark in small type."""
    st.html(f'<p class="md-note">{escape(text)}</p>')


def table(view: PointView, place: DeltaGenerator) -> None:
    """Show the table of all mechanisms at the current setting in a place of the page."""
    measured = any(row.best is not None for row in view.rows)
    columns = [c for c in _COLUMNS if measured or c[0] != _BEST]
    shown = columns if not view.rows[0].sensitivity else (*columns, _SENSITIVITY)
    head = "".join(
        f'<th scope="col" title="{escape(tip)}">{escape(name)}</th>' for name, tip in shown
    )
    body = "".join(_line(row) for row in view.rows)
    place.html(
        f"<h3>{escape(view.heading)}</h3>"
        '<div class="md-scroll" tabindex="0" role="region" aria-label="Mechanisms">'
        f'<table class="md-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        f'<p class="md-note">{escape(view.stability)}</p>'
    )


def explained() -> None:
    """Say what the columns mean, why the ranking changes, and what each mechanism is."""
    with st.expander("What the columns mean"):
        st.markdown("\n".join(f"- **{name}**: {tip}" for name, tip in (*_COLUMNS, _SENSITIVITY)))
    with st.expander("Why does momentum change the ranking?"):
        st.markdown(texts.WHY)
    with st.expander("What the mechanisms are"):
        st.markdown(
            "\n".join(f"- **{f.label}**: {f.description}" for f in MECHANISMS.values())
            + "\n\n"
            + texts.WORDS
        )


def _line(row: Row) -> str:
    cells: Sequence[str] = (
        row.damage,
        row.rank,
        row.times,
        *([] if row.best is None else [row.best]),
        row.own_criterion,
        row.static_mse,
        row.lr_aware,
        *((row.sensitivity,) if row.sensitivity else ()),
    )
    numbers = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    return (
        f'<tr data-mechanism="{escape(row.key)}"><th scope="row" title="{escape(row.description)}">'
        f"{swatch(MARKS[row.key])}{escape(row.label)}</th>{numbers}</tr>"
    )


def swatch(mark: Mark) -> str:
    """Return the mechanism's symbol as on the charts: the table doubles as their legend."""
    return (
        f'<span class="md-swatch" aria-hidden="true" style="color:{mark.color}">{mark.glyph}</span>'
    )
