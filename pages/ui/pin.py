"""Pin A: a scenario that stays on the page, and in the link, while the controls move on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import FAMILIES, OPTIMIZERS, SCHEDULES, SPECTRA
from pages.figures.style import MARKS
from pages.ui import controls, help_texts, states, url_state, widgets
from pages.ui.states import State
from pages.ui.url_state import LONGEST_STATE, SWEPT_LINKS
from pages.views import words
from pages.views.pinned import Change, PinView
from pages.views.swept import SWEPT

# The controls as the sidebar calls them; those of schedules and optimizers are in help_texts.
LABELS: Final[Mapping[str, str]] = {
    "opt": "Optimizer",
    "schedule": "Learning-rate schedule",
    "chi": "Multipliers of the peak rate, one a step",
    "rate": "Peak rate ηλmax",
    "T": "Steps T",
    "spectrum": "Spectrum of the Hessian",
    "kappa": "Condition number κ",
    "d": "Directions d",
    "lam": "Eigenvalues",
    "mech": "Mechanisms shown",
    "b": "Bands b",
    "eps": "ε",
    "delta": "δ",
    "parts": "Each example takes part at most k times",
    "apart": "at least s steps apart",
    "own": "Own mechanism",
    **{
        controls.SCHEDULE_NAMES[field]: label for field, label in help_texts.SCHEDULE_LABELS.items()
    },
    **help_texts.OPTIMIZER_LABELS,
}
_RECORDS: Final[Mapping[str, Any]] = {
    "opt": OPTIMIZERS, "schedule": SCHEDULES, "spectrum": SPECTRA,
}  # fmt: skip
_SAME: Final = "No control differs."
_LONGEST_SHOWN: Final = 40  # characters of a list


def pinned() -> State | None:
    """Return the pinned state, if there is one."""
    text = widgets.value("pin")
    return states.opened(text) if text else None


def button() -> None:
    """Draw the button that pins the controls as they are, or unpins."""
    if widgets.value("pin"):
        st.button("Unpin A", key="unpin", on_click=_set, args=("",))
        st.button("Go to A", key="pin-go", on_click=_go, help="Sets the controls as A has them.")
        return
    fits = len(states.current().text) <= LONGEST_STATE
    held = "Keeps this scenario, its curves pale in the chart, beside what you do next."
    st.button(
        "Pin as A",
        key="pin-set",
        on_click=_pin,
        disabled=not fits,
        help=held if fits else "The lists of this scenario are too long for a link.",
    )


def _pin() -> None:
    _set(states.current().text)


def _set(text: str) -> None:
    st.session_state["pin"] = text


def _go() -> None:
    found = pinned()
    if found is not None:
        controls.put(found.values)


def summary(view: PinView, place: DeltaGenerator) -> None:
    """Show in one line what changed from A."""
    place.html(
        f'<p class="md-pin" role="status" data-live="pin-summary">{escape(view.summary)}</p>'
    )


def panel(then: State, view: PinView, place: DeltaGenerator) -> None:
    """Show the difference panel: the controls that differ, the facts and the damages."""
    place.html(
        "<h3>What changed from A</h3>"
        f'<p class="md-note" data-live="pin-setting">{escape(view.setting)}</p>'
        '<div class="md-scroll md-pin-tables" tabindex="0" role="region" aria-label="Difference">'
        f"<div>{_table('Control', differences(then, states.current()), same=_SAME)}"
        f"{_table('Outcome', view.facts)}</div>"
        f"<div>{_table('Damage', view.rows, times='now / A')}</div></div>"
    )


def differences(then: State, now: State) -> Sequence[Change]:
    """Return the controls that differ between two states; not a swept value that both have."""
    shared = {SWEPT_LINKS[then.swept.key]} if then.swept == now.swept else set()
    found = []
    for name in states.STUDY:
        before, after = (s[name] if name in s.counted else None for s in (then, now))
        if before != after and name not in shared:
            pair = (_words(name, before), _words(name, after))
            if name == "mech":
                pair = _mechanisms(then[name], now[name])
            label = _label(name, then if before is not None else now)
            found.append(Change(key=name, label=label, pinned=pair[0], now=pair[1]))
    return found


def _label(name: str, state: State) -> str:
    if name == SWEPT_LINKS[state.swept.key]:
        title = SWEPT[state["opt"]].title
        return f"{title[0].upper()}{title[1:]}"
    return LABELS[name]


def _words(name: str, value: Any) -> str:
    if value is None:
        return "–"
    if name in _RECORDS:
        return str(_RECORDS[name][value].label)
    text = url_state.text(name, value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def _mechanisms(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    return _others(before, after), _others(after, before)


def _others(shown: Sequence[str], elsewhere: Sequence[str]) -> str:
    more = [key for key in FAMILIES if key in shown and key not in elsewhere]
    if len(more) > 3:
        return f"{len(more)} more"
    return f"also {words.names(more)}" if more else "–"


def _table(head: str, changes: Sequence[Change], *, times: str = "", same: str = "") -> str:
    if not changes:
        return f"<p>{escape(same)}</p>"
    last = f'<th scope="col">{escape(times)}</th>' if times else ""
    parts = ("pinned", "now", "times") if times else ("pinned", "now")
    lines = "".join(
        f'<tr><th scope="row">{_glyph(change.key)}{escape(change.label)}</th>'
        + "".join(
            f'<td data-live="pin-{escape(change.key)}-{part}">{escape(getattr(change, part))}</td>'
            for part in parts
        )
        + "</tr>"
        for change in changes
    )
    return (
        f'<table class="md-table"><thead><tr><th scope="col">{escape(head)}</th>'
        f'<th scope="col">A</th><th scope="col">now</th>{last}</tr></thead>'
        f"<tbody>{lines}</tbody></table>"
    )


def _glyph(key: str) -> str:
    if key not in MARKS:
        return ""
    mark = MARKS[key]
    return (
        f'<span class="md-swatch" aria-hidden="true" style="color:{mark.color}">{mark.glyph}</span>'
    )
