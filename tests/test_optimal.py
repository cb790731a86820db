"""The solvers of the best mechanism: closed forms, brute force, and bounds that hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import Curvature, Scenario, Schedule, solve, workload_factor
from momentdp_core.best import solve_factor
from momentdp_core.mechanisms.banded import BandLayout
from momentdp_core.mechanisms.optimal import DualProblem, solve_optimal
from momentdp_core.mechanisms.optimal_banded import (
    band_outer,
    banded_bound,
    barrier_objective,
    solve_optimal_banded,
)


def condition(kappa, rate, family, horizon=128):
    """A scenario of the log-spaced spectrum with 16 modes."""
    return Scenario(
        horizon=horizon,
        curvature=Curvature(condition_number=kappa),
        learning_rate=rate,
        schedule=Schedule(family=family),
    )


def value_at(factor, gram):
    """tr(L X⁻¹ Lᵀ) by plain dense algebra."""
    return float(np.trace(factor @ np.linalg.solve(gram, factor.T)))


@pytest.mark.parametrize("bands", [None, 2])
@settings(deadline=None, max_examples=40)
@given(entries=st.lists(st.floats(-3, 3), min_size=4, max_size=4))
def test_two_steps_have_a_closed_form(bands, entries):
    """At T = 2 the optimum is (s + √(s² − 4c²))/2 with s = tr Q and c = Q_12."""
    factor = np.round(np.array(entries), 3).reshape(2, 2)
    load = factor.T @ factor
    trace, cross = np.trace(load), load[0, 1]
    best = (trace + np.sqrt(max(trace**2 - 4 * cross**2, 0.0))) / 2
    found = solve_factor(factor, bands)
    assert found.bound <= best * (1 + 1e-9)
    assert best * (1 - 1e-9) <= found.value <= best * 1.02 + 1e-300


@pytest.mark.parametrize("bands", [None, 3, 2])
@pytest.mark.parametrize("seed", range(4))
def test_three_steps_against_brute_force(bands, seed):
    """At T = 3 bound ≤ best of a direct search over the correlations ≤ value, 1 % apart."""
    from scipy.optimize import minimize

    factor = np.random.default_rng(seed).standard_normal((3, 3))

    def target(correlations):
        a, b, c = correlations[0], correlations[1], 0.0 if bands == 2 else correlations[2]
        gram = np.array([[1, a, c], [a, 1, b], [c, b, 1]])
        return value_at(factor, gram) if np.linalg.eigvalsh(gram)[0] > 1e-12 else 1e9

    size = 2 if bands == 2 else 3
    starts = np.random.default_rng(9).uniform(-0.5, 0.5, (6, size))
    options = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000, "maxfev": 4000}
    best = min(minimize(target, x, method="Nelder-Mead", options=options).fun for x in starts)
    found = solve_factor(factor, bands)
    assert found.bound <= best * (1 + 1e-8)
    assert best * (1 - 1e-8) <= found.value <= found.bound * 1.02


@settings(deadline=None, max_examples=30)
@given(row=st.lists(st.floats(-2, 2), min_size=1, max_size=12))
def test_a_single_mode_costs_its_largest_response(row):
    """For Q = q qᵀ the optimum is max q²: all steps' noise is tied to the one that hurts most."""
    factor = np.round(np.array([row]), 3)
    best = float((factor**2).max())
    found = solve_factor(factor, None)
    assert found.bound <= best * (1 + 1e-9)
    assert best * (1 - 1e-9) <= found.value <= best * 1.005 + 1e-300


def test_prefix_sums_have_the_published_optimum(reference):
    """With Q = AᵀA the full design is the dense optimum and the banded one BandMF's."""
    horizon = 128
    prefix = np.tril(np.ones((horizon, horizon))) / np.sqrt(horizon)
    best = reference["horizon_128"]["dense"]["mean"]
    full = solve_factor(prefix, None)
    assert full.bound <= best * (1 + 1e-9)
    assert full.value <= best * 1.0015
    short = solve_factor(prefix, 16)
    banded = solve("banded_mean", horizon=horizon, bands=16).report
    assert short.value <= banded.objective * 1.001
    assert banded.lower_bound * 0.99 <= short.bound <= banded.objective


