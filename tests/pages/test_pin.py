"""Pin A: the pinned scenario beside the live one, in the link, on the page and in the chart."""

from __future__ import annotations

import doctest
import json

import numpy as np
import pytest

from momentdp_core import MECHANISMS, Curvature, Scenario, Study, evaluate
from pages.figures.damage import damage_figure
from pages.figures.style import MARKS
from pages.ui import help_texts, pin, states
from pages.ui.pin import LABELS
from pages.ui.states import opened as state_of
from pages.ui.url_state import LONGEST_STATE, PARAMETERS, problems
from pages.views.look import Look
from pages.views.swept import swept_of
from tests.pages.driver import SMALL, STUDY, chart, link_of, opened, run, says, shown

A = Scenario(**STUDY, curvature=Curvature(condition_number=10))
LIVE = Scenario(**STUDY, learning_rate=0.1)
A_TEXT = "kappa=10&T=16&b=4"


def study(scenario: Scenario) -> Study:
    return evaluate(scenario, swept_of(scenario.optimizer).values)


def look(pinned: Scenario = A, live: Scenario = LIVE) -> Look:
    return Look(whole=study(live), then=study(pinned), stood=0.5)


def test_examples_in_the_docstrings_hold() -> None:
    """The doctests of the state's text pass."""
    result = doctest.testmod(states)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    "text",
    [
        "T=128", "kappa=10&mu=0.2", "opt=lp_dpsgd&cutoff=0.2&design=butterworth&order=3",
        "opt=ema&beta=0.5&corr=yes", "schedule=custom&chi=1%2C+0.5&T=2", "mech=none",
        "schedule=step&factor=0.2&stages=4&spectrum=custom&lam=1+0.5", "eps=2&delta=1e-6&d=8",
    ],
)  # fmt: skip
def test_a_state_is_the_text_that_it_was_read_from(text: str) -> None:
    """Reading a state and writing it gives the same state; the link accepts both."""
    once = state_of(text)
    again = state_of(once.text)
    assert {name: again[name] for name in again.counted} == {
        name: once[name] for name in once.counted
    }
    assert problems({"pin": [text]}) == problems({"pin": [once.text]}) == ()


def test_a_state_holds_only_what_it_depends_on() -> None:
    """A parameter that the chosen families and the optimizer do not read makes no other text."""
    assert state_of("kappa=10&chi=1&order=3&beta=0.1&warmup=0.5").text == "kappa=10"
    assert state_of("schedule=custom&chi=1&spectrum=isotropic&kappa=10").text == (
        "schedule=custom&chi=1&spectrum=isotropic"
    )


@pytest.mark.parametrize(
    "text",
    ["x", "mu=2", "kappa=10&kappa=20", "pin=mu", "talk=dark", "rate=0.81", "a=iid", "nope=1",
     "<script>=1", "lam=" + "1," * LONGEST_STATE],
)  # fmt: skip
def test_a_pin_that_is_no_state_is_reported_and_ignored(text: str) -> None:
    """Nonsense names the parameter, is not repeated, and leaves the page without a pin."""
    app = opened(pin=text, **SMALL)
    (warning,) = app.warning
    assert "pin: " in warning.value
    assert "script" not in warning.value
    assert "pin" not in link_of(app)
    assert app.button(key="pin-set")


def test_pinning_keeps_the_scenario_while_the_controls_move() -> None:
    """The link holds A's own text; the panel and the pale curves compare it with what is set."""
    app = opened(kappa="10", mu="0.4", **SMALL)
    app.button(key="pin-set").click()
    run(app)
    assert state_of(link_of(app)["pin"]).scenario == A
    assert "No control differs." in shown(app)
    app.select_slider(key="kappa").set_value(100)
    app.select_slider(key="rate").set_value(0.1)
    run(app)
    assert says(app, LIVE, 0.4)
    view = look().difference(0.4)
    assert view is not None
    assert view.summary.replace("'", "&#x27;") in shown(app)
    assert all(row.times in shown(app) for row in view.rows)
    for words in ("Condition number κ", "Peak rate ηλmax"):
        assert f">{words}</th>" in shown(app)
    assert ">Steps T</th>" not in shown(app)
    assert "Pale lines" in str(chart(app, "damage")["alt"])
    app.button(key="pin-go").click()
    run(app)
    assert says(app, A, 0.4)
    app.button(key="unpin").click()
    run(app)
    assert "pin" not in link_of(app)
    assert "What changed from A" not in shown(app)


def test_the_pin_survives_other_pages_and_a_reload() -> None:
    """A is still pinned after a visit to the other page, and in a session of the link."""
    app = opened(pin=A_TEXT, rate="0.1", **SMALL)
    app.switch_page("pages/why.py")
    run(app)
    assert link_of(app)["pin"] == A_TEXT
    app.switch_page("pages/explore.py")
    run(app)
    assert "What changed from A" in shown(app)
    again = opened(**link_of(app))
    assert "What changed from A" in shown(again)


