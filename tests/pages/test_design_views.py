"""What the Design page says and draws is what the engine finds, condition by condition."""

from __future__ import annotations

import importlib
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from momentdp_core import InputError, Scenario, evaluate, final_damage, price_of_bands
from pages.figures import design as figures
from pages.figures import design_noise, parts
from pages.figures.style import BEST_MARK, DARK_BACKGROUND, LIGHT_BACKGROUND, MARKS, OPTIMIZER_MARKS
from pages.views import design as views
from pages.views import design_charts as charts
from pages.views.design_texts import design_view
from pages.views.swept import swept_of
from tests.pages.test_figures import contrast

SMALL = Scenario(horizon=16, bands=4, mechanisms=("iid", "dense", "noisecurve"))
ASKED: dict[str, Any] = {
    "low": 0.5,
    "high": 0.9,
    "condition_factor": 1.0,
    "lowest_rate": 0.5,
    "banded": False,
    "worst_case": False,
    "relative": True,
}


def asked(scenario: Scenario = SMALL, **changes: Any) -> views.Contest:
    """Return the contest of a question."""
    question = views.question_of(scenario, **{**ASKED, **changes})
    return views.contest(question, scenario, views.design_of(question))


@pytest.fixture(scope="module")
def found() -> views.Contest:
    """The contest of a range of 20 conditions."""
    return asked()


@pytest.mark.parametrize("module", ["views.design", "views.design_texts", "views.design_charts"])
def test_examples_in_the_docstrings_hold(module: str) -> None:
    """The doctests of the views run."""
    import doctest

    loaded: ModuleType = importlib.import_module(f"pages.{module}")
    assert doctest.testmod(loaded).failed == 0


def test_every_mechanism_keeps_its_design_in_every_condition(found: views.Contest) -> None:
    """NoiseCurve is not designed anew for a condition that nobody knows to be the true one."""
    row = found.keys.index("noisecurve")
    noising = SMALL.design("noisecurve").noising_matrix()
    for c, (scenario, value) in enumerate(found.design.conditions):
        lone = replace(scenario, mechanisms=("iid",))
        from momentdp_core.transfer import impulse_response

        g = impulse_response(lone, np.array([value]))[0]
        sums = ((g @ noising) ** 2).sum(axis=1) @ lone.eigenvalues
        assert found.damage[row, c] == pytest.approx(0.5 * lone.noise_multiplier**2 * sums)
    at = found.design.conditions.index((replace(SMALL, mechanisms=("iid",), bands=1), 0.9))
    assert found.damage[1:, at] == pytest.approx(final_damage(SMALL, [0.9])[:, 0])


def test_nothing_is_better_than_the_best_possible(found: views.Contest) -> None:
    """Every multiple is at least 1, and the design's score is no larger than any other's."""
    assert (found.times >= 1 - 1e-9).all()
    assert found.score()[0] == found.score().min()


def test_the_question_holds_what_the_design_depends_on() -> None:
    """Mechanisms shown and unused bands make no other question; used ones do."""
    other = replace(SMALL, mechanisms=("bisr",), bands=7)
    assert views.question_of(SMALL, **ASKED) == views.question_of(other, **ASKED)
    banded = {**ASKED, "banded": True}
    assert views.question_of(SMALL, **banded) != views.question_of(other, **banded)
    single = {**ASKED, "low": 0.9, "lowest_rate": 1.0}
    question = views.question_of(SMALL, **{**single, "worst_case": True, "relative": False})
    assert question == views.question_of(SMALL, **single)
    assert question.quick
    assert not views.question_of(SMALL, **ASKED).quick


def test_the_words_are_the_numbers(found: views.Contest) -> None:
    """Readouts and table say the mean and worst multiples; the sentence names the best rival."""
    view = design_view(found)
    cards = {readout.key: readout for readout in view.readouts}
    assert cards["times"].value == views.multiple(float(found.times[0].mean()))
    assert views.multiple(float(found.times[0].max())) in cards["times"].detail
    assert "20 conditions" in cards["design"].detail
    assert view.lines[0].key == views.DESIGN
    scores = dict(zip(found.keys, found.score(), strict=True))
    assert [line.key for line in view.lines[1:]] == sorted(found.keys[1:], key=scores.__getitem__)
    assert view.lines[1].label in view.sentence
    for line in view.lines[1:]:
        n = found.keys.index(line.key)
        assert line.beats == f"{views.beaten(found, n)} of 20"
        assert line.where == found.label(int(found.times[n].argmax()))


def test_a_design_that_loses_somewhere_says_where() -> None:
    """With one band the design is nearly independent noise, and Dense MF beats it."""
    lost = asked(replace(SMALL, bands=1), banded=True)
    view = design_view(lost)
    assert "Dense MF does better than this design" in view.sentence
    assert "It loses most often to Dense MF: in 20 of 20 conditions" in view.sentence


def test_one_condition_is_said_plainly() -> None:
    """At one value there is no mean and no worst case in the words."""
    view = design_view(asked(low=0.9, lowest_rate=1.0))
    assert view.sentence.startswith("NoiseCurve, the best published mechanism here, does ")
    assert view.heading == "Who does how well"
    assert {r.key: r.detail for r in view.readouts}["design"] == "for μ = 0.9"


def test_the_certificate_is_rounded_up() -> None:
    """What is promised in percent is never less than the gap."""
    from pages.views.design_texts import share

    assert [share(x) for x in (0.0, 1e-9, 0.00011, 0.02)] == ["0 %", "0.01 %", "0.02 %", "2 %"]


