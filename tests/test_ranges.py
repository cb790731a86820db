"""Designs for several conditions, and the price of bands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import (
    Curvature,
    InputError,
    Scenario,
    Schedule,
    final_damage,
    optimal_design,
    price_of_bands,
    range_design,
)
from momentdp_core.mechanisms.optimal_worst import (
    power_of_groups,
    solve_worst,
    solve_worst_banded,
    stacked,
)
from momentdp_core.ranges import path_criterion
from tests.oracles import propagated_damage


def rates(horizon=24):
    """Conditions that differ in the learning rate and momentum."""
    return [
        (Scenario(horizon=horizon, learning_rate=rate), momentum)
        for rate in (0.1, 0.8)
        for momentum in (0.0, 0.9)
    ]


@pytest.mark.parametrize("bands", [None, 4])
@pytest.mark.parametrize("worst_case", [False, True])
def test_one_condition_is_the_plain_design(bands, worst_case):
    """A range of one condition has the damage of the design for that condition."""
    scenario = Scenario(horizon=20)
    found = range_design([(scenario, 0.8)], worst_case=worst_case, bands=bands)
    alone = optimal_design(scenario, 0.8, bands=bands)
    assert found.damage[0] == pytest.approx(alone.damage, rel=5e-3)
    assert found.bound <= alone.damage
    assert found.converged


@pytest.mark.parametrize("bands", [None, 2])
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(2, 4))
def test_worst_case_of_two_steps_against_brute_force(bands, seed, count):
    """At T = 2 bound ≤ min over the correlation of the largest value ≤ what is reached."""
    rng = np.random.default_rng(seed)
    factors = [rng.standard_normal((2, 2)) for _ in range(count)]
    grid = np.linspace(-0.999, 0.999, 4001)
    values = np.array(
        [((f**2).sum() - 2 * grid * float(f[:, 0] @ f[:, 1])) / (1 - grid**2) for f in factors]
    )
    best = values.max(axis=0).min()
    found = solve_worst(factors) if bands is None else solve_worst_banded(factors, bands)
    assert found.bound <= best * (1 + 1e-9)
    assert best * (1 - 1e-3) <= found.values.max() <= found.bound * 1.03


@pytest.mark.parametrize("bands", [None, 4])
@pytest.mark.parametrize("relative", [False, True])
def test_a_range_does_what_it_minimises(bands, relative):
    """Mean and worst case each win at their own aim, and no pool member beats the bounds."""
    pairs = rates()
    mean = range_design(pairs, bands=bands, relative=relative)
    worst = range_design(pairs, worst_case=True, bands=bands, relative=relative)
    scale = mean.best if relative else np.ones(len(pairs))
    by_mean, by_worst = mean.damage / scale, worst.damage / scale
    assert mean.objective == pytest.approx(by_mean.mean(), rel=1e-9)
    assert worst.objective == pytest.approx(by_worst.max(), rel=1e-9)
    assert mean.objective <= by_worst.mean() * (1 + max(mean.gap, 0))
    assert worst.objective <= by_mean.max() * (1 + max(worst.gap, 0))
    assert mean.converged
    assert worst.converged
    pool = np.array([final_damage(scenario, [value])[:, 0] for scenario, value in pairs])
    pool = pool / scale[:, None]
    rivals = slice(None) if bands is None else [0]
    assert mean.bound <= pool.mean(axis=0)[rivals].min()
    assert worst.bound <= pool.max(axis=0)[rivals].min()
    assert (mean.best <= mean.damage).all()


def test_weights_choose_what_counts():
    """All the weight on one condition gives that condition's design; weights are normalised."""
    pairs = rates()
    found = range_design(pairs, weights=[0, 0, 0, 5])
    assert found.weights.tolist() == [0, 0, 0, 1]
    scenario, value = pairs[3]
    assert found.damage[3] == pytest.approx(optimal_design(scenario, value).damage, rel=1e-3)


def test_worst_case_weights_prove_the_bound():
    """Σw = 1, and the mean design of those weights has the worst case's bound."""
    pairs = rates()
    worst = range_design(pairs, worst_case=True, relative=True)
    assert worst.weights.sum() == pytest.approx(1)
    proof = range_design(pairs, weights=worst.weights, relative=True)
    assert proof.bound == pytest.approx(worst.bound, rel=2e-3)


