"""The study of designs as it is written and shipped: whole, consistent, and made again."""

from __future__ import annotations

import json

import pytest

from momentdp_core.experiments import design_report as module
from momentdp_core.experiments.design_kinds import KINDS
from momentdp_core.experiments.design_proof import confirm
from momentdp_core.experiments.design_report import design_study, shipped_designs, write_designs
from momentdp_core.experiments.design_runs import ProofSettings, run_condition
from momentdp_core.experiments.logistic_data import paper_problem

FEW = ProofSettings(
    rates=(0.02, 0.1),
    conditions=("L2",),
    kinds=("single", "banded"),
    pool=("iid", "bisr"),
    epsilons=(4.0,),
    bands=2,
    replicates=3,
)


def test_a_small_study_is_written_whole(tmp_path, monkeypatch):
    """The file holds date, seed, versions and the report; processes change nothing."""
    monkeypatch.setattr(module, "FILE", tmp_path / "designs.json")
    told = write_designs("2026-01-31", settings=FEW)
    kept = json.loads((tmp_path / "designs.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(told))
    assert (kept["date"], kept["seed"]) == ("2026-01-31", 0)
    assert kept["environment"]["momentdp"]
    assert json.loads(json.dumps(design_study(FEW, jobs=2))) == kept["report"]


def test_shipped_counts_are_those_of_the_shipped_comparisons():
    """The verdict follows from the differences and intervals that are shipped beside it."""
    told = shipped_designs()["report"]
    found, best = told["verdict"], told["verdict"]["best"]
    assert best == min(told["score"], key=lambda key: told["score"][key])
    outcomes = {"tuned": [], "sweep": []}
    for one in told["proofs"]:
        assert set(one["tuned"]) == set(one["sweep"]) == set(KINDS)
        outcomes["tuned"].append((one["tuned"][best]["difference"],
                                  one["tuned"][best]["half_width"]))  # fmt: skip
        sweep = one["sweep"][best]
        outcomes["sweep"] += list(zip(sweep["relative"], sweep["half_width"], strict=True))
    for name, pairs in outcomes.items():
        better = sum(gap < -half for gap, half in pairs)
        worse = sum(gap > half for gap, half in pairs)
        assert found[name] == {
            "better": better,
            "worse": worse,
            "open": len(pairs) - better - worse,
        }
    assert told["settings"]["replicates"] == 30
    assert len(told["proofs"]) == 8


def test_a_shipped_difference_comes_out_again():
    """One condition, rate and pair of the shipped study, trained anew with its seed."""
    shipped = shipped_designs()["report"]
    best = shipped["verdict"]["best"]
    (one,) = (p for p in shipped["proofs"] if (p["condition"], p["epsilon"]) == ("L0", 4.0))
    told = one["tuned"][best]
    assert told["rate"] == told["rival_rate"]
    settings = ProofSettings(
        rates=(told["rate"],), kinds=(best,), pool=(told["rival"],), epsilons=(4.0,)
    )
    (losses,) = run_condition(paper_problem(0), settings, "L0")
    again = confirm(losses, settings).tuned[best]
    for name in ("mean", "rival_mean"):
        assert getattr(again, name) == pytest.approx(told[name], rel=1e-5)
    assert again.difference == pytest.approx(told["difference"], rel=1e-2)
    assert again.half_width == pytest.approx(told["half_width"], rel=1e-2)
