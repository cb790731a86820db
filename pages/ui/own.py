"""The mechanism that the reader brings: its form, its switch, and its place in the session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from momentdp_core import (
    FAMILIES,
    MECHANISMS,
    OWN_KEY,
    InputError,
    OwnMechanism,
    SavedDesign,
    own_design,
    own_mechanism,
)
from pages.ui import parse, upload, widgets
from pages.views import words

_BROUGHT, _NOTE = "_own_brought", "_own_note"
_KINDS: Final = {
    "strategy": "C, the strategy (lower triangular)",
    "noising": "C⁻¹, which makes the noise (lower triangular)",
    "gram": "X = CᵀC (symmetric, positive definite)",
    "covariance": "K = C⁻¹C⁻ᵀ (symmetric, positive definite)",
}
_INTRO: Final = (
    "A matrix for the T = {steps} steps set in the sidebar, as `.npy`, `.npz` or `.csv` of at most "
    "{megabytes} MB; or a design file of the page Design or of the command line, which says itself "
    "what is in it; or Toeplitz coefficients c₀, c₁, … of C or of C⁻¹, which fit any number of "
    "steps. It stays in this session and is in no link. It is divided by its sensitivity: that "
    "is the same mechanism with the noise that its privacy takes."
)
_UNIT_HELP: Final = (
    "Divides every column of C by its own length instead of by the longest. Each step then uses "
    "its full share of the privacy, which is another mechanism and often a better one."
)
_MISSING: Final = (
    "own: this link used an uploaded mechanism, which no link can hold. Upload it on the page "
    "Mechanisms."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Brought:
    """What the session holds: the mechanism, and the coefficients that fit any number of steps.

    `name` says which design it is, where a design file was brought.
    """

    mechanism: OwnMechanism
    coefficients: tuple[float, ...] = ()
    name: str = ""

    def at(self, horizon: int) -> OwnMechanism:
        """Return it for a number of steps; a matrix has only its own.

        Raises:
            InputError: coefficients that give no mechanism of this length.
        """
        found = self.mechanism
        if not self.coefficients or found.horizon == horizon:
            return found
        return own_mechanism(
            found.kind,
            self.coefficients,
            horizon=horizon,
            scale_columns=found.scaled_columns,
        )


def takes_part(read: Callable[[str], Any] = widgets.value) -> bool:
    """Say whether this session has a mechanism of its own that is switched on."""
    return _BROUGHT in st.session_state and bool(read("own"))


def families() -> Mapping[str, Any]:
    """Return the mechanisms to choose from: those of the registry, and the reader's own."""
    return FAMILIES if takes_part() else MECHANISMS


def current(horizon: int, read: Callable[[str], Any] = widgets.value) -> OwnMechanism | None:
    """Return the reader's own mechanism for a number of steps, if it takes part.

    Args:
        horizon: T.
        read: returns the value of a control, if not the one on the page.

    Raises:
        InputError: coefficients that give no mechanism of this length, or another state than the
            page's that needs the upload: of the page's own, `problems` says so.
    """
    if read is not widgets.value and read("own") and _BROUGHT not in st.session_state:
        raise InputError(
            "own", "not here", "an uploaded mechanism", "Upload it on the page Mechanisms."
        )
    if not takes_part(read):
        return None
    brought: Brought = st.session_state[_BROUGHT]
    found = brought.at(horizon)
    if found is not brought.mechanism:
        st.session_state[_BROUGHT] = replace(brought, mechanism=found)
    return found


def problems() -> tuple[str, ...]:
    """Return what to say to a link that used a mechanism which this session does not have."""
    missing = bool(widgets.value("own")) and _BROUGHT not in st.session_state
    return (_MISSING,) if missing else ()


def draw_switch() -> None:
    """Draw the switch of the reader's own mechanism, if there is one."""
    if _BROUGHT in st.session_state:
        name = st.session_state[_BROUGHT].name
        widgets.switch("own", f"Own mechanism: {name}" if name else "Own mechanism")


