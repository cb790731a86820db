"""Predict, then reveal: nothing that may be seen depends on what is hidden; then the answer."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import Crossover, Curvature, Region, Scenario, Study, evaluate
from momentdp_core.damage import sweep
from momentdp_core.optimizers import OPTIMIZERS
from pages.figures.damage import damage_figure
from pages.figures.ranks import rank_figure
from pages.ui.url_state import PARAMETERS
from pages.views import words
from pages.views.export import as_csv, study_columns
from pages.views.look import Look
from pages.views.predict import Answer, answer, verdict, visible
from pages.views.swept import swept_of
from tests.pages.driver import SMALL, chart, link_of, opened, run, says, shown

SCENARIO = Scenario(horizon=16, bands=4, curvature=Curvature(condition_number=10))
LINK = {"kappa": "10", **SMALL}


def study(scenario: Scenario) -> Study:
    return evaluate(scenario, swept_of(scenario.optimizer).values)


FLIPS = study(SCENARIO)
UNSTABLE = study(replace(SCENARIO, learning_rate=3.0))
EMA = study(replace(SCENARIO, optimizer=OPTIMIZERS["ema"]()))
DISK = study(replace(SCENARIO, optimizer=OPTIMIZERS["disk"](), learning_rate=0.4))
ALONE = study(replace(SCENARIO, mechanisms=("dense",)))
CASES = {"flips": FLIPS, "unstable": UNSTABLE, "ema": EMA, "disk": DISK, "alone": ALONE}


def tampered(whole: Study, edge: float, seed: int) -> Study:
    """Return another study that agrees with this one up to the edge and nowhere beyond."""
    random = np.random.default_rng(seed)
    beyond = whole.values > edge
    damage = np.where(beyond, random.uniform(1e-3, 1e6, whole.damage.shape), whole.damage)
    rank = np.where(beyond, random.integers(0, 12, whole.rank.shape), whole.rank)
    kept = [r for r in whole.regions if r.stop <= edge]
    here = next((r for r in whole.regions if r.start <= edge < r.stop), None)
    turn = edge + (whole.values[-1] - edge) * 0.4
    rest = [Region(start=turn, stop=float(whole.values[-1]), winners=whole.mechanisms[:1])]
    if here is not None:
        rest = [replace(here, stop=float(turn)), *rest]
    crossings = [c for c in whole.crossovers if c.value <= edge]
    pair = (whole.mechanisms[0], whole.mechanisms[-1])
    planted = Crossover(value=float(turn), below=pair[0], above=pair[1], pair=pair)
    return replace(
        whole,
        damage=damage,
        rank=rank,
        stable=np.where(beyond, random.integers(0, 2, whole.stable.shape) > 0, whole.stable),
        stability_limit=np.where(beyond, random.uniform(0, 4, beyond.shape), whole.stability_limit),
        crossovers=(*crossings, planted),
        regions=(*kept, *rest),
    )


def everything(look: Look, axis: str) -> str:
    """Return all that the page draws, says and hands out of a study, as one text."""
    view = look.sweep(axis)
    ghosts = look.ghosts(view)
    figures = [damage_figure(view, ghosts).to_json(), rank_figure(view).to_json()]
    texts = [view.damage_alt, view.rank_alt, *view.notes, as_csv(study_columns(look.study))]
    return json.dumps([*figures, *texts, look.live(axis)])


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=6, deadline=None)
@given(
    edge=st.integers(1, 97), seed=st.integers(0, 1000), axis=st.sampled_from(["momentum", "steps"])
)
def test_nothing_on_the_page_depends_on_what_is_hidden(
    name: str, edge: int, seed: int, axis: str
) -> None:
    """Two studies that agree up to the edge and nowhere beyond give the very same page."""
    whole = CASES[name]
    place = float(whole.values[edge])
    other = tampered(whole, place, seed)
    assert everything(Look(whole=whole), axis) != everything(Look(whole=other), axis)
    assert everything(Look(whole=whole, edge=place), axis) == everything(
        Look(whole=other, edge=place), axis
    )


def test_nor_does_it_depend_on_the_hidden_part_of_a_pinned_scenario() -> None:
    """A's curves and the panel end at the edge too: A may be the very scenario on the page."""
    other = tampered(FLIPS, 0.1, 0)
    one, two = (Look(whole=w, edge=0.1, then=w, stood=0.05) for w in (FLIPS, other))
    assert everything(one, "momentum") == everything(two, "momentum")


