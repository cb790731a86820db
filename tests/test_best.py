"""The best mechanism for a scenario: the pool, the prototype's figures, sweeps, and corners."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import (
    OPTIMIZERS,
    POOL,
    Curvature,
    InputError,
    Scenario,
    Schedule,
    best_curve,
    final_damage,
    optimal_curve,
    optimal_design,
    trajectory_damage,
    workload_factor,
)
from momentdp_core.mechanisms.optimal import criterion
from tests.oracles import state_space_damage

# Condition number, rate, schedule at μ = 0.9, T = 128, σ = 1: (banded b = 16, full, bound) as a
# prototype reached them.
PROTOTYPE = {
    "constant": (100, 0.8, "constant", (10.91, 10.61, 10.57)),
    "cosine": (100, 0.8, "cosine", (0.411, 0.347, 0.346)),
    "slow": (10, 0.1, "constant", (0.549, 0.530, 0.525)),
}


def condition(kappa, rate, family, horizon=128):
    """A scenario of the log-spaced spectrum with 16 modes."""
    return Scenario(
        horizon=horizon,
        curvature=Curvature(condition_number=kappa),
        learning_rate=rate,
        schedule=Schedule(family=family),
    )


@pytest.mark.parametrize("name", PROTOTYPE)
def test_the_prototypes_figures_are_reached(name):
    """Damage at σ = 1 is at most 0.5 % above the prototype's; the full design's gap is ≤ 1 %."""
    kappa, rate, family, (banded, full, bound) = PROTOTYPE[name]
    scenario = condition(kappa, rate, family)
    unit = scenario.noise_multiplier**2
    best = optimal_design(scenario, 0.9)
    short = optimal_design(scenario, 0.9, bands=16)
    assert best.damage / unit <= full * 1.005
    assert best.bound / unit == pytest.approx(bound, rel=5e-3)
    assert short.damage / unit <= banded * 1.005
    assert best.gap <= 0.01
    assert short.gap <= 0.03
    assert best.converged
    assert short.converged
    assert best.bound <= short.bound <= short.damage


def test_one_step_is_its_own_best():
    """At T = 1 every design is C = 1: damage and bound are Q."""
    scenario = Scenario(horizon=1)
    for bands in (None, 1, 5):
        design = optimal_design(scenario, 0.3, bands=bands)
        assert design.damage == pytest.approx(final_damage(scenario, [0.3])[0, 0], rel=1e-12)
        assert design.gap == pytest.approx(0, abs=1e-12)
        np.testing.assert_allclose(design.mechanism.strategy_matrix(), [[1.0]])


@settings(deadline=None, max_examples=40)
@given(
    key=st.sampled_from(sorted(OPTIMIZERS)),
    family=st.sampled_from(["constant", "cosine", "warmup_cosine", "step", "exponential"]),
    spectrum=st.sampled_from(["isotropic", "log", "spike", "two_cluster", "linear"]),
    horizon=st.integers(8, 24),
    rate=st.floats(0.01, 1.5),
    value=st.floats(0.05, 0.95),
    bands=st.sampled_from([None, 1, 3]),
)
def test_no_published_mechanism_beats_the_bound(key, family, spectrum, horizon, rate, value, bands):
    """Bound ≤ damage of every mechanism of the pool, and the full design is within 1 % of it."""
    scenario = Scenario(
        horizon=horizon,
        bands=bands or 4,
        optimizer=OPTIMIZERS[key](),
        schedule=Schedule(family=family),
        curvature=Curvature(family=spectrum, modes=5),
        learning_rate=round(rate, 3),
    )
    design = optimal_design(scenario, value, bands=bands)
    others = final_damage(scenario, [value])[:, 0]
    banded = [n for n, k in enumerate(POOL) if k in ("iid", "banded_mean", "noisecurve")]
    rivals = others if bands is None else others[banded]
    assert design.bound <= rivals.min() * (1 + 1e-9)
    assert design.bound <= design.damage
    assert design.mechanism.sensitivity == pytest.approx(1, abs=1e-9)
    if bands is None:
        assert design.damage <= rivals.min() * 1.01
        assert design.converged


def test_damage_is_that_of_an_independent_route():
    """The reported damage is the full state-space damage of the design's noising matrix."""
    scenario = condition(10, 0.5, "cosine", horizon=20)
    for bands in (None, 4):
        design = optimal_design(scenario, 0.7, bands=bands)
        noising = np.linalg.inv(design.mechanism.strategy_matrix())
        expected = state_space_damage(scenario, noising, 0.7)
        assert design.damage == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("kappa", "rate"), [(10, 0.1), (100, 0.2)])
