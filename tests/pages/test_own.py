"""Bringing a mechanism of one's own: files, coefficients, faults, the link and the other pages."""

from __future__ import annotations

import contextlib
import io
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import OWN_KEY, InputError, Scenario, own_mechanism
from pages.figures.style import MARKS
from pages.ui import upload
from pages.ui.states import State
from pages.views import recipe
from tests.pages.driver import APP, SMALL, STUDY, link_of, run, says, shown

PAGE = "pages/mechanisms.py"
OTHERS = ("explore", "map", "why", "optimizers")
MATRIX = np.tril(np.full((16, 16), 0.25)) + np.eye(16)
OWN = own_mechanism("strategy", MATRIX, horizon=16)
WITH_OWN = Scenario(**STUDY, mechanisms=(*Scenario().mechanisms, OWN_KEY), own=OWN)


def npy(array: object) -> bytes:
    """Return an array as the content of a .npy file."""
    stream = io.BytesIO()
    np.save(stream, np.asarray(array))
    return stream.getvalue()


def npz(**arrays: object) -> bytes:
    """Return arrays as the content of a compressed .npz file."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **{name: np.asarray(array) for name, array in arrays.items()})
    return stream.getvalue()


def csv(array: np.ndarray) -> bytes:
    """Return a matrix as text."""
    return "\n".join(", ".join(map(repr, row)) for row in array.tolist()).encode()


def packed(content: bytes) -> bytes:
    """Return an archive that holds some content as its only array."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("C.npy", content)
    return stream.getvalue()


def bomb() -> bytes:
    """Return a small archive whose one array unpacks to 64 MB."""
    return packed(npy(np.eye(2)) + bytes(2**26))


def liar() -> bytes:
    """Return such an archive whose directory says that the array is small."""
    content = bytearray(bomb())
    size = struct.pack("<I", len(npy(np.eye(2))) + 2**26)
    for _ in range(content.count(size)):
        place = content.find(size)
        content[place : place + 4] = struct.pack("<I", 100)
    return bytes(content)


def objects() -> bytes:
    """Return a .npy file whose entries are pickled objects."""
    stream = io.BytesIO()
    np.save(stream, np.array([{}]), allow_pickle=True)
    return stream.getvalue()


def opened(page: str = PAGE, **link: str) -> AppTest:
    """Open a page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    if page != "pages/explore.py":  # that is where a link without a page leads
        app.switch_page(page)
    for name, text in {**SMALL, **link}.items():
        app.query_params[name] = text
    return run(app)


def bring(app: AppTest, name: str, content: bytes, kind: str = "strategy") -> AppTest:
    """Upload a file and submit the form."""
    app.selectbox(key="_own_kind").select(kind)
    app.file_uploader(key="_own_file").set_value((name, content, "application/octet-stream"))
    return submit(app)


def submit(app: AppTest) -> AppTest:
    """Press the form's button."""
    (button,) = [b for b in app.button if b.label == "Use this mechanism"]
    button.click()
    return run(app)


def visit(app: AppTest, page: str) -> AppTest:
    """Go to another page of the same session."""
    app.switch_page(page)
    return run(app)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("C.npy", npy(MATRIX), "strategy"),
        ("C.csv", csv(MATRIX), "strategy"),
        ("C.npz", npz(anything=MATRIX), "strategy"),
        ("four.npz", npz(C=MATRIX, X=MATRIX.T @ MATRIX), "gram"),
        ("N.npy", npy(np.tril(np.linalg.inv(MATRIX))), "noising"),
        ("K.NPY", npy(np.linalg.inv(MATRIX.T @ MATRIX)), "covariance"),
        ("C32.npy", npy(np.asfortranarray(MATRIX.astype(np.float32))), "strategy"),
    ],
    ids=("npy", "csv", "npz", "several arrays", "inverse", "covariance", "single precision"),
)
def test_a_good_upload_is_taken(name: str, content: bytes, kind: str) -> None:
    """Every format and kind gives the same mechanism, with its sensitivity on screen."""
    app = bring(opened(), name, content, kind)
    assert not app.error
    (success,) = app.success
    assert f"sensitivity as given is {OWN.given_sensitivity:.4g}" in success.value
    assert app.selectbox(key="about").value == OWN_KEY
    assert link_of(app)["own"] == "1"
    assert f'data-mechanism="{OWN_KEY}"' in shown(app)
    assert MARKS[OWN_KEY].glyph in shown(app)
    assert "as given" in shown(app)


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


