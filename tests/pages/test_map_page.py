"""The Map page without a browser: pickers, the filling, the flips, and what is refused."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.background import CANCELLED, QUEUED, RUNNING, WORKERS, Job, server_jobs
from pages.views.flips import NEVER
from tests.pages.driver import SMALL, link_of, opened, run

FEW = {**SMALL, "mech": "iid,dense,noisecurve"}


def map_page(**link: str) -> AppTest:
    """Open the app with a link and go to the map."""
    app = opened(**{**FEW, **link})
    app.switch_page("pages/map.py")
    return filled(run(app))


def begun(**link: str) -> tuple[AppTest, Job]:
    """Open a map that takes seconds to fill; return the app with the filling on its way."""
    app = opened(**{"mech": "iid,noisecurve", **link})
    app.switch_page("pages/map.py")
    run(app)
    assert not app.session_state["_job_map"].queued
    run(app)  # as the page's fragment looks again
    job: Job = app.session_state["_job_map"]
    return app, job


def end(job: Job) -> None:
    """End a computation, whoever asked for it."""
    for session in list(job.watchers):
        server_jobs().cancel(job.key, session)
    assert not job.active


def filled(app: AppTest) -> AppTest:
    """Run the page until the map and the list below it are finished, as its fragments do."""
    for _ in range(600):
        said = [caption.value for caption in app.caption]
        if app.error or NEVER in said:
            return app
        time.sleep(0.1)
        run(app)
    pytest.fail("the map was never finished")


def part(app: AppTest, wanted: str) -> dict[str, Any]:
    """Return the data of the one component that has an entry of this name."""
    found = [json.loads(part.proto.json)[0] for part in app.get("bidi_component")]
    (data,) = [data for data in found if wanted in data]
    return dict(data)


def figure(app: AppTest) -> dict[str, Any]:
    """Return the map's figure as the last feeding left it."""
    return dict(json.loads(part(app, "charts")["charts"]["map"]["figure"]))


def test_the_page_ends_with_a_finished_map_and_all_flips():
    """In the end no progress is left, and each question has its lines."""
    app = map_page()
    assert not app.get("progress")
    said = [caption.value for caption in app.caption]
    assert any("Solid line" in text for text in said)
    assert any("ε and δ never flip anything" in text for text in said)
    titles = [m.value for m in app.markdown if m.value.startswith("**")]
    assert len([title for title in titles if title != "**Data**"]) == 3
    drawn = figure(app)
    assert drawn["data"][0]["type"] == "heatmap"
    assert part(app, "charts")["charts"]["map"]["alt"].startswith("Map of the winner")


def test_pickers_are_in_the_link_and_redraw_the_map():
    """Axes and colouring are link parameters; the axes' titles follow."""
    app = map_page(mx="condition", my="schedule", by="regret", fix="iid")
    assert app.selectbox(key="mx").value == "condition"
    assert figure(app)["layout"]["xaxis"]["title"]["text"] == "condition number κ"
    app.selectbox(key="my").set_value("value")
    run(app)
    assert figure(app)["layout"]["yaxis"]["title"]["text"] == "momentum μ"
    link = link_of(app)
    assert (link["mx"], link["by"], link["fix"], link["my"]) == (
        "condition", "regret", "iid", "value",
    )  # fmt: skip


def test_the_same_axis_is_not_offered_twice():
    """With the rate across, the rate cannot be up: the page takes another one."""
    app = map_page(mx="rate", my="rate")
    assert app.selectbox(key="my").value != "rate"


def test_the_point_stands_where_the_controls_are():
    """Its stops are the sidebar's settings, and it is at the one that is chosen."""
    app = map_page(mu="0.5", rate="0.2")
    point = part(app, "chart")
    assert point["x"]["texts"][point["x"]["at"]] == "μ = 0.5"
    assert point["y"]["texts"][point["y"]["at"]] == "ηλmax = 0.2"
    assert len(point["x"]["positions"]) == 100


def test_a_flip_goes_to_its_setting():
    """The button of the first flip puts its control beyond the flip, and only that control."""
    app = map_page(kappa="10")
    before = app.session_state["rate"], app.session_state["kappa"]
    button = next(b for b in app.button if b.key.startswith("flip-winner") and "μ" in b.label)
    target = float(button.help.split(" to ")[1].split(",")[0])
    button.click()
    run(app)
    assert app.session_state["mu"] == pytest.approx(target)
    assert (app.session_state["rate"], app.session_state["kappa"]) == before


