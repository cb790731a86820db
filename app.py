"""momentdp: which differential-privacy noise does the least damage under momentum."""

from __future__ import annotations

import gc
import os

# Before NumPy is loaded: the matrices are small and the sessions many, so that more BLAS threads
# than one only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import streamlit as st

from pages.ui.live_chart import preload

st.set_page_config(page_title="momentdp", page_icon="📉", layout="wide")
# The browser fetches and runs the chart library while Python loads the engine.
preload()

from pages.ui import controls, link, tour  # noqa: E402


@st.cache_resource(show_spinner=False)
def _settle_memory() -> None:
    # What the first run leaves behind stays for good. Taken out of the garbage collector's
    # sight, it no longer costs a full collection, tens of milliseconds, after every later run.
    gc.collect()
    gc.freeze()


# Until st.navigation has run once in a server, Streamlit itself offers every file of pages/ under
# the file's name and would run it without this shell. The default page avoids that with a url_path
# that is no file name. Any other page would be "not found" by such a link on a fresh server, so
# it keeps its file's name and calls `need_shell` first.
page = st.navigation(
    [
        st.Page("pages/explore.py", title="Explore", url_path="momentum", default=True),
        st.Page("pages/map.py", title="Map", url_path="map"),
        st.Page("pages/why.py", title="Why it flips", url_path="why"),
        st.Page("pages/design.py", title="Design", url_path="design"),
        st.Page("pages/optimizers.py", title="Optimizers", url_path=link.COMPARISON),
        st.Page("pages/mechanisms.py", title="Mechanisms", url_path="mechanisms"),
        st.Page("pages/evidence.py", title="Evidence", url_path="evidence"),
        st.Page("pages/registry.py", title="Registry", url_path="registry"),
        st.Page("pages/logistic.py", title="Logistic", url_path="logistic"),
    ]
)
tour.open_link()
link.open_link(page.url_path)
controls.draw()
link.close_link()
page.run()
_settle_memory()
