"""Take it away without a browser: the code, the data and the PDF of what the pages show."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import MECHANISMS, SCHEDULES, Scenario, Study, damage_by_mode, evaluate
from momentdp_core.__main__ import main
from momentdp_core.report import study_to_dict
from pages.ui import pdf, take_away
from pages.views import export, recipe, why_export
from pages.views.swept import swept_of
from pages.views.why import pair_at
from tests.pages.driver import SMALL, chart, opened
from tests.pages.test_optimizer import LINKS

ROOT = Path(__file__).resolve().parents[2]
# Whatever else than the optimizer a link can set.
SETTINGS = (
    {},
    {"spectrum": "custom", "lam": "1, 0.3, 1e-3, 0"},
    {"spectrum": "two_cluster", "kappa": "50", "d": "5"},
    {"spectrum": "isotropic", "d": "3"},
    {"schedule": "custom", "chi": "1,0.5,0.25,0.1234567890123", "T": "4"},
    {"mech": "iid,dense,sqrt", "eps": "0.5", "delta": "1e-7", "b": "2", "rate": "0.0025"},
    {"rate": "3.0"},
    {"parts": "4", "apart": "2"},
    {"apart": "8"},
    {"opt": "filter", "fa": "", "fb": "0.7 0.3"},
    *({"schedule": family} for family in SCHEDULES if family != "custom"),
    {"schedule": "step", "factor": "0.3", "stages": "5"},
    {"schedule": "warmup_cosine", "warmup": "0.3"},
    {"schedule": "exponential", "final": "0.1"},
    {"schedule": "front_loaded", "front": "0.5"},
    {"schedule": "back_loaded", "back": "0.0"},
    *({**link, "rate": "0.2"} for link, _, _ in LINKS),
)


def panel(app: AppTest) -> dict[str, Any]:
    """Return what the panel was given."""
    found = [json.loads(part.proto.json) for part in app.get("bidi_component")]
    (data,) = [part[0] for part in found if isinstance(part, list) and "python" in part[0]]
    return dict(data)


def drawn(app: AppTest) -> dict[str, np.ndarray]:
    """Return the damage that the chart of Explore draws, NaN where there is none, by mechanism."""
    figure = json.loads(str(chart(app, "damage")["figure"]))
    keys = {mechanism.label: key for key, mechanism in MECHANISMS.items()}
    traces = [trace for trace in figure["data"] if trace.get("yaxis") != "y2"]
    return {
        keys[trace["name"]]: np.frombuffer(
            base64.b64decode(trace["y"]["bdata"]), dtype=trace["y"]["dtype"]
        )
        for trace in traces
    }


def study_of_python(text: str) -> Study:
    """Run copied Python here and return its study."""
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(text, space)
    assert isinstance(space["study"], Study)
    return space["study"]


def result_of_command(text: str) -> dict[str, Any]:
    """Run a copied command line here and return its JSON."""
    words = shlex.split(text)
    assert words[:4] == ["python", "-m", "momentdp_core", "evaluate"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*words[3:], "--format", "json"]) == 0
    return dict(json.loads(out.getvalue()))


def _name(link: dict[str, str]) -> str:
    return "-".join(link.values()) or "default"


@pytest.mark.parametrize("link", SETTINGS, ids=_name)
def test_copied_code_gives_the_pages_numbers(link: dict[str, str]) -> None:
    """Both texts, run as they are, give the very damages that the chart draws."""
    app = opened(**{**SMALL, **link})
    data, shown = panel(app), drawn(app)
    study = study_of_python(data["python"])
    assert set(study.mechanisms) == set(shown)
    for row, key in enumerate(study.mechanisms):
        seen = np.isfinite(shown[key])
        assert (study.stable[row] | ~seen).all()
        np.testing.assert_array_equal(study.damage[row][seen], shown[key][seen])
    seen_any = any(np.isfinite(damage).any() for damage in shown.values())
    assert seen_any == bool((study.stable & (study.damage > 0)).any())
    assert result_of_command(data["command"]) == json.loads(json.dumps(study_to_dict(study)))


def test_copied_code_runs_as_programs() -> None:
    """Both texts run in a process of their own, in momentdp's folder, and print the damages."""
    data = panel(opened(opt="ema", beta="0.8", T="8", b="2", mech="iid,dense"))
    study = study_of_python(data["python"])
    programs = {
        "python": [sys.executable, "-c", data["python"]],
        "command": [sys.executable, *shlex.split(data["command"])[1:]],
    }
    printed = {
        name: subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
        ).stdout
        for name, command in programs.items()
    }
    for line, key, row in zip(
        printed["python"].splitlines(), study.mechanisms, study.damage, strict=True
    ):
        assert line.split() == [key, *map(str, row)]
    result = json.loads(printed["command"])
    assert [entry["damage"] for entry in result["mechanisms"]] == study.damage.tolist()


