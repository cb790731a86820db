"""Bringing a mechanism in a real browser: good files, bad files, and files that are too large."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.browser

T = 16
MATRIX = np.tril(np.full((T, T), 0.25)) + np.eye(T)
DRAWN = "document.querySelectorAll('.live-chart[data-state=drawn]').length === {}"
LINK = f"?T={T}&b=4&d=4&mech=iid,dense"


def npy(array: np.ndarray) -> bytes:
    """Return an array as the content of a .npy file."""
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def bomb() -> bytes:
    """Return an archive of a few kB whose array unpacks to 64 MB."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("C.npy", bytes(2**26))
    return stream.getvalue()


def spoilt() -> np.ndarray:
    """Return a matrix with an entry that is no number."""
    matrix = MATRIX.copy()
    matrix[3, 1] = np.nan
    return matrix


def open_form(page: Any) -> None:
    """Open the page and its form."""
    page.goto(f"/mechanisms{LINK}")
    page.wait_for_function(DRAWN.format(3))
    page.locator("summary", has_text="Bring your own mechanism").press("Enter")
    page.get_by_role("button", name="Use this mechanism").wait_for()


def choose(page: Any, file: Any) -> None:
    """Put a file into the form's place for files, which is not the one for Hessians."""
    page.locator(".stForm input[type=file]").set_input_files(file)


def bring(page: Any, name: str, content: bytes) -> None:
    """Upload a file and submit the form, once the server has the file.

    While it is sent the button is disabled, but not at once: a click in between is lost.
    """
    with page.expect_response(lambda answer: "upload_file" in answer.url):
        choose(page, {"name": name, "mimeType": "application/octet-stream", "buffer": content})
    page.locator(".stForm").get_by_text(name).first.wait_for()
    page.get_by_role("button", name="Use this mechanism").press("Enter")


def test_a_good_file_takes_part_everywhere(page: Any) -> None:
    """After the upload it is drawn here and on Explore, and the address says that it was there."""
    open_form(page)
    bring(page, "C.npy", npy(MATRIX))
    page.get_by_text("Taken for 16 steps").wait_for()
    page.locator('.md-about[data-mechanism="own"]').wait_for()
    page.wait_for_url("**own=1*")
    page.get_by_role("link", name="Explore").click()
    page.locator('tr[data-mechanism="own"]').wait_for()
    page.wait_for_function(DRAWN.format(2))
    page.wait_for_function(
        "document.querySelector('.live-chart-plot').data.some(t => t.name === 'Own mechanism')"
    )
    link = page.url
    other = page.context.browser.new_page()
    other.goto(link)
    other.get_by_text("this link used an uploaded mechanism").wait_for()
    other.wait_for_function(DRAWN.format(2))
    assert other.locator('tr[data-mechanism="own"]').count() == 0
    other.close()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("C.npy", npy(np.eye(T - 1)), "15 × 15"),
        ("C.npy", npy(spoilt()), "C in row 4, column 2 = nan"),
        ("C.npy", pickle.dumps(MATRIX), "never opened"),
        ("C.npz", bomb(), "64 MB when unpacked"),
    ],
    ids=("wrong shape", "nan", "pickle", "zip bomb"),
)
def test_a_bad_file_is_a_message(page: Any, name: str, content: bytes, said: str) -> None:
    """It is refused beside the form, and the rest of the page stays."""
    open_form(page)
    bring(page, name, content)
    error = page.locator("[data-testid=stAlertContentError]")
    error.wait_for()
    assert said in error.inner_text()
    assert error.count() == 1
    page.wait_for_function(DRAWN.format(3))
    assert "own=1" not in page.url


def test_a_file_of_50_megabytes_is_refused(page: Any, tmp_path: Path) -> None:
    """The browser itself says how large a file may be, and the server is not asked."""
    large = tmp_path / "large.npy"
    large.write_bytes(bytes(50 * 2**20))
    open_form(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    choose(page, large)
    message = page.locator(".stForm").get_by_text("File must be 8").first
    message.wait_for()
    assert message.bounding_box()["width"] > 150  # to be read, not only on hover
    assert "PUT" not in asked
    page.get_by_role("button", name="Use this mechanism").press("Enter")
    page.get_by_text("of at most 8 MB, or paste").wait_for()


def test_the_form_fits_a_telephone(chromium: Any, app_address: str) -> None:
    """Nothing of the page is wider than the screen, with the form open and the charts drawn."""
    narrow = chromium.new_page(viewport={"width": 390, "height": 844})
    narrow.goto(f"{app_address}/mechanisms{LINK}")
    narrow.wait_for_function(DRAWN.format(3))
    narrow.locator("summary", has_text="Bring your own mechanism").press("Enter")
    narrow.get_by_role("button", name="Use this mechanism").wait_for()
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
    narrow.close()
