"""The controls' widgets, each by the name of its link parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.ui import help_texts
from pages.ui.url_state import PARAMETERS


def value(name: str) -> Any:
    """Return what a control says, its default where it is not drawn."""
    # A control that a fault kept from being drawn has the value None.
    value = st.session_state.get(name)
    return PARAMETERS[name].default if value is None else value


def slider(name: str, label: str, **options: Any) -> None:
    """Draw a slider bound to the link."""
    parameter = PARAMETERS[name]
    kind = int if parameter.step == 1 else float
    st.slider(
        label,
        kind(parameter.low),
        kind(parameter.high),
        value=kind(parameter.default),
        step=kind(parameter.step),
        key=name,
        help=help_texts.CONTROLS[name],
        bind="query-params",
        **options,
    )


def stops(name: str, label: str) -> None:
    """Draw a slider of stops bound to the link."""
    parameter = PARAMETERS[name]
    st.select_slider(
        label,
        parameter.options,
        value=parameter.default,
        key=name,
        help=help_texts.CONTROLS[name],
        bind="query-params",
    )


def text(name: str, label: str, placeholder: str) -> None:
    """Draw a box for a list of numbers."""
    if st.session_state.get(name) is None:
        st.session_state[name] = PARAMETERS[name].default
    st.text_area(
        label,
        key=name,
        placeholder=placeholder,
        help=help_texts.CONTROLS[name],
        persist_state="session",
    )


def choice(
    name: str,
    label: str,
    records: Any,
    widget: Callable[..., Any] = st.selectbox,
    on_change: Callable[[], None] | None = None,
) -> Any:
    """Draw a choice among records that have labels, and return what is chosen."""
    labels = {key: record.label for key, record in records.items()}
    return pick(name, label, labels, widget, on_change)


def pick(
    name: str,
    label: str,
    labels: Mapping[str, str],
    widget: Callable[..., Any] = st.selectbox,
    on_change: Callable[[], None] | None = None,
) -> Any:
    """Draw a choice among keys that have labels, and return what is chosen."""
    chosen = st.session_state.get(name)
    # A single choice can be gone: the reader's own mechanism is not in every session.
    if name not in st.session_state or (isinstance(chosen, str) and chosen not in labels):
        st.session_state[name] = PARAMETERS[name].default
    return widget(
        label,
        tuple(labels),
        format_func=labels.__getitem__,
        key=name,
        on_change=on_change,
        help=help_texts.CONTROLS[name],
        persist_state="session",
    )


def switch(name: str, label: str) -> None:
    """Draw a switch."""
    if name not in st.session_state:
        st.session_state[name] = PARAMETERS[name].default
    st.toggle(label, key=name, help=help_texts.CONTROLS[name], persist_state="session")
