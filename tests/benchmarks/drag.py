"""What the reader sees while the slider moves: python -m tests.benchmarks.drag

In real Chromium, one run: from a key press to the painted answer on Explore, beside the smallest
app with one slider and beside an app that rebuilds one chart of the same curves with
st.plotly_chart; then a drag of the slider, frame by frame.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.browser.conftest import running_app, running_browser

PRESSES = 40
MOVES = 160
FLOOR = """
import streamlit as st
value = st.slider("μ", 0.0, 0.99, 0.9, 0.01, key="mu")
st.html(f'<p class="md-sentence">{value}</p>')
"""
REBUILT = """
import numpy as np
import plotly.graph_objects as go
import streamlit as st
value = st.slider("μ", 0.0, 0.99, 0.9, 0.01, key="mu")
x = np.linspace(0, 0.99, 101)
figure = go.Figure([go.Scatter(x=x, y=np.exp(k * x)) for k in range(11)])
figure.add_vline(value)
figure.update_yaxes(type="log")
st.plotly_chart(figure)
st.html(f'<p class="md-sentence">{value}</p>')
"""
# From the key to two frames after the answer is there: the sentence, and where there is one the
# line in the chart.
WATCH = """
window.painted = null;
const line = () => {
  const plots = [...document.querySelectorAll('.js-plotly-plot')];
  return plots.map(plot => (plot.layout?.shapes ?? []).map(shape => shape.x0)).join('|');
};
const said = () => document.querySelector('.md-sentence').textContent + '#' + line();
document.addEventListener('keydown', () => {
  const start = performance.now(), [text, place] = said().split('#');
  window.painted = null;
  const look = () => {
    const [now, here] = said().split('#');
    if (now === text || (place && here === place)) return requestAnimationFrame(look);
    requestAnimationFrame(() => { window.painted = performance.now() - start; });
  };
  requestAnimationFrame(look);
}, true);
"""
FRAMES = """
window.frames_ = []; window.values_ = new Set(); window.shown_ = new Set(); window.on_ = true;
const input = document.querySelector('.st-key-mu input[type=range]');
let last = performance.now();
const tick = (now) => {
  window.frames_.push(now - last); last = now;
  window.values_.add(Number(input.value).toFixed(2));
  const shapes = document.querySelector('.live-chart-plot').layout.shapes;
  window.shown_.add(shapes.find(shape => shape.name === 'marker').x0.toFixed(2));
  if (window.on_) requestAnimationFrame(tick);
};
requestAnimationFrame(tick);
"""


def presses(page: Any) -> np.ndarray:
    """Press the slider's arrow keys to and fro; return the milliseconds until the paint."""
    page.evaluate(WATCH)
    slider = page.locator(".st-key-mu input[type=range]")
    times = []
    for press in range(PRESSES + 4):
        slider.press("ArrowLeft" if press % 2 else "ArrowRight")
        page.wait_for_function("window.painted !== null")
        if press >= 4:
            times.append(float(page.evaluate("window.painted")))
        page.wait_for_load_state("networkidle")
    return np.array(times)


def other_app(browser: Any, source: str, ready: str) -> np.ndarray:
    """Measure the key presses of a one-file app."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "other.py"
        script.write_text(source, encoding="utf-8")
        with running_app(script) as address:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(address)
            page.wait_for_selector(ready)
            times = presses(page)
            page.close()
    return times


def drag(page: Any) -> tuple[np.ndarray, int, int]:
    """Drag the slider's thumb; return the frame times, and how many values were set and drawn."""
    thumb = page.locator(".st-key-mu input[type=range]").evaluate(
        "node => { const box = node.closest('[style*=absolute][data-rac]').getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; }"
    )
    x, y = thumb
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(FRAMES)
    for move in range(MOVES):
        page.mouse.move(x - 1.2 * move, y)
    page.evaluate("() => new Promise(done => setTimeout(done, 100))")
    page.evaluate("window.on_ = false")
    page.mouse.up()
    frames = np.array(page.evaluate("window.frames_.slice(2)"))
    values, shown = page.evaluate("[[...window.values_], [...window.shown_]]")
    return frames, len(values), len(set(values) & set(shown))


def main() -> None:
    """Print the figures."""
    with running_browser() as browser:
        floor = other_app(browser, FLOOR, ".md-sentence")
        rebuilt = other_app(browser, REBUILT, ".js-plotly-plot .main-svg")
        with running_app() as address:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{address}/?kappa=10")
            page.wait_for_function(
                "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
                " && document.querySelector('.md-sentence')"
            )
            live = presses(page)
            frames, values, shown = drag(page)
            page.close()
    print(f"{'key press → painted':34} {'p50 ms':>7} {'p95 ms':>7}  times the rebuilt chart")
    base = np.median(rebuilt)
    rows = (("smallest app", floor), ("rebuilt chart", rebuilt), ("Explore", live))
    for name, times in rows:
        p50, p95 = np.percentile(times, [50, 95])
        print(f"{name:34} {p50:7.0f} {p95:7.0f}  {p50 / base:.2f}")
    p50, p95 = np.percentile(frames, [50, 95])
    rate = 1000 * len(frames) / frames.sum()
    print(f"drag: frame p50 {p50:.1f} ms, p95 {p95:.1f} ms, {rate:.0f} frames/s")
    print(f"values of the slider seen {values}, drawn {shown}")


if __name__ == "__main__":
    main()
