"""Files with a mechanism: every format and kind, and every fault with its message."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

from momentdp_core import OWN_KEY, InputError
from pages.figures.style import MARKS
from pages.ui import upload
from tests.pages.driver import link_of, shown
from tests.pages.uploads import (
    MATRIX,
    OWN,
    bomb,
    bring,
    csv,
    liar,
    npy,
    npz,
    objects,
    opened,
    packed,
    submit,
)


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
