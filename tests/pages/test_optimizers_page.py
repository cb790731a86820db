"""The page “Optimizers” as a reader uses it, without a browser: controls, link and faults."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import Curvature, HeavyBall, Scenario
from momentdp_core.optimizers import Disk, DpPmlf, InnerOuter, LinearOptimizer, LowPass
from pages.ui.url_state import PARAMETERS
from pages.views.contenders import OWN, PLAIN, Entry, answer_of, question_of
from pages.views.optimizers import optimizers_view
from tests.pages.driver import APP, SMALL, STUDY, chart, link_of, run, shown

PAGE = "pages/optimizers.py"
PICKERS = ("opts", "under", "at", "e0", "noise")


def opened(**link: str) -> AppTest:
    """Open the page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page(PAGE)
    for name, text in link.items():
        app.query_params[name] = text
    return run(app)


def says(
    app: AppTest,
    entries: list[tuple[str, LinearOptimizer, float]],
    scenario: Scenario,
    **asked: object,
) -> bool:
    """Say whether the page shows what the engine finds for these optimizers."""
    settings = {"mechanism": "iid", "at": OWN, "start_error": 30.0, "sampling_noise": 0.1, **asked}
    question = question_of(
        scenario,
        [Entry(key=key, optimizer=optimizer, value=value) for key, optimizer, value in entries],
        **settings,  # type: ignore[arg-type]
    )
    view = optimizers_view(answer_of(question))
    cells = [cell for line in view.lines for cell in (line.total, line.suppression, line.growth)]
    return view.sentence in shown(app) and all(cell in shown(app) for cell in cells)


def matrix(app: AppTest) -> dict[str, object]:
    """Return what the matrix of damages was given."""
    found = [json.loads(part.proto.json)[0] for part in app.get("bidi_component")]
    (data,) = [data for data in found if "rows" in data]
    return dict(data)


def test_six_optimizers_stand_side_by_side() -> None:
    """At first the page compares the six of the literature, each at its slider."""
    app = opened(**SMALL)
    six = [
        (PLAIN, HeavyBall(), 0.0),
        ("heavy_ball", HeavyBall(), 0.9),
        ("lp_dpsgd", LowPass(), 0.1),
        ("dp_pmlf", DpPmlf(), 0.1),
        ("inner_outer", InnerOuter(), 0.9),
        ("disk", Disk(), 0.5),
    ]
    assert says(app, six, Scenario(**STUDY))
    assert not app.warning
    assert not set(PICKERS) & set(link_of(app))
    for key in ("optimizers-bars", "optimizers-sweep"):
        assert "DiSK" in str(chart(app, key)["figure"])
        assert chart(app, key)["alt"]


def test_a_link_opens_everything() -> None:
    """Optimizers, their values and fixed parameters, mechanism and signal come from the link."""
    app = opened(
        opts="lp_dpsgd,inner_outer", under="bisr", e0="3", noise="1", mu="0.3", cutoff="0.25",
        beta="0.5", k="2", design="butterworth", order="3", norm="no", kappa="20", **SMALL,
    )  # fmt: skip
    low_pass = LowPass(design="butterworth", order=3, normalise=False)
    two = [
        ("lp_dpsgd", low_pass, 0.25),
        ("inner_outer", InnerOuter(beta=0.5, steps=2), 0.3),
    ]
    scenario = Scenario(**STUDY, curvature=Curvature(condition_number=20))
    asked = {"mechanism": "bisr", "start_error": 3.0, "sampling_noise": 1.0}
    assert says(app, two, scenario, **asked)
    assert not app.warning
    kept = {"opts", "under", "e0", "noise", "mu", "cutoff", "beta", "k", "design", "order", "norm"}
    assert kept <= set(link_of(app))


def test_the_controls_are_written_into_the_link() -> None:
    """What is chosen is in the address, and gone again with the default."""
    app = opened(**SMALL)
    app.multiselect(key="opts").set_value(["disk", "heavy_ball"])
    app.selectbox(key="under").select("dense")
    app.selectbox(key="at").select("total")
    app.select_slider(key="e0").set_value("3")
    app.select_slider(key="noise").set_value("0")
    run(app)
    link = link_of(app)
    expected = {"opts": "heavy_ball,disk", "under": "dense", "at": "total", "e0": "3", "noise": "0"}
    assert {name: link[name] for name in PICKERS} == expected
    assert "Dense MF" in shown(app)
    for name in PICKERS:
        app.session_state[name] = PARAMETERS[name].default
    run(app)
    assert not set(PICKERS) & set(link_of(app))