FAULTS = [
    ("no file", "", b"", "empty"),
    ("empty file", "C.npy", b"", "0 bytes"),
    ("no array", "C.npy", b"hello", "unreadable"),
    ("pickle", "C.npy", pickle.dumps(MATRIX), "pickle"),
    ("pickled objects", "C.npy", objects(), "pickle"),
    ("pickle in an archive", "C.npz", packed(objects()), "pickle"),
    ("cut off", "C.npy", npy(MATRIX)[:-8], "cut off"),
    ("no archive", "C.npz", npy(MATRIX), "unreadable"),
    ("damaged archive", "C.npz", npz(C=MATRIX)[:-40], "unreadable"),
    ("bomb", "C.npz", bomb(), "64 MB when unpacked"),
    ("lying bomb", "C.npz", liar(), "unreadable"),
    ("unclear archive", "C.npz", npz(a=MATRIX, b=MATRIX), "2 arrays (a, b)"),
    ("empty archive", "C.npz", npz(), "0 arrays"),
    ("too many entries", "C.npy", npy(np.zeros((513, 512))), "513 × 512 entries"),
    ("large file", "C.csv", b"1," * (5 * 2**20), "10 MB"),
    ("not text", "C.csv", b"\xff\xfe\x00", "not text"),
    ("words", "C.csv", b"1, 0\n0, x", "entry 2"),
    ("ragged", "C.csv", b"1, 0\n0", "rows of different length"),
    ("wrong shape", "C.npy", npy(np.eye(15)), "15 × 15"),
    ("nan", "C.npy", npy(np.where(np.eye(16) == 1, np.nan, 0)), "row 1, column 1"),
    ("nan in text", "C.csv", csv(MATRIX).replace(b"1.25", b"nan"), "row 1, column 1"),
    ("not triangular", "C.npy", npy(np.ones((16, 16))), "lower triangular"),
    ("complex", "C.npy", npy(MATRIX * 1j), "no real numbers"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "said"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_a_bad_upload_is_a_message(name: str, content: bytes, said: str) -> None:
    """It is refused with what is wrong, the study stays, and nothing is taken."""
    app = opened()
    if name:
        bring(app, name, content)
    else:
        submit(app)
    (error,) = app.error
    assert said in error.value
    assert "own" not in link_of(app)
    assert app.selectbox(key="about").value == "dense"


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("gram", "1, 0.5", "coefficients of X or K"),
        ("strategy", "1, two", "entry 2 of coefficients"),
        ("strategy", ", ".join(["1"] * 17), "at most 16"),
        ("noising", "0, 1", "no inverse"),
    ],
    ids=("of X", "word", "too many", "leading zero"),
)
def test_bad_coefficients_are_a_message(kind: str, text: str, said: str) -> None:
    """Coefficients that make no mechanism are refused like a file."""
    app = opened()
    app.selectbox(key="_own_kind").select(kind)
    app.text_area(key="_own_text").set_value(text)
    submit(app)
    (error,) = app.error
    assert said in error.value


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


def test_a_header_cannot_ask_for_memory() -> None:
    """A header that names more entries than the file has is refused before any is made."""
    header = io.BytesIO()
    huge = {"descr": "<f8", "fortran_order": False, "shape": (2**40, 2**20)}
    np.lib.format.write_array_header_1_0(header, huge)
    with pytest.raises(InputError, match="entries"):
        upload.matrix_file("C.npy", header.getvalue(), "strategy")
    wide = {"descr": "<U100000000", "fortran_order": False, "shape": (2, 2)}
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, wide)
    with pytest.raises(InputError, match="cut off"):
        upload.matrix_file("C.npy", header.getvalue(), "strategy")


def test_another_ending_is_refused() -> None:
    """Only the three formats are read, whatever the browser lets through."""
    with pytest.raises(InputError, match="of another format"):
        upload.matrix_file("C.mat", npy(MATRIX), "strategy")


def test_the_largest_matrix_fits() -> None:
    """512 steps fit as .npy and as text with all digits."""
    matrix = np.tril(np.random.default_rng(0).normal(size=(512, 512)))
    assert np.array_equal(upload.matrix_file("C.npy", npy(matrix), "strategy"), matrix)
    assert np.array_equal(upload.matrix_file("C.csv", csv(matrix), "strategy"), matrix)
