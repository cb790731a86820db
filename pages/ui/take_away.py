"""Take it away: figures, data and the setting of a page, as files and as text."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st

from momentdp_core import Scenario, __version__
from momentdp_core.report import as_json
from pages.ui import pdf, texts
from pages.ui.url_state import PARAMETERS, SWEPT_LINKS, VERSION
from pages.views import recipe
from pages.views.export import Columns, as_csv

# Width on paper in mm, and either the shape of the page (width / height) or the width in which the
# chart is drawn. A chart keeps its own height in pixels: the drawing is scaled as a whole.
SIZES: Final[Mapping[str, Mapping[str, Any]]] = {
    "slide": {"label": "Slide 16:9", "mm": 338.67, "aspect": 16 / 9, "pixels": 3840},
    "column": {"label": "Column width, 89 mm", "mm": 89, "width": 470, "pixels": 2102},
    "poster": {"label": "Poster, 594 mm wide", "mm": 594, "aspect": 4 / 3, "pixels": 4680},
}
_KEY, _ANSWER = "take-away", "_take_away_answer"
_HERE = Path(__file__).parent
_panel = st.components.v2.component(
    "momentdp_take_away",
    html=(_HERE / "take_away.html").read_text(encoding="utf-8"),
    css=(_HERE / "take_away.css").read_text(encoding="utf-8"),
    js=(_HERE / "take_away.js").read_text(encoding="utf-8"),
)


def draw(
    page: str,
    scenario: Scenario,
    columns: Callable[[], Columns],
    result: Callable[[], Mapping[str, Any]] | None = None,
    setting: recipe.Setting | None = None,
) -> None:
    """Draw the panel of a page; it finds the page's charts by itself.

    Args:
        page: its name in the names of the files.
        scenario: what the page is about, for the texts to copy and the caption.
        columns: gives the numbers that the charts show, when they are asked for.
        result: gives what JSON holds, where the page has more than a table.
        setting: the texts, where the page is about something else than the scenario's study.
    """
    with st.expander("Take it away: figures, data, link and code", icon=":material/download:"):
        _figures(scenario, setting or recipe.setting(scenario))
        st.markdown("**Data**")
        name = f"momentdp-{page}"
        with st.container(horizontal=True):
            _download("CSV", f"{name}.csv", "text/csv", lambda: as_csv(columns()))
            parquet = "application/vnd.apache.parquet"
            _download(
                "Parquet", f"{name}.parquet", parquet, lambda: as_parquet(columns(), scenario)
            )
            if result is not None:
                told = result
                kind = "application/json"
                _download("JSON", f"{name}.json", kind, lambda: as_json(told()))
        st.caption(texts.TAKE_AWAY.format(json=texts.TAKE_AWAY_JSON if result else ""))


def as_parquet(columns: Columns, scenario: Scenario) -> bytes:
    """Return columns as a Parquet file that holds the scenario too."""
    import pandas as pd  # only for those who ask for a file: it takes a third of a second to load

    frame = pd.DataFrame({name: _column(values) for name, values in columns.items()})
    frame.attrs["scenario"] = json.dumps(scenario.to_dict())
    out = io.BytesIO()
    frame.to_parquet(out, index=False)
    return out.getvalue()


def _column(values: Sequence[object]) -> object:
    """Return whole numbers as such where some are missing; Pandas would make fractions of them."""
    import pandas as pd

    whole = all(value is None or type(value) is int for value in values)
    return pd.array(list(values), dtype="Int64") if whole and None in values else values  # type: ignore[call-overload]


def _download(kind: str, name: str, mime: str, data: Callable[[], str | bytes]) -> None:
    st.download_button(
        f"Download the data as {kind}", data=data, file_name=name, mime=mime, on_click="ignore"
    )


@st.fragment  # a PDF reruns only this
def _figures(scenario: Scenario, setting: recipe.Setting) -> None:
    swept = SWEPT_LINKS[scenario.optimizer.parameter]
    _panel(
        key=_KEY,
        data=[
            {
                "sizes": SIZES,
                "caption": {
                    "text": setting.caption,
                    "name": swept,
                    "value": PARAMETERS[swept].default,
                },
                "python": setting.python,
                "command": setting.command,
                "software": f"momentdp {__version__}, links of version {VERSION}",
                "noPdf": "" if pdf.find_browser() else pdf.NO_BROWSER,
                "answer": st.session_state.pop(_ANSWER, None),
            }
        ],
        on_pdf_change=_print,
    )


def _print() -> None:
    """Print the chart that the browser sent, for the next run of the panel to hand back."""
    asked = st.session_state[_KEY].pdf
    about = {key: str(text)[:20_000] for key, text in asked["about"].items()}
    try:
        made = pdf.print_svg(
            asked["svg"], width=asked["width"], height=asked["height"], about=about
        )
    except pdf.NoPdfError as error:
        answer = {"error": str(error)}
    else:
        answer = {"pdf": base64.b64encode(made).decode()}
    st.session_state[_ANSWER] = {"id": asked["id"], **answer}
