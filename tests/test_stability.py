"""What a run without noise can grow to, and what a filter does to noise, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentdp_core import (
    OPTIMIZERS,
    Curvature,
    InputError,
    Scenario,
    Schedule,
    growth_over_schedule,
    noise_suppression,
)
from momentdp_core.optimizers import (
    CustomFilter,
    Disk,
    DpPmlf,
    ExponentialMomentum,
    HeavyBall,
    InnerOuter,
    LowPass,
    PerSampleMomentum,
    TailAveraging,
    WeightAveraging,
)
from momentdp_core.updates import UPDATES

LONG = 1000


@given(rate=st.floats(0, 3.5), horizon=st.integers(1, 40))
def test_plain_sgd_grows_as_a_power(rate, horizon):
    """At μ = 0 and a constant rate the growth is max(1, |1 − ηλ|^T) over the modes."""
    scenario = Scenario(
        horizon=horizon, curvature=Curvature(modes=3, condition_number=10), learning_rate=rate
    )
    powers = np.abs(1 - rate * scenario.eigenvalues) ** horizon
    assert growth_over_schedule(scenario, [0.0])[0] == pytest.approx(max(1, powers.max()))


@pytest.mark.parametrize("key", OPTIMIZERS)
def test_growth_is_that_of_the_dense_matrices(key):
    """Multiplying the dense A_t one after the other gives the same largest error."""
    optimizer = OPTIMIZERS[key]()
    scenario = Scenario(
        horizon=20,
        curvature=Curvature(modes=3, condition_number=10),
        schedule=Schedule(family="front_loaded"),
        learning_rate=2.8,
        optimizer=optimizer,
    )
    values = np.array([0.2, 0.7])
    system = optimizer.system(
        eigenvalues=scenario.eigenvalues, rates=scenario.step_sizes, values=values
    )
    state = np.zeros((2, 3, system.size))
    state[..., list(system.start)] = 1
    largest = np.ones(2)
    for t in range(20):
        state = np.einsum("mdkl,mdl->mdk", system.matrix(t), state)
        largest = np.maximum(largest, np.abs(state[..., system.readout]).max(axis=1))
    np.testing.assert_allclose(growth_over_schedule(scenario, values), largest, rtol=1e-12)


def test_a_decaying_schedule_above_the_limit_stays_finite():
    """The peak is above the limit, where a constant rate overflows, yet the run grows little."""
    kept = {"horizon": 10_000, "curvature": Curvature(modes=2), "learning_rate": 2.3}
    decaying = Scenario(schedule=Schedule(family="exponential"), **kept)
    assert decaying.learning_rate > HeavyBall().stability_limit(np.zeros(1))[0]
    # |1 − η_t| > 1 while η_t > 2: up to u = log(2.3/2)/log(100) of the run.
    above = decaying.step_sizes[decaying.step_sizes > 2]
    expected = np.prod(above - 1)
    assert growth_over_schedule(decaying, [0.0])[0] == pytest.approx(expected, rel=1e-9)
    assert growth_over_schedule(Scenario(**kept), [0.0])[0] == np.inf


def test_nothing_moves_without_a_rate():
    """At rate 0 every error stays what it is: growth 1, also where curvature is 0."""
    flat = Curvature(family="custom", values=(1.0, 0.0))
    still = Scenario(horizon=5, curvature=flat, learning_rate=0.0)
    assert growth_over_schedule(still, [0.0, 0.9]).tolist() == [1, 1]


@pytest.mark.parametrize(
    "optimizer",
    [LowPass(), LowPass(normalise=False), DpPmlf()],
    ids=["normalised", "not normalised", "both"],
)
def test_a_first_order_filter_tends_to_its_closed_form(optimizer):
    """For i.i.d. noise and a long run the factor is (1−p)/(1+p), p = e^{−πω}."""
    scenario = Scenario(horizon=LONG, mechanisms=("iid",), optimizer=optimizer)
    pole = np.exp(-np.pi * 0.2)
    assert noise_suppression(scenario, 0.2)[0] == pytest.approx((1 - pole) / (1 + pole), rel=5e-3)


@pytest.mark.parametrize(
    ("optimizer", "value", "expected"),
    [
        (HeavyBall(), 0.8, 1 / (1 - 0.8**2)),
        (InnerOuter(), 0.8, 1 / (1 - 0.8**2)),
        (ExponentialMomentum(), 0.8, 0.2 / 1.8),
        (PerSampleMomentum(), 0.8, 1.0),
        (Disk(), 0.4, 0.4 / 1.6),
        (CustomFilter(b=(0.5, 0.3, 0.2), normalise=False), 0.0, 0.25 + 0.09 + 0.04),
        (WeightAveraging(momentum=0.0), 0.5, 0.5**2 / (1 - 0.5**2)),
    ],
    ids=lambda item: type(item).__name__ if not isinstance(item, float) else f"{item:.3f}",
)
def test_the_factor_tends_to_the_sum_of_squared_taps(optimizer, value, expected):
    """Σ h_k² of the filter between the noise and the step, which follows from its equation."""
    scenario = Scenario(horizon=LONG, mechanisms=("iid",), optimizer=optimizer)
    assert noise_suppression(scenario, value)[0] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("key", OPTIMIZERS)
def test_the_factor_is_the_ratio_of_traces(key):
    """tr(U K Uᵀ)/tr(K) with U from the programmed update rule, for every mechanism."""
    optimizer = TailAveraging(fraction=0.5) if key == "tail_average" else OPTIMIZERS[key]()
    scenario = Scenario(horizon=12, bands=3, optimizer=optimizer)
    errors = np.zeros((13, 12))
    for t in range(1, 13):
        rates = np.ones(t)
        if key == "tail_average" and t < 12:
            # Its answer before the end is a part of the sum: the last 6 of 12 errors, over 6.
            errors[t, :t] = _tail_partial(t, 12, 6, 0.6)
            continue
        impulses = np.eye(t)[:, :, None]
        errors[t, :t] = UPDATES[key](optimizer, 0.6, np.zeros(1), rates, impulses)[:, 0]
    steps = errors[:-1] - errors[1:]
    factor = noise_suppression(scenario, 0.6)
    for n, name in enumerate(scenario.mechanisms):
        covariance = scenario.design(name).covariance
        expected = np.trace(steps @ covariance @ steps.T) / np.trace(covariance)
        assert factor[n] == pytest.approx(expected, rel=1e-9)


def _tail_partial(t, horizon, length, mu):
    """Σ of the errors of the last `length` of `horizon` steps that are reached at t, over it."""
    total = np.zeros(t)
    for s in range(horizon - length + 1, t + 1):
        for j in range(s):
            # a unit at step j has moved the error by −Σ_{k<s−j} μ^k
            total[j] -= sum(mu**k for k in range(s - j))
    return total / length


def test_bad_input():
    """Values out of range and horizons that need too large matrices are refused."""
    with pytest.raises(InputError, match="momentum"):
        growth_over_schedule(Scenario(horizon=2), [1.0])
    with pytest.raises(InputError, match="momentum"):
        noise_suppression(Scenario(horizon=2), -0.1)
    with pytest.raises(InputError, match="horizon"):
        noise_suppression(Scenario(horizon=1025, mechanisms=("iid",)), 0.0)
