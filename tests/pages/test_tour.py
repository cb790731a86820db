"""The tour and talk mode as a reader uses them, without a browser."""

from __future__ import annotations

import re

import pytest

from momentdp_core import OPTIMIZERS, Study, evaluate
from pages.figures.style import TEMPLATES
from pages.ui import talk
from pages.ui.states import STUDY, State
from pages.ui.tour import STEPS
from pages.ui.url_state import PARAMETERS, problems
from tests.pages.driver import SMALL, chart, link_of, opened, run, says, shown


def case(number: int) -> tuple[Study, int]:
    """Return the study of a step, and the column at which it stands."""
    state = State(STEPS[number - 1].values)
    study = evaluate(state.scenario, state.swept.values)
    return study, study.at(state.at)


def standing(study: Study, at: int) -> tuple[str, str, int]:
    """Return the winner, the last one, and NoiseCurve's rank."""
    (winner,) = study.winners[at]
    last = study.mechanisms[int(study.rank[:, at].argmax())]
    return winner, last, int(study.rank[study.mechanisms.index("noisecurve"), at])


def test_the_tour_has_at_most_eight_steps_of_one_sentence() -> None:
    """Each step says one sentence, and the link parameter has just these steps."""
    assert len(STEPS) <= 8
    assert PARAMETERS["tour"].options == tuple(map(str, range(len(STEPS) + 1)))
    for step in STEPS:
        assert step.text.endswith(".")
        assert len(re.findall(r"[.!?](?:\s|$)", step.text)) == 1


def test_the_tour_tells_the_truth() -> None:
    """What its sentences claim holds in the engine for the very cases they set."""
    said = [step.text for step in STEPS]
    assert "NoiseCurve, which was designed for this case, does the least damage" in said[0]
    assert standing(*case(1))[0] == "noisecurve"

    assert "from 0 to 0.9, and now Dense MF does the least" in said[1]
    assert standing(*case(2))[0] == "dense"
    assert {**STEPS[0].values, "mu": 0.9} == STEPS[1].values

    assert "last of 11" in said[2]
    assert "more than 11 times the least damage" in said[2]
    study, at = case(3)
    assert standing(study, at)[1:] == ("noisecurve", 11)
    assert 11 < 1 + study.regret[study.mechanisms.index("noisecurve"), at] < 12

    assert "loses the lead already at μ = 0.12" in said[3]
    assert "Dense MF leads from 0.38 to 0.97" in said[3]
    study, _ = case(4)
    first, second, third, *_ = study.regions
    assert (first.winners, third.winners) == (("noisecurve",), ("dense",))
    assert f"{first.stop:.2f} {third.start:.2f} {third.stop:.2f}" == "0.12 0.38 0.97"
    assert "crosses that of a banded mechanism" in said[3]
    assert second.winners[0].startswith("banded_")

    assert "own criterion puts NoiseCurve first at every momentum" in said[4]
    study, at = case(5)
    assert study.scores.noisecurve_rank[study.mechanisms.index("noisecurve")] == 1
    calm = study.damage[:, study.at(0.0)]
    assert study.scores.noisecurve == pytest.approx(calm, rel=1e-9)
    assert standing(study, at)[1] == "noisecurve"

    assert "an eighth of the learning rate NoiseCurve still falls from the first" in said[5]
    study, at = case(6)
    assert study.scenario.learning_rate == case(2)[0].scenario.learning_rate / 8
    assert standing(study, study.at(0.0))[0] == "noisecurve"
    assert standing(study, at)[1:] == ("noisecurve", 11)

    assert "κ = 100, momentum 0.9) Dense MF wins at a constant rate" in said[6]
    assert "hands the lead to a Toeplitz mechanism" in said[6]
    constant = State({**STEPS[6].values, "schedule": "constant"})
    assert evaluate(constant.scenario, [0.9]).winners[0] == ("dense",)
    assert standing(*case(7))[0].startswith("toeplitz_")

    assert "(EMA, β = 0.9) in place of heavy ball, NoiseCurve leads again" in said[7]
    assert PARAMETERS["opt"].default == "heavy_ball"
    assert OPTIMIZERS["ema"].label.startswith("EMA")
    assert standing(*case(8))[0] == "noisecurve"


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.title)
def test_steps_are_reachable_states(step: object) -> None:
    """Every value that a step sets is a stop of its control, so that its link opens again."""
    values = step.values  # type: ignore[attr-defined]
    assert set(values) <= set(STUDY)
    assert problems({name: [str(value)] for name, value in values.items()}) == ()


