"""The page “Why it flips” as a reader uses it, without a browser: pickers, lesson and faults."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import Curvature, Scenario, evaluate, frequency_view
from pages.ui.lesson import STEPS
from pages.ui.url_state import problems
from pages.views.swept import SWEPT
from pages.views.why import pair_at, pair_view
from tests.pages.driver import APP, SMALL, run, shown

MOMENTA = SWEPT["heavy_ball"].values

PAGE = "pages/why.py"
CHARTS = {
    "why-response", "why-covariance", "why-sample", "why-spectrum", "why-damage", "why-modes",
}  # fmt: skip
LESSON = Scenario(curvature=Curvature(condition_number=10), learning_rate=0.1)


def opened(**link: str) -> AppTest:
    """Open the page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page(PAGE)
    for name, text in link.items():
        app.query_params[name] = text
    return run(app)


def fed(app: AppTest) -> dict[str, dict[str, str]]:
    """Return figure and alt text that each chart was given."""
    found = [json.loads(part.proto.json)[0] for part in app.get("bidi_component")]
    return dict(next(data["charts"] for data in found if "charts" in data and "x" not in data))


def says(app: AppTest, scenario: Scenario, momentum: float, first: str, second: str | None) -> bool:
    """Say whether the page shows what the engine finds for a pair."""
    view = pair_view(pair_at(evaluate(scenario, MOMENTA), momentum, first, second))
    return view.sentence in shown(app) and all(r.value in shown(app) for r in view.readouts)


def test_a_link_opens_the_pair() -> None:
    """Pair, mode, seed and momentum of a link are what is shown."""
    app = opened(a="dense", vs="iid", mode="3", seed="7", mu="0.4", **SMALL)
    assert says(app, Scenario(horizon=16, bands=4), 0.4, "dense", "iid")
    assert "mode 3" in fed(app)["why-response"]["alt"]
    assert "seed 7" in fed(app)["why-sample"]["alt"]
    assert any("seed 7" in block.value for block in app.markdown)
    assert not app.warning


def test_the_default_pair_is_noisecurve_and_the_best_other() -> None:
    """Without a choice, b follows the momentum."""
    app = opened(**SMALL)
    for momentum in (0.9, 0.0):
        app.slider(key="mu").set_value(momentum)
        run(app)
        assert says(app, Scenario(horizon=16, bands=4), momentum, "noisecurve", None)
    assert {"a", "vs", "mode", "seed", "step"} & set(app.query_params) == set()


def test_pickers_are_written_into_the_link() -> None:
    """What is chosen here is in the address, and gone again with the default."""
    app = opened(**SMALL)
    app.selectbox(key="a").select("iid")
    app.selectbox(key="vs").select("bisr")
    app.selectbox(key="mode").select("2")
    run(app)
    query = app.query_params
    assert [query[name] for name in ("a", "vs", "mode")] == ["iid", "bisr", "2"]
    assert says(app, Scenario(horizon=16, bands=4), 0.9, "iid", "bisr")
    app.selectbox(key="vs").select("best")
    run(app)
    assert "vs" not in app.query_params


def test_moving_the_momentum_moves_all_charts_of_it() -> None:
    """All charts but the two of the noise alone get another figure; all have an alt text."""
    app = opened(mu="0.4", vs="dense", **SMALL)
    before = fed(app)
    assert set(before) == CHARTS
    assert all(chart["alt"] for chart in before.values())
    app.slider(key="mu").set_value(0.5)
    run(app)
    after = fed(app)
    changed = {key for key in CHARTS if after[key]["figure"] != before[key]["figure"]}
    assert changed == CHARTS - {"why-covariance", "why-sample"}
    assert 'data-setting="0.50"' in shown(app)


def test_the_lesson_sets_the_controls_and_can_be_left() -> None:
    """Each step shows its case whatever was set before; leaving keeps the controls."""
    app = opened(spectrum="custom", lam="1, 0.5", mech="iid", mode="2", **SMALL)
    app.button(key="lesson-start").click()
    run(app)
    for at, step in enumerate(STEPS, 1):
        assert app.query_params["step"] == str(at)
        assert any(step.title in block.value for block in app.markdown)
        first, second = str(step.values["a"]), str(step.values["vs"])
        assert says(app, LESSON, float(step.values["mu"]), first, second)
        assert app.selectbox(key="mode").value == "all"
        if at < len(STEPS):
            app.button(key="lesson-next").click()
            run(app)
    app.button(key="lesson-back").click()
    run(app)
    assert app.query_params["step"] == "4"
    app.button(key="lesson-leave").click()
    run(app)
    assert "step" not in app.query_params
    assert app.slider(key="mu").value == STEPS[3].values["mu"]
    assert app.button(key="lesson-start")


