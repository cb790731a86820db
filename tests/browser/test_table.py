"""The table over a chart: the numbers that are drawn, reached and left by keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from momentdp_core import Curvature, Scenario, damage_by_mode, evaluate
from pages.views import words
from pages.views.swept import SWEPT

pytestmark = pytest.mark.browser

BUTTON = '.modebar-btn[data-title="Show the data as a table"]'
ROWS = (
    "root => [...root.querySelectorAll('.live-chart-rows tr')].map("
    "row => [...row.children].map(cell => cell.textContent))"
)


def test_the_table_holds_what_is_drawn(page: Any) -> None:
    """Damage at every momentum in six digits; Enter opens the table, Escape closes it."""
    page.goto("/?T=32&b=4")
    page.wait_for_selector(".live-chart[data-state=drawn] .modebar-btn")
    chart = page.locator(".live-chart").first
    chart.locator(BUTTON).focus()
    page.keyboard.press("Enter")
    head, *rows = chart.evaluate(ROWS)
    scenario = Scenario(horizon=32, bands=4)
    study = evaluate(scenario, SWEPT["heavy_ball"].values)
    # NoiseCurve is drawn last, on top of the others.
    order = sorted(study.mechanisms, key=lambda key: key == "noisecurve")
    assert head == ["momentum μ", *map(words.name, order)]
    shown = np.array(rows, dtype=float)
    places = [study.mechanisms.index(key) for key in order]
    np.testing.assert_allclose(shown[:, 0], study.values, rtol=1e-5)
    np.testing.assert_allclose(shown[:, 1:], study.damage[places].T, rtol=1e-5)
    page.keyboard.press("Escape")
    chart.locator(".live-chart-table").wait_for(state="detached")


def test_a_shortened_bar_keeps_its_number(page: Any) -> None:
    """The table of the modes has the engine's damages, also where a bar is squeezed."""
    page.goto("/why?T=32&b=4&d=3&kappa=10")
    page.wait_for_function(
        "document.querySelectorAll('.live-chart[data-state=drawn]').length === 6"
    )
    chart = page.locator(".live-chart").last
    chart.locator(BUTTON).focus()
    page.keyboard.press("Enter")
    _, *rows = chart.evaluate(ROWS)
    scenario = Scenario(horizon=32, bands=4, curvature=Curvature(modes=3, condition_number=10))
    exact = damage_by_mode(scenario, [0.9])[:, 0]
    shown = np.array([row[1:4] for row in rows], dtype=float)
    np.testing.assert_allclose(np.sort(shown.ravel()), np.sort(exact.ravel()), rtol=1e-5)
