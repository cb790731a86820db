"""The page “Evidence” as a reader uses it, without a browser."""

from __future__ import annotations

import json
import time
from urllib.parse import parse_qs

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core.experiments.claims import CLAIMS
from momentdp_core.experiments.execution import run_study
from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.experiments.logistic_runs import COMPARED
from momentdp_core.experiments.shipped import shipped_results
from pages.ui.url_state import PARAMETERS, problems
from pages.views.claim_links import explore_link
from pages.views.evidence import VERDICTS, chosen, rerun_row, row_of, rows_of, sentence
from tests.pages.driver import APP, chart, link_of, run, shown

PAGE = "pages/evidence.py"


def opened(**link: str) -> AppTest:
    """Open the page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page(PAGE)
    for name, text in link.items():
        app.query_params[name] = text
    return run(app)


def listed(app: AppTest) -> list[dict[str, str]]:
    """Return the rows that the table was given."""
    found = [json.loads(part.proto.json)[0] for part in app.get("bidi_component")]
    (data,) = [data for data in found if "rows" in data]
    rows: list[dict[str, str]] = data["rows"]
    return rows


def said(app: AppTest) -> str:
    """Return everything that is written on the page."""
    blocks = [*app.caption, *app.markdown, *app.subheader, *app.info]
    return shown(app) + " ".join(block.value for block in blocks)


def test_every_claim_stands_beside_what_was_published() -> None:
    """All claims are listed with the shipped verdicts, dated, and counted."""
    app = opened()
    results = shipped_results()
    assert [row["claim"] for row in listed(app)] == list(CLAIMS)
    assert PARAMETERS["claim"].options == tuple(CLAIMS)
    for row in listed(app):
        told = results.claims[row["claim"]]
        assert (row["published"], row["ours"]) == (told["published"], told["ours"])
        assert row["verdict"] == told["verdict"]
    for word in (results.date, results.environment["momentdp"], "seed 0"):
        assert word in said(app)
    assert "Not reproduced: M30, P4, P5." in shown(app)
    total = sum(row.group == "reproduced" for row in rows_of(results))
    assert f"{total} of {len(CLAIMS)}" in shown(app)


def test_the_filters_are_in_the_link() -> None:
    """Paper, verdict and kind cut the table, alone and together, and come from the link."""
    app = opened(paper="pmlf", verdict="not")
    assert [row["claim"] for row in listed(app)] == ["P4", "P5"]
    app.selectbox(key="paper").select("all")
    app.selectbox(key="kind").select("exact")
    app.multiselect(key="verdict").set_value(["reproduced"])
    run(app)
    exact = [claim.id for claim in CLAIMS.values() if claim.kind == "exact"]
    assert [row["claim"] for row in listed(app)] == exact
    assert {name: link_of(app).get(name) for name in ("paper", "kind", "verdict")} == {
        "paper": None, "kind": "exact", "verdict": "reproduced"
    }  # fmt: skip
    app.multiselect(key="verdict").set_value(["not"])
    run(app)
    assert "No claim fits these filters" in said(app)


@pytest.mark.parametrize("claim", list(CLAIMS))
def test_every_claim_opens(claim: str) -> None:
    """Each row opens its setting, both sides, and a button that runs its study again."""
    app = opened(claim=claim)
    told = shipped_results().claims[claim]
    assert app.main.subheader[0].value.startswith(f"{claim} · ")
    assert not app.error
    for text in (told["published"], told["ours"]):
        assert text.replace("<", "&lt;") in shown(app)
    assert f"study “{told['study']}”" in app.button(key="evidence-start").label
    assert json.loads(str(chart(app, "evidence")["figure"]))["data"]
    links = [part.proto.url for part in app.get("link_button")]
    assert links[0] == f"./?{explore_link(claim).link}"


def test_every_link_opens_a_scenario_in_explore() -> None:
    """No parameter is unknown or out of its range, and the scenario is the one that is told."""
    for claim in CLAIMS:
        assert problems(parse_qs(explore_link(claim).link)) == (), claim
    app = AppTest.from_file(APP, default_timeout=60)
    for name, texts in parse_qs(explore_link("M26").link).items():
        app.query_params[name] = texts[0]
    run(app)
    assert not app.warning
    assert not app.error
    eigenvalues = [float(text) for text in app.text_area(key="lam").value.split(",")]
    np.testing.assert_allclose(eigenvalues, paper_problem(0).calibrated, rtol=1e-5)
    assert tuple(app.multiselect(key="mech").value) == COMPARED


@pytest.mark.parametrize("claim", ["M1", "M16", "M21", "P1", "P3", "P4"])
def test_a_link_shows_what_it_says(claim: str) -> None:
    """Explore takes every parameter as it is, and draws the scenario."""
    app = AppTest.from_file(APP, default_timeout=60)
    link = {name: texts[0] for name, texts in parse_qs(explore_link(claim).link).items()}
    for name, text in link.items():
        app.query_params[name] = text
    run(app)
    assert not app.warning
    assert not app.error
    defaults = {name for name, text in link.items() if str(PARAMETERS[name].default) == text}
    assert link.items() - {(name, link[name]) for name in defaults} <= link_of(app).items()


def test_a_row_that_is_clicked_opens() -> None:
    """The table's trigger opens the claim, and the link holds it."""
    app = opened(claim="M17")
    assert link_of(app)["claim"] == "M17"
    app.session_state["claim"] = PARAMETERS["claim"].default
    run(app)
    assert "claim" not in link_of(app)


def test_what_was_found_out_is_said() -> None:
    """The notes on Table 2, on the frozen cases, and on DP-PMLF stand at their claims."""
    assert "Adam with 1500 steps" in said(opened(claim="M25"))
    assert "never frozen" in said(opened(claim="M24"))
    assert "InnerOuter is last" in said(opened(claim="P4"))
    assert "only without the start-up normalisation" in said(opened(claim="P5"))


def test_run_again_computes_and_shows_the_new_figures() -> None:
    """The button starts the study beside the page; done, its verdict stands beside the shipped."""
    app = opened(claim="M20")
    app.number_input(key="evidence_seed").set_value(3)
    app.button(key="evidence-start").click()
    run(app)
    deadline = time.monotonic() + 60
    while "run again with seed 3" not in shown(app):
        assert time.monotonic() < deadline
        time.sleep(0.3)
        run(app)
    app.switch_page("pages/explore.py")
    run(app)
    app.switch_page(PAGE)
    run(app)
    assert "run again with seed 3" in shown(app)


def test_a_fresh_run_that_fails_is_told() -> None:
    """A changed outcome changes the row's verdict."""
    row = row_of(shipped_results().claims["M20"])
    outcome = run_study("lr_aware_limit", 0)
    assert rerun_row(row, outcome).group == "reproduced"
    outcome["verdicts"][0]["outcome"] = "not reproduced"
    again = rerun_row(row, outcome)
    assert again.group == "not"
    assert chosen([again], "all", ["not"], "exact") == (again,)
    assert "0 of 1 exact claims are reproduced. Not reproduced: M20." in sentence([again])
    assert VERDICTS[again.group][0] == "Not reproduced"


def test_the_sidebar_keeps_its_state() -> None:
    """The controls are hidden here and still there on the other pages."""
    app = opened(kappa="20", mu="0.5")
    app.switch_page("pages/explore.py")
    run(app)
    assert app.slider(key="mu").value == 0.5
    assert link_of(app)["kappa"] == "20"
