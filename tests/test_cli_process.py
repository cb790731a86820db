"""The command line in a process of its own: pipes, and a fast start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*arguments, **options):
    """Run the command line as a person does, in its own process."""
    return subprocess.run(
        [sys.executable, "-m", "momentdp_core", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
        **options,
    )


def _imported(*arguments):
    code = (
        "import sys; from momentdp_core.__main__ import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('|'.join(sorted(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return set(result.stderr.splitlines()[-1].split("|"))


def test_it_runs_as_a_module_and_defaults_to_json_in_a_pipe():
    """python -m momentdp_core answers; without a terminal the default format is JSON."""
    result = run("evaluate", "--horizon", "8", "--mechanisms", "iid", "bisr")
    assert result.returncode == 0
    assert result.stderr == ""
    assert json.loads(result.stdout)["momentum"] == [0.0, 0.5, 0.9]


def test_a_reader_that_stops_early_is_no_error():
    """`… | head -1` ends quietly."""
    command = (
        f"{sys.executable} -m momentdp_core evaluate --horizon 64 --mechanisms iid "
        "--momentum $(seq 0 0.0001 0.99) --format csv | head -1"
    )
    result = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert result.stdout == "momentum,mechanism,damage,rank,stable\n"
    assert result.stderr == ""


def test_help_imports_neither_numpy_nor_scipy():
    """--help and a mistyped option answer without loading the engine."""
    for arguments in (["--help"], ["evaluate", "--help"], ["evaluate", "--nonsense"]):
        assert not {"numpy", "scipy"} & _imported(*arguments)


def test_closed_forms_need_no_solver():
    """Without optimised designs and crossings, SciPy's optimizers and statistics stay unloaded."""
    loaded = _imported(
        *["evaluate", "--horizon", "16", "--mechanisms", "bisr", "--momentum", "0.5"]
    )
    assert not {"scipy.optimize", "scipy.stats", "scipy.signal"} & loaded
