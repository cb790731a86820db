"""Designs in real training: pairing, choosing apart from confirming, verdicts, and what ships."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from momentdp_core import InputError, Scenario, Schedule
from momentdp_core.experiments.design_kinds import KINDS, design_kind, unknowns_of
from momentdp_core.experiments.design_proof import (
    ConditionProof,
    Paired,
    confirm,
    other_partitions,
    pair_of,
    scores,
    tuned_scores,
    verdict,
)
from momentdp_core.experiments.design_runs import ConditionLosses, ProofSettings, run_condition
from momentdp_core.experiments.logistic import UpdateRule, raw_noise, train
from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.transfer import heavy_ball_response
from momentdp_core.unknowns import design_for

FEW = ProofSettings(
    rates=(0.02, 0.1),
    conditions=("L2",),
    kinds=("single", "banded"),
    pool=("iid", "bisr"),
    bands=2,
    replicates=3,
)
PLANTED = ProofSettings(
    rates=(0.1, 0.2), kinds=("single", "range"), pool=("iid", "bisr"), replicates=4
)


def planted(**changes: object) -> ConditionLosses:
    """Losses of two published mechanisms and two designs at two rates, with a small spread.

    On all replicates bisr at 0.2 is the best published and "single" at 0.1 the better design.
    """
    means = np.array([[4.0, 3.0, 1.0, 2.5], [5.0, 2.0, 2.4, 1.9]])
    spread = 0.01 * np.random.default_rng(0).standard_normal((2, 8, 4))
    told = ConditionLosses(
        condition="L0",
        epsilon=4.0,
        mechanisms=("iid", "bisr", "single", "range"),
        published=2,
        rates=np.array([0.1, 0.2]),
        loss=means[:, None] + spread,
        plain=means[:, None] + 3 * spread,
        quiet=np.array([0.9, 1.5]),
        predicted=np.array([[4.0, 3.0, 1.0, 2.0], [5.0, 0.5, 0.2, 0.3]]),
    )
    return replace(told, **changes)  # type: ignore[arg-type]


def pair(difference: float, half_width: float = 0.1) -> Paired:
    """A comparison of which only the difference matters."""
    return Paired(
        rate=0.1,
        rival="bisr",
        rival_rate=0.1,
        mean=1.0 + difference,
        rival_mean=1.0,
        difference=difference,
        half_width=half_width,
        plain_half_width=1.0,
    )


def proof(kind: str, tuned: float, sweep: tuple[float, ...]) -> ConditionProof:
    """A condition's proof with planted differences."""
    return ConditionProof(
        condition="L0",
        epsilon=4.0,
        rates=tuple(0.1 * (r + 1) for r in range(len(sweep))),
        tuned={kind: pair(tuned)},
        sweep={kind: tuple(map(pair, sweep))},
        privacy=0.1,
        gain={kind: 0.05},
    )


def test_choosing_and_confirming_share_no_replicate_and_no_number():
    """Two disjoint halves, and no normal number of one occurs in the other."""
    settings = ProofSettings(replicates=5, seed=3)
    first, fresh = set(settings.choosing), set(settings.confirming)
    assert (len(first), len(fresh), first & fresh) == (5, 5, set())
    raw = raw_noise(settings.seed, 10, 16, 4)
    halves = (raw[:, list(settings.choosing)], raw[:, list(settings.confirming)])
    assert np.intersect1d(*halves).size == 0


def test_replicates_are_paired_over_mechanisms_rates_and_targets():
    """Every loss is that of one run by itself with the replicate's own Z, mean over both signs."""
    problem = paper_problem(0)
    runs = run_condition(problem, FEW, "L2")
    raw = raw_noise(FEW.seed, 2 * FEW.replicates, problem.horizon, 16)
    for told, epsilon in zip(runs, FEW.epsilons, strict=True):
        for r, rate in enumerate(FEW.rates):
            scenario = Scenario(
                horizon=128,
                schedule=Schedule(family="cosine"),
                epsilon=epsilon,
                delta=1e-5,
                bands=2,
            )
            steps = rate * scenario.multipliers / problem.calibrated[0]
            scale = scenario.noise_multiplier * problem.threshold / problem.shard_size
            z = scale * (scenario.design("bisr").noising_matrix() @ raw[:, 4])
            ends = [
                problem.excess(
                    train(
                        problem,
                        UpdateRule(momentum=0.9),
                        steps,
                        shards=problem.shards[None],
                        noise=sign * z[:, None, None],
                    )
                )[0, 0, 0]
                for sign in (1, -1)
            ]
            place = told.mechanisms.index("bisr")
            assert told.plain[r, 4, place] == pytest.approx(ends[0], rel=1e-9)
            assert told.loss[r, 4, place] == pytest.approx(np.mean(ends), rel=1e-9)
    assert (runs[0].quiet == runs[1].quiet).all()


def test_the_interval_is_the_paired_t_interval():
    """Mean and half-width of the differences, as SciPy's t distribution gives them."""
    a, b = np.array([1.0, 2.0, 4.0]), np.array([0.5, 2.5, 2.0])
    middle, half = pair_of(a, b)
    low, high = stats.t.interval(0.95, 2, loc=np.mean(a - b), scale=stats.sem(a - b))
    assert (middle - half, middle + half) == pytest.approx((low, high))


