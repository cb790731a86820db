"""Every linear optimizer: its system against its update rule, its limit, and what it reduces to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import (
    OPTIMIZERS,
    Curvature,
    InputError,
    Scenario,
    Schedule,
    evaluate,
    final_damage,
    impulse_response,
    simulate_damage,
)
from momentdp_core.optimizers import (
    CustomFilter,
    Disk,
    DpPmlf,
    ExponentialMomentum,
    HeavyBall,
    InnerOuter,
    LowPass,
    Nesterov,
    PerSampleMomentum,
    TailAveraging,
    WeightAveraging,
    WeightDecay,
)
from momentdp_core.transfer import generic_response, trajectory_responses
from momentdp_core.updates import UPDATES

VARIANTS = {
    "heavy_ball": HeavyBall(),
    "nesterov": Nesterov(),
    "ema": ExponentialMomentum(),
    "ema, corrected": ExponentialMomentum(bias_correction=True),
    "weight_decay": WeightDecay(decay=0.3),
    "tail_average": TailAveraging(fraction=0.4),
    "weight_average": WeightAveraging(momentum=0.6),
    "lp_dpsgd": LowPass(),
    "lp_dpsgd, butterworth 3": LowPass(design="butterworth", order=3),
    "lp_dpsgd, not normalised": LowPass(normalise=False),
    "filter": CustomFilter(a=(-0.5, 0.1), b=(0.3, 0.2, 0.1)),
    "filter, more b": CustomFilter(b=(0.5, 0.25, 0.25), normalise=False),
    "filter, more a": CustomFilter(a=(-0.4, 0.2, -0.1), b=(0.7,), normalise=False),
    "per_sample_momentum": PerSampleMomentum(steps=3),
    "dp_pmlf": DpPmlf(beta=0.8, steps=3),
    "dp_pmlf, butterworth 2": DpPmlf(beta=0.8, steps=4, design="butterworth", order=2),
    "inner_outer": InnerOuter(beta=0.7, steps=4),
    "disk": Disk(),
}
VALUES = (0.15, 0.8)


def scenario_of(optimizer, horizon=11, **fields):
    """A small problem with a schedule that changes at every step."""
    chi = tuple(np.random.default_rng(4).uniform(0.2, 1, horizon))
    given = {
        "horizon": horizon,
        "curvature": Curvature(modes=3, condition_number=20),
        "schedule": Schedule(family="custom", values=chi),
        "learning_rate": 0.5,
        "bands": 3,
        "optimizer": optimizer,
    }
    return Scenario(**{**given, **fields})


def system_of(scenario, values):
    """The optimizer's linear system for the scenario."""
    return scenario.optimizer.system(
        eigenvalues=scenario.eigenvalues, rates=scenario.step_sizes, values=np.array(values)
    )


def test_every_optimizer_is_covered():
    """Each entry of OPTIMIZERS has an update rule and at least one variant in these tests."""
    assert set(UPDATES) == set(OPTIMIZERS)
    assert {optimizer.key for optimizer in VARIANTS.values()} == set(OPTIMIZERS)
    for key, kind in OPTIMIZERS.items():
        assert kind.key == key
        assert kind.description.endswith(".")


@pytest.mark.parametrize("name", VARIANTS)
def test_the_system_is_the_update_rule(name):
    """A unit of noise at any one step moves the final error as the programmed algorithm says."""
    scenario = scenario_of(VARIANTS[name])
    response = impulse_response(scenario, VALUES)
    horizon, modes = scenario.horizon, len(scenario.eigenvalues)
    impulses = np.repeat(np.eye(horizon)[:, :, None], modes, axis=2)  # run s: noise 1 at step s
    for m, value in enumerate(VALUES):
        final = UPDATES[scenario.optimizer.key](
            scenario.optimizer, value, scenario.eigenvalues, scenario.step_sizes, impulses
        )
        np.testing.assert_allclose(response[m], final.T, atol=1e-12)


@pytest.mark.parametrize("name", VARIANTS)
def test_forward_and_adjoint_recursions_agree(name):
    """The last row of the trajectory equals the impulse response."""
    system = system_of(scenario_of(VARIANTS[name]), VALUES)
    *_, last = trajectory_responses(system)
    np.testing.assert_allclose(last, generic_response(system), atol=1e-13)


