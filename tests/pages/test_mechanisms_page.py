"""The page “Mechanisms” as a reader uses it, without a browser: facts, heat maps and link."""

from __future__ import annotations

import base64
import json
import re
from html import escape
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import FAMILIES, MECHANISMS, Scenario, evaluate
from pages.figures.mechanisms import color_stops, size_at
from pages.ui import mechanism_texts
from pages.views import words
from pages.views.mechanisms import coarse, matrices_view
from pages.views.swept import swept_of
from tests.pages.driver import APP, SMALL, STUDY, chart, link_of, run, shown

PAGE = "pages/mechanisms.py"
PICTURES = {"strategy": "strategy_matrix", "noising": "noising_matrix", "covariance": "covariance"}


def opened(**link: str) -> AppTest:
    """Open the page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page(PAGE)
    for name, text in {**SMALL, **link}.items():
        app.query_params[name] = text
    return run(app)


def heat(app: AppTest, name: str) -> dict[str, Any]:
    """Return the one trace of a heat map."""
    (trace,) = json.loads(str(chart(app, f"matrix-{name}")["figure"]))["data"]
    return dict(trace)


def cells(trace: dict[str, Any]) -> np.ndarray:
    """Return the numbers of a heat map."""
    z = trace["z"]
    values = np.frombuffer(base64.b64decode(z["bdata"]), dtype=z["dtype"])
    return values.reshape([int(size) for size in z["shape"].split(",")])


@pytest.mark.parametrize("key", list(MECHANISMS))
def test_each_mechanism_is_explained_and_drawn(key: str) -> None:
    """Its explanation has two or three sentences; the heat maps hold C, C⁻¹ and K."""
    app = opened(about=key)
    assert not app.error
    assert not app.warning
    assert 2 <= len(re.findall(r"\.(?: |$)", mechanism_texts.ABOUT[key])) <= 4
    assert escape(mechanism_texts.ABOUT[key]) in shown(app)
    mechanism = Scenario(**STUDY).design(key)
    for name, attribute in PICTURES.items():
        found = getattr(mechanism, attribute)
        matrix = found() if callable(found) else found
        assert np.allclose(cells(heat(app, name)), matrix, rtol=1e-6, atol=1e-9)
    assert f'data-mechanism="{key}"' in shown(app)


def test_all_mechanisms_have_an_explanation_and_no_other() -> None:
    """The texts name those of the registry and the reader's own."""
    assert set(mechanism_texts.ABOUT) == set(FAMILIES)


def test_the_facts_are_those_of_the_engine() -> None:
    """Errors, damage, memory, solver and certificate of the table come from the engine."""
    app = opened(about="banded_mean", mech="iid,dense", mu="0.5")
    scenario = Scenario(**STUDY, mechanisms=("iid", "dense", "banded_mean"))
    study = evaluate(scenario, swept_of(scenario.optimizer).values)
    for row, key in enumerate(study.mechanisms):
        (line,) = re.findall(rf'<tr data-mechanism="{key}">(.*?)</tr>', shown(app))
        mechanism = scenario.design(key)
        facts = re.findall(r"<td>(.*?)</td>", line)
        assert facts[:4] == [
            words.number(study.damage[row, study.at(0.5)]),
            words.number(mechanism.mean_squared_error),
            words.number(mechanism.max_squared_error),
            "1 (exact)",
        ]
        assert facts[4] == {"iid": "0", "dense": "15", "banded_mean": "3"}[key]
        closed = key == "iid"
        assert ("closed form" in facts[5]) == closed
        assert ("gap" in facts[6]) == (not closed)
    assert "duality gap" in shown(app)
    assert "proven gap for its bands" in shown(app)


def test_repeated_participation_raises_the_errors() -> None:
    """Sensitivity and the errors at calibrated noise follow how often an example takes part."""
    app = opened(about="iid", mech="iid", parts="4", apart="2")
    (line,) = re.findall(r'<tr data-mechanism="iid">(.*?)</tr>', shown(app))
    facts = re.findall(r"<td>(.*?)</td>", line)
    mean = Scenario(**STUDY).design("iid").mean_squared_error
    assert facts[1] == words.number(4 * mean)
    assert facts[3] == "2 (exact)"


