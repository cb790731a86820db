"""The suggested design and its evidence: texts that follow the study, charts, tables, the page."""

from __future__ import annotations

import copy
from typing import Any

import plotly.graph_objects as go
import pytest

from momentdp_core.experiments.design_report import shipped_designs
from pages.figures.evidence import comparison_figure
from pages.ui import proof as ui
from pages.ui.parameters import PARAMETERS
from pages.views import proof as views
from pages.views import proof_charts as charts
from pages.views.design_texts import design_view
from tests.pages.driver import SMALL, chart, link_of, run, shown
from tests.pages.test_design_page import answer
from tests.pages.test_design_page import opened as opened_design
from tests.pages.test_logistic_page import opened as opened_logistic


@pytest.fixture
def told() -> dict[str, Any]:
    """A copy of the shipped report, to plant other results in."""
    return copy.deepcopy(shipped_designs()["report"])


def test_the_suggestion_says_what_was_found(told: dict[str, Any]) -> None:
    """Kind and counts are the report's; without a suggestion it says so."""
    found = told["verdict"]
    said = views.suggestion(told)
    assert said.startswith("Suggested: **")
    assert f"in {found['tuned']['better']} of {sum(found['tuned'].values())} cases" in said
    assert f"worse in {found['sweep']['worse']}." in said
    gains = [
        -100 * one["tuned"][found["best"]]["difference"] / one["tuned"][found["best"]]["rival_mean"]
        for one in told["proofs"]
        if one["epsilon"] == 1.0
    ]
    assert f"by {min(gains):.2g} % to {max(gains):.2g} % at ε = 1" in said
    found["suggested"] = None
    assert views.suggestion(told).startswith("No design is suggested")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"banded": False, "ranged": True, "path_share": 0.0}, "a full design for curvature × 0.25 "
         "to 1"),
        ({"banded": True, "ranged": False, "path_share": 0.1}, "a banded design for the curvature "
         "as it is, the loss on the way counted × 0.1"),
        ({"banded": True, "ranged": False, "path_share": None}, "a banded design for the curvature "
         "as it is, and the loss on the way alone"),
    ],
    ids=["range", "tenth", "alone"],
)  # fmt: skip
def test_a_kind_in_words_is_its_fields(
    told: dict[str, Any], fields: dict[str, Any], said: str
) -> None:
    """Form, range and the share of the way."""
    told["kinds"]["single"] = fields
    assert views.in_words(told, "single") == said


def test_other_choices_are_admitted(told: dict[str, Any]) -> None:
    """Where one ε or tuned rates alone would choose another kind, it is named with both scores."""
    best = told["verdict"]["best"]
    (other,) = [key for key in told["kinds"] if key != best][:1]
    for alone in (*told["score_by_epsilon"].values(), told["score_tuned"]):
        alone[best] = 0.5
    assert views.choice(told).count("it is the same kind") == 3
    told["score_tuned"][other] = 0.1
    assert f"it would be “{told['kinds'][other]['label']}”, with 0.100 instead of 0.500" in (
        views.choice(told)
    )


def test_privacy_that_is_too_small_to_matter_is_said(told: dict[str, Any]) -> None:
    """The note appears below 5 % of the loss, goes above it, and is halved between."""
    for proof in told["proofs"]:
        proof["privacy"] = 0.5
    assert "too small" not in views.privacy(told)
    assert "no mechanism can matter" not in views.privacy(told)
    for proof in told["proofs"]:
        proof["privacy"] = 0.01
    assert views.privacy(told).count("too small a part") == 2
    told["proofs"][0]["privacy"] = 0.2
    assert "Below 5 %, no mechanism can matter much" in views.privacy(told)


def test_losses_are_listed(told: dict[str, Any]) -> None:
    """Every rate at which the suggested kind is worse is named; none is said too."""
    best = told["verdict"]["best"]
    worse = [
        f"rate {rate:g} (+{100 * gap:.1f} %)"
        for p in told["proofs"]
        for rate, gap, outcome in zip(
            p["rates"], p["sweep"][best]["relative"], p["sweep"][best]["outcome"], strict=True
        )
        if outcome == "worse"
    ]
    assert len(worse) == told["verdict"]["sweep"]["worse"]
    assert all(text in views.losses(told) for text in worse)
    for proof in told["proofs"]:
        proof["sweep"][best]["outcome"] = ["better"] * len(proof["rates"])
    assert views.losses(told) == "It is worse at none of the rates."