def draw_form() -> None:
    """Draw the place to bring a mechanism to, and what came of the last try."""
    good, note = st.session_state.get(_NOTE, (True, ""))
    if note and good:
        st.success(note)
    with st.expander("Bring your own mechanism", expanded=not good):
        if not good:
            st.error(note)
        steps = widgets.value("T")
        st.markdown(_INTRO.format(steps=steps, megabytes=upload.MEGABYTES))
        with st.form("own-form"):
            st.selectbox(
                "What you have", list(_KINDS), format_func=_KINDS.__getitem__, key="_own_kind"
            )
            st.file_uploader(
                "Matrix as .npy, .npz or .csv",
                type=list(upload.ENDINGS),
                key="_own_file",
                max_upload_size=upload.MEGABYTES,
            )
            st.text_area(
                "Or Toeplitz coefficients, the first one first", key="_own_text", max_chars=20_000
            )
            st.toggle("Make all columns of C equally long", key="_own_unit", help=_UNIT_HELP)
            st.form_submit_button("Use this mechanism", on_click=_adopt)
        if _BROUGHT in st.session_state:
            st.button("Remove my mechanism", key="own-remove", on_click=_forget)


def _adopt() -> None:
    """Take what the form holds into the session, or say why not; what was there stays then."""
    try:
        brought = _read()
    except InputError as error:
        st.session_state[_NOTE] = (False, str(error))
        return
    st.session_state.update({_BROUGHT: brought, "own": True, "about": OWN_KEY})
    st.session_state[_NOTE] = (True, _said(brought))


def _read() -> Brought:
    state = st.session_state
    kind, file, text = state["_own_kind"], state["_own_file"], state["_own_text"] or ""
    unit, steps = bool(state["_own_unit"]), widgets.value("T")
    if file is not None and text.strip():
        raise InputError(
            "form", "a file and coefficients", "one of them", "Remove the file or the coefficients."
        )
    if file is not None:
        saved = upload.design_file(file.name, file.getvalue())
        if saved is not None:
            return _designed(saved, steps, unit)
        matrix = upload.matrix_file(file.name, file.getvalue(), kind)
        found = own_mechanism(kind, matrix, horizon=steps, scale_columns=unit)
        return Brought(mechanism=found)
    if not text.strip():
        raise InputError(
            "form",
            "empty",
            "a file or coefficients",
            f"Choose a file of at most {upload.MEGABYTES} MB, or paste coefficients.",
        )
    if kind not in ("strategy", "noising"):
        raise InputError(
            "form",
            "coefficients of X or K",
            "Toeplitz coefficients of C or C⁻¹",
            "Choose C or C⁻¹ above, or upload the whole matrix.",
        )
    values = parse.numbers(text, "coefficients")
    found = own_mechanism(f"{kind}_series", values, horizon=steps, scale_columns=unit)
    return Brought(mechanism=found, coefficients=values)


def _designed(saved: SavedDesign, steps: int, unit: bool) -> Brought:
    """Return a design, which says itself what it is, whatever was chosen in the form."""
    horizon = saved.mechanism.horizon
    if horizon != steps:
        raise InputError(
            "steps of the design", horizon, f"{steps}, the steps T", f"Set T to {horizon}."
        )
    return Brought(mechanism=own_design(saved, scale_columns=unit), name=words.design(saved))


def _forget() -> None:
    for name in (_BROUGHT, _NOTE):
        st.session_state.pop(name, None)
    st.session_state["own"] = False


def _said(brought: Brought) -> str:
    found = brought.mechanism
    given = words.number(found.given_sensitivity)
    taken = f"The {brought.name} is taken" if brought.name else "Taken"
    what = f"{taken} for {found.horizon} steps. Its sensitivity as given is {given}"
    if found.scaled_columns:
        return f"{what}; now every column of C has length 1, and so has the sensitivity."
    if abs(found.given_sensitivity - 1) < 1e-9:
        return f"{what}, as it should be."
    return (
        f"{what}: C is divided by it, so that the noise grows with it and the privacy is that of "
        "the others."
    )
