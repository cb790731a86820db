"""NoiseCurve: our solver, the paper's recipe, and the best known objectives."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from momentdp_core import InputError, noisecurve_recipe, solve
from momentdp_core.mechanisms import DesignProblem
from momentdp_core.mechanisms.banded import BandLayout
from momentdp_core.mechanisms.noisecurve import (
    FLOOR,
    band_products,
    gram_bands,
    response_factor,
    strategy_of_gram,
    trace_objective,
)

_REFERENCE = json.loads((Path(__file__).parent / "data" / "peer_numbers.json").read_text())
BEST = {k: v for k, v in _REFERENCE["noisecurve_best_known_objective"].items() if k != "about"}


def log_spaced(condition_number, modes=16):
    """The log-spaced spectrum of the reference cases."""
    return condition_number ** -np.linspace(0, 1, modes)


def raw_objective(strategy, eigenvalues, rate):
    """tr(Q X⁻¹) with Q = VᵀMV by dense algebra, in the paper's own scale."""
    horizon = len(strategy)
    response = (1 - rate * eigenvalues)[:, None] ** np.arange(horizon)[::-1]
    load = response.T @ (eigenvalues[:, None] * response)
    return float(np.trace(load @ np.linalg.inv(strategy.T @ strategy)))


def case(name):
    """Read (horizon, bands, condition number, rate) from a reference key."""
    horizon, bands, kappa, rate = (float(part) for part in name.split(","))
    return int(horizon), int(bands), log_spaced(kappa), rate


@pytest.mark.parametrize("name", BEST)
def test_objective_is_within_what_the_readme_says_of_the_best_known(name):
    """On every reference case tr(QX⁻¹) is within 0.03 % of the best known value; X ⪰ 1e-3 I."""
    horizon, bands, eigenvalues, rate = case(name)
    mechanism = solve(
        "noisecurve", horizon=horizon, bands=bands, eigenvalues=eigenvalues, learning_rate=rate
    )
    strategy = mechanism.strategy_matrix()
    assert raw_objective(strategy, eigenvalues, rate) <= BEST[name] * 1.0003
    gram = strategy.T @ strategy
    assert np.linalg.eigvalsh(gram)[0] >= FLOOR * (1 - 1e-6)
    np.testing.assert_allclose(np.diag(gram), 1, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in BEST if int(n.split(",")[0]) <= 32])
def test_the_papers_recipe_never_beats_our_solver(name):
    """Adam (2000 steps) and L-BFGS-B as in Appendix B.2 end at or above our objective."""
    horizon, bands, eigenvalues, rate = case(name)
    problem = DesignProblem(
        horizon=horizon, bands=bands, eigenvalues=tuple(eigenvalues), learning_rate=rate
    )
    ours = solve(
        "noisecurve", horizon=horizon, bands=bands, eigenvalues=eigenvalues, learning_rate=rate
    ).report.objective
    adam = noisecurve_recipe(problem)
    cross_check = noisecurve_recipe(problem, optimizer="lbfgs")
    assert ours <= adam.objective * (1 + 1e-6)
    assert ours <= cross_check.objective * (1 + 1e-4)
    assert adam.smallest_eigenvalue >= FLOOR
    assert adam.objective <= 1.06 * ours  # the paper's own worst disagreement is 4.7 %


def test_strategy_recovers_its_gram_matrix():
    """CᵀC = X to rounding with C from the reversed Cholesky (the paper reports 1e-16)."""
    rng = np.random.default_rng(5)
    bands = rng.standard_normal((4, 20))
    for k in range(4):
        bands[k, 20 - k :] = 0
    bands /= np.sqrt((bands**2).sum(axis=0))
    gram = gram_bands(bands)
    strategy = strategy_of_gram(gram).strategy_matrix()
    dense = np.zeros((20, 20))
    for k in range(4):
        dense += np.diag(gram[k, : 20 - k], -k) + (np.diag(gram[k, : 20 - k], k) if k else 0)
    residual = np.linalg.norm(strategy.T @ strategy - dense) / np.linalg.norm(dense)
    assert residual < 5e-16


@pytest.mark.parametrize(("horizon", "bands"), [(1, 1), (6, 3), (12, 12)])
def test_gradient_against_finite_differences(horizon, bands):
    """The analytic gradient equals central differences in every free entry."""
    rng = np.random.default_rng(horizon)
    layout = BandLayout(bands=bands, horizon=horizon)
    objective = trace_objective(layout, rng.standard_normal((3, horizon)))
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
    bands, weights = rng.standard_normal((5, 30)), rng.standard_normal((30, 4))
    for k in range(5):
        bands[k, 30 - k :] = 0
    short = band_products(bands, weights)
    monkeypatch.setattr("momentdp_core.mechanisms.noisecurve.DENSE_PRODUCTS", 0)
    long = band_products(bands, weights)
    exists = np.add.outer(np.arange(5), np.arange(30)) < 30
    np.testing.assert_allclose(short[exists], long[exists], atol=1e-13)


@pytest.mark.parametrize("rate", [0.0, 1.0, 2.5, 40.0])
def test_unusual_rates_still_have_a_design(rate):
    """Zero, one-step, and unstable native rates give a finite design of sensitivity 1."""
    mechanism = solve(
        "noisecurve", horizon=300, bands=4, eigenvalues=(1.0, 0.5, 0.0), learning_rate=rate
    )
    assert np.isfinite(mechanism.strategy_matrix()).all()
    assert mechanism.sensitivity == pytest.approx(1, abs=1e-12)


def test_response_factor_is_the_powers_up_to_a_scale():
    """L is M^½V scaled to a largest entry of 1, with the signs of negative powers."""
    eigenvalues = np.array([2.0, 0.5])
    factor = response_factor(eigenvalues, 1.5, 6)
    relative = eigenvalues / 2
    plain = np.sqrt(relative)[:, None] * (1 - 1.5 * relative)[:, None] ** np.arange(6)[::-1]
    np.testing.assert_allclose(factor, plain / np.abs(plain).max(), atol=1e-15)


def test_recipe_refuses_unknown_optimizers():
    """Only the paper's two optimizers exist."""
    problem = DesignProblem(horizon=2, bands=2, eigenvalues=(1.0,), learning_rate=0.1)
    with pytest.raises(InputError, match="optimizer"):
        noisecurve_recipe(problem, optimizer="sgd")
