"""What each page's panel hands out: code and commands that give that page's own numbers."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import (
    OWN_KEY,
    Scenario,
    evaluate,
    load_design,
    own_mechanism,
    price_of_bands,
)
from momentdp_core.__main__ import main
from momentdp_core.report import as_json
from pages.views import design as views
from pages.views import recipe, words
from pages.views.design_export import COLUMNS, design_columns, design_result, design_setting
from pages.views.design_texts import design_view
from pages.views.mechanisms import matrices_view
from pages.views.mechanisms_export import mechanisms_columns
from pages.views.swept import swept_of
from pages.views.why import pair_at, scenario_of
from pages.views.why_charts import charts_view
from pages.views.why_recipe import mechanisms_setting, why_setting
from tests.pages.driver import APP, SMALL, STUDY, run, shown
from tests.pages.test_take_away import panel


def opened(page: str, **link: str) -> AppTest:
    """Open a page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page(f"pages/{page}.py")
    for name, text in {**SMALL, **link}.items():
        app.query_params[name] = text
    return run(app)


def space_of(text: str, value: str = "") -> dict[str, Any]:
    """Run a copied program here, at a swept value, and return its variables."""
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(text.replace(recipe.VALUE, value), space)
    return {**space, "printed": out.getvalue()}


def result_of(command: str, value: str = "") -> dict[str, Any]:
    """Run a copied command line here, at a swept value, and return its JSON."""
    words_of = shlex.split(command.replace(recipe.VALUE, value))
    assert words_of[:3] == ["python", "-m", "momentdp_core"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*words_of[3:], "--format", "json"]) == 0
    return dict(json.loads(out.getvalue()))


def damages(result: dict[str, Any]) -> dict[str, float]:
    """Return the damage of each mechanism at the only value of a result."""
    return {entry["name"]: entry["damage"][0] for entry in result["mechanisms"]}


@pytest.mark.parametrize("second", ["dense", None], ids=["pair", "best other"])
@pytest.mark.parametrize("value", [0.2, 0.9])
def test_why_hands_out_what_its_charts_show(second: str | None, value: float) -> None:
    """Damages of a and b, covariance, sample, response, spectrum and damage by mode."""
    link = {"a": "iid", "seed": "5", "mu": f"{value}", **({"vs": second} if second else {})}
    app = opened("why", **link)
    data = panel(app)
    scenario = scenario_of(Scenario(**STUDY), "iid", second)
    pair = pair_at(evaluate(scenario, swept_of(scenario.optimizer).values), value, "iid", second)
    space = space_of(data["python"], f"{value:.2f}")
    assert (space["a"], space["b"]) == pair.keys
    assert (space["damage"][space["a"]], space["damage"][space["b"]]) == pair.damage
    assert all(words.number(damage) in shown(app) for damage in pair.damage)
    view = charts_view(pair, None, 5)
    assert view.filter is not None
    assert view.modes is not None
    assert pair.frequencies is not None
    np.testing.assert_array_equal(space["covariance"], view.noise.covariance)
    np.testing.assert_array_equal(space["noise"], view.noise.noise)
    np.testing.assert_array_equal(space["response"], view.filter.response)
    for name in ("frequencies", "power", "response", "damage_per_octave"):
        np.testing.assert_array_equal(
            getattr(space["spectrum"], name), getattr(pair.frequencies, name)
        )
    for bar in view.modes.bars:
        row = scenario.mechanisms.index(bar.key)
        np.testing.assert_array_equal(space["by_mode"][row], bar.parts)
    assert str(pair.found) in space["printed"]
    told = damages(result_of(data["command"], f"{value:.2f}"))
    assert set(told) == (set(scenario.mechanisms) if second is None else set(pair.keys))
    for key, damage in zip(pair.keys, pair.damage, strict=True):
        assert told[key] == pytest.approx(damage, rel=1e-9)


def test_why_hands_out_the_noise_where_training_is_unstable() -> None:
    """The program runs there too, and has what the page still draws."""
    setting = why_setting(Scenario(**STUDY, learning_rate=3.0), "iid", "dense", 0)
    space = space_of(setting.python, "0.20")
    assert space["noise"].shape == (2, 16)
    assert "spectrum" not in space