@pytest.mark.parametrize("name", VARIANTS)
def test_entries_and_matrices_are_the_same_system(name):
    """Multiplying the dense A_t and B_t gives the same response as the entries."""
    system = system_of(scenario_of(VARIANTS[name]), VALUES)
    adjoint = np.zeros((*system.shape, system.size))
    adjoint[..., system.readout] = 1
    rows = []
    for t in range(system.horizon - 1, -1, -1):
        rows.append((adjoint * system.vector(t)).sum(axis=-1))
        adjoint = np.einsum("mdk,mdkl->mdl", adjoint, system.matrix(t))
    np.testing.assert_allclose(
        np.moveaxis(np.array(rows[::-1]), 0, -1), generic_response(system), atol=1e-13
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_routes_agree_for_every_mechanism_and_epsilon_changes_no_rank(name):
    """Norm = contraction for all mechanisms, and ε rescales all of them alike."""
    scenario = scenario_of(VARIANTS[name], horizon=16)
    norm = final_damage(scenario, VALUES)
    contraction = final_damage(scenario, VALUES, route="contraction")
    np.testing.assert_allclose(contraction, norm, rtol=1e-9)
    ratio = final_damage(replace(scenario, epsilon=0.5), VALUES) / norm
    assert np.ptp(ratio) < 1e-12 * ratio.max()


@pytest.mark.parametrize("name", VARIANTS)
def test_simulation_agrees_within_four_standard_errors(name):
    """The simulated training meets the exact damage for every mechanism."""
    scenario = scenario_of(VARIANTS[name], horizon=16)
    exact = final_damage(scenario, [VALUES[1]])[:, 0]
    for number, key in enumerate(scenario.mechanisms):
        estimate = simulate_damage(scenario, key, VALUES[1], runs=1500, seed=number)
        assert abs(estimate.mean - exact[number]) < 4 * estimate.standard_error


@pytest.mark.parametrize("name", VARIANTS)
def test_the_stability_limit_is_where_the_settled_system_starts_to_grow(name):
    """Just below the limit every mode of the settled system shrinks, just above one grows."""
    optimizer = VARIANTS[name]
    limits = optimizer.stability_limit(np.array(VALUES))
    for value, limit in zip(VALUES, limits, strict=True):
        assert 0 < limit < np.inf
        for factor, grows in ((0.999, False), (1.001, True)):
            rates = np.full(500, factor * limit)  # long enough for start-up effects to be gone
            system = optimizer.system(eigenvalues=np.ones(1), rates=rates, values=np.array([value]))
            matrix = system.matrix(499)[0, 0]
            if isinstance(optimizer, TailAveraging | WeightAveraging):
                matrix = matrix[:2, :2]  # the average only records
            radius = np.abs(np.linalg.eigvals(matrix)).max()
            assert (radius > 1) == grows


CONSTANT = {"horizon": 3000, "schedule": Schedule(), "mechanisms": ("iid",)}


def test_ema_is_heavy_ball_with_a_smaller_rate():
    """EMA(β) = heavy ball with μ = β and η(1−β); corrected, it is the same in steady state."""
    # NoiseCurve is left out: its design depends on the rate itself.
    keys = ("iid", "dense", "bisr", "lr_aware")
    ema = scenario_of(ExponentialMomentum(), mechanisms=keys)
    ball = scenario_of(HeavyBall(), learning_rate=0.5 * 0.2, mechanisms=keys)
    np.testing.assert_allclose(final_damage(ema, [0.8]), final_damage(ball, [0.8]), rtol=1e-12)
    corrected = scenario_of(ExponentialMomentum(bias_correction=True), **CONSTANT)
    settled = scenario_of(HeavyBall(), learning_rate=0.5 * 0.2, **CONSTANT)
    np.testing.assert_allclose(
        final_damage(corrected, [0.8]), final_damage(settled, [0.8]), rtol=1e-9
    )


@pytest.mark.parametrize(
    ("optimizer", "value"),
    [
        (Nesterov(), 0.0),
        (ExponentialMomentum(bias_correction=True), 0.0),
        (WeightDecay(decay=0.0), 0.0),
        (TailAveraging(fraction=1e-9), 0.0),
        (WeightAveraging(), 0.0),
        (CustomFilter(), 0.0),
        (PerSampleMomentum(steps=1), 0.7),
        (PerSampleMomentum(steps=4), 0.0),
        (InnerOuter(steps=1), 0.0),
        (Disk(), 1.0),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, float) else str(value),
)
def test_reduces_to_plain_sgd(optimizer, value):
    """With the extra part switched off each optimizer is SGD: a filter with b = [1], κ = 1, …"""
    plain = impulse_response(scenario_of(HeavyBall()), [0.0])
    np.testing.assert_allclose(impulse_response(scenario_of(optimizer), [value]), plain, atol=1e-13)


def test_reduces_to_heavy_ball():
    """Without window, decay or filter the momentum optimizers are heavy ball at the same μ."""
    ball = impulse_response(scenario_of(HeavyBall()), [0.8])
    for optimizer in (InnerOuter(steps=1), WeightDecay(decay=0.0), CustomFilter()):
        np.testing.assert_allclose(
            impulse_response(scenario_of(optimizer), [0.8]), ball, atol=1e-12
        )


def test_stationary_variance_of_ema_in_closed_form():
    """D = σ²/2 η'(1+β)/((1−β)(2(1+β)−η'λ)) with η' = η(1−β): the first-order low-pass as well."""
    rate, cutoff = 0.5, 0.2
    beta = float(np.exp(-np.pi * cutoff))
    scaled = rate * (1 - beta)
    expected = scaled * (1 + beta) / ((1 - beta) * (2 * (1 + beta) - scaled))
    for optimizer, value in ((ExponentialMomentum(), beta), (LowPass(), cutoff)):
        scenario = scenario_of(optimizer, curvature=Curvature(modes=1), **CONSTANT)
        damage = final_damage(scenario, [value])[0, 0] / (0.5 * scenario.noise_multiplier**2)
        assert damage == pytest.approx(expected, rel=1e-9)


def test_start_up_normalisation_keeps_a_constant():
    """The normalised filter answers a constant input with that constant from the first step."""
    optimizer = LowPass(design="butterworth", order=3)
    system = optimizer.system(
        eigenvalues=np.array([1e-12]), rates=np.full(30, 1.0), values=np.array([0.2])
    )
    # With next to no curvature e moves by −1 per step of unit input.
    steps = [rows[0, 0].sum() for rows in trajectory_responses(system)]
    np.testing.assert_allclose(steps, -np.arange(1, 31), rtol=1e-9)


def test_crossovers_and_regions_work_along_the_swept_parameter():
    """For the cut-off of LP-DPSGD the study has confirmed crossings and contiguous regions."""
    scenario = Scenario(optimizer=LowPass(), curvature=Curvature(condition_number=10), horizon=64)
    study = evaluate(scenario, np.linspace(0.02, 0.98, 49))
    assert study.crossovers
    for crossing in study.crossovers[:5]:
        a, b = (scenario.mechanisms.index(key) for key in crossing.pair)
        sides = final_damage(scenario, [crossing.value - 1e-6, crossing.value + 1e-6])
        assert (sides[a, 0] < sides[b, 0]) != (sides[a, 1] < sides[b, 1])
    assert study.regions[0].start == 0.02
    assert study.regions[-1].stop == 0.98


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: CustomFilter(a=(-1.1,), b=(-0.1,)), "poles inside the unit circle"),
        (lambda: CustomFilter(b=(0.5,)), "gain −Σa \\+ Σb of the filter = 0.5"),
        (lambda: CustomFilter(b=()), "non-empty"),
        (lambda: LowPass(design="brickwall"), "one of first_order"),
        (lambda: LowPass(order=0), "order"),
        (lambda: PerSampleMomentum(steps=0), "steps"),
        (lambda: DpPmlf(beta=1.0), "0 <= beta < 1"),
        (lambda: InnerOuter(beta=-0.1), "beta"),
        (lambda: WeightDecay(decay=-1), "decay"),
        (lambda: TailAveraging(fraction=0), "fraction"),
        (lambda: WeightAveraging(momentum=1), "momentum"),
        (lambda: ExponentialMomentum().check([1.0]), "0 <= beta < 1"),
        (lambda: LowPass().check([0.0]), "0 < cutoff < 1"),
        (lambda: Disk().check([0.0]), "0 < kappa <= 1"),
        (
            lambda: final_damage(scenario_of(PerSampleMomentum(steps=20)), [0.5]),
            "at most the horizon",
        ),
        (
            lambda: final_damage(scenario_of(CustomFilter(b=(0.0, 1.0))), [0.5]),
            "Turn the start-up normalisation off",
        ),
    ],
    ids=range(16),
)
def test_bad_coefficients_say_what_to_change(make, word):
    """Unstable filters, Σ ≠ 1, k > T, β = 1 and the like are refused with a remedy."""
    with pytest.raises(InputError, match=word):
        make()


@pytest.mark.parametrize("name", VARIANTS)
def test_scenarios_with_any_optimizer_survive_json(name):
    """The optimizer with its parameters comes back from to_dict/from_dict, equal and hashable."""
    scenario = scenario_of(VARIANTS[name])
    again = Scenario.from_dict(scenario.to_dict())
    assert again == scenario
    assert hash(again) == hash(scenario)
