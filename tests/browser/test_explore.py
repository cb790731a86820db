"""The Explore page in a real browser: keyboard, links, zoom, themes and downloads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from momentdp_core import POOL, Curvature, Scenario, evaluate
from pages.views.swept import SWEPT

MOMENTA = SWEPT["heavy_ball"].values

pytestmark = pytest.mark.browser

DRAWN = "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
SAID = (
    "[...document.querySelectorAll('.md-cards, .md-sentence, .md-table')]"
    ".map(part => part.innerText).join('|')"
)
SCENARIO = Scenario(horizon=32, curvature=Curvature(condition_number=10))
LINK = "/?T=32&kappa=10"


def open_page(page: Any, link: str) -> None:
    """Open a link and wait until both charts are drawn."""
    page.goto(link)
    page.wait_for_function(DRAWN)


def at(page: Any, momentum: str) -> None:
    """Wait until readouts and both charts stand at a momentum."""
    page.wait_for_selector(f'.md-cards[data-setting="{momentum}"]')
    page.wait_for_function(
        "text => [...document.querySelectorAll('.live-chart')].every("
        "root => root.querySelector('.live-chart-plot').layout.shapes"
        ".some(shape => shape.name === 'marker' && shape.label.text === text))",
        arg=f"μ = {momentum}",
    )


def press(page: Any, control: str, key: str) -> None:
    """Press a key on a slider."""
    slider = page.locator(f".st-key-{control}").locator("input[type=range], [role=slider]").first
    slider.press(key)


def press_until(page: Any, control: str, key: str, address: str) -> None:
    """Press a key that may be pressed twice, such as Home, until the address says that it arrived.

    A key that is pressed while the page is being put together can be lost.
    """
    from playwright.sync_api import TimeoutError as NotYet

    for _ in range(8):
        press(page, control, key)
        try:
            page.wait_for_url(address, timeout=4_000)
        except NotYet:
            continue
        return
    raise AssertionError(f"{key} on {control} never led to {address}")


def rank_on_screen(page: Any) -> str:
    return str(page.locator('[data-readout="rank"] strong').inner_text())


def rank_of_noisecurve(momentum: float) -> str:
    study = evaluate(SCENARIO, MOMENTA)
    row = study.mechanisms.index("noisecurve")
    return f"{study.rank[row, study.at(momentum)]} of {len(POOL)}"


def x_range(page: Any) -> list[float]:
    script = "document.querySelector('.live-chart-plot').layout.xaxis.range"
    return [float(value) for value in page.evaluate(script)]


def test_keyboard_moves_momentum_and_rank(page: Any) -> None:
    """Arrow keys move the momentum; NoiseCurve's rank on the screen is the engine's each time."""
    open_page(page, f"{LINK}&mu=0.01")
    at(page, "0.01")
    assert rank_on_screen(page) == rank_of_noisecurve(0.01)
    press(page, "mu", "ArrowRight")
    at(page, "0.02")
    assert rank_on_screen(page) == rank_of_noisecurve(0.02)
    press(page, "mu", "End")
    at(page, "0.99")
    assert rank_on_screen(page) == rank_of_noisecurve(0.99)
    page.wait_for_url("**mu=0.99*")


def test_a_link_opens_the_same_view(page: Any, chromium: Any, app_address: str) -> None:
    """The address after some changes, opened elsewhere, says and draws the same."""
    open_page(page, LINK)
    press(page, "mu", "Home")
    at(page, "0.00")
    press_until(page, "rate", "Home", "**rate=0.0025*")
    page.locator(".st-key-axis button", has_text="axis: 1/(1−μ)").press("Enter")
    page.wait_for_url("**axis=steps*")
    page.wait_for_function("document.querySelector('.live-chart-plot').layout.xaxis.type === 'log'")
    other = chromium.new_page(viewport={"width": 1440, "height": 900})
    open_page(other, page.url)
    at(other, "0.00")
    words = other.evaluate(SAID)
    assert other.evaluate("document.querySelector('.live-chart-plot').layout.xaxis.type") == "log"
    other.close()
    assert "μ = 0.00" in words
    page.wait_for_function(f"words => {SAID} === words", arg=words)


def test_a_link_with_a_stop_in_another_spelling_stays_whole(page: Any) -> None:
    """The control opens at its stop, and the address keeps it in its own spelling."""
    page.goto("/?rate=3&T=16.0&b=4")
    page.wait_for_url("**/*T=16&*v=1*")
    query = parse_qs(urlsplit(page.url).query)
    assert (query["rate"], query["T"], query["b"]) == (["3.0"], ["16"], ["4"])
    page.reload()
    page.wait_for_selector('.md-cards[data-setting="0.90"]')
    assert parse_qs(urlsplit(page.url).query) == query
    assert not page.get_by_text("Ignored in this link").count()


def test_nonsense_in_the_link_is_reported(page: Any) -> None:
    """A useless value is named, ignored and gone from the address; the page is drawn."""
    open_page(page, f"{LINK}&mu=zz&foo=1")
    warning = page.get_by_test_id("stAlert").inner_text()
    assert "mu:" in warning
    assert "foo:" in warning
    at(page, "0.90")
    page.wait_for_url(re.compile(r"^(?!.*(zz|foo)).*v=1"))


def test_zoom_and_node_survive_changes(page: Any) -> None:
    """Another momentum and another study keep the chart's node and the reader's zoom."""
    open_page(page, LINK)
    page.evaluate("window.node = document.querySelector('.live-chart-plot .main-svg')")
    box = page.locator(".live-chart-plot .nsewdrag").first.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 200, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "document.querySelector('.live-chart-plot').layout.xaxis.range[0] > 0.05"
    )
    zoomed = x_range(page)
    press(page, "mu", "ArrowLeft")
    at(page, "0.89")
    before = page.locator(".md-sentence").inner_text()
    text = page.evaluate("document.querySelector('.live-chart').liveChart.drawn")
    press(page, "rate", "ArrowLeft")
    page.wait_for_function(
        "text => document.querySelector('.live-chart').liveChart.drawn !== text", arg=text
    )
    assert page.locator(".md-sentence").inner_text() != before
    assert x_range(page) == zoomed
    assert page.evaluate("window.node === document.querySelector('.live-chart-plot .main-svg')")
    page.locator('.live-chart .modebar-btn[data-title="Reset the view"]').first.click()
    page.wait_for_function("document.querySelector('.live-chart-plot').layout.xaxis.range[0] === 0")


def test_charts_follow_the_theme_and_export_on_white(page: Any, tmp_path: Path) -> None:
    """A dark screen draws dark charts at once, and still downloads an SVG on white."""
    open_page(page, LINK)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "document.querySelector('.live-chart-plot')._fullLayout.paper_bgcolor === '#10141a'"
    )
    with page.expect_download() as download:
        page.locator('.live-chart .modebar-btn[data-title="Download as SVG"]').first.click()
    download.value.save_as(tmp_path / "chart.svg")
    svg = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    background = svg.split("<rect", 1)[1]
    assert "fill: rgb(255, 255, 255)" in background.split(">", 1)[0]
    assert download.value.suggested_filename == "momentdp-damage.svg"


def test_csv_download_is_the_study(page: Any, tmp_path: Path) -> None:
    """The data button gives the whole study without a rerun of the page."""
    open_page(page, LINK)
    page.locator("summary", has_text="Take it away: figures").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the data as CSV").press("Enter")
    download.value.save_as(tmp_path / "data.csv")
    lines = (tmp_path / "data.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(MOMENTA) * len(POOL)


def test_nothing_is_fetched_from_elsewhere(page: Any, app_address: str) -> None:
    """Everything, the chart library too, comes from the app's own server."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(page, LINK)
    assert any("plotly-cartesian.min.js" in url for url in asked)
    own = (app_address, "data:", "blob:")
    assert [url for url in asked if not url.startswith(own)] == []


