"""The chart library that the pages load, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest

from pages.ui.live_chart import library_version

pytestmark = pytest.mark.browser

DRAWN = "count => document.querySelectorAll('.live-chart[data-state=drawn]').length === count"
TYPES = """
[...document.querySelectorAll('.live-chart-plot')].flatMap(plot =>
  plot.data.map((trace, k) => [trace.type ?? 'scatter', plot._fullData[k].type]))
"""


@pytest.mark.parametrize(
    ("link", "charts"), [("/?T=32", 2), ("/why?T=32", 6), ("/mechanisms?T=32", 3)]
)
def test_every_trace_is_drawn_as_what_it_is(page: Any, link: str, charts: int) -> None:
    """A trace type that a partial bundle lacks would become a scatter plot without an error."""
    page.goto(link)
    page.wait_for_function(DRAWN, arg=charts)
    types = page.evaluate(TYPES)
    assert len(types) >= charts
    assert [asked for asked, _ in types] == [drawn for _, drawn in types]


def test_the_library_is_the_one_in_the_folder(page: Any) -> None:
    """The page runs the bundle whose version is written in its header; it has matrices too."""
    page.goto("/?T=32")
    page.wait_for_function(DRAWN, arg=2)
    assert page.evaluate("'v' + Plotly.version") == library_version()
    known = page.evaluate("Object.keys(Plotly.PlotSchema.get().traces)")
    assert {"scatter", "bar", "heatmap", "contour"} <= set(known)
    assert "scatter3d" not in known