def test_up_to_the_edge_the_page_says_what_it_always_says() -> None:
    """Winner, rank, crossover below and table are untouched; only what is above is hidden."""
    hidden, free = Look(whole=FLIPS, edge=0.3), Look(whole=FLIPS)
    for value in (0.0, 0.15, 0.3):
        one, two = hidden.point(value), free.point(value)
        assert one.readouts[:3] == two.readouts[:3]
        assert one.readouts[3].value == "Hidden"
        assert one.rows == two.rows
    assert {r.value for r in hidden.point(0.31).readouts} == {"Hidden"}


@pytest.mark.parametrize("edge", [0.05, 0.1, 0.3, 0.5, 0.9, 0.97])
@pytest.mark.parametrize("name", ["flips", "ema"])
def test_the_answer_is_where_a_fine_grid_changes_its_winner(name: str, edge: float) -> None:
    """The first change of the least damage beyond the edge on a grid a hundred times finer."""
    whole = CASES[name]
    fine = np.linspace(edge, float(whole.values[-1]), 6000)
    best = sweep(whole.scenario, fine).argmin(axis=0)
    turns = np.flatnonzero(best[1:] != best[:-1])
    found = answer(whole, edge).value
    if not len(turns):
        assert found is None
    else:
        assert found is not None
        assert fine[turns[0]] - 1e-6 <= found <= fine[turns[0] + 1] + 1e-6


def test_the_edge_of_stability_is_no_crossover() -> None:
    """Where the winner stays ahead until training becomes unstable, the answer is "none"."""
    regions = (
        Region(start=0.0, stop=0.43, winners=("dense",)),
        Region(start=0.43, stop=0.99, winners=()),
    )
    found = answer(replace(FLIPS, regions=regions), 0.1)
    assert found.value is None
    assert found.text == (
        "There is none: Dense MF stays ahead up to μ = 0.4300, where training becomes unstable."
    )
    assert "training is unstable." in answer(replace(FLIPS, regions=regions), 0.5).text
    assert "the end of the range" in answer(ALONE, 0.1).text


@pytest.mark.parametrize(
    ("value", "guess", "said"),
    [
        (0.25, 0.5, "You guessed μ = 0.50: 0.2500 too high."),
        (0.25, 0.1, "You guessed μ = 0.10: 0.1500 too low."),
        (0.25, None, "You said that there is none. It is there."),
        (None, None, "You said that there is none. Right!"),
        (None, 0.5, "You guessed μ = 0.50."),
    ],
)
def test_the_verdict_tells_the_error(value: float | None, guess: float | None, said: str) -> None:
    """Answer first, then how far off the guess is and on which side."""
    assert verdict(Answer(value=value, text="Answer."), guess, "μ") == f"Answer. {said}"


def test_hide_guess_and_reveal() -> None:
    """From the button to the answer, with what the page shows at each stage."""
    app = opened(mu="0.9", **LINK)
    app.button(key="predict-start").click()
    run(app)
    assert link_of(app)["predict"] == "hidden"
    assert app.slider(key="mu").value == 0.1
    secret = [words.edge(c.value) for c in FLIPS.crossovers if c.value > 0.1]
    assert secret
    page = page_text(app)
    assert not [text for text in secret if text in page]
    assert "Start from a case" not in [e.label for e in app.expander]
    app.slider(key="guess").set_value(0.3)
    run(app)
    assert link_of(app)["guess"] == "0.3"
    assert "my guess at μ = 0.3000" in str(chart(app, "damage")["alt"])
    app.button(key="predict-reveal").click()
    run(app)
    found = answer(FLIPS, 0.1)
    (said,) = app.success
    assert said.value == verdict(found, 0.3, "μ")
    assert found.value is not None
    assert words.edge(found.value) in str(chart(app, "damage")["alt"])
    assert says(app, SCENARIO, 0.1)
    app.button(key="predict-end").click()
    run(app)
    assert not {"predict", "edge", "guess", "never"} & set(link_of(app))


