"""Explore while the slider or the line in the chart is dragged, in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from momentdp_core import Curvature, Scenario, evaluate
from pages.views.explore import point_view
from pages.views.live import CELLS
from pages.views.swept import SWEPT
from tests.browser.conftest import VIEWPORT

pytestmark = pytest.mark.browser

MOMENTA = SWEPT["heavy_ball"].values
SCENARIO = Scenario(horizon=32, curvature=Curvature(condition_number=10))
LINK = "/?T=32&kappa=10"
READY = (
    "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
    " && globalThis.momentdp.live && document.querySelector('.md-table')"
)
# All that the page says, as plain values.
SAID = """() => ({
  setting: document.querySelector('.md-cards').dataset.setting,
  readouts: [...document.querySelectorAll('.md-card')].map(
    card => [card.dataset.readout, ...[...card.children].map(part => part.textContent)]),
  sentence: document.querySelector('.md-sentence').textContent,
  heading: document.querySelector('.st-key-table h3').textContent,
  note: document.querySelector('.md-note').textContent,
  rows: [...document.querySelectorAll('.md-table tbody tr')].map(
    row => [row.dataset.mechanism, ...[...row.children].slice(1, CELLS).map(c => c.textContent)]),
  marker: document.querySelector('.live-chart-plot').layout.shapes.find(
    shape => shape.name === 'marker').label.text,
})""".replace("CELLS", str(1 + len(CELLS)))
LINE = """() => {
  const plot = document.querySelector('.live-chart-plot'), box = plot.getBoundingClientRect();
  const marker = plot.layout.shapes.find(shape => shape.name === 'marker');
  const axis = plot._fullLayout.xaxis;
  return [box.left + axis._offset + axis.d2p(marker.x0), box.top + box.height / 2];
}"""
THUMB = """() => {
  const input = document.querySelector('.st-key-mu input[type=range]');
  const box = input.closest('[style*=absolute][data-rac]').getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""


def expected(value: float) -> dict[str, Any]:
    """Return what Python says at a momentum, in the same form."""
    view = point_view(evaluate(SCENARIO, MOMENTA), value)
    return {
        "setting": view.setting,
        "readouts": [[r.key, r.label, r.value, r.detail] for r in view.readouts],
        "sentence": view.sentence,
        "heading": view.heading,
        "note": view.stability,
        "rows": [[row.key, *(getattr(row, cell) for cell in CELLS)] for row in view.rows],
        "marker": f"μ = {view.setting}",
    }


def says(page: Any, value: float) -> None:
    """Hold that all the page says comes to be Python's; what the server sends comes in parts."""
    from playwright.sync_api import TimeoutError as Never

    wanted = expected(value)
    try:
        page.wait_for_function(
            f"wanted => JSON.stringify(({SAID})()) === JSON.stringify(wanted)", arg=wanted
        )
    except Never:  # the comparison tells what is different
        assert page.evaluate(SAID) == wanted
        raise


@pytest.fixture
def explore(page: Any) -> Any:
    """Explore, drawn and listening; counts how often the server is asked for a rerun."""
    page.add_init_script(
        "window.asked = 0; const send = WebSocket.prototype.send;"
        "WebSocket.prototype.send = function (...all) { window.asked += 1;"
        " return send.apply(this, all); };"
    )
    page.goto(LINK)
    page.wait_for_function(READY)
    page.wait_for_selector(".st-key-mu input[type=range]", state="attached")
    page.wait_for_load_state("networkidle")
    return page


def test_at_every_stop_the_browser_shows_pythons_answer(explore: Any) -> None:
    """Readouts, sentence, table and marker at each value of the slider are the engine's."""
    study = evaluate(SCENARIO, MOMENTA)
    told = explore.evaluate(
        f"""async () => {{
          const out = [];
          for (let at = 0; at < {len(MOMENTA)}; at++) {{
            momentdp.live.show(at);
            out.push(({SAID})());
          }}
          return out;
        }}"""
    )
    assert [point["setting"] for point in told] == [f"{value:.2f}" for value in study.values]
    for point, value in zip(told, study.values.tolist(), strict=True):
        assert point == expected(value)


def test_dragging_the_slider_redraws_before_release(explore: Any) -> None:
    """While the thumb moves all texts follow, the server is not asked; on release the link is."""
    x, y = explore.evaluate(THUMB)
    explore.mouse.move(x, y)
    explore.mouse.down()
    before = explore.evaluate("window.asked")
    seen = set()
    for step in range(1, 12):
        explore.mouse.move(x - 6 * step, y)
        value = float(explore.locator(".st-key-mu input[type=range]").input_value())
        says(explore, value)
        seen.add(value)
    assert len(seen) > 8
    assert explore.evaluate("window.asked") == before
    assert "mu=" not in explore.url
    explore.mouse.up()
    explore.wait_for_url(f"**mu={value:g}*")
    says(explore, value)


def test_the_line_in_the_chart_can_be_dragged(explore: Any) -> None:
    """Grabbing the line moves it, all texts and, on release, the slider; the zoom is untouched."""
    x, y = explore.evaluate(LINE)
    explore.mouse.move(x + 2, y)
    explore.wait_for_selector(".live-chart-grab")
    explore.mouse.down()
    explore.mouse.move(x - 150, y, steps=8)
    explore.wait_for_function(f"({SAID})().setting < '0.85'")
    assert "mu=" not in explore.url
    explore.mouse.up()
    explore.wait_for_url("**mu=*")
    value = float(re.findall(r"mu=([\d.]+)", explore.url)[0])
    explore.wait_for_function(
        "value => document.querySelector('.st-key-mu input').value === value", arg=f"{value:g}"
    )
    says(explore, value)
    span = explore.evaluate("document.querySelector('.live-chart-plot').layout.xaxis.range")
    assert span == [0, 0.99]


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_moves_while_the_value_does(chromium: Any, app_address: str, width: int) -> None:
    """The longest text of every card has its room, so that the charts stay where they are."""
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.goto(f"{app_address}/?kappa=10&schedule=cosine&T=32")
    page.wait_for_function(READY)
    tops = page.evaluate(
        "[...Array(100).keys()].map(at => { momentdp.live.show(at);"
        " return document.querySelector('.live-chart').getBoundingClientRect().top })"
    )
    assert len(set(tops)) == 1
    page.close()


def test_a_finger_drags_the_line(chromium: Any, app_address: str) -> None:
    """On a telephone a touch on the line moves it, and the page does not scroll."""
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    phone = context.new_page()
    phone.goto(f"{app_address}{LINK}&mu=0.5")
    phone.wait_for_function(READY)
    phone.locator(".live-chart-plot").first.scroll_into_view_if_needed()
    x, y = phone.evaluate(LINE)
    touch = context.new_cdp_session(phone)
    scrolled = phone.evaluate("document.querySelector('[data-testid=stMain]').scrollTop")

    def send(kind: str, *points: dict[str, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    send("touchStart", {"x": x, "y": y})
    for step in range(1, 9):
        send("touchMove", {"x": x + 6 * step, "y": y})
    phone.wait_for_function(f"({SAID})().setting > '0.6'")
    send("touchEnd")
    phone.wait_for_url(re.compile(r"mu=0\.[67]"))
    value = float(re.findall(r"mu=([\d.]+)", phone.url)[0])
    says(phone, value)
    assert phone.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == scrolled
    context.close()


def test_without_the_hooks_the_page_redraws_on_release(chromium: Any, app_address: str) -> None:
    """If the slider told no value during a drag, all would follow when it is let go."""
    context = chromium.new_context(viewport=VIEWPORT)
    blind = context.new_page()
    blind.add_init_script(
        "const set = Element.prototype.setAttribute;"
        "Element.prototype.setAttribute = function (name, value) {"
        " if (name !== 'aria-valuetext') set.call(this, name, value); };"
    )
    blind.goto(f"{app_address}{LINK}")
    blind.wait_for_function(READY)
    x, y = blind.evaluate(THUMB)
    blind.mouse.move(x, y)
    blind.mouse.down()
    blind.mouse.move(x - 60, y, steps=6)
    value = float(blind.locator(".st-key-mu input[type=range]").input_value())
    assert value < 0.8
    assert blind.evaluate(SAID)["setting"] == "0.90"
    blind.mouse.up()
    says(blind, value)
    context.close()
