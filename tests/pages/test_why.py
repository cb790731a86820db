"""“Why it flips”: what is said and drawn is what the engine finds, whatever the setting."""

from __future__ import annotations

import base64
import itertools
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from momentdp_core import (
    Curvature,
    InputError,
    Scenario,
    Schedule,
    Study,
    damage_by_mode,
    evaluate,
    explain_pair,
    final_damage,
    frequency_view,
    impulse_response,
    noise_autocovariance,
    sample_noise,
)
from pages.figures import parts, why_frequency, why_modes, why_time
from pages.figures.style import DARK_BACKGROUND, LIGHT_BACKGROUND, MARKS
from pages.figures.why_parts import shade
from pages.views import words
from pages.views.swept import SWEPT
from pages.views.why import Pair, mode_name, pair_at, pair_view, scenario_of
from pages.views.why_charts import ChartsView, charts_view
from tests.pages.test_figures import contrast

MOMENTA = SWEPT["heavy_ball"].values

SMALL, LARGE = {"horizon": 16, "bands": 4}, {"horizon": 128, "bands": 16}
FIGURES = (
    why_time.response_figure,
    why_time.covariance_figure,
    why_time.sample_figure,
    why_frequency.spectrum_figure,
    why_frequency.damage_figure,
    why_modes.modes_figure,
)


def study_of(**arguments: object) -> Study:
    return evaluate(Scenario(**{**SMALL, **arguments}), MOMENTA)  # type: ignore[arg-type]


def pair_of(
    momentum: float, first: str = "noisecurve", second: str | None = "dense", **arguments: object
) -> Pair:
    return pair_at(study_of(**arguments), momentum, first, second)


def charts_of(pair: Pair, mode: int | None = None) -> ChartsView:
    return charts_view(pair, mode, seed=0)


def readout(pair: Pair, key: str) -> str:
    (found,) = [
        f"{r.label}; {r.value}; {r.detail}" for r in pair_view(pair).readouts if r.key == key
    ]
    return found


ODD = {
    "one step": {"horizon": 1},
    "two steps": {"horizon": 2},
    "odd horizon": {"horizon": 7},
    "one direction": {"curvature": Curvature(modes=1)},
    "equal directions": {"curvature": Curvature(family="isotropic")},
    "flat directions": {"curvature": Curvature(family="custom", values=(1.0, 0.1, 0.0, 0.0))},
    "zero damage": {"horizon": 2, "schedule": Schedule(family="custom", values=(0.0, 0.0))},
    "decaying": {"schedule": Schedule(family="cosine")},
    "unstable": {"learning_rate": 3.0},
}


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_both_totals_are_the_engines(momentum: float) -> None:
    """The readouts of a and b hold the exact damage and the total of stationary theory."""
    pair = pair_of(momentum)
    exact = final_damage(pair.scenario, [momentum])[:, 0]
    stationary = frequency_view(pair.scenario, momentum).stationary.sum(axis=1)
    for place, letter, i in (("first", "a", 0), ("second", "b", 1)):
        shown = readout(pair, place)
        assert shown.startswith(f"{letter}: {words.name(pair.keys[i])}; {words.number(exact[i])};")
        assert shown.endswith(f"stationary theory: {words.number(stationary[i])}")


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_the_sentence_is_the_explanation(momentum: float) -> None:
    """Winner, gap, the band that sets them apart and the mode are explain_pair's."""
    pair = pair_of(momentum)
    found = explain_pair(pair.scenario, momentum, "noisecurve", "dense")
    sentence = pair_view(pair).sentence
    assert f"{words.name(found.better)} beats {words.name(found.worse)}" in sentence
    assert mode_name(pair.scenario.eigenvalues, found.mode) in sentence
    assert words.number(found.mode_gap) in sentence
    assert words.number(found.gap) in sentence
    assert f"{100 * found.band_share:.0f} % of what sets the two apart" in sentence
    assert all(words.number(round(edge, 3)) in sentence for edge in found.band if edge)
    assert words.number(abs(found.band_gap)) in sentence
    assert words.number(abs(found.gap - found.band_gap)) in sentence


def test_slow_and_fast_noise_are_told_apart() -> None:
    """Slow or fast noise decides, a band in between stands out, or one is behind everywhere."""
    case = {"curvature": Curvature(condition_number=10), "learning_rate": 0.1, **LARGE}
    for pair, side in ((pair_of(0.9, **case), "slower"), (pair_of(0.3), "faster")):
        swing = f"Noise {side} than a swing in {1 / getattr(pair.found, 'frequency', 1):.1f} steps"
        assert swing in pair_view(pair).sentence
    assert "One band of frequencies stands out" in pair_view(pair_of(0.15, **case)).sentence
    assert "ahead neither in slow nor in" in pair_view(pair_of(0.0, "iid", **case)).sentence


