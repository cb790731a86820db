"""Pin, prediction, tour and talk mode in a real browser: dragging, keyboard, colours and size."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from momentdp_core import Curvature, Scenario, evaluate
from momentdp_core.report import study_to_dict
from pages.figures.style import DARK_BACKGROUND, LIGHT_BACKGROUND
from pages.ui.tour import STEPS
from pages.views import words
from pages.views.look import Look
from pages.views.predict import answer
from pages.views.swept import SWEPT
from tests.browser.conftest import VIEWPORT, grave_findings

pytestmark = pytest.mark.browser

MOMENTA = SWEPT["heavy_ball"].values
SCENARIO = Scenario(horizon=32, curvature=Curvature(condition_number=10))
PINNED = Scenario(horizon=32, curvature=Curvature(condition_number=10), learning_rate=0.1)
LINK = "/?T=32&kappa=10"
PIN = "&pin=T%3D32%26kappa%3D10%26rate%3D0.1"
DRAWN = (
    "document.querySelector('.live-chart') && globalThis.momentdp?.live"
    " && !document.querySelector('.live-chart:not([data-state=drawn])')"
    " && document.querySelector('.md-cards')"
)
LINE = """() => {
  const plot = document.querySelector('.live-chart-plot'), box = plot.getBoundingClientRect();
  const marker = plot.layout.shapes.find(shape => shape.name === 'marker');
  const axis = plot._fullLayout.xaxis, scale = box.width / plot.offsetWidth;
  return [box.left + (axis._offset + axis.d2p(marker.x0)) * scale, box.top + box.height / 2];
}"""
BACKGROUND = "selector => getComputedStyle(document.querySelector(selector)).backgroundColor"


def open_page(page: Any, link: str) -> None:
    """Open a link and wait until its charts are drawn and follow the slider."""
    page.goto(link)
    page.wait_for_function(DRAWN)
    page.wait_for_load_state("networkidle")


def at(page: Any, value: str) -> None:
    """Wait until the readouts stand at a swept value."""
    page.wait_for_selector(f'.md-cards[data-setting="{value}"]')


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))})"


def test_the_difference_panel_follows_a_drag(page: Any) -> None:
    """While the line in the chart is dragged, the panel and the summary are Python's for it."""
    open_page(page, f"{LINK}{PIN}&mu=0.5")
    page.wait_for_selector('[data-live="pin-summary"]')
    names = page.evaluate("document.querySelector('.live-chart-plot').data.map(t => t.name)")
    assert sum(str(name).startswith("A: ") for name in names) == 11
    x, y = page.evaluate(LINE)
    page.mouse.move(x, y)
    page.wait_for_selector(".live-chart-grab")
    page.mouse.down()
    page.mouse.move(x + 120, y, steps=6)
    page.wait_for_function("document.querySelector('.md-cards').dataset.setting > '0.55'")
    value = float(page.evaluate("document.querySelector('.md-cards').dataset.setting"))
    assert "mu=0.5" in page.url
    then, now = (evaluate(scenario, MOMENTA) for scenario in (PINNED, SCENARIO))
    view = Look(whole=now, then=then, stood=0.9).difference(value)
    assert view is not None
    said = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('[data-live]')].map("
        "node => [node.dataset.live, node.textContent]))"
    )
    assert said["pin-summary"] == view.summary
    assert said["pin-setting"] == view.setting
    for row in view.rows:
        assert [said[f"pin-{row.key}-{part}"] for part in ("pinned", "now", "times")] == [
            row.pinned, row.now, row.times,
        ]  # fmt: skip
    page.mouse.up()
    page.wait_for_url(f"**mu={value:g}*")


def test_pinning_by_hand_is_in_the_link(page: Any, chromium: Any, app_address: str) -> None:
    """The button writes A's link text into the address; it opens elsewhere with the same panel."""
    open_page(page, f"{LINK}&mu=0.5")
    page.get_by_role("button", name="Pin as A").press("Enter")
    page.wait_for_url("**pin=*")
    page.wait_for_selector('[data-live="pin-summary"]')
    other = chromium.new_page(viewport=VIEWPORT)
    other.goto(page.url)
    other.wait_for_selector('[data-live="pin-summary"]')
    texts = "document.querySelector('.st-key-pin').innerText"
    assert other.evaluate(texts) == page.evaluate(texts)
    other.close()