@pytest.mark.parametrize("value", [0.0, 0.4, 0.9])
def test_the_panel_says_what_the_engine_says_of_each(value: float) -> None:
    """Damages, their ratio, winner and rank are those of two studies made for this test."""
    view = look().difference(value)
    assert view is not None
    then, now = (evaluate(scenario, [value]) for scenario in (A, LIVE))
    assert [row.key for row in view.rows] == list(then.mechanisms)
    for row, before, after in zip(view.rows, then.damage[:, 0], now.damage[:, 0], strict=True):
        assert float(row.pinned) == pytest.approx(before, rel=1e-3)
        assert float(row.now) == pytest.approx(after, rel=1e-3)
        assert float(row.times.split()[1]) == pytest.approx(after / before, rel=0.05)
    winner, rank = view.facts
    labels = [[MECHANISMS[key].label for key in s.winners[0]] for s in (then, now)]
    assert [winner.pinned, winner.now] == [" = ".join(names) for names in labels]
    row = then.mechanisms.index("noisecurve")
    assert [rank.pinned, rank.now] == [f"{s.rank[row, 0]} of 11" for s in (then, now)]


def test_the_browser_has_the_panels_texts_for_each_value() -> None:
    """During a drag the panel follows: each stop has the texts of its own difference."""
    shown_at = look()
    for point in shown_at.live("momentum")["points"][::33]:
        view = shown_at.difference(float(point["setting"]))
        assert view is not None
        assert point["also"]["pin-summary"] == view.summary
        assert point["also"]["pin-dense-times"] == view.rows[1].times


def test_ghosts_are_thin_pale_and_in_the_same_colours() -> None:
    """A's curves are its damages, each in its mechanism's colour, thinner and paler, behind."""
    both = look()
    view = both.sweep("momentum")
    figure = damage_figure(view, both.ghosts(view))
    pale = [trace for trace in figure.data if str(trace.name).startswith("A: ")]
    full = {trace.name: trace for trace in figure.data if trace.yaxis != "y2"}
    then = study(A)
    assert len(pale) == len(then.mechanisms)
    assert list(figure.data[: len(pale)]) == pale
    low, high = figure.layout.yaxis.range
    for key, trace, damage in zip(then.mechanisms, pale, then.damage, strict=True):
        np.testing.assert_array_equal(trace.y, damage)
        live = full[MECHANISMS[key].label]
        assert trace.line.color == live.line.color == MARKS[key].color
        assert trace.line.width < live.line.width
        assert trace.opacity < 0.6
        assert low <= np.log10(damage.min()) <= np.log10(damage.max()) <= high


def test_a_pin_of_another_optimizer_is_compared_but_not_drawn() -> None:
    """Curves over another parameter cannot be laid over: the page says so and shows the panel."""
    app = opened(pin=f"opt=lp_dpsgd&cutoff=0.2&rate=0.2&{A_TEXT}", **SMALL)
    assert "A at ω = 0.20, now at μ = 0.90" in shown(app)
    assert "cannot be drawn" in shown(app)
    assert "Pale lines" not in str(chart(app, "damage")["alt"])
    assert '"A: ' not in json.dumps(chart(app, "damage")["figure"])
    for words in ("Optimizer", "Cut-off ω", "Momentum μ", "Low-pass filter"):
        assert f">{words}</th>" in shown(app)


def test_a_pin_whose_list_is_wrong_is_a_message() -> None:
    """A's fault is said with its remedy; the page itself is as without a pin."""
    app = opened(pin="schedule=custom&chi=1&T=16", **SMALL)
    (warning,) = app.warning
    assert "pinned scenario A cannot be shown" in warning.value
    assert not app.error
    assert "What changed from A" not in shown(app)


def test_controls_are_called_as_in_the_sidebar() -> None:
    """Every control of the sidebar has the same name in the panel."""
    for link in (
        {}, {"schedule": "warmup_constant"}, {"schedule": "step"}, {"schedule": "exponential"},
        {"schedule": "custom", "chi": "1"}, {"spectrum": "custom", "lam": "1"},
        {"opt": "ema"}, {"opt": "weight_decay"}, {"opt": "tail_average"}, {"opt": "dp_pmlf"},
        {"opt": "filter"}, {"opt": "lp_dpsgd", "design": "butterworth"},
    ):  # fmt: skip
        app = opened(**{**SMALL, "T": "1", **link})
        drawn = [
            *app.sidebar.slider, *app.sidebar.select_slider, *app.sidebar.selectbox,
            *app.sidebar.multiselect, *app.sidebar.text_area, *app.sidebar.toggle,
        ]  # fmt: skip
        for widget in drawn:
            if widget.key in LABELS and widget is not app.sidebar.slider[0]:
                assert widget.label == LABELS[widget.key], widget.key
    known = {*LABELS, *("mu", "beta", "alpha", "cutoff", "gain")}
    assert set(states.STUDY) <= known
    assert set(help_texts.OPTIMIZER_LABELS) <= set(PARAMETERS)


def test_a_list_too_long_for_a_link_cannot_be_pinned() -> None:
    """The button is off and says why."""
    long = ",".join(["0.123456789"] * 512)
    app = opened(schedule="custom", chi=long, T="512", b="4", mech="iid")
    button = app.button(key="pin-set")
    assert button.disabled
    assert "too long" in button.help


def test_a_panel_names_few_mechanisms_and_counts_many() -> None:
    """Mechanisms that only one of both shows are named, or counted where they are many."""
    few = pin.differences(state_of("mech=iid,dense"), state_of("mech=iid,bisr"))
    assert [(c.pinned, c.now) for c in few] == [("also Dense MF", "also BISR")]
    (many,) = pin.differences(state_of("mech=iid"), state_of("T=128"))
    assert (many.pinned, many.now) == ("–", "10 more")