def test_conditions_without_damage_are_no_hindrance():
    """A zero rate among the conditions leaves the others' design; nothing else gives zero."""
    live = (Scenario(horizon=12), 0.5)
    dead = (Scenario(horizon=12, learning_rate=0), 0.5)
    alone = optimal_design(*live).damage
    for relative in (False, True):
        for worst_case in (False, True):
            found = range_design([live, dead], worst_case=worst_case, relative=relative)
            assert found.damage[0] == pytest.approx(alone, rel=5e-3)
            assert found.damage[1] == 0
    empty = range_design([dead], worst_case=True)
    assert (empty.objective, empty.bound, empty.gap) == (0, 0, 0)


def test_participation_multiplies_the_damage():
    """k participations at b ≤ s cost a banded range design k times as much."""
    once = Scenario(horizon=16)
    thrice = Scenario(horizon=16, participations=3, min_separation=5)
    one, three = (range_design([(s, 0.8), (s, 0.5)], bands=4) for s in (once, thrice))
    np.testing.assert_allclose(three.damage, 3 * one.damage, rtol=1e-9)


def test_different_spectra_and_schedules_can_be_mixed():
    """Conditions may differ in everything but the horizon and the participation."""
    pairs = [
        (Scenario(horizon=10, curvature=Curvature(modes=3)), 0.2),
        (Scenario(horizon=10, schedule=Schedule(family="cosine"), epsilon=1.0), 0.9),
    ]
    found = range_design(pairs, worst_case=True, relative=True)
    assert (found.damage >= found.best).all()


@pytest.mark.parametrize(
    ("conditions", "options", "name"),
    [
        ([], {}, "conditions"),
        ([(Scenario(horizon=4), 0.5), (Scenario(horizon=5), 0.5)], {}, "conditions"),
        ([(Scenario(horizon=4), 0.5)], {"weights": [0.0]}, "weights"),
        ([(Scenario(horizon=4), 0.5)], {"weights": [1.0, 2.0]}, "number of weights"),
        ([(Scenario(horizon=4), 0.5)], {"weights": [1.0], "worst_case": True}, "weights"),
        ([(Scenario(horizon=4), 0.5)], {"bands": 0}, "bands"),
        ([(Scenario(horizon=4), 0.5)], {"path_share": -0.1}, "path_share"),
    ],
    ids=["none", "horizons", "zero weights", "many weights", "worst weights", "bands", "path"],
)
def test_wrong_ranges_are_named(conditions, options, name):
    """Each wrong argument is refused by its name."""
    with pytest.raises(InputError, match=name):
        range_design(conditions, **options)


def way_damage(scenario, mechanism, momentum):
    """The mean over all steps of D^(t), each by carrying covariances forward; constant rate."""
    steps = range(1, scenario.horizon + 1)
    return np.mean(
        [
            propagated_damage(replace(scenario, horizon=t), mechanism.covariance[:t, :t], momentum)
            for t in steps
        ]
    )


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("bands", [None, 3])
def test_the_way_counts_as_much_as_was_said(bands, relative):
    """The objective is Σ w (D + ρ (best/best on the way) D on the way), over each best or not."""
    pairs, share = [(Scenario(horizon=10, learning_rate=r), 0.8) for r in (0.2, 0.8)], 0.3
    found = range_design(pairs, bands=bands, relative=relative, path_share=share)
    expected = 0.0
    for (scenario, value), best in zip(pairs, found.best, strict=True):
        _, floor = path_criterion(scenario, value)
        way = way_damage(scenario, found.mechanism, value)
        end = propagated_damage(scenario, found.mechanism.covariance, value)
        expected += 0.5 * (end + share * best / floor * way) / (best if relative else 1.0)
    assert found.objective == pytest.approx(expected, rel=1e-8)
    assert found.bound <= found.objective <= found.bound * (1.01 if bands is None else 1.03)
    assert found.path_share == share


def test_counting_the_way_buys_a_calm_way():
    """The more it counts, the less damage on the way and the more at the end; 0 is no change."""
    scenario = Scenario(horizon=24)
    designs = [range_design([(scenario, 0.9)], path_share=share) for share in (0.0, 0.1, 10.0)]
    ways = [way_damage(scenario, design.mechanism, 0.9) for design in designs]
    ends = [float(design.damage[0]) for design in designs]
    assert ways[0] > 1.5 * ways[1] > 1.5 * ways[2]
    assert ends[0] < ends[1] < ends[2]
    plain = range_design([(scenario, 0.9)])
    same = plain.mechanism.strategy_matrix() == designs[0].mechanism.strategy_matrix()
    assert same.all()


def test_a_training_without_damage_has_none_on_the_way():
    """No curvature: nothing to scale by, and the design is as without it."""
    flat = Scenario(horizon=4, curvature=Curvature(family="custom", values=(1.0, 0.0)))
    dead = replace(flat, schedule=Schedule(family="custom", values=(1.0, 0.0, 0.0, 0.0)))
    for scenario in (flat, dead):
        assert range_design([(scenario, 0.5)], path_share=1.0).converged


