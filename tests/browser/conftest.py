"""A running app and a real Chromium, for the tests of this folder and for the screenshots.

The tests press buttons and folds by key, once they are there: a click by mouse goes to a place, and
is lost when the page moves under it between pressing and letting go.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SYSTEM_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",  # containers seldom have one; the only page opened is our own
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
VIEWPORT = {"width": 1440, "height": 900}
PATIENCE = 60  # seconds for a server to start


def free_port() -> int:
    """Return a port that nothing listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@contextmanager
def running_app(script: Path = ROOT / "app.py", port: int | None = None) -> Iterator[str]:
    """Start the app, or another script, on a port of this machine; yield its address."""
    port = port or free_port()
    address = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}"]
    options = ["--server.headless=true", "--server.fileWatcherType=none", "--logger.level=error"]
    server = subprocess.Popen([*command, *options], cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _is_healthy(address):
            if server.poll() is not None:
                raise RuntimeError(f"the app ended with code {server.returncode} before it served")
            if time.monotonic() > deadline:
                raise RuntimeError(f"the app did not answer within {PATIENCE} seconds")
            time.sleep(0.05)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=10)


@contextmanager
def running_browser() -> Iterator[Any]:
    """Start Playwright's own Chromium, or else one of the system; yield the browser.

    Raises:
        LookupError: there is none that starts.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        raise LookupError(f"Playwright is not installed: {error}") from error
    found = [path for path in map(shutil.which, SYSTEM_BROWSERS) if path]
    reasons = []
    with sync_playwright() as playwright:
        for path in (None, *found):
            try:
                browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
            except Error as error:
                reasons.append(f"{path or 'Playwright'}: {error.message.splitlines()[0]}")
                continue
            try:
                yield browser
            finally:
                browser.close()
            return
    raise LookupError("no Chromium starts here: " + "; ".join(reasons))


def grave_findings(page: Any) -> dict[str, list[str]]:
    """Return what axe-core finds serious or critical, with the elements, on a page at rest.

    What a run has still to redraw, and what is just fading in, such as the ends of a slider that
    has the focus, is pale for a moment.
    """
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_selector("[data-test-script-state=notRunning]", state="attached")
    page.wait_for_function("!document.querySelector('[data-stale=true]')")
    page.wait_for_function(
        "document.getAnimations().every(a => a.effect.getComputedTiming().endTime === Infinity)"
    )
    # "moderate" and "minor" are about manner, such as the order of Streamlit's headings.
    found = Axe().run(page).response["violations"]
    grave = [v for v in found if v["impact"] in ("serious", "critical")]
    return {v["id"]: [n["html"][:200] for n in v["nodes"]] for v in grave}


@pytest.fixture(scope="session")
def app_address() -> Iterator[str]:
    """Address of a running app."""
    with running_app() as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A real browser; skipped on a person's machine without one, failed in CI."""
    try:
        with running_browser() as browser:
            yield browser
    except LookupError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture
def page(chromium: Any, app_address: str) -> Iterator[Any]:
    """A fresh page of its own session, as wide as a laptop; any error in its script fails."""
    context = chromium.new_context(viewport=VIEWPORT, base_url=app_address, accept_downloads=True)
    context.set_default_timeout(30_000)
    fresh = context.new_page()
    errors: list[str] = []
    fresh.on("pageerror", lambda error: errors.append(str(error)))
    yield fresh
    context.close()
    assert not errors, errors