def test_mending_counts_the_remedies(told: dict[str, Any]) -> None:
    """How often each remedy is no longer behind, among the settings where the design is behind."""
    behind = [one for one in told["reasons"] if one["cause"]]
    kinds = behind[0]["kinds"][1:]
    for one in behind:
        one["mended"] = [kinds[0]]
    said = views.mending(told)
    assert f"behind at {len(behind)} of {len(told['reasons'])} settings" in said
    assert f"“{told['kinds'][kinds[0]]['label']}” in {len(behind)}" in said
    assert f"“{told['kinds'][kinds[1]]['label']}” in 0" in said
    told["reasons"] = []
    assert "falls behind nowhere" in views.mending(told)


def test_charts_hold_the_differences(told: dict[str, Any]) -> None:
    """Percent of the published loss with intervals, by condition and ε, and at every rate."""
    best = told["verdict"]["best"]
    view = charts.tuned_chart(told)
    pair = told["proofs"][1]["tuned"][best]
    at = told["proofs"][1]["epsilon"]
    (side,) = [side for side in view.sides if side.name == f"ε = {at:g}"]
    middle = 100 * pair["difference"] / pair["rival_mean"]
    half = 100 * pair["half_width"] / pair["rival_mean"]
    assert (side.low[0], side.values[0], side.high[0]) == pytest.approx(
        (middle - half, middle, middle + half)
    )
    for epsilon in told["settings"]["epsilons"]:
        sweep = charts.sweep_chart(told, epsilon)
        assert len(sweep.sides) == 4
        assert len(sweep.categories) == len(told["settings"]["rates"])
        assert f"ε = {epsilon:g}" in sweep.alt
        ends = [x for one in sweep.sides for x in (*one.low, *one.high)]
        low, high = comparison_figure(sweep).layout.yaxis.range
        assert low < min(0.0, *ends) <= max(0.0, *ends) < high
        go.Figure(comparison_figure(sweep).to_dict())
    go.Figure(comparison_figure(view).to_dict())


def test_tables_hold_every_kind_and_setting(told: dict[str, Any]) -> None:
    """Kinds by score, the published one last; a reason a line; a missing ratio is a dash."""
    table = charts.kinds_table(told)
    scores = [float(row[1]) for row in table.rows[:-1]]
    assert scores == sorted(scores)
    assert len(scores) == len(told["kinds"])
    assert {len(row) for row in table.rows} == {len(table.head)}
    reasons = charts.reasons_table(told)
    assert len(reasons.rows) == len(told["reasons"])
    assert {len(row) for row in reasons.rows} == {len(reasons.head)}
    one = told["reasons"][0]
    one["privacy"][one["rival"]] = [-1.0] * 4
    assert charts.reasons_table(told).rows[0][2:6] == ("–",) * 4


def test_suggested_controls_are_values_of_the_page(told: dict[str, Any]) -> None:
    """Every kind that the page can make has controls that a link can hold; the others have none."""
    for key, kind in told["kinds"].items():
        told["verdict"]["suggested"] = key
        values = ui.suggested_controls(told)
        assert (values is None) == (kind["path_share"] is None)
        for name, value in (values or {}).items():
            assert value in PARAMETERS[name].options or isinstance(value, bool)
    told["verdict"]["suggested"] = None
    assert ui.suggested_controls(told) is None


def test_the_design_page_offers_the_suggestion() -> None:
    """The button sets the controls, the link holds them, and the design is made for them."""
    app = opened_design(**SMALL)
    report = shipped_designs()["report"]
    assert any(views.suggestion(report) == block.value for block in app.markdown)
    assert shipped_designs()["date"] not in shown(app)
    app.button(key="use-suggested").click()
    run(app)
    wanted = ui.suggested_controls(report)
    assert wanted is not None
    assert link_of(app)["dway"] == wanted["dway"]
    assert all(app.session_state[name] == value for name, value in wanted.items())
    assert "use-suggested" not in [button.key for button in app.button]
    found = answer(
        lowest_rate=float(wanted["dr"]),
        path_share=float(wanted["dway"]),
        banded=wanted["dform"] == "banded",
    )
    assert all(readout.value in shown(app) for readout in design_view(found).readouts)
    assert f"the loss on the way × {wanted['dway']}" in shown(app)


def test_both_pages_draw_the_evidence() -> None:
    """Once asked for: date, charts with a text alternative, and the tables."""
    report = shipped_designs()["report"]
    for app, page in ((opened_design(**SMALL), "design"), (opened_logistic(), "logistic")):
        app.toggle(key=f"{page}-proof").set_value(True)
        run(app)
        assert f"Shipped: {shipped_designs()['date']}" in shown(app)
        assert chart(app, f"{page}-proof-tuned")["alt"] == charts.tuned_chart(report).alt
        for epsilon in report["settings"]["epsilons"]:
            assert chart(app, f"{page}-proof-sweep-{epsilon:g}")["alt"]
        assert charts.kinds_table(report).heading in shown(app)
        assert charts.reasons_table(report).heading in shown(app)
