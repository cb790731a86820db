"""Impulse responses: the fast recursion, the generic routine, and the trajectory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import (
    MECHANISMS,
    Curvature,
    Scenario,
    Schedule,
    impulse_response,
)
from momentdp_core.optimizers import HeavyBall
from momentdp_core.transfer import generic_response, trajectory_responses

ALL = tuple(MECHANISMS)


def small(**fields):
    """A small scenario for dense oracles."""
    given = {"horizon": 9, "bands": 3, "curvature": Curvature(modes=3), "mechanisms": ALL}
    return Scenario(**{**given, **fields})


@settings(deadline=None, max_examples=30)
@given(
    horizon=st.integers(1, 15),
    momentum=st.floats(0, 0.999),
    rate=st.floats(0, 3),
    seed=st.integers(0, 99),
)
def test_heavy_ball_recursion_equals_the_generic_routine(horizon, momentum, rate, seed):
    """The fast recursion and the generic adjoint of (A_t, B_t) give the same impulse response."""
    chi = tuple(np.random.default_rng(seed).uniform(0, 1, horizon))
    scenario = Scenario(
        horizon=horizon, learning_rate=rate, schedule=Schedule(family="custom", values=chi)
    )
    fast = impulse_response(scenario, [momentum, 0.3])
    system = HeavyBall().system(
        eigenvalues=scenario.eigenvalues,
        rates=scenario.step_sizes,
        values=np.array([momentum, 0.3]),
    )
    generic = generic_response(system)
    np.testing.assert_allclose(fast, generic, rtol=1e-9, atol=1e-12 * np.abs(generic).max())


def test_trajectory_rows_end_at_the_impulse_response():
    """The last row of the forward recursion is g itself; earlier rows are g of shorter runs."""
    scenario = small()
    system = HeavyBall().system(
        eigenvalues=scenario.eigenvalues, rates=scenario.step_sizes, values=np.array([0.7])
    )
    rows = list(trajectory_responses(system))
    np.testing.assert_allclose(rows[-1], impulse_response(scenario, [0.7]), atol=1e-13)
    shorter = impulse_response(replace(scenario, horizon=4), [0.7])
    np.testing.assert_allclose(rows[3][..., :4], shorter, atol=1e-13)
    assert not rows[3][..., 4:].any()
