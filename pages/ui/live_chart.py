"""A Plotly chart that keeps its DOM node, zoom and hover while its data change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v1 import declare_component

_HERE = Path(__file__).parent
_MARKER = "chart-marker"
# The cartesian bundle of plotly.js, as published on npm (`make plotly` fetches it): all that
# the charts use. The whole library, which the Python package has, takes the browser 0.6 s longer.
_LIBRARY = _HERE / "vendor" / "plotly-cartesian.min.js"


def _module(*names: str) -> str:
    """Return files as one script module: what the first ones declare, the later ones use."""
    return "".join((_HERE / name).read_text(encoding="utf-8") for name in names)


# The components' data go in a list of one: Streamlit looks for data frames among the entries of a
# dict, and loads pandas and PyArrow for that, which took a third of the first run.
_chart = st.components.v2.component(
    "momentdp_live_chart",
    html='<div class="live-chart"><div class="live-chart-plot" role="figure"></div></div>',
    css=(_HERE / "live_chart.css").read_text(encoding="utf-8"),
    js=_module("load_library.js", "live_chart.js", "chart_table.js", "export_chart.js"),
    isolate_styles=False,  # Plotly puts its style sheet into the document's head
)
_preload = st.components.v2.component(
    "momentdp_preload", js=_module("load_library.js", "preload.js")
)
_marker = st.components.v2.component("momentdp_chart_marker", js=_module("chart_marker.js"))
_values = st.components.v2.component("momentdp_live_values", js=_module("live_values.js"))
_feed = st.components.v2.component("momentdp_chart_feed", js=_module("chart_feed.js"))


def library_version() -> str:
    """Return the version that the chart library's own header names, such as "v4.1.1"."""
    with _LIBRARY.open(encoding="utf-8") as file:
        header = [next(file) for _ in range(2)]
    return header[1].split()[-1]


@st.cache_resource(show_spinner=False)
def _plotly_url() -> str:
    """Have the server hand out the chart library; return its address.

    The component is never mounted: declaring it is the public way to have Streamlit serve a folder
    from its own origin, with no content delivery network.
    """
    served = declare_component("plotly", path=str(_LIBRARY.parent))
    # The version makes a browser that has an older copy fetch the new one.
    return f"component/{served.name}/{_LIBRARY.name}?v={library_version()}"


def preload() -> None:
    """Have the browser fetch the chart library while the page is still computing."""
    _preload(key="chart-preload", height=1, data=[{"plotly": _plotly_url()}])


def feed_charts(charts: Mapping[str, tuple[str, str]], *, key: str = "chart-feed") -> None:
    """Give charts that were drawn without a figure theirs; works from any fragment.

    Args:
        charts: figure, as Plotly JSON text, and alt text of each chart, by the chart's key.
        key: of the feeding itself; one run may feed a chart again under another key.
    """
    fed = {chart: {"figure": figure, "alt": alt} for chart, (figure, alt) in charts.items()}
    _feed(key=key, height=1, data=[{"charts": fed}])


def live_chart(
    figure: str,
    *,
    key: str,
    alt: str,
    height: int,
    filename: str,
    templates: dict[str, Any],
    compact: dict[str, Any],
) -> None:
    """Draw a figure, given as Plotly JSON text, on a node that survives reruns.

    Args:
        figure: Plotly JSON without a template; a shape named "marker" is moved by `move_marker`.
            Empty: the chart waits for `feed_charts`.
        key: Identity of the chart on the page.
        alt: What the chart shows, for a reader who cannot see it.
        height: Height in CSS pixels; reserved before the chart is drawn.
        filename: Name of the downloaded SVG, without its ending.
        templates: Plotly templates under "light" and "dark".
        compact: Layout entries that replace the figure's own on a narrow screen.
    """
    _chart(
        key=f"chart-{key}",
        height=height,
        data=[
            {
                "key": key,
                "figure": figure,
                "alt": alt,
                "height": height,
                "filename": filename,
                "templates": templates,
                "compact": compact,
                "plotly": _plotly_url(),
            }
        ],
    )


def move_marker(
    charts: Sequence[str], *, x: float, text: str, side: str, slider: str | None = None
) -> None:
    """Move the marker line of the named charts without touching their data.

    Args:
        charts: Keys of the charts.
        x: Where, in the unit of the horizontal axis.
        text: Label on top of the line.
        side: On which side of the line the label has room: "left", "right" or "both".
        slider: Key of the slider that takes over where the line was dragged to, with
            `live_values` on the page; this then reruns the fragment it is called in.
    """
    anchor = {"left": "right", "right": "left", "both": "center"}[side]
    _marker(
        key=_MARKER,
        height=1,
        data=[{"charts": list(charts), "x": x, "text": text, "anchor": anchor}],
        on_picked_change=lambda: _take_over(slider),
    )


def _take_over(slider: str | None) -> None:
    picked = st.session_state[_MARKER].get("picked")
    if slider is not None and picked is not None:
        st.session_state[slider] = float(picked)


def live_values(live: str, *, slider: str, charts: Sequence[str]) -> None:
    """Let a slider and the marker of charts be followed while they are dragged.

    Args:
        live: a `live_view` as JSON text.
        slider: key of the slider.
        charts: keys of the charts whose marker can be grabbed.
    """
    _values(
        key="live-values",
        height=1,
        data=[{"live": live, "slider": slider, "charts": list(charts)}],
    )
