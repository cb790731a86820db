"""The results that come with the program: complete, dated, and what the program computes now."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from momentdp_core import InputError, __version__
from momentdp_core.experiments.claims import CLAIMS, EXPERIMENTS, judge
from momentdp_core.experiments.execution import plain, run_study
from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.experiments.logistic_evidence import Evidence
from momentdp_core.experiments.pmlf_claims import claim_p1, claim_p2, claim_p3
from momentdp_core.experiments.pmlf_parts import (
    filter_study,
    reduction_on_task,
    sampling_reduction,
)
from momentdp_core.experiments.shipped import FILE, shipped_results, take_over

# Exact studies that take a second or so.
QUICK = ("momentum_table", "slice_count", "epsilon_invariance", "lr_aware_limit")
# Exact studies of seconds. The blind protocol's two halves are recomputed in test_registry.
LONGER = (
    *("sampled_damage", "identity_grid", "confirmed_crossovers", "solver_check"),
    *("sensitivity_check", "trajectory_ranks"),
)
EXACT = [key for key, claim in CLAIMS.items() if claim.kind == "exact"]
OUTCOME = re.compile(r"reproduced|within \d+ %|same order|same direction|not reproduced")


def test_every_claim_has_a_shipped_verdict():
    """M1 to M33 and P1 to P5 are all there, each with a verdict of the list, none failing."""
    results = shipped_results()
    assert list(results.claims) == [
        *(f"M{number}" for number in range(1, 34)),
        *(f"P{number}" for number in range(1, 6)),
    ]
    assert set(results.claims) == set(CLAIMS)
    for key, row in results.claims.items():
        assert OUTCOME.fullmatch(row["verdict"]), key
        assert row["published"] == CLAIMS[key].published
        assert row["statement"] == CLAIMS[key].statement
        assert row["setting"]
        assert row["kind"] == "statistical" or row["verdict"] == "reproduced"
    assert set(results.records) == set(EXPERIMENTS)


def test_the_results_say_when_and_with_what():
    """Date, version and seed stand in the file."""
    results = shipped_results()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", results.date)
    assert results.seed == 0
    assert results.environment["momentdp"] == __version__
    assert set(results.environment) >= {"python", "numpy", "scipy", "machine"}


@pytest.mark.parametrize("study", QUICK)
def test_the_quick_exact_studies_come_out_as_shipped(study):
    """What is computed now has the shipped verdicts and figures, up to rounding."""
    now = run_study(study, 0)
    shipped = shipped_results()
    assert now["verdicts"]
    for verdict in now["verdicts"]:
        row = shipped.claims[verdict["claim"]]
        assert verdict["outcome"] == row["verdict"]
        assert verdict["our_values"] == pytest.approx(row["our_values"], rel=1e-9, abs=1e-12)
    assert set(now["record"]) == set(shipped.records[study])


@pytest.mark.slow
@pytest.mark.parametrize("study", LONGER)
def test_the_longer_exact_studies_come_out_as_shipped(study):
    """Every exact claim again, with the shipped figures; what is only rounding stays rounding."""
    now = run_study(study, shipped_results().seed)
    for verdict in now["verdicts"]:
        row = shipped_results().claims[verdict["claim"]]
        if row["kind"] == "exact":
            assert verdict["outcome"] == row["verdict"] == "reproduced"
            assert verdict["our_values"] == pytest.approx(row["our_values"], rel=1e-6, abs=1e-10)
    assert set(now["record"]) == set(shipped_results().records[study])


def test_the_exact_claims_of_dp_pmlf_come_out_as_shipped():
    """P1 to P3, from the parts that they rest on."""
    seed = shipped_results().seed
    filters = filter_study(seed=seed)
    on_task = reduction_on_task(paper_problem(seed), rate=0.1)
    found = {
        "P1": claim_p1(sampling_reduction(seed=seed), on_task),
        "P2": claim_p2(filters),
        "P3": claim_p3(filters),
    }
    shipped = shipped_results().records["pmlf"]["numbers"]
    for claim, numbers in found.items():
        for side in ("published", "ours"):
            for name, value in plain(numbers[side]).items():
                expected = np.array(shipped[claim][side][name], float)
                np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-10)


def test_every_exact_claim_is_recomputed():
    """Here, or in full in the tests of the registry."""
    here = {key for key, claim in CLAIMS.items() if claim.study in (*QUICK, *LONGER)}
    assert set(EXACT) <= here | {"M24", "P1", "P2", "P3"}


@pytest.mark.parametrize("study", ["logistic", "pmlf"])
def test_the_shipped_verdicts_follow_from_the_shipped_records(study):
    """Judged again, the records of the long studies give what is shipped, word by word."""
    results = shipped_results()
    for verdict in judge(Evidence(numbers=results.records[study]["numbers"]), study):
        row = results.claims[verdict.claim]
        assert (verdict.outcome, verdict.ours) == (row["verdict"], row["ours"])
        assert (verdict.setting, verdict.detail) == (row["setting"], row["detail"])


def test_a_run_is_taken_over_whole(tmp_path):
    """What is written is the run; a run over some claims only is refused."""
    results = shipped_results()
    (tmp_path / "studies").mkdir()
    for key, record in results.records.items():
        path = tmp_path / "studies" / f"{key}.json"
        path.write_text(json.dumps({"record": record}), encoding="utf-8")
    report = {
        "seed": results.seed,
        "environment": dict(results.environment),
        "seconds": dict.fromkeys(results.records, 1.0),
        "claims": list(results.claims.values()),
    }
    (tmp_path / "claims.json").write_text(json.dumps(report), encoding="utf-8")
    written = json.loads(take_over(tmp_path, tmp_path / "new" / "r.json").read_text("utf-8"))
    shipped = json.loads(FILE.read_text("utf-8"))
    assert plain({**written, "date": ""}) == plain({**shipped, "date": ""})
    report["claims"] = report["claims"][1:]
    (tmp_path / "claims.json").write_text(json.dumps(report), encoding="utf-8")
    with pytest.raises(InputError, match="M1'"):
        take_over(tmp_path, tmp_path / "other.json")
    with pytest.raises(InputError, match=r"claims\.json"):
        take_over(tmp_path / "nowhere", tmp_path / "other.json")