@pytest.mark.parametrize("bands", [None, 4])
@pytest.mark.parametrize("scale", [1e-9, 3.0, 1e9])
def test_the_scale_of_the_criterion_does_not_matter(bands, scale):
    """Q and c Q have the same design; value and bound scale by c."""
    factor = workload_factor(condition(10, 0.3, "cosine", horizon=24), 0.8)
    plain, scaled = solve_factor(factor, bands), solve_factor(scale * factor, bands)
    assert scaled.value == pytest.approx(scale**2 * plain.value, rel=2e-3)
    assert scaled.bound == pytest.approx(scale**2 * plain.bound, rel=2e-2)
    if scale == 3.0:
        np.testing.assert_allclose(
            scaled.strategy.strategy_matrix(), plain.strategy.strategy_matrix(), atol=0.05
        )


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    horizon=st.integers(1, 9),
    bands=st.integers(1, 9),
    rows=st.integers(1, 9),
)
def test_the_banded_bound_is_below_every_banded_strategy(seed, horizon, bands, rows):
    """Derived at one random strategy, the bound holds for another one of the same bands."""
    rng = np.random.default_rng(seed)
    layout = BandLayout(bands=min(bands, horizon), horizon=horizon)

    def random_bands():
        entries = layout.square_root_start() + 0.3 * rng.standard_normal(layout.free.sum())
        return layout.from_vector(entries)[0]

    factor = rng.standard_normal((rows, horizon))
    bound = banded_bound(factor, random_bands())
    reached = np.linalg.norm(factor @ np.linalg.inv(layout.to_matrix(random_bands()))) ** 2
    assert bound <= reached * (1 + 1e-9)


def test_any_weights_give_a_bound():
    """Whatever v > 0, the dual value is at most tr(L X⁻¹ Lᵀ) of random feasible X."""
    rng = np.random.default_rng(4)
    factor = rng.standard_normal((3, 7))
    problem = DualProblem(factor)
    for _ in range(50):
        root = rng.standard_normal((7, 7))
        gram = root @ root.T
        gram /= np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
        bound = problem.value(rng.normal(0, 3, 7))[0] * problem.scale**2
        assert bound <= value_at(factor, gram)


@pytest.mark.parametrize(("horizon", "bands"), [(1, 1), (6, 3), (12, 12)])
def test_gradient_against_finite_differences(horizon, bands):
    """The barrier objective's gradient equals central differences in every free entry."""
    rng = np.random.default_rng(horizon)
    layout = BandLayout(bands=bands, horizon=horizon)
    objective = barrier_objective(layout, rng.standard_normal((3, horizon)), 0.3)
    entries = layout.square_root_start() + 0.1 * rng.standard_normal(layout.free.sum())
    gradient = objective(entries)[1]
    for index in range(len(entries)):
        step = np.zeros_like(entries)
        step[index] = 1e-6
        slope = (objective(entries + step)[0] - objective(entries - step)[0]) / 2e-6
        assert gradient[index] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_band_products_are_the_same_at_any_horizon(monkeypatch):
    """The buffered route of short horizons and the band loops of long ones agree."""
    rng = np.random.default_rng(2)
    left, right = rng.standard_normal((2, 30, 4))
    short = band_outer(left, right, 5)
    monkeypatch.setattr("momentdp_core.mechanisms.optimal_banded.DENSE_PRODUCTS", 0)
    np.testing.assert_allclose(short, band_outer(left, right, 5), atol=1e-13)


def test_a_warm_start_proves_as_much():
    """From a neighbour's weights, the dual ends within its own tolerance of a cold start."""
    scenario = condition(100, 0.8, "constant", horizon=64)
    near = solve_optimal(workload_factor(scenario, 0.85))[1]
    factor = workload_factor(scenario, 0.9)
    cold, warm = solve_optimal(factor)[1], solve_optimal(factor, near)[1]
    assert warm.bound == pytest.approx(cold.bound, rel=2e-4)


def test_zero_criterion_for_bands():
    """The banded solver on its own also takes L = 0."""
    found = solve_optimal_banded(np.zeros((1, 4)), 2)
    assert (found.value, found.bound) == (0, 0)
