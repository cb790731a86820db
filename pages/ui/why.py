"""What "Why it flips" draws: the choice of the pair, and six charts that follow the swept value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from momentdp_core import InputError, Study
from pages.figures import parts, why_frequency, why_modes, why_parts, why_time
from pages.figures.style import TEMPLATES
from pages.ui import controls, help_texts, optimizer, own, texts
from pages.ui.live_chart import feed_charts, live_chart
from pages.ui.studies import study_of
from pages.ui.url_state import ALL_MODES, BEST, PARAMETERS
from pages.views import why, why_charts
from pages.views.export import Columns
from pages.views.recipe import Setting
from pages.views.why_export import pair_columns
from pages.views.why_recipe import why_setting

_MODES_COMPACT: Final = {
    **why_parts.COMPACT,
    "margin": {**why_parts.COMPACT["margin"], "l": 158, "b": why_modes.BOTTOM},
}  # fmt: skip
_FIGURES: Final = {
    "why-response": why_time.response_figure,
    "why-covariance": why_time.covariance_figure,
    "why-sample": why_time.sample_figure,
    "why-spectrum": why_frequency.spectrum_figure,
    "why-damage": why_frequency.damage_figure,
    "why-modes": why_modes.modes_figure,
}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What the reader chose to look at; `second` is missing for the best other mechanism."""

    first: str
    second: str | None
    mode: int | None
    seed: int


def choose() -> Choice:
    """Draw the pickers of this page and return what they say."""
    names = {key: mechanism.label for key, mechanism in own.families().items()}
    first, second, mode, seed = st.columns(4)
    with first:
        a = _pick("a", "Mechanism a", names)
    with second:
        b = _pick(
            "vs",
            "Mechanism b",
            {BEST: f"the best other one at {optimizer.swept().symbol}", **names},
        )
    with mode:
        shown = _pick("mode", "Mode in g(t)", _modes())
    with seed:
        start = st.number_input(
            "Seed of the sample",
            int(PARAMETERS["seed"].low),
            int(PARAMETERS["seed"].high),
            value=PARAMETERS["seed"].default,
            key="seed",
            help=help_texts.CONTROLS["seed"],
            bind="query-params",
        )
    return Choice(
        first=a,
        second=None if b == BEST else b,
        mode=None if shown == ALL_MODES else int(shown) - 1,
        seed=int(start),
    )


def study(choice: Choice) -> Study:
    """Return the study of the controls, with the chosen pair in it.

    Raises:
        InputError: a control cannot be used, or there are no two mechanisms.
    """
    return study_of(why.scenario_of(controls.scenario(), choice.first, choice.second))


def pair_at(choice: Choice, value: float) -> why.Pair:
    """Return the chosen pair at a swept value; raises what `study` raises."""
    return why.pair_at(study(choice), value, choice.first, choice.second)


def feed(pair: why.Pair, choice: Choice) -> None:
    """Redraw all charts for a pair; works from the swept value's own runs."""
    view = why_charts.charts_view(pair, choice.mode, choice.seed)
    alts = _alts(view)
    feed_charts({key: (parts.to_json(draw(view)), alts[key]) for key, draw in _FIGURES.items()})
    _shown()["pair"] = pair


def columns(choice: Choice) -> Callable[[], Columns]:
    """Return what gives the numbers that the charts show when it is called."""
    shown = _shown()  # a download is made outside of the session
    return lambda: pair_columns(shown["pair"], choice.mode, choice.seed)


def setting(choice: Choice) -> Setting:
    """Return the texts of the chosen pair to take away; raises what `study` raises."""
    return why_setting(study(choice).scenario, choice.first, choice.second, choice.seed)


def _shown() -> dict[str, why.Pair]:
    shown: dict[str, why.Pair] = st.session_state.setdefault("_why_shown", {})
    return shown


def draw_charts(choice: Choice) -> None:
    """Draw the places of the charts, with what stands around them."""
    st.subheader("Time")
    left, right = st.columns(2)
    with left:
        st.markdown(texts.WHY_RESPONSE)
        _chart("why-response", why_time.HEIGHT)
    with right:
        st.markdown(texts.WHY_COVARIANCE)
        _chart("why-covariance", why_time.HEIGHT)
    st.markdown(texts.WHY_SAMPLE.format(seed=choice.seed))
    _chart("why-sample", why_time.SAMPLE_HEIGHT)
    st.subheader("Frequency")
    left, right = st.columns(2)
    with left:
        st.markdown(texts.WHY_SPECTRUM)
        _chart("why-spectrum", why_frequency.HEIGHT)
    with right:
        st.markdown(texts.WHY_DAMAGE)
        _chart("why-damage", why_frequency.HEIGHT)
    st.caption(texts.WHY_EXACT)
    st.caption(texts.WHY_ZERO)
    st.subheader("Modes")
    st.markdown(texts.WHY_MODES)
    _chart("why-modes", why_modes.HEIGHT, _MODES_COMPACT)


def _modes() -> Mapping[str, str]:
    try:
        lam = controls.scenario().eigenvalues
    except InputError:  # said in the page's message
        return {ALL_MODES: "all, shaded by λ"}
    each = {str(i + 1): why.mode_name(lam, i) for i in range(len(lam))}
    return {ALL_MODES: "all, shaded by λ", **each}


def _pick(name: str, label: str, options: Mapping[str, str]) -> str:
    if st.session_state.get(name) not in options:
        st.session_state[name] = PARAMETERS[name].default
    chosen: str = st.selectbox(
        label,
        tuple(options),
        format_func=options.__getitem__,
        key=name,
        help=help_texts.CONTROLS[name],
        persist_state="session",
    )
    return chosen


def _alts(view: why_charts.ChartsView) -> Mapping[str, str]:
    moving = dict.fromkeys(_FIGURES, view.unstable_alt)
    if view.filter is not None and view.spectrum is not None and view.modes is not None:
        moving = {
            "why-response": view.filter.alt,
            "why-spectrum": view.spectrum.spectrum_alt,
            "why-damage": view.spectrum.damage_alt,
            "why-modes": view.modes.alt,
        }
    still = {
        "why-covariance": view.noise.covariance_alt,
        "why-sample": view.noise.sample_alt,
    }
    return {**moving, **still}


def _chart(key: str, height: int, compact: dict[str, Any] = why_parts.COMPACT) -> None:
    live_chart(
        "",
        key=key,
        alt="",
        height=height,
        filename=f"momentdp-{key}",
        templates=dict(TEMPLATES),
        compact=compact,
    )
