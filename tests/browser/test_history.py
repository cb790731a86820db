"""Back and Forward: one step for each thing done, and the page says what the address says."""

from __future__ import annotations

from typing import Any

import pytest

from momentdp_core import Curvature, Scenario, Schedule, evaluate
from pages.views.explore import point_view
from pages.views.swept import SWEPT

pytestmark = pytest.mark.browser

HARD = Scenario(horizon=32, curvature=Curvature(condition_number=10))
LINK = "/?T=32&kappa=10&mu=0.5"
READY = "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"


def says(page: Any, scenario: Scenario, momentum: float) -> None:
    """Wait until Explore says what the engine finds for a scenario at a momentum."""
    view = point_view(evaluate(scenario, SWEPT["heavy_ball"].values), momentum)
    page.wait_for_function(
        "text => document.querySelector('.md-sentence')?.textContent === text", arg=view.sentence
    )
    page.wait_for_function(
        "text => document.querySelector('.st-key-mu input')?.value === text", arg=f"{momentum:g}"
    )


def test_back_undoes_a_preset_in_one_step(page: Any) -> None:
    """A preset changes several controls; one Back brings all of them back, one Forward again."""
    page.goto(LINK)
    page.wait_for_function(READY)
    says(page, HARD, 0.5)
    page.wait_for_url("**v=1*")
    page.locator(".st-key-preset-home button").press("Enter")
    home = Scenario(curvature=Curvature(condition_number=10))
    says(page, home, 0.0)
    page.wait_for_url("**mu=0&**")
    page.go_back()
    says(page, HARD, 0.5)
    assert "T=32" in page.url
    page.go_forward()
    says(page, home, 0.0)


def test_back_brings_back_a_choice_that_the_page_writes_itself(page: Any) -> None:
    """The schedule is written into the address by Python; Back sets the control to it."""
    page.goto(LINK)
    page.wait_for_function(READY)
    page.wait_for_url("**v=1*")
    # A run that ends while the list is open closes it.
    page.wait_for_selector("[data-test-script-state=notRunning]")
    box = page.locator(".st-key-schedule input").first
    box.click()
    box.fill("Cosine")
    box.press("Enter")
    page.wait_for_url("**schedule=cosine*")
    cosine = Scenario(
        horizon=32, curvature=Curvature(condition_number=10), schedule=Schedule(family="cosine")
    )
    says(page, cosine, 0.5)
    page.go_back()
    says(page, HARD, 0.5)
    assert "schedule" not in page.url


def test_back_to_another_page_keeps_its_slider(page: Any) -> None:
    """From "Why it flips" Back leads to Explore with the momentum that it had, in one step."""
    page.goto(LINK)
    page.wait_for_function(READY)
    page.wait_for_url("**v=1*")
    page.get_by_role("link", name="Why it flips").click()
    page.wait_for_url("**/why?*mu=0.5*")
    page.wait_for_selector('.md-cards[data-setting="0.50"]')
    page.go_back()
    page.wait_for_url("**/?*mu=0.5*")
    says(page, HARD, 0.5)
    page.go_forward()
    page.wait_for_url("**/why?*mu=0.5*")
    page.wait_for_selector('.md-cards[data-setting="0.50"]')
