"""The page “Why it flips” in a real browser: keyboard, links, lesson and narrow screens."""

from __future__ import annotations

import re
from typing import Any

import pytest

from momentdp_core import Curvature, Scenario, evaluate
from pages.views import words
from pages.views.swept import SWEPT
from pages.views.why import pair_at, pair_view

MOMENTA = SWEPT["heavy_ball"].values

pytestmark = pytest.mark.browser

DRAWN = "count => document.querySelectorAll('.live-chart[data-state=drawn]').length === count"
SCENARIO = Scenario(horizon=32, curvature=Curvature(condition_number=10))
LINK = "/why?T=32&kappa=10&vs=dense"
FOLLOWS = (
    "momentum => [...document.querySelectorAll('.live-chart-plot')]"
    ".filter(plot => plot.layout?.meta !== '').map(plot => plot.layout?.meta)"
    ".filter(meta => meta === momentum).length === 4"
)


def open_page(page: Any, link: str) -> None:
    """Open a link and wait until all six charts are drawn."""
    page.goto(link)
    page.wait_for_function(DRAWN, arg=6)


def at(page: Any, momentum: str) -> None:
    """Wait until readouts and every chart of the momentum stand at it."""
    page.wait_for_selector(f'.md-cards[data-setting="{momentum}"]')
    page.wait_for_function(FOLLOWS, arg=momentum)


def press(page: Any, key: str) -> None:
    """Press a key on the momentum's slider."""
    page.locator(".st-key-mu").locator("input[type=range], [role=slider]").first.press(key)


def totals_on_screen(page: Any) -> list[str]:
    return [
        str(page.locator(f'[data-readout="{place}"] strong').inner_text())
        for place in ("first", "second")
    ]


def totals_of_engine(momentum: float) -> list[str]:
    pair = pair_at(evaluate(SCENARIO, MOMENTA), momentum, "noisecurve", "dense")
    return [words.number(damage) for damage in pair.damage]


def test_keyboard_moves_all_views(page: Any) -> None:
    """Arrow keys move totals, sentence and charts together, and the totals are the engine's."""
    open_page(page, f"{LINK}&mu=0.30")
    at(page, "0.30")
    assert totals_on_screen(page) == totals_of_engine(0.3)
    page.evaluate("window.node = document.querySelector('.live-chart-plot .main-svg')")
    for key, momentum in (("ArrowRight", 0.31), ("ArrowRight", 0.32), ("Home", 0.0), ("End", 0.99)):
        press(page, key)
        at(page, words.setting(momentum))
        assert totals_on_screen(page) == totals_of_engine(momentum)
    pair = pair_at(evaluate(SCENARIO, MOMENTA), 0.99, "noisecurve", "dense")
    assert page.locator(".md-sentence").inner_text() == pair_view(pair).sentence
    assert page.evaluate("window.node === document.querySelector('.live-chart-plot .main-svg')")
    page.wait_for_url("**mu=0.99*")


def test_a_fresh_server_opens_this_page(chromium: Any) -> None:
    """A link to this page works even as the first that a server is asked for."""
    from tests.browser.conftest import running_app

    with running_app() as address:
        fresh = chromium.new_page()
        open_page(fresh, f"{address}{LINK}&mu=0.5")
        at(fresh, "0.50")
        assert fresh.get_by_role("dialog").count() == 0
        assert fresh.get_by_role("heading", level=1).count() == 1
        assert totals_on_screen(fresh) == totals_of_engine(0.5)
        fresh.close()


def test_the_pages_share_study_and_momentum(page: Any) -> None:
    """Going to the other page and back keeps the controls, on the screen and in the address."""
    open_page(page, f"{LINK}&mu=0.4")
    page.get_by_role("link", name="Explore").click()
    page.wait_for_function(DRAWN, arg=2)
    page.wait_for_selector('.md-cards[data-setting="0.40"]')
    page.wait_for_url(re.compile(r"(?=.*mu=0\.4)(?=.*kappa=10)(?=.*T=32)"))
    press(page, "ArrowRight")
    page.wait_for_selector('.md-cards[data-setting="0.41"]')
    page.get_by_role("link", name="Why it flips").click()
    page.wait_for_function(DRAWN, arg=6)
    at(page, "0.41")
    page.wait_for_url(re.compile(r"why\?(?=.*mu=0\.41)(?=.*vs=dense)"))


def test_the_lesson_is_in_the_link(page: Any) -> None:
    """Each step is in the address; leaving takes it out and keeps the controls."""
    open_page(page, "/why")
    page.get_by_role("button", name="Show me in five steps").press("Enter")
    page.wait_for_url("**step=1*")
    at(page, "0.00")
    for step in range(2, 6):
        page.get_by_role("button", name="Next").press("Enter")
        page.wait_for_url(f"**step={step}*")
    page.get_by_role("button", name="Back", exact=True).press("Enter")
    page.wait_for_url("**step=4*")
    at(page, "0.15")
    page.get_by_role("button", name="Leave").press("Enter")
    page.wait_for_url(re.compile(r"^(?!.*step=)(?=.*mu=0\.15)(?=.*vs=dense)"))
    at(page, "0.15")


def test_narrow_screens_show_everything(chromium: Any, app_address: str) -> None:
    """On a telephone nothing is wider than the screen, and no chart's text is cut off."""
    narrow = chromium.new_page(viewport={"width": 390, "height": 844})
    open_page(narrow, f"{app_address}{LINK}")
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
