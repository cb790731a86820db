"""Repeated participation: sensitivities against brute force, and what they do to the damage."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import (
    MECHANISMS,
    POOL,
    InputError,
    Scenario,
    evaluate,
    final_damage,
    gaussian_delta,
    gaussian_epsilon,
    optimal_design,
    sensitivity,
    simulate_damage,
    solve,
    trajectory_damage,
)
from momentdp_core.mechanisms.optimal import participation_bound
from momentdp_core.mechanisms.structures import BandedStrategy, DenseStrategy, ToeplitzStrategy
from momentdp_core.participation import (
    gram_sensitivity,
    pattern_bound,
    strategy_sensitivity,
)


def patterns(horizon, k, separation):
    """Every set of 1 … k steps at least `separation` apart, by trying all subsets."""
    for size in range(1, k + 1):
        for steps in itertools.combinations(range(horizon), size):
            if all(b - a >= separation for a, b in itertools.pairwise(steps)):
                yield list(steps)


def brute_force(strategy, k, separation):
    """The largest ‖C u‖ over all patterns u with entries ±1."""
    best = 0.0
    for steps in patterns(len(strategy), k, separation):
        for signs in itertools.product((1.0, -1.0), repeat=len(steps)):
            best = max(best, float(np.linalg.norm(strategy[:, steps] @ np.array(signs))))
    return best


@pytest.mark.parametrize("key", MECHANISMS)
@pytest.mark.parametrize(("k", "separation"), [(1, 1), (2, 1), (3, 2), (2, 4), (8, 1), (4, 7)])
def test_every_mechanism_against_brute_force(key, k, separation):
    """At T = 8 an exact sensitivity is brute force's; a bound is not below it."""
    mechanism = solve(
        key,
        horizon=8,
        bands=3,
        multipliers=np.linspace(1, 0.3, 8),
        eigenvalues=(1.0, 0.1),
        learning_rate=0.3,
    )
    found = sensitivity(mechanism, participations=k, min_separation=separation)
    expected = brute_force(mechanism.strategy_matrix(), k, separation)
    if found.exact:
        assert found.value == pytest.approx(expected, rel=1e-12)
    assert found.value >= expected * (1 - 1e-12)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    horizon=st.integers(1, 7),
    k=st.integers(1, 5),
    separation=st.integers(1, 4),
)
def test_no_gradients_move_more(seed, horizon, k, separation):
    """For any C, unit vectors as gradients on any pattern move C G by at most the value."""
    rng = np.random.default_rng(seed)
    strategy = np.tril(rng.standard_normal((horizon, horizon)))
    found = strategy_sensitivity(DenseStrategy(matrix=strategy), k, separation)
    assert found.value >= brute_force(strategy, k, separation) * (1 - 1e-12)
    for steps in patterns(horizon, k, separation):
        gradients = rng.standard_normal((len(steps), 3))
        gradients /= np.linalg.norm(gradients, axis=1, keepdims=True)
        assert np.linalg.norm(strategy[:, steps] @ gradients) <= found.value * (1 + 1e-12)


def test_signs_that_no_choice_can_meet_are_a_bound():
    """Three steps that all repel each other: ±1 reach 4, vectors more, Σ|X| = 6 is a bound."""
    gram = np.full((3, 3), -0.5) + 1.5 * np.eye(3)
    found = gram_sensitivity(gram, 3, 1)
    assert not found.exact
    assert found.value == pytest.approx(np.sqrt(6))
    negative_pair = gram_sensitivity(gram, 2, 1)
    assert negative_pair.exact
    assert negative_pair.value == pytest.approx(np.sqrt(3))


def test_the_reference_values(reference):
    """The peer's and the brute-force values of the reference file are reached to 1e-9."""
    expected = reference["min_sep_sensitivity_squared"]
    single = reference["horizon_128"]["bisr"]["sensitivity_squared"]
    bisr = solve("bisr", horizon=128, bands=16)
    for separation, k in ((16, 8), (32, 4)):
        name = f"bisr_16, horizon 128, min_sep {separation}, {k} participations"
        found = sensitivity(bisr, participations=k, min_separation=separation)
        assert found.exact
        assert found.value**2 * single == pytest.approx(expected[name], rel=1e-9)
    for coefficients, name in (([1, 0.2, 0.9], "[1,.2,.9]"), ([1, 0.5, 0.25], "[1,.5,.25]")):
        case = expected[f"toeplitz c={name}, horizon 7, min_sep 2, 3 participations"]
        plain = ToeplitzStrategy(steps=7, strategy=np.array(coefficients))
        found = strategy_sensitivity(plain, 3, 2)
        scale = np.square(coefficients).sum()
        assert found.value**2 * scale == pytest.approx(case["exact by brute force"], rel=1e-9)