def test_rates_and_rival_come_from_the_first_half_and_differences_from_the_second():
    """Spoiling the second half changes no choice; spoiling the first changes no measured value."""
    found = confirm(planted(), PLANTED)
    tuned = found.tuned["single"]
    assert (tuned.rate, tuned.rival, tuned.rival_rate) == (0.1, "bisr", 0.2)
    told = planted()
    expected = told.loss[0, 4:, 2].mean() - told.loss[1, 4:, 1].mean()
    assert tuned.difference == pytest.approx(expected)
    assert tuned.outcome == "better"
    assert found.privacy == pytest.approx(1 - 1.5 / told.loss[1, 4:, 1].mean())
    assert found.gain["single"] == pytest.approx(0.3 / tuned.rival_mean)
    assert [one.rival for one in found.sweep["range"]] == ["bisr", "bisr"]
    assert [one.outcome for one in found.sweep["single"]] == ["better", "worse"]

    spoiled = planted().loss.copy()
    spoiled[:, 4:, 1] += 10  # the rival is worse on fresh replicates only
    second = confirm(planted(loss=spoiled), PLANTED).tuned["single"]
    assert (second.rival, second.rival_rate) == ("bisr", 0.2)
    assert second.difference == pytest.approx(expected - 10)
    spoiled = planted().loss.copy()
    spoiled[:, :4, 1] += 0.05
    assert confirm(planted(loss=spoiled), PLANTED).tuned["single"] == tuned


def test_a_difference_within_its_interval_is_open():
    """Only an interval that leaves out 0 tells the two apart."""
    assert [pair(x).outcome for x in (-0.2, 0.05, -0.05, 0.2)] == ["better", "open", "open",
                                                                   "worse"]  # fmt: skip


def test_scores_are_geometric_means_over_the_first_half():
    """By hand on planted means; the second half plays no part."""
    told = planted()
    first = told.loss[:, :4].mean(axis=1)
    by_hand = np.sqrt(first[0, 2] / first[0, 1] * first[1, 2] / first[1, 1])
    assert scores([told], PLANTED)["single"] == pytest.approx(by_hand)
    assert tuned_scores([told], PLANTED)["single"] == pytest.approx(first[0, 2] / first[1, 1])
    loss = told.loss.copy()
    loss[:, 4:] = 99.0
    assert scores([planted(loss=loss)], PLANTED) == scores([told], PLANTED)


@pytest.mark.parametrize(
    ("score", "tuned", "sweep", "suggested"),
    [
        (0.9, -0.5, (-0.5, -0.5, 0.5), True),
        (0.9, 0.5, (-0.5, -0.5, 0.5), False),
        (0.9, -0.5, (-0.5, 0.5, 0.5), False),
        (0.9, 0.01, (-0.5, -0.5), False),
        (1.1, -0.5, (-0.5, -0.5), False),
    ],
    ids=["holds", "worse tuned", "worse over rates", "open", "score"],
)
def test_the_verdict_turns_with_the_evidence(score, tuned, sweep, suggested):
    """One planted change takes the suggestion away."""
    found = verdict({"range": score, "single": 2.0}, [proof("range", tuned, sweep)])
    assert found.best == "range"
    assert found.suggested == ("range" if suggested else None)
    assert sum(found.sweep.values()) == len(sweep)


def test_other_partitions_differ_and_keep_the_rates():
    """Every replicate has its own rows per step; rates and rival are those of the study."""
    problem, settings = paper_problem(0), replace(FEW, epsilons=(4.0,))
    found = confirm(run_condition(problem, settings, "L2")[0], settings)
    told = found.tuned["single"]
    check = other_partitions(problem, settings, found, "single")
    assert (check.rate, check.rival, check.rival_rate) == (told.rate, told.rival, told.rival_rate)
    assert check.mean != told.mean
    assert 0.1 < check.mean / told.mean < 10


@pytest.mark.parametrize("key", ["single", "range", "range_tenth", "banded_range"])
def test_offered_kinds_are_what_the_design_page_makes(key):
    """The same matrix as `design_for` with the same words."""
    scenario, kind = Scenario(horizon=16, bands=4), KINDS[key]
    made = design_kind(scenario, 0.9, key)
    known = unknowns_of(scenario, 0.9, ranged=kind.ranged)
    page = design_for(known, 4 if kind.banded else None, path_share=kind.path_share or 0.0)
    np.testing.assert_array_equal(made.strategy_matrix(), page.mechanism.strategy_matrix())
    assert kind.offered


def test_less_curvature_is_a_lower_rate_but_for_the_scale():
    """√(cλ) g at curvature cλ, rate η is √λ g at λ, rate cη, over √c: for every mechanism."""
    lam, steps, share, momentum = np.array([1.0, 0.1]), np.full(12, 0.4), 0.25, np.array([0.9])
    less = heavy_ball_response(share * lam, steps, momentum)[0] * np.sqrt(share * lam)[:, None]
    slow = heavy_ball_response(lam, share * steps, momentum)[0] * np.sqrt(lam)[:, None]
    assert less == pytest.approx(slow / np.sqrt(share), rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"rates": (0.2, 0.1)}, "rates"),
        ({"rates": (0.1, 20.0)}, "rates"),
        ({"kinds": ()}, "settings"),
        ({"kinds": ("other",)}, "kinds"),
        ({"conditions": ("L9",)}, "conditions"),
        ({"epsilons": (0.0,)}, "epsilons"),
        ({"replicates": 1}, "replicates"),
        ({"seed": -1}, "seed"),
    ],
    ids=["falling", "large", "none", "kind", "condition", "epsilon", "one", "seed"],
)
def test_wrong_settings_are_named(changes, name):
    """Each wrong setting is refused by its name."""
    with pytest.raises(InputError, match=name):
        ProofSettings(**changes)
