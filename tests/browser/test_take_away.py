"""Take it away in a real browser: every file is opened and checked."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from pypdf import PdfReader

from momentdp_core import POOL, Curvature, Scenario, Study, evaluate, final_damage
from momentdp_core.report import study_to_dict
from pages.ui import pdf
from pages.views import recipe
from pages.views.swept import swept_of

pytestmark = pytest.mark.browser

SCENARIO = Scenario(horizon=32, curvature=Curvature(condition_number=10))
STATE = {"T": ["32"], "kappa": ["10"], "mu": ["0.4"], "v": ["1"]}
LINK = "T=32&kappa=10&mu=0.4"
CHARTS = {
    "": ("damage", "ranks"),
    "why": (
        *("why-response", "why-covariance", "why-sample"),
        *("why-spectrum", "why-damage", "why-modes"),
    ),
    "optimizers": ("optimizers-bars", "optimizers-sweep"),
    "map": ("map",),
    "design": (
        *("design-sweep", "design-matrices", "design-sample", "design-spectrum"),
        "design-price",
    ),
    "mechanisms": ("matrix-strategy", "matrix-noising", "matrix-covariance"),
}
TEXT = {
    "": "NoiseCurve",
    "why": "step t of the noise",
    "optimizers": "sampling noise",
    "map": "momentum μ",
    "design": "This design",
    "mechanisms": "colours from",
}
SVG, DC = "{http://www.w3.org/2000/svg}", "{http://purl.org/dc/elements/1.1/}"


def open_panel(page: Any, path: str = "", link: str = LINK) -> Any:
    """Open a page, wait for its charts, open the panel and return its form."""
    page.goto(f"/{path}?{link}")
    page.wait_for_function(
        "count => document.querySelectorAll('.live-chart[data-state=drawn]').length === count",
        arg=len(CHARTS[path]),
        timeout=120_000,  # the design's last chart takes a process of its own
    )
    if path == "map":  # the server prints when the map and the list below it are finished
        page.get_by_text("ε and δ never flip anything").wait_for(timeout=120_000)
    page.locator("summary", has_text="Take it away: figures").press("Enter")
    form = page.locator("form.take-away")
    form.get_by_role("button", name="SVG").wait_for()
    return form


def save(page: Any, button: Any, name: str) -> bytes:
    """Press a button, check the name of the file that comes, and return what is in it."""
    with page.expect_download(timeout=60_000) as download:
        button.press("Enter")
    assert download.value.suggested_filename == name
    return Path(download.value.path()).read_bytes()


def figure(page: Any, form: Any, kind: str, **choice: str) -> bytes:
    """Choose in the panel and save the figure."""
    for name, value in choice.items():
        form.locator(f"select[name={name}]").select_option(value)
    chart = form.locator("select[name=chart]").input_value()
    return save(page, form.get_by_role("button", name=kind.upper()), f"momentdp-{chart}.{kind}")


def is_the_state(link: str) -> bool:
    """Say whether a file's link opens what was on screen, with the links' version."""
    return parse_qs(urlsplit(link).query) == STATE


def texts_of(svg: bytes) -> str:
    """Return the drawn text of an SVG."""
    drawn = ElementTree.fromstring(svg).iter(f"{SVG}text")
    return "\n".join("".join(text.itertext()) for text in drawn)


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    """Return name and body of each chunk of a PNG whose checksums are right."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = [], 8
    while at < len(png):
        (size,) = struct.unpack_from(">I", png, at)
        name, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack_from(">I", png, at + 8 + size) == (zlib.crc32(name + body),)
        found.append((name, body))
        at += size + 12
    return found


def test_svg_holds_the_chart_and_where_it_comes_from(page: Any) -> None:
    """It parses, is as wide as a column, and has labels, marker, caption, link and version."""
    form = open_panel(page)
    svg = figure(page, form, "svg", size="column")
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("width") == "89mm"
    assert is_the_state(str(root.findtext(f"{SVG}metadata/{DC}source")))
    assert "links of version 1" in str(root.findtext(f"{SVG}metadata/{DC}creator"))
    assert "11 mechanisms" in str(root.findtext(f"{SVG}desc"))
    drawn = texts_of(svg)
    caption = recipe.caption(SCENARIO).replace(recipe.VALUE, "0.40")
    for part in ("NoiseCurve", "Dense MF", "μ = 0.40", "damage (log scale)"):
        assert part in drawn
    assert caption.replace(" ", "") in "".join(drawn.split())
    form.get_by_label("Caption with the setting").uncheck()
    assert "spectrum" not in texts_of(figure(page, form, "svg", size="column"))


def test_the_mode_bars_svg_says_where_it_comes_from(page: Any) -> None:
    """The one-click SVG of each chart is white and has the link too, with the panel closed."""
    page.emulate_media(color_scheme="dark")
    open_panel(page)
    page.locator("summary", has_text="Take it away: figures").press("Enter")
    buttons = page.locator('.live-chart .modebar-btn[data-title="Download as SVG"]')
    for at, chart in enumerate(CHARTS[""]):
        svg = save(page, buttons.nth(at), f"momentdp-{chart}.svg")
        root = ElementTree.fromstring(svg)
        assert is_the_state(str(root.findtext(f"{SVG}metadata/{DC}source")))
        assert root.get("width") == "1000"
        assert b"fill: rgb(255, 255, 255)" in ElementTree.tostring(root.find(f"{SVG}rect"))


