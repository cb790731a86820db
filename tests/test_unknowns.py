"""What is not known becomes conditions, and the design for them is the engine's own."""

from __future__ import annotations

import pytest

from momentdp_core import (
    Curvature,
    InputError,
    Scenario,
    Unknowns,
    design_for,
    optimal_design,
    range_design,
)

SMALL = Scenario(horizon=16)


def test_every_combination_is_one_condition():
    """Five swept values, three condition numbers, four rates; ends included, none twice."""
    unknown = Unknowns(scenario=SMALL, low=0.8, high=0.95, condition_factor=10, lowest_rate=0.25)
    pairs = unknown.conditions()
    assert len(pairs) == len(set(pairs)) == 60
    assert {value for _, value in pairs} == set(unknown.values)
    assert (unknown.values[0], unknown.values[-1]) == (0.8, 0.95)
    assert {s.curvature.condition_number for s, _ in pairs} == {10, 100, 1000}
    rates = sorted({s.learning_rate / SMALL.learning_rate for s, _ in pairs})
    assert rates == pytest.approx([0.25, 0.5, 0.75, 1.0], rel=1e-12)
    assert (SMALL, 0.8) in pairs


def test_a_design_for_what_is_known_is_the_engines():
    """One condition gives `optimal_design`, several `range_design` of exactly these conditions."""
    known = design_for(Unknowns(scenario=SMALL, low=0.9, high=0.9), bands=4)
    assert known.damage == optimal_design(SMALL, 0.9, 4).damage
    unknown = Unknowns(scenario=SMALL, low=0.9, high=0.9, lowest_rate=0.5)
    design = design_for(unknown, worst_case=True)
    again = range_design(unknown.conditions(), worst_case=True, relative=True)
    assert design.objective == again.objective
    assert (design.damage == again.damage).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"low": 0.9, "high": 0.8}, "lowest momentum = 0.9"),
        ({"high": 1.0}, "momentum = 1.0"),
        ({"condition_factor": 0.5}, "condition_factor = 0.5"),
        ({"condition_factor": 200}, "at most the condition number, 100"),
        ({"lowest_rate": 0}, "lowest_rate = 0"),
        ({"lowest_rate": 2}, "lowest_rate = 2"),
        (
            {"scenario": Scenario(curvature=Curvature(family="isotropic")), "condition_factor": 2},
            "1 for the spectrum isotropic",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_makes_no_range_is_refused(change, message):
    """Each wrong end is named."""
    with pytest.raises(InputError, match=message):
        Unknowns(**{"scenario": SMALL, "low": 0.5, "high": 0.9} | change)


def test_unstable_conditions_are_not_designed_for():
    """2(1+μ) is heavy ball's limit: rate 3 is stable from μ = 0.5 on, and the message names 0."""
    unknown = Unknowns(scenario=Scenario(horizon=16, learning_rate=3.0), low=0.0, high=0.8)
    assert unknown.unstable() == (0.0, 0.2, 0.4)
    with pytest.raises(InputError, match=r"momentum = 0\.0"):
        design_for(unknown)