def test_the_sweep_is_the_studys(found: views.Contest) -> None:
    """Curves of the mechanisms are the study's; the design's goes through its own damages."""
    study = evaluate(SMALL, swept_of(SMALL.optimizer).values)
    chart = charts.sweep_chart(found, study)
    for curve, row in zip(chart.curves[1:], study.damage, strict=True):
        np.testing.assert_allclose(curve.damage, row, rtol=1e-9)
    assert chart.places == pytest.approx(np.linspace(0.5, 0.9, 5))
    own = dict(zip(study.values.round(2), chart.curves[0].damage, strict=True))
    conditions = found.design.conditions
    for value in chart.places:
        c = conditions.index((found.question.unknown.scenario, value))
        assert own[round(value, 2)] == pytest.approx(found.damage[0, c], rel=1e-9)
    figure = figures.sweep_figure(chart)
    assert [trace.name for trace in figure.data][-2:] == ["This design", "Best possible"]
    assert figure.layout.shapes[-1].x0 == 0.5
    assert parts.to_json(figure)


def test_unstable_values_are_not_drawn() -> None:
    """At rate 3 heavy ball is stable from μ = 0.5 on: nothing is drawn below."""
    scenario = replace(SMALL, learning_rate=3.0)
    lone = asked(scenario, low=0.9, lowest_rate=1.0)
    chart = charts.sweep_chart(lone, evaluate(scenario, swept_of(scenario.optimizer).values))
    for curve in chart.curves:
        assert np.isnan(curve.damage[:50]).all()
        assert np.isfinite(curve.damage[60:]).all()
    with pytest.raises(InputError, match="stable settings only"):
        asked(scenario, low=0.1)


def test_every_condition_is_a_point(found: views.Contest) -> None:
    """A row of 20 points a mechanism, the design on top, the worst point larger."""
    chart = charts.conditions_chart(found)
    figure = figures.conditions_figure(chart)
    assert chart.keys[0] == views.DESIGN
    for trace, row in zip(figure.data, chart.times, strict=True):
        assert len(trace.x) == len(trace.text) == 20
        assert int(np.argmax(trace.marker.size)) == int(row.argmax())


def test_the_noise_is_the_mechanisms(found: views.Contest) -> None:
    """Matrices, sample and spectrum: C C⁻¹ = I, K = C⁻¹C⁻ᵀ, Parseval, and the seed decides."""
    chart = charts.noise_chart(found, 3)
    strategy, noising, covariance = chart.matrices
    np.testing.assert_allclose(strategy @ noising, np.eye(16), atol=1e-9)
    np.testing.assert_allclose(noising @ noising.T, covariance, atol=1e-9)
    np.testing.assert_allclose(strategy @ chart.sample, chart.independent, atol=1e-9)
    both = np.concatenate([chart.power, chart.power[1:-1]])
    assert both.mean() == pytest.approx(np.trace(covariance) / 16)
    assert not np.allclose(chart.sample, charts.noise_chart(found, 4).sample)
    for figure in (
        design_noise.matrices_figure(chart),
        design_noise.sample_figure(chart),
        design_noise.spectrum_figure(chart),
    ):
        assert parts.to_json(figure)


def test_long_runs_are_thinned() -> None:
    """More steps than cells: the first, the last and evenly spaced ones between are drawn."""
    lone = asked(Scenario(horizon=150, mechanisms=("iid",)), low=0.9, lowest_rate=1.0)
    chart = charts.noise_chart(lone, 0)
    assert chart.thinned
    assert (len(chart.steps), chart.steps[0], chart.steps[-1]) == (charts.MOST_CELLS, 1, 150)
    full = lone.design.mechanism.covariance
    assert chart.matrices[2][-1, -1] == full[-1, -1]


def test_the_price_marks_the_knee() -> None:
    """The knee, memory and work are the engine's; without a knee nothing is marked."""
    prices = price_of_bands(SMALL, 0.9, bands=(1, 2, 4, 8))
    view = charts.price_chart(prices)
    figure = figures.price_figure(view)
    assert f"{prices.knee} bands bring 95 %" in view.sentence
    assert [shape.x0 for shape in figure.layout.shapes][-1] == prices.knee
    assert view.ticks[2] == "4<br>3<br>4"
    none = price_of_bands(SMALL, 0.9, bands=(1,))
    assert none.knee is None
    assert len(figures.price_figure(charts.price_chart(none)).layout.shapes) == 1


def test_one_step_and_no_damage_are_drawn() -> None:
    """T = 1 and rate 0 have figures too."""
    one = asked(Scenario(horizon=1, mechanisms=("iid",)), low=0.9, lowest_rate=1.0)
    zero = asked(replace(SMALL, learning_rate=0.0), low=0.9, lowest_rate=1.0)
    for lone in (one, zero):
        scenario = lone.scenario
        study = evaluate(scenario, swept_of(scenario.optimizer).values)
        prices = price_of_bands(scenario, 0.9, bands=(1, 2))
        chart = charts.noise_chart(lone, 0)
        assert design_view(lone).sentence
        for figure in (
            figures.sweep_figure(charts.sweep_chart(lone, study)),
            figures.conditions_figure(charts.conditions_chart(lone)),
            figures.price_figure(charts.price_chart(prices)),
            design_noise.matrices_figure(chart),
            design_noise.sample_figure(chart),
            design_noise.spectrum_figure(chart),
        ):
            assert "NaN" not in parts.to_json(figure)


def test_the_best_mark_is_its_own() -> None:
    """No mechanism and no optimizer has its symbol, glyph or colour; readable on both themes."""
    others = [*MARKS.values(), *OPTIMIZER_MARKS.values()]
    for field in ("symbol", "glyph", "color"):
        assert getattr(BEST_MARK, field) not in {getattr(mark, field) for mark in others}
    for background in (LIGHT_BACKGROUND, DARK_BACKGROUND):
        assert contrast(BEST_MARK.color, background) >= 3
