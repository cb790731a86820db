"""The command `design`: a file that loads, a summary that is the design's, one line for faults."""

from __future__ import annotations

import json

import pytest

from momentdp_core import Scenario, load_design, optimal_design
from momentdp_core.__main__ import main


def call(capsys, tmp_path, text):
    """Run `design` in this process; return (exit code, stdout, stderr, path)."""
    path = tmp_path / "design.npz"
    code = main(["design", *text.split(), "--out", str(path)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err, path


def test_a_design_is_written_and_summed_up(capsys, tmp_path):
    """The JSON says what the file holds, and that is the engine's design."""
    code, out, _, path = call(
        capsys, tmp_path, "--horizon 16 --momentum 0.9 --bands 4 --format json"
    )
    assert code == 0
    told = json.loads(out)
    design = optimal_design(Scenario(horizon=16), 0.9, 4)
    assert told["damage"] == [design.damage]
    assert told["gap"] == design.gap
    assert (told["bands"], told["conditions"]) == (4, 1)
    assert load_design(path).damage.tolist() == told["damage"]


def test_the_way_counts_when_asked_for(capsys, tmp_path):
    """The share of the mean damage over all steps is in the summary and in the file."""
    code, out, _, path = call(
        capsys, tmp_path, "--horizon 12 --momentum 0.9 --path-share 0.1 --format json"
    )
    assert code == 0
    assert json.loads(out)["path_share"] == load_design(path).path_share == 0.1


def test_ranges_make_a_design_for_all_of_them(capsys, tmp_path):
    """Ends of the swept value, the condition number and the rate; repeated participation counts."""
    code, out, _, path = call(
        capsys,
        tmp_path,
        "--horizon 12 --momentum 0.5 0.9 --condition-factor 10 --lowest-rate 0.5 --worst-case "
        "--participations 2 --min-separation 3 --format json",
    )
    assert code == 0
    told, design = json.loads(out), load_design(path)
    assert told["conditions"] == len(design.conditions) == 60
    assert (design.worst_case, design.relative, design.bands) == (True, True, None)
    assert told["sensitivity"] == design.sensitivity.value > 1
    assert design.conditions[0][0].min_separation == 3


def test_the_table_names_gap_and_file(capsys, tmp_path):
    """The table is for people: full, yes, and a range of damages."""
    _, out, _, path = call(
        capsys, tmp_path, "--horizon 8 --momentum 0.5 0.9 --absolute --format table"
    )
    lines = dict(line.split("  ", 1) for line in out.splitlines())
    assert {name.strip() for name in lines} >= {"file", "gap", "bound", "bands", "converged"}
    assert str(path) in out
    assert " to " in out
    assert "full" in out


@pytest.mark.parametrize(
    "arguments",
    [
        "--momentum 1",
        "--momentum 0.1 0.2 0.3",
        "--momentum 0.9 0.5",
        "--momentum 0 --learning-rate 2.5",
        "--horizon 5000",
        "--bands 0",
        "--condition-factor 0.5",
        "--lowest-rate 0",
        "--participations 0",
        "--mechanisms dense",
        "--out /nowhere/at/all.npz",
    ],
)
def test_bad_input_is_exit_code_2_and_one_line(capsys, tmp_path, arguments):
    """Whatever is wrong: one line on stderr, exit code 2, no file."""
    text = f"design --horizon 8 --out {tmp_path}/d.npz {arguments}"
    try:
        code = main(text.split())
    except SystemExit as stop:
        code = stop.code
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_asked_for(capsys):
    """Without --out there is nothing to do."""
    with pytest.raises(SystemExit):
        main(["design"])
    assert "--out" in capsys.readouterr().err
