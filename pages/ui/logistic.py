"""What "Logistic" draws: its controls, the reader's data, and what private training gave."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import plotly.graph_objects as go
import streamlit as st

from momentdp_core.experiments.logistic_report import (
    own_report,
    paper_report,
    paper_sweep,
    shipped_report,
)
from momentdp_core.experiments.logistic_runs import CHOICES, COMPARED, LogisticSettings
from pages.figures import evidence as comparisons
from pages.figures import logistic as figures
from pages.figures import parts
from pages.figures.style import TEMPLATES
from pages.ui import logistic_texts, panel, report, widgets
from pages.ui.live_chart import live_chart
from pages.ui.url_state import PARAMETERS
from pages.views import logistic as view
from pages.views import words
from pages.views.logistic import NAMES, SOLVERS

_PAPER, _OWN = "The paper's synthetic data", "Your own data"
_SECONDS: Final = 15


@dataclass(frozen=True, kw_only=True)
class Own:
    """A reader's file and what to do with it."""

    name: str
    content: bytes
    options: tuple[tuple[str, Any], ...]


def choose() -> LogisticSettings:
    """Draw the controls of the training and return what they say.

    Raises:
        InputError: a setting is out of range.
    """
    rate, epsilon, runs, solver = st.columns((3, 3, 3, 3))
    with rate:
        eta = _stops("lr", "Learning rate η")
    with epsilon:
        target = _stops("leps", "ε")
    with runs:
        count = _stops("reps", "Paired replicates")
    with solver:
        how = widgets.pick("solver", "NoiseCurve", SOLVERS)
    return LogisticSettings(
        learning_rate=float(eta), epsilon=float(target), replicates=int(count), noisecurve=how
    )


def own_data() -> Own | None:
    """Draw the choice of the data and return the reader's own, if chosen and there."""
    source = st.segmented_control(
        "Data", (_PAPER, _OWN), default=_PAPER, required=True, key="logistic_data"
    )
    if source == _PAPER:
        return None
    st.caption(logistic_texts.LOGISTIC_OWN)
    upload = st.file_uploader(
        "CSV or NPZ with X and y",
        type=["csv", "npz"],
        key="logistic_file",
    )
    one, two, three = st.columns(3, vertical_alignment="bottom")
    standardise = one.toggle("Standardise the columns", value=True, key="logistic_scale")
    intercept = two.toggle("Add a constant column", value=True, key="logistic_constant")
    steps = three.number_input("Training steps T", 1, 256, 128, key="logistic_steps")
    if upload is None:
        st.info("Choose a file. It stays on this server's memory and is not kept.")
        st.stop()
    return Own(
        name=upload.name,
        content=upload.getvalue(),
        options=(
            *(("standardise", standardise), ("intercept", intercept)),
            ("horizon", int(steps)),
        ),
    )


def trained(settings: LogisticSettings, own: Own | None) -> tuple[Mapping[str, Any] | None, str]:
    """Draw the button that trains; return the report of these settings, and where it is from."""
    if own is not None:
        digest = hashlib.sha256(own.content).hexdigest()
        found = panel.draw(
            ("logistic", digest, own.name, own.options, repr(settings)),
            "Train on this file",
            own_report,
            own.name,
            own.content,
            own.options,
            settings,
            name="logistic",
            seconds=_SECONDS,
            reports=True,
        )
        return found, "Trained here."
    found = panel.draw(
        ("logistic", "paper", repr(settings)),
        "Train with these settings",
        paper_report,
        settings,
        0,
        name="logistic",
        seconds=_SECONDS,
        reports=True,
    )
    if found is None and settings == LogisticSettings():
        return shipped_report()["report"], _shipped()
    return found, "Trained here, seed 0."


def _shipped() -> str:
    told = shipped_report()
    version = told["environment"]["momentdp"]
    return f"Shipped: {told['date']}, momentdp {version}, seed {told['seed']}."


def draw(told: Mapping[str, Any], origin: str) -> None:
    """Draw a report: ranks, then differences, trajectories and causes of one condition."""
    report.summary(view.readouts(told), view.sentence(told))
    report.note(f"{origin} {view.setting(told)}")
    st.markdown(logistic_texts.LOGISTIC_RANKS)
    ranks = view.ranks_view(told)
    _chart("ranks", figures.ranks_figure(ranks), ranks.alt, figures.HEIGHT, figures.COMPACT)
    one, two = st.columns(2)
    with one:
        condition = widgets.pick("cond", "Condition", NAMES)
    with two:
        names = {key: words.name(key) for key in COMPARED}
        base = widgets.pick("base", "Differences to", names)
    st.markdown(logistic_texts.LOGISTIC_DIFFERENCES)
    differences = view.differences_view(told, condition, base)
    height = figures.rows_height(len(differences.tracks))
    figure = figures.differences_figure(differences)
    _chart("differences", figure, differences.alt, height, figures.ROWS_COMPACT)
    st.markdown(logistic_texts.LOGISTIC_PATH)
    path = view.path_view(told, condition)
    _chart("path", figures.path_figure(path), path.alt, figures.HEIGHT, parts.COMPACT)
    st.caption(view.path_sentence(path))
    st.markdown(logistic_texts.LOGISTIC_CAUSES)
    causes = view.causes_view(told, condition)
    height = figures.rows_height(len(causes.keys)) + 30
    _chart("causes", figures.causes_figure(causes), causes.alt, height, figures.ROWS_COMPACT)
    if unseen := view.causes_sentence(causes):
        st.caption(unseen)


def draw_sweep(settings: LogisticSettings) -> None:
    """Draw the sweep of the learning rate on the paper's data, and the button that runs it."""
    st.subheader("The learning rate, which the paper does not print", divider="gray")
    st.markdown(logistic_texts.LOGISTIC_SWEEP)
    place = st.container()
    asked = LogisticSettings(
        epsilon=settings.epsilon, replicates=settings.replicates, noisecurve=settings.noisecurve
    )
    found = panel.draw(
        ("logistic-sweep", repr(asked)),
        "Sweep the rate with these settings",
        paper_sweep,
        asked,
        0,
        name="sweep",
        reports=True,
    )
    origin = "Swept here, seed 0."
    if found is None and asked == LogisticSettings():
        found, origin = shipped_report()["sweep"], _shipped()
    if found is None:
        return
    with place:
        st.markdown(view.sweep_sentence(found))
        report.note(origin)
        sweep = view.sweep_view(found)
        figure = comparisons.comparison_figure(sweep)
        _chart("sweep", figure, sweep.alt, comparisons.HEIGHT, comparisons.COMPACT)


def draw_choices() -> None:
    """Say what the paper leaves unprinted, and what is done here."""
    with st.expander("What the paper leaves unprinted, and what is done here"):
        st.markdown("\n".join(f"- **{name}**: {done}" for name, done in CHOICES.items()))


def _stops(name: str, label: str) -> str:
    options = {text: text for text in PARAMETERS[name].options}
    chosen: str = widgets.pick(name, label, options, widget=st.select_slider)
    return chosen


def _chart(key: str, figure: go.Figure, alt: str, height: int, compact: dict[str, Any]) -> None:
    live_chart(
        parts.to_json(figure),
        key=f"logistic-{key}",
        alt=alt,
        height=height,
        filename=f"momentdp-logistic-{key}",
        templates=dict(TEMPLATES),
        compact=compact,
    )
