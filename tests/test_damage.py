"""Damage: independent routes, the identity grid, simulation, and the published winners."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import (
    MECHANISMS,
    POOL,
    SCHEDULES,
    Curvature,
    InputError,
    Scenario,
    Schedule,
    damage_by_mode,
    final_damage,
    impulse_response,
    sweep,
    trajectory_damage,
)
from tests.oracles import propagated_damage, state_space_damage

ALL = tuple(MECHANISMS)
NAMED_SCHEDULES = [key for key in SCHEDULES if key != "custom"]
SPECTRA_OF_THE_PAPER = {
    "isotropic": Curvature(family="isotropic"),
    "log 10": Curvature(condition_number=10),
    "log 100": Curvature(condition_number=100),
    "log 1000": Curvature(condition_number=1000),
    "spike": Curvature(family="spike"),
    "two clusters": Curvature(family="two_cluster"),
}


def small(**fields):
    """A small scenario for dense oracles."""
    given = {"horizon": 9, "bands": 3, "curvature": Curvature(modes=3), "mechanisms": ALL}
    return Scenario(**{**given, **fields})


@pytest.mark.parametrize("family", NAMED_SCHEDULES)
@pytest.mark.parametrize("momentum", [0.0, 0.6, 0.99])
def test_damage_equals_the_full_state_space_operator(family, momentum):
    """D equals σ²/2 tr(H G (K⊗I) Gᵀ) with the 2d-state block operator of Eq. (3), per mechanism."""
    scenario = small(schedule=Schedule(family=family))
    values = final_damage(scenario, [momentum])[:, 0]
    for key, value in zip(scenario.mechanisms, values, strict=True):
        noising = np.linalg.inv(scenario.design(key).strategy_matrix())
        assert value == pytest.approx(state_space_damage(scenario, noising, momentum), rel=1e-9)


@pytest.mark.parametrize("key", ALL)
@settings(deadline=None, max_examples=15)
@given(
    horizon=st.integers(1, 20),
    momentum=st.floats(0, 0.99),
    rate=st.floats(0, 1.9),
    family=st.sampled_from(NAMED_SCHEDULES),
)
def test_the_two_routes_agree(key, horizon, momentum, rate, family):
    """Norm and contraction route agree to 1e-9 for every mechanism, schedule, rate and μ."""
    scenario = Scenario(
        horizon=horizon,
        bands=4,
        learning_rate=round(rate, 2),
        schedule=Schedule(family=family),
        curvature=Curvature(modes=4),
        mechanisms=(key,),
    )
    norm = final_damage(scenario, [momentum])
    contraction = final_damage(scenario, [momentum], route="contraction")
    np.testing.assert_allclose(contraction, norm, rtol=1e-9, atol=1e-300)


# The paper does not name its eight; these leave out three that repeat a Toeplitz structure.
IDENTITY_MECHANISMS = tuple(
    key for key in POOL if key not in ("lr_aware", "bandinv_mean", "bandinv_max")
)


def test_noisecurve_identity_on_576_cases():
    """At μ = 0 and constant η three independent routes give one number, to 1e-10, 576 times.

    NoiseCurve's criterion η²σ²/2 tr(X⁻¹VᵀMV), the adjoint recursion with the norm route, and the
    forward propagation of the covariance; T in {8, 32, 128}, six spectra, four rates, eight
    mechanisms (MOMENT-DP Appendix B.3).
    """
    worst, cases = 0.0, 0
    grid = itertools.product((8, 32, 128), SPECTRA_OF_THE_PAPER.values(), (0.05, 0.1, 0.3, 0.6))
    for horizon, curvature, rate in grid:
        scenario = Scenario(
            horizon=horizon,
            curvature=curvature,
            learning_rate=rate,
            mechanisms=IDENTITY_MECHANISMS,
        )
        recursion = final_damage(scenario, [0.0])[:, 0]
        lam = scenario.eigenvalues
        response = (1 - rate * lam)[:, None] ** np.arange(horizon)[::-1]
        load = response.T @ (lam[:, None] * response)
        for key, value in zip(scenario.mechanisms, recursion, strict=True):
            strategy = scenario.design(key).strategy_matrix()
            gram_inverse = np.linalg.inv(strategy.T @ strategy)
            scale = 0.5 * (rate * scenario.noise_multiplier) ** 2
            criterion = scale * np.trace(gram_inverse @ load)
            if horizon < 128:
                forward = propagated_damage(scenario, gram_inverse, 0.0)
            else:  # one momentum-free state per mode: the same propagation, vectorised over modes
                forward = _propagated_without_momentum(scenario, gram_inverse)
            for other in (criterion, forward):
                worst = max(worst, abs(other / value - 1))
            cases += 1
    assert cases == 576
    assert worst < 1e-10


def _propagated_without_momentum(scenario, covariance):
    lam = scenario.eigenvalues
    spread, cross = np.zeros(len(lam)), np.zeros((len(lam), scenario.horizon))
    for t, eta in enumerate(scenario.step_sizes):
        shrink = 1 - eta * lam
        spread = shrink**2 * spread - 2 * eta * shrink * cross[:, t] + eta**2 * covariance[t, t]
        cross = shrink[:, None] * cross - eta * covariance[t]
    return 0.5 * scenario.noise_multiplier**2 * float(lam @ spread)


def test_trajectory_damage_is_the_weighted_sum_of_its_steps():
    """Unit weights give D^(t), their weighted sum the score, and weight on T the final damage."""
    scenario = small(mechanisms=("dense", "bisr"))
    steps = np.array([trajectory_damage(scenario, [0.5], weights=w) for w in np.eye(9)])
    np.testing.assert_allclose(steps[-1], final_damage(scenario, [0.5]), rtol=1e-12)
    uniform = trajectory_damage(scenario, [0.5])
    np.testing.assert_allclose(uniform, steps.mean(axis=0), rtol=1e-12)
    with pytest.raises(InputError, match="weights"):
        trajectory_damage(scenario, [0.5], weights=[1.0])


def test_modes_add_up_and_flat_modes_cost_nothing():
    """Σ_i D_i = D, and λ = 0 contributes exactly zero."""
    scenario = small(curvature=Curvature(family="custom", values=(1.0, 0.2, 0.0)))
    split = damage_by_mode(scenario, [0.0, 0.9])
    np.testing.assert_allclose(split.sum(axis=-1), final_damage(scenario, [0.0, 0.9]), rtol=1e-14)
    assert not split[..., 2].any()


def test_stationary_variance_of_heavy_ball():
    """With IID noise and long training, D = σ²/2 · η(1+μ)/((1−μ)(2(1+μ)−ηλ)) in closed form."""
    rate, mu = 0.3, 0.8
    scenario = Scenario(
        horizon=2000, curvature=Curvature(modes=1), learning_rate=rate, mechanisms=("iid",)
    )
    expected = rate * (1 + mu) / ((1 - mu) * (2 * (1 + mu) - rate))
    value = final_damage(scenario, [mu])[0, 0] / (0.5 * scenario.noise_multiplier**2)
    assert value == pytest.approx(expected, rel=1e-10)


def test_epsilon_rescales_all_damages_alike():
    """D(ε₁)/D(ε₂) is one number for all mechanisms and momenta, so ranks do not change (M19)."""
    loose, tight = small(epsilon=8.0), small(epsilon=0.5)
    ratio = final_damage(tight, [0.0, 0.9]) / final_damage(loose, [0.0, 0.9])
    assert np.ptp(ratio) < 1e-12 * ratio.max()
    expected = (tight.noise_multiplier / loose.noise_multiplier) ** 2
    assert ratio[0, 0] == pytest.approx(expected, rel=1e-12)


def test_overflow_is_infinity_and_never_nan():
    """Far beyond stability the damage overflows to +inf; the stable momenta keep their value."""
    scenario = Scenario(horizon=512, learning_rate=3.5, mechanisms=("iid", "bisr"))
    values = sweep(scenario, [0.0, 0.9])
    assert not np.isnan(values).any()
    assert np.isinf(values[:, 0]).all()
    assert np.isfinite(values[:, 1]).all()


def test_zero_rate_and_one_step():
    """A zero rate does no damage; at T = 1 every mechanism is the same noise, D = σ²η²/2 Σλ."""
    still = small(learning_rate=0.0)
    assert not final_damage(still, [0.0, 0.9]).any()
    one = small(horizon=1)
    expected = 0.5 * (one.noise_multiplier * 0.8) ** 2 * one.eigenvalues.sum()
    np.testing.assert_allclose(final_damage(one, [0.0, 0.9]), expected, rtol=1e-12)


def test_long_horizons_work_without_square_matrices():
    """T = 4096 by the norm route equals the dense K for Toeplitz-structured mechanisms."""
    keys = ("iid", "bisr", "sqrt", "toeplitz_mean", "bandinv_max", "lr_aware")
    scenario = Scenario(horizon=1500, mechanisms=keys, curvature=Curvature(modes=4))
    values = sweep(scenario, [0.9])[:, 0]
    response = impulse_response(scenario, [0.9])[0]
    for key, value in zip(keys, values, strict=True):
        filtered = response @ scenario.design(key).noising_matrix()
        scale = 0.5 * scenario.noise_multiplier**2
        expected = scale * float(scenario.eigenvalues @ (filtered**2).sum(axis=1))
        assert value == pytest.approx(expected, rel=1e-9)
    with pytest.raises(InputError, match="contraction"):
        final_damage(scenario, [0.9], route="contraction")


@pytest.mark.parametrize("values", [[1.0], [-0.1], [np.nan], [], ["x"], [[0.1]]])
def test_bad_momenta_are_refused(values):
    """Momentum must be a list of numbers with 0 ≤ μ < 1."""
    with pytest.raises(InputError, match="momentum"):
        final_damage(small(), values)