def test_noisecurve_is_not_better_in_its_home(kappa, rate):
    """At μ = 0 and constant rate NoiseCurve's damage is at least the design's, less its gap."""
    scenario = condition(kappa, rate, "constant")
    home = final_damage(scenario, [0.0])[POOL.index("noisecurve"), 0]
    short = optimal_design(scenario, 0.0, bands=16)
    assert short.damage <= home * 1.0015
    assert short.bound <= home
    assert optimal_design(scenario, 0.0).damage <= home * 1.001


@pytest.mark.parametrize("bands", [None, 3])
def test_nothing_to_damage_needs_no_design(bands):
    """A zero rate has damage 0, bound 0, gap 0, and independent noise."""
    design = optimal_design(Scenario(horizon=6, learning_rate=0), 0.5, bands=bands)
    assert (design.damage, design.bound, design.gap) == (0, 0, 0)
    np.testing.assert_array_equal(design.mechanism.strategy_matrix(), np.eye(6))


def test_flat_modes_change_nothing():
    """A mode with λ = 0 has no loss: the design is that of the other modes."""
    with_flat = Curvature(family="custom", values=(1.0, 0.3, 0.0))
    without = Curvature(family="custom", values=(1.0, 0.3))
    damages = [
        optimal_design(Scenario(horizon=12, curvature=c), 0.6).damage for c in (with_flat, without)
    ]
    assert damages[0] == pytest.approx(damages[1], rel=1e-9)


def test_unstable_settings_are_right_or_refused():
    """An unstable setting has its finite-horizon design; one that overflows says so."""
    wild = Scenario(horizon=30, learning_rate=3.0, curvature=Curvature(modes=4))
    design = optimal_design(wild, 0.0)
    assert design.bound <= final_damage(wild, [0.0]).min()
    assert design.gap <= 0.01
    over = Scenario(horizon=2000, learning_rate=3.0, curvature=Curvature(modes=2))
    with pytest.raises(InputError, match="unstable"):
        optimal_design(over, 0.0)
    curve = optimal_curve(over, [0.0, 0.9])
    assert np.isinf(curve.damage[0])
    assert np.isinf(curve.bound[0])
    assert np.isinf(curve.gap[0])
    assert not curve.converged[0]
    assert curve.converged[1]


@pytest.mark.parametrize("bands", [None, 4])
def test_a_curve_is_its_designs(bands):
    """Warm-started designs along a sweep have the damage of designs from scratch."""
    scenario = condition(100, 0.8, "cosine", horizon=40)
    values = np.linspace(0, 0.95, 8)
    curve = optimal_curve(scenario, values, bands=bands)
    assert curve.converged.all()
    for value, damage, bound in zip(values, curve.damage, curve.bound, strict=True):
        alone = optimal_design(scenario, value, bands=bands)
        assert damage == pytest.approx(alone.damage, rel=5e-3)
        assert bound <= alone.damage
        assert alone.bound <= damage