def test_the_three_share_one_scale_around_zero() -> None:
    """The same colour is the same value on all three, and zero is the middle."""
    app = opened()
    traces = [heat(app, name) for name in PICTURES]
    ends = {(trace["zmin"], trace["zmax"]) for trace in traces}
    assert len(ends) == 1
    ((low, high),) = ends
    assert low == -high
    assert high == pytest.approx(max(np.abs(cells(trace)).max() for trace in traces))
    assert len({str(trace["colorscale"]) for trace in traces}) == 1
    assert 'class="md-scale"' in shown(app)


def test_the_scale_rises_to_its_ends() -> None:
    """Places go from 0 to 1, nothing is drawn at zero and full colour at the ends."""
    stops = color_stops(7.0)
    places = [place for place, _ in stops]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (0.0, 1.0)
    alphas = [float(color[:-1].split(",")[3]) for _, color in stops]
    assert alphas[len(alphas) // 2] == 0.0
    assert alphas == alphas[::-1]
    assert alphas[0] == 1.0
    assert size_at(1.0, 7.0) == pytest.approx(7.0)


def test_a_long_run_is_thinned_and_says_so() -> None:
    """Above 128 steps a cell stands for a block and shows its largest entry."""
    app = opened(about="toeplitz_mean", T="512", mech="toeplitz_mean")
    matrix = Scenario(horizon=512, bands=4).design("toeplitz_mean").noising_matrix()
    drawn = cells(heat(app, "noising"))
    assert drawn.shape == (128, 128)
    for row, column in ((0, 0), (5, 5), (5, 4), (127, 3), (3, 127)):
        part = matrix[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
        assert abs(drawn[row, column]) == pytest.approx(np.abs(part).max(), rel=1e-6)
    assert any("4 × 4 entries" in block.value for block in app.caption)


def test_numbers_beyond_all_range_are_left_out() -> None:
    """An infinite entry becomes a gap, alone or in a block."""
    matrix = np.array([[np.inf, 1.0], [2.0, -np.inf]])
    assert np.isnan(coarse(matrix, 1)).tolist() == [[True, False], [False, True]]
    assert coarse(matrix, 2).tolist() == [[2.0]]
    assert np.isnan(coarse(np.full((2, 2), np.inf), 2)).all()


def test_the_choice_is_in_the_link_and_stays() -> None:
    """The mechanism is written into the address and survives a visit to another page."""
    app = opened()
    assert "about" not in link_of(app)
    app.selectbox(key="about").select("sqrt")
    run(app)
    assert link_of(app)["about"] == "sqrt"
    app.switch_page("pages/explore.py")
    run(app)
    app.switch_page(PAGE)
    run(app)
    assert app.selectbox(key="about").value == "sqrt"
    assert app.selectbox(key="about").help


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ({"rate": "3.0", "mu": "0.2"}, "training is unstable"),
        ({"T": "1"}, "does the least damage"),
        ({"mech": "iid", "about": "iid"}, "does the least damage"),
        ({"spectrum": "custom", "lam": "1, 0, 0"}, "times the damage of the best"),
    ],
    ids=("unstable", "one step", "alone", "flat"),
)
def test_odd_settings_are_readable(link: dict[str, str], said: str) -> None:
    """Unstable, short, alone or flat: the page says so and draws the matrices."""
    app = opened(**link)
    assert not app.error
    assert said in shown(app)
    assert "nan" not in shown(app).lower()
    for name in PICTURES:
        assert heat(app, name)["zmax"] > 0


def test_bad_input_is_a_message() -> None:
    """What cannot be used gives one message; the explanation stays."""
    app = opened(mech="none")
    (error,) = app.error
    assert "Choose a mechanism" in error.value
    assert escape(mechanism_texts.ABOUT["dense"]) in shown(app)


def test_the_view_names_what_it_draws() -> None:
    """Each heat map has a text for who cannot see it, and a small horizon no remark."""
    view = matrices_view(Scenario(horizon=8, mechanisms=("iid",)), "iid")
    assert view.note == ""
    assert [matrix.alt.split(",")[0] for matrix in view.matrices] == [
        "Heat map of C", "Heat map of C⁻¹", "Heat map of K"
    ]  # fmt: skip
