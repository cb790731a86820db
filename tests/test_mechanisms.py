"""The mechanisms: reference values, structure against dense matrices, and every corner of T, b."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import toeplitz

from momentdp_core import MECHANISMS, POOL, InputError, Schedule, design, solve
from momentdp_core.mechanisms.banded import (
    BandLayout,
    prefix_objective,
    weighted_criterion,
)
from momentdp_core.mechanisms.certificate import banded_lower_bound
from momentdp_core.mechanisms.ship import shipped_requests

HORIZON, BANDS = 128, 16
ALL = tuple(MECHANISMS)


def solved(key, horizon=HORIZON, bands=BANDS):
    """A design on the default problem: log-spaced-like spectrum, cosine schedule."""
    return design(
        key,
        horizon=horizon,
        bands=bands,
        multipliers=Schedule(family="cosine").multipliers(horizon),
        eigenvalues=10.0 ** -np.linspace(0, 1, 16),
        learning_rate=0.1,
    )


def prefix_errors(strategy):
    """Row errors of A C⁻¹ by plain dense algebra, times the squared sensitivity."""
    released = np.tril(np.ones((len(strategy),) * 2)) @ np.linalg.inv(strategy)
    return (released**2).sum(axis=1) * (strategy**2).sum(axis=0).max()


def test_the_pool_is_the_papers_eleven():
    """POOL lists the paper's eleven mechanisms in table order; MECHANISMS adds three more."""
    assert len(POOL) == 11
    assert set(MECHANISMS) == {*POOL, "sqrt", "blt_mean", "blt_max"}
    assert all(MECHANISMS[key].key == key for key in MECHANISMS)


@pytest.mark.parametrize("key", ["iid", "sqrt", "bisr"])
def test_closed_forms_match_the_reference(reference, key):
    """Closed forms reach the peer library's mean and max error to 1e-9."""
    expected = reference["horizon_128"][key]
    mechanism = solved(key)
    assert mechanism.mean_squared_error == pytest.approx(expected["mean"], rel=1e-9)
    assert mechanism.max_squared_error == pytest.approx(expected["max"], rel=1e-9)


@pytest.mark.parametrize("horizon", [512, 2048])
def test_closed_forms_match_at_longer_horizons(reference, horizon):
    """The square root and BISR agree with the reference at T = 512 and 2048."""
    root = solve("sqrt", horizon=horizon)
    expected = reference["sqrt_other_horizons"][str(horizon)]
    assert root.mean_squared_error == pytest.approx(expected["mean"], rel=1e-9)
    assert root.max_squared_error == pytest.approx(expected["max"], rel=1e-9)
    bisr = solve("bisr", horizon=horizon, bands=16)
    expected = reference["bisr_16_other_horizons"][str(horizon)]
    assert bisr.mean_squared_error == pytest.approx(expected["mean"], rel=1e-9)


@pytest.mark.parametrize("horizon", [2, 4, 8, 16, 128, 512])
def test_dense_reaches_its_certified_optimum(reference, horizon):
    """The dense optimum equals the certified value, and its own bound closes the gap."""
    mechanism = solve("dense", horizon=horizon)
    best = reference["dense_mean_certified"][str(horizon)]
    assert mechanism.mean_squared_error == pytest.approx(best, rel=1e-9)
    assert mechanism.report.converged
    assert 0 <= mechanism.report.objective - mechanism.report.lower_bound < 1e-9 * best


# What the issue of each optimised mechanism calls reached, as (statistic, largest allowed value).
REACHED = {
    "banded_mean": ("mean", 7.945444758 * 1.001),
    "banded_max": ("max", 10.68),
    "toeplitz_mean": ("mean", 8.25156718303 * 1.001),
    "toeplitz_max": ("max", 13.2100601936 * 1.001),
    "bandinv_mean": ("mean", 5.814),
    "bandinv_max": ("max", 7.145),
}


@pytest.mark.parametrize("key", REACHED)
def test_optimised_mechanisms_reach_the_reference_error(reference, key):
    """Each optimised mechanism is within 0.1 % of the best known error, or below it."""
    statistic, limit = REACHED[key]
    errors = prefix_errors(solve(key, horizon=HORIZON, bands=BANDS).strategy_matrix())
    value = errors.mean() if statistic == "mean" else errors.max()
    assert value <= limit
    assert value <= reference["horizon_128"][key][statistic] * 1.001


