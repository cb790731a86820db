"""The page “Registry” as a reader uses it: frozen cases, their hash, and the reader's own."""

from __future__ import annotations

import json
import time
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import InputError, Scenario, evaluate, simulate_damage
from momentdp_core.experiments import registry as frozen
from momentdp_core.experiments.own_case import simulate_pair
from momentdp_core.experiments.registry import frozen_hash, load_registry
from momentdp_core.experiments.shipped import shipped_results
from momentdp_core.experiments.validation import validate_registry
from pages.ui import simulations
from pages.views import registry as view
from tests.pages.driver import APP, SMALL, chart, run, shown

PAGE = "pages/registry.py"


def opened(**link: str) -> AppTest:
    """Open the page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page(PAGE)
    for name, text in link.items():
        app.query_params[name] = text
    return run(app)


def test_the_cases_stand_with_their_hash_and_their_gaps() -> None:
    """The hash is verified and shown; each case has two intervals, a verdict and a link."""
    app = opened(**SMALL)
    assert frozen_hash("primary") in app.success[0].value
    assert shown(app).count("data-case=") == 12
    assert "12 of 12" in shown(app)
    assert shipped_results().date in shown(app)
    for case in load_registry("primary"):
        assert view.case_link(case).replace("&", "&amp;") in shown(app)
    figure = json.loads(str(chart(app, "registry")["figure"]))
    assert sum(len(trace["y"]) for trace in figure["data"]) == 24


def test_a_changed_registry_is_refused(tmp_path, monkeypatch) -> None:
    """A file that is not the frozen one gives a message and no cases."""
    for name in ("primary", "control"):
        text = frozen.registry_path(name).read_text("utf-8")
        (tmp_path / f"{name}.json").write_text(text.replace("0.9", "0.91"), encoding="utf-8")
    (tmp_path / "SHA256SUMS").write_text(frozen.SUMS_FILE.read_text("utf-8"), encoding="utf-8")
    keep = frozen.load_registry
    monkeypatch.setattr("pages.ui.registry.load_registry", lambda name: keep(name, tmp_path))
    app = opened(**SMALL)
    assert "changed after it was frozen" in app.error[0].value
    assert "data-case=" not in shown(app)


def test_a_case_in_explore_is_the_frozen_one() -> None:
    """The link of a case opens its scenario, with the two mechanisms it names."""
    case = load_registry("primary")[3]
    app = AppTest.from_file(APP, default_timeout=60)
    for pair in view.case_link(case).split("&"):
        name, text = pair.split("=")
        app.query_params[name] = text
    run(app)
    assert not app.warning
    assert app.slider(key="mu").value == case.low
    assert set(app.multiselect(key="mech").value) == {case.better_at_low, case.better_at_high}
    assert app.selectbox(key="spectrum").value == case.spectrum


def test_the_analytic_gap_is_a_difference_of_damages() -> None:
    """Both sides are positive where the registry says so, and equal the engine's difference."""
    case = load_registry("primary")[0]
    scenario = view.scenario_of(case)
    low, high = view.case_gaps(case)
    assert low > 0
    assert high > 0
    study = evaluate(scenario, [case.low])
    assert low == pytest.approx(float(study.damage[1, 0] - study.damage[0, 0]))
    both = [simulate_damage(scenario, key, case.low, runs=4000) for key in scenario.mechanisms]
    error = 4 * (both[0].standard_error + both[1].standard_error)
    assert abs(both[1].mean - both[0].mean - low) < error


def test_the_own_case_is_simulated() -> None:
    """The button runs the simulator beside the page; its interval stands beside the prediction."""
    app = opened(a="iid", vs="dense", T="8", b="2", d="2", mu="0.5")
    said = " ".join(block.value for block in app.markdown)
    assert "The formula predicts" in said
    app.button(key="own-start").click()
    run(app)
    deadline = time.monotonic() + 60
    while not any("simulated trainings" in block.value for block in app.markdown):
        assert not app.error
        assert time.monotonic() < deadline
        time.sleep(0.3)
        run(app)
    (told,) = [b.value for b in app.markdown if "simulated trainings" in b.value]
    assert "✔" in told
    assert "your case" in str(chart(app, "own")["figure"])


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"a": "iid", "vs": "iid"}, "Choose two different"),
        ({"mech": "none"}, "Choose a mechanism"),
        ({"T": "1", "a": "iid", "vs": "dense"}, "These two tie"),
    ],
    ids=("same", "none", "tie"),
)
def test_bad_input_is_a_message(link: dict[str, str], message: str) -> None:
    """A pair that cannot be tested gives one message; the frozen cases stay."""
    app = opened(**{**SMALL, **link})
    (error,) = app.error
    assert message in error.value
    assert shown(app).count("data-case=") == 12


def test_an_unstable_case_offers_a_stable_rate() -> None:
    """The button sets the largest stable stop, and the reader's own case is there."""
    app = opened(**SMALL, rate="3.0", mu="0.2")
    assert not app.error
    assert any("largest stable stop is 2" in warning.value for warning in app.warning)
    app.button(key="stable-rate").click().run()
    assert app.session_state["rate"] == 2.0
    assert not app.warning
    assert not app.error


def test_simulating_agrees_with_the_formula() -> None:
    """The pair's simulated gap is the difference of the damages within its interval, doubled."""
    scenario = Scenario(horizon=8, bands=2, mechanisms=("dense", "iid"))
    study = evaluate(scenario, [0.5])
    exact = float(study.damage[1, 0] - study.damage[0, 0])
    seen: list[tuple[int, float]] = []
    gap = simulate_pair(
        scenario, "dense", "iid", 0.5, progress=lambda runs, share: seen.append((runs, share))
    )
    assert abs(gap.gap - exact) < 2 * gap.half_width
    assert gap.verdict == "confirmed"
    assert seen[-1] == (gap.runs, pytest.approx(gap.half_width / gap.gap))
    swapped = simulate_pair(scenario, "iid", "dense", 0.5)
    assert swapped.verdict == "contradicted"
    with pytest.raises(InputError, match="two different"):
        simulate_pair(scenario, "iid", "iid", 0.5)
    with pytest.raises(InputError, match="horizon"):
        simulate_pair(Scenario(horizon=1024), "iid", "dense", 0.5)


def test_progress_is_told(monkeypatch) -> None:
    """Before each case its share is told; the own case's share follows its half-width."""
    told: list[tuple[float, str]] = []

    few = partial(validate_registry, most_runs=2)
    monkeypatch.setattr(simulations, "validate_registry", few)
    simulations.simulate_registry("primary", 0, lambda share, text: told.append((share, text)))
    assert told == [(n / 12, f"case {n + 1} of 12") for n in range(12)]
    told.clear()
    simulations.simulate_own(
        Scenario(horizon=8, bands=2), "dense", "iid", 0.5, 0, lambda *both: told.append(both)
    )
    assert told[-1][0] == 1.0
