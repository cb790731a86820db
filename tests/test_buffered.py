"""Buffered linear Toeplitz mechanisms: the peer's values, the class, the gradient, the corners."""

from __future__ import annotations

import numpy as np
import pytest

from momentdp_core import InputError, design, solve
from momentdp_core.mechanisms import DesignProblem
from momentdp_core.mechanisms.buffered import buffer_series, buffered_objective
from momentdp_core.mechanisms.registry import design_name


@pytest.mark.parametrize("buffers", [2, 3])
def test_the_peers_figures_are_reached(reference, buffers):
    """With 2 and 3 buffers the max design has the peer's mean and max error, to 1e-4."""
    expected = reference["horizon_128"][f"blt_{buffers}_max"]
    mechanism = solve("blt_max", horizon=128, buffers=buffers)
    assert mechanism.max_squared_error <= expected["max"] * (1 + 1e-6)
    assert mechanism.max_squared_error == pytest.approx(expected["max"], rel=1e-4)
    assert mechanism.mean_squared_error == pytest.approx(expected["mean"], rel=1e-4)


@pytest.mark.parametrize("horizon", [16, 128, 512])
def test_more_buffers_approach_the_best_toeplitz_strategy(horizon):
    """Errors fall with the buffers towards those of full Toeplitz designs, and never below."""
    full = {
        "blt_mean": solve("toeplitz_mean", horizon=horizon, bands=horizon).mean_squared_error,
        "blt_max": solve("toeplitz_max", horizon=horizon, bands=horizon).max_squared_error,
    }
    for key, best in full.items():
        statistic = "mean_squared_error" if key == "blt_mean" else "max_squared_error"
        errors = [
            getattr(solve(key, horizon=horizon, buffers=count), statistic) for count in range(1, 6)
        ]
        assert (np.diff(errors) <= 1e-9 * best).all()
        assert errors[-1] >= best * (1 - 1e-6)
        assert errors[2] <= best * 1.005


def test_each_design_is_better_at_its_own_error():
    """The mean design has the smaller mean error, the max design the smaller maximal one."""
    mean, largest = (solve(key, horizon=128) for key in ("blt_mean", "blt_max"))
    assert mean.mean_squared_error < largest.mean_squared_error
    assert largest.max_squared_error < mean.max_squared_error
    assert mean.report.converged
    assert largest.report.converged


@pytest.mark.parametrize("buffers", [1, 2, 4])
@pytest.mark.parametrize("maximal", [True, False])
def test_objective_is_the_error_of_the_dense_matrices(buffers, maximal):
    """The recursion's value is that of A C⁻¹ formed densely, times the squared sensitivity."""
    rng = np.random.default_rng(buffers)
    horizon = 30
    unknowns = np.concatenate([rng.normal(1, 1, buffers), rng.normal(-1.5, 0.5, buffers)])
    decays, weights = 1 / (1 + np.exp(-unknowns[:buffers])), np.exp(unknowns[buffers:])
    column = np.concatenate([[1.0], (decays ** np.arange(horizon - 1)[:, None]) @ weights])
    strategy = sum(value * np.eye(horizon, k=-k) for k, value in enumerate(column))
    np.testing.assert_allclose(buffer_series(decays, weights, horizon), column, rtol=1e-14)
    released = np.tril(np.ones((horizon, horizon))) @ np.linalg.inv(strategy)
    rows = (released**2).sum(axis=1)
    error = (rows.max() if maximal else rows.mean()) * (column**2).sum()
    row_weights = np.ones(horizon) if maximal else 1 - np.arange(horizon) / horizon
    assert buffered_objective(unknowns, row_weights)[0] == pytest.approx(np.log(error), rel=1e-10)


@pytest.mark.parametrize("buffers", [1, 3])
def test_gradient_against_finite_differences(buffers):
    """The gradient equals central differences in every unknown."""
    rng = np.random.default_rng(7)
    weights = 1 - np.arange(40) / 40
    unknowns = np.concatenate([rng.normal(1, 1, buffers), rng.normal(-1.5, 0.5, buffers)])
    gradient = buffered_objective(unknowns, weights)[1]
    for index in range(2 * buffers):
        step = np.zeros(2 * buffers)
        step[index] = 1e-6
        slope = (
            buffered_objective(unknowns + step, weights)[0]
            - buffered_objective(unknowns - step, weights)[0]
        ) / 2e-6
        assert gradient[index] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("key", ["blt_mean", "blt_max"])
@pytest.mark.parametrize("horizon", [1, 2, 3, 40])
@pytest.mark.parametrize("buffers", [1, 5])
def test_any_horizon_has_a_design(key, horizon, buffers):
    """Sensitivity is 1 and nothing overflows, also with more buffers than steps."""
    mechanism = solve(key, horizon=horizon, buffers=buffers)
    assert mechanism.sensitivity == pytest.approx(1, abs=1e-12)
    assert np.isfinite(mechanism.noising_matrix()).all()
    iid = solve("iid", horizon=horizon)
    assert mechanism.mean_squared_error <= iid.mean_squared_error * (1 + 1e-9)


@pytest.mark.parametrize("buffers", [0, 6, 1.5])
def test_wrong_buffers_are_refused(buffers):
    """One to five buffers, a whole number."""
    with pytest.raises(InputError, match="buffers"):
        solve("blt_mean", horizon=8, buffers=buffers)


def test_designs_are_kept_by_their_buffers():
    """Each number of buffers is a design of its own, and other designs' names have none."""
    three, four = (design("blt_mean", horizon=20, buffers=count) for count in (1, 4))
    assert three.mean_squared_error > four.mean_squared_error
    assert design("blt_mean", horizon=20) is four
    assert "buffers" in design_name("blt_mean", DesignProblem(horizon=4))
    assert "buffers" not in design_name("dense", DesignProblem(horizon=4))