def test_bands_up_to_the_separation_are_orthogonal():
    """With b ≤ s and unit columns k participations give exactly √k, as often as they fit."""
    for key in ("iid", "banded_mean", "noisecurve"):
        mechanism = solve(key, horizon=32, bands=4, eigenvalues=(1.0,), learning_rate=0.1)
        for k, fits in ((1, 1), (3, 3), (8, 8), (50, 8)):
            found = sensitivity(mechanism, participations=k, min_separation=4)
            assert found.exact
            assert found.value == pytest.approx(np.sqrt(fits), rel=1e-9)


def test_short_columns_at_the_end_count_less():
    """A banded C whose columns differ uses the heaviest columns that are far enough apart."""
    bands = np.array([[1.0, 2.0, 1.5, 0.5]])
    assert strategy_sensitivity(BandedStrategy(bands=bands), 2, 2).value == pytest.approx(
        np.sqrt(2**2 + 0.5**2)
    )
    assert strategy_sensitivity(BandedStrategy(bands=bands), 2, 1).value == pytest.approx(2.5)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 4), separation=st.integers(1, 4))
def test_the_bound_is_above_the_enumeration(seed, k, separation):
    """The two-stage bound is never below the exact maximum over patterns."""
    sizes = np.abs(np.random.default_rng(seed).standard_normal((9, 9)))
    sizes = sizes + sizes.T
    exact = max(float(sizes[np.ix_(p, p)].sum()) for p in patterns(9, k, separation))
    assert pattern_bound(sizes, k, separation) >= exact * (1 - 1e-12)


def test_one_participation_changes_nothing():
    """k = 1 at any separation, and a separation beyond the horizon, leave every damage as it is."""
    plain = Scenario(horizon=16, bands=4)
    far = replace(plain, participations=5, min_separation=16)
    once = replace(plain, participations=1, min_separation=3)
    values = [0.0, 0.9]
    np.testing.assert_array_equal(final_damage(once, values), final_damage(plain, values))
    np.testing.assert_allclose(final_damage(far, values), final_damage(plain, values), rtol=1e-9)


def test_damage_is_at_each_mechanisms_own_noise():
    """All routes multiply a mechanism's damage by its squared sensitivity, and so do the ranks."""
    plain = Scenario(horizon=16, bands=4)
    several = replace(plain, participations=4, min_separation=4)
    squares = np.array([several.sensitivity(key).value ** 2 for key in POOL])
    assert squares.max() > squares.min() * 1.2
    for route in ("norm", "contraction"):
        expected = final_damage(plain, [0.5], route=route) * squares[:, None]
        np.testing.assert_allclose(final_damage(several, [0.5], route=route), expected, rtol=1e-12)
    expected = trajectory_damage(plain, [0.5]) * squares[:, None]
    np.testing.assert_allclose(trajectory_damage(several, [0.5]), expected, rtol=1e-12)
    study = evaluate(several, [0.5])
    best = POOL[int(np.argmin(final_damage(plain, [0.5])[:, 0] * squares))]
    assert study.winners[0] == (best,)
    assert study.rank[:, 0].tolist() != evaluate(plain, [0.5]).rank[:, 0].tolist()


def test_the_simulator_makes_the_calibrated_noise():
    """The simulated mean damage agrees with the exact one under repeated participation."""
    scenario = Scenario(horizon=8, participations=4, min_separation=2, mechanisms=("sqrt",))
    run = simulate_damage(scenario, "sqrt", 0.5, runs=4000, seed=1)
    exact = final_damage(scenario, [0.5])[0, 0]
    assert abs(run.mean - exact) < 4 * run.standard_error


def test_banded_designs_pay_the_root_of_k():
    """An optimal banded design with b ≤ s costs k times its single-participation damage."""
    plain = Scenario(horizon=24)
    several = replace(plain, participations=3, min_separation=8)
    once, thrice = (optimal_design(s, 0.8, bands=4) for s in (plain, several))
    assert thrice.damage == pytest.approx(3 * once.damage, rel=1e-9)
    assert thrice.sensitivity.exact
    assert thrice.converged
    assert thrice.bound <= final_damage(several, [0.8]).min()
    assert thrice.bound >= once.bound


