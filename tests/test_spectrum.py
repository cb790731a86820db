"""Damage by frequency and by mode: exact splits, closed-form spectra, what decides a pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import dft

from momentdp_core import (
    MECHANISMS,
    Curvature,
    InputError,
    Scenario,
    Schedule,
    damage_by_mode,
    explain_pair,
    final_damage,
    frequency_view,
    impulse_response,
)

ALL = tuple(MECHANISMS)


@pytest.mark.parametrize("horizon", [1, 2, 7, 32])
@pytest.mark.parametrize("family", ["constant", "warmup_cosine"])
def test_frequencies_add_up_to_the_damage(horizon, family):
    """Σ_f of the exact shares is D for every mechanism, for any schedule and parity of T."""
    scenario = Scenario(horizon=horizon, schedule=Schedule(family=family), mechanisms=ALL, bands=4)
    view = frequency_view(scenario, 0.8)
    np.testing.assert_allclose(
        view.damage.sum(axis=1), final_damage(scenario, [0.8])[:, 0], rtol=1e-9
    )
    assert view.frequencies.shape == (horizon // 2 + 1,)


@pytest.mark.parametrize("horizon", [1, 2, 3, 7, 32])
def test_the_area_by_octave_is_the_damage(horizon):
    """Damage per octave times the octaves of each band adds up to D; the bands do not overlap."""
    scenario = Scenario(horizon=horizon, mechanisms=("iid", "dense"), bands=4)
    view = frequency_view(scenario, 0.8)
    octaves = np.log2(view.edges[1:] / view.edges[:-1])
    assert (octaves > 0).all()
    assert view.edges[-1] <= 0.5
    np.testing.assert_allclose(
        view.damage_per_octave @ octaves, final_damage(scenario, [0.8])[:, 0], rtol=1e-9
    )
    assert (view.edges[1:-1] > view.frequencies[:-1]).all()
    assert view.sides.sum() == horizon


def test_the_split_is_the_quadratic_form_in_a_dft_basis():
    """Each share equals the row of ĝ (F K F*) ĝ* computed with a dense DFT matrix."""
    scenario = Scenario(horizon=9, curvature=Curvature(modes=3), mechanisms=("dense",), bands=3)
    basis = dft(9, scale="sqrtn")
    covariance = basis @ scenario.design("dense").covariance @ basis.conj().T
    shares = np.zeros(9)
    for lam, row in zip(scenario.eigenvalues, impulse_response(scenario, [0.5])[0], strict=True):
        moved = basis @ row
        shares += 0.5 * lam * np.real(moved.conj() * (covariance @ moved))
    shares *= scenario.noise_multiplier**2
    folded = [shares[0], *(shares[1:5] + shares[:4:-1])]
    np.testing.assert_allclose(frequency_view(scenario, 0.5).damage[0], folded, rtol=1e-9)


def test_independent_noise_is_white_and_needs_no_theory():
    """For IID noise the power is 1 everywhere, and stationary theory is exact."""
    view = frequency_view(Scenario(mechanisms=("iid",)), 0.9)
    np.testing.assert_allclose(view.power, 1)
    np.testing.assert_allclose(view.stationary, view.damage, rtol=1e-9)


def test_noise_power_tends_to_the_transfer_function_of_the_noising_series():
    """For BISR the expected periodogram approaches |Σ n_k e^{−iωk}|² as T grows."""
    scenario = Scenario(horizon=2048, mechanisms=("bisr",), curvature=Curvature(modes=1))
    view = frequency_view(scenario, 0.0)
    series = scenario.design("bisr").strategy.noising_series
    lags = np.arange(len(series))
    exact = np.abs(np.exp(-2j * np.pi * np.outer(view.frequencies, lags)) @ series) ** 2
    np.testing.assert_allclose(view.power[0], exact, rtol=0.02, atol=0.002)


def test_correlated_noise_moves_power_to_high_frequencies():
    """Every correlated mechanism of the paper has less power at 0 than at ½, IID the same."""
    scenario = Scenario(mechanisms=tuple(k for k in ALL if k != "iid"), learning_rate=0.1)
    view = frequency_view(scenario, 0.0)
    assert (view.power[:, 0] < 0.2 * view.power[:, -1]).all()


def test_momentum_is_a_low_pass_filter():
    """Momentum raises the optimizer's response at frequency 0 over that at ½."""
    scenario = Scenario(mechanisms=("iid",), learning_rate=0.1)
    calm, heavy = (frequency_view(scenario, mu).response for mu in (0.0, 0.9))
    assert heavy[0] / heavy[-1] > 10 * calm[0] / calm[-1]


def test_a_pair_is_explained_by_its_parts():
    """Below + above = gap = Σ over modes; the better one is the one with less damage."""
    scenario = Scenario(curvature=Curvature(condition_number=10))
    for value, better in ((0.0, "noisecurve"), (0.9, "dense")):
        found = explain_pair(scenario, value, "noisecurve", "dense")
        totals = dict(zip(scenario.mechanisms, final_damage(scenario, [value])[:, 0], strict=True))
        assert found.better == better
        assert found.gap == pytest.approx(totals[found.worse] - totals[found.better], rel=1e-9)
        assert found.below_gap + found.above_gap == pytest.approx(found.gap, rel=1e-9)
        modes = damage_by_mode(scenario, [value])[:, 0]
        rows = [modes[scenario.mechanisms.index(k)] for k in (found.worse, found.better)]
        assert found.mode == int(np.argmax(rows[0] - rows[1]))
        assert found.mode_gap > 0


@pytest.mark.parametrize("value", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("horizon", [1, 2, 7, 24])
def test_the_band_is_the_shortest_with_half_of_the_difference(value, horizon):
    """Of all bands that hold half of Σ|ΔD(f)|, tried one by one, none spans fewer octaves."""
    scenario = Scenario(horizon=horizon, bands=4, curvature=Curvature(condition_number=10))
    found = explain_pair(scenario, value, "noisecurve", "iid")
    view = frequency_view(replace(scenario, mechanisms=(found.worse, found.better)), value)
    difference = view.damage[0] - view.damage[1]
    total = sum(abs(x) for x in difference)
    if total == 0:
        assert (found.band_gap, found.band_share) == (0.0, 0.0)
        return
    spans = {
        (i, j): np.log2(view.edges[j + 1] / view.edges[i])
        for i in range(len(difference))
        for j in range(i, len(difference))
        if sum(abs(x) for x in difference[i : j + 1]) >= 0.5 * total * (1 - 1e-9)
    }
    first, last = (view.frequencies.tolist().index(edge) for edge in found.band)
    assert spans[first, last] == pytest.approx(min(spans.values()))
    assert found.band_gap == pytest.approx(difference[first : last + 1].sum(), rel=1e-9)
    part = sum(abs(x) for x in difference[first : last + 1])
    assert found.band_share == pytest.approx(part / total)
    assert found.band_share >= 0.5 - 1e-9


def test_bad_pairs_and_long_horizons_are_refused():
    """Two different known mechanisms, and T ≤ 4096."""
    with pytest.raises(InputError, match="another key"):
        explain_pair(Scenario(horizon=4), 0.5, "iid", "iid")
    with pytest.raises(InputError, match="mechanisms"):
        explain_pair(Scenario(horizon=4), 0.5, "iid", "magic")
    with pytest.raises(InputError, match="frequency view"):
        frequency_view(Scenario(horizon=5000, mechanisms=("iid",)), 0.5)
