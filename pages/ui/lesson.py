"""The lesson of "Why it flips": five steps that set the controls and say what to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from pages.ui import controls
from pages.ui.url_state import PARAMETERS


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step: what it shows, where to look, and the parameters that differ from default."""

    title: str
    text: str
    look: str
    values: Mapping[str, Any]


_CASE: Final = {"kappa": 10, "rate": 0.1, "schedule": "constant"}
_FRESH: Final = {**_CASE, "a": "iid", "vs": "dense"}
_RIVALS: Final = {**_CASE, "a": "noisecurve", "vs": "dense"}
STEPS: Final = (
    Step(
        title="Noise goes through a filter",
        text="Private training adds noise to every step, and the optimizer is a filter for it: "
        "each later step shrinks what is left of it, quickly where the loss is steep and slowly "
        "where it is flat.",
        look="the impulse response g(t): late noise counts in every direction, early noise only "
        "in the flat ones.",
        values={**_FRESH, "mu": 0.0},
    ),
    Step(
        title="Correlated noise moves power to high frequencies",
        text="Independent noise (a) is equally strong at every frequency. Correlated noise (b) "
        "takes back in one step part of what earlier steps added: slow swings become weaker, "
        "fast ones stronger.",
        look="the noise power of a and b, and the running sums of the sample: b stays near zero.",
        values={**_FRESH, "mu": 0.0},
    ),
    Step(
        title="Momentum is a low-pass filter",
        text="Momentum 0.9 averages over about 1/(1−μ) = 10 steps. Beside plain SGD it amplifies "
        "slow noise, 60 times in power near 0.05 cycles per step, and weakens the fastest noise "
        "to less than a third.",
        look="the optimizer's response², while you slide μ from 0.90 down to 0 and back.",
        values={**_FRESH, "mu": 0.9},
    ),
    Step(
        title="Where they meet",
        text="Damage arises where noise and filter are strong together. Here NoiseCurve (a) and "
        "Dense MF (b) do almost the same damage, but at different frequencies. NoiseCurve's power "
        "has peaks at multiples of 1/16: it correlates b = 16 steps.",
        look="the damage by frequency: the two shaded areas, where a and where b is ahead, are "
        "almost equal.",
        values={**_RIVALS, "mu": 0.15},
    ),
    Step(
        title="The flip",
        text="NoiseCurve wins at μ = 0. Momentum 0.9 amplifies its first peak, at 1/16 cycles per "
        "step, more than 20 times in power, and now it does ten times the damage of Dense MF.",
        look="the sentence, the shading by frequency and the bars of the modes, while you slide "
        "μ from 0 to 0.90.",
        values={**_RIVALS, "mu": 0.9},
    ),
)


def draw() -> None:
    """Draw the lesson: its current step, or the button that starts it."""
    at = int(st.session_state.get("step", PARAMETERS["step"].default))
    if not at:
        st.button("Show me in five steps", key="lesson-start", on_click=_go, args=(1,))
        return
    step = STEPS[at - 1]
    with st.container(border=True, key="lesson"):
        st.markdown(f"**{at} of {len(STEPS)} · {step.title}**")
        st.markdown(f"{step.text}  \n**Look at** {step.look}")
        with st.container(horizontal=True):
            st.button("Back", key="lesson-back", disabled=at == 1, on_click=_go, args=(at - 1,))
            if at < len(STEPS):
                st.button("Next", key="lesson-next", on_click=_go, args=(at + 1,))
            st.button("Set this step's controls", key="lesson-set", on_click=_go, args=(at,))
            st.button("Leave", key="lesson-leave", on_click=_leave)


def _go(at: int) -> None:
    st.session_state["step"] = str(at)
    controls.put(STEPS[at - 1].values)
    for name in ("a", "vs", "mode"):
        st.session_state[name] = STEPS[at - 1].values.get(name, PARAMETERS[name].default)


def _leave() -> None:
    """End the lesson; the controls stay as they are."""
    st.session_state["step"] = "0"