def test_scenario_keeps_participation():
    """The fields survive the JSON round trip; old records without them mean one participation."""
    scenario = Scenario(horizon=8, participations=3, min_separation=2)
    fields = scenario.to_dict()
    assert (fields["participations"], fields["min_separation"]) == (3, 2)
    assert Scenario.from_dict(fields) == scenario
    del fields["participations"], fields["min_separation"]
    assert Scenario.from_dict(fields) == Scenario(horizon=8)


@pytest.mark.parametrize("name", ["participations", "min_separation"])
@pytest.mark.parametrize("value", [0, 1.5, "2"])
def test_wrong_participation_is_refused(name, value):
    """Both are whole numbers of at least 1."""
    with pytest.raises(InputError, match=name):
        Scenario(**{name: value})


@pytest.mark.parametrize("sens", [1.0, 2.5])
@pytest.mark.parametrize("noise", [0.7, 3.0, 40.0])
def test_epsilon_inverts_delta(sens, noise):
    """ε from σ and Δ gives δ back; noise that needs no ε says 0."""
    found = gaussian_epsilon(delta=1e-5, noise_multiplier=noise, sensitivity=sens)
    back = gaussian_delta(epsilon=found, noise_multiplier=noise / sens)
    assert back == pytest.approx(1e-5, rel=1e-8)
    assert gaussian_epsilon(delta=0.5, noise_multiplier=10.0) == 0


def test_calibrated_noise_spends_the_scenarios_epsilon():
    """σ times the sensitivity, accounted on that sensitivity, is the scenario's ε."""
    scenario = Scenario(horizon=16, participations=4, min_separation=2)
    noise = scenario.noise_scale("dense")
    found = gaussian_epsilon(
        delta=scenario.delta,
        noise_multiplier=noise,
        sensitivity=scenario.sensitivity("dense").value,
    )
    assert found == pytest.approx(scenario.epsilon, rel=1e-9)


def test_too_little_noise_for_an_epsilon():
    """Noise whose ε is beyond 700 is refused by name."""
    with pytest.raises(InputError, match="noise_multiplier"):
        gaussian_epsilon(delta=1e-5, noise_multiplier=1e-3)


def test_a_long_horizon_still_has_a_bound():
    """Beyond T×T matrices the triangle inequality is the bound, and closed forms stay exact."""
    long = solve("bandinv_mean", horizon=5000, bands=4)
    found = sensitivity(long, participations=3, min_separation=10)
    assert found.value <= 3 * (1 + 1e-9)
    if not found.exact:
        assert found.method == "bound"
    root = solve("sqrt", horizon=5000)
    exact = sensitivity(root, participations=3, min_separation=10)
    assert exact.exact
    assert exact.method == "toeplitz"


def test_a_design_out_of_range_has_no_sensitivity():
    """Where a strategy's numbers overflow the value is infinite, never NaN."""
    gram = np.array([[1.0, np.nan], [np.nan, np.inf]])
    found = gram_sensitivity(gram, 2, 1)
    assert (found.value, found.exact) == (np.inf, False)


@settings(deadline=None, max_examples=25)
@given(
    horizon=st.integers(2, 14),
    k=st.integers(2, 5),
    separation=st.integers(1, 6),
    momentum=st.floats(0, 0.95),
    rate=st.floats(0.05, 1.5),
)
def test_nothing_beats_the_bound_for_repeated_participation(horizon, k, separation, momentum, rate):
    """At its own calibrated noise every mechanism, the designs too, is at or above the bound."""
    scenario = Scenario(
        horizon=horizon,
        bands=3,
        learning_rate=round(rate, 2),
        participations=k,
        min_separation=separation,
    )
    for bands in (None, 2):
        design = optimal_design(scenario, momentum, bands=bands)
        assert design.bound <= design.damage * (1 + 1e-9)
        if bands is None:
            assert design.bound <= final_damage(scenario, [momentum]).min() * (1 + 1e-9)


def test_the_bound_for_repeated_participation_is_met_where_steps_are_alike():
    """For Q = I with k patterns of T/k steps, independent noise is best and meets the bound."""
    factor = np.eye(12)
    assert participation_bound(factor, 3, 4) == pytest.approx(3 * 12, rel=1e-9)
    assert participation_bound(factor, 1, 1) == pytest.approx(12, rel=1e-9)
    assert participation_bound(0 * factor, 3, 4) == 0
