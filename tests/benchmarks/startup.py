"""From `streamlit run` to a drawn Explore page: python -m tests.benchmarks.startup

In real Chromium, which is already running; a new server and a new browser session each time, first
with an empty design cache, then with the cache that this left.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

import numpy as np

from tests.browser.conftest import running_app, running_browser

DRAWN = "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
REPEATS = 3


def drawn_after(browser: Any) -> float:
    """Return the seconds from starting the server to both charts being drawn."""
    start = time.perf_counter()
    with running_app() as address:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.wait_for_function(DRAWN)
        seconds = time.perf_counter() - start
        page.close()
    return seconds


def main() -> None:
    """Print the medians of cold starts with an empty and with a filled cache."""
    empty, filled = [], []
    with running_browser() as browser:
        for _ in range(REPEATS):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["MOMENTDP_CACHE_DIR"] = folder
                empty.append(drawn_after(browser))
                filled.append(drawn_after(browser))
    for name, times in (("empty cache", empty), ("filled cache", filled)):
        shown = " ".join(f"{seconds:.2f}" for seconds in times)
        print(f"{name:13} median {np.median(times):.2f} s   ({shown})")


if __name__ == "__main__":
    main()