@pytest.mark.parametrize(
    ("size", "pixels", "width"),
    [("slide", (3840, 2160), 338.67), ("column", None, 89), ("poster", (4680, 3510), 594)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_png_has_its_size_and_its_source(
    page: Any, size: str, pixels: tuple[int, int] | None, width: float
) -> None:
    """The picture has the promised pixels, its size on paper, and the link as text."""
    form = open_panel(page)
    parts = chunks(figure(page, form, "png", size=size, theme="dark"))
    assert [parts[0][0], parts[-1][0]] == [b"IHDR", b"IEND"]
    across, down = struct.unpack_from(">II", parts[0][1])
    if pixels is not None:
        assert (across, down) == pixels
    (density,) = [body for name, body in parts if name == b"pHYs"]
    per_metre, _, unit = struct.unpack(">IIB", density)
    assert unit == 1
    assert 1000 * across / per_metre == pytest.approx(width, rel=1e-3)
    told = dict(body.split(b"\0", 1) for name, body in parts if name == b"tEXt")
    assert is_the_state(told[b"Source"].decode())
    assert b"links of version 1" in told[b"Software"]
    (described,) = [body for name, body in parts if name == b"iTXt"]
    assert "μ = 0.40" in described.decode()


@pytest.mark.skipif(pdf.find_browser() is None, reason="no Chrome on this machine prints a PDF")
@pytest.mark.parametrize("path", CHARTS, ids=lambda path: path or "explore")
def test_pdf_is_one_page_with_text(page: Any, path: str) -> None:
    """A slide's PDF has one page of its shape, text that can be searched, and the link."""
    form = open_panel(page, path)
    reader = PdfReader(io.BytesIO(figure(page, form, "pdf", size="slide")))
    (sheet,) = reader.pages
    assert float(sheet.mediabox.width) == pytest.approx(960, abs=1)
    assert float(sheet.mediabox.height) == pytest.approx(540, abs=1)
    text = " ".join(sheet.extract_text().split())  # a caption may go over several lines
    assert "peak rate ηλmax = 0.8" in text
    assert TEXT[path] in text
    told = reader.metadata
    assert told is not None
    assert is_the_state(str(told["/Keywords"]))
    assert "links of version 1" in str(told.creator)
    form.get_by_text("is in your downloads").wait_for()


@pytest.mark.parametrize("path", CHARTS, ids=lambda path: path or "explore")
def test_every_chart_is_on_offer_and_drawn(page: Any, path: str) -> None:
    """The panel finds the charts of its page, in their order, and each gives another drawing."""
    form = open_panel(page, path)
    offered = form.locator("select[name=chart] option").evaluate_all("all => all.map(o => o.value)")
    assert tuple(offered) == CHARTS[path]
    drawings = {figure(page, form, "svg", chart=chart) for chart in offered}
    assert len(drawings) == len(offered)


def test_figures_keep_the_zoom_and_choose_their_colours(page: Any) -> None:
    """What is zoomed away on screen is not in the file, whose colours are not the screen's."""
    form = open_panel(page)
    whole = texts_of(figure(page, form, "svg", size="slide"))
    page.evaluate(
        "() => { const plot = document.querySelector('.live-chart-plot');"
        "return window.Plotly.relayout(plot, {'xaxis.range[0]': 0.5, 'xaxis.range[1]': 0.7}); }"
    )
    svg = figure(page, form, "svg", theme="dark")
    zoomed = texts_of(svg)
    assert "0.1" in whole.splitlines()
    assert "0.1" not in zoomed.splitlines()
    assert "0.6" in zoomed.splitlines()
    assert b"fill: rgb(16, 20, 26)" in svg
    assert page.evaluate("document.querySelector('.live-chart-plot').layout.xaxis.range[0]") == 0.5


def test_a_zoom_into_a_lower_panel_is_kept(page: Any) -> None:
    """Charts of two panels have more axes; the file has the range of each."""
    form = open_panel(page, "why")
    page.evaluate(
        "() => { const plot = document.querySelectorAll('.live-chart-plot')[2];"
        "return window.Plotly.relayout(plot, {'yaxis2.range': [1000, 1004]}); }"
    )
    drawn = texts_of(figure(page, form, "svg", chart="why-sample"))
    assert "1002" in drawn.replace(",", "")


@pytest.fixture(scope="module")
def study() -> Study:
    return evaluate(SCENARIO, swept_of(SCENARIO.optimizer).values)


def test_data_files_equal_the_study(page: Any, study: Study) -> None:
    """CSV, Parquet and JSON hold the study of the page, number for number."""
    open_panel(page)

    def data(kind: str) -> bytes:
        button = page.get_by_role("button", name=f"Download the data as {kind}")
        return save(page, button, f"momentdp-explore.{kind.lower()}")

    for frame in (
        pd.read_csv(io.BytesIO(data("CSV"))),
        pd.read_parquet(io.BytesIO(data("Parquet"))),
    ):
        assert len(frame) == len(study.values) * len(POOL)
        table = frame.pivot_table(index="mechanism", columns="momentum", values="damage")
        np.testing.assert_array_equal(table.loc[list(POOL)].to_numpy(), study.damage)
    assert json.loads(data("JSON")) == json.loads(json.dumps(study_to_dict(study)))


def test_the_data_of_the_other_page_follow_the_slider(page: Any, study: Study) -> None:
    """The CSV of "Why it flips" is about the momentum that was last chosen, without a full run."""
    open_panel(page, "why")
    page.locator(".st-key-mu").locator("input[type=range], [role=slider]").first.press("ArrowRight")
    page.wait_for_selector('.md-cards[data-setting="0.41"]')
    button = page.get_by_role("button", name="Download the data as CSV")
    frame = pd.read_csv(io.BytesIO(save(page, button, "momentdp-why.csv")))
    modes = frame[frame["chart"] == "modes"].groupby("mechanism")["value"].sum()
    exact = final_damage(SCENARIO, [0.41])[:, 0]
    np.testing.assert_allclose(modes.loc[list(POOL)].to_numpy(), exact, rtol=1e-9)
