"""A design file brought back on the page Mechanisms: taken, or refused with its reason."""

from __future__ import annotations

import contextlib
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from momentdp_core import (
    OWN_KEY,
    SavedDesign,
    Scenario,
    final_damage,
    load_design,
    own_design,
    save_design,
)
from momentdp_core.__main__ import main
from momentdp_core.design_file import saved
from momentdp_core.mechanisms import solve
from momentdp_core.ranges import range_design
from pages.views import design as views
from pages.views import recipe
from pages.views.design_texts import design_view
from tests.pages.driver import STUDY, chart, link_of, says, shown
from tests.pages.uploads import MATRIX, WITH_OWN, bring, npy, npz, objects, opened, visit

PROBLEM = Scenario(**STUDY)


def written(design: Any) -> bytes:
    """Return the file of a design."""
    file = io.BytesIO()
    save_design(design, file)
    return file.getvalue()


def _toeplitz(key: str) -> SavedDesign:
    full = saved(range_design([(PROBLEM, 0.9)]))
    return replace(full, mechanism=solve(key, horizon=16, bands=4), bands=4)


DESIGNS = {
    "full": (range_design([(PROBLEM, 0.9)]), "full design"),
    "banded": (range_design([(PROBLEM, 0.5), (PROBLEM, 0.9)], bands=4), "design of 4 bands"),
    "Toeplitz C": (_toeplitz("toeplitz_mean"), "Toeplitz (mean) design"),
    "Toeplitz C⁻¹": (_toeplitz("bisr"), "BISR design"),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_file_takes_part(name: str) -> None:
    """However it is stored, and whatever the form says of a matrix, it is the design itself."""
    design, called = DESIGNS[name]
    content = written(design)
    app = bring(opened(), "design.npz", content, "covariance")
    assert not app.error
    (success,) = app.success
    assert success.value.startswith(f"The {called} is taken for 16 steps.")
    assert app.toggle(key="own").label == f"Own mechanism: {called}"
    assert link_of(app)["own"] == "1"
    visit(app, "pages/explore.py")
    scenario = replace(WITH_OWN, own=own_design(content))
    assert says(app, scenario, 0.9)


def test_the_commands_file_is_read(tmp_path: Path) -> None:
    """What `design --out` writes is taken, too."""
    path = tmp_path / "design.npz"
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["design", "--horizon", "16", "--bands", "4", "--out", str(path)]) == 0
    app = bring(opened(), "design.npz", path.read_bytes())
    assert not app.error
    assert "design of 4 bands" in app.success[0].value


def _changed(header: dict[str, Any] | None = None, **arrays: Any) -> bytes:
    with np.load(io.BytesIO(written(DESIGNS["banded"][0]))) as file:
        parts = {name: file[name] for name in file.files} | arrays
    told = json.loads(str(parts["header"])) | (header or {})
    return npz(**(parts | {"header": json.dumps(told)}))


FAULTS = {
    "other steps": (written(saved(range_design([(Scenario(horizon=8), 0.9)]))), "Set T to 8"),
    "newer": (_changed({"version": 9}), "version 9"),
    "cut off": (written(DESIGNS["full"][0])[:-40], "unreadable"),
    "other inverse": (_changed(noising=2 * np.eye(16)), "not the inverse"),
    "nan": (_changed(strategy=np.full((4, 16), np.nan)), "NaN or infinity"),
    "too large": (_changed(strategy=np.ones((1100, 600))), "5 MB when unpacked"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_bad_design_is_a_message(name: str) -> None:
    """It is refused with what is wrong with it, and nothing is taken."""
    content, said = FAULTS[name]
    app = bring(opened(), "design.npz", content)
    (error,) = app.error
    assert said in error.value
    assert "own" not in link_of(app)


def test_pickles_and_bombs_in_a_design_are_refused() -> None:
    """A header that names the format opens no door: nothing is unpickled or unpacked."""
    good = written(DESIGNS["full"][0])
    for part, said in ((objects(), "plain numbers"), (bytes(2**26), "64 MB")):
        file = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(good)) as old,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            new.writestr("header.npy", old.read("header.npy"))
            new.writestr("strategy.npy", part)
        app = bring(opened(), "design.npz", file.getvalue())
        (error,) = app.error
        assert said in error.value


def test_a_foreign_archive_with_a_header_is_a_matrix() -> None:
    """An archive of somebody else is read as before: by the name of its matrix."""
    app = bring(opened(), "C.npz", npz(header=np.array("mine"), strategy=MATRIX))
    assert not app.error
    visit(app, "pages/explore.py")
    assert says(app, WITH_OWN, 0.9)


def test_copied_code_reads_the_design_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python of the page gives the page's scenario where the design lies beside it."""
    content = written(DESIGNS["banded"][0])
    (tmp_path / "design.npz").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    scenario = replace(WITH_OWN, own=own_design(content))
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(recipe.as_python(scenario), space)
    assert space["scenario"] == scenario
    assert OWN_KEY in space["study"].mechanisms


def test_the_own_mechanism_is_a_rival_of_the_design(tmp_path: Path) -> None:
    """On the page Design it stands in the table and the charts, and no file speaks of it."""
    app = visit(bring(opened(), "C.npy", npy(MATRIX)), "pages/design.py")
    assert not app.error
    question = views.question_of(
        WITH_OWN, low=0.9, high=0.9, condition_factor=1.0, lowest_rate=1.0, banded=False,
        worst_case=False, relative=True,
    )  # fmt: skip
    found = views.contest(question, WITH_OWN, views.design_of(question))
    row = found.keys.index(OWN_KEY)
    alone = final_damage(replace(WITH_OWN, mechanisms=(OWN_KEY,)), [0.9])[0, 0]
    assert found.damage[row, 0] == pytest.approx(alone, rel=1e-9)
    view = design_view(found)
    (line,) = [line for line in view.lines if line.key == OWN_KEY]
    assert all(text in shown(app) for text in (line.mean, line.worst, view.sentence))
    assert f'data-mechanism="{OWN_KEY}"' in shown(app)
    assert "Own mechanism" in str(chart(app, "design-sweep")["figure"])
    assert "Best other" in shown(app)
    path = tmp_path / "design.npz"
    save_design(found.design, path)
    assert load_design(path).conditions == found.design.conditions
    with_own = saved(range_design([(WITH_OWN, 0.9)]))
    save_design(with_own, path)
    assert load_design(path).conditions == with_own.conditions
