"""Repeated participation on the pages: controls, link, table and texts."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import Scenario
from pages.ui import texts
from pages.views import words
from tests.pages.driver import APP, SMALL, STUDY, link_of, opened, run, says, shown

REPEATED = {"participations": 3, "min_separation": 4}
LINK = {"parts": "3", "apart": "4"}


def cells(app: AppTest, key: str) -> list[str]:
    """Return the numbers in a mechanism's row of the table."""
    (row,) = re.findall(rf'<tr data-mechanism="{key}">(.*?)</tr>', shown(app))
    return re.findall(r"<td>(.*?)</td>", row)


def captions(app: AppTest) -> str:
    """Return all small print of the page."""
    return " ".join(block.value for block in app.caption)


def test_once_is_the_default_and_leaves_no_trace() -> None:
    """At first an example takes part once: no parameter in the link, no column in the table."""
    app = opened(**SMALL)
    assert app.select_slider(key="parts").value == app.select_slider(key="apart").value == 1
    assert not {"parts", "apart"} & set(link_of(app))
    assert says(app, Scenario(**STUDY), 0.9)
    assert len(cells(app, "iid")) == 6
    assert "one pass over the data" in captions(app)


def test_the_distance_alone_changes_nothing() -> None:
    """With one participation the distance means nothing, and the study is the same."""
    app = opened(apart="8", **SMALL)
    assert says(app, Scenario(**STUDY), 0.9)
    assert len(cells(app, "iid")) == 6


def test_a_link_opens_repeated_participation() -> None:
    """Noise, ranking and texts are those of the engine for the participation of the link."""
    app = opened(**LINK, **SMALL)
    scenario = Scenario(**STUDY, **REPEATED)
    assert says(app, scenario, 0.9)
    assert "up to 3 times, at least 4 steps apart" in captions(app)
    assert "one pass over the data" not in captions(app)
    for key in scenario.mechanisms:
        assert cells(app, key)[-1] == words.sensitivity(scenario.sensitivity(key))


def test_bounds_and_exact_values_are_told_apart() -> None:
    """Where the worst pattern is not known the table says bound, elsewhere exact."""
    app = opened(**{**SMALL, "T": "128", "parts": "4", "apart": "4", "mech": "iid,dense"})
    assert cells(app, "iid")[-1] == "2 (exact)"
    assert cells(app, "dense")[-1].endswith("(bound)")


def test_the_controls_are_written_into_the_study() -> None:
    """Moving the controls changes the study as the link would."""
    app = opened(**SMALL)
    app.select_slider(key="parts").set_value(3)
    app.select_slider(key="apart").set_value(4)
    run(app)
    assert says(app, Scenario(**STUDY, **REPEATED), 0.9)
    assert app.select_slider(key="parts").help
    assert app.select_slider(key="apart").help


@pytest.mark.parametrize("page", ["pages/why.py", "pages/optimizers.py"])
def test_the_other_pages_follow(page: str) -> None:
    """Their small print names the participation, and their numbers change with it."""
    said = []
    for link in ({}, LINK):
        app = AppTest.from_file(APP, default_timeout=60)
        app.switch_page(page)
        for name, text in {**SMALL, **link, "under": "dense"}.items():
            app.query_params[name] = text
        run(app)
        assert not app.error
        said.append((shown(app), captions(app)))
    assert said[0][0] != said[1][0]
    assert "one pass over the data" in said[0][1]
    assert "up to 3 times, at least 4 steps apart" in said[1][1]


@pytest.mark.parametrize("text", ["0", "5", "2.5", "many"])
def test_other_values_in_a_link_are_named(text: str) -> None:
    """A value that the controls do not have keeps the default and is named."""
    app = opened(parts=text, **SMALL)
    (warning,) = app.warning
    assert "parts: expected" in warning.value
    assert says(app, Scenario(**STUDY), 0.9)


def test_a_bound_is_said_to_bound_the_damage() -> None:
    """Only repeated participation needs the remark about bounds."""
    assert "is a bound" not in texts.exact(Scenario())
    assert "is a bound" in texts.exact(Scenario(participations=2))
