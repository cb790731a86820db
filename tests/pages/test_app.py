"""The app as a reader uses it, without a browser: presets, links and every fault."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import POOL, Curvature, Scenario, Schedule, evaluate
from pages.ui import link
from pages.ui.presets import PRESETS
from tests.pages.driver import APP, SMALL, chart, opened, run, says, shown

EXPECTED = {
    "home": (Scenario(curvature=Curvature(condition_number=10)), 0.0),
    "flip": (Scenario(curvature=Curvature(condition_number=10)), 0.9),
    "flip-back": (Scenario(schedule=Schedule(family="cosine")), 0.9),
    "small": (Scenario(curvature=Curvature(condition_number=10), learning_rate=0.1), 0.9),
}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_presets_show_the_engines_answer(preset: object) -> None:
    """A preset sets the whole state, whatever was chosen before, except how it is looked at."""
    app = opened(spectrum="custom", lam="1, 0.5", mech="iid", axis="steps", **SMALL)
    app.button(key=f"preset-{preset.key}").click()  # type: ignore[attr-defined]
    run(app)
    scenario, momentum = EXPECTED[preset.key]  # type: ignore[attr-defined]
    assert says(app, scenario, momentum)
    assert app.session_state["axis"] == "steps"


def test_a_link_opens_the_same_view() -> None:
    """Every part of the state in a link is in the scenario that is shown."""
    app = opened(
        mu="0.4", schedule="step", factor="0.2", stages="4", spectrum="two_cluster", kappa="20",
        rate="0.4", T="32", d="8", b="8", eps="2", delta="1e-6", mech="dense,noisecurve",
        axis="steps", v="1",
    )  # fmt: skip
    scenario = Scenario(
        horizon=32,
        curvature=Curvature(family="two_cluster", modes=8, condition_number=20),
        schedule=Schedule(family="step", step_factor=0.2, step_stages=4),
        learning_rate=0.4,
        bands=8,
        epsilon=2,
        delta=1e-6,
        mechanisms=("dense", "noisecurve"),
    )
    assert says(app, scenario, 0.4)
    assert not app.warning
    assert '"type":"log"' in str(chart(app, "damage")["figure"])


def test_the_link_says_what_is_not_default() -> None:
    """What the page writes into the address is versioned and opens again."""
    app = opened(**SMALL)
    app.selectbox(key="schedule").select("cosine")
    app.multiselect(key="mech").unselect("iid")
    run(app)
    query = app.query_params
    assert query["v"] == "1"
    assert query["schedule"] == "cosine"
    assert query["mech"].split(",") == [key for key in POOL if key != "iid"]
    app.selectbox(key="schedule").select("constant")
    run(app)
    assert "schedule" not in app.query_params


def test_only_the_history_takes_a_choice_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run sent with the address of before a choice keeps it; Back to that address does not."""
    app = opened(**SMALL)
    before = dict(app.query_params)
    app.selectbox(key="schedule").select("cosine")
    run(app)
    after = dict(app.query_params)
    app.query_params.clear()
    app.query_params.update(before)  # as while the answer is still on its way to the browser
    run(app)
    assert app.selectbox(key="schedule").value == "cosine"
    assert app.query_params["schedule"] == "cosine"
    stepped = SimpleNamespace(is_history_navigation=True)
    monkeypatch.setattr(link, "get_script_run_ctx", lambda: stepped)
    for address, family in ((before, "constant"), (after, "cosine")):
        app.query_params.clear()
        app.query_params.update(address)
        run(app)
        assert app.selectbox(key="schedule").value == family
        assert ("schedule" in app.query_params) == (family == "cosine")


def test_choosing_mechanisms_keeps_the_rest() -> None:
    """Another selection, also none, leaves every other control where it was."""
    app = opened(mu="0.4", schedule="warmup_constant", warmup="0.3", kappa="20", **SMALL)
    before = {w.key: w.value for w in [*app.sidebar.slider, *app.sidebar.select_slider]}
    for choice in (["noisecurve"], [], ["iid", "dense"]):
        app.multiselect(key="mech").set_value(choice)
        run(app)
        assert {w.key: w.value for w in [*app.sidebar.slider, *app.sidebar.select_slider]} == before
    assert app.selectbox(key="schedule").value == "warmup_constant"
    assert before["warmup"] == 0.3


def test_parameters_show_only_where_they_apply() -> None:
    """A schedule's and a spectrum's own controls come and go with the family."""
    app = opened(**SMALL)
    keys = {w.key for w in [*app.sidebar.slider, *app.sidebar.select_slider]}
    assert "warmup" not in keys
    assert {"mu", "kappa", "d", "rate"} <= keys
    assert app.sidebar.slider[0].key == "mu"
    app.selectbox(key="schedule").select("exponential")
    run(app)
    app.selectbox(key="spectrum").select("isotropic")
    run(app)
    keys = {w.key for w in [*app.sidebar.slider, *app.sidebar.select_slider]}
    assert "final" in keys
    assert "kappa" not in keys


def test_nonsense_in_the_link_is_reported_once_and_ignored() -> None:
    """Each unusable parameter is named, the defaults are shown, and the report then goes."""
    app = opened(mu="zz", rate="7", mech="iid,<b>", foo="<script>", **SMALL)
    (warning,) = app.warning
    for name in ("mu", "rate", "mech", "foo"):
        assert f"{name}: " in warning.value
    assert "<" not in warning.value
    assert says(app, Scenario(horizon=16, bands=4), 0.9)
    assert "foo" not in app.query_params
    app.select_slider(key="kappa").set_value(10)
    run(app)
    assert not app.warning


