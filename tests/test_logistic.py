"""The private logistic regression: its data, its training loop, pairing, and the loss's parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import POOL, InputError, final_damage
from momentdp_core.experiments.logistic import (
    UpdateRule,
    mechanism_noise,
    per_example_gradients,
    raw_noise,
    train,
)
from momentdp_core.experiments.logistic_data import (
    assemble,
    mean_loss,
    paper_problem,
    streams,
)
from momentdp_core.experiments.logistic_designs import mechanisms_of, quadratic_damage
from momentdp_core.experiments.logistic_parts import excess_parts
from momentdp_core.experiments.logistic_runs import (
    CONDITIONS,
    LogisticSettings,
    run_logistic,
    scenario_of,
)

SMALL = paper_problem(3, dimension=4, rows=96, horizon=12, calibration_rows=20)
FEW = LogisticSettings(
    mechanisms=("iid", "dense", "bisr", "noisecurve"),
    replicates=3,
    bands=4,
    noisecurve="solved",
    learning_rate=0.3,
)


def looped(problem, rule, steps, rows_of, noise=None, clip=True):
    """Train one run example by example, every history in a list."""
    theta = np.zeros(problem.features.shape[1])
    velocity, path, inputs, outputs, gains = np.zeros_like(theta), [theta], [], [], []
    for t, step in enumerate(steps):
        length = min(rule.window, t + 1)
        weights = rule.beta ** np.arange(length)
        weights = weights / weights.sum()
        total = np.zeros_like(theta)
        rows = rows_of(t)
        for i in rows:
            x, y = problem.features[i], problem.labels[i]
            gradient = sum(
                w * (1 / (1 + np.exp(-x @ past)) - y) * x
                for w, past in zip(weights, path[::-1], strict=False)
            )
            norm = np.linalg.norm(gradient)
            total += gradient * (min(1.0, problem.threshold / norm) if clip and norm else 1.0)
        inputs.append(total / len(rows) + (0 if noise is None else noise[t]))
        for history, values in ((outputs, inputs), (gains, [1.0] * (t + 1))):
            new = sum(b * values[-1 - r] for r, b in enumerate(rule.b) if r < len(values))
            new = new - sum(a * history[-1 - r] for r, a in enumerate(rule.a) if r < len(history))
            history.append(new)
        filtered = outputs[-1] / gains[-1] if rule.normalise else outputs[-1]
        velocity = rule.momentum * velocity + filtered
        theta = theta - step * velocity
        path.append(theta)
    return theta


RULES = {
    "sgd": UpdateRule(),
    "momentum": UpdateRule(momentum=0.9),
    "window": UpdateRule(beta=0.7, window=3),
    "filter": UpdateRule(a=(-0.6,), b=(0.4,)),
    "filter from rest": UpdateRule(a=(-0.6,), b=(0.4,), normalise=False),
    "second order": UpdateRule(a=(-0.5, 0.1), b=(0.2, 0.3, 0.1)),
    "all": UpdateRule(momentum=0.5, beta=0.8, window=4, a=(-0.6,), b=(0.2, 0.2)),
}


@pytest.mark.parametrize("name", RULES)
def test_training_is_what_a_loop_over_examples_does(name):
    """Each replicate and each run beside it ends where a plain loop over examples ends."""
    generator = np.random.default_rng(0)
    noise = 0.05 * generator.standard_normal((12, 2, 3, 4))
    steps = generator.uniform(1.0, 20.0, (12, 3))
    shards = np.stack([SMALL.reshuffled(generator) for _ in range(2)])
    found = train(SMALL, RULES[name], steps, shards=shards, noise=noise)[0]
    for s in range(2):
        for p in range(3):
            rows_of = shards[s].__getitem__
            expected = looped(SMALL, RULES[name], steps[:, p], rows_of, noise[:, s, p])
            assert found[s, p] == pytest.approx(expected, rel=1e-10, abs=1e-12)


def test_training_without_clipping_noise_or_shards():
    """The full batch without clipping is gradient descent; kept steps are those of the path."""
    everything = np.arange(96)
    steps = np.full(12, 8.0)
    path = train(SMALL, UpdateRule(), steps, shards=None, clip=False, keep=(0, 5, 12))
    assert not path[0].any()
    for place, stop in ((1, 5), (2, 12)):
        end = looped(SMALL, UpdateRule(), steps[:stop], lambda t: everything, clip=False)
        assert path[place, 0, 0] == pytest.approx(end, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 30.0), st.floats(0.01, 3.0))
def test_no_clipped_gradient_is_longer_than_the_threshold(seed, size, factor):
    """‖clip(g)‖ = min(‖g‖, C), in the direction of g, for any model and threshold."""
    problem = replace(SMALL, threshold=SMALL.threshold * factor)
    theta = size * np.random.default_rng(seed).standard_normal(4)
    rows = np.arange(96)
    raw = per_example_gradients(problem, theta, rows, clip=False)
    clipped = per_example_gradients(problem, theta, rows, clip=True)
    norms = np.linalg.norm(raw, axis=1)
    assert np.linalg.norm(clipped, axis=1) == pytest.approx(
        np.minimum(norms, problem.threshold), rel=1e-12, abs=1e-15
    )
    assert np.allclose(clipped * norms[:, None], raw * np.linalg.norm(clipped, axis=1)[:, None])


def test_gradient_is_the_slope_of_the_loss():
    """The mean per-example gradient is the central difference of the mean loss."""
    theta, rows = np.array([0.5, -1.0, 2.0, 0.1]), np.arange(96)
    slope = per_example_gradients(SMALL, theta, rows, clip=False).mean(axis=0)
    h = 1e-5
    for axis in np.eye(4):
        ends = mean_loss(
            SMALL.features, SMALL.labels, np.array([theta + h * axis, theta - h * axis])
        )
        assert slope @ axis == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)


def test_all_mechanisms_share_the_raw_noise():
    """C_m times the step noise of a mechanism is the same scaled Z for every mechanism."""
    scenario = scenario_of(SMALL, replace(FEW, mechanisms=POOL), CONDITIONS["L2"])
    mechanisms = mechanisms_of(scenario, "solved")
    raw = raw_noise(7, 3, 12, 4)
    noise = mechanism_noise(mechanisms, 0.25, raw)
    for n, mechanism in enumerate(mechanisms):
        back = np.einsum("tu,usd->tsd", mechanism.strategy_matrix(), noise[:, :, n])
        assert back == pytest.approx(0.25 * raw, rel=1e-8, abs=1e-9)


def test_runs_are_paired_over_mechanisms_and_conditions():
    """A mechanism run alone has the very losses it has beside others, in every condition."""
    conditions = ("L0", "L3")
    together = run_logistic(SMALL, replace(FEW, conditions=conditions, reshuffle=True))
    alone = run_logistic(
        SMALL, replace(FEW, conditions=("L3",), mechanisms=("bisr",), reshuffle=True)
    )
    chosen = together.by_condition["L3"].only(("bisr",))
    assert chosen.excess == pytest.approx(alone.runs[0].excess, rel=1e-12)


def test_private_run_has_the_calibrated_noise():
    """The study's run is the loop on shards with noise of standard deviation σC/B on the mean."""
    study = run_logistic(SMALL, replace(FEW, conditions=("L1",), mechanisms=("iid",)))
    # σ of (4, 1e-5) by Balle and Wang; 8 rows a shard.
    noise = 1.0811618495 * SMALL.threshold / 8 * raw_noise(0, 3, 12, 4)
    steps = np.full(12, 0.3 / SMALL.calibrated[0])
    end = looped(SMALL, UpdateRule(momentum=0.9), steps, SMALL.shards.__getitem__, noise[:, 2])
    assert study.runs[0].excess[2, 0] == pytest.approx(float(SMALL.excess(end)), rel=1e-7)
    assert study.runs[0].trajectory[0] == pytest.approx(float(SMALL.excess(np.zeros(4))))


