"""The Map page in a real browser: filling, the point, hover and flips."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.browser

SMALL = "T=16&b=4&kappa=10&mech=iid,dense,bisr,noisecurve"
POINT = ".map-point"
FINISHED = (
    "document.querySelector('.live-chart[data-chart=map][data-state=drawn]') && "
    "!document.querySelector('.st-key-map-progress [data-testid=stProgress]') && "
    "document.querySelector('.st-key-map-progress [data-testid=stCaptionContainer]') && "
    "document.querySelector('.map-point')"
)


def opened(page: Any, link: str = SMALL) -> None:
    """Open the map and wait until it is finished."""
    page.goto(f"/map?{link}")
    page.wait_for_function(FINISHED)


def spot(page: Any, x: float, y: float) -> tuple[float, float]:
    """Return the place on the screen at shares of the plot from its left and its bottom."""
    box = page.locator(".live-chart[data-chart=map] .nsewdrag").bounding_box()
    return box["x"] + x * box["width"], box["y"] + (1 - y) * box["height"]


def middle(page: Any) -> tuple[float, float]:
    """Return the middle of the point on the screen."""
    box = page.locator(POINT).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def wait_for_link(page: Any, name: str, text: str | None) -> None:
    """Wait until a parameter of the address has a value; None: until it is not the default."""
    page.wait_for_function(
        "([name, text]) => { const found = new URL(location).searchParams.get(name);"
        " return text === null ? found !== null : found === text; }",
        arg=[name, text],
    )


def wait_for_point(page: Any, text: str) -> None:
    """Wait until the point says where it stands."""
    page.wait_for_function(
        "(text) => document.querySelector('.map-point')?.textContent === text", arg=text
    )


def mark(page: Any) -> None:
    """Mark the chart's node, so that a new one would be seen."""
    page.evaluate("document.querySelector('.live-chart[data-chart=map]').marked = true")


def is_marked(page: Any) -> bool:
    """Say whether the chart's node is still the marked one."""
    return bool(page.evaluate("document.querySelector('.live-chart[data-chart=map]').marked"))


def test_a_click_sets_the_scenario(page: Any) -> None:
    """Clicking a cell moves the sidebar to the settings nearest to it; the chart's node stays."""
    opened(page)
    mark(page)
    page.mouse.click(*spot(page, 0.5, 0.5))
    wait_for_link(page, "mu", None)
    # Half of 0 … 0.99, and of 0.0025 … 4 on its logarithmic axis, is 0.5 (or 0.49) and 0.1.
    wait_for_link(page, "rate", "0.1")
    page.wait_for_function(FINISHED)
    assert abs(float(page.evaluate("new URL(location).searchParams.get('mu')")) - 0.495) < 0.011
    assert is_marked(page)


def test_the_point_is_dragged_from_setting_to_setting(page: Any) -> None:
    """While dragged the point tells its setting; let go, the sidebar follows."""
    opened(page)
    mark(page)
    page.mouse.move(*middle(page))
    page.mouse.down()
    page.mouse.move(*spot(page, 0.2, 0.6), steps=8)
    dragged = page.locator(POINT).text_content()
    assert dragged != "μ = 0.9, ηλmax = 0.8"
    assert "mu=" not in page.url
    page.mouse.up()
    wait_for_link(page, "mu", dragged.split(",")[0].removeprefix("μ = "))
    wait_for_point(page, dragged)
    assert is_marked(page)


def test_the_keyboard_moves_the_point(page: Any) -> None:
    """Arrow keys go to the next setting of the sidebar along either axis."""
    opened(page)
    page.locator(POINT).focus()
    page.keyboard.press("ArrowLeft")
    wait_for_link(page, "mu", "0.89")
    wait_for_point(page, "μ = 0.89, ηλmax = 0.8")
    page.locator(POINT).focus()
    page.keyboard.press("ArrowUp")
    wait_for_link(page, "rate", "1.0")


def test_hover_tells_the_top_three(page: Any) -> None:
    """Over a cell three mechanisms are named in order."""
    opened(page)
    page.mouse.move(*spot(page, 0.3, 0.3))
    page.mouse.move(*spot(page, 0.31, 0.31))
    page.wait_for_function(
        "(document.querySelector('.hoverlayer')?.textContent ?? '').includes('3. ')"
    )
    text = page.locator(".hoverlayer").text_content()
    assert text.index("1. ") < text.index("2. ") < text.index("3. ")


def test_a_flip_is_applied_by_its_button(page: Any) -> None:
    """The first button of the list moves the point beyond the flip."""
    opened(page)
    before = page.locator(POINT).text_content()
    page.locator("[class*=st-key-flip-] button").first.press("Enter")
    page.wait_for_function(
        "(text) => document.querySelector('.map-point')?.textContent !== text", arg=before
    )
    assert page.evaluate("location.search.includes('mu=')")


def test_a_control_interrupts_the_filling(page: Any) -> None:
    """While the map fills, another colouring is answered at once, and the filling goes on."""
    page.goto("/map?kappa=20")
    page.wait_for_selector(".st-key-map-progress [data-testid=stProgress]", timeout=120_000)
    page.get_by_role("combobox", name="Colour by").click()
    page.get_by_role("option", name="regret of a fixed choice").click()
    wait_for_link(page, "by", "regret")
    label = "document.querySelector('.live-chart[data-chart=map] [role=figure]').ariaLabel"
    page.wait_for_function(f"({label} ?? '').startsWith('Map of regret')")
    page.wait_for_function(FINISHED, timeout=120_000)


@pytest.mark.parametrize("size", [(390, 844), (1440, 900)], ids=["phone", "laptop"])
def test_the_point_stays_on_the_plot_when_the_page_is_resized(page: Any, size: Any) -> None:
    """The point keeps its place on the map's plot whatever the width."""
    opened(page)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function(
        "() => { const plot = document.querySelector('.live-chart[data-chart=map] .nsewdrag')"
        ".getBoundingClientRect(); const box = document.querySelector('.map-point')"
        ".getBoundingClientRect(); const x = (box.left + box.width / 2 - plot.left) / plot.width;"
        " return Math.abs(x - 0.9 / 0.99) < 0.02; }"
    )


def test_the_data_table_names_the_winners(page: Any) -> None:
    """The table over the map holds a mechanism's name, or a dash, for each of its 41 × 41 cells."""
    opened(page)
    page.locator('.modebar-btn[data-title="Show the data as a table"]').focus()
    page.keyboard.press("Enter")
    head, *rows = page.locator(".live-chart").evaluate(
        "root => [...root.querySelectorAll('.live-chart-rows tr')].map("
        "row => [...row.children].map(cell => cell.textContent))"
    )
    assert (len(head), len(rows)) == (42, 41)
    assert head[1] == "μ = 0"
    names = {cell for row in rows for cell in row[1:]}
    assert {"–", "NoiseCurve"} < names <= {"–", "IID Gaussian", "Dense MF", "BISR", "NoiseCurve"}