def test_a_stop_in_another_spelling_opens_its_stop() -> None:
    """Numbers equal to a stop are that stop, and nothing is said."""
    link = {"rate": "3", "T": "16.0", "b": "4", "kappa": "1e1", "delta": "0.00001", "mu": "9e-1"}
    app = opened(**link, opt="lp_dpsgd", design="butterworth", order="3.0", tour="0.0")
    assert not [warning for warning in app.warning if "Ignored" in warning.value]
    assert app.select_slider(key="rate").value == 3.0
    assert app.select_slider(key="T").value == 16
    assert app.select_slider(key="delta").value == "1e-5"
    assert app.select_slider(key="order").value == 3
    assert not opened(tour="1.0").warning


@pytest.mark.parametrize("name", ["mu", "rate", "schedule"])
def test_a_parameter_given_twice_is_said_once(name: str) -> None:
    """Neither value is taken, and one message says why."""
    app = AppTest.from_file(APP, default_timeout=60)
    texts = {"mu": ["0.1", "0.2"], "rate": ["0.1", "0.2"], "schedule": ["cosine", "step"]}
    app.query_params[name] = texts[name]
    run(app)
    (warning,) = app.warning
    assert f"{name}: given 2 times" in warning.value
    assert says(app, Scenario(), 0.9)


def test_momenta_between_stops_are_snapped() -> None:
    """A link with more digits than the slider has stands at the nearest stop."""
    app = opened(mu="0.12345", **SMALL)
    assert app.slider(key="mu").value == 0.12
    assert says(app, Scenario(horizon=16, bands=4), 0.12)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"mech": "none"}, "Choose a mechanism"),
        ({"spectrum": "custom"}, "eigenvalues"),
        ({"spectrum": "custom", "lam": "1, x"}, "entry 2 of eigenvalues"),
        ({"spectrum": "custom", "lam": "1, -1"}, "eigenvalues[1]"),
        ({"spectrum": "custom", "lam": "0, 0"}, "eigenvalue"),
        ({"spectrum": "custom", "lam": "1 " * 65}, "at most 64"),
        ({"schedule": "custom", "chi": "1, 1"}, "schedule values"),
        ({"schedule": "custom", "chi": "1, nan"}, "schedule values"),
    ],
)
def test_bad_input_is_a_message(link: dict[str, str], message: str) -> None:
    """Input that cannot be used gives one message and the controls to mend it."""
    app = opened(**SMALL, **link)
    (error,) = app.error
    assert message in error.value
    assert "Traceback" not in error.value
    assert app.slider(key="mu").value == 0.9


@pytest.mark.parametrize(
    "link",
    [
        {"rate": "3.0", "mu": "0.2"}, {"T": "1"}, {"d": "1"}, {"mech": "noisecurve"},
        {"mech": "iid,dense"}, {"spectrum": "custom", "lam": "1, 0, 0"}, {"b": "64", "T": "2"},
        {"schedule": "custom", "T": "2", "chi": "0, 0"}, {"mech": "sqrt,noisecurve"},
    ],
)  # fmt: skip
@pytest.mark.parametrize("axis", ["momentum", "steps"])
def test_odd_settings_are_readable(link: dict[str, str], axis: str) -> None:
    """Unstable, tied, single, flat or silent: the page draws and says something, no error."""
    app = opened(**{**SMALL, **link}, axis=axis)
    assert not app.error
    assert "md-sentence" in shown(app)
    assert chart(app, "damage")["alt"]
    assert chart(app, "ranks")["alt"]


def test_moving_the_momentum_leaves_the_charts_data() -> None:
    """Only marker, readouts and table follow the momentum: both charts keep their data."""
    app = opened(mu="0.4", **SMALL)
    before = [chart(app, key) for key in ("damage", "ranks")]
    app.slider(key="mu").set_value(0.5)
    run(app)
    assert [chart(app, key) for key in ("damage", "ranks")] == before
    assert 'data-setting="0.50"' in shown(app)


def test_the_page_defines_damage_and_says_that_it_is_exact() -> None:
    """A newcomer is told what damage is and in which model the numbers are exact."""
    app = opened(**SMALL)
    assert any("**Damage** is" in block.value for block in app.markdown)
    assert any("exact for the quadratic model" in block.value for block in app.caption)


def test_every_control_has_a_help_text() -> None:
    """Each control of the study explains itself."""
    app = opened(**SMALL)
    controls = [
        *app.sidebar.slider, *app.sidebar.select_slider, *app.sidebar.selectbox,
        *app.sidebar.multiselect,
    ]  # fmt: skip
    assert all(control.help for control in controls)


def test_a_fraction_of_a_count_is_ignored_not_cut() -> None:
    """d=3.5 is reported and the default kept: it is not silently read as 3."""
    app = opened(d="3.5", **SMALL)
    assert "d:" in app.warning[0].value
    (directions,) = [slider for slider in app.slider if slider.key == "d"]
    assert directions.value == 16


def test_what_the_presets_promise_holds() -> None:
    """NoiseCurve wins at home; Dense MF wins and NoiseCurve is last; then a Toeplitz wins."""
    said = {preset.key: preset.sentence for preset in PRESETS}
    winner, last = {}, {}
    for key, (scenario, momentum) in EXPECTED.items():
        study = evaluate(scenario, [momentum])
        (winner[key],) = study.winners[0]
        last[key] = study.mechanisms[int(study.rank[:, 0].argmax())]
    assert "it wins" in said["home"]
    assert winner["home"] == "noisecurve"
    assert "Dense MF wins, NoiseCurve comes last" in said["flip"]
    assert (winner["flip"], last["flip"]) == ("dense", "noisecurve")
    assert "a Toeplitz mechanism wins" in said["flip-back"]
    assert winner["flip-back"].startswith("toeplitz_")
