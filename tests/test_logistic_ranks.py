"""Ranks and intervals from paired runs, what a score foretells, and the figures of M25 to M32."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel

from momentdp_core import InputError
from momentdp_core.experiments import logistic_claims as claims
from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.experiments.logistic_designs import recipe_shortfall
from momentdp_core.experiments.logistic_ranks import (
    curvature_sources,
    foretelling,
    rank_condition,
    t_factor,
)
from momentdp_core.experiments.logistic_runs import (
    COMPARED,
    CONDITIONS,
    PAPER_CONDITIONS,
    ConditionRun,
    LogisticSettings,
    LogisticStudy,
    run_logistic,
    scenario_of,
)
from momentdp_core.experiments.logistic_sweep import data_sweep, rate_sweep

PROBLEM = paper_problem(0)
NINE = len(COMPARED)


def made_run(excess, key="L0", keys=COMPARED, predicted=None, full=None, static=None):
    """A run with given final losses (S, n) and scores."""
    scores = [np.arange(1.0, len(keys) + 1) if s is None else s for s in (predicted, full, static)]
    return ConditionRun(
        condition=key,
        mechanisms=keys,
        steps=np.array([0, 128]),
        trajectory=np.stack([np.ones_like(excess), excess]),
        predicted=scores[0],
        predicted_full=scores[1],
        static=scores[2],
    )


def made_study(runs):
    """A study of given runs."""
    asked = LogisticSettings(
        conditions=tuple(run.condition for run in runs),
        mechanisms=COMPARED,
        replicates=len(runs[0].excess),
    )
    return LogisticStudy(problem=PROBLEM, settings=asked, runs=tuple(runs))


def clear_losses(order, generator, count=6):
    """Losses of nine mechanisms whose order is beyond doubt: order[n] is the rank of n."""
    return np.array(order) + 1e-3 * generator.standard_normal((count, NINE))


def test_intervals_cover_as_often_as_they_say():
    """95 % intervals of means and paired differences cover in 95 %, those of ranks in more."""
    generator = np.random.default_rng(1)
    truth = np.array([1.0, 1.1, 1.2, 1.6])
    keys, count, repeats = ("a", "b", "c", "d"), 8, 1500
    covered = np.zeros(3)
    for _ in range(repeats):
        # What the replicates share is larger than what tells the mechanisms apart.
        shared = generator.standard_normal((count, 1))
        runs = made_run(truth + shared + 0.2 * generator.standard_normal((count, 4)), keys=keys)
        order = rank_condition(runs)
        covered[0] += abs(order.mean[0] - truth[0]) <= order.half_width[0]
        gap = order.difference[0, 1] - (truth[0] - truth[1])
        covered[1] += abs(gap) <= order.difference_half_width[0, 1]
        covered[2] += order.best_rank[1] <= 2 <= order.worst_rank[1]
    share = covered / repeats
    # Four standard errors of a share of 0.95.
    assert share[:2] == pytest.approx([0.95, 0.95], abs=4 * np.sqrt(0.95 * 0.05 / repeats))
    assert share[2] >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / repeats)


def test_pairing_resolves_what_single_means_do_not():
    """A difference far below the spread of the replicates is resolved, since they share it."""
    generator = np.random.default_rng(0)
    shared = generator.standard_normal((10, 1))
    excess = shared + [0.0, 0.01] + 1e-3 * generator.standard_normal((10, 2))
    order = rank_condition(made_run(excess, keys=("a", "b")))
    assert order.half_width.min() > 0.1
    assert order.resolved[0, 1]
    assert order.difference[1, 0] == pytest.approx(0.01, abs=2e-3)
    assert order.rank.tolist() == [1, 2]
    assert order.rank_of("b") == (2, 2, 2)


def test_rank_intervals_count_who_is_better_and_who_is_worse():
    """Bonferroni over the other mechanisms, by SciPy's paired t test, one pair at a time."""
    generator = np.random.default_rng(4)
    excess = np.linspace(0.0, 1.0, NINE) + 0.3 * generator.standard_normal((12, NINE))
    order = rank_condition(made_run(excess))
    for n in range(NINE):
        others = [m for m in range(NINE) if m != n]
        tests = [ttest_rel(excess[:, n], excess[:, m]) for m in others]
        sure = [test.statistic for test in tests if test.pvalue < 0.05 / (NINE - 1)]
        assert order.best_rank[n] == 1 + sum(statistic > 0 for statistic in sure)
        assert order.worst_rank[n] == NINE - sum(statistic < 0 for statistic in sure)
    assert 1 < order.best_rank[-1] < order.worst_rank[-1] + 1
    assert (order.best_rank < order.worst_rank).any()


def test_equal_mechanisms_are_not_resolved():
    """A mechanism beside its own copy: no difference, no resolved pair, any rank."""
    excess = np.random.default_rng(0).standard_normal((5, 1)) * [1.0, 1.0]
    order = rank_condition(made_run(excess, keys=("a", "b")))
    assert not order.resolved.any()
    assert order.best_rank.tolist() == [1, 1]
    assert order.worst_rank.tolist() == [2, 2]


