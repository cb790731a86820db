"""Pasted lists, Hessians and uploads in the app: good, bad, and one after the other."""

from __future__ import annotations

import pytest

from momentdp_core import Curvature, Scenario, Schedule
from tests.pages.driver import SMALL, STUDY, link_of, opened, run, says, shown


def test_a_pasted_hessian_becomes_the_spectrum() -> None:
    """A Hessian is turned into custom eigenvalues, which the link can carry; a bad one is not."""
    app = opened(**SMALL)
    app.text_area(key="_pasted").set_value("2, 0\n0, 1")
    run(app)
    assert app.session_state["lam"] == "2, 1"
    curvature = Curvature(family="custom", values=(2.0, 1.0))
    assert says(app, Scenario(horizon=16, bands=4, curvature=curvature), 0.9)
    app.text_area(key="_pasted").set_value("2, 5\n0, 1")
    run(app)
    (error,) = app.error
    assert "asymmetric" in error.value
    assert app.session_state["lam"] == "2, 1"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "0 bytes"), (b"1,2\n3\n", "different length"), (b"\xff", "not text")],
)
def test_a_bad_upload_is_a_message(content: bytes, message: str) -> None:
    """An empty or unreadable upload says so beside the upload, and the study stays as it was."""
    app = opened(**SMALL)
    before = shown(app)
    app.file_uploader(key="_hessian").set_value(("h.csv", content, "text/csv"))
    run(app)
    (error,) = app.error
    assert message in error.value
    assert shown(app) == before


def test_a_bad_list_in_between_leaves_no_trace() -> None:
    """Good, bad and again good eigenvalues: the page comes back, axis and link unharmed."""
    app = opened(spectrum="custom", lam="1,0.1", axis="steps", **SMALL)
    for text, good in (("1 0.5", True), ("nan", False), ("1 0.2", True), ("-1", False)):
        app.text_area(key="lam").set_value(text)
        run(app)
        assert bool(app.error) != good
    app.text_area(key="lam").set_value("1 0.3")
    run(app)
    assert not app.error
    assert link_of(app)["axis"] == "steps"
    assert link_of(app)["lam"] == "1 0.3"
    assert says(app, Scenario(**STUDY, curvature=Curvature(family="custom", values=(1, 0.3))), 0.9)


def test_the_first_hessian_is_in_the_link() -> None:
    """A Hessian's eigenvalues go into the link at once, and leave it with the custom spectrum."""
    app = opened(**SMALL)
    app.text_area(key="_pasted").set_value("2 0.5\n0.5 1")
    run(app)
    first = [float(part) for part in link_of(app)["lam"].split(",")]
    assert first == pytest.approx([2.2071067812, 0.7928932188])
    again = opened(**link_of(app))
    assert says(again, Scenario(**STUDY, curvature=Curvature(family="custom", values=first)), 0.9)
    app.selectbox(key="spectrum").set_value("log")
    run(app)
    assert "lam" not in app.query_params


def test_a_custom_list_starts_from_what_was_there() -> None:
    """Choosing "custom" keeps the study: the list is filled with the schedule's own multipliers."""
    app = opened(schedule="cosine", **SMALL)
    before = shown(app)
    app.selectbox(key="schedule").set_value("custom")
    run(app)
    assert not app.error
    values = [float(part) for part in app.text_area(key="chi").value.split(",")]
    assert values == pytest.approx(Schedule(family="cosine").multipliers(16).tolist(), abs=1e-6)
    assert "does the least damage" in before
    assert "does the least damage" in shown(app)
