"""What "Registry" draws: the hash, the frozen cases with their gaps, and the reader's own case."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Final

import streamlit as st

from momentdp_core import MECHANISMS
from momentdp_core.experiments.registry import PRIMARY, frozen_hash, load_registry
from momentdp_core.experiments.shipped import Results
from pages.figures import parts
from pages.figures import registry as figures
from pages.figures.style import TEMPLATES
from pages.ui import controls, optimizer, panel, report, simulations, texts, widgets
from pages.ui.live_chart import live_chart
from pages.ui.studies import gaps_of_record, study_of
from pages.ui.url_state import BEST
from pages.views import registry as view
from pages.views import why
from pages.views.registry import CaseRow, Gaps

_NAMES: Final = {"primary": "The twelve cases", "control": "The control cases"}
_KEPT: Final = "_registry_seed"


def verify() -> None:
    """Hash both files now and say whether they are the frozen ones.

    Raises:
        InputError: one is not.
    """
    for name in _NAMES:
        load_registry(name)
    st.success(
        f"SHA-256 verified now: `{frozen_hash(PRIMARY)}`",
        icon=":material/verified:",
    )


def seed() -> int:
    """Draw the seed of the simulations and return it."""
    # Streamlit forgets a widget while another page is drawn.
    st.session_state.setdefault("registry_seed", st.session_state.get(_KEPT, 0))
    number = st.number_input("Seed", 0, 9999, key="registry_seed", help=texts.SEED_HELP)
    st.session_state[_KEPT] = int(number)
    return int(number)


def draw_cases(results: Results) -> None:
    """Draw one registry: what was found, the chart and the table."""
    left, right = st.columns((1, 4), vertical_alignment="bottom")
    with left:
        number = seed()
    with right:
        name = st.segmented_control(
            "Registry",
            tuple(_NAMES),
            format_func=_NAMES.__getitem__,
            default=PRIMARY,
            required=True,
            key="registry_name",
        )
    top = st.container()
    record = panel.draw(
        ("registry", name, number, frozen_hash(name)),
        f"Simulate them again with seed {number}",
        simulations.simulate_registry,
        name,
        number,
        name="registry",
        reports=True,
    )
    with top:
        shipped = results.records["blind_protocol"][name]
        origin = f"Shipped: {results.date}, momentdp {results.environment['momentdp']}, "
        origin += f"seed {results.seed}."
        if record:
            origin = f"Simulated here with seed {number}."
        _draw(record or shipped, origin)


def _draw(record: Mapping[str, Any], origin: str) -> None:
    gaps = gaps_of_record(record)
    report.summary(view.readouts(record, gaps), origin)
    st.markdown(texts.REGISTRY_CHART)
    _chart("registry", gaps)
    _table(view.case_rows(record))


def _chart(key: str, gaps: Gaps) -> None:
    live_chart(
        parts.to_json(figures.runs_figure(gaps)),
        key=key,
        alt=gaps.alt,
        height=figures.height(gaps),
        filename=f"momentdp-{key}",
        templates=dict(TEMPLATES),
        compact=figures.COMPACT,
    )


def _table(rows: tuple[CaseRow, ...]) -> None:
    names = ("Case", "Setting", "μ", "Better there", "μ", "Better there", "Verdict", "Runs", "")
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names[:-1])
    body = "".join(
        f'<tr data-case="{row.number}"><th scope="row">{row.number}</th>'
        + "".join(
            f"<td>{escape(cell)}</td>"
            for cell in (row.setting, row.low, row.better_at_low, row.high, row.better_at_high,
                         row.verdict, row.runs)
        )
        + f'<td><a href="./?{escape(row.link)}" target="_blank">Explore</a></td></tr>'
        for row in rows
    )  # fmt: skip
    st.html(
        '<div class="md-scroll" tabindex="0" role="region" aria-label="Frozen cases">'
        f'<table class="md-table"><thead><tr>{head}<td></td></tr></thead><tbody>{body}</tbody>'
        "</table></div>"
    )


def draw_own() -> None:
    """Draw the reader's own case: the pair, what the formula says, and the simulator.

    Raises:
        InputError: a control cannot be used, or the pair cannot be told apart.
    """
    st.subheader("Your own case", divider="gray")
    st.markdown(texts.REGISTRY_OWN)
    names = {key: mechanism.label for key, mechanism in MECHANISMS.items()}
    with controls.swept_place():
        value = optimizer.draw_swept()
    first, second = st.columns(2)
    with first:
        a = widgets.pick("a", "Mechanism a", names)
    with second:
        b = widgets.pick("vs", "Mechanism b", {BEST: "the best other one", **names})
    chosen = None if b == BEST else b
    study = study_of(why.scenario_of(controls.scenario(), a, chosen))
    pair = view.own_pair(study, value, a, chosen)
    number = st.session_state[_KEPT]
    st.markdown(view.prediction(pair))
    gap = panel.draw(
        ("pair", repr(pair.scenario), pair.predicted, pair.other, value, number),
        f"Simulate this case with seed {number}",
        simulations.simulate_own,
        pair.scenario,
        pair.predicted,
        pair.other,
        value,
        number,
        name="own",
        reports=True,
    )
    if gap is not None:
        st.markdown(f"**{view.answer(pair, gap)}**")
        _chart("own", view.gaps_view([view.line_of("your case", gap, pair.gap)]))