def test_narrow_screens_show_everything(chromium: Any, app_address: str) -> None:
    """On a telephone nothing is wider than the screen and no label of a chart is cut off."""
    narrow = chromium.new_page(viewport={"width": 390, "height": 844})
    open_page(narrow, f"{app_address}{LINK}")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
    cut = narrow.evaluate(
        "[...document.querySelectorAll('.live-chart')].flatMap(root => {"
        "const right = root.getBoundingClientRect().right;"
        "return [...root.querySelectorAll('.annotation-text')].filter("
        "label => label.getBoundingClientRect().right > right).map(label => label.textContent)})"
    )
    assert cut == []
    narrow.close()


def test_charts_tell_what_they_show(page: Any) -> None:
    """Each chart is an image with a text that names the winners."""
    open_page(page, LINK)
    labels = [node.get_attribute("aria-label") for node in page.get_by_role("figure").all()]
    described = [label for label in labels if label and "wins" in label]
    assert len(described) == 2


def test_lists_and_hessians_can_be_changed_at_will(page: Any, chromium: Any) -> None:
    """One list after another, a bad one in between: the page comes back, and the link holds."""
    open_page(page, "/?T=4&b=2&schedule=custom&chi=1,1,1,1&axis=steps")
    box = page.locator(".st-key-chi textarea")
    for text, good in (("1 1 1 0.5", True), ("1 1", False), ("1 0.5 1 0.5", True)):
        box.fill(text)
        box.press("Control+Enter")
        if good:
            page.wait_for_function(f"new URLSearchParams(location.search).get('chi') === '{text}'")
            page.wait_for_selector("[data-testid=stAlertContentError]", state="detached")
            page.wait_for_selector(".md-cards")
        else:
            page.wait_for_selector("[data-testid=stAlertContentError]")
    page.wait_for_function(DRAWN)
    assert "axis=steps" in page.url
    page.locator("summary", has_text="Use my own Hessian").press("Enter")
    pasted = page.locator(".st-key-_pasted textarea")
    pasted.fill("2 0.5\n0.5 1")
    pasted.press("Control+Enter")
    page.wait_for_url("**lam=2.207*")
    other = chromium.new_page(viewport={"width": 1440, "height": 900})
    open_page(other, page.url)
    words = other.locator(".md-sentence").inner_text()
    other.close()
    page.wait_for_function(
        "words => document.querySelector('.md-sentence').innerText === words", arg=words
    )