def test_results_depend_on_the_seed_alone():
    """The same seed gives the same bits, another seed others; more replicates keep the first."""
    losses = [
        run_logistic(SMALL, replace(FEW, conditions=("L1",), reshuffle=True, **change)).runs[0]
        for change in ({}, {}, {"seed": 1}, {"replicates": 5})
    ]
    assert (losses[0].excess == losses[1].excess).all()
    assert (losses[0].excess != losses[2].excess).all()
    assert losses[3].excess[:3] == pytest.approx(losses[0].excess, rel=1e-12)
    assert (paper_problem(1).features != paper_problem(2).features).any()
    draws = [streams(purpose, 0, 2)[n].random() for purpose in ("data", "noise") for n in (0, 1)]
    assert len(set(draws)) == 4


@pytest.mark.parametrize("reshuffle", [False, True])
def test_parts_add_up_to_the_excess_loss(reshuffle):
    """Optimisation + sampling + clipping + privacy is the loss of the study's own run."""
    settings_ = replace(FEW, conditions=("L2",), reshuffle=reshuffle)
    parts = excess_parts(SMALL, settings_, "L2")
    added = parts.optimisation + (parts.sampling + parts.clipping)[:, None] + parts.privacy
    assert added == pytest.approx(parts.total, rel=1e-12)
    assert parts.total == pytest.approx(run_logistic(SMALL, settings_).runs[0].excess, rel=1e-12)
    assert parts.privacy.std() > 0
    assert (parts.sampling.std() > 0) == reshuffle