def test_predict_with_the_keyboard_alone(page: Any) -> None:
    """The guess is moved by arrow keys, Reveal is pressed by Enter; before, nothing tells."""
    open_page(page, f"{LINK}&mu=0.1&predict=hidden&guess=0.3")
    study = evaluate(SCENARIO, MOMENTA)
    found = answer(study, 0.1)
    assert found.value is not None
    hidden = [words.edge(c.value) for c in study.crossovers if c.value > 0.1]
    page.locator(".st-key-guess input[type=range]").press("ArrowRight")
    page.wait_for_url("**guess=0.31*")
    page.wait_for_function(DRAWN)
    everything = page.evaluate(
        "document.documentElement.outerHTML + JSON.stringify("
        "[...document.querySelectorAll('.live-chart')].map(r => r.liveChart.data.figure))"
        "+ momentdp.live.text"
    )
    assert not [text for text in hidden if text in everything]
    for at_value in (0, 10, 60, len(MOMENTA) - 1):
        page.evaluate("at => momentdp.live.show(at)", at_value)
        shown = page.evaluate("document.querySelector('.st-key-readouts').innerText")
        assert shown.count("Hidden") == (1 if MOMENTA[at_value] <= 0.1 else 4)
    page.locator(".st-key-predict-reveal button").press("Enter")
    page.get_by_text("You guessed μ = 0.31").wait_for()
    said = page.locator(".st-key-predict-panel").inner_text()
    assert found.text in said
    assert f"{words.edge(abs(0.31 - found.value))} too high" in said


