"""Bias, sampling noise and privacy noise: each against simulation, and what they add up to."""

from __future__ import annotations

import numpy as np
import pytest

from momentdp_core import Curvature, InputError, Scenario, Schedule, excess_loss, final_damage
from momentdp_core.excess import epsilon_crossover, epsilon_sweep, variance_reduction
from momentdp_core.optimizers import (
    Disk,
    DpPmlf,
    HeavyBall,
    InnerOuter,
    LowPass,
    PerSampleMomentum,
    TailAveraging,
    WeightAveraging,
)
from momentdp_core.updates import UPDATES

OPTIMIZERS = {
    "heavy ball": (HeavyBall(), 0.7),
    "tail average": (TailAveraging(fraction=0.5), 0.7),
    "weight average": (WeightAveraging(momentum=0.5), 0.8),
    "low pass": (LowPass(), 0.2),
    "per-sample": (PerSampleMomentum(steps=4), 0.8),
    "both": (DpPmlf(beta=0.8, steps=3), 0.3),
    "inner-outer": (InnerOuter(beta=0.8, steps=3), 0.6),
    "disk": (Disk(), 0.4),
}


def scenario_of(optimizer, horizon=14):
    """A small problem with a decaying rate."""
    return Scenario(
        horizon=horizon,
        curvature=Curvature(modes=3, condition_number=10),
        schedule=Schedule(family="front_loaded"),
        learning_rate=0.6,
        bands=3,
        optimizer=optimizer,
    )


def plain_heavy_ball(lam, steps, start, mu):
    """Heavy ball from a starting error, in a loop."""
    error, buffer = start.copy(), np.zeros_like(start)
    for step in steps:
        buffer = mu * buffer + lam * error
        error = error - step * buffer
    return error


