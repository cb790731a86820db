"""What "Evidence" draws: filters, the table of claims, and the claim that is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

import streamlit as st

from momentdp_core.experiments.execution import environment, run_study
from momentdp_core.experiments.shipped import Results
from pages.figures import evidence as figures
from pages.figures import parts, registry
from pages.figures.style import TEMPLATES
from pages.ui import controls, panel, texts, widgets
from pages.ui.live_chart import live_chart
from pages.ui.studies import gaps_of_record
from pages.ui.url_state import PARAMETERS
from pages.views import evidence as view
from pages.views.claim_charts import charts_of
from pages.views.claim_links import explore_link
from pages.views.evidence import KINDS, PAPERS, VERDICTS, Row

_HERE: Final = Path(__file__).parent
_TABLE, _SEED, _KEPT = "claims", "evidence_seed", "_evidence_seed"
_HIDE: Final = "hide-controls.css"
_table = st.components.v2.component(
    "momentdp_claims",
    html='<div class="md-claims" tabindex="0" role="region" aria-label="Claims"><table>'
    "<thead></thead><tbody></tbody></table></div>",
    css=(_HERE / "claims.css").read_text(encoding="utf-8"),
    js=(_HERE / "claims.js").read_text(encoding="utf-8"),
    isolate_styles=False,  # the theme's variables
)


def without_sidebar_controls() -> None:
    """Hide the sidebar's controls on a page that has no use for them; their state stays."""
    controls.swept_place()
    st.html(_HERE / _HIDE)


def choose(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Draw the filters and return the rows that they leave."""
    paper, kind, verdict = st.columns((2, 2, 6))
    with paper:
        which = widgets.pick("paper", "Paper", PAPERS)
    with kind:
        sort = widgets.pick("kind", "Kind of claim", KINDS)
    with verdict:
        labels = {key: f"{mark} {name}" for key, (name, mark, _) in VERDICTS.items()}
        groups = widgets.pick("verdict", "Verdicts", labels, widget=st.multiselect)
    return view.chosen(rows, which, groups, sort)


def draw_table(rows: Sequence[Row]) -> None:
    """Draw the table; a row opens its claim."""
    if not rows:
        st.info("No claim fits these filters: choose more verdicts, or both papers.")
        return
    _table(
        key=_TABLE,
        data=[
            {
                "open": widgets.value("claim"),
                # The claim that is open by itself is not worth hiding the first rows for.
                "sought": widgets.value("claim") != PARAMETERS["claim"].default,
                "rows": [
                    {
                        **{name: getattr(row, name) for name in (
                            "claim", "statement", "published", "ours", "verdict", "kind",
                        )},
                        "mark": VERDICTS[row.group][1],
                    }
                    for row in rows
                ],
            }
        ],
        on_open_change=_open,
    )  # fmt: skip


def _open() -> None:
    st.session_state["claim"] = st.session_state[_TABLE].open


def draw_claim(rows: Sequence[Row], results: Results) -> None:
    """Draw the open claim: figures, setting, its figure, and the button that runs it again."""
    (row,) = [row for row in rows if row.claim == widgets.value("claim")]
    st.subheader(f"{row.claim} · {row.statement}", divider="gray")
    st.caption(row.source)
    where = st.container()
    outcome = _run_again(row)
    again = view.rerun_row(row, outcome) if outcome else None
    with where:
        columns = st.columns(3 if again else 2)
        _column(columns[0], "Published", row.published, "")
        _column(columns[1], f"Ours, shipped {results.date}", row.ours, row)
        if again:
            _column(columns[2], f"Ours, run again with seed {again.seed}", again.ours, again)
        _figure(again or row, outcome["record"] if outcome else results.records[row.study])
        told = again or row
        st.markdown(f"**Setting.** {_plain(told.setting)}" if told.setting else "")
        if told.detail:
            st.markdown(f"**What else came out.** {_plain(told.detail)}")
        if row.claim in texts.CLAIM_NOTES:
            st.markdown(texts.CLAIM_NOTES[row.claim])
        _links(row)


def _column(place: Any, title: str, text: str, row: Row | str) -> None:
    verdict = ""
    if isinstance(row, Row):
        verdict = f"<strong>{VERDICTS[row.group][1]} {escape(row.verdict)}</strong>"
    place.html(
        f'<div class="md-card"><span class="md-label">{escape(title)}</span>'
        f"<span>{escape(text)}</span>{verdict}</div>"
    )


def _plain(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|$~:" else c for c in text)


def _figure(row: Row, record: Mapping[str, Any]) -> None:
    if row.study == "blind_protocol":
        gaps = gaps_of_record(record["primary"])
        figure, height = parts.to_json(registry.runs_figure(gaps)), registry.height(gaps)
        _chart("", texts.REGISTRY_CHART, figure, gaps.alt, height, row, registry.COMPACT)
    for number, chart in enumerate(charts_of(row, record), 1):
        _chart(
            "" if number == 1 else f"-{number}",
            f"**{chart.title}.**",
            parts.to_json(figures.claim_figure(chart)),
            chart.alt,
            figures.height(chart),
            row,
            figures.compact(chart),
        )


def _chart(
    suffix: str,
    title: str,
    figure: str,
    alt: str,
    height: int,
    row: Row,
    compact: dict[str, Any],
) -> None:
    st.markdown(title)
    live_chart(
        figure,
        key=f"evidence{suffix}",
        alt=alt,
        height=height,
        filename=f"momentdp-{row.claim}{suffix}",
        templates=dict(TEMPLATES),
        compact=compact,
    )


def _run_again(row: Row) -> dict[str, Any] | None:
    seed, button = st.columns((1, 5), vertical_alignment="bottom")
    with seed:
        # Streamlit forgets a widget while another page is drawn.
        st.session_state.setdefault(_SEED, st.session_state.get(_KEPT, 0))
        number = st.number_input("Seed", 0, 9999, key=_SEED, help=texts.SEED_HELP)
        st.session_state[_KEPT] = number
    with button:
        outcome: dict[str, Any] | None = panel.draw(
            ("study", row.study, int(number), tuple(environment().items())),
            f"Run again: study “{row.study}”, about {max(1, round(row.seconds))} s",
            run_study,
            row.study,
            int(number),
            name="evidence",
            seconds=row.seconds,
            reports=True,
        )
    return outcome


def _links(row: Row) -> None:
    shown = explore_link(row.claim)
    st.link_button(f"Open in Explore: {shown.words}", f"./?{shown.link}")
    if row.study == "blind_protocol":
        st.link_button("Open the page Registry", "./registry")
    if row.study == "logistic":
        st.link_button("Open the page Logistic", "./logistic")
