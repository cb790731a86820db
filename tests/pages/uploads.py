"""A mechanism to bring, files that hold it, and the form that takes it, for the tests."""

from __future__ import annotations

import io
import struct
import zipfile

import numpy as np
from streamlit.testing.v1 import AppTest

from momentdp_core import OWN_KEY, Scenario, own_mechanism
from tests.pages.driver import APP, SMALL, STUDY, run

PAGE = "pages/mechanisms.py"
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
