"""Predict, then reveal: hides what lies beyond a swept value until the viewer has guessed."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from momentdp_core import InputError, Study
from pages.ui import controls, help_texts, optimizer, widgets
from pages.ui.studies import study_of
from pages.ui.url_state import HIDDEN, OFF, PARAMETERS, REVEALED, SWEPT_LINKS
from pages.views import predict, words

# Label of a line in the chart, where it stands, and whether it is the answer.
Mark = tuple[str, float, bool]
_STEP = 0.01


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """Where the hidden range begins, and the guess; none for "there is no crossover"."""

    revealed: bool
    edge: float
    guess: float | None


def prediction() -> Prediction | None:
    """Return what is predicted, if anything is."""
    mode = widgets.value("predict")
    if mode == OFF:
        return None
    edge, guess = _edge(), _guess()
    never = bool(widgets.value("never"))
    return Prediction(revealed=mode == REVEALED, edge=edge, guess=None if never else guess)


def marks(study: Study) -> tuple[Mark, ...]:
    """Return the lines that the prediction draws into the damage chart of a whole study."""
    made = prediction()
    if made is None:
        return ()
    found = predict.answer(study, made.edge).value if made.revealed else None
    guess = [] if made.guess is None else [("my guess", made.guess, False)]
    return (*guess, *([] if found is None else [("answer", found, True)]))


def button() -> None:
    """Draw the button that starts a prediction."""
    st.button(
        "Predict, then reveal",
        key="predict-start",
        on_click=start,
        disabled=widgets.value("predict") != OFF,
        help="Hides the rest of the curves, so that you can guess where the winner changes.",
    )


def draw() -> None:
    """Draw the panel with the edge, the guess and its buttons, if there is a prediction."""
    made = prediction()
    if made is None:
        return
    swept = optimizer.swept()
    with st.container(border=True, key="predict-panel"):
        st.markdown(
            f"**Predict, then reveal** · Where, beyond {swept.symbol} = "
            f"{words.setting(made.edge)}, does another mechanism first take the lead?"
        )
        left, middle, right = st.columns(3)
        st.session_state["edge"], st.session_state["guess"] = _edge(), _guess()
        with left:
            _slider(
                "edge", f"Hide beyond {swept.symbol}", swept.low + _STEP, swept.high - 2 * _STEP
            )
        with middle:
            _slider("guess", f"My guess for {swept.symbol}", made.edge + _STEP, swept.high)
        with right:
            widgets.switch("never", "My guess: there is none")
            buttons()
        draw_verdict()


def draw_guess() -> None:
    """Draw the slider of the guess; on the slide of a talk too."""
    swept = optimizer.swept()
    st.session_state["guess"] = _guess()
    _slider("guess", f"My guess for {swept.symbol}", _edge() + _STEP, swept.high)


def buttons() -> None:
    """Draw the buttons of a prediction."""
    made = prediction()
    if made is None:
        return
    with st.container(horizontal=True, key="predict-buttons"):
        if made.revealed:
            st.button("Hide again", key="predict-hide", on_click=_set, args=(HIDDEN,))
        else:
            st.button("Reveal", key="predict-reveal", on_click=_set, args=(REVEALED,))
        st.button("End the prediction", key="predict-end", on_click=_set, args=(OFF,))


def verdict() -> str:
    """Return the answer and how far off the guess is, once it is revealed; else nothing.

    Raises:
        InputError: the controls describe no study.
    """
    made = prediction()
    if made is None or not made.revealed:
        return ""
    found = predict.answer(study_of(controls.scenario()), made.edge)
    return predict.verdict(found, made.guess, optimizer.swept().symbol)


def draw_verdict() -> None:
    """Say the answer and how far off the guess is, once it is revealed."""
    try:
        said = verdict()
    except InputError:  # said in the page's message
        return
    if said:
        st.success(said)


def start() -> None:
    """Hide what lies beyond the edge; the swept value moves to where there is something to see."""
    st.session_state["predict"] = HIDDEN
    st.session_state["tour"] = PARAMETERS["tour"].default
    name = SWEPT_LINKS[optimizer.swept().key]
    st.session_state[name] = min(widgets.value(name), _edge())


def _set(mode: str) -> None:
    st.session_state["predict"] = mode


def _edge() -> float:
    swept = optimizer.swept()
    return _within(widgets.value("edge"), swept.low + _STEP, swept.high - 2 * _STEP)


def _guess() -> float:
    return _within(widgets.value("guess"), _edge() + _STEP, optimizer.swept().high)


def _within(value: float, low: float, high: float) -> float:
    return round(min(max(value, low), high), 2)


def _slider(name: str, label: str, low: float, high: float) -> None:
    st.slider(
        label,
        round(low, 2),
        round(high, 2),
        step=_STEP,
        key=name,
        format="%.2f",
        help=help_texts.CONTROLS[name],
        persist_state="session",
    )