def test_the_sentence_says_where_they_change_places() -> None:
    """The momenta named are the study's crossovers of that very pair, or none."""
    pair = pair_of(0.5)
    places = [c.value for c in pair.study.crossovers if set(c.pair) == {"noisecurve", "dense"}]
    assert places
    assert all(f"{place:.4f}" in pair_view(pair).sentence for place in places)
    crossed = {frozenset(c.pair) for c in pair.study.crossovers}
    others = itertools.combinations(pair.study.mechanisms, 2)
    first, second = next(keys for keys in others if frozenset(keys) not in crossed)
    steady = pair_at(pair.study, 0.5, first, second)
    assert "order is the same" in pair_view(steady).sentence


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("first", ["noisecurve", "dense"])
def test_the_best_other_one_is_the_rival(momentum: float, first: str) -> None:
    """Without a choice of b it is the winner, or the second if a is the winner."""
    pair = pair_of(momentum, first, None)
    at = pair.study.at(momentum)
    order = [pair.study.mechanisms[i] for i in np.argsort(pair.study.damage[:, at])]
    assert pair.keys[1] == next(key for key in order if key != first)


def test_a_pair_needs_two_mechanisms() -> None:
    """The same one twice, or nothing to choose from, says what to do; others are added."""
    scenario = Scenario(**SMALL, mechanisms=("noisecurve",))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Choose two different"):
        scenario_of(scenario, "iid", "iid")
    with pytest.raises(InputError, match="Choose b here"):
        scenario_of(scenario, "noisecurve", None)
    assert scenario_of(scenario, "noisecurve", "sqrt").mechanisms == ("noisecurve", "sqrt")
    assert scenario_of(scenario, "iid", None).mechanisms == ("noisecurve", "iid")
    full = replace(scenario, mechanisms=("iid", "dense"))
    assert scenario_of(full, "iid", None) == full


def test_unstable_momentum_is_said() -> None:
    """Above the limit nothing is ranked or drawn but the noise, and the way out is named."""
    pair = pair_of(0.2, learning_rate=3.0)
    view = charts_of(pair)
    assert "unstable" in pair_view(pair).sentence
    assert "2.4" in pair_view(pair).sentence
    assert "unstable" in readout(pair, "first")
    assert (view.filter, view.spectrum, view.modes) == (None, None, None)
    assert view.noise.noise.shape == (2, 16)
    assert "unstable" in view.unstable_alt


def test_a_tie_is_said() -> None:
    """With one step all do the same; zero damage is a tie too. No mode is named."""
    for case in ("one step", "zero damage"):
        pair = pair_of(0.5, **ODD[case])
        assert "do the same damage" in pair_view(pair).sentence
        assert "A tie" in readout(pair, "ahead")
        assert "None" in readout(pair, "mode")
        modes = charts_of(pair).modes
        assert modes is not None
        assert modes.decider is None


def test_time_shows_the_engines_arrays() -> None:
    """g of the chosen mode or of all; autocovariance and sample of a and b, same seed."""
    pair = pair_of(0.9)
    response = impulse_response(pair.scenario, [0.9])[0]
    every, one = charts_of(pair), charts_of(pair, mode=3)
    assert every.filter is not None
    assert one.filter is not None
    np.testing.assert_array_equal(every.filter.response, response)
    np.testing.assert_array_equal(one.filter.response, response[3:4])
    assert "mode 4" in one.filter.alt
    np.testing.assert_array_equal(every.noise.covariance, noise_autocovariance(pair.scenario, 24))
    np.testing.assert_array_equal(every.noise.noise, sample_noise(pair.scenario, 0))
    np.testing.assert_allclose(every.noise.total[:, -1], every.noise.noise.sum(axis=1))


def test_the_area_by_frequency_is_the_damage() -> None:
    """Height times octaves adds up to D for a and b; frequency 0 stands left of the others."""
    pair = pair_of(0.9)
    view = charts_of(pair).spectrum
    assert view is not None
    areas = view.heights @ np.diff(np.log2(view.edges))
    np.testing.assert_allclose(areas, pair.damage, rtol=1e-9)
    assert view.edges[0] < view.places[0] < view.edges[1] < view.places[1]
    assert words.number(pair.damage[0]) in view.damage_alt