@pytest.mark.parametrize("value", ["0.00", "0.90"])
def test_mechanisms_hands_out_its_table_and_matrices(value: str) -> None:
    """Damage and both errors of every mechanism as in the table, and the three matrices."""
    app = opened("mechanisms", about="sqrt", mech="iid,dense", mu=value, parts="2", apart="8")
    data = panel(app)
    space = space_of(data["python"], value)
    lines = [line.split() for line in space["printed"].splitlines()]
    assert [line[0] for line in lines] == ["iid", "dense", "sqrt"]
    for line in lines:
        assert all(words.number(float(number)) in shown(app) for number in line[1:])
    mechanism = space["scenario"].design("sqrt")
    for found, wanted in zip(
        space["matrices"],
        (mechanism.strategy_matrix(), mechanism.noising_matrix(), mechanism.covariance),
        strict=True,
    ):
        np.testing.assert_array_equal(found, wanted)
    told = damages(result_of(data["command"], value))
    assert list(told) == ["iid", "dense", "sqrt"]
    for line in lines:
        assert told[line[0]] == pytest.approx(float(line[1]), rel=1e-9)


def test_no_command_speaks_of_an_own_mechanism() -> None:
    """The command line cannot read one: there is none where it is among those compared."""
    own = own_mechanism("strategy_series", [1.0, -0.5], horizon=16)
    scenario = Scenario(**STUDY, mechanisms=("iid", "dense", OWN_KEY), own=own)
    assert why_setting(scenario, "iid", None, 0).command == ""
    assert why_setting(scenario, "iid", OWN_KEY, 0).command == ""
    assert "--mechanisms iid dense" in why_setting(scenario, "iid", "dense", 0).command
    assert mechanisms_setting(scenario, "iid", 1.0).command == ""


KNOWN = {"low": 0.9, "high": 0.9, "condition_factor": 1.0, "lowest_rate": 1.0}
PLAIN = {"banded": False, "worst_case": False, "relative": True}
ASKED: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "one condition": ({}, {}),
    "range": (
        {"dval": "range", "dlo": "0.5", "dhi": "0.8", "dk": "3", "dr": "0.5"},
        {"low": 0.5, "high": 0.8, "condition_factor": 3.0, "lowest_rate": 0.5},
    ),
    "banded, worst case": (
        {"dr": "0.5", "dform": "banded", "aim": "worst", "rel": "no"},
        {"lowest_rate": 0.5, "banded": True, "worst_case": True, "relative": False},
    ),
    "repeated": ({"parts": "2", "apart": "8"}, {}),
    "the way, one condition": ({"dway": "0.1"}, {"path_share": 0.1}),
    "the way, range": ({"dr": "0.5", "dway": "1"}, {"lowest_rate": 0.5, "path_share": 1.0}),
}


