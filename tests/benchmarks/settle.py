"""From a key press to the painted page: python -m tests.benchmarks.settle

In real Chromium, one run: the smallest Streamlit app there is (one slider, one line of text) and
the Explore page, with its designs cached; then with a peak rate that NoiseCurve has never been
designed for. A change has settled when the readouts have changed, both charts show what they
should, and the browser has painted twice.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.browser.conftest import running_app, running_browser

REPEATS = 30
# Condition numbers at which every peak rate is new, and how many rates are pressed at each.
NEW, RATES = (20, 50, 200), 12
FLOOR = """
import streamlit as st
value = st.slider("value", 0, 99, 50, key="value")
st.html(f'<div class="md-cards" data-setting="{value}">{value}</div>')
"""
WATCH = """
window.settled = null;
window.before = () => document.querySelector('.md-cards').textContent;
document.addEventListener('keydown', () => {
  const start = performance.now(), text = window.before();
  window.settled = null;
  const look = () => {
    const charts = [...document.querySelectorAll('.live-chart')].map(root => root.liveChart);
    const idle = charts.every(c => c && !c.busy && c.wanted() === c.drawn);
    const done = window.before() !== text && idle;
    if (!done) return requestAnimationFrame(look);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.settled = performance.now() - start;
    }));
  };
  requestAnimationFrame(look);
}, true);
"""


READY = (
    "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
    " && document.querySelector('[data-test-script-state=notRunning]')"
)


def measure(page: Any, control: str) -> np.ndarray:
    """Press a slider's arrow keys to and fro; return the milliseconds of each change."""
    slider = page.locator(f".st-key-{control}").locator("input[type=range], [role=slider]").first
    times = []
    for repeat in range(REPEATS + 4):
        slider.press("ArrowLeft" if repeat % 2 else "ArrowRight")
        page.wait_for_function("window.settled !== null")
        if repeat >= 4:  # the first presses fill the caches of both places
            times.append(float(page.evaluate("window.settled")))
    return np.array(times)


def floor(browser: Any) -> np.ndarray:
    """Measure the smallest app."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "floor.py"
        script.write_text(FLOOR, encoding="utf-8")
        with running_app(script) as address:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(address)
            page.wait_for_selector(".md-cards")
            page.evaluate(WATCH)
            times = measure(page, "value")
            page.close()
    return times


def redesigned(browser: Any) -> np.ndarray:
    """Measure steps to rates that are new to an app with design files of its own."""
    kept, times = os.environ.get("MOMENTDP_CACHE_DIR"), []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MOMENTDP_CACHE_DIR"] = folder
        try:
            with running_app() as address:
                for kappa in NEW:
                    page = browser.new_page(viewport={"width": 1440, "height": 900})
                    page.goto(f"{address}/?kappa={kappa}&rate=0.0025")
                    page.wait_for_function(READY, timeout=120_000)
                    page.evaluate(WATCH)
                    slider = page.locator(".st-key-rate [role=slider], .st-key-rate input").first
                    for _ in range(RATES):
                        slider.press("ArrowRight")
                        page.wait_for_function("window.settled !== null")
                        times.append(float(page.evaluate("window.settled")))
                    page.close()
        finally:
            os.environ.pop("MOMENTDP_CACHE_DIR")
            if kept is not None:
                os.environ["MOMENTDP_CACHE_DIR"] = kept
    return np.array(times)


def main() -> None:
    """Print p50 and p95 of each control beside the smallest app."""
    with running_browser() as browser:
        rows = {"smallest app": floor(browser)}
        with running_app() as address:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{address}/?kappa=10")
            page.wait_for_function(READY)
            page.evaluate(WATCH)
            for name, control in (("momentum", "mu"), ("peak rate", "rate"), ("κ", "kappa")):
                rows[name] = measure(page, control)
            page.close()
        rows["new design"] = redesigned(browser)
    base = np.median(rows["smallest app"])
    print(f"{'':14} {'p50 ms':>8} {'p95 ms':>8}  times the smallest app")
    for name, times in rows.items():
        p50, p95 = np.percentile(times, [50, 95])
        print(f"{name:14} {p50:8.0f} {p95:8.0f}  {p50 / base:.2f}")


if __name__ == "__main__":
    main()
