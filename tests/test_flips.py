"""The nearest flip along each control, beside a brute-force search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import (
    Curvature,
    InputError,
    MapAxis,
    Scenario,
    Schedule,
    final_damage,
    flips_among,
    nearest_flips,
    ranks,
)

KEYS = ("iid", "dense", "banded_mean", "toeplitz_mean", "bisr", "lr_aware")
SMALL = Scenario(horizon=32, bands=4, curvature=Curvature(modes=4), mechanisms=KEYS)
AXES = {
    "value": MapAxis(name="value", points=(0.0, 0.99)),
    "rate": MapAxis(name="rate", points=(0.01, 1.6)),
    "condition": MapAxis(name="condition", points=(1.0, 10000.0)),
}


def answers(scenario, value, pair):
    """The winner and who of the pair is ahead, by the norm route."""
    table = final_damage(scenario, [value])[:, 0]
    first, second = (scenario.mechanisms.index(key) for key in pair)
    ahead = pair[0] if table[first] < table[second] else pair[1]
    return {"winner": scenario.mechanisms[int(np.argmin(table))], "pair": ahead}


def moved(scenario, value, control, place):
    """The scenario and value with one control moved."""
    if control == "value":
        return scenario, place
    if control == "rate":
        return replace(scenario, learning_rate=place), value
    return replace(scenario, curvature=replace(scenario.curvature, condition_number=place)), value


@pytest.mark.parametrize("control", AXES)
@pytest.mark.parametrize("value", [0.3, 0.85])
def test_the_first_change_is_where_a_fine_walk_finds_it(control, value):
    """Walking the axis in 1500 steps, an answer changes in the very step that holds the flip."""
    pair = ("bisr", "toeplitz_mean")
    start = {"value": value, "rate": 0.8, "condition": 100.0}[control]
    own = answers(SMALL, value, pair)
    found = nearest_flips(SMALL, value, AXES[control], pair=pair)
    assert {(f.question, f.direction) for f in found} == {
        (question, side) for question in ("winner", "pair") for side in (-1, 1)
    }
    for flip in found:
        end = AXES[control].points[0 if flip.direction < 0 else 1]
        walk = (np.linspace if control == "value" else np.geomspace)(start, end, 1500)[1:]
        changed = None
        for before, place in zip([start, *walk[:-1]], walk, strict=True):
            if (
                answers(*moved(SMALL, value, control, place), pair)[flip.question]
                != own[flip.question]
            ):
                changed = tuple(sorted((before, place)))
                break
        if changed is None:
            assert flip.at is None
            assert flip.after == ()
        else:
            assert flip.at is not None
            assert changed[0] <= flip.at * (1 + 1e-6)
            assert flip.at * (1 - 1e-6) <= changed[1]
            assert flip.before == (own[flip.question],)


def test_both_sides_of_a_flip_are_re_evaluated():
    """A hair before the flip the old answer holds, a hair beyond the new one, and Δ ≈ 0 on it."""
    (down, up) = (f for f in nearest_flips(SMALL, 0.5, AXES["value"]) if f.question == "winner")
    told = [f for f in (down, up) if f.at is not None]
    assert told
    for flip in told:
        old, new = (KEYS.index(answer[0]) for answer in (flip.before, flip.after))
        side = 1e-6 * flip.direction
        before, on, beyond = final_damage(SMALL, [flip.at - side, flip.at, flip.at + side]).T
        assert np.argmin(before) == old
        assert np.argmin(beyond) == new
        assert abs(on[old] - on[new]) / (on[old] + on[new]) <= 1e-6


def test_the_published_flip_is_found_from_both_sides():
    """κ = 10, ηλmax = 0.8: from μ = 0 up and from μ = 0.5 down, the crossover lies between."""
    table_1 = Scenario(curvature=Curvature(condition_number=10), mechanisms=("dense", "noisecurve"))
    up = nearest_flips(table_1, 0.0, AXES["value"])
    down = nearest_flips(table_1, 0.5, AXES["value"])
    above = next(f for f in up if f.question == "winner" and f.direction == 1)
    below = next(f for f in down if f.question == "winner" and f.direction == -1)
    assert above.before == below.after == ("noisecurve",)
    assert above.after == below.before == ("dense",)
    assert 0 < above.at < 0.5
    assert above.at == pytest.approx(below.at, abs=1e-6)
    rank = next(f for f in up if f.question == "rank" and f.direction == 1)
    assert (rank.subject, rank.before, rank.after) == (("noisecurve",), ("1",), ("2",))
    assert rank.at == pytest.approx(above.at, abs=1e-6)


def test_turning_unstable_is_an_answer():
    """Heavy ball at μ = 0 turns unstable at ηλmax = 2, which ends every answer."""
    axis = MapAxis(name="rate", points=(0.1, 3.0))
    two = replace(SMALL, mechanisms=("iid", "bisr"), learning_rate=1.9)
    up = next(f for f in nearest_flips(two, 0.0, axis) if f.direction == 1)
    assert up.at == pytest.approx(2.0, rel=1e-8)
    assert up.after == ("unstable",)


def test_a_redesigned_mechanism_keeps_its_own_design_where_it_stands():
    """The answers at the current setting are those of the scenario itself, NoiseCurve's too."""
    scenario = Scenario(
        horizon=32, bands=4, curvature=Curvature(modes=4), mechanisms=("dense", "noisecurve")
    )
    own = ranks(final_damage(scenario, [0.2])[:, 0])
    for name in ("rate", "condition"):
        for flip in nearest_flips(scenario, 0.2, AXES[name]):
            if flip.question == "rank":
                assert flip.before == (str(own[1]),)


def test_options_that_flip_are_exactly_those_whose_own_study_says_so():
    """Each schedule is listed for the winner exactly if its scenario has another winner."""
    families = ("constant", "cosine", "step", "exponential", "back_loaded")
    options = [Schedule(family=family) for family in families]
    own = KEYS[int(np.argmin(final_damage(SMALL, [0.9])[:, 0]))]
    listed = {
        flip.option.family: flip.after[0]
        for flip in flips_among(SMALL, 0.9, "schedule", options)
        if flip.question == "winner" and flip.option
    }
    for option in options[1:]:
        table = final_damage(replace(SMALL, schedule=option), [0.9])[:, 0]
        winner = KEYS[int(np.argmin(table))]
        assert listed.get(option.family, own) == winner
    assert listed


def test_privacy_never_flips():
    """A smaller ε scales all damages alike, so no option is listed."""
    (flip,) = flips_among(SMALL, 0.9, "epsilon", [0.5, 1.0, 16.0])
    assert (flip.option, flip.after) == (None, ())


def test_a_longer_axis_is_asked_for_where_the_setting_is_outside():
    """The current setting must lie on the axis; a pair must be in the scenario."""
    with pytest.raises(InputError, match="rate"):
        nearest_flips(replace(SMALL, learning_rate=2.0), 0.5, AXES["rate"])
    with pytest.raises(InputError, match="pair"):
        nearest_flips(SMALL, 0.5, AXES["rate"], pair=("iid", "noisecurve"))
