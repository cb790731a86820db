"""The page “Optimizers” in a real browser: links, the matrix by keyboard, narrow screens."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from momentdp_core import Curvature, Scenario, evaluate
from momentdp_core.optimizers import Disk
from pages.views.explore import point_view
from pages.views.swept import SWEPT

pytestmark = pytest.mark.browser

READY = (
    "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
    " && document.querySelector('.md-matrix[data-state=drawn]') !== null"
)
LINK = "/optimizers?T=32&kappa=10&rate=0.2&gain=0.3&opts=dpsgd,lp_dpsgd,disk"


def open_page(page: Any, link: str) -> None:
    """Open a link and wait until both charts and the matrix are drawn."""
    page.goto(link)
    page.wait_for_function(READY)


def cell(page: Any, row: int, column: int) -> Any:
    """Return the link in a cell of the matrix."""
    return page.locator(".md-matrix tbody tr").nth(row).locator("a").nth(column)


def sentence_of_explore(gain: float) -> str:
    """Return what Explore has to say for DiSK with this gain."""
    scenario = Scenario(
        horizon=32,
        curvature=Curvature(condition_number=10),
        learning_rate=0.2,
        optimizer=Disk(),
    )
    return point_view(evaluate(scenario, SWEPT["disk"].values), gain).sentence


def test_a_cell_opens_its_optimizer_in_explore(page: Any) -> None:
    """Enter on a cell goes to Explore within the session and keeps the rest of the study."""
    open_page(page, LINK)
    page.evaluate("window.sameDocument = true")
    chosen = cell(page, 2, 3)
    assert "Open in Explore" in chosen.get_attribute("aria-label")
    chosen.press("Enter")
    page.wait_for_selector('[data-readout="winner"]')
    page.wait_for_function(
        "text => document.querySelector('.md-sentence')?.innerText === text",
        arg=sentence_of_explore(0.3),
    )
    assert page.evaluate("window.sameDocument === true")
    page.wait_for_url(re.compile(r"(?=.*opt=disk)(?=.*kappa=10)(?=.*T=32)(?=.*gain=0\.3)"))
    page.get_by_role("link", name="Optimizers").click()
    page.wait_for_function(READY)
    page.wait_for_url(re.compile(r"optimizers\?(?=.*opts=dpsgd)(?=.*gain=0\.3)"))


def test_the_link_of_a_cell_stands_for_itself(page: Any) -> None:
    """Opened in a new tab it shows the same, with every parameter of the study."""
    open_page(page, LINK)
    target = cell(page, 2, 0).get_attribute("href")
    query = parse_qs(urlsplit(target).query)
    wanted = {"T": ["32"], "kappa": ["10"], "rate": ["0.2"], "opt": ["disk"], "gain": ["0.3"]}
    assert wanted.items() <= query.items()
    page.goto(target.removeprefix("."))
    page.wait_for_function(
        "text => document.querySelector('.md-sentence')?.innerText === text",
        arg=sentence_of_explore(0.3),
    )


def test_a_fresh_server_opens_this_page(chromium: Any) -> None:
    """A link to this page works even as the first that a server is asked for."""
    from tests.browser.conftest import running_app

    with running_app() as address:
        fresh = chromium.new_page()
        open_page(fresh, f"{address}{LINK}")
        assert fresh.get_by_role("heading", level=1).count() == 1
        fresh.close()


def test_a_slider_redraws_the_charts_in_place(page: Any) -> None:
    """A new value changes bars, table and address, on the same chart node."""
    open_page(page, LINK)
    row = page.locator('tr[data-optimizer="disk"] th')
    assert "gain = 0.30" in row.inner_text()
    page.evaluate("window.node = document.querySelector('.live-chart-plot .main-svg')")
    page.locator(".st-key-gain").locator("input[type=range], [role=slider]").first.press("Home")
    page.wait_for_function(
        "document.querySelector('tr[data-optimizer=disk] th').innerText.includes('gain = 0.01')"
    )
    page.wait_for_function(
        "[...document.querySelectorAll('.live-chart-plot')]"
        ".some(plot => JSON.stringify(plot.layout?.yaxis?.ticktext ?? '').includes('gain = 0.01'))"
    )
    page.wait_for_url("**gain=0.01*")
    assert page.evaluate("window.node === document.querySelector('.live-chart-plot .main-svg')")


def test_narrow_screens_show_everything(chromium: Any, app_address: str) -> None:
    """On a telephone nothing is wider than the screen, and no chart's text is cut off."""
    narrow = chromium.new_page(viewport={"width": 390, "height": 844})
    open_page(narrow, f"{app_address}{LINK},per_sample_momentum,weight_average,tail_average")
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 390
    cut = narrow.evaluate(
        "[...document.querySelectorAll('.live-chart')].flatMap(root => {"
        "const box = root.getBoundingClientRect();"
        "return [...root.querySelectorAll('text')].filter(text => {"
        "const at = text.getBoundingClientRect();"
        "return at.width && (at.right > box.right + 1 || at.left < box.left - 1)})"
        ".map(text => text.textContent)})"
    )
    assert cut == []
    narrow.close()