def test_the_lesson_tells_the_truth() -> None:
    """What its texts claim holds in the engine for the very cases they set."""
    study = evaluate(LESSON, MOMENTA)
    by_key = dict(zip(study.mechanisms, study.damage, strict=True))
    assert study.winners[study.at(0.0)] == ("noisecurve",)
    at = study.at(0.9)
    assert by_key["noisecurve"][at] / by_key["dense"][at] == pytest.approx(10, rel=0.05)
    meet = study.at(0.15)
    assert by_key["noisecurve"][meet] == pytest.approx(by_key["dense"][meet], rel=0.01)
    view = frequency_view(LESSON, 0.9)
    power = dict(zip(LESSON.mechanisms, view.power, strict=True))
    assert power["dense"][1] < power["iid"][1] < power["dense"][-1]
    peaks = power["noisecurve"]
    (inside,) = np.flatnonzero(view.frequencies == 1 / 16)
    for k in range(1, 8):
        assert peaks[inside * k] == peaks[inside * k - 4 : inside * k + 5].max()
    response = view.response / view.sides
    calm = frequency_view(LESSON, 0.0)
    amplified = response / (calm.response / calm.sides)
    assert amplified.max() == pytest.approx(60, rel=0.01)
    assert view.frequencies[amplified.argmax()] == pytest.approx(0.05, abs=0.005)
    assert amplified[-1] < 1 / 3
    assert amplified[inside] > 20


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.title)
def test_steps_are_reachable_states(step: object) -> None:
    """Every value that a step sets is a stop of its control, so that its link opens again."""
    assert problems({name: [str(v)] for name, v in step.values.items()}) == ()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"a": "iid", "vs": "iid"}, "Choose two different"),
        ({"mech": "noisecurve"}, "Choose b here"),
        ({"mech": "none"}, "Choose a mechanism"),
        ({"spectrum": "custom", "lam": "1, x"}, "entry 2 of eigenvalues"),
        ({"schedule": "custom", "chi": "1, 1"}, "schedule values"),
    ],
)
def test_bad_input_is_a_message(link: dict[str, str], message: str) -> None:
    """Input that cannot be used gives one message and the controls to mend it."""
    app = opened(**SMALL, **link)
    (error,) = app.error
    assert message in error.value
    assert app.selectbox(key="vs")
    assert app.slider(key="mu").value == 0.9


@pytest.mark.parametrize(
    "link",
    [
        {"rate": "3.0", "mu": "0.2"}, {"T": "1"}, {"d": "1"}, {"mech": "noisecurve", "vs": "iid"},
        {"spectrum": "custom", "lam": "1, 0, 0"}, {"b": "64", "T": "2"}, {"mode": "40"},
        {"schedule": "custom", "T": "2", "chi": "0, 0"}, {"a": "sqrt", "vs": "noisecurve"},
    ],
)  # fmt: skip
def test_odd_settings_are_readable(link: dict[str, str]) -> None:
    """Unstable, tied, flat, silent or a mode that is not there: the page says something."""
    app = opened(**{**SMALL, **link})
    assert not app.error
    assert "md-sentence" in shown(app)
    assert set(fed(app)) == CHARTS


def test_both_pages_share_the_controls() -> None:
    """Momentum and study stay when the reader goes to the other page and back."""
    app = opened(mu="0.4", kappa="20", vs="iid", **SMALL)
    app.switch_page("pages/explore.py")
    run(app)
    assert app.slider(key="mu").value == 0.4
    assert app.select_slider(key="kappa").value == 20
    app.switch_page(PAGE)
    run(app)
    scenario = Scenario(horizon=16, bands=4, curvature=Curvature(condition_number=20))
    assert says(app, scenario, 0.4, "noisecurve", "iid")


def test_every_picker_has_a_help_text() -> None:
    """Each control of this page explains itself."""
    app = opened(**SMALL)
    assert all(app.selectbox(key=key).help for key in ("a", "vs", "mode"))
    assert app.number_input(key="seed").help


def test_the_page_says_what_is_exact_and_what_is_random() -> None:
    """The exact form, stationary theory, frequency 0 and the sample are each explained."""
    app = opened(**SMALL)
    said = " ".join(block.value for block in [*app.caption, *app.markdown])
    for words in ("exact quadratic form", "DFT basis", "Stationary theory", "frequency 0",
                  "Only the sample of the noise is random"):  # fmt: skip
        assert words in said


def test_the_app_file_is_where_the_shell_looks() -> None:
    """A page that runs alone finds app.py."""
    from pages.ui import shell

    assert Path(APP) == shell._APP
