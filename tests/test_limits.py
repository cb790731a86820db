"""Stability limits without closed form: against eigenvalues, closed forms, and planted roots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentdp_core.optimizers import (
    OPTIMIZERS,
    CustomFilter,
    Disk,
    DpPmlf,
    ExponentialMomentum,
    HeavyBall,
    InnerOuter,
    LowPass,
    Nesterov,
    PerSampleMomentum,
    WeightDecay,
)
from momentdp_core.optimizers.limits import roots_inside, settled_limit

CLOSED = {
    "heavy ball": HeavyBall(),
    "nesterov": Nesterov(),
    "ema": ExponentialMomentum(),
    "weight decay": WeightDecay(decay=0.3),
    "disk": Disk(),
}
NUMERICAL = {
    "low pass": LowPass(normalise=False),
    "butterworth": LowPass(design="butterworth", order=3, normalise=False),
    "filter": CustomFilter(a=(-0.5, 0.1), b=(0.3, 0.2, 0.1), normalise=False),
    "per-sample": PerSampleMomentum(steps=5),
    "both": DpPmlf(beta=0.8, steps=3, normalise=False),
    "inner-outer": InnerOuter(beta=0.7, steps=4),
}
VALUES = np.linspace(0.05, 0.95, 7)


@pytest.mark.parametrize("name", CLOSED)
def test_the_search_finds_the_closed_form(name):
    """Where the limit has a formula, looking for it numerically gives the same number."""
    optimizer = CLOSED[name]
    np.testing.assert_allclose(
        settled_limit(optimizer, VALUES, window=2), optimizer.stability_limit(VALUES), rtol=2e-9
    )


@pytest.mark.parametrize("name", NUMERICAL)
def test_the_limit_is_the_first_crossing_of_the_spectral_radius(name):
    """By eigenvalues: below the limit no rate is unstable, right above it one is."""
    optimizer = NUMERICAL[name]
    window = getattr(optimizer, "steps", 1)
    for value, limit in zip(VALUES, optimizer.stability_limit(VALUES), strict=True):
        for factor in (*np.linspace(0.05, 0.95, 10), 0.9999, 1.0001):
            rates = np.full(window, factor * limit)
            system = optimizer.system(eigenvalues=np.ones(1), rates=rates, values=value[None])
            radius = np.abs(np.linalg.eigvals(system.matrix(window - 1)[0, 0])).max()
            assert (radius > 1) == (factor > 1)


def test_a_first_order_filter_has_the_limit_of_ema():
    """m ← pm + (1−p)g is EMA momentum with β = p: 2(1+p)/(1−p), also beyond 100 and at once."""
    cutoffs = np.array([1e-3, 0.01, 0.3])
    pole = np.exp(-np.pi * cutoffs)
    limits = LowPass(normalise=False).stability_limit(cutoffs)
    np.testing.assert_allclose(limits, 2 * (1 + pole) / (1 - pole), rtol=2e-9)


@pytest.mark.parametrize("key", OPTIMIZERS)
def test_a_limit_does_not_depend_on_its_neighbours(key):
    """Asking for many values at once gives what asking for each alone gives."""
    optimizer = OPTIMIZERS[key]()
    alone = [optimizer.stability_limit(VALUES[m : m + 1])[0] for m in range(len(VALUES))]
    np.testing.assert_allclose(optimizer.stability_limit(VALUES), alone, rtol=1e-12)


@given(
    roots=st.lists(st.floats(-1.4, 1.4), min_size=1, max_size=4),
    pair=st.tuples(st.floats(0.05, 1.4), st.floats(0.1, 3.0)),
)
def test_planted_roots_are_told_inside_or_outside(roots, pair):
    """A polynomial multiplied out from its roots is told stable iff all of them are below 1."""
    size, angle = pair
    planted = np.array([*roots, size * np.exp(1j * angle), size * np.exp(-1j * angle)])
    largest = np.abs(planted).max()
    if abs(largest - 1) > 1e-2:
        assert roots_inside(np.poly(planted).real) == (largest < 1)
