"""The problem: spectra, schedules, privacy, and the errors that bad input gets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentdp_core import (
    SCHEDULES,
    SPECTRA,
    Curvature,
    InputError,
    Scenario,
    Schedule,
    gaussian_delta,
    noise_multiplier,
)

NAMED_SPECTRA = [key for key in SPECTRA if key != "custom"]
NAMED_SCHEDULES = [key for key in SCHEDULES if key != "custom"]


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("isotropic", [1, 1, 1, 1, 1]),
        ("log", [1, 10**-0.5, 0.1, 10**-1.5, 0.01]),
        ("spike", [1, 0.01, 0.01, 0.01, 0.01]),
        ("two_cluster", [1, 1, 1, 0.01, 0.01]),
        ("linear", [1, 0.7525, 0.505, 0.2575, 0.01]),
    ],
)
def test_spectra_at_five_modes(family, expected):
    """Each family gives the eigenvalues of its definition at κ = 100."""
    values = Curvature(family=family, modes=5, condition_number=100).eigenvalues
    np.testing.assert_allclose(values, expected, rtol=1e-14)


@pytest.mark.parametrize("family", NAMED_SPECTRA)
@given(modes=st.integers(1, 40), condition_number=st.floats(1, 1e6))
def test_every_spectrum_spans_one_to_inverse_condition_number(family, modes, condition_number):
    """λ_max = 1 for any d ≥ 1, and no eigenvalue is below 1/κ."""
    values = Curvature(family=family, modes=modes, condition_number=condition_number).eigenvalues
    assert values.shape == (modes,)
    assert values.max() == 1
    assert values.min() >= 1 / condition_number * (1 - 1e-12)
    assert not values.flags.writeable


def test_hessian_gives_its_eigenvalues():
    """A planted spectrum is recovered from a rotated Hessian, largest first, rounding removed."""
    rng = np.random.default_rng(3)
    planted = np.array([3.0, 1.0, 0.2, 0.0])
    rotation, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    found = Curvature.from_hessian(rotation @ np.diag(planted) @ rotation.T).eigenvalues
    np.testing.assert_allclose(found, planted, atol=1e-14)
    assert found.min() >= 0


@pytest.mark.parametrize(
    ("hessian", "word"),
    [
        ([[1.0, 2.0]], "square"),
        ([[1.0, 0.5], [0.4, 1.0]], "symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], "positive semidefinite"),
        ([[math.nan]], "finite"),
        ("text", "square matrix"),
        ([[0.0]], "at least one eigenvalue above 0"),
        ([], "square"),
        ([[1 + 5j, 0], [0, 2]], "real numbers"),
        ([[1e308, 0], [0, 1e-308]], "Rescale"),
    ],
)
def test_bad_hessian_is_refused_with_the_reason(hessian, word):
    """What is not a symmetric PSD matrix is refused, and the message names what is wrong."""
    with pytest.raises(InputError, match=word):
        Curvature.from_hessian(hessian)


def test_schedules_at_five_steps():
    """Each family gives the multipliers of its definition; w = max(1, ⌊0.1 T⌋) = 1 at T = 5."""
    u = np.arange(5) / 4
    expected = {
        "constant": np.ones(5),
        "cosine": 0.5 * (1 + np.cos(np.pi * u)),
        "warmup_constant": np.ones(5),
        "warmup_cosine": [1, *(0.5 * (1 + np.cos(np.pi * np.arange(4) / 4)))],
        "step": [1, 1, 0.1, 0.1, 0.01],
        "exponential": 0.01**u,
        "front_loaded": 1 - 0.9 * u,
        "back_loaded": 0.1 + 0.9 * u,
    }
    assert set(expected) == set(NAMED_SCHEDULES)
    for family, values in expected.items():
        got = Schedule(family=family).multipliers(5)
        np.testing.assert_allclose(got, values, atol=1e-15, err_msg=family)


def test_warmup_rises_over_a_tenth_of_the_horizon():
    """At T = 128 the warm-up takes ⌊12.8⌋ = 12 steps and starts at 1/12."""
    values = Schedule(family="warmup_cosine").multipliers(128)
    np.testing.assert_allclose(values[:12], np.arange(1, 13) / 12)
    assert values[12] == 1
    assert values[13] < 1


@pytest.mark.parametrize("family", NAMED_SCHEDULES)
@given(horizon=st.integers(1, 60))
def test_every_schedule_works_at_any_horizon(family, horizon):
    """T values between 0 and 1, with a peak above 0; one step alone has the full or first rate."""
    values = Schedule(family=family).multipliers(horizon)
    assert values.shape == (horizon,)
    assert values.min() >= 0
    assert 0 < values.max() <= 1 + 1e-15


BAD_INPUT = [
    (Curvature, {"family": "cubic"}, "spectrum"),
    (Curvature, {"modes": 0}, "modes"),
    (Curvature, {"modes": 10**23}, "modes"),
    (Scenario, {"horizon": 10**23}, "horizon"),
    (Curvature, {"modes": 2.5}, "modes"),
    (Curvature, {"modes": True}, "modes"),
    (Curvature, {"condition_number": 0.5}, "condition_number"),
    (Curvature, {"condition_number": math.inf}, "condition_number"),
    (Curvature, {"family": "custom"}, "eigenvalues"),
    (Curvature, {"family": "custom", "values": (1.0, -0.1)}, "eigenvalues"),
    (Curvature, {"family": "custom", "values": (0.0,)}, "eigenvalues"),
    (Curvature, {"family": "log", "values": (1.0,)}, "eigenvalues"),
    (Schedule, {"family": "sine"}, "schedule"),
    (Schedule, {"warmup_fraction": 1.5}, "warmup_fraction"),
    (Schedule, {"step_factor": 0}, "step_factor"),
    (Schedule, {"step_stages": 0}, "step_stages"),
    (Schedule, {"family": "custom", "values": (1.0, math.nan)}, "schedule values"),
    (Scenario, {"horizon": 0}, "horizon"),
    (Scenario, {"horizon": "many"}, "horizon"),
    (Scenario, {"learning_rate": -1}, "learning_rate"),
    (Scenario, {"bands": 0}, "bands"),
    (Scenario, {"epsilon": 0}, "epsilon"),
    (Scenario, {"delta": 1}, "delta"),
    (Scenario, {"mechanisms": ()}, "mechanisms"),
    (Scenario, {"mechanisms": ("iid", "iid")}, "mechanisms"),
    (Scenario, {"mechanisms": ("magic",)}, "mechanisms"),
    (Scenario, {"optimizer": "adam"}, "optimizer"),
    (
        Scenario,
        {"horizon": 3, "schedule": Schedule(family="custom", values=(1.0,))},
        "schedule values",
    ),
]


@pytest.mark.parametrize(
    ("kind", "fields", "argument"),
    BAD_INPUT,
    ids=[f"{kind.__name__}-{number}" for number, (kind, _, _) in enumerate(BAD_INPUT)],
)
def test_bad_input_names_the_argument_and_the_remedy(kind, fields, argument):
    """Every refused argument is named, with its value, the allowed range and what to do."""
    with pytest.raises(InputError) as caught:
        kind(**fields)
    assert argument in caught.value.argument
    assert caught.value.allowed
    assert caught.value.remedy.endswith(".")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_scenario_is_hashable_and_survives_json():
    """Equal scenarios are one cache key, and to_dict/from_dict give the same scenario back."""
    one = Scenario(
        curvature=Curvature(family="custom", values=(2.0, 1.0)),
        schedule=Schedule(family="custom", values=(1.0, 0.5)),
        horizon=2,
        mechanisms=("iid", "sqrt"),
    )
    again = Scenario.from_dict(one.to_dict())
    assert again == one
    assert hash(again) == hash(one)
    with pytest.raises(InputError, match="scenario"):
        Scenario.from_dict({"horizont": 3})


def test_peak_rate_is_scaled_by_the_largest_eigenvalue():
    """η_t = η χ_t / λ_max, so that ηλ_max is what the control says."""
    scenario = Scenario(
        horizon=2, curvature=Curvature(family="custom", values=(4.0, 1.0)), learning_rate=0.8
    )
    np.testing.assert_allclose(scenario.step_sizes * 4.0, 0.8)


def test_noise_multiplier_known_value():
    """(ε, δ) = (4, 1e-5) gives σ = 1.0811618495, and σ gives δ back."""
    assert noise_multiplier(epsilon=4.0, delta=1e-5) == pytest.approx(1.0811618495, abs=5e-11)


@given(epsilon=st.floats(1e-3, 100), delta=st.floats(1e-12, 0.5))
def test_noise_multiplier_inverts_delta(epsilon, delta):
    """The calibrated σ meets δ to rounding, and a slightly smaller one does not."""
    sigma = noise_multiplier(epsilon=epsilon, delta=delta)
    assert gaussian_delta(epsilon=epsilon, noise_multiplier=sigma) <= delta * (1 + 1e-8)
    assert gaussian_delta(epsilon=epsilon, noise_multiplier=sigma * (1 - 1e-6)) > delta


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0, 10.0, 500.0])
def test_noise_multiplier_against_numerical_integration(epsilon):
    """δ(ε) equals the hockey-stick integral of the two Gaussians, done numerically."""
    from scipy.integrate import quad
    from scipy.stats import norm

    sigma = noise_multiplier(epsilon=epsilon, delta=1e-3)
    threshold = sigma**2 * epsilon + 0.5  # where the density ratio is e^ε
    shifted = quad(lambda x: norm.pdf(x, 1, sigma), threshold, 1 + 12 * sigma, epsabs=1e-14)[0]
    centred = quad(
        lambda x: math.exp(epsilon + norm.logpdf(x, 0, sigma)),
        threshold,
        threshold + 12 * sigma,
        epsabs=1e-14,
    )[0]
    assert shifted - centred == pytest.approx(1e-3, rel=1e-6)