@pytest.mark.parametrize("name", ASKED)
def test_design_hands_out_the_design_and_its_rivals(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Program and command make the page's design; the program also what the others do."""
    monkeypatch.chdir(tmp_path)
    link, asked = ASKED[name]
    app = opened("design", mech="iid,dense", **link)
    data = panel(app)
    repeated = {"participations": 2, "min_separation": 8} if name == "repeated" else {}
    scenario = Scenario(**STUDY, mechanisms=("iid", "dense"), **repeated)  # type: ignore[arg-type]
    question = views.question_of(scenario, **{**KNOWN, **PLAIN, **asked})
    found = views.contest(question, scenario, views.design_of(question))
    assert design_view(found).sentence in shown(app)
    space = space_of(data["python"])
    np.testing.assert_allclose(
        np.atleast_1d(space["design"].damage), found.design.damage, rtol=1e-9
    )
    for row, key in enumerate(found.keys[1:], 1):
        np.testing.assert_allclose(space["rivals"][key], found.damage[row], rtol=1e-9)
    assert load_design("design.npz").conditions == tuple(
        (replace(known, mechanisms=("iid", "dense"), bands=4), value)
        for known, value in found.design.conditions
    )
    Path("design.npz").unlink()
    told = result_of(data["command"])
    np.testing.assert_allclose(told["damage"], found.design.damage, rtol=1e-9)
    np.testing.assert_allclose(load_design("design.npz").damage, found.design.damage, rtol=1e-9)
    assert told["objective"] == pytest.approx(found.design.objective, rel=1e-9)
    result = json.loads(as_json(design_result(found)))
    assert {key: told[key] for key in ("bands", "conditions", "bound")} == {
        key: result["design"][key] for key in ("bands", "conditions", "bound")
    }
    assert result["design"]["path_share"] == told["path_share"] == asked.get("path_share", 0.0)
    assert data["caption"]["text"] == design_setting(found).caption
    assert ("on the way" in data["caption"]["text"]) == ("path_share" in asked)


def test_the_table_of_the_design_holds_its_charts() -> None:
    """Every condition, both ends of the sweep, C C⁻¹ = I, the sample's sums, and the prices."""
    scenario = Scenario(**STUDY, mechanisms=("iid", "dense"))  # type: ignore[arg-type]
    question = views.question_of(scenario, **{**KNOWN, **PLAIN, "lowest_rate": 0.5})  # type: ignore[arg-type]
    found = views.contest(question, scenario, views.design_of(question))
    study = evaluate(scenario, swept_of(scenario.optimizer).values)
    prices = price_of_bands(question.unknown.scenario, 0.9, (1, 4))
    frame = pd.DataFrame(design_columns(found, study, 3, prices))
    assert tuple(frame) == COLUMNS
    conditions = frame[(frame["chart"] == "conditions") & (frame["quantity"] == "damage")]
    for row, key in enumerate(found.keys):
        values = conditions[conditions["mechanism"] == key]["value"]
        np.testing.assert_array_equal(values, found.damage[row])
    assert set(conditions["learning_rate"]) == {c.learning_rate for c, _ in found.design.conditions}
    sweep = frame[(frame["chart"] == "sweep") & (frame["mechanism"] == "dense")]
    np.testing.assert_array_equal(sweep["value"], study.damage[1])
    whole = {}
    for name in ("strategy", "noising"):
        part = frame[frame["quantity"] == name]
        whole[name] = np.zeros((16, 16))
        places = part["y"].astype(int) - 1, part["x"].astype(int) - 1
        whole[name][places] = part["value"]
    np.testing.assert_allclose(whole["strategy"] @ whole["noising"], np.eye(16), atol=1e-9)
    price = frame[(frame["chart"] == "price") & (frame["quantity"] == "damage")]
    assert dict(zip(price["x"], price["value"], strict=True)) == dict(
        zip(prices.bands.tolist(), prices.damage.tolist(), strict=True)
    )
    assert "price" not in design_columns(found, study, 3, None)["chart"]


def test_the_table_of_mechanisms_holds_matrices_and_errors() -> None:
    """C C⁻¹ = I from the table alone; its damages are the study's, none where unstable."""
    scenario = Scenario(**STUDY, mechanisms=("iid", "dense"), learning_rate=2.5)  # type: ignore[arg-type]
    study = evaluate(scenario, swept_of(scenario.optimizer).values)
    matrices = matrices_view(scenario, "dense")
    frame = pd.DataFrame(mechanisms_columns(study, 0.9, "dense", matrices))
    whole = {}
    for name in ("strategy", "noising"):
        part = frame[frame["quantity"] == name]
        whole[name] = np.zeros((16, 16))
        places = part["row"].astype(int) - 1, part["column"].astype(int) - 1
        whole[name][places] = part["value"]
    np.testing.assert_allclose(whole["strategy"] @ whole["noising"], np.eye(16), atol=1e-9)
    damage = frame[frame["quantity"] == "damage"]
    np.testing.assert_array_equal(damage["value"], study.damage[:, study.at(0.9)])
    error = frame[(frame["quantity"] == "mean_error") & (frame["mechanism"] == "iid")]
    assert error["value"].item() == pytest.approx(8.5)  # independent noise: (T + 1)/2
    unstable = mechanisms_columns(study, 0.1, "dense", matrices)
    assert "damage" not in unstable["quantity"]