def page_text(app: object) -> str:
    """Return all texts of the page, those in the charts and in the browser's store included."""
    parts = [part.proto.json for part in app.get("bidi_component")]  # type: ignore[attr-defined]
    said = [
        element.value
        for kind in ("markdown", "caption", "warning", "success", "error", "title", "subheader")
        for element in getattr(app, kind)
    ]
    return " ".join([shown(app), *parts, *said])  # type: ignore[arg-type]


def test_no_array_of_a_chart_reaches_beyond_the_edge() -> None:
    """The figures that the browser is given end at the edge, in both charts."""
    app = opened(predict="hidden", edge="0.2", mu="0.1", **LINK)
    for key in ("damage", "ranks"):
        figure = json.loads(str(chart(app, key)["figure"]))
        for trace in figure["data"]:
            x = trace["x"]
            if isinstance(x, dict):
                x = np.frombuffer(base64.b64decode(x["bdata"]), dtype=x["dtype"])
            assert max(x) <= 0.2
    assert max(visible(FLIPS, 0.2).values) == 0.2


def test_a_slider_beyond_the_edge_shows_nothing() -> None:
    """Moved into the hidden range, readouts, sentence and table say only that it is hidden."""
    app = opened(predict="hidden", mu="0.9", **LINK)
    assert shown(app).count("<strong>Hidden</strong>") == 4
    assert shown(app).count(">hidden</td>") == len(FLIPS.mechanisms)
    app.slider(key="mu").set_value(0.05)
    run(app)
    assert shown(app).count("<strong>Hidden</strong>") == 1


def test_the_guess_that_there_is_none() -> None:
    """Without any crossover the viewer can be right."""
    app = opened(predict="hidden", mech="dense", **LINK)
    app.toggle(key="never").set_value(True)
    app.button(key="predict-reveal").click()
    run(app)
    assert app.success[0].value.endswith("Right!")
    assert link_of(app)["never"] == "yes"
    again = opened(**link_of(app))
    assert again.success[0].value == app.success[0].value


@pytest.mark.parametrize("opt", list(OPTIMIZERS))
@pytest.mark.parametrize("edge", ["0", "1"])
def test_any_edge_fits_any_optimizer(opt: str, edge: str) -> None:
    """Edge and guess of a link are moved into the range of what is swept."""
    app = opened(predict="hidden", edge=edge, guess=edge, opt=opt, rate="0.1", **SMALL)
    swept = swept_of(OPTIMIZERS[opt]())
    assert not app.error
    assert swept.low < app.slider(key="edge").value < app.slider(key="guess").value <= swept.high


def test_a_fault_elsewhere_is_still_a_message() -> None:
    """A revealed prediction of a scenario that cannot be used says only what is wrong."""
    app = opened(predict="revealed", spectrum="custom", lam="1, x", **SMALL)
    assert len(app.error) == 1
    assert not app.success


def test_the_prediction_survives_another_page() -> None:
    """Edge, guess and stage are there again after a visit to the other page."""
    app = opened(predict="hidden", edge="0.2", guess="0.6", mu="0.1", **LINK)
    before = link_of(app)
    app.switch_page("pages/why.py")
    run(app)
    app.switch_page("pages/explore.py")
    run(app)
    assert link_of(app) == before
    assert app.slider(key="guess").value == 0.6
    assert PARAMETERS["edge"].default != 0.2