def test_a_part_without_its_cause_is_zero():
    """Equal shards leave no sampling part, a huge C no clipping part, a huge ε hardly privacy."""
    x, y = SMALL.features[:8], np.array([0.0, 1, 1, 0, 1, 0, 1, 1])
    equal = assemble(
        features=np.tile(x, (12, 1)),
        labels=np.tile(y, 12),
        calibration=(x, y),
        horizon=12,
        unused=0,
        source="twelve times the same eight rows",
    )
    settings_ = replace(FEW, mechanisms=("iid",))
    assert excess_parts(equal, settings_, "L1").sampling == pytest.approx(np.zeros(3), abs=1e-14)
    wide = replace(SMALL, threshold=1e3)
    assert excess_parts(wide, settings_, "L1").clipping == pytest.approx(np.zeros(3), abs=1e-14)
    loud, quiet = (excess_parts(SMALL, replace(settings_, epsilon=e), "L1") for e in (0.5, 700.0))
    assert np.abs(quiet.privacy).max() < 0.05 * np.abs(loud.privacy).max()


def test_prediction_is_the_engines_damage():
    """On H_cal the prediction is the engine's damage in units of (C/B)²; on H_full it differs."""
    scenario = scenario_of(SMALL, FEW, CONDITIONS["L1"])
    run = run_logistic(SMALL, replace(FEW, conditions=("L1",))).runs[0]
    unit = (SMALL.threshold / SMALL.shard_size) ** 2
    assert run.predicted == pytest.approx(unit * final_damage(scenario, [0.9])[:, 0], rel=1e-9)
    one = mechanisms_of(scenario, "solved")[:1]
    full = quadratic_damage(one, SMALL.full, scenario.step_sizes, 0.9)
    sigma = scenario.noise_multiplier
    assert run.predicted_full[0] == pytest.approx(unit * sigma**2 * full[0], rel=1e-9)
    assert abs(run.predicted_full[0] / run.predicted[0] - 1) > 1e-3


def test_reshuffled_shards_spread_the_loss_more_than_the_paper_prints():
    """Relative standard errors: 3 % are printed; of one partition ours are near, reshuffled not."""
    asked = LogisticSettings(mechanisms=("banded_max",), conditions=("L1", "L2"), checkpoints=1)
    spread = {}
    for reshuffle in (False, True):
        runs = run_logistic(paper_problem(0), replace(asked, reshuffle=reshuffle)).runs
        losses = np.array([run.excess[:, 0] for run in runs])
        spread[reshuffle] = losses.std(axis=1, ddof=1) / losses.mean(axis=1) / np.sqrt(30)
    assert spread[False].max() < 0.05
    assert spread[True].min() > 0.05


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"conditions": ()}, "conditions", id="no condition"),
        pytest.param({"conditions": ("L9",)}, "L9", id="unknown condition"),
        pytest.param({"replicates": 1}, "replicates", id="one replicate"),
        pytest.param({"learning_rate": 0.0}, "learning_rate", id="no rate"),
        pytest.param({"learning_rate": 11.0}, "<= 10", id="huge rate"),
        pytest.param({"noisecurve": "best"}, "recipe, solved", id="unknown design"),
        pytest.param({"epsilon": -1.0}, "epsilon", id="epsilon"),
        pytest.param({"mechanisms": ("iidd",)}, "iidd", id="unknown mechanism"),
        pytest.param({"replicates": 10**7}, "at most", id="too many"),
    ],
)
def test_settings_out_of_range_are_refused(change, message):
    """Each is an InputError that names it, before anything is trained."""
    with pytest.raises(InputError, match=message):
        run_logistic(SMALL, replace(FEW, **change))


def test_recipe_is_refused_at_long_horizons():
    """Its 1500 decompositions would take hours."""
    long = paper_problem(0, dimension=2, rows=300, horizon=300, calibration_rows=9)
    with pytest.raises(InputError, match="at most 256"):
        run_logistic(long, replace(FEW, noisecurve="recipe"))