def test_the_sliders_are_those_of_the_optimizers_shown() -> None:
    """Only what the shown optimizers have can be set; where values are chosen, sliders rest."""
    app = opened(opts="lp_dpsgd,ema", **SMALL)
    assert {slider.key for slider in app.slider} == {"cutoff", "beta", "d", "b"}
    assert not app.slider(key="cutoff").disabled
    before = shown(app)
    app.slider(key="cutoff").set_value(0.4)
    run(app)
    assert shown(app) != before
    app.selectbox(key="at").select("privacy")
    run(app)
    assert app.slider(key="cutoff").disabled


def test_the_matrix_leads_to_explore() -> None:
    """Each row says which optimizer and value Explore has to show; DPSGD is heavy ball at 0."""
    app = opened(opts="dpsgd,disk", mech="iid,bisr", gain="0.3", **SMALL)
    rows = matrix(app)["rows"]
    assert isinstance(rows, list)
    assert [row["link"] for row in rows] == [
        {"opt": "heavy_ball", "mu": "0"},
        {"opt": "disk", "gain": "0.3"},
    ]
    assert [cell["mechanism"] for cell in rows[0]["cells"]] == ["iid", "bisr"]
    assert matrix(app)["leave"] is False


def test_the_study_stays_when_the_reader_moves_on() -> None:
    """Pickers, sliders and the optimizer of the other pages survive a visit there."""
    app = opened(opts="disk", under="bisr", gain="0.3", opt="nesterov", mu="0.2", **SMALL)
    app.switch_page("pages/explore.py")
    run(app)
    assert app.selectbox(key="opt").value == "nesterov"
    assert app.slider(key="mu").value == 0.2
    app.switch_page(PAGE)
    run(app)
    assert app.selectbox(key="under").value == "bisr"
    assert app.slider(key="gain").value == 0.3
    assert says(app, [("disk", Disk(), 0.3)], Scenario(**STUDY), mechanism="bisr")


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"opts": "none"}, "Choose an optimizer"),
        ({"mech": "none"}, "Choose a mechanism"),
        ({"k": "32", "opts": "dp_pmlf"}, "at most the steps T = 16"),
        ({"opts": "filter", "fb": "2"}, "Divide every b"),
        ({"spectrum": "custom", "lam": "1, x"}, "entry 2 of eigenvalues"),
    ],
    ids=("no optimizer", "no mechanism", "long window", "filter", "eigenvalues"),
)
def test_bad_input_is_a_message(link: dict[str, str], message: str) -> None:
    """Input that cannot be used gives one message and the controls to mend it."""
    app = opened(**{**SMALL, **link})
    (error,) = app.error
    assert message in error.value
    assert app.multiselect(key="opts")
    assert app.selectbox(key="under")


@pytest.mark.parametrize(
    "link",
    [
        {"rate": "3.0"}, {"d": "1"}, {"spectrum": "custom", "lam": "1, 0, 0"}, {"e0": "0"},
        {"schedule": "custom", "T": "4", "chi": "0, 0, 0, 0"}, {"mech": "bisr"}, {"at": "privacy"},
        {"T": "1", "opts": "dpsgd,disk"}, {"opts": "disk"}, {"noise": "0", "e0": "0"},
        {"opts": ",".join(PARAMETERS["opts"].options)},
    ],
    ids=("unstable", "one direction", "flat", "no bias", "no rate", "one mechanism", "least damage",
         "one step", "alone", "privacy only", "all"),
)  # fmt: skip
def test_odd_settings_are_readable(link: dict[str, str]) -> None:
    """Unstable, tied, flat, silent or alone: the page says something and draws something."""
    app = opened(**{**SMALL, **link})
    assert not app.error
    assert "md-sentence" in shown(app)
    assert "nan" not in shown(app).lower()
    assert chart(app, "optimizers-sweep")["figure"]
    assert matrix(app)["rows"]


def test_unknown_values_of_the_link_are_named() -> None:
    """A link with values that this page does not know keeps the defaults and says so."""
    app = opened(opts="sgd", under="best", e0="7", **SMALL)
    (warning,) = app.warning
    for name in ("opts", "under", "e0"):
        assert f"{name}: expected" in warning.value


def test_every_control_and_column_is_explained() -> None:
    """Controls have help; the page says what can differ and why, and what is exact."""
    app = opened(**SMALL)
    assert app.multiselect(key="opts").help
    assert all(app.selectbox(key=key).help for key in ("under", "at"))
    assert all(app.select_slider(key=key).help for key in ("e0", "noise"))
    said = " ".join(block.value for block in [*app.caption, *app.markdown])
    for words in ("can only differ between optimizers", "exact for the quadratic model",
                  "Noise let through", "Growth", "best mechanism for that optimizer"):  # fmt: skip
        assert words in said


def test_a_window_longer_than_the_training_is_left_out() -> None:
    """With one step the per-sample windows do not fit: the others are compared, and it is said."""
    app = opened(T="1", b="1")
    assert not app.error
    said = [caption.value for caption in app.caption]
    assert any(text.startswith("Left out: DP-PMLF and InnerOuter.") for text in said)
