"""Taking a design to training: its file, the command that makes it, and two ready-to-run loops."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import streamlit as st

from momentdp_core import save_design
from pages.ui import take_away, texts, widgets
from pages.ui.background import Job
from pages.ui.studies import study_of
from pages.views.design import Contest
from pages.views.design_export import design_columns, design_result, design_setting

_EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"
_SNIPPETS: Final = (
    ("Plain PyTorch, or Opacus", "train_pytorch.py"),
    ("jax_privacy", "train_jax_privacy.py"),
)


def draw(found: Contest) -> None:
    """Offer the design's file and the code that trains with it."""
    with st.expander("Take it to training: file and code", icon=":material/download:"):
        st.markdown(texts.DESIGN_TAKE)
        st.download_button(
            "Download the design (.npz)",
            data=lambda: design_bytes(found),
            file_name="design.npz",
            mime="application/octet-stream",
            on_click="ignore",
            key="design-file",
        )
        tabs = st.tabs([label for label, _ in _SNIPPETS])
        for tab, (_, name) in zip(tabs, _SNIPPETS, strict=True):
            tab.code((_EXAMPLES / name).read_text(encoding="utf-8"), language="python")


def draw_panel(found: Contest, prices: Job) -> None:
    """Draw the panel with the page's figures, numbers and code."""
    study, seed = study_of(found.scenario), int(widgets.value("seed"))
    take_away.draw(
        "design",
        found.scenario,
        lambda: design_columns(found, study, seed, prices.result),
        lambda: design_result(found),
        design_setting(found),
    )


def design_bytes(found: Contest) -> bytes:
    """Return the file of the design."""
    file = io.BytesIO()
    save_design(found.design, file)
    return file.getvalue()
