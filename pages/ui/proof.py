"""Designs in real private training: the suggested kind on "Design", and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final

import streamlit as st

from momentdp_core.experiments.design_report import shipped_designs
from pages.figures import evidence as figures
from pages.figures import parts
from pages.figures.style import TEMPLATES
from pages.ui import report, widgets
from pages.ui.live_chart import live_chart
from pages.views import proof as views
from pages.views import proof_charts as charts
from pages.views.claim_parts import Comparison

_EVIDENCE: Final = "Show the evidence: designs in real private training"


def suggested_controls(told: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the controls of "Design" that make the suggested kind, or None where none do.

    >>> kinds = {"a": {"banded": True, "ranged": False, "path_share": 0.0}}
    >>> suggested_controls({"verdict": {"suggested": "a"}, "kinds": kinds, "lowest_curvature": 1})
    {'dr': '1', 'dway': '0', 'dform': 'banded', 'aim': 'mean', 'rel': True}
    """
    chosen = told["verdict"]["suggested"]
    if chosen is None or told["kinds"][chosen]["path_share"] is None:
        return None
    kind = told["kinds"][chosen]
    return {
        "dr": f"{told['lowest_curvature']:g}" if kind["ranged"] else "1",
        "dway": f"{kind['path_share']:g}",
        "dform": "banded" if kind["banded"] else "full",
        "aim": "mean",
        "rel": True,
    }


def draw_suggestion() -> None:
    """Say which kind of design is suggested, offer it, and show the evidence if asked to."""
    told = shipped_designs()["report"]
    wanted = suggested_controls(told)
    words, button = st.columns((3, 1), vertical_alignment="center")
    words.markdown(views.suggestion(told))
    with button:
        if wanted is not None and any(widgets.value(n) != x for n, x in wanted.items()):
            st.button(
                "Use the suggested design",
                key="use-suggested",
                on_click=st.session_state.update,
                args=(wanted,),
                width="stretch",
            )
        elif wanted is not None:
            st.markdown("*These are its settings.*")
    draw_evidence("design")


def draw_evidence(page: str) -> None:
    """Draw a switch, and what private training gave while it is on, on a page of that name."""
    if not st.toggle(_EVIDENCE, key=f"{page}-proof"):
        return
    with st.container(border=True):
        _evidence(page)
        if page != "logistic":
            st.page_link("pages/logistic.py", label="The training itself: Logistic")


def _evidence(page: str) -> None:
    shipped = shipped_designs()
    told = shipped["report"]
    report.note(f"{views.told_on(shipped)} Data: {told['settings']['data']}.")
    st.markdown(views.method(told))
    st.markdown(f"**With tuned rates.** {views.privacy(told)} {views.partitions(told)}")
    _chart(f"{page}-proof-tuned", charts.tuned_chart(told))
    _table(charts.kinds_table(told))
    st.markdown(views.choice(told))
    epsilons = told["settings"]["epsilons"]
    st.markdown(f"**At each rate**, with or without luck in choosing it. {views.losses(told)}")
    for place, epsilon in zip(st.columns(len(epsilons)), epsilons, strict=True):
        with place:
            st.markdown(f"ε = {epsilon:g}")
            _chart(f"{page}-proof-sweep-{epsilon:g}", charts.sweep_chart(told, epsilon))
    if told["reasons"]:
        _table(charts.reasons_table(told))
        st.markdown(f"{views.mending(told)}\n\n{views.REASONS}")


def _table(view: charts.Table) -> None:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in view.head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in view.rows
    )
    st.html(
        f"<h3>{escape(view.heading)}</h3>"
        f'<div class="md-scroll" tabindex="0" role="region" aria-label="{escape(view.heading)}">'
        f'<table class="md-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _chart(key: str, view: Comparison) -> None:
    live_chart(
        parts.to_json(figures.comparison_figure(view)),
        key=key,
        alt=view.alt,
        height=figures.HEIGHT,
        filename=f"momentdp-{key}",
        templates=dict(TEMPLATES),
        compact=figures.COMPACT,
    )
