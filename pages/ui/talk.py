"""Talk mode: the damage chart as a 16:9 slide in large type, and nothing else but its controls."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from pages.figures.style import TEMPLATES
from pages.ui import widgets
from pages.ui.url_state import OFF

# The slide is laid out at this size and enlarged by the browser, the type with it: 13 pixels of
# 720 are 17 points on a slide 13.3 inches wide.
WIDTH, HEIGHT = 720, 405
_CSS: Final = Path(__file__).with_name("talk.css").read_text(encoding="utf-8")
_keys = st.components.v2.component(
    "momentdp_talk", js=Path(__file__).with_name("talk.js").read_text(encoding="utf-8")
)


def theme() -> str:
    """Return the colours of talk mode, light or dark; nothing where it is off."""
    chosen: str = widgets.value("talk")
    return "" if chosen == OFF else chosen


def button() -> None:
    """Draw the buttons that start talk mode."""
    for name in ("light", "dark"):
        st.button(
            f"Talk, {name}",
            key=f"talk-{name}",
            on_click=_set,
            args=(name,),
            help="The chart as a slide, for a beamer. Escape ends it.",
        )


def leave() -> None:
    """Draw the buttons of talk mode: the other colours, and the end."""
    other = "light" if theme() == "dark" else "dark"
    st.button(other.capitalize(), key="talk-other", on_click=_set, args=(other,))
    st.button("Leave", key="talk-leave", on_click=_set, args=(OFF,), help="Or press Escape.")


def style() -> None:
    """Add the style sheet of talk mode in its colours, its keys and its size."""
    layout = TEMPLATES[theme()]["layout"]
    colors = (
        f":root {{ --talk-back: {layout['paper_bgcolor']}; --talk-text: {layout['font']['color']};"
        f" --talk-width: {WIDTH}px; --talk-height: {HEIGHT}px; }}"
    )
    st.html(f"<style>{colors}\n{_CSS}</style>")
    _keys(key="talk-keys", height=1, data=[{"width": WIDTH, "height": HEIGHT}])


def _set(colors: str) -> None:
    st.session_state["talk"] = colors
