"""From `streamlit run` to a drawn Explore page: python -m tests.benchmarks.startup

In real Chromium, which is already running; a new server and a new browser session each time, first
with an empty design cache, then with the cache that this left; then the same by a reader who comes
back: the designs and what the browser fetched last time are still there. Beside it the smallest
Streamlit app with one Plotly chart, new and come back to, and a second visitor of a running server.
Below that, when each stage of the start was reached. Compare the medians of one run only: on a busy
machine all of them grow.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from tests.browser.conftest import VIEWPORT, free_port, running_app, running_browser

DRAWN = "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
REPEATS = 5


SMALLEST = """
import numpy as np, plotly.graph_objects as go, streamlit as st
x = np.linspace(0, 1, 101)
st.plotly_chart(go.Figure([go.Scatter(x=x, y=x**k) for k in range(11)]))
"""

# When the document first held what each stage leaves there, in seconds since 1970.
WATCH = """
window.stages = {};
const charts = (which = '') => document.querySelectorAll('.live-chart' + which).length;
const seen = {
  'front end running': () => document.querySelector('.stApp'),
  'title on the page': () => document.querySelector('h1'),
  'library ready': () => window.Plotly,
  'charts on the page': () => charts() === 2,
  'first chart drawn': () => charts('[data-state=drawn]') >= 1,
  'both charts drawn': () => charts('[data-state=drawn]') === 2,
};
const look = () => {
  for (const [name, is] of Object.entries(seen)) {
    if (!window.stages[name] && is()) window.stages[name] = Date.now() / 1000;
  }
};
new MutationObserver(look).observe(document, {
  subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'],
});
addEventListener('load', look, true);
"""


def visit(browser: Any, address: str, drawn: str) -> tuple[float, dict[str, float]]:
    """Return the seconds until a new visitor sees the page drawn, and when each stage was seen."""
    start = time.perf_counter()
    page = browser.new_page()
    page.set_viewport_size(VIEWPORT)
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function(drawn)
    seconds = time.perf_counter() - start
    stages = page.evaluate("window.stages")
    page.close()
    return seconds, stages


def started(browser: Any, port: int | None = None) -> tuple[float, float, dict[str, float]]:
    """Return the seconds from starting the app to its page, a second visitor's, and the stages'."""
    start, clock = time.perf_counter(), time.time()
    with running_app(port=port) as address:
        stages = {"server healthy": time.time()}
        stages |= visit(browser, address, DRAWN)[1]
        first = time.perf_counter() - start
        second = visit(browser, address, DRAWN)[0]
        return first, second, {name: at - clock for name, at in stages.items()}


def smallest(browser: Any, port: int | None = None) -> float:
    """Return the seconds from starting the smallest app with a chart to that chart."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "smallest.py"
        script.write_text(SMALLEST, encoding="utf-8")
        start = time.perf_counter()
        with running_app(script, port) as address:
            visit(browser, address, "document.querySelector('.js-plotly-plot .main-svg')")
            return time.perf_counter() - start


def main() -> None:
    """Print the medians."""
    times: dict[str, list[float]] = {}
    reached: dict[str, list[float]] = {}
    with running_browser() as browser:
        # One profile each, at one address: a context keeps what its pages have fetched.
        ours, theirs = ((browser.new_context(), free_port()) for _ in range(2))
        for repeat in range(REPEATS + 1):
            with tempfile.TemporaryDirectory() as folder:
                os.environ["MOMENTDP_CACHE_DIR"] = folder
                found = {"empty cache": started(browser)[0]}
                found["filled cache"], found["second visitor"], stages = started(browser)
                found["come back"] = started(*ours)[0]
            found |= {"smallest app": smallest(browser), "smallest come back": smallest(*theirs)}
            if not repeat:  # nobody can have come back yet
                continue
            for name, seconds in found.items():
                times.setdefault(name, []).append(seconds)
            for name, seconds in stages.items():
                reached.setdefault(name, []).append(seconds)
    show(times)
    print("\nfilled cache, from the start of the server:")
    show(reached)


def show(times: dict[str, list[float]]) -> None:
    """Print one line of medians and single times for each name, the earliest first."""
    for name, values in sorted(times.items(), key=lambda item: float(np.median(item[1]))):
        shown = " ".join(f"{seconds:.2f}" for seconds in values)
        print(f"{name:18} median {np.median(values):.2f} s   ({shown})")


if __name__ == "__main__":
    main()
