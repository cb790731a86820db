"""Has a page drawn inside the app's shell, however it was opened."""

from __future__ import annotations

import runpy
from pathlib import Path

import streamlit as st

from pages.ui import controls

_APP = Path(__file__).resolve().parents[2] / "app.py"


def need_shell() -> None:
    """Run the whole app instead of the page alone if nothing has drawn the shell around it.

    Until `st.navigation` has run once in a server, a link to a page whose address is its file's
    name makes Streamlit run that file alone. Call this first in such a page.
    """
    if not controls.are_drawn():
        runpy.run_path(str(_APP))
        st.stop()
