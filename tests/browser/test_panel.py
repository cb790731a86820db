"""The panel "Take it away" in a real browser: copying, keyboard, axe-core, and no Chrome."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui import pdf
from pages.views import recipe
from tests.browser.conftest import grave_findings, running_app
from tests.browser.test_take_away import SCENARIO, figure, is_the_state, open_panel

pytestmark = pytest.mark.browser


def test_link_and_code_go_to_the_clipboard(page: Any) -> None:
    """Each button copies its text: the address, the program, the command."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    form = open_panel(page)
    copied = {}
    for name in ("link", "as Python", "as command line"):
        form.get_by_role("button", name=f"Copy {name}").press("Enter")
        form.get_by_text("Copied.").wait_for()
        copied[name] = page.evaluate("navigator.clipboard.readText()")
    assert copied["link"] == page.url
    assert is_the_state(copied["link"])
    assert copied["as Python"] == recipe.as_python(SCENARIO)
    assert copied["as command line"] == recipe.as_command(SCENARIO)
    assert form.locator("textarea").is_hidden()


def test_copied_code_is_about_the_value_that_was_last_chosen(page: Any) -> None:
    """On pages about one swept value the texts hold it, also after the slider has moved."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    form = open_panel(page, "why")
    page.locator(".st-key-mu").locator("input[type=range], [role=slider]").first.press("ArrowRight")
    page.wait_for_selector('.md-cards[data-setting="0.41"]')
    for name, told in (("as Python", "value = 0.41"), ("as command line", "--values 0.41")):
        form.get_by_role("button", name=f"Copy {name}").press("Enter")
        form.get_by_text("Copied.").wait_for()
        assert told in page.evaluate("navigator.clipboard.readText()")


def test_a_refused_clipboard_leaves_the_text_to_copy(page: Any) -> None:
    """Where the browser refuses, the text stands there, selected, and the page says so."""
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', {value: "
        "{writeText: () => Promise.reject(new Error('refused'))}})"
    )
    form = open_panel(page)
    form.get_by_role("button", name="Copy as command line").press("Enter")
    form.get_by_text("Copy the text below").wait_for()
    box = form.get_by_label("Text to copy")
    assert box.input_value() == recipe.as_command(SCENARIO)
    assert box.evaluate("box => box.selectionEnd - box.selectionStart") == len(box.input_value())


def test_everything_is_reached_with_the_tab_key(page: Any) -> None:
    """From the first field on, Tab goes through all fields and buttons of the panel."""
    form = open_panel(page)
    page.get_by_role("button", name="Download the data as JSON").wait_for()
    form.locator("select[name=chart]").focus()
    active = (
        "() => { let found = document.activeElement;"
        "while (found.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;"
        "return found.name || found.dataset.do || found.innerText; }"
    )
    reached = []
    for _ in range(13):
        reached.append(page.evaluate(active))
        page.keyboard.press("Tab")
    assert reached[:10] == [
        *("chart", "theme", "size", "caption", "svg", "png", "pdf"),
        *("link", "python", "command"),
    ]
    assert [f"Download the data as {kind}" for kind in ("CSV", "Parquet", "JSON")] == reached[10:]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_grave_in_the_open_panel(page: Any, theme: Any) -> None:
    """Names, roles and contrast of the fields, the buttons and the text to copy."""
    page.emulate_media(color_scheme=theme)
    form = open_panel(page)
    form.locator("textarea").evaluate("box => { box.hidden = false; }")
    assert grave_findings(page) == {}


def test_without_chrome_the_pdf_button_says_so(
    chromium: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a server without a browser, PDF leads to a sentence, and SVG works on."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    if pdf.find_browser():
        pytest.skip("Chrome is here at a fixed place")
    with running_app() as address:
        page = chromium.new_page(base_url=address)
        form = open_panel(page)
        form.get_by_role("button", name="PDF").press("Enter")
        form.get_by_text("A PDF needs Chrome or Chromium").wait_for()
        figure(page, form, "svg")
        page.close()
