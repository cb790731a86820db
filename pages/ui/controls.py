"""The sidebar: every control of a study, and the Scenario that they describe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import (
    FAMILIES,
    MECHANISMS,
    OWN_KEY,
    SCHEDULES,
    SPECTRA,
    Curvature,
    InputError,
    Scenario,
    Schedule,
)
from momentdp_core.optimizers import LinearOptimizer
from pages.ui import help_texts, link, optimizer, own, parse, widgets
from pages.ui.presets import PRESETS, Preset
from pages.ui.url_state import HIDDEN, LOOKS, PARAMETERS
from pages.views.sweep import axis_of

# Returns the value of a control by the name of its link parameter.
Reader = Callable[[str], Any]
_NOTE, _PLACE = "_hessian_note", "_swept_place"
_LAST_SCHEDULE, _LAST_CURVATURE = "_last_schedule", "_last_curvature"


# Which link parameter holds which argument of Schedule.
SCHEDULE_NAMES: Final = {
    "warmup_fraction": "warmup",
    "step_factor": "factor",
    "step_stages": "stages",
    "final_fraction": "final",
    "front_end": "front",
    "back_start": "back",
}


def draw() -> None:
    """Draw all controls into the sidebar; call once a run, before the page."""
    with st.sidebar:
        st.session_state[_PLACE] = st.container()
        if not link.compares():  # that page has the parameters of several
            optimizer.draw()
        if widgets.value("predict") != HIDDEN:  # the cases tell who wins
            with st.expander("Start from a case", expanded=True):
                for preset in PRESETS:
                    _preset(preset)
        st.subheader("Training", divider="gray")
        _training()
        st.subheader("Loss surface", divider="gray")
        _surface()
        st.subheader("Noise mechanisms", divider="gray")
        widgets.choice("mech", "Mechanisms shown", MECHANISMS, widget=st.multiselect)
        own.draw_switch()
        widgets.slider("b", "Bands b")
        st.subheader("Privacy", divider="gray")
        widgets.stops("eps", "ε")
        widgets.stops("delta", "δ")
        widgets.stops("parts", "Each example takes part at most k times")
        widgets.stops("apart", "at least s steps apart")


def are_drawn() -> bool:
    """Say whether the sidebar was drawn in this run of the page."""
    return _PLACE in st.session_state


def swept_place() -> DeltaGenerator:
    """Return the place on top of the sidebar that waits for the slider of what is swept."""
    if not are_drawn():
        st.switch_page("app.py")  # a page opened by its file's name, without the shell
    place: DeltaGenerator = st.session_state.pop(_PLACE)
    return place


def axis() -> str:
    """Return the chosen horizontal axis."""
    chosen: str = widgets.value("axis")
    return chosen


def scenario(chosen: LinearOptimizer | None = None, read: Reader = widgets.value) -> Scenario:
    """Return the scenario that the controls describe, or one with a given optimizer.

    Args:
        chosen: the optimizer, if not that of the controls.
        read: returns the value of a control, if not the one on the page.

    Raises:
        InputError: a pasted list that cannot be used, or no mechanism chosen.
    """
    shown = set(read("mech"))
    brought = own.current(read("T"), read)
    if not shown and brought is None:
        raise InputError(
            "number of mechanisms", 0, "at least one", "Choose a mechanism in the sidebar."
        )
    parts = int(read("parts"))
    return Scenario(
        horizon=read("T"),
        curvature=_curvature(read),
        schedule=_schedule(read),
        learning_rate=read("rate"),
        bands=int(read("b")),
        epsilon=float(read("eps")),
        delta=float(read("delta")),
        # In the order of the registry, so that the order of clicks makes no new study.
        mechanisms=tuple(
            key for key in FAMILIES if key in shown or (key == OWN_KEY and brought is not None)
        ),
        optimizer=chosen or optimizer.optimizer(read),
        participations=parts,
        # Nothing lies between the steps of an example that takes part once.
        min_separation=int(read("apart")) if parts > 1 else 1,
        own=brought,
    )


def _curvature(read: Reader = widgets.value) -> Curvature:
    family = read("spectrum")
    if family == "custom":
        values = parse.numbers(read("lam"), "eigenvalues")
        if len(values) > parse.MOST_MODES:
            raise InputError(
                "number of eigenvalues",
                len(values),
                f"at most {parse.MOST_MODES}",
                "Use the engine for a longer list.",
            )
        return Curvature(family=family, values=values)
    return Curvature(family=family, modes=int(read("d")), condition_number=float(read("kappa")))


def _schedule(read: Reader = widgets.value) -> Schedule:
    family = read("schedule")
    if family == "custom":
        return Schedule(family=family, values=parse.numbers(read("chi"), "schedule values"))
    used = SCHEDULES[family].parameters
    # Only what the family uses: two states that mean the same are one study.
    arguments = {name: read(SCHEDULE_NAMES[name]) for name in used if name in SCHEDULE_NAMES}
    return Schedule(family=family, **arguments)


def _training() -> None:
    family = widgets.choice(
        "schedule", "Learning-rate schedule", SCHEDULES, on_change=_fill_schedule
    )
    st.caption(SCHEDULES[family].description)
    for name in SCHEDULES[family].parameters:
        if name in SCHEDULE_NAMES:
            widgets.stops(SCHEDULE_NAMES[name], help_texts.SCHEDULE_LABELS[name])
    if family != "custom":
        st.session_state[_LAST_SCHEDULE] = _schedule()
    else:
        widgets.text("chi", "Multipliers of the peak rate, one a step", "1, 1, 0.5, 0.5")
    widgets.stops("rate", "Peak rate ηλmax")
    widgets.stops("T", "Steps T")


def _surface() -> None:
    family = widgets.choice(
        "spectrum", "Spectrum of the Hessian", SPECTRA, on_change=_fill_spectrum
    )
    st.caption(SPECTRA[family].description)
    if family != "custom":
        if family != "isotropic":
            widgets.stops("kappa", "Condition number κ")
        widgets.slider("d", "Directions d")
        st.session_state[_LAST_CURVATURE] = _curvature()
    else:
        widgets.text("lam", "Eigenvalues", "1, 0.5, 0.1, 0.01")
    with st.expander("Use my own Hessian", expanded=_NOTE in st.session_state):
        st.caption(help_texts.HESSIAN)
        st.file_uploader(
            "Hessian as .csv or .npy",
            type=["csv", "npy"],
            key="_hessian",
            on_change=_from_file,
            max_upload_size=2,  # megabytes: 64 × 64 numbers take far less
        )
        st.text_area("Or paste it, one row a line", key="_pasted", on_change=_from_text)
        if _NOTE in st.session_state:
            good, note = st.session_state[_NOTE]
            (st.success if good else st.error)(note)


def _fill_schedule() -> None:
    """Start the custom list from the schedule that was there, so that the page stays readable."""
    last = st.session_state.get(_LAST_SCHEDULE)
    if st.session_state["schedule"] == "custom" and not widgets.value("chi") and last is not None:
        st.session_state["chi"] = ", ".join(
            f"{x:.6g}" for x in last.multipliers(widgets.value("T"))
        )


def _fill_spectrum() -> None:
    """Start the custom list from the spectrum that was there."""
    last = st.session_state.get(_LAST_CURVATURE)
    if st.session_state["spectrum"] == "custom" and not widgets.value("lam") and last is not None:
        st.session_state["lam"] = ", ".join(f"{x:.6g}" for x in last.eigenvalues)


def _from_file() -> None:
    upload = st.session_state["_hessian"]
    if upload is None:  # the reader removed the file: the eigenvalues stay
        st.session_state.pop(_NOTE, None)
        return
    _adopt(lambda: parse.hessian_file(upload.name, upload.getvalue()))


def _from_text() -> None:
    _adopt(lambda: parse.hessian_text(st.session_state["_pasted"]))


def _adopt(build: Callable[[], Curvature]) -> None:
    """Turn a Hessian into custom eigenvalues: those fit into the link, the matrix does not."""
    try:
        curvature = build()
    except InputError as error:
        st.session_state[_NOTE] = (False, str(error))
        return
    st.session_state["lam"] = ", ".join(f"{value:.10g}" for value in curvature.values)
    st.session_state["spectrum"] = "custom"
    st.session_state[_NOTE] = (
        True,
        f"Using its eigenvalues, {len(curvature.values)} in all, rounded to ten digits.",
    )


def _preset(preset: Preset) -> None:
    st.button(
        f"**{preset.label}** · {preset.sentence}",
        key=f"preset-{preset.key}",
        on_click=put,
        args=(preset.values,),
        width="stretch",
    )


def put(values: Mapping[str, Any]) -> None:
    """Set the whole study: the values given, and the default of everything else."""
    for name, parameter in PARAMETERS.items():
        if name in LOOKS:
            continue
        if name in values or name in st.session_state:
            st.session_state[name] = values.get(name, parameter.default)
    st.session_state.pop(_NOTE, None)


def draw_axis() -> None:
    """Draw the heading of the charts with the switch of their horizontal axis."""
    swept = optimizer.swept()
    symbols = {key: axis_of(swept, key).symbol for key in PARAMETERS["axis"].options}
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.subheader(f"Damage against {swept.name}", width="content")
        if not swept.counts_steps:
            return
        if "axis" not in st.session_state:
            st.session_state["axis"] = PARAMETERS["axis"].default
        st.segmented_control(
            "Horizontal axis",
            tuple(symbols),
            format_func=lambda key: f"axis: {symbols[key]}",
            key="axis",
            required=True,
            help=help_texts.CONTROLS["axis"],
            label_visibility="collapsed",
            persist_state="session",
        )
