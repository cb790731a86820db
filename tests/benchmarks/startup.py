"""From `streamlit run` to a drawn Explore page: python -m tests.benchmarks.startup

In real Chromium, which is already running; a new server and a new browser session each time, first
with an empty design cache, then with the cache that this left. Beside it the smallest Streamlit app
with one Plotly chart, and a second visitor of a running server.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.browser.conftest import running_app, running_browser

DRAWN = "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
REPEATS = 3


SMALLEST = """
import numpy as np, plotly.graph_objects as go, streamlit as st
x = np.linspace(0, 1, 101)
st.plotly_chart(go.Figure([go.Scatter(x=x, y=x**k) for k in range(11)]))
"""


def visit(browser: Any, address: str, drawn: str) -> float:
    """Return the seconds until a new visitor sees the page drawn."""
    start = time.perf_counter()
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(address)
    page.wait_for_function(drawn)
    seconds = time.perf_counter() - start
    page.close()
    return seconds


def started(browser: Any) -> tuple[float, float]:
    """Return the seconds from starting the app to its page, and those of a second visitor."""
    start = time.perf_counter()
    with running_app() as address:
        visit(browser, address, DRAWN)
        first = time.perf_counter() - start
        return first, visit(browser, address, DRAWN)


def smallest(browser: Any) -> float:
    """Return the seconds from starting the smallest app with a chart to that chart."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "smallest.py"
        script.write_text(SMALLEST, encoding="utf-8")
        start = time.perf_counter()
        with running_app(script) as address:
            visit(browser, address, "document.querySelector('.js-plotly-plot .main-svg')")
            return time.perf_counter() - start


def main() -> None:
    """Print the medians."""
    times: dict[str, list[float]] = {
        name: [] for name in ("empty cache", "filled cache", "second visitor", "smallest app")
    }
    with running_browser() as browser:
        for _ in range(REPEATS):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["MOMENTDP_CACHE_DIR"] = folder
                times["empty cache"].append(started(browser)[0])
                first, second = started(browser)
                times["filled cache"].append(first)
                times["second visitor"].append(second)
            times["smallest app"].append(smallest(browser))
    for name, values in times.items():
        shown = " ".join(f"{seconds:.2f}" for seconds in values)
        print(f"{name:15} median {np.median(values):.2f} s   ({shown})")


if __name__ == "__main__":
    main()