def test_bias_is_what_the_noiseless_run_leaves():
    """½ Σ λ e_T² of a run without noise, from different errors in each mode."""
    scenario, start = scenario_of(HeavyBall()), np.array([1.0, -2.0, 0.5])
    left = plain_heavy_ball(scenario.eigenvalues, scenario.step_sizes, start, 0.7)
    bias = excess_loss(scenario, [0.7], start_error=start).bias[0]
    assert bias == pytest.approx(0.5 * scenario.eigenvalues @ left**2, rel=1e-12)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_bias_follows_the_dense_matrices(name):
    """Multiplying the start by every dense A_t in turn leaves the same error."""
    optimizer, value = OPTIMIZERS[name]
    scenario = scenario_of(optimizer)
    start = np.array([1.0, -2.0, 0.5])
    system = optimizer.system(
        eigenvalues=scenario.eigenvalues, rates=scenario.step_sizes, values=np.array([value])
    )
    state = np.zeros((3, system.size))
    state[:, list(system.start)] = start[:, None]
    for t in range(scenario.horizon):
        state = np.einsum("dkl,dl->dk", system.matrix(t)[0], state)
    expected = 0.5 * scenario.eigenvalues @ state[:, system.readout] ** 2
    bias = excess_loss(scenario, [value], start_error=start).bias[0]
    assert bias == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_constant_start_without_curvature_stays(name):
    """Along a nearly flat mode nothing moves: every optimizer, averages too, reads e_0 out."""
    optimizer, value = OPTIMIZERS[name]
    scenario = Scenario(
        horizon=30,
        curvature=Curvature(family="custom", values=(1.0, 1e-9)),
        learning_rate=0.1,
        optimizer=optimizer,
    )
    start = np.array([0.0, 3.0])
    bias = excess_loss(scenario, [value], start_error=start).bias[0]
    assert bias == pytest.approx(0.5 * 1e-9 * 9, rel=1e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_sampling_loss_agrees_with_simulation(name):
    """i.i.d. gradient noise, averaged over the window where there is one, gives the exact loss."""
    optimizer, value = OPTIMIZERS[name]
    scenario = scenario_of(optimizer)
    runs, noise = 20_000, 0.7
    rng = np.random.default_rng(8)
    drawn = noise * rng.standard_normal((scenario.horizon, runs, 3))
    window = getattr(optimizer, "steps", 1)
    beta = value if isinstance(optimizer, PerSampleMomentum) else getattr(optimizer, "beta", 0.0)
    entering = np.empty_like(drawn)
    for t in range(scenario.horizon):
        weights = beta ** np.arange(min(window, t + 1))
        weights = weights / weights.sum()
        entering[t] = sum(w * drawn[t - j] for j, w in enumerate(weights))
    final = UPDATES[optimizer.key](
        optimizer, value, scenario.eigenvalues, scenario.step_sizes, entering
    )
    losses = 0.5 * (final**2) @ scenario.eigenvalues
    exact = excess_loss(scenario, [value], sampling_noise=noise).sampling[0]
    assert abs(losses.mean() - exact) < 4 * losses.std() / np.sqrt(runs)


@pytest.mark.parametrize(("beta", "steps"), [(0.0, 3), (0.5, 1), (0.5, 2), (0.9, 8), (0.999999, 5)])
def test_variance_reduction_against_simulation(beta, steps):
    """The windowed mean of i.i.d. noise has 1/ρ² of its variance, and ρ² → k as β → 1 (P1)."""
    rng = np.random.default_rng(steps)
    drawn = rng.standard_normal((200_000, steps))
    weights = beta ** np.arange(steps)
    weights = weights / weights.sum()
    variance = (drawn @ weights).var()
    assert variance * variance_reduction(beta, steps) == pytest.approx(1, abs=0.02)
    assert variance_reduction(0.9999999, 7) == pytest.approx(7, rel=1e-4)


def test_parts_add_up_and_privacy_is_the_damage():
    """total = bias + sampling + D, and its ranking is that of the damage at one swept value."""
    scenario = scenario_of(HeavyBall())
    parts = excess_loss(scenario, [0.0, 0.5], sampling_noise=0.3)
    np.testing.assert_allclose(parts.privacy, final_damage(scenario, [0.0, 0.5]), rtol=1e-9)
    np.testing.assert_allclose(parts.total, parts.bias + parts.sampling + parts.privacy)
    assert parts.rank.shape == (11, 2)


def test_a_filter_that_kills_noise_slows_learning():
    """A lower cut-off means less damage and more bias: over-smoothing flips the choice with ε."""
    scenario = Scenario(
        horizon=64,
        curvature=Curvature(condition_number=100),
        learning_rate=0.3,
        mechanisms=("iid",),
        optimizer=LowPass(normalise=False),
    )
    parts = excess_loss(scenario, [0.02, 0.9], start_error=3.0)
    assert parts.privacy[0, 0] < parts.privacy[0, 1]
    assert parts.bias[0] > parts.bias[1]
    unit = scenario.noise_multiplier**2
    choices = [(parts.bias[m], parts.privacy[0, m] / unit) for m in (0, 1)]
    crossing = epsilon_crossover(scenario, choices[0], choices[1])
    totals = [
        epsilon_sweep(
            scenario, value, [crossing * 0.99, crossing * 1.01], start_error=3.0, sampling_noise=0.0
        )[0]
        for value in (0.02, 0.9)
    ]
    assert totals[0][0] < totals[1][0]  # strong privacy: the smooth filter wins
    assert totals[0][1] > totals[1][1]  # weak privacy: it over-smooths


def test_no_crossover_where_one_choice_is_better_everywhere():
    """Less of both never flips; equal damage never meets."""
    assert epsilon_crossover(Scenario(), (0.0, 1.0), (1.0, 2.0)) is None
    assert epsilon_crossover(Scenario(), (0.0, 1.0), (1.0, 1.0)) is None
    assert epsilon_crossover(Scenario(), (0.0, 1.0), (1e30, 0.5)) is None


def test_bad_input():
    """Negative noise, wrong lengths and impossible windows are refused."""
    with pytest.raises(InputError, match="sampling_noise"):
        excess_loss(Scenario(horizon=2), [0.0], sampling_noise=-1)
    with pytest.raises(InputError, match="beta"):
        variance_reduction(1.0, 3)
    with pytest.raises(InputError, match="steps"):
        variance_reduction(0.5, 0)
    with pytest.raises(InputError, match="epsilon"):
        epsilon_sweep(Scenario(horizon=2), 0.5, [0.0], start_error=1.0, sampling_noise=0.0)
    with pytest.raises(InputError, match="start_error"):
        excess_loss(Scenario(horizon=2), [0.0], start_error=[1.0, 2.0])