@pytest.mark.parametrize(
    ("link", "text"),
    [
        pytest.param({"my": "condition", "spectrum": "isotropic"}, "condition", id="no-condition"),
        pytest.param({"mech": "noisecurve"}, "two or more", id="one-redesigned"),
        pytest.param({"mech": "none"}, "mechanisms", id="none"),
        pytest.param({"spectrum": "custom", "lam": "1,x"}, "eigenvalues", id="bad-list"),
    ],
)
def test_what_cannot_be_drawn_is_said(link, text):
    """A fault is a message on the page, never a traceback."""
    app = map_page(**link)
    assert len(app.error) == 1
    assert text in app.error[0].value


@pytest.mark.parametrize(
    "link",
    [
        pytest.param({"mech": "iid"}, id="one-mechanism"),
        pytest.param({"mech": "iid,dense", "by": "rank"}, id="rank-without-noisecurve"),
        pytest.param({"T": "1", "by": "gap"}, id="one-step"),
        pytest.param({"d": "1"}, id="one-direction"),
        pytest.param({"rate": "3.0", "mu": "0.2"}, id="unstable-point"),
        pytest.param(
            {"schedule": "custom", "chi": ",".join(["1"] * 16), "my": "schedule"}, id="own"
        ),
        pytest.param({"opt": "lp_dpsgd", "rate": "0.2"}, id="low-pass"),
        pytest.param({"spectrum": "isotropic"}, id="isotropic"),
    ],
)
def test_unusual_studies_have_a_map(link):
    """One mechanism, no NoiseCurve, one step, one direction, an unstable point, own lists."""
    app = map_page(**link)
    assert not app.error
    assert figure(app)["data"]


def test_the_first_picture_does_not_wait_for_the_filling():
    """After one run the map is drawn without NoiseCurve, and a bar says how far it is."""
    app = opened(mech="iid,noisecurve", T="130")
    app.switch_page("pages/map.py")
    run(app)
    job: Job = app.session_state["_job_map"]
    assert figure(app)["data"][0]["type"] == "heatmap"
    assert app.get("progress")
    assert job.process is None
    end(job)


def test_a_second_visit_draws_what_is_known_without_filling(monkeypatch):
    """Another session has the finished map and the list in its first run: no process begins."""
    first = figure(map_page(T="17"))
    monkeypatch.setattr("pages.ui.background_process.begin", None)
    app = opened(**{**FEW, "T": "17"})
    app.switch_page("pages/map.py")
    run(app)
    assert not app.get("progress")
    assert NEVER in [caption.value for caption in app.caption]
    assert figure(app) == first


def test_the_filling_of_a_closed_session_stops(monkeypatch):
    """A map that no page looks at any more is not filled to its end."""
    monkeypatch.setattr("pages.ui.map_fill.LEASE", 3.0)
    _, job = begun(T="131")
    assert job.status == RUNNING
    job.wait(30)
    assert (job.status, job.result) == (CANCELLED, None)


def test_a_control_that_changes_the_map_cancels_the_filling():
    """Another axis ends the old filling at once; a colouring does not."""
    app, job = begun(T="132")
    app.selectbox(key="by").set_value("regret")
    run(app)
    assert app.session_state["_job_map"] is job
    assert job.active
    app.selectbox(key="my").set_value("condition")
    run(app)
    assert job.status == CANCELLED
    assert app.session_state["_job_map"] is not job
    end(app.session_state["_job_map"])


def test_who_waits_for_a_process_is_told_so():
    """While all processes are busy the page is drawn and says what it waits for."""
    start = server_jobs().start
    names = [("busy", n) for n in range(WORKERS)]
    for _ in range(2):
        busy = [start(name, "test", time.sleep, 60, lease=60.0) for name in names]
    app, job = begun(T="133")
    (bar,) = app.get("progress")
    assert bar.proto.text == QUEUED
    for one in (*busy, job):
        end(one)


def test_a_filling_that_was_ended_meanwhile_is_begun_again():
    """What another one's end left unfinished is not taken for the finished map."""
    app, job = begun(T="134", mech="iid,dense,noisecurve")
    end(job)
    run(app)
    assert app.get("progress")
    assert app.session_state["_job_map"] is not job
    end(app.session_state["_job_map"])


def test_an_unstable_point_offers_a_stable_rate():
    """Where the controls stand in the unstable region, a button leads out of it."""
    app = map_page(rate="3.0", mu="0", my="schedule")
    assert any("training is stable only below" in warning.value for warning in app.warning)
    app.button(key="stable-rate").click().run()
    assert app.session_state["rate"] == 1.5
    assert not app.warning