def test_the_shading_is_the_gap() -> None:
    """The shaded areas, b ahead minus a ahead, are D_a − D_b."""
    pair = pair_of(0.9)
    view = charts_of(pair)
    drawn = why_frequency.damage_figure(view)
    areas = {}
    for trace in drawn.data[:2]:
        corners = np.array([c for c in trace.x if c is not None], dtype=float).reshape(-1, 5)
        heights = np.array([c for c in trace.y if c is not None], dtype=float).reshape(-1, 5)
        octaves = np.log2(corners[:, 2] / corners[:, 1])
        areas[trace.name] = float(octaves @ (heights[:, 1] - heights[:, 0]))
    assert min(areas.values()) >= 0
    assert areas["b ahead"] - areas["a ahead"] == pytest.approx(pair.damage[0] - pair.damage[1])


def test_bars_add_up_and_name_the_decider() -> None:
    """Every mechanism's parts add up to its damage, best first; the decider is explain_pair's."""
    pair = pair_of(0.9)
    view = charts_of(pair).modes
    assert view is not None
    table = damage_by_mode(pair.study.scenario, [0.9])[:, 0]
    assert [bar.damage for bar in view.bars] == sorted(bar.damage for bar in view.bars)
    for bar in view.bars:
        np.testing.assert_array_equal(bar.parts, table[pair.study.mechanisms.index(bar.key)])
        assert bar.parts.sum() == pytest.approx(bar.damage, rel=1e-9)
        assert bar.scale * bar.damage <= view.most * (1 + 1e-12)
        assert (bar.scale < 1) == (bar.damage > view.most)
    assert {bar.letter: bar.key for bar in view.bars if bar.letter} == {
        "a": "noisecurve", "b": "dense",
    }  # fmt: skip
    assert pair.found is not None
    assert view.decider == pair.found.mode
    drawn = [trace for trace in why_modes.modes_figure(charts_of(pair)).data if trace.type == "bar"]
    striped = [trace for trace in drawn if trace.marker.pattern.shape]
    assert [t.name.split(",")[0] for t in striped] == [f"mode {view.decider + 1}"]


@pytest.mark.parametrize("case", list(ODD))
@pytest.mark.parametrize("momentum", [0.2, 0.9])
@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: draw.__name__)
def test_figures_are_strict_json_with_set_ranges(case: str, momentum: float, draw: Any) -> None:
    """Whatever the setting: no infinity, and ranges that the reset button can go back to."""
    pair = pair_of(momentum, **ODD[case])
    text = parts.to_json(draw(charts_of(pair)))
    parsed = json.loads(text, parse_constant=pytest.fail)
    for axis in ("xaxis", "yaxis"):
        low, high = parsed["layout"][axis]["range"]
        assert np.isfinite([low, high]).all()
        assert low != high
    for trace in parsed["data"]:
        for values in (trace.get("x"), trace.get("y")):
            if isinstance(values, dict):
                numbers = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
                assert not np.isinf(numbers.astype(float)).any()


@pytest.mark.parametrize("draw", FIGURES[1:5], ids=lambda draw: draw.__name__)
def test_a_and_b_have_their_mechanisms_looks(draw: Any) -> None:
    """Each line of a and b is named and has the mechanism's fixed colour."""
    drawn = draw(charts_of(pair_of(0.9)))
    for letter, key in (("a", "noisecurve"), ("b", "dense")):
        lines = [t for t in drawn.data if t.name == f"{letter}: {words.name(key)}"]
        assert lines
        assert {line.line.color for line in lines} == {MARKS[key].color}


def test_only_what_follows_the_momentum_carries_it() -> None:
    """The noise does not depend on μ: its figures stay the same text, so that they stay drawn."""
    calm, heavy = (charts_of(pair_at(study_of(), m, "noisecurve", "dense")) for m in (0.1, 0.9))
    for draw in FIGURES:
        same = parts.to_json(draw(calm)) == parts.to_json(draw(heavy))
        assert same == (draw in FIGURES[1:3])


@pytest.mark.parametrize("background", [LIGHT_BACKGROUND, DARK_BACKGROUND])
def test_shades_of_modes_can_be_seen(background: str) -> None:
    """Every shade has a contrast of at least 2 : 1 on either background."""
    assert min(contrast(shade(s), background) for s in np.linspace(0, 1, 11)) >= 2


def test_a_squeezed_bar_is_explained_in_the_picture() -> None:
    """Exported alone, the figure still says what » is; without such a bar it does not."""
    pair = pair_of(0.9, "iid", horizon=64)
    view = charts_of(pair)
    assert view.modes is not None
    for scale in (1.0, 0.5):
        bars = tuple(replace(bar, scale=scale) for bar in view.modes.bars)
        figure = why_modes.modes_figure(replace(view, modes=replace(view.modes, bars=bars)))
        (note,) = figure.layout.annotations
        assert ("» squeezed to fit; its number holds" in note.text) == (scale < 1)
        assert any("»" in text for text in figure.layout.yaxis.ticktext) == (scale < 1)