def test_the_caption_tells_the_whole_setting() -> None:
    """One sentence with every parameter, and a place for the swept value."""
    text = panel(opened(**SMALL, opt="inner_outer", k="2", rate="0.2", schedule="cosine"))[
        "caption"
    ]["text"]
    for part in ("InnerOuter", "momentum μ = {value}", "steps 2", "schedule: cosine", "0.2"):
        assert part in text
    for part in ("T = 16", "κ = 100", "d = 16", "b = 4", "ε = 4", "δ = 1e-05"):
        assert part in text
    assert text.endswith(".")
    assert ". " not in text


@pytest.fixture(scope="module")
def study() -> Study:
    scenario = Scenario(horizon=16, bands=4)
    return evaluate(scenario, swept_of(scenario.optimizer).values)


def test_parquet_holds_the_csvs_numbers(study: Study) -> None:
    """Parquet and CSV hold the same table, in full precision, and Parquet the scenario too."""
    columns = export.study_columns(study)
    frame = pd.read_parquet(io.BytesIO(take_away.as_parquet(columns, study.scenario)))
    text = pd.read_csv(io.StringIO(export.as_csv(columns)))
    pd.testing.assert_frame_equal(frame, text, check_exact=True, check_dtype=False)
    np.testing.assert_array_equal(frame["damage"].to_numpy().reshape(-1, 11).T, study.damage)
    assert Scenario.from_dict(json.loads(frame.attrs["scenario"])) == study.scenario


@pytest.mark.parametrize("value", [0.0, 0.5, 0.9])
def test_the_long_table_adds_up_to_the_damages(study: Study, value: float) -> None:
    """Bands of frequency and modes add up to the engine's damages; nothing is left out."""
    pair = pair_at(study, value, "iid", None)
    frame = pd.DataFrame(why_export.pair_columns(pair, None, 3))
    assert tuple(frame) == why_export.COLUMNS
    at = study.at(value)
    bands = frame[frame["chart"] == "damage"]
    octaves = np.log2(bands["x_end"] / bands["x"])
    shares = (bands["value"] * octaves).groupby(bands["mechanism"]).sum()
    modes = frame[frame["chart"] == "modes"].groupby("mechanism")["value"].sum()
    for row, key in enumerate(study.mechanisms):
        np.testing.assert_allclose(modes[key], study.damage[row, at], rtol=1e-9)
        if key in pair.keys:
            np.testing.assert_allclose(shares[key], study.damage[row, at], rtol=1e-9)
    exact = damage_by_mode(study.scenario, [value])[:, 0]
    one = frame[(frame["chart"] == "modes") & (frame["mechanism"] == "dense")]
    np.testing.assert_array_equal(one["value"], exact[study.mechanisms.index("dense")])
    noise = frame[(frame["quantity"] == "noise") & (frame["mechanism"] == "iid")]["value"]
    total = frame[(frame["quantity"] == "running_sum") & (frame["mechanism"] == "iid")]["value"]
    np.testing.assert_allclose(np.cumsum(noise.to_numpy()), total)
    assert set(frame["chart"]) == {
        *("response", "covariance", "sample", "spectrum", "damage", "modes")
    }


def test_an_unstable_setting_still_has_its_noise() -> None:
    """Where training is unstable the table holds what the charts still draw: the noise."""
    scenario = Scenario(horizon=16, bands=4, learning_rate=3.0)
    pair = pair_at(evaluate(scenario, [0.0, 0.2]), 0.2, "iid", "dense")
    table = why_export.pair_columns(pair, None, 0)
    assert set(table["chart"]) == {"covariance", "sample"}


def test_without_a_browser_the_reader_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """No Chrome: the panel has the message before anybody asks for a PDF."""
    assert panel(opened(**SMALL))["noPdf"] == ("" if pdf.find_browser() else pdf.NO_BROWSER)
    monkeypatch.setattr(pdf, "find_browser", lambda: None)
    assert panel(opened(**SMALL))["noPdf"] == pdf.NO_BROWSER
    with pytest.raises(pdf.NoPdfError, match="none was found"):
        pdf.print_svg("<svg/>", width=100, height=100, about={})


@pytest.mark.parametrize(
    ("size", "text"),
    [((5, 100), "<svg/>"), ((100, 1e9), "<svg/>"), ((100, 100), "x" * (pdf.LARGEST + 1))],
    ids=["narrow", "high", "long"],
)
def test_absurd_drawings_are_refused(
    size: tuple[float, float], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no chart of ours can be never reaches the browser."""
    monkeypatch.setattr(pdf, "find_browser", lambda: "/nowhere")
    with pytest.raises(pdf.NoPdfError, match="too large"):
        pdf.print_svg(text, width=size[0], height=size[1], about={})


def test_a_browser_that_fails_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is no browser leads to a sentence, not to a traceback."""
    monkeypatch.setenv("BROWSER_PATH", sys.executable)
    assert pdf.find_browser() == sys.executable
    with pytest.raises(pdf.NoPdfError, match="could not print"):
        pdf.print_svg("<svg/>", width=100, height=100, about={})


def test_every_optimizer_can_be_written() -> None:
    """The code of each optimizer's default names its class and key."""
    for link, _, optimizer in LINKS:
        scenario = Scenario(optimizer=optimizer)
        assert f"import {type(optimizer).__name__}\n" in recipe.as_python(scenario)
        assert f"--optimizer {link['opt']}" in recipe.as_command(scenario)