@pytest.mark.parametrize("key", ["banded_mean", "banded_max"])
@pytest.mark.parametrize(("horizon", "bands"), [(1, 1), (2, 2), (8, 3), (32, 4), (128, 16)])
def test_banded_designs_close_their_certified_gap(key, horizon, bands):
    """The reached error is at most 0.05 % above a bound that no b-banded strategy can beat."""
    report = solve(key, horizon=horizon, bands=bands).report
    assert report.lower_bound <= report.objective <= report.lower_bound * 1.0005


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), horizon=st.integers(1, 9), bands=st.integers(1, 9))
def test_the_dual_bound_is_below_every_banded_strategy(seed, horizon, bands):
    """Derived at one random strategy, the bound holds for another one of the same bands."""
    rng = np.random.default_rng(seed)
    layout = BandLayout(bands=min(bands, horizon), horizon=horizon)

    def random_strategy():
        entries = layout.square_root_start() + 0.3 * rng.standard_normal(layout.free.sum())
        return layout.to_matrix(layout.from_vector(entries)[0])

    factor = rng.standard_normal((horizon, horizon))
    bound = banded_lower_bound(factor, random_strategy(), min(bands, horizon))
    reached = np.linalg.norm(factor @ np.linalg.inv(random_strategy())) ** 2
    assert bound <= reached * (1 + 1e-9)


def test_a_weighted_mean_never_exceeds_the_maximum():
    """For any strategy the weighted objective with Σw = 1 is at most its largest row error."""
    layout = BandLayout(bands=3, horizon=8)
    weights = np.arange(1.0, 9.0) / 36
    entries = layout.square_root_start()
    strategy = layout.to_matrix(layout.from_vector(entries)[0])
    value = prefix_objective(layout, weighted_criterion(weights))(entries)[0]
    assert value == pytest.approx(weights @ prefix_errors(strategy), rel=1e-12)
    assert value < prefix_errors(strategy).max()


@pytest.mark.parametrize("key", ALL)
@settings(deadline=None, max_examples=12)
@given(horizon=st.integers(1, 24), bands=st.integers(1, 30))
def test_every_mechanism_at_any_horizon_and_bands(key, horizon, bands):
    """Any T ≥ 1 and b ≥ 1 (b > T means b = T): lower triangular, sensitivity 1, right structure."""
    mechanism = solved(key, horizon, bands)
    strategy, noising = mechanism.strategy_matrix(), mechanism.noising_matrix()
    np.testing.assert_allclose(strategy @ noising, np.eye(horizon), atol=1e-9)
    assert not np.triu(strategy, 1).any()
    columns = np.sqrt((strategy**2).sum(axis=0))
    assert columns.max() == pytest.approx(1, abs=1e-12)
    assert mechanism.sensitivity == pytest.approx(1, abs=1e-12)
    if key in ("dense", "banded_mean", "banded_max", "noisecurve"):
        np.testing.assert_allclose(columns, 1, atol=1e-12)  # diag(X) = 1
    width = min(bands, horizon)
    if key in ("banded_mean", "banded_max", "toeplitz_mean", "toeplitz_max", "noisecurve"):
        assert not np.tril(strategy, -width).any()
    if key in ("bisr", "bandinv_mean", "bandinv_max"):
        np.testing.assert_allclose(np.tril(noising, -width), 0, atol=1e-12)


@pytest.mark.parametrize("key", ALL)
def test_structured_routes_agree_with_dense_algebra(key):
    """rows·C⁻¹, K and the prefix errors equal what the dense matrices give."""
    mechanism = solved(key, 40, 7)
    inverse = np.linalg.inv(mechanism.strategy_matrix())
    rows = np.random.default_rng(0).standard_normal((2, 3, 40))
    np.testing.assert_allclose(mechanism.apply_noising(rows), rows @ inverse, atol=1e-10)
    np.testing.assert_allclose(mechanism.covariance, inverse @ inverse.T, atol=1e-10)
    np.testing.assert_allclose(
        mechanism.prefix_errors, prefix_errors(mechanism.strategy_matrix()), rtol=1e-10
    )