def test_the_group_norm_tends_to_the_maximum():
    """The p-norm of the conditions' values and its slope, against finite differences."""
    owners, squares = np.array([0, 0, 1, 2]), np.array([1.0, 2.0, 2.9, 0.5])
    assert power_of_groups(owners, 1.0)(squares)[0] == pytest.approx(6.4)
    assert power_of_groups(owners, 400.0)(squares)[0] == pytest.approx(3.0, rel=1e-3)
    value, slope = power_of_groups(owners, 5.0)(squares)
    assert value == pytest.approx((3.0**5 + 2.9**5 + 0.5**5) ** 0.2)
    for index in range(4):
        step = 1e-6 * np.eye(4)[index]
        ends = [power_of_groups(owners, 5.0)(squares + side * step)[0] for side in (1, -1)]
        assert slope[index] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_stacking_keeps_the_sum():
    """More rows than steps are reduced without changing LᵀL."""
    rng = np.random.default_rng(0)
    factors, weights = [rng.standard_normal((4, 5)) for _ in range(3)], np.array([1.0, 2.0, 0.5])
    together = stacked(factors, weights)
    assert together.shape == (5, 5)
    expected = sum(w * f.T @ f for f, w in zip(factors, weights, strict=True))
    np.testing.assert_allclose(together.T @ together, expected, atol=1e-12)


def test_bands_buy_damage_down():
    """b = 1 is independent noise, b = T the full design; between them the damage falls."""
    scenario = Scenario(horizon=32, mechanisms=("iid",))
    prices = price_of_bands(scenario, 0.9, bands=(32, 1, 2, 4, 8, 8, 99))
    assert prices.bands.tolist() == [1, 2, 4, 8, 32]
    assert prices.damage[0] == pytest.approx(final_damage(scenario, [0.9])[0, 0], rel=1e-9)
    assert prices.damage[-1] == pytest.approx(prices.full_damage, rel=0.02)
    assert (np.diff(prices.damage) <= 0).all()
    assert (prices.bound <= prices.damage).all()
    assert (prices.bound >= prices.full_bound * (1 - 1e-9)).all()
    assert prices.converged.all()


def test_the_knee_is_where_its_rule_says():
    """The knee is the smallest b with its share of the saving; a share of 0 is met by b = 1."""
    scenario = Scenario(horizon=32)
    prices = price_of_bands(scenario, 0.9, bands=(1, 2, 4, 8, 16), knee_share=0.9)
    lowest = min(prices.full_damage, prices.damage.min())
    saved = (prices.damage[0] - prices.damage) / (prices.damage[0] - lowest)
    enough = [b for b, share in zip(prices.bands, saved, strict=True) if share >= 0.9]
    assert prices.knee == enough[0]
    assert price_of_bands(scenario, 0.9, bands=(1, 2), knee_share=0.0).knee == 1
    assert price_of_bands(scenario, 0.9, bands=(1,), knee_share=0.5).knee is None


def test_memory_and_work_are_those_of_the_recursion():
    """b − 1 kept rows and b multiply-adds a step make the noise C⁻¹ Z of a b-banded design."""
    scenario = Scenario(horizon=12)
    prices = price_of_bands(scenario, 0.7, bands=(3,))
    strategy = optimal_design(scenario, 0.7, bands=3).mechanism.strategy_matrix()
    draws = np.random.default_rng(0).standard_normal(12)
    kept: list[float] = []
    noise, longest, products = [], 0, 0
    for t in range(12):
        value = draws[t]
        for age, past in enumerate(reversed(kept), 1):
            value -= strategy[t, t - age] * past
            products += 1
        value /= strategy[t, t]
        products += 1
        noise.append(value)
        kept = [*kept, value][-2:]
        longest = max(longest, len(kept))
    np.testing.assert_allclose(noise, np.linalg.solve(strategy, draws), rtol=1e-9)
    assert prices.memory.tolist() == [longest]
    assert prices.work[0] == 3
    assert products <= 12 * prices.work[0]


def test_wrong_prices_are_named():
    """No band, a zero band and a share beyond 1 are refused."""
    for options, name in (
        ({"bands": ()}, "bands"),
        ({"bands": (0,)}, "bands"),
        ({"knee_share": 2}, "knee_share"),
    ):
        with pytest.raises(InputError, match=name):
            price_of_bands(Scenario(horizon=4), 0.5, **options)
