"""The sidebar: every control of a study, and the Scenario that they describe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from momentdp_core import (
    MECHANISMS,
    SCHEDULES,
    SPECTRA,
    Curvature,
    InputError,
    Scenario,
    Schedule,
)
from pages.ui import help_texts, link, parse
from pages.ui.presets import PRESETS, Preset
from pages.ui.url_state import LOOKS, PARAMETERS, snap

_NOTE, _PLACE = "_hessian_note", "_momentum_place"
_LAST_SCHEDULE, _LAST_CURVATURE = "_last_schedule", "_last_curvature"


# Which link parameter holds which argument of Schedule.
_SCHEDULE_NAMES: Final = {
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
        with st.expander("Start from a case", expanded=True):
            for preset in PRESETS:
                _preset(preset)
        st.subheader("Training", divider="gray")
        _training()
        st.subheader("Loss surface", divider="gray")
        _surface()
        st.subheader("Noise mechanisms", divider="gray")
        _choice("mech", "Mechanisms shown", MECHANISMS, widget=st.multiselect)
        _slider("b", "Bands b")
        st.subheader("Privacy", divider="gray")
        _stops("eps", "ε")
        _stops("delta", "δ")


def are_drawn() -> bool:
    """Say whether the sidebar was drawn in this run of the page."""
    return _PLACE in st.session_state


def momentum_place() -> DeltaGenerator:
    """Return the place on top of the sidebar that waits for the momentum's slider."""
    if not are_drawn():
        st.switch_page("app.py")  # a page opened by its file's name, without the shell
    place: DeltaGenerator = st.session_state.pop(_PLACE)
    return place


def draw_momentum() -> float:
    """Draw the momentum's slider where the caller is, and return the momentum."""
    _slider("mu", "Momentum μ", format="%.2f")
    link.put_on_step()
    return snap("mu", _value("mu"))


def axis() -> str:
    """Return the chosen horizontal axis."""
    chosen: str = _value("axis")
    return chosen


def scenario() -> Scenario:
    """Return the scenario that the controls describe.

    Raises:
        InputError: a pasted list that cannot be used, or no mechanism chosen.
    """
    chosen = set(_value("mech"))
    if not chosen:
        raise InputError("mechanisms", "none", "at least one", "Choose a mechanism in the sidebar.")
    return Scenario(
        horizon=_value("T"),
        curvature=_curvature(),
        schedule=_schedule(),
        learning_rate=_value("rate"),
        bands=int(_value("b")),
        epsilon=float(_value("eps")),
        delta=float(_value("delta")),
        # In the order of the registry, so that the order of clicks makes no new study.
        mechanisms=tuple(key for key in MECHANISMS if key in chosen),
    )


def _curvature() -> Curvature:
    family = _value("spectrum")
    if family == "custom":
        values = parse.numbers(_value("lam"), "eigenvalues")
        if len(values) > parse.MOST_MODES:
            raise InputError(
                "number of eigenvalues",
                len(values),
                f"at most {parse.MOST_MODES}",
                "Use the engine for a longer list.",
            )
        return Curvature(family=family, values=values)
    return Curvature(family=family, modes=int(_value("d")), condition_number=float(_value("kappa")))


def _schedule() -> Schedule:
    family = _value("schedule")
    if family == "custom":
        return Schedule(family=family, values=parse.numbers(_value("chi"), "schedule values"))
    used = SCHEDULES[family].parameters
    # Only what the family uses: two states that mean the same are one study.
    arguments = {name: _value(_SCHEDULE_NAMES[name]) for name in used if name in _SCHEDULE_NAMES}
    return Schedule(family=family, **arguments)


def _training() -> None:
    family = _choice("schedule", "Learning-rate schedule", SCHEDULES, on_change=_fill_schedule)
    st.caption(SCHEDULES[family].description)
    for name in SCHEDULES[family].parameters:
        if name in _SCHEDULE_NAMES:
            _stops(_SCHEDULE_NAMES[name], help_texts.SCHEDULE_LABELS[name])
    if family != "custom":
        st.session_state[_LAST_SCHEDULE] = _schedule()
    else:
        _text("chi", "Multipliers of the peak rate, one a step", "1, 1, 0.5, 0.5")
    _stops("rate", "Peak rate ηλmax")
    _stops("T", "Steps T")


def _surface() -> None:
    family = _choice("spectrum", "Spectrum of the Hessian", SPECTRA, on_change=_fill_spectrum)
    st.caption(SPECTRA[family].description)
    if family != "custom":
        if family != "isotropic":
            _stops("kappa", "Condition number κ")
        _slider("d", "Directions d")
        st.session_state[_LAST_CURVATURE] = _curvature()
    else:
        _text("lam", "Eigenvalues", "1, 0.5, 0.1, 0.01")
    with st.expander("Use my own Hessian", expanded=_NOTE in st.session_state):
        st.caption(help_texts.HESSIAN)
        st.file_uploader(
            "Hessian as .csv or .npy", type=["csv", "npy"], key="_hessian", on_change=_from_file
        )
        st.text_area("Or paste it, one row a line", key="_pasted", on_change=_from_text)
        if _NOTE in st.session_state:
            good, note = st.session_state[_NOTE]
            (st.success if good else st.error)(note)


def _fill_schedule() -> None:
    """Start the custom list from the schedule that was there, so that the page stays readable."""
    last = st.session_state.get(_LAST_SCHEDULE)
    if st.session_state["schedule"] == "custom" and not _value("chi") and last is not None:
        st.session_state["chi"] = ", ".join(f"{x:.6g}" for x in last.multipliers(_value("T")))


def _fill_spectrum() -> None:
    """Start the custom list from the spectrum that was there."""
    last = st.session_state.get(_LAST_CURVATURE)
    if st.session_state["spectrum"] == "custom" and not _value("lam") and last is not None:
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


def _value(name: str) -> Any:
    # A control that a fault kept from being drawn has the value None.
    value = st.session_state.get(name)
    return PARAMETERS[name].default if value is None else value


def _slider(name: str, label: str, **options: Any) -> None:
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


def _stops(name: str, label: str) -> None:
    parameter = PARAMETERS[name]
    st.select_slider(
        label,
        parameter.options,
        value=parameter.default,
        key=name,
        help=help_texts.CONTROLS[name],
        bind="query-params",
    )


def _text(name: str, label: str, placeholder: str) -> None:
    st.text_area(label, key=name, placeholder=placeholder, help=help_texts.CONTROLS[name])


def _choice(
    name: str,
    label: str,
    records: Any,
    widget: Callable[..., Any] = st.selectbox,
    on_change: Callable[[], None] | None = None,
) -> Any:
    if name not in st.session_state:
        st.session_state[name] = PARAMETERS[name].default
    return widget(
        label,
        tuple(records),
        format_func=lambda key: records[key].label,
        key=name,
        on_change=on_change,
        help=help_texts.CONTROLS[name],
    )


def draw_axis() -> None:
    """Draw the heading of the charts with the switch of their horizontal axis."""
    if "axis" not in st.session_state:
        st.session_state["axis"] = PARAMETERS["axis"].default
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.subheader("Damage against momentum", width="content")
        st.segmented_control(
            "Horizontal axis",
            PARAMETERS["axis"].options,
            format_func={"momentum": "axis: μ", "steps": "axis: 1/(1−μ)"}.__getitem__,
            key="axis",
            required=True,
            help=help_texts.CONTROLS["axis"],
            label_visibility="collapsed",
        )