def test_what_is_taken_away_ends_at_the_edge(page: Any, tmp_path: Path) -> None:
    """While the curves are hidden, CSV and JSON hold the study up to the edge and no further."""
    open_page(page, f"{LINK}&mu=0.1&predict=hidden")
    page.locator("summary", has_text="Take it away: figures").press("Enter")
    for kind in ("CSV", "JSON"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download the data as {kind}").press("Enter")
        download.value.save_as(tmp_path / kind)
    lines = (tmp_path / "CSV").read_text(encoding="utf-8").splitlines()[1:]
    assert {float(line.split(",")[0]) for line in lines} == set(MOMENTA[MOMENTA <= 0.1].tolist())
    told = json.loads((tmp_path / "JSON").read_text(encoding="utf-8"))
    whole = study_to_dict(evaluate(SCENARIO, MOMENTA))
    assert told["momentum"] == [value for value in whole["momentum"] if value <= 0.1]
    assert all(crossover["momentum"] <= 0.1 for crossover in told["crossovers"])
    assert max(region["stop"] for region in told["regions"]) == 0.1


def test_the_tour_outlines_what_it_speaks_about(page: Any) -> None:
    """In every step one part of the page is outlined and in view, and the step's card with it."""
    open_page(page, "/?tour=1")
    for number, step in enumerate(STEPS, 1):
        page.wait_for_url(f"**tour={number}*")
        page.get_by_text(f"{number} of {len(STEPS)} · {step.title}").wait_for()
        page.wait_for_function(
            """part => {
              const nodes = document.querySelectorAll(part);
              if (nodes.length !== 1 || getComputedStyle(nodes[0]).outlineStyle !== 'solid')
                return false;
              const card = document.querySelector('.st-key-tour').getBoundingClientRect();
              const box = nodes[0].getBoundingClientRect();
              const inside = b => b.bottom > 80 && b.top < innerHeight - 80;
              return inside(box) && card.top >= 0 && card.bottom < innerHeight;
            }""",
            arg=step.part,
        )
        if number < len(STEPS):
            page.get_by_role("button", name="Next").press("Enter")
    page.get_by_role("button", name="Leave and go back").press("Enter")
    page.wait_for_url(re.compile(r"/(\?v=1)?$"))


@pytest.mark.parametrize("screen", ["light", "dark"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_talk_mode_covers_the_screen_in_its_own_colours(
    theme: str, screen: Any, chromium: Any, app_address: str
) -> None:
    """16:9, as large as the screen lets it be, large type, no chrome, whatever theme is set."""
    page = chromium.new_page(viewport=VIEWPORT, color_scheme=screen)
    open_page(page, f"{app_address}{LINK}&talk={theme}")
    page.wait_for_function("getComputedStyle(document.documentElement)"
                           ".getPropertyValue('--talk-scale') > 1.5")  # fmt: skip
    color = {"light": LIGHT_BACKGROUND, "dark": DARK_BACKGROUND}[theme]
    for part in (".st-key-talk", ".live-chart"):
        assert page.evaluate(BACKGROUND, part) == rgb(color)
    page.wait_for_function(
        "color => document.querySelector('.live-chart-plot')._fullLayout.paper_bgcolor === color",
        arg=color,
    )
    box = page.locator(".live-chart-plot").bounding_box()
    assert box["width"] / box["height"] == pytest.approx(16 / 9, rel=0.002)
    assert box["width"] > 0.95 * VIEWPORT["width"]
    assert box["x"] >= 0
    bar = page.locator(".st-key-talk-bar").bounding_box()
    assert box["y"] + box["height"] <= bar["y"] + 1
    assert bar["y"] + bar["height"] <= VIEWPORT["height"] + 1
    label = page.locator(".live-chart-plot .annotation text").first.bounding_box()
    assert label["height"] / box["height"] > 0.03  # of a slide 7.5 inches high: 16 points
    for chrome in ("stSidebar", "stHeader"):
        assert not page.locator(f'[data-testid="{chrome}"]').is_visible()
    page.close()


def test_the_verdict_fits_below_the_slide(chromium: Any, app_address: str) -> None:
    """Revealed on a dark screen, the light slide makes room, stays in the middle, and is read."""
    page = chromium.new_page(viewport=VIEWPORT, color_scheme="dark")
    open_page(page, f"{app_address}{LINK}&talk=light&mu=0.1&predict=revealed&guess=0.3")
    page.wait_for_function(
        """() => {
          const slide = document.querySelector('.live-chart-plot').getBoundingClientRect();
          const bar = document.querySelector('.st-key-talk-bar').getBoundingClientRect();
          return slide.bottom <= bar.top + 1 && bar.bottom <= innerHeight + 1 && slide.top >= 0
            && Math.abs(slide.left + slide.right - innerWidth) < 4 && slide.width > 1000;
        }"""
    )
    grave = grave_findings(page)
    page.close()
    assert grave == {}


def test_talk_mode_is_operated_by_keyboard_and_by_the_line(page: Any) -> None:
    """Arrows move the slider at once, the line can be dragged, and Escape brings the page back."""
    open_page(page, f"{LINK}&talk=dark&mu=0.5")
    page.wait_for_function(
        "document.activeElement.matches('.st-key-talk-slider input[type=range]')"
    )
    page.keyboard.press("ArrowRight")
    at(page, "0.51")
    page.wait_for_url("**mu=0.51*")
    x, y = page.evaluate(LINE)
    page.mouse.move(x, y)
    page.wait_for_selector(".live-chart-grab")
    page.mouse.down()
    page.mouse.move(x + 300, y, steps=8)
    page.wait_for_function("document.querySelector('.md-cards').dataset.setting > '0.6'")
    there = page.evaluate(LINE)[0]
    assert there == pytest.approx(x + 300, abs=12)
    page.mouse.up()
    value = page.evaluate("document.querySelector('.md-cards').dataset.setting")
    page.wait_for_url(f"**mu={float(value):g}*")
    page.wait_for_function(
        "value => document.querySelector('.st-key-mu input').value === value",
        arg=f"{float(value):g}",
    )
    page.wait_for_load_state("networkidle")
    page.keyboard.press("Escape")
    page.wait_for_selector('[data-testid="stSidebar"]')
    page.wait_for_function(
        "document.querySelectorAll('.live-chart[data-state=drawn]').length === 2"
    )
    assert "talk=" not in page.url
    at(page, value)


def test_the_pages_figure_is_the_slides(page: Any) -> None:
    """Talk mode draws the same values as the page."""
    curves = "JSON.parse(document.querySelector('.live-chart').liveChart.data.figure).data"
    open_page(page, LINK)
    normal = page.evaluate(curves)
    open_page(page, f"{LINK}&talk=light")
    assert json.dumps(page.evaluate(curves)) == json.dumps(normal)
