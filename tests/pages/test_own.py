"""A mechanism of one's own on the pages: where it takes part, the link, pins and copied code."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from momentdp_core import OWN_KEY, Scenario, own_mechanism
from pages.ui.states import State
from pages.views import recipe
from tests.pages.driver import STUDY, link_of, run, says, shown
from tests.pages.uploads import MATRIX, PAGE, WITH_OWN, bring, npy, opened, submit, visit

OTHERS = ("explore", "map", "why", "optimizers")


def test_it_takes_part_on_every_page() -> None:
    """After the upload it is among the mechanisms of all pages, until it is switched off."""
    app = bring(opened(), "C.npy", npy(MATRIX))
    visit(app, "pages/explore.py")
    assert says(app, WITH_OWN, 0.9)
    assert f'data-mechanism="{OWN_KEY}"' in shown(app)
    visit(app, "pages/why.py")
    assert "Own mechanism" in app.selectbox(key="a").options
    app.selectbox(key="a").select(OWN_KEY)
    run(app)
    assert not app.error
    assert "Own mechanism" in shown(app)
    visit(app, "pages/optimizers.py")
    app.selectbox(key="under").select(OWN_KEY)
    run(app)
    assert not app.error
    assert "Own mechanism" in shown(app)
    visit(app, "pages/map.py")
    assert not app.error
    assert "Own mechanism" in app.selectbox(key="ma").options
    visit(app, "pages/optimizers.py")
    app.toggle(key="own").set_value(False)
    run(app)
    assert not app.error
    assert app.selectbox(key="under").value == "iid"
    assert "own" not in link_of(app)
    visit(app, "pages/explore.py")
    assert says(app, Scenario(**STUDY), 0.9)


def test_its_copied_code_reads_it_from_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python of the page gives the page's study where the reader's file lies beside it."""
    np.save(tmp_path / "own.npy", MATRIX)
    monkeypatch.chdir(tmp_path)
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(recipe.as_python(WITH_OWN), space)
    assert space["scenario"] == WITH_OWN
    assert recipe.as_command(WITH_OWN) == ""
    assert "own mechanism uploaded" in recipe.caption(WITH_OWN)


def test_a_pinned_state_keeps_it() -> None:
    """Pinning counts it as part of the study."""
    state = State({"own": True, "parts": 4, "apart": 2, "T": 16})
    assert state.text == "T=16&parts=4&apart=2&own=1"
    assert State({"apart": 2, "T": 16}).text == "T=16"


def test_a_pinned_state_says_that_it_needs_the_upload() -> None:
    """A pinned scenario with an uploaded mechanism is not shown without it."""
    app = opened("pages/explore.py", pin="T=16&b=4&own=1")
    said = " ".join(warning.value for warning in app.warning)
    assert "cannot be shown" in said
    assert "Upload it on the page Mechanisms" in said
    assert not app.error


def test_columns_are_scaled_on_request() -> None:
    """The switch makes all columns of C equally long, and the message says so."""
    app = opened()
    app.toggle(key="_own_unit").set_value(True)
    bring(app, "C.npy", npy(MATRIX))
    (success,) = app.success
    assert "every column of C has length 1" in success.value
    own = own_mechanism("strategy", MATRIX, horizon=16, scale_columns=True)
    visit(app, "pages/explore.py")
    assert says(app, Scenario(**STUDY, mechanisms=WITH_OWN.mechanisms, own=own), 0.9)


def test_coefficients_fit_any_number_of_steps() -> None:
    """Pasted coefficients follow T; a matrix has its own T and says so."""
    app = opened()
    app.selectbox(key="_own_kind").select("noising")
    app.text_area(key="_own_text").set_value("1, -0.5; -0.125")
    submit(app)
    assert not app.error
    visit(app, "pages/explore.py")
    app.select_slider(key="T").set_value(8)
    run(app)
    own = own_mechanism("noising_series", [1, -0.5, -0.125], horizon=8)
    scenario = Scenario(horizon=8, bands=4, mechanisms=WITH_OWN.mechanisms, own=own)
    assert says(app, scenario, 0.9)
    app = bring(opened(), "C.npy", npy(MATRIX))
    visit(app, "pages/explore.py")
    app.select_slider(key="T").set_value(8)
    run(app)
    assert "Set T to 16" in app.error[0].value
    app.toggle(key="own").set_value(False)
    run(app)
    assert not app.error


def test_a_bad_try_keeps_what_was_there() -> None:
    """A refused second upload leaves the first in place; Remove takes it away."""
    app = bring(opened(), "C.npy", npy(MATRIX))
    bring(app, "C.npy", npy(np.eye(3)))
    assert app.error
    assert app.toggle(key="own").value is True
    app.button(key="own-remove").click()
    run(app)
    assert not app.error
    assert "own" not in link_of(app)
    assert not [toggle for toggle in app.toggle if toggle.key == "own"]
    assert app.selectbox(key="about").value == "dense"


@pytest.mark.parametrize("page", [PAGE, *(f"pages/{name}.py" for name in OTHERS)])
def test_a_link_says_that_it_needs_the_upload(page: str) -> None:
    """Another session has no such mechanism: every page says so and shows the rest."""
    app = opened(page, own="1", about="own", a="own", under="own")
    (warning,) = app.warning
    assert "this link used an uploaded mechanism" in warning.value
    assert not app.error
    assert link_of(app)["own"] == "1"


def test_the_message_goes_once_it_is_uploaded() -> None:
    """Uploading what the link needs ends the warning."""
    app = opened(own="1")
    assert app.warning
    bring(app, "C.npy", npy(MATRIX))
    assert not app.warning


def test_sessions_do_not_share_it() -> None:
    """A second session sees nothing of the first one's mechanism."""
    bring(opened(), "C.npy", npy(MATRIX))
    other = opened()
    assert not [toggle for toggle in other.toggle if toggle.key == "own"]
    assert "Own mechanism" not in other.selectbox(key="about").options
    assert says(visit(other, "pages/explore.py"), Scenario(**STUDY), 0.9)