def test_t_factor_and_its_limits():
    """The tabulated 97.5 % point of Student's t with 29 degrees; one replicate has none."""
    assert t_factor(30) == pytest.approx(2.04523, abs=1e-5)
    with pytest.raises(InputError, match="at least 2"):
        t_factor(1)


def test_foretelling_counts_by_hand():
    """One swapped neighbour pair of 36 in one of two conditions: 71/72, τ, regret and top-1."""
    generator = np.random.default_rng(0)
    truth = np.arange(1.0, 10.0)
    swapped = truth.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    runs = [
        made_run(clear_losses(truth, generator), "L0", predicted=truth, static=truth),
        made_run(clear_losses(truth, generator), "L1", predicted=truth, static=swapped),
    ]
    study = made_study(runs)
    right, wrong = (foretelling(study, score, COMPARED) for score in ("optimizer_aware", "static"))
    assert (right.right, right.resolved, right.pairs) == (72.0, 72, 72)
    assert wrong.accuracy == pytest.approx(71 / 72)
    assert wrong.kendall == pytest.approx([1.0, 34 / 36])
    assert (right.top_one, wrong.top_one) == (1.0, 0.5)
    # The second condition's choice costs 2 where the best costs 1.
    assert wrong.regret == pytest.approx(0.5, abs=5e-3)
    assert wrong.regret_low <= wrong.regret <= wrong.regret_high
    assert (wrong.kendall_low <= wrong.kendall + 1e-12).all()
    assert wrong.kendall_high == pytest.approx(wrong.kendall)
    assert right.regret == 0


def test_unresolved_pairs_do_not_count():
    """Without a resolved pair there is no accuracy, and the claim says None."""
    same = np.random.default_rng(0).standard_normal((5, 1)) * np.ones(NINE) + 9
    study = made_study([made_run(same, key) for key in PAPER_CONDITIONS])
    assert foretelling(study, "static", COMPARED).accuracy is None
    assert claims.claim_m28(study)["ours"]["accuracy"] == [None, None]


def test_a_stricter_rule_leaves_the_clear_pairs():
    """Two groups far apart, close inside: 20 pairs between the groups stay, right ones alone."""
    generator = np.random.default_rng(0)
    truth = np.repeat([1.0, 5.0], [5, 4])
    losses = truth + 0.1 * generator.standard_normal((30, NINE))
    study = made_study([made_run(losses, predicted=truth, static=-truth)])
    loose = foretelling(study, "optimizer_aware", COMPARED, errors=0.0)
    strict = [
        foretelling(study, score, COMPARED, errors=10.0) for score in ("optimizer_aware", "static")
    ]
    assert (loose.resolved, loose.right) == (36, 20 + 16 / 2)
    assert [s.resolved for s in strict] == [20, 20]
    assert [s.accuracy for s in strict] == [1.0, 0.0]


def test_curvature_sources_compare_the_two_predictions():
    """Equal, with the last two swapped, and with the first two swapped."""
    base = np.arange(1.0, 10.0)
    last, first = base.copy(), base.copy()
    last[[7, 8]], first[[0, 1]] = last[[8, 7]], first[[1, 0]]
    losses = base + np.zeros((3, 1))
    runs = [
        made_run(losses, key, full=full)
        for key, full in zip(("L0", "L1", "L2"), (2 * base, last, first), strict=True)
    ]
    found = curvature_sources(made_study(runs), COMPARED)
    assert found.same_top.tolist() == [True, True, False]
    assert found.same_order.tolist() == [True, False, False]


def published_like(ranks):
    """A study in which NoiseCurve has given ranks among nine, beyond doubt."""
    generator = np.random.default_rng(0)
    runs = []
    for key, rank in zip(PAPER_CONDITIONS, ranks, strict=True):
        others = iter([r for r in range(1, NINE + 1) if r != rank])
        order = [rank if k == "noisecurve" else next(others) for k in COMPARED]
        runs.append(made_run(clear_losses(order, generator), key, predicted=np.array(order)))
    return made_study(runs)


@pytest.mark.parametrize("ranks", [(2, 9, 9, 9), (1, 9, 9, 3)])
def test_m25_to_m27_report_the_study(ranks):
    """The claims give the study's own ranks and losses, whatever they are."""
    study = published_like(ranks)
    ours = claims.claim_m25(study)["ours"]
    assert ours["rank"].tolist() == list(ranks)
    assert (ours["rank_low"] == ours["rank_high"]).all()
    m26, m27 = claims.claim_m26(study), claims.claim_m27(study)
    assert m26["ours"]["mean"] == pytest.approx(ranks, abs=5e-3)
    assert m27["ours"]["mean"] == pytest.approx([1.0] * 4, abs=5e-3)
    winner = COMPARED[0] if ranks[0] != 1 else "noisecurve"
    assert m27["ours"]["mechanism"][0] == winner
    assert m26["settings"]["replicates"] == 6


