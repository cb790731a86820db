"""DP-PMLF: its rules, its parts against formulas and simulation, and the figures of P1 to P5."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter

from momentdp_core import InputError, noise_multiplier
from momentdp_core.experiments import pmlf_claims as claims
from momentdp_core.experiments.logistic import Filter, UpdateRule, raw_noise, train
from momentdp_core.experiments.logistic_data import paper_problem, streams
from momentdp_core.experiments.pmlf import (
    METHODS,
    FilterAblation,
    PmlfSettings,
    filter_ablation,
    first_rise,
    method_ordering,
)
from momentdp_core.experiments.pmlf_parts import (
    CUTOFFS,
    filter_study,
    reduction_on_task,
    sampling_reduction,
)

SMALL = paper_problem(3, dimension=4, rows=96, horizon=12, calibration_rows=20)
FEW = PmlfSettings(replicates=4)


@pytest.mark.parametrize(
    ("a", "b"),
    [((-0.6,), (0.4,)), ((-0.5, 0.1), (0.2, 0.3, 0.1)), ((), (0.5, 0.5)), ((-0.9,), (0.1,))],
)
def test_filter_is_the_difference_equation(a, b):
    """The running filter gives what scipy's direct form gives, and its start-up correction too."""
    inputs = np.random.default_rng(0).standard_normal((40, 3))
    plain = lfilter(b, (1.0, *a), inputs, axis=0)
    gains = lfilter(b, (1.0, *a), np.ones(40))
    for normalise, expected in ((False, plain), (True, plain / gains[:, None])):
        running = Filter(UpdateRule(a=a, b=b, normalise=normalise))
        assert np.array([running.step(x) for x in inputs]) == pytest.approx(expected, abs=1e-12)


def test_methods_are_made_of_their_parts():
    """Window for three, filter for two, outer momentum for one; the filter's pole is e^{−πω}."""
    rules = {method: PmlfSettings(cutoff=0.2).rule(method) for method in METHODS}
    assert rules["dpsgd"] == UpdateRule()
    assert {m for m, rule in rules.items() if rule.window == 4} == {
        "inner_outer",
        "dp_pmlf",
        "per_sample",
    }
    assert {m for m, rule in rules.items() if rule.a} == {"lp_dpsgd", "dp_pmlf"}
    assert {m for m, rule in rules.items() if rule.momentum} == {"inner_outer"}
    pole = np.exp(-np.pi * 0.2)
    assert rules["dp_pmlf"].a == pytest.approx((-pole,))
    assert rules["dp_pmlf"].b == pytest.approx((1 - pole,))


def test_simulated_variance_meets_the_formula():
    """ρ² is in the 95 % interval in nearly all cells; 1, k and half of ρ² are not."""
    study = sampling_reduction()
    inside = (study.low <= study.formula) & (study.formula <= study.high)
    assert inside.mean() >= 0.85
    wrong = study.formula / 2
    assert not ((study.low <= wrong) & (wrong <= study.high)).any()
    assert study.formula[:, 0] == pytest.approx(np.ones(len(study.betas)))
    # β → 1 gives the plain mean of k.
    assert study.formula[-1] == pytest.approx(study.windows, rel=2e-4)


def test_averaging_one_example_over_steps_reduces_hardly_anything():
    """On the task the gradients of one example at successive models are nearly equal: ρ² ≈ 1."""
    measured = reduction_on_task(SMALL, rate=0.1, every=3)
    assert measured == pytest.approx(np.ones(len(measured)), abs=0.05)
    # A model that jumps between steps does change them.
    assert reduction_on_task(SMALL, rate=60.0, every=3).max() > 1.2


