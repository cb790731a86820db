"""The command line: its JSON, CSV and tables, one clear line for bad input, and a fast start."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from momentdp_core import MECHANISMS, OPTIMIZERS, POOL, Curvature, Scenario, evaluate, final_damage
from momentdp_core.__main__ import main
from momentdp_core.optimizers import DpPmlf

ROOT = Path(__file__).parents[1]


def call(capsys, text):
    """Run the command line in this process; return (exit code, stdout, stderr)."""
    code = main(text.split())
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_evaluate_as_json(capsys):
    """The JSON holds the promised fields, and its numbers are those of the engine."""
    code, out, _ = call(
        capsys,
        "evaluate --horizon 128 --modes 16 --spectrum log "
        "--condition-number 10 --learning-rate 0.8 "
        "--schedule constant --momentum 0 0.5 0.9 --bands 16 "
        "--epsilon 4 --delta 1e-5 --format json",
    )
    assert code == 0
    result = json.loads(out)
    scenario = Scenario(curvature=Curvature(condition_number=10))
    assert Scenario.from_dict(result["scenario"]) == scenario
    assert result["momentum"] == [0.0, 0.5, 0.9]
    assert [entry["name"] for entry in result["mechanisms"]] == list(POOL)
    exact = final_damage(scenario, [0.0, 0.5, 0.9])
    for row, entry in zip(exact, result["mechanisms"], strict=True):
        assert set(entry) == {"name", "damage", "rank", "stable"}
        np.testing.assert_allclose(entry["damage"], row, rtol=1e-9)
        assert entry["stable"] == [True, True, True]
    assert result["winner"] == ["noisecurve", "dense", "dense"]
    study = evaluate(scenario, [0.0, 0.5, 0.9])
    assert len(result["crossovers"]) == len(study.crossovers) > 0
    for crossing in result["crossovers"]:
        assert set(crossing) == {"momentum", "below", "above", "pair"}
        assert {crossing["below"], crossing["above"]} == set(crossing["pair"])
        assert 0 < crossing["momentum"] < 0.9


def test_unstable_and_overflowing_settings_are_null_in_json(capsys):
    """No NaN and no infinity: no rank and no winner where unstable, null where it overflows."""
    code, out, _ = call(
        capsys,
        "evaluate --horizon 512 --learning-rate 3.5 --momentum 0 0.9 "
        "--mechanisms iid bisr --format json",
    )
    assert code == 0
    result = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} in the JSON"))
    assert result["winner"] == [None, "iid"]
    for entry in result["mechanisms"]:
        assert entry["stable"] == [False, True]
        assert entry["rank"][0] is None
        assert entry["damage"][0] is None
        assert entry["damage"][1] > 0
    assert result["stability_limit"] == pytest.approx([2.0, 3.8])


def test_evaluate_as_csv_and_table(capsys):
    """The CSV has a line per momentum and mechanism; the table names the winners."""
    short = "evaluate --horizon 16 --momentum 0.9 0 --mechanisms dense iid --format "
    _, out, _ = call(capsys, short + "csv")
    lines = out.splitlines()
    assert lines[0] == "momentum,mechanism,damage,rank,stable"
    assert [line.split(",")[:2] for line in lines[1:]] == [
        ["0.0", "dense"],
        ["0.0", "iid"],
        ["0.9", "dense"],
        ["0.9", "iid"],
    ]
    _, out, _ = call(capsys, short + "table")
    assert "momentum 0" in out
    assert "winner" in out
    _, out, _ = call(capsys, "evaluate --learning-rate 3 --momentum 0 --format table")
    assert "unstable, the peak rate must stay below 2" in out


def test_custom_lists_are_taken(capsys):
    """Lists of eigenvalues and multipliers choose the custom families by themselves."""
    code, out, _ = call(
        capsys,
        "evaluate --horizon 3 --eigenvalues 2 1 --schedule-values 1 0.5 0.25 "
        "--momentum 0 --format json",
    )
    assert code == 0
    scenario = json.loads(out)["scenario"]
    assert scenario["curvature"]["values"] == [2.0, 1.0]
    assert scenario["schedule"]["values"] == [1.0, 0.5, 0.25]


def test_other_optimizers_are_swept_along_their_own_parameter(capsys):
    """--optimizer and --optimizer-param choose it; the JSON names the parameter and its values."""
    code, out, _ = call(
        capsys,
        "evaluate --horizon 16 --optimizer dp_pmlf --optimizer-param steps=3 beta=0.5 "
        "design=butterworth order=2 normalise=false --values 0.6 0.2 --format json",
    )
    assert code == 0
    result = json.loads(out)
    assert result["parameter"] == "cutoff"
    assert result["cutoff"] == [0.2, 0.6]
    assert "momentum" not in result
    optimizer = DpPmlf(steps=3, beta=0.5, design="butterworth", order=2, normalise=False)
    scenario = Scenario(horizon=16, optimizer=optimizer)
    assert Scenario.from_dict(result["scenario"]) == scenario
    np.testing.assert_allclose(
        [entry["damage"] for entry in result["mechanisms"]],
        final_damage(scenario, [0.2, 0.6]),
        rtol=1e-9,
    )
    _, out, _ = call(
        capsys,
        "evaluate --horizon 8 --optimizer filter --optimizer-param a=-0.5 b=0.3,0.2 "
        "--momentum 0 --mechanisms iid bisr --format table",
    )
    assert "momentum 0" in out


def test_every_optimizer_has_default_values_that_it_takes(capsys):
    """Without --values each optimizer is swept where it is defined; the table names it."""
    for name in OPTIMIZERS:
        code, out, _ = call(
            capsys,
            f"evaluate --horizon 16 --optimizer {name} --mechanisms iid bisr --format table",
        )
        assert code == 0
        assert f"Optimizer: {name}" in out


def test_keys_may_be_separated_by_commas(capsys):
    """Keys as a link writes them are taken as well, and `mechanisms` lists only those asked for."""
    _, out, _ = call(capsys, "mechanisms --horizon 8 --mechanisms iid,dense --format json")
    assert [entry["name"] for entry in json.loads(out)] == ["iid", "dense"]


def test_help_names_every_optimizer_and_parameter(capsys):
    """The help, which must not load the engine, lists what the engine has."""
    with pytest.raises(SystemExit):
        main(["evaluate", "--help"])
    words = set(re.findall(r"\w+", capsys.readouterr().out))
    for key, kind in OPTIMIZERS.items():
        assert {key, *(field.name for field in fields(kind))} <= words


def test_values_are_printed_as_they_are(capsys):
    """A momentum beside 1 is not rounded to 1."""
    _, out, _ = call(
        capsys,
        "evaluate --horizon 4 --momentum 0.5 0.9999999999 --mechanisms iid bisr --format table",
    )
    assert "momentum 0.9999999999" in out
    assert "momentum 1" not in out


@pytest.mark.parametrize("form", ["json", "table"])
def test_mechanisms_lists_every_key(capsys, form):
    """Every key with its description, errors at sensitivity one, and the sensitivity."""
    code, out, _ = call(capsys, f"mechanisms --horizon 32 --bands 4 --format {form}")
    assert code == 0
    if form == "table":
        assert [line.split()[0] for line in out.splitlines()[1:]] == list(MECHANISMS)
        return
    entries = {entry["name"]: entry for entry in json.loads(out)}
    assert list(entries) == list(MECHANISMS)
    for key, entry in entries.items():
        assert entry["sensitivity"] == pytest.approx(1, abs=1e-12)
        assert entry["description"] == MECHANISMS[key].description
        assert 0 < entry["mean_squared_error"] <= entry["max_squared_error"]
    assert entries["iid"]["mean_squared_error"] == pytest.approx(16.5)


@pytest.mark.parametrize(
    "arguments",
    [
        "evaluate --momentum 1",
        "evaluate --momentum -0.1",
        "evaluate --momentum nan",
        "evaluate --momentum fast",
        "evaluate --horizon 0",
        "evaluate --horizon 99999999999999999999999",
        "evaluate --horizon 3 --modes 99999999999999999999999",
        "evaluate --eigenvalues 1 2 3 --modes 5",
        "evaluate --eigenvalues 1 2 3 --spectrum log",
        "evaluate --horizon 2.5",
        "evaluate --spectrum cubic",
        "evaluate --schedule custom",
        "evaluate --horizon 4 --schedule-values 1 2",
        "evaluate --eigenvalues 1 --spectrum linear",
        "evaluate --mechanisms dense dense",
        "evaluate --mechanisms magic",
        "evaluate --epsilon 0",
        "evaluate --delta 2",
        "evaluate --warmup-fraction 7",
        "evaluate --horizon 5000 --mechanisms dense",
        "evaluate --format xml",
        "evaluate --hori 5",
        "evaluate --optimizer adam",
        "evaluate --optimizer disk --values 0",
        "evaluate --optimizer inner_outer --optimizer-param beta",
        "evaluate --optimizer inner_outer --optimizer-param beta=x",
        "evaluate --optimizer inner_outer --optimizer-param gamma=1",
        "evaluate --optimizer inner_outer --optimizer-param beta=0.1 beta=0.2",
        "evaluate --optimizer heavy_ball --optimizer-param steps=3",
        "evaluate --optimizer filter --optimizer-param b=0.5",
        "evaluate --horizon 2 --optimizer per_sample_momentum --optimizer-param steps=3",
        "evaluate --schedule cosine --final-fraction 0.1",
        "mechanisms --bands 0",
        "frobnicate",
        "",
    ],
    ids=lambda text: text or "nothing",
)
def test_bad_input_is_exit_code_2_and_one_line(capsys, arguments):
    """Whatever is wrong, the answer is one line on stderr, exit code 2, and nothing on stdout."""
    try:
        code = main(arguments.split())
    except SystemExit as stop:
        code = stop.code
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert len(printed.err.strip().splitlines()) == 1
    assert "Traceback" not in printed.err


def test_a_sweep_is_every_step(capsys):
    """--sweep gives the decimals from LOW to HIGH, both included, as if each had been typed."""
    code, out, _ = call(capsys, "evaluate --horizon 8 --sweep 0 0.99 0.01 --format json")
    assert code == 0
    assert json.loads(out)["momentum"] == [k / 100 for k in range(100)]
    code, short, _ = call(capsys, "evaluate --horizon 8 --sweep 0.1 0.5 0.3 --format json")
    assert code == 0
    assert call(capsys, "evaluate --horizon 8 --momentum 0.1 0.4 --format json") == (0, short, "")


@pytest.mark.parametrize("text", ["0.9 0 0.1", "0 0.9 0", "0 0.9 -1", "0 nan 1", "0 0.9 1e-9"])
def test_a_bad_sweep_is_one_line(capsys, text):
    """Backwards, without a step, without an end or without end: a line that shows how."""
    code, out, error = call(capsys, f"evaluate --sweep {text}")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert "Write it as 0 0.99 0.01" in error
