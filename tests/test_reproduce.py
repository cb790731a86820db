"""The command `reproduce`: what it prints and writes, how it ends, and how it goes on."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from momentdp_core import reproduce
from momentdp_core.__main__ import main
from momentdp_core.experiments import execution, lr_limit
from momentdp_core.experiments.claims import CLAIMS

ROOT = Path(__file__).parents[1]


def run(out, *arguments):
    """Run the command in this process."""
    return main(["reproduce", *arguments, "--out", str(out)])


def test_a_run_shows_and_writes_the_verdicts(tmp_path, capsys):
    """Table on stdout, progress on stderr, JSON and CSV with versions and seed in the folder."""
    assert run(tmp_path, "M12", "m20", "--seed", "7") == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0].split() == ["claim", "published", "ours", "verdict"]
    assert [line.split()[0] for line in shown.out.splitlines() if line[0] == "M"] == ["M12", "M20"]
    assert "[1/2]" in shown.err
    assert "schedule_table" in shown.err
    report = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))
    assert report["environment"]["numpy"] == np.__version__
    assert report["seed"] == 7
    assert set(report["seconds"]) == {"lr_aware_limit", "schedule_table"}
    rows = list(csv.DictReader((tmp_path / "claims.csv").read_text("utf-8").splitlines()))
    for claim, row in zip(report["claims"], rows, strict=True):
        assert row["claim"] == claim["claim"]
        assert row["verdict"] == claim["verdict"]
        assert row["published"] == CLAIMS[claim["claim"]].published
        assert (row["seed"], row["numpy"]) == ("7", np.__version__)
    assert [float(x) for x in rows[0]["our_values"].split()] == report["claims"][0]["our_values"]


def test_an_exact_claim_that_does_not_hold_ends_in_1(tmp_path, capsys, monkeypatch):
    """One wrong coefficient: the verdict says so, and so does the exit code."""
    right = lr_limit._binomials
    monkeypatch.setattr(lr_limit, "_binomials", lambda horizon: 1.001 * right(horizon))
    assert run(tmp_path, "M20") == 1
    assert "Exact claims that do not hold: M20." in capsys.readouterr().out


def test_a_statistical_claim_that_differs_is_no_failure(tmp_path):
    """E.2's figures are not met in full, which is reported and not an error."""
    assert run(tmp_path, "M12") == 0
    (row,) = json.loads((tmp_path / "claims.json").read_text(encoding="utf-8"))["claims"]
    assert row["verdict"] != "reproduced"


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, capsys, monkeypatch):
    """Ctrl-C ends in 130 and keeps what was finished; the next run does only the rest."""
    original = execution.run_study
    ran = []

    def interrupted(key, seed, tell):
        if ran:
            raise KeyboardInterrupt
        ran.append(key)
        return original(key, seed)

    monkeypatch.setattr(execution, "run_study", interrupted)
    assert run(tmp_path, "M12", "M19", "M20") == 130
    assert "1 of 3 studies are kept" in capsys.readouterr().err

    def counted(key, seed, tell):
        ran.append(key)
        return original(key, seed)

    monkeypatch.setattr(execution, "run_study", counted)
    assert run(tmp_path, "M12", "M19", "M20") == 0
    shown = capsys.readouterr()
    assert len(ran) == len(set(ran)) == 3
    assert f"{ran[0]}: kept from an earlier run" in shown.err
    assert shown.out.count("M1") == 2


def test_progress_within_a_study_is_told(tmp_path, capsys, monkeypatch):
    """Each step is a line on stderr, but no more than one in some seconds for a study."""
    original = execution.run_study

    def stepping(key, seed, tell):
        for step in range(4):
            tell(step / 4, f"step {step}")
        return original(key, seed)

    monkeypatch.setattr(execution, "run_study", stepping)
    monkeypatch.setattr(reproduce, "PAUSE", 0.0)
    assert run(tmp_path / "all", "M20") == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "step" in line]
    assert lines == [f"  lr_aware_limit: {25 * n} %, step {n}" for n in range(4)]
    monkeypatch.setattr(reproduce, "PAUSE", 3600.0)
    assert run(tmp_path / "few", "M20") == 0
    assert "step" not in capsys.readouterr().err


def test_another_seed_is_another_run(tmp_path, capsys):
    """Kept results belong to their seed."""
    assert run(tmp_path, "M20") == 0
    assert run(tmp_path, "M20", "--seed", "1") == 0
    assert "kept" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        pytest.param([], "claims", id="no claim"),
        pytest.param(["M4", "--all"], "claims", id="one and all"),
        pytest.param(["M99"], "M99", id="unknown claim"),
        pytest.param(["M20", "--jobs", "0"], "jobs", id="no process"),
        pytest.param(["M20", "--seed", "-1"], "seed", id="negative seed"),
        pytest.param(["M20", "--backend", "dask"], "scheduler", id="no scheduler"),
        pytest.param(["M20", "--scheduler", "tcp://x:1"], "scheduler", id="scheduler alone"),
    ],
)
def test_bad_input_ends_in_2_with_one_line(tmp_path, capsys, arguments, named):
    """The line names the option; nothing is run."""
    assert run(tmp_path / "new", *arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert named in shown.err
    assert len(shown.err.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written_ends_in_2(tmp_path, capsys):
    """A file in its place is named."""
    (tmp_path / "taken").write_text("")
    assert run(tmp_path / "taken", "M20") == 2
    assert "out = " in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")
def test_ctrl_c_in_a_terminal_stops_the_workers(tmp_path):
    """SIGINT to the whole group ends a run of two processes at once and without a traceback."""
    command = [sys.executable, "-m", "momentdp_core", "reproduce", "M20", "M24"]
    process = subprocess.Popen(
        [*command, "--jobs", "2", "--out", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    finished = tmp_path / "studies" / "lr_aware_limit.json"
    deadline = time.monotonic() + 90
    while not finished.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "1 of 2 studies are kept" in errors
    assert "Traceback" not in errors
    assert finished.exists()