@pytest.mark.parametrize("family", ["constant", "cosine"])
def test_a_banded_curve_is_certified_between_its_solutions(family):
    """Mixed designs are as good as solved ones, and their bounds hold for what solvers reach."""
    scenario = condition(10, 0.8, family, horizon=48)
    values = np.linspace(0.4, 0.9, 26)
    curve = optimal_curve(scenario, values, bands=6)
    assert curve.converged.all()
    assert curve.gap.max() <= 0.015
    for m in range(0, 26, 3):
        alone = optimal_design(scenario, values[m], bands=6)
        assert curve.damage[m] == pytest.approx(alone.damage, rel=0.01)
        assert curve.bound[m] <= alone.damage
        assert alone.bound <= curve.damage[m]


def test_a_banded_curve_of_any_values():
    """Values far apart, in any order, twice or overflowing each have their own design."""
    scenario = Scenario(horizon=900, learning_rate=3.0, curvature=Curvature(modes=2))
    values = [0.9, 0.0, 0.95, 0.5, 0.9, 0.0]  # at 0 the numbers overflow
    curve = optimal_curve(scenario, values, bands=3)
    assert np.isinf(curve.damage).tolist() == [value == 0.0 for value in values]
    assert curve.damage[0] == pytest.approx(curve.damage[4], rel=1e-3)
    for m in (0, 2, 3):
        alone = optimal_design(scenario, values[m], bands=3)
        assert curve.damage[m] == pytest.approx(alone.damage, rel=0.03)
    assert np.isinf(optimal_curve(scenario, [0.0], bands=3).damage).all()
    assert len(optimal_curve(scenario, [0.5], bands=3).values) == 1


@pytest.mark.parametrize(("bands", "most"), [(None, 1), (4, 9)])
def test_a_curve_asks_for_its_factors_as_it_comes(monkeypatch, bands, most):
    """With trajectory weights each is T×T: a step of the curve asks for one block at most."""
    asked = []
    known = best_curve.workload_factor
    monkeypatch.setattr(best_curve, "workload_factor", lambda *a: asked.append(a[1]) or known(*a))
    seen = 0
    for _ in best_curve.optimal_curve_stages(
        Scenario(horizon=16), np.linspace(0, 0.9, 30), bands, np.ones(16)
    ):
        assert len(asked) - seen <= most
        seen = len(asked)
    assert len(set(asked)) == 30


@pytest.mark.parametrize("bands", [None, 4])
def test_trajectory_designs(bands):
    """Weight on the last step alone is the final loss; else the value is the trajectory damage."""
    scenario = condition(10, 0.5, "cosine", horizon=12)
    last = optimal_design(scenario, 0.6, bands=bands, weights=np.eye(12)[-1])
    assert last.damage == pytest.approx(optimal_design(scenario, 0.6, bands=bands).damage, rel=5e-3)
    weights = np.linspace(1, 2, 12)
    design = optimal_design(scenario, 0.6, bands=bands, weights=weights)
    assert design.damage <= trajectory_damage(scenario, [0.6], weights=weights).min() * 1.03
    factor = workload_factor(scenario, 0.6, weights)
    for n, key in enumerate(POOL):
        expected = trajectory_damage(scenario, [0.6], weights=weights)[n, 0]
        assert criterion(scenario.design(key).strategy, factor) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"value": 1.5}, "momentum"),
        ({"value": [0.1, 0.2]}, "momentum"),
        ({"value": 0.5, "bands": 0}, "bands"),
        ({"value": 0.5, "weights": [1.0]}, "number of weights"),
        ({"value": 0.5, "weights": [-1.0] * 8}, r"weights\[0\]"),
    ],
    ids=["value", "two values", "bands", "few weights", "negative weight"],
)
def test_wrong_arguments_are_named(arguments, name):
    """Each wrong argument is refused by its name."""
    with pytest.raises(InputError, match=name):
        optimal_design(Scenario(horizon=8), **arguments)


def test_too_long_for_a_certificate():
    """Beyond T = 4096 a certified design is refused, not attempted."""
    with pytest.raises(InputError, match="horizon"):
        optimal_design(Scenario(horizon=5000), 0.5)
