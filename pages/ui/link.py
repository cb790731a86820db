"""Keeps the link in the address bar and the session in step; the rules are in url_state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui import own, url_state
from pages.ui.link_versions import LinkNotes, upgraded
from pages.ui.url_state import (
    LOOKS,
    OFF,
    PARAMETERS,
    SWEPT_LINKS,
    VERSION,
    VERSION_NAME,
    optimizer_links,
)
from pages.views.contenders import PLAIN

# A bound selectbox writes its visible label into the link, which may be reworded; a bound text
# that is set before it is drawn is not written at all. These are not bound: they are read and
# written here. All others use bind="query-params".
UNBOUND: Final = (
    *("schedule", "chi", "spectrum", "lam", "mech"),
    *("opt", "design", "norm", "corr", "fa", "fb"),
    *("axis", "a", "vs", "mode", "step"),
    *("opts", "under", "at", "e0", "noise"),
    *("mx", "my", "by", "fix", "ma", "mb"),
    *("pin", "predict", "edge", "guess", "never", "tour", "talk"),
    *("about", "own"),
    *("dval", "dlo", "dhi", "dk", "dr", "dway", "dform", "aim", "rel", "best"),
    *("claim", "paper", "verdict", "kind"),
    *("lr", "leps", "reps", "solver", "cond", "base"),
)
# A list belongs into the link only while the family that reads it is chosen.
READ_BY: Final = {"chi": ("schedule", "custom"), "lam": ("spectrum", "custom")}
# What belongs to a prediction belongs into the link only while there is one.
_PREDICTION: Final = ("edge", "guess", "never")
# What only some optimizers read belongs into the link only while one of them is chosen.
_OPTIMIZERS: Final = frozenset().union(*map(optimizer_links, PARAMETERS["opt"].options))
# What is not drawn on every page or in every state: Streamlit would forget it meanwhile.
KEPT: Final = ("chi", "lam", "opt", "own", *sorted(_OPTIMIZERS), *sorted(LOOKS))
# The sliders of fractions: a link can put one between two of its steps.
STEPPED: Final = tuple(SWEPT_LINKS.values())

# The address of the page that compares optimizers.
COMPARISON: Final = "optimizers"

_PAGE, _COPIES = "_link_page", "_link_copies"
_OPENED, _PROBLEMS, _FIRST = "_link_opened", "_link_problems", "_link_first"
_HERE, _LEFT = "_link_here", "_link_left"
_SNAPPED, _REFUSED, _WRITTEN = "_link_snap", "_link_refused", "_link_written"
_STEPPING: Final = "_link_stepping"


def open_link(page: str) -> None:
    """Take the state of the study from the link; call before any widget is drawn.

    Args:
        page: which page is about to be drawn.
    """
    moved = st.session_state.get(_PAGE) != page
    st.session_state[_PAGE] = page
    st.session_state.update(st.session_state.pop(_SNAPPED, {}))
    _keep(moved=moved)
    if moved and _HERE in st.session_state:
        copies = st.session_state[_COPIES]
        left = st.session_state.setdefault(_LEFT, {})
        left[st.session_state[_HERE]] = {name: copies.get(name) for name in STEPPED}
    if _OPENED in st.session_state:
        query = {name: st.query_params.get_all(name) for name in st.query_params}
        if _has_stepped() and _is_from_history(query, moved=moved):
            _adopt(query)
        elif moved:
            _refill()
        return
    _respell()
    st.session_state[_OPENED] = True
    opened = {name: st.query_params.get_all(name) for name in st.query_params}
    query, changed = upgraded(opened)
    if query != opened:
        st.query_params.from_dict(query)
    st.session_state[_PROBLEMS] = LinkNotes(changed=changed, ignored=url_state.problems(query))
    refused = st.session_state[_REFUSED] = {}
    for name, texts in query.items():
        if name not in PARAMETERS:
            if name != VERSION_NAME:
                del st.query_params[name]
        elif not PARAMETERS[name].accepts(texts):
            if name not in UNBOUND:
                refused[name] = PARAMETERS[name].default
        elif name in UNBOUND or texts != opened.get(name):
            # A bound widget looks only at the address that was opened.
            st.session_state[name] = url_state.value(name, texts[0])
        elif name in STEPPED:
            on_step = f"{url_state.snap(name, float(texts[0])):g}"
            if float(on_step) != float(texts[0]):
                st.query_params[name] = on_step


def _has_stepped() -> bool:
    """Say whether Back or Forward has caused this run, or one that this run has cut short.

    Another address alone does not tell: a run that comes soon after one that changed the address
    is still sent with the one before.
    """
    # No public name tells it; without this one, the address has to.
    stepped = getattr(get_script_run_ctx(), "is_history_navigation", True)
    st.session_state[_STEPPING] = stepped = stepped or st.session_state.get(_STEPPING, False)
    return stepped


def _respell() -> None:
    """Write each stop as its control does, such as 3.0 for 3, and begin again if one was not.

    A bound widget takes out of the address what it cannot read, and nobody else may write it then.
    """
    wanted = {}
    for name in st.query_params:
        texts = st.query_params.get_all(name)
        stops = name in PARAMETERS and PARAMETERS[name].options and name not in UNBOUND
        if stops and PARAMETERS[name].accepts(texts):
            wanted[name] = url_state.text(name, url_state.value(name, texts[0]))
    changed = {name: text for name, text in wanted.items() if st.query_params[name] != text}
    for name, text in changed.items():
        st.query_params[name] = text
    if changed:
        st.rerun()


def _is_from_history(query: Mapping[str, Sequence[str]], *, moved: bool) -> bool:
    """Say whether Back or Forward has led to another address than the one that was left.

    A click on another page takes our own parameters out of the address; only the history brings
    them back, to an address that was left before, and only it changes those that nobody but
    `close_link` writes.
    """
    written = st.session_state.get(_WRITTEN, {})
    ours = {name: texts[-1] for name, texts in query.items() if name in (VERSION_NAME, *UNBOUND)}
    changed = _address() in st.session_state.get(_LEFT, {}) if moved else ours != written
    return VERSION_NAME in query and changed


def _adopt(query: Mapping[str, Sequence[str]]) -> None:
    """Take the state from an address of the history, defaults where it says nothing."""
    copies = st.session_state.setdefault(_COPIES, {})
    # Streamlit takes the sliders out of the address of a page that Back has just come to.
    left, missing = st.session_state.get(_LEFT, {}).get(_address(), {}), {}
    for name in dict.fromkeys((*UNBOUND, *KEPT)):
        texts = query.get(name, ())
        value = left.get(name)
        if texts and PARAMETERS[name].accepts(texts):
            value = url_state.value(name, texts[0])
        elif value is None:
            value = PARAMETERS[name].default
        elif _is_read(name) and value != PARAMETERS[name].default:
            st.query_params[name] = f"{value:g}"
            missing[name] = value
        st.session_state[name] = value
        if name in KEPT:
            copies[name] = value
    if missing:
        # In this run they are bound to the address that Streamlit has cut.
        st.session_state[_SNAPPED] = missing
        st.rerun()


def _address() -> tuple[str, frozenset[tuple[str, str]]]:
    """Return the page and its address without the sliders of fractions."""
    here = {name: st.query_params[name] for name in st.query_params if name not in STEPPED}
    return st.session_state[_PAGE], frozenset(here.items())


def _keep(*, moved: bool) -> None:
    """Hold on to what another page may not draw, and give it to the widgets of this one.

    Only on the way to another page: what is set here is sent back to the browser, where it would
    undo what the reader has chosen since.
    """
    copies = st.session_state.setdefault(_COPIES, {})
    # A control that a fault kept from being drawn has the value None.
    here = {name: st.session_state.get(name) for name in KEPT}
    copies.update({name: value for name, value in here.items() if value is not None})
    missing = {name: value for name, value in copies.items() if name not in st.session_state}
    st.session_state.update(copies if moved else missing)


def _refill() -> None:
    """Put back into the link what Streamlit took out when the reader went to another page."""
    for name in KEPT:
        value = st.session_state.get(name, PARAMETERS[name].default)
        missing = bool(PARAMETERS[name].step) and name not in st.query_params
        if missing and _is_read(name) and value != PARAMETERS[name].default:
            st.query_params[name] = f"{value:g}"


def _is_read(name: str) -> bool:
    """Say whether the chosen families and the chosen optimizer read a parameter."""
    family, reader = READ_BY.get(name, ("", ""))
    if family:
        return bool(st.session_state.get(family) == reader)
    if name in _PREDICTION:
        return bool(st.session_state.get("predict", OFF) != OFF)
    return name not in _OPTIMIZERS or any(name in optimizer_links(key) for key in _compared())


def _compared() -> tuple[str, ...]:
    """Return the optimizers that this page is about: the chosen one, or all that it compares."""
    if compares():
        shown = st.session_state.get("opts", PARAMETERS["opts"].default)
        return tuple(key for key in shown if key != PLAIN)
    return (st.session_state.get("opt") or PARAMETERS["opt"].default,)


def compares() -> bool:
    """Say whether this page compares several optimizers, each with its own parameters."""
    return bool(st.session_state.get(_PAGE) == COMPARISON)


def close_link() -> None:
    """Write what the widgets themselves do not write; call after the sidebar is drawn."""
    refused = st.session_state.pop(_REFUSED, {})
    if any(st.session_state.get(name, default) != default for name, default in refused.items()):
        # A bound slider of whole numbers has cut a fraction off, such as d=3.5, without a word.
        st.session_state[_SNAPPED] = refused
        st.rerun()
    wanted = {VERSION_NAME: VERSION}
    for name in UNBOUND:
        default = PARAMETERS[name].default
        chosen = st.session_state.get(name)
        if chosen not in (None, default) and _is_read(name):
            wanted[name] = url_state.text(name, chosen)
            if wanted[name] == url_state.text(name, default):  # the same, in another order
                del wanted[name]
    st.session_state[_WRITTEN] = wanted
    for name in (VERSION_NAME, *UNBOUND):
        if name not in wanted and name in st.query_params:
            del st.query_params[name]
        elif name in wanted and st.query_params.get(name) != wanted[name]:
            st.query_params[name] = wanted[name]
    st.session_state[_HERE] = _address()
    st.session_state[_STEPPING] = False


def put_on_step(name: str) -> None:
    """Move a drawn slider onto its nearest step if a link has put it in between."""
    given = st.session_state[name]
    if given != url_state.snap(name, given):
        # A drawn widget cannot be set any more: set it before it is drawn again.
        st.session_state[_SNAPPED] = {name: url_state.snap(name, given)}
        st.rerun()


def link_problems() -> LinkNotes:
    """Return what the opened link got wrong, until the reader changes the state."""
    found = _first_notes()
    return replace(found, ignored=(*found.ignored, *own.problems()))


def _first_notes() -> LinkNotes:
    found: LinkNotes = st.session_state.get(_PROBLEMS, LinkNotes())
    if found == LinkNotes():
        return found
    # The swept value has its own runs, and the looks are only how to look at the state.
    state = tuple(
        str(st.session_state.get(name)) for name in PARAMETERS if name not in {*STEPPED, *LOOKS}
    )
    if st.session_state.setdefault(_FIRST, state) != state:
        st.session_state[_PROBLEMS] = found = LinkNotes()
    return found
