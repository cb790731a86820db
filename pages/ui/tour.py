"""A tour of the paper's story on Explore: eight steps that set the controls and point at a part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import streamlit as st

from pages.ui import controls, states, url_state, widgets
from pages.ui.url_state import OFF, PARAMETERS

_BEFORE, _OPENED = "_tour_before", "_tour_opened"
_point = st.components.v2.component(
    "momentdp_tour", js=Path(__file__).with_name("tour.js").read_text(encoding="utf-8")
)


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step: a title, one sentence, the part of the page it is about, and its controls.

    `part` is a CSS selector; `values` are the parameters that differ from default.
    """

    title: str
    text: str
    part: str
    values: Mapping[str, Any]


_CHART, _RANKS = ".st-key-chart-damage", ".st-key-chart-ranks"
_WINNER, _RANK = '[data-readout="winner"]', '[data-readout="rank"]'
_TABLE = ".st-key-table"
_FLIP: Final = {"kappa": 10, "mu": 0.9}
STEPS: Final = (
    Step(
        title="Equal privacy, unequal damage",
        text="Each mechanism gives the same privacy, but with plain SGD (momentum 0) "
        "NoiseCurve, which was designed for this case, does the least damage.",
        part=_WINNER,
        values={"kappa": 10, "mu": 0.0},
    ),
    Step(
        title="Momentum flips the winner",
        text="Nothing changes but the momentum, from 0 to 0.9, and now Dense MF does the least "
        "damage.",
        part=_WINNER,
        values=_FLIP,
    ),
    Step(
        title="From first to last",
        text="NoiseCurve, the best without momentum, is the last of 11 here and does more than 11 "
        "times the least damage.",
        part=_RANK,
        values=_FLIP,
    ),
    Step(
        title="It flips early",
        text="NoiseCurve loses the lead already at μ = 0.12, where its curve crosses that of a "
        "banded mechanism, and Dense MF leads from 0.38 to 0.97.",
        part=_CHART,
        values={"kappa": 10, "mu": 0.12},
    ),
    Step(
        title="A score without momentum cannot see it",
        text="NoiseCurve's own criterion puts NoiseCurve first at every momentum, because it is "
        "the damage at momentum 0; at 0.9 that choice is the worst of all.",
        part=_TABLE,
        values=_FLIP,
    ),
    Step(
        title="Small steps do not help",
        text="At an eighth of the learning rate NoiseCurve still falls from the first place to the "
        "last between momentum 0 and 0.9.",
        part=_RANKS,
        values={**_FLIP, "rate": 0.1},
    ),
    Step(
        title="The schedule moves it again",
        text="On a harder loss (κ = 100, momentum 0.9) Dense MF wins at a constant rate, but a "
        "cosine schedule hands the lead to a Toeplitz mechanism.",
        part=_WINNER,
        values={"kappa": 100, "mu": 0.9, "schedule": "cosine"},
    ),
    Step(
        title="So ask the optimizer that you use",
        text="With an exponential average (EMA, β = 0.9) in place of heavy ball, NoiseCurve leads "
        "again: damage must be computed for the optimizer, the schedule and the loss together.",
        part=_CHART,
        values={"kappa": 10, "opt": "ema", "beta": 0.9},
    ),
)


def open_link() -> None:
    """Let a link that names a step and nothing of the study open the step's own case.

    Call before the link is read.
    """
    given = st.query_params.get_all("tour")
    first = not st.session_state.get(_OPENED)
    st.session_state[_OPENED] = True
    if not first or not given or not PARAMETERS["tour"].accepts(given):
        return
    number = int(url_state.value("tour", given[0]))
    if number and not set(st.query_params) & set(states.STUDY):
        for name, value in STEPS[number - 1].values.items():
            if value != PARAMETERS[name].default:
                st.query_params[name] = url_state.text(name, value)
                st.session_state[name] = value


def at() -> int:
    """Return the step of the tour, from 1; 0 if there is none."""
    return int(widgets.value("tour"))


def button() -> None:
    """Draw the button that starts the tour."""
    st.button(
        f"Tour in {len(STEPS)} steps",
        key="tour-start",
        on_click=_go,
        args=(1,),
        disabled=at() > 0,
        help="The story of the paper. Your controls come back at the end if you wish.",
    )


def draw() -> None:
    """Draw the current step of the tour, if there is one, and outline what it is about."""
    number = at()
    if not number:
        return
    step = STEPS[number - 1]
    st.html(f"<style>{step.part} {{ outline: 3px solid #d6247f; outline-offset: 3px; }}</style>")
    with st.container(border=True, key="tour"):
        st.markdown(f"**{number} of {len(STEPS)} · {step.title}** · {step.text}")
        with st.container(horizontal=True):
            st.button(
                "Back", key="tour-back", disabled=number == 1, on_click=_go, args=(number - 1,)
            )
            if number < len(STEPS):
                st.button("Next", key="tour-next", on_click=_go, args=(number + 1,))
            st.button("Set this step's controls", key="tour-set", on_click=_go, args=(number,))
            st.button("Leave here", key="tour-leave", on_click=_leave)
            st.button("Leave and go back", key="tour-return", on_click=_return)
    _point(key="tour-point", height=1, data=[{"part": step.part, "step": number}])


def _go(number: int) -> None:
    if not at():
        st.session_state[_BEFORE] = states.current().text
    st.session_state["tour"] = str(number)
    st.session_state["predict"] = OFF  # what is hidden cannot be told
    controls.put(STEPS[number - 1].values)


def _leave() -> None:
    """End the tour; the controls stay as they are."""
    st.session_state["tour"] = PARAMETERS["tour"].default


def _return() -> None:
    """End the tour; the controls are again as they were before it."""
    _leave()
    controls.put(states.opened(st.session_state.pop(_BEFORE, "")).values)