def test_each_step_sets_the_controls_and_the_link() -> None:
    """Forward through all steps, whatever was set before, and one step back."""
    app = opened(spectrum="custom", lam="1, 0.5", mech="iid", axis="steps", **SMALL)
    app.button(key="tour-start").click()
    run(app)
    for number, step in enumerate(STEPS, 1):
        assert link_of(app)["tour"] == str(number)
        assert any(step.title in block.value for block in app.markdown)
        state = State(step.values)
        assert says(app, state.scenario, state.at)
        assert any(f"{step.part} {{" in block.proto.body for block in app.get("html")), (
            "nothing is outlined"
        )
        if number < len(STEPS):
            app.button(key="tour-next").click()
            run(app)
    assert "tour-next" not in [button.key for button in app.button]
    app.button(key="tour-back").click()
    run(app)
    assert link_of(app)["tour"] == str(len(STEPS) - 1)


@pytest.mark.parametrize("key", ["tour-return", "tour-leave"])
def test_the_tour_can_be_left_at_any_time(key: str) -> None:
    """Going back brings every control back, also unusual ones; leaving here keeps the step's."""
    before = {
        "spectrum": "custom", "lam": "1, 0.5", "schedule": "step", "factor": "0.2", "mu": "0.4",
        "mech": "iid,dense", "opt": "nesterov", "eps": "2", "axis": "steps", **SMALL,
    }  # fmt: skip
    app = opened(**before)
    link = link_of(app)
    app.button(key="tour-start").click()
    run(app)
    app.button(key="tour-next").click()
    run(app)
    app.select_slider(key="kappa").set_value(50)
    run(app)
    app.button(key=key).click()
    run(app)
    if key == "tour-return":
        assert link_of(app) == link
        assert not app.error
    else:
        assert "tour" not in link_of(app)
        assert app.select_slider(key="kappa").value == 50
        assert link_of(app)["axis"] == "steps"


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1))
def test_a_link_opens_a_step(number: int) -> None:
    """tour=3 alone opens the third step with its case; nothing of it counts as a problem."""
    app = opened(tour=str(number))
    state = State(STEPS[number - 1].values)
    assert any(STEPS[number - 1].title in block.value for block in app.markdown)
    assert says(app, state.scenario, state.at)
    assert not app.warning


def test_a_link_with_changed_controls_keeps_them() -> None:
    """A reader who changed a control on the way and sends the link sends the change too."""
    app = opened(tour="2", kappa="20", mu="0.3")
    assert app.slider(key="mu").value == 0.3
    assert app.select_slider(key="kappa").value == 20
    app.button(key="tour-set").click()
    run(app)
    assert app.slider(key="mu").value == 0.9


def test_the_tour_ends_a_prediction_and_the_other_way_round() -> None:
    """What one hides the other tells: only one of them is on."""
    app = opened(predict="hidden", **SMALL)
    app.button(key="tour-start").click()
    run(app)
    assert "predict" not in link_of(app)
    app.button(key="predict-start").click()
    run(app)
    assert "tour" not in link_of(app)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_talk_mode_is_one_chart_with_its_slider(theme: str) -> None:
    """The slide has the damage chart, the slider and the way out; the study is the same."""
    app = opened(talk=theme, mu="0.4", **SMALL)
    data = chart(app, "damage")
    assert data["height"] * 16 == talk.WIDTH * 9  # type: ignore[operator]
    assert not list(app.title)
    assert not app.download_button
    style = " ".join(block.proto.body for block in app.get("html"))
    assert f"--talk-back: {TEMPLATES[theme]['layout']['paper_bgcolor']}" in style
    app.slider(key="mu").set_value(0.5)
    run(app)
    assert 'data-setting="0.50"' in shown(app)
    app.button(key="talk-other").click()
    run(app)
    assert link_of(app)["talk"] == {"light": "dark", "dark": "light"}[theme]
    app.button(key="talk-leave").click()
    run(app)
    assert "talk" not in link_of(app)
    assert app.slider(key="mu").value == 0.5
    assert app.title


def test_talk_mode_can_predict_and_says_faults() -> None:
    """On the slide the curves can be revealed; a fault is said there too."""
    app = opened(talk="dark", predict="hidden", kappa="10", mu="0.1", **SMALL)
    app.slider(key="guess").set_value(0.3)
    run(app)
    app.button(key="predict-reveal").click()
    run(app)
    assert "You guessed μ = 0.30" in app.success[0].value
    assert "The winner changes at" in app.success[0].value
    broken = opened(talk="light", mech="none", **SMALL)
    assert "Choose a mechanism" in broken.error[0].value
    assert broken.button(key="talk-leave")
