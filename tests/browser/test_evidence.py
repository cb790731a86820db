"""“Evidence” in a real browser: rows open claims, studies run beside the page and are ended."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

DRAWN = "document.querySelector('.md-claims[data-state=drawn] tr[data-claim=M1]')"


def test_a_row_opens_by_mouse_and_by_keyboard(page: Any) -> None:
    """A click anywhere in a row opens its claim, and Enter on its button too."""
    page.goto("evidence?paper=pmlf")
    page.locator("tr[data-claim=P2] td").first.click()
    page.get_by_role("heading", name="P2 · The low-pass filter").wait_for()
    assert "claim=P2" in page.url
    page.locator("tr[data-claim=P4] button").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="P4 · DP-PMLF is best").wait_for()
    current = page.locator("tr[aria-current=true]")
    assert current.count() == 1
    assert current.get_attribute("data-claim") == "P4"


def test_the_open_claim_is_in_sight(page: Any) -> None:
    """A link to a claim far down scrolls the table to it, and the page not at all."""
    page.goto("evidence?claim=M30")
    page.wait_for_selector(".md-claims[data-shown=M30]")
    assert page.evaluate(
        "(() => { const room = document.querySelector('.md-claims').getBoundingClientRect(),"
        " row = document.querySelector('tr[aria-current=true]').getBoundingClientRect();"
        " return row.top >= room.top && row.bottom <= room.bottom })()"
    )
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_a_long_study_shows_progress_and_is_cancelled(page: Any) -> None:
    """It runs while another page is used, is still there on return, and Cancel ends it."""
    page.goto("evidence?claim=M17")
    page.wait_for_function(DRAWN)
    page.get_by_role("button", name="Run again").press("Enter")
    bar = page.locator("[data-testid=stProgress]")
    bar.wait_for()
    page.get_by_role("link", name="Optimizers").click()
    page.get_by_role("heading", name="Which optimizer loses least?").wait_for()
    page.get_by_role("link", name="Evidence").click()
    bar.wait_for()
    page.get_by_text("Log κ =").wait_for()
    page.get_by_role("button", name="Cancel").press("Enter")
    bar.wait_for(state="detached")
    assert page.get_by_role("button", name="Run again").is_enabled()


def test_a_figure_has_a_table_with_its_intervals(page: Any) -> None:
    """Values and the ends of their intervals, in rows of the figure's categories."""
    page.goto("evidence?claim=P4")
    page.wait_for_function("document.querySelectorAll('.live-chart-plot .main-svg').length > 3")
    page.locator('.modebar-btn[data-title="Show the data as a table"]').nth(1).click()
    table = page.locator(".live-chart-rows table")
    table.wait_for()
    assert table.locator("th[scope=col]").all_text_contents()[1:] == [
        "ours, 95 % interval", "ours, 95 % interval: from", "to"
    ]  # fmt: skip
    rows = [row.split("\t") for row in table.inner_text().splitlines()[1:]]
    assert len(rows) == 8
    for _, middle, low, high in rows:
        assert float(middle) - float(low) == pytest.approx(float(high) - float(middle), rel=1e-3)


def test_a_short_study_ends_by_itself(page: Any) -> None:
    """Without another click, what came out stands beside the shipped figures."""
    page.goto("evidence?claim=M20")
    page.wait_for_function(DRAWN)
    page.get_by_role("button", name="Run again").press("Enter")
    page.get_by_text("Ours, run again with seed 0").wait_for(timeout=60_000)