@pytest.mark.parametrize("key", ["sqrt", "lr_aware", "toeplitz_mean", "bisr", "iid"])
def test_long_toeplitz_mechanisms_agree_with_a_direct_product(key):
    """Beyond the recurrence length (Newton and FFT) rows·C⁻¹·C gives the rows back."""
    horizon = 5000
    mechanism = solved(key, horizon, 32)
    row = np.random.default_rng(1).standard_normal(horizon)
    filtered = mechanism.apply_noising(row)
    coefficients = mechanism.strategy.strategy_series
    back = np.convolve(filtered[::-1], coefficients)[:horizon][::-1]
    np.testing.assert_allclose(back, row, atol=1e-10)
    assert mechanism.sensitivity == pytest.approx(1, abs=1e-12)


def test_lr_aware_is_the_toeplitz_square_root_of_the_schedule():
    """C² is proportional to Toeplitz(max(χ, 1e-3)); constant χ gives `sqrt`, α^t gives α^k r_k."""
    chi = Schedule(family="warmup_cosine").multipliers(64)
    root = solve("lr_aware", horizon=64, multipliers=chi).strategy_matrix()
    squared = root @ root
    floored = np.maximum(chi, 1e-3)
    expected = np.tril(toeplitz(floored))
    np.testing.assert_allclose(squared / squared[0, 0], expected / expected[0, 0], atol=1e-10)
    constant = solve("lr_aware", horizon=64, multipliers=np.ones(64)).strategy_matrix()
    square_root = solve("sqrt", horizon=64).strategy_matrix()
    np.testing.assert_allclose(constant, square_root, atol=1e-14)
    powers = 0.95 ** np.arange(64)
    decaying = solve("lr_aware", horizon=64, multipliers=powers).strategy_matrix()[:, 0]
    expected_column = powers * square_root[:, 0] / square_root[0, 0]
    np.testing.assert_allclose(decaying / decaying[0], expected_column, rtol=1e-9)


def test_designs_that_need_the_problem_say_so():
    """Without the schedule or the quadratic, the message names what is missing."""
    with pytest.raises(InputError, match="multipliers"):
        solve("lr_aware", horizon=4)
    with pytest.raises(InputError, match="eigenvalues"):
        solve("noisecurve", horizon=4)
    with pytest.raises(InputError, match="learning_rate"):
        solve("noisecurve", horizon=4, eigenvalues=(1.0,))
    with pytest.raises(InputError, match="mechanism = 'none'"):
        solve("none", horizon=4)
    with pytest.raises(InputError, match="at most 4096 for the mechanism dense"):
        solve("dense", horizon=5000)


def test_long_banded_inverse_designs_follow_the_optimum():
    """At T = 20 000 the optimised banded inverse beats its start, which a bad step cannot."""
    start = solve("bisr", horizon=20_000, bands=32).mean_squared_error
    reached = solve("bandinv_mean", horizon=20_000, bands=32)
    assert reached.report.converged
    assert reached.mean_squared_error < start / 5


SHIPPED = [request for request in shipped_requests() if request[1]["horizon"] == 128]


@pytest.mark.parametrize(
    ("key", "parameters"), SHIPPED, ids=[f"{key}-{k}" for k, (key, _) in enumerate(SHIPPED)]
)
def test_shipped_designs_equal_a_fresh_solve(key, parameters):
    """The shipped file holds what the solver finds: same objective, same damage-relevant K."""
    from momentdp_core.mechanisms.registry import SHIPPED_FILE

    assert SHIPPED_FILE.exists()
    fresh = solve(key, **parameters)
    shipped = design(key, **parameters)
    assert shipped.report.objective == pytest.approx(fresh.report.objective, rel=1e-5)
    assert shipped.mean_squared_error == pytest.approx(fresh.mean_squared_error, rel=0.05)


def test_shipped_designs_are_found_without_solving(monkeypatch):
    """Every shipped request is answered from the file, even with no solver and no cache."""
    from momentdp_core.mechanisms import base, registry

    def refuse(self, problem):
        raise AssertionError(f"{self.key} was solved again")

    registry._design.cache_clear()
    monkeypatch.setattr(base.Family, "solve", refuse)
    for key, parameters in shipped_requests():
        assert design(key, **parameters).key == key
    registry._design.cache_clear()
