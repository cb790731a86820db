"""Prints an SVG as a one-page PDF with Chrome, where there is one on this machine."""

from __future__ import annotations

import base64
import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import BoundedSemaphore
from typing import Final

NO_BROWSER: Final = (
    "A PDF needs Chrome or Chromium on the machine that runs momentdp, and none was found. "
    "Save the SVG, or set BROWSER_PATH to the browser's program."
)
NOT_PRINTED: Final = "Chrome could not print this chart. Save the SVG instead."
LARGEST: Final = 4_000_000  # characters of an SVG
_NAMES: Final = (
    *("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome"),
    *("msedge", "microsoft-edge"),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_FLAGS: Final = (
    "--headless",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # a chart needs nothing from elsewhere
    "--no-pdf-header-footer",
)
_PATIENCE: Final = 40  # seconds
_AT_ONCE: Final = BoundedSemaphore(2)  # a browser takes a core and 200 MB

# As an image an SVG runs no script and loads nothing, whoever sent it.
_SHEET: Final = """<!doctype html><meta charset="utf-8"><title>momentdp</title><style>
@page {{ size: {width}mm {height}mm; margin: 0 }}
html, body {{ margin: 0; height: 100%; overflow: hidden }}
img {{ display: block; width: 100%; height: 100% }}
</style><img src="data:image/svg+xml;base64,{image}">"""


class NoPdfError(Exception):
    """There is no PDF; the text says why, for the reader."""


def find_browser() -> str | None:
    """Return the program of Chrome or of a browser of its family, None where there is none."""
    given = os.environ.get("BROWSER_PATH")
    return next(
        (path for path in map(shutil.which, (given, *_NAMES) if given else _NAMES) if path), None
    )


def print_svg(svg: str, *, width: float, height: float, about: Mapping[str, str]) -> bytes:
    """Return a PDF of one page with the drawing, whose text stays text.

    Args:
        svg: the drawing, with a viewBox.
        width: of the page, mm, 10 to 5000.
        height: of the page, mm, 10 to 5000.
        about: title, description, source and software, for the document's information.

    Raises:
        NoPdfError: no browser, or it did not print.
    """
    browser = find_browser()
    if browser is None:
        raise NoPdfError(NO_BROWSER)
    if len(svg) > LARGEST or not (10 <= width <= 5000 and 10 <= height <= 5000):
        raise NoPdfError("The chart is too large for a PDF. Save the SVG instead.")
    image = base64.b64encode(svg.encode()).decode()
    sheet = _SHEET.format(width=round(width, 2), height=round(height, 2), image=image)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, _AT_ONCE:
        folder = Path(name)
        (folder / "sheet.html").write_text(sheet, encoding="utf-8")
        command = [browser, *_FLAGS, f"--user-data-dir={folder / 'profile'}"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--no-sandbox")  # Chrome has none for root, as in most containers
        command += [f"--print-to-pdf={folder / 'sheet.pdf'}", (folder / "sheet.html").as_uri()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_PATIENCE)
            return _described((folder / "sheet.pdf").read_bytes(), about)
        except (OSError, subprocess.SubprocessError) as error:
            raise NoPdfError(NOT_PRINTED) from error


def _described(pdf: bytes, about: Mapping[str, str]) -> bytes:
    from pypdf import PdfWriter  # only for those who ask for a PDF

    writer = PdfWriter(clone_from=io.BytesIO(pdf))
    writer.add_metadata(
        {
            "/Title": about["title"],
            "/Subject": about["description"],
            "/Keywords": about["source"],
            "/Creator": about["software"],
        }
    )
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
