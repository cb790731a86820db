"""Studies that are kept, taken up again, and run in other processes."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest

from momentdp_core import InputError
from momentdp_core.__main__ import main
from momentdp_core.experiments import execution
from momentdp_core.experiments.claims import CLAIMS, EXPERIMENTS
from momentdp_core.experiments.execution import (
    environment,
    keep,
    kept,
    plain,
    run_studies,
    run_study,
    study_path,
)
from tests.experiments.records import CASE

QUICK = ("lr_aware_limit", "epsilon_invariance", "schedule_table")


@pytest.fixture(scope="module")
def outcome():
    """The outcome of one quick study."""
    return run_study("lr_aware_limit", 3)


def test_an_outcome_is_complete(outcome):
    """It names study, seed, versions and time, and has a verdict for each claim of the study."""
    assert (outcome["study"], outcome["seed"]) == ("lr_aware_limit", 3)
    assert outcome["environment"] == environment()
    assert [v["claim"] for v in outcome["verdicts"]] == ["M20"]
    assert outcome["record"]["horizons"]
    assert outcome["seconds"] > 0


def test_a_kept_outcome_comes_back(outcome, tmp_path):
    """What was written is read for the same study and seed, and for no other."""
    keep(tmp_path, outcome)
    assert kept(tmp_path, "lr_aware_limit", 3) == outcome
    assert kept(tmp_path, "lr_aware_limit", 4) is None
    assert kept(tmp_path, "solver_check", 3) is None
    assert [path.name for path in (tmp_path / "studies").iterdir()] == ["lr_aware_limit.json"]


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda text: text[: len(text) // 2], id="truncated"),
        pytest.param(lambda text: "[]", id="another kind"),
        pytest.param(lambda text: text.replace('"source": "', '"source": "0'), id="other code"),
        pytest.param(lambda text: text.replace('"numpy": "', '"numpy": "9'), id="other version"),
        pytest.param(lambda text: text.replace('"verdicts"', '"verdict"'), id="no verdicts"),
    ],
)
def test_an_outcome_that_cannot_be_trusted_is_run_again(outcome, tmp_path, spoil):
    """A broken file, or one of other code or versions, counts as absent."""
    keep(tmp_path, outcome)
    path = study_path(tmp_path, "lr_aware_limit")
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
    assert kept(tmp_path, "lr_aware_limit", 3) is None


def test_long_studies_are_started_first(monkeypatch):
    """With several processes the last to finish should not be the last to start."""
    monkeypatch.setattr(execution, "run_study", lambda key, seed, tell: {"study": key})
    order = [o["study"] for o in run_studies(list(EXPERIMENTS), seed=0)]
    long = [key for key, experiment in EXPERIMENTS.items() if experiment.long]
    assert order[: len(long)] == long
    assert sorted(order) == sorted(EXPERIMENTS)


def note(path, key, share, text):
    """Write down what a study told, wherever it runs."""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{key} {share:.2f} {text}\n")


def test_two_processes_tell_how_far_they_are(tmp_path):
    """The function that is given runs in the workers, before each step of a study."""
    path = tmp_path / "progress.txt"
    list(run_studies(("slice_count", "lr_aware_limit"), seed=0, jobs=2, tell=partial(note, path)))
    told = path.read_text("utf-8").splitlines()
    assert [line.split()[1] for line in told] == [f"{n / 18:.2f}" for n in range(18)]
    assert told[0] == "slice_count 0.00 log κ = 10, constant, rate 0.1"


def test_two_processes_give_the_same_verdicts():
    """joblib's workers return what this process computes."""
    there = {o["study"]: o["verdicts"] for o in run_studies(QUICK, seed=0, jobs=2)}
    here = {o["study"]: o["verdicts"] for o in run_studies(QUICK, seed=0)}
    assert there == here
    assert {v["claim"] for verdicts in there.values() for v in verdicts} == {"M12", "M19", "M20"}


def test_a_dask_cluster_gives_the_same_verdicts(tmp_path, capsys):
    """A local cluster with its own process runs the same tasks, and tells how far it is."""
    from distributed import LocalCluster

    progress = tmp_path / "progress.txt"
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        keys = [*QUICK[:2], "slice_count"]
        found = list(run_studies(keys, seed=0, scheduler=address, tell=partial(note, progress)))
        options = ["--backend", "dask", "--scheduler", address, "--out", str(tmp_path)]
        assert main(["reproduce", "M20", *options]) == 0
    here = {key: run_study(key, 0)["verdicts"] for key in keys}
    assert {o["study"]: o["verdicts"] for o in found} == here
    assert "slice_count 0.50" in progress.read_text("utf-8")
    assert "reproduced" in capsys.readouterr().out


def test_a_cluster_that_is_not_there_is_named(monkeypatch):
    """A wrong address ends in a message, not in a traceback."""
    monkeypatch.setattr(execution, "CONNECT_SECONDS", 0.5)
    with pytest.raises(InputError, match=r"scheduler.*127\.0\.0\.1:1"):
        list(run_studies(QUICK, seed=0, scheduler="tcp://127.0.0.1:1"))


def test_records_with_arrays_become_what_json_gives_back():
    """Arrays, tuples and nested records turn into lists and dicts; what is no number into None."""
    record = {
        "array": np.array([[1.0, np.nan]]),
        "count": np.int64(3),
        "flag": np.bool_(True),
        "case": CASE,
        "none": None,
    }
    found = plain(record)
    assert found["array"] == [[1.0, None]]
    assert found["case"]["spectrum"] == "log"
    assert found == json.loads(json.dumps(found, allow_nan=False))


def test_every_record_becomes_json():
    """Each claim names a study, and the record of one is plain data."""
    assert {claim.study for claim in CLAIMS.values()} == set(EXPERIMENTS)
    text = json.dumps(run_study("schedule_table", 0), allow_nan=False)
    assert json.loads(text)["record"]["winners"] == ["dense", "toeplitz_mean", "toeplitz_mean"]
