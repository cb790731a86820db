"""Why a banded design falls behind: the rungs, their cause, and what mends it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import Curvature, Scenario
from momentdp_core.experiments.design_reasons import (
    RUNGS,
    Reason,
    banded_kinds,
    largest_damage,
    reason,
    telling_rates,
)
from momentdp_core.experiments.design_runs import ProofSettings, run_condition
from momentdp_core.experiments.logistic_data import paper_problem
from tests.oracles import propagated_damage


def planted(ours, theirs, behind=(1.0, 0.1), other=(0.05, 0.1)) -> Reason:
    """A reason with these rungs of the subject and its rival."""
    return Reason(
        condition="L2",
        rate=0.1,
        rival="bisr",
        kinds=("banded", "banded_range"),
        privacy={"banded": ours, "banded_range": theirs, "bisr": theirs},
        peak={"banded": 1.0, "banded_range": 1.0, "bisr": 1.0},
        rival_mean=1.0,
        behind={"banded": behind, "banded_range": other},
    )


@pytest.mark.parametrize(
    ("ours", "cause"),
    [
        ((2.0, 2.0, 2.0, 2.0), "quadratic"),
        ((0.5, 2.0, 2.0, 2.0), "less curvature"),
        ((0.9, 1.1, 3.0, 3.0), "no clipping"),
        ((1.0, 1.0, 1.0, 2.0), "as trained"),
    ],
    ids=RUNGS,
)
def test_the_cause_is_where_most_ground_is_lost(ours, cause):
    """Each planted jump of the ratio is found; a design that is not behind has no cause."""
    ones = (1.0, 1.0, 1.0, 1.0)
    assert planted(ours, ones).cause == cause
    assert planted(ours, ones, behind=(0.05, 0.1)).cause == ""


def test_noise_that_helps_the_rival_is_named_by_its_rung():
    """Where noise lowers the rival's loss no ratio is large enough, also on two rungs in a row."""
    assert planted((1.0,) * 4, (1.0, 1.0, 1.0, -0.1)).cause == "as trained"
    assert planted((1.0,) * 4, (1.0, 1.0, -0.1, -0.1)).cause == "no clipping"


def test_what_is_not_worse_by_its_interval_mends_it():
    """The remedy counts while its interval reaches 0, and no longer beyond."""
    ones = (1.0,) * 4
    assert planted(ones, ones).mended == ("banded_range",)
    assert planted(ones, ones, other=(0.2, 0.1)).mended == ()


@pytest.mark.parametrize("key", ["iid", "bisr"])
def test_the_largest_damage_on_the_way_by_propagation(key):
    """The maximum over t of D^(t), covariances carried forward step by step."""
    scenario = Scenario(
        horizon=10,
        curvature=Curvature(family="custom", values=(1.0, 0.2)),
        learning_rate=0.7,
        bands=3,
    )
    mechanism = scenario.design(key)
    values = [
        propagated_damage(replace(scenario, horizon=t), mechanism.covariance[:t, :t], 0.9)
        for t in range(1, 11)
    ]
    found = largest_damage(mechanism, scenario.eigenvalues, scenario.step_sizes, 0.9)
    assert scenario.noise_multiplier**2 * found == pytest.approx(max(values), rel=1e-9)


def test_rungs_of_a_small_run():
    """The first rung is the predicted damage, the last the loss that noise adds in training."""
    problem = paper_problem(0)
    settings = ProofSettings(
        rates=(0.02, 0.1),
        kinds=("banded_range", "banded"),
        pool=("iid", "bisr"),
        epsilons=(4.0,),
        bands=2,
        replicates=3,
    )
    (told,) = run_condition(problem, settings, "L2")
    assert banded_kinds(settings.kinds) == ("banded", "banded_range")
    subject = told.mechanisms.index("banded")
    fresh = list(settings.confirming)
    places = telling_rates(told, settings)
    first = told.loss[:, list(settings.choosing)].mean(axis=1)
    assert int(first[:, subject].argmin()) in [at for at, _ in places]
    for at, rival in places:
        found = reason(problem, settings, told, at, rival)
        assert found.privacy["banded"][0] == pytest.approx(told.predicted[at, subject], rel=1e-9)
        added = told.loss[at, fresh, subject].mean() - told.quiet[at]
        assert found.privacy["banded"][-1] == pytest.approx(added, rel=1e-6)
        gap = told.loss[at, fresh, subject] - told.loss[at, fresh, rival]
        assert found.behind["banded"][0] == pytest.approx(gap.mean(), rel=1e-6)
        assert found.rival_mean == pytest.approx(told.loss[at, fresh, rival].mean(), rel=1e-9)
        assert np.isfinite([found.peak[key] for key in (found.rival, *found.kinds)]).all()
