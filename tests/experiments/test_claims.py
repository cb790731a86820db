"""Every claim's judge: right on a record that meets the paper, and wrong on a wrong one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from momentdp_core import InputError
from momentdp_core.experiments.claims import CLAIMS, EXPERIMENTS, find_claims, judge
from tests.experiments import records as r

NUMBERS = [*range(1, 25), 33]
ROWS = [f"M{number}" for number in NUMBERS]


def quality(**changes: Any) -> Any:
    """Table 3 with some rows changed."""
    return replace(r.RANKINGS, broad=replace(r.QUALITY, **changes))


def held_out(split: str, *values: float) -> Any:
    """The held-outs with one split changed."""
    return replace(r.RANKINGS, held_out={**r.RANKINGS.held_out, split: (*values, 1.0)})


def solver(place: int, **changes: Any) -> Any:
    """The solver check with one case changed."""
    cases = list(r.SOLVERS.cases)
    cases[place] = replace(cases[place], **changes)
    return replace(r.SOLVERS, cases=tuple(cases))


def curve(**changes: Any) -> Any:
    """The perturbation study with its main curve changed."""
    return replace(r.PERTURBATION, signed=replace(r.CURVE, **changes))


SAMPLE = r.SAMPLED.cases[0]
MET = {
    "M1": r.SAMPLED,
    "M2": r.IDENTITY,
    "M3": r.CROSSINGS,
    "M4": r.WINNERS,
    "M5": r.WINNERS,
    "M6": r.SLICES,
    "M7": r.SLICES,
    **{f"M{number}": r.RANKINGS for number in (8, 9, 10, 11, 13, 14, 15, 16)},
    "M12": r.SCHEDULES,
    "M17": r.PERTURBATION,
    "M18": r.PERTURBATION,
    "M19": r.EPSILON,
    "M20": r.LR_LIMIT,
    "M21": r.SOLVERS,
    "M22": r.SOLVERS,
    "M23": r.SENSITIVITY,
    "M24": r.PROTOCOL,
    "M33": r.TRAJECTORY,
}
# Claim, what is wrong, the record, and the verdict it must get.
WRONG = [
    ("M1", "sampling off", replace(r.SAMPLED, cases=(replace(SAMPLE, deviation=-4.1),)), None),
    (
        "M1",
        "propagation off",
        replace(r.SAMPLED, cases=(replace(SAMPLE, propagation_gap=1e-6),)),
        None,
    ),
    ("M1", "no number", replace(r.SAMPLED, cases=(replace(SAMPLE, deviation=math.nan),)), None),
    ("M2", "one disagrees", replace(r.IDENTITY, agreeing=575), None),
    ("M2", "one missing", replace(r.IDENTITY, cases=575, agreeing=575), None),
    ("M2", "one route off", replace(r.IDENTITY, worst_propagation=1e-9), None),
    ("M3", "one not confirmed", replace(r.CROSSINGS, confirmed=4), None),
    ("M3", "none found", replace(r.CROSSINGS, reported=0, confirmed=0), None),
    ("M3", "a blind score right", replace(r.CROSSINGS, blind_right_on_both=1), None),
    ("M4", "another winner", replace(r.WINNERS, winners=("noisecurve",) * 5), None),
    ("M5", "blind right elsewhere", replace(r.WINNERS, winners=("noisecurve",) * 5), None),
    ("M5", "aware wrong once", replace(r.WINNERS, aware_choices=("noisecurve",) * 5), None),
    ("M6", "six of nine", replace(r.SLICES, slices=r.some_slices(6)), None),
    ("M6", "nine of nine", replace(r.SLICES, slices=r.some_slices(9)), None),
    ("M7", "it moves", replace(r.SLICES, slices=(r.one_slice(True, moved=True),) * 9), None),
    ("M7", "no slice changes", replace(r.SLICES, slices=(r.one_slice(False),) * 9), None),
    ("M8", "curvature worst", quality(pairwise=(0.7, 0.65, 0.5, 1.0)), None),
    ("M8", "aware imperfect", quality(pairwise=(0.58, 0.608, 0.758, 0.999)), None),
    ("M9", "curvature worst", quality(tau=(0.5, 0.4, 0.1, 1.0)), None),
    ("M9", "aware imperfect", quality(tau=(0.143, 0.2, 0.501, 0.99)), None),
    ("M10", "curvature best", quality(regret=(0.2, 0.3, 0.1, 0.0)), None),
    ("M10", "two swapped", quality(regret=(0.1, 0.15, 0.9, 0.0)), "same direction"),
    ("M10", "aware imperfect", quality(regret=(0.127, 0.117, 0.201, 0.01)), None),
    ("M11", "curvature worst", quality(top_one=(0.6, 0.5, 0.3, 1.0)), None),
    ("M11", "aware imperfect", quality(top_one=(0.333, 0.333, 0.367, 0.9)), None),
    ("M12", "another winner", replace(r.SCHEDULES, winners=("dense",) * 3), None),
    ("M12", "far off", replace(r.SCHEDULES, damage=((1.0, 2.0, 3.0),) * 3), None),
    (
        "M12",
        "off, in order",
        replace(r.SCHEDULES, damage=((1.0, 2.0, 3.0), (3.0, 2.0, 1.0), (3.0, 2.0, 1.0))),
        "same order",
    ),
    ("M13", "curvature worst", held_out("momentum", 0.7, 0.65, 0.5), None),
    ("M14", "curvature worst", held_out("schedule", 0.9, 0.8, 0.5), None),
    ("M15", "curvature worst", held_out("condition number", 0.9, 0.8, 0.5), None),
    ("M16", "curvature worst", held_out("BISR", 0.9, 0.8, 0.5), None),
    ("M17", "collapses", curve(pairwise=(1.0, 0.8, 0.7)), None),
    ("M17", "a little off", curve(pairwise=(1.0, 0.985, 0.95)), "within 2 %"),
    ("M18", "does not get worse", curve(pairwise=(1.0, 0.95, 0.96)), None),
    ("M18", "regret off", curve(regret=(0.0, 0.0, 0.05)), "same direction"),
    ("M19", "factor differs", replace(r.EPSILON, spread=1e-9), None),
    ("M19", "a rank changes", replace(r.EPSILON, rank_changes=1), None),
    ("M20", "off the square root", replace(r.LR_LIMIT, to_sqrt=(1e-6,)), None),
    ("M20", "off the workload", replace(r.LR_LIMIT, to_workload=(1e-6,)), None),
    ("M21", "ours beaten", solver(0, best_known=0.99), None),
    ("M21", "indefinite", solver(5, lbfgs_smallest=-1e-9), None),
    ("M21", "below the bound", solver(0, lower_bound=1.1), None),
    ("M21", "short horizon worst", solver(0, adam=1.2), None),
    ("M21", "three agree", solver(3, adam=1.01), "same direction"),
    ("M22", "not recovered", solver(2, residual=1e-8), None),
    ("M23", "too sensitive", replace(r.SENSITIVITY, largest_gap=(0.0, 1e-9)), None),
    ("M24", "changed hash", replace(r.PROTOCOL, frozen=("other", "control")), None),
    (
        "M24",
        "contradicted",
        replace(r.PROTOCOL, primary=r.validation("primary", r.simulated(-1.0))),
        None,
    ),
    (
        "M24",
        "unresolved",
        replace(r.PROTOCOL, primary=r.validation("primary", r.simulated(1.0, 0.3))),
        None,
    ),
    ("M33", "formula off", replace(r.TRAJECTORY, propagation_gap=1e-6), None),
    ("M33", "end off", replace(r.TRAJECTORY, last_step_gap=1e-6), None),
]


@pytest.mark.parametrize("claim", ROWS)
def test_a_record_that_meets_the_paper_is_reproduced(claim):
    """The judge says "reproduced" where every figure is the published one."""
    assert CLAIMS[claim].verdict(MET[claim]).outcome == "reproduced"


@pytest.mark.parametrize(
    ("claim", "record", "word"),
    [pytest.param(c, record, word, id=f"{c} {what}") for c, what, record, word in WRONG],
)
def test_a_wrong_record_is_not_reproduced(claim, record, word):
    """One wrong value in an otherwise faithful record changes the verdict."""
    assert CLAIMS[claim].verdict(record).outcome == (word or "not reproduced")


def test_every_row_can_fail():
    """No row of the paper is without a wrong record, and each row has its claim."""
    assert {claim for claim, _, _, word in WRONG if word is None} == set(ROWS)
    assert set(ROWS) <= set(CLAIMS)


def test_claims_and_studies_belong_together():
    """Every claim's study exists, every study has a claim, and identities are in order."""
    assert {claim.study for claim in CLAIMS.values()} == set(EXPERIMENTS)
    assert all(key == experiment.key for key, experiment in EXPERIMENTS.items())
    assert list(CLAIMS) == sorted(CLAIMS, key=lambda name: (name[0], int(name[1:])))
    assert {v.claim for v in judge(r.RANKINGS, "rankings")} == {
        *("M8", "M9", "M10", "M11", "M13", "M14", "M15", "M16")
    }


def test_an_unknown_claim_is_refused_with_the_list():
    """The message names the claims there are."""
    with pytest.raises(InputError, match=r"M99.*M1, M2"):
        find_claims(["M4", "M99"])
