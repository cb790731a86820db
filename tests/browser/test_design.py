"""Design in a real browser: it arrives, its file loads, and what takes long can be stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from momentdp_core import Scenario, load_design, optimal_design

pytestmark = pytest.mark.browser

DRAWN = "document.querySelectorAll('.live-chart[data-state=drawn]').length === {count}"


def test_the_file_is_the_design_on_screen(page: Any, tmp_path: Path) -> None:
    """The download is the engine's design for the sidebar's setting, without a rerun."""
    page.goto("/design?T=16&b=4&dform=banded")
    page.wait_for_function(DRAWN.format(count=5), timeout=60_000)
    page.locator("summary", has_text="Take it to training").press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the design (.npz)").press("Enter")
    assert download.value.suggested_filename == "design.npz"
    download.value.save_as(tmp_path / "design.npz")
    loaded = load_design(tmp_path / "design.npz")
    expected = optimal_design(Scenario(horizon=16), 0.9, 4)
    assert loaded.damage.tolist() == pytest.approx([expected.damage], rel=1e-9)


def test_a_range_is_designed_for_beside_the_page(page: Any) -> None:
    """A range arrives by itself, with the chart of its conditions."""
    page.goto("/design?T=16&b=4&dval=range&dr=0.25")
    page.wait_for_function(DRAWN.format(count=6), timeout=90_000)
    assert "20 conditions" in page.locator(".md-cards").inner_text()


def test_a_long_design_can_be_stopped(page: Any) -> None:
    """The button ends it; it is begun again when asked for."""
    page.goto("/design?T=512&dval=range&dr=0.25&dk=10&aim=worst&mech=iid")
    page.get_by_role("button", name="Stop the design").click(timeout=60_000)
    page.get_by_text("The design was stopped.").wait_for(timeout=20_000)
    page.get_by_role("button", name="Design it").wait_for()