def test_filter_keeps_the_mean_and_suppresses_noise():
    """Gain 1 at frequency 0; Γ = (1+p)/(1−p) for a pole p, by time, frequency and simulation."""
    study = filter_study(sequences=2000)
    pole = np.exp(-np.pi * np.array(CUTOFFS))
    assert study.gain_at_zero == pytest.approx(np.ones(5), abs=1e-12)
    assert study.suppression == pytest.approx((1 + pole) / (1 - pole), rel=1e-9)
    assert study.suppression_by_frequency == pytest.approx(study.suppression, rel=1e-9)
    inside = (study.simulated_low <= study.suppression) & (
        study.suppression <= study.simulated_high
    )
    assert inside.sum() >= 4
    half = study.suppression / 2
    assert (half < study.simulated_low).all()


def test_start_up_is_removed_by_the_normalisation_alone():
    """A constant input stays constant from step 0 on; without normalisation it starts at 1 − p."""
    for design, order in (("first_order", 1), ("butterworth", 2)):
        study = filter_study([0.1, 0.3], design=design, order=order, steps=256, sequences=10)
        assert study.largest_deviation.max() < 1e-9
        assert study.start_up_bias.min() > 0.2
    study = filter_study([0.1], sequences=10)
    pole = np.exp(-0.1 * np.pi)
    assert study.start_up_bias == pytest.approx(pole)
    steps = np.arange(len(study.output[0]))
    np.testing.assert_allclose(study.output_from_rest[0], 1 - pole ** (steps + 1))
    np.testing.assert_allclose(study.output[0], 1.0)


EPSILONS, RATES = (1.0, 2.0, 4.0, 8.0, 16.0), tuple(np.linspace(0.02, 0.4, 20))


def best_dpsgd_rates(purpose):
    """DPSGD's best rate at each ε on the draws of a purpose, from plain training runs."""
    shards_of = {"noise": "shards", "tuning": "tuning shards"}[purpose]
    shards = np.stack([SMALL.reshuffled(g) for g in streams(shards_of, 0, 4)])
    raw = raw_noise(0, 4, 12, 4, purpose=purpose)
    best = []
    for epsilon in EPSILONS:
        sigma = noise_multiplier(epsilon=epsilon, delta=1e-5) * SMALL.threshold / 8
        means = []
        for rate in RATES:
            steps = np.full(12, rate / SMALL.calibrated[0])
            noise = sigma * raw[:, :, None]
            end = train(SMALL, UpdateRule(), steps, shards=shards, noise=noise)
            means.append(SMALL.excess(end).mean())
        best.append(float(RATES[int(np.argmin(means))]))
    return best


def test_ordering_takes_each_methods_best_rate():
    """The tuned rate is the best on the tuning draws; the losses are those of plain training."""
    rates, epsilons = [0.01, 0.1, 1.0], [1.0, 8.0]
    study = method_ordering(SMALL, FEW, epsilons, rates)
    best = {purpose: best_dpsgd_rates(purpose) for purpose in ("tuning", "noise")}
    many = method_ordering(SMALL, FEW, EPSILONS, RATES, ("dpsgd",)).tuned_rates[:, 0]
    assert many.tolist() == best["tuning"]
    assert many.tolist() != best["noise"]
    # Without filter and window DP-PMLF is DPSGD.
    bare = replace(FEW, window=1)
    twin = method_ordering(SMALL, bare, epsilons, rates, ("dpsgd", "per_sample"))
    assert twin.tuned[..., 0] == pytest.approx(twin.tuned[..., 1], rel=1e-12)
    # All methods at one rate: the outer momentum multiplies it by ten and is last.
    assert study.order("common", 1)[-1] == "inner_outer"
    assert (study.common[..., 0] == study.tuned[..., 0]).all()
    with pytest.raises(InputError, match="dpsgd among them"):
        method_ordering(SMALL, FEW, epsilons, rates, ("lp_dpsgd",))