def test_published_figures_fit_each_other():
    """In Table 2 NoiseCurve is never better than the best, and τ are multiples of 1/36."""
    m26, m27 = (
        f(published_like((2, 9, 9, 9)))["published"] for f in (claims.claim_m26, claims.claim_m27)
    )
    assert (m26["mean"] > m27["mean"]).all()
    taus = claims.claim_m32(published_like((2, 9, 9, 9)))["published"]
    for name in ("kendall", "kendall_full"):
        assert 18 * taus[name] == pytest.approx(np.round(18 * taus[name]), abs=0.01)


def test_m29_to_m32_report_the_study():
    """A perfect prediction has regret 0, top-1 and τ of 1; a reversed static score has not."""
    generator = np.random.default_rng(0)
    truth = np.arange(1.0, 10.0)
    runs = [
        made_run(clear_losses(truth, generator), key, predicted=truth, static=-truth)
        for key in PAPER_CONDITIONS
    ]
    study = made_study(runs)
    assert claims.claim_m28(study)["ours"]["accuracy"] == [0.0, 1.0]
    assert claims.claim_m29(study)["ours"]["regret"] == pytest.approx([8.0, 0.0], abs=0.05)
    assert claims.claim_m30(study)["ours"]["top_one"].tolist() == [0.0, 1.0]
    assert claims.claim_m30(study)["ours"]["not_told_from_best"].tolist() == [0.0, 1.0]
    assert claims.claim_m30(study, [study])["ours"]["top_one_by_rate"].tolist() == [[0.0, 1.0]]
    curvature = claims.claim_m31(study)["ours"]
    assert curvature["same_top"] == curvature["same_top_by"].sum() == 4
    off = PROBLEM.calibrated / PROBLEM.full - 1
    np.testing.assert_allclose(curvature["discrepancy"], off)
    assert curvature["largest_discrepancy"] == np.abs(off).max()
    assert claims.claim_m32(study)["ours"]["kendall"].tolist() == [1.0] * 4


def test_claims_of_table_2_need_its_conditions():
    """Without L3 the claims say so."""
    study = published_like((2, 9, 9, 9))
    short = replace(study, runs=study.runs[:3])
    with pytest.raises(InputError, match="L3"):
        claims.claim_m25(short)


def test_sweep_is_made_of_single_studies():
    """At each rate the sweep has the ranks and losses of the study at that rate."""
    asked = LogisticSettings(replicates=3, noisecurve="solved", bands=2)
    keys = ("dense", "bisr", "noisecurve")
    sweep = rate_sweep(PROBLEM, asked, [0.02, 0.2], keys=keys)
    single = replace(asked, learning_rate=0.2, mechanisms=keys)
    orders = [rank_condition(run) for run in run_logistic(PROBLEM, single).runs]
    assert sweep.rank[1].tolist() == [int(order.rank[2]) for order in orders]
    assert sweep.mean[1] == pytest.approx([order.mean[2] for order in orders])
    assert sweep.best_mean[1] == pytest.approx([order.mean.min() for order in orders])
    assert sweep.matches(tuple(sweep.rank[1])).tolist()[1]
    assert not sweep.matches((0, 0, 0, 0)).any()
    assert sweep.admits(tuple(sweep.rank[0])).tolist()[0]
    assert not sweep.admits((0, 1, 1, 1)).any()
    assert sweep.log_distance(sweep.mean[1], sweep.best_mean[1])[1] == 0
    data = data_sweep(single, [0], keys=keys)
    assert data.mean[0] == pytest.approx(sweep.mean[1])
    report = claims.claim_m26(published_like((2, 9, 9, 9)), data)
    assert report["ours"]["data_low"] == pytest.approx(data.mean[0])
    met = claims.claim_m25(published_like((2, 9, 9, 9)), sweep)["ours"]["rates_met"]
    assert met.tolist() == sweep.rates[sweep.matches((2, 9, 9, 9))].tolist()


def test_recipe_is_what_puts_noisecurve_last_under_momentum():
    """By the printed recipe NoiseCurve is last of nine in L1 … L3; solved, it is not in L2, L3."""
    by_recipe = LogisticSettings(mechanisms=COMPARED, checkpoints=1)
    ranks = {}
    for asked in (by_recipe, replace(by_recipe, noisecurve="solved")):
        study = run_logistic(PROBLEM, asked)
        ranks[asked.noisecurve] = claims.claim_m25(study)["ours"]["rank"].tolist()
    assert ranks["recipe"][1:] == [9, 9, 9]
    assert ranks["solved"][3] < 9
    scenario = scenario_of(PROBLEM, by_recipe, CONDITIONS["L0"])
    assert recipe_shortfall(scenario) > 0.2
