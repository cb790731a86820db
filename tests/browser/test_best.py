"""The best possible on Explore in a browser: it fills in, follows a drag, holds up nothing."""

from __future__ import annotations

import time
from typing import Any

import pytest

from momentdp_core import Scenario, evaluate, optimal_curve
from pages.views.best import best_of, question_of
from pages.views.explore import point_view
from pages.views.swept import SWEPT

pytestmark = pytest.mark.browser

SCENARIO = Scenario(horizon=32, bands=4)
LINK = "/?T=32&b=4&best=yes"
ROWS = """() => [...document.querySelectorAll('.st-key-table tbody tr')].map(
  row => [row.dataset.mechanism, row.children[4].textContent])"""
NAMES = "() => document.querySelector('.live-chart-plot').data.map(trace => trace.name)"
DONE = """() => !document.querySelector('[data-testid=stProgress]')
  && document.querySelectorAll('.live-chart[data-state=drawn]').length === 2
  && [...document.querySelectorAll('.st-key-table tbody td')].length
  && ![...document.querySelectorAll('.st-key-table tbody td')].some(
    cell => cell.textContent === '…')"""


def column(value: float) -> list[list[str]]:
    """Return what Python says in the column at a momentum."""
    study = evaluate(SCENARIO, SWEPT["heavy_ball"].values)
    best = best_of(study, optimal_curve(*question_of(study)))
    return [[row.key, row.best or ""] for row in point_view(study, value, best).rows]


def says(page: Any, value: float) -> None:
    """Wait until the column is Python's at a momentum."""
    page.wait_for_function(
        f"rows => JSON.stringify(({ROWS})()) === JSON.stringify(rows)", arg=column(value)
    )


def test_it_fills_in_and_follows_the_slider(page: Any) -> None:
    """At the end the column is Python's, also for values that the slider passes."""
    page.goto(LINK)
    page.wait_for_function(DONE, timeout=90_000)
    # The table is written by the server; the chart is drawn by the browser, a moment later.
    page.wait_for_function(f"({NAMES})().includes('Best possible')")
    says(page, 0.9)
    page.locator(".st-key-mu input[type=range]").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("document.querySelector('.md-cards').dataset.setting === '0.87'")
    says(page, 0.87)


def test_the_page_is_alive_while_it_fills_in(page: Any) -> None:
    """The slider is answered while designs are still being made."""
    page.goto("/?T=256&best=yes&mech=iid,bisr")
    page.wait_for_selector("[data-testid=stProgress]", timeout=60_000)
    page.locator(".st-key-mu input[type=range]").focus()
    began = time.monotonic()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(
        "document.querySelector('.md-cards').dataset.setting === '0.89' && "
        "location.search.includes('mu=0.89')",
        timeout=10_000,
    )
    assert page.locator("[data-testid=stProgress]").count() == 1
    assert time.monotonic() - began < 5