def test_ablation_is_the_difference_of_paired_runs():
    """At each ε: DP-PMLF minus the same without filter, on the same shards and noise."""
    eps = [0.5, 5.0]
    study = filter_ablation(SMALL, FEW, rate=0.1, epsilons=eps)
    raw = raw_noise(0, 4, 12, 4)
    shards = np.stack([SMALL.reshuffled(g) for g in streams("shards", 0, 4)])
    steps = np.full(12, 0.1 / SMALL.calibrated[0])
    for n, epsilon in enumerate(eps):
        sigma = noise_multiplier(epsilon=epsilon, delta=1e-5) * SMALL.threshold / 8
        losses = [
            SMALL.excess(
                train(SMALL, FEW.rule(m), steps, shards=shards, noise=sigma * raw[:, :, None])
            )
            for m in ("dp_pmlf", "per_sample")
        ]
        assert study.difference[n] == pytest.approx((losses[0] - losses[1]).mean(), rel=1e-9)
    with pytest.raises(InputError, match="increasing"):
        filter_ablation(SMALL, FEW, epsilons=[2.0, 1.0])


def test_first_rise_is_a_change_from_helping_to_hurting():
    """A planted crossing is found; the opposite change, and none, are not."""
    positions = np.geomspace(0.1, 100, 31)
    assert first_rise(positions, np.log(positions / 6.0)) == pytest.approx(6.0, rel=1e-9)
    assert first_rise(positions, -np.log(positions / 6.0)) is None
    assert first_rise(positions, np.ones(31)) is None


def made_ablation(difference, crossover):
    """An ablation with given differences."""
    zeros = np.zeros(len(difference))
    return FilterAblation(
        rate=0.01,
        epsilons=np.geomspace(0.1, 100, len(difference)),
        difference=np.array(difference),
        half_width=zeros + 0.1,
        without=zeros + 2.0,
        crossover=crossover,
        crossover_low=crossover,
        crossover_high=crossover,
        crossing_share=1.0,
    )


def test_claims_report_the_studies():
    """P1 … P5 hand on what the studies found, right or wrong."""
    p1 = claims.claim_p1(sampling_reduction([0.5], [2]), np.array([1.0, 1.2]))
    assert p1["published"]["reduction"][0, 0] == pytest.approx(1.8)
    assert p1["ours"]["on_task_mean"] == pytest.approx(1.1)
    study = filter_study([0.1], sequences=10)
    assert claims.claim_p2(study)["ours"]["suppression"][0] > 1
    spoilt = replace(study, gain_at_zero=np.array([0.9]), largest_deviation=np.array([0.5]))
    assert claims.claim_p2(spoilt)["ours"]["gain_at_zero"][0] == 0.9
    assert claims.claim_p3(spoilt)["ours"]["largest_deviation"][0] == 0.5
    p5 = claims.claim_p5(made_ablation([-1.0, 1.0], 3.0), FEW)
    assert p5["published"]["crossover"] == 6.0
    assert p5["ours"]["crossover"] == 3.0
    assert p5["ours"]["relative_difference"].tolist() == [-0.5, 0.5]
    assert claims.claim_p5(made_ablation([1.0, 1.0], None), FEW)["ours"]["crossover"] is None


def test_p4_orders_by_accuracy_and_by_loss():
    """Published: DP-PMLF first, InnerOuter last at both ε. Ours: by the planted losses."""
    study = method_ordering(SMALL, FEW, [1.0, 8.0], [0.01, 0.1])
    planted = np.array([3.0, 2.0, 4.0, 1.0]) + np.zeros((4, 2, 1))
    report = claims.claim_p4(replace(study, tuned=planted, common=-planted), FEW)
    best_first = ["dp_pmlf", "lp_dpsgd", "dpsgd", "inner_outer"]
    for label in ("1", "8"):
        assert report["published"][label]["order"] == best_first
        assert report["ours"][label]["tuned"]["order"] == best_first
        assert report["ours"][label]["common"]["order"] == best_first[::-1]
        assert report["ours"][label]["tuned"]["over_dpsgd"]["dp_pmlf"] == -2.0
