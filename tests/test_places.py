"""Many settings at once: the same damages as one scenario at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import OPTIMIZERS, Curvature, Scenario, Schedule, final_damage, impulse_response
from momentdp_core.lattice import DesignLattice, native_problem, second_design, warm_design
from momentdp_core.optimizers import WeightDecay
from momentdp_core.places import judge_of, place_response, places_of

OPTIONS = {"weight_decay": {"decay": 0.3}, "filter": {"a": (-0.5,), "b": (0.5,)}}
SMALL = Scenario(
    horizon=12, bands=3, curvature=Curvature(modes=4), schedule=Schedule(family="cosine")
)


@pytest.mark.parametrize("key", OPTIMIZERS)
@pytest.mark.parametrize("shared", ["value", "rate"])
def test_responses_of_places_are_those_of_one_scenario_each(key, shared):
    """For every optimizer g of a place is g of the scenario with its rate and curvature."""
    scenario = replace(SMALL, optimizer=OPTIMIZERS[key](**OPTIONS.get(key, {})))
    values = [0.5, 0.5, 0.5] if shared == "value" else [0.3, 0.5, 0.8]
    rates = [0.1, 0.4, 1.1] if shared == "value" else [0.4, 0.4, 0.4]
    places = places_of(scenario, values=values, rates=rates, conditions=20.0)
    found = place_response(scenario, places)
    curvature = replace(scenario.curvature, condition_number=20.0)
    for n, (value, rate) in enumerate(zip(values, rates, strict=True)):
        one = replace(scenario, learning_rate=rate, curvature=curvature)
        expected = impulse_response(one, [value])[0]
        np.testing.assert_allclose(found[n], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("family", ["log", "two_cluster", "spike"])
def test_damages_of_places_are_those_of_one_scenario_each(family):
    """Without a redesign, D of every mechanism is `final_damage` with the designs held fixed."""
    keys = ("iid", "dense", "bisr", "lr_aware")
    scenario = replace(SMALL, mechanisms=keys, curvature=Curvature(family=family, modes=4))
    places = places_of(
        scenario, values=[0.0, 0.5, 0.9], rates=[0.2, 0.8, 0.1], conditions=[5.0, 100.0, 1.0]
    )
    found = judge_of(scenario, None).damage(places)
    for n in range(3):
        curvature = replace(scenario.curvature, condition_number=float(places.conditions[n]))
        one = replace(scenario, curvature=curvature, learning_rate=float(places.rates[n]))
        expected = final_damage(one, [float(places.values[n])])[:, 0]
        np.testing.assert_allclose(found[:, n], expected, rtol=1e-9)


def test_weight_decay_is_relative_to_each_places_own_curvature():
    """Two places of different rate decay by their own λ_max: a custom λ_max of 2 is scaled out."""
    scenario = replace(
        SMALL,
        curvature=Curvature(family="custom", values=(2.0, 0.5)),
        optimizer=WeightDecay(decay=0.5),
    )
    places = places_of(scenario, values=0.4, rates=[0.2, 0.7])
    for n, rate in enumerate((0.2, 0.7)):
        one = replace(scenario, learning_rate=rate)
        np.testing.assert_allclose(
            place_response(scenario, places)[n], impulse_response(one, [0.4])[0], rtol=1e-9
        )


def test_a_lattice_mixes_the_nearest_designs_in_proportion():
    """Halfway between four designs on logarithmic axes D is the mean of the four; on one, its D."""
    scenario = replace(SMALL, mechanisms=("iid", "noisecurve"))
    lattice = DesignLattice(rates=np.array([0.1, 0.4]), conditions=np.array([10.0, 1000.0]))
    assert list(lattice.fill(scenario)) == [(0, 0), (1, 0), (0, 1), (1, 1)]
    judge = judge_of(scenario, lattice)
    middle = places_of(scenario, values=0.5, rates=0.2, conditions=100.0)
    rows = place_response(scenario, middle)[0]
    one = replace(scenario, learning_rate=0.2, curvature=Curvature(modes=4, condition_number=100))
    half = 0.5 * scenario.noise_multiplier**2
    each = [
        half * (one.eigenvalues @ (design.apply_noising(rows) ** 2).sum(axis=1))
        for design in lattice.designs.values()
    ]
    assert judge.damage(middle)[1, 0] == pytest.approx(np.mean(each), rel=1e-12)
    corner = places_of(scenario, values=0.5, rates=0.4, conditions=10.0)
    native = replace(
        scenario, learning_rate=0.4, curvature=replace(scenario.curvature, condition_number=10.0)
    )
    expected = final_damage(native, [0.5])[1, 0]
    # The lattice's design started from its neighbour's: equally good, not the same.
    assert judge.damage(corner)[1, 0] == pytest.approx(expected, rel=0.05)


def test_a_mix_of_covariances_needs_no_more_privacy_than_its_parts():
    """The Gram matrix of a mixed covariance has a diagonal of at most 1."""
    scenario = replace(SMALL, mechanisms=("iid", "noisecurve"))
    one, other = (
        warm_design(native_problem(scenario, rate, 100.0), None).strategy_matrix()
        for rate in (0.05, 0.8)
    )
    covariances = [np.linalg.inv(c.T @ c) for c in (one, other)]
    mixed = np.linalg.inv(0.3 * covariances[0] + 0.7 * covariances[1])
    assert np.diag(mixed).max() <= 1 + 1e-9


@pytest.mark.parametrize(("kappa", "rate"), [(10.0, 0.1), (100.0, 0.4), (1000.0, 1.2)])
def test_a_warm_start_is_as_good_as_a_run_from_scratch(kappa, rate):
    """From the design of a rate 20 % lower, tr(QX⁻¹) ends at most 0.1 % above a cold run's."""
    from momentdp_core.mechanisms.noisecurve import solve_noisecurve

    scenario = Scenario()
    problem = native_problem(scenario, rate, kappa)
    near = warm_design(native_problem(scenario, rate / 1.2, kappa), None)
    cold = solve_noisecurve(problem)[1]
    warm = solve_noisecurve(problem, start=near)[1]
    assert warm.objective <= cold.objective * 1.001
    assert warm.iterations < cold.iterations


def test_a_second_design_is_as_good_by_its_own_criterion_and_another_design():
    """Within 0.1 % in the objective, and yet a different strategy."""
    from momentdp_core.mechanisms.noisecurve import response_factor

    scenario = Scenario(curvature=Curvature(condition_number=10))
    problem = native_problem(scenario, 0.8, 10.0)
    factor = response_factor(scenario.eigenvalues, 0.8, 128)
    first, second = scenario.design("noisecurve").strategy, second_design(problem)
    cost = [float((s.apply_noising(factor) ** 2).sum()) for s in (first, second)]
    assert cost[1] <= cost[0] * 1.001
    assert np.abs(first.strategy_matrix() - second.strategy_matrix()).max() > 0.01


@pytest.mark.parametrize("separation", [1, 4])
def test_a_redesigned_mechanism_is_scaled_by_its_own_participation(separation):
    """With its own design in the lattice, D is `final_damage`, sensitivity of k = 3 included."""
    scenario = replace(
        SMALL, mechanisms=("iid", "noisecurve"), participations=3, min_separation=separation
    )
    lattice = DesignLattice(rates=np.array([0.8]), conditions=np.array([100.0]))
    lattice.designs[0, 0] = scenario.design("noisecurve").strategy
    found = judge_of(scenario, lattice).damage(places_of(scenario, values=[0.2, 0.7]))
    np.testing.assert_allclose(found, final_damage(scenario, [0.2, 0.7]), rtol=1e-9)
