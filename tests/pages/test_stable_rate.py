"""Where training is unstable, every page says which rate is stable and offers to set it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import OPTIMIZERS, Scenario, Schedule, evaluate
from pages.ui.url_state import PARAMETERS
from pages.views.stable_rate import stable_offer
from tests.pages.driver import APP, SMALL, run

RATES = PARAMETERS["rate"].options
PAGES = ("explore", "why", "mechanisms")


@pytest.mark.parametrize("key", OPTIMIZERS)
@pytest.mark.parametrize("schedule", ["constant", "warmup_constant"])
def test_the_offer_is_the_largest_stable_stop(key: str, schedule: str) -> None:
    """Tried one by one, no larger stop is stable; without an offer the setting itself is."""
    scenario = Scenario(
        horizon=16, mechanisms=("iid",), optimizer=OPTIMIZERS[key](),
        schedule=Schedule(family=schedule), learning_rate=3.0,
    )  # fmt: skip
    for value in (0.2, 0.9):
        stable = [
            rate
            for rate in RATES
            if evaluate(replace(scenario, learning_rate=rate), [value]).stable.all()
        ]
        found = stable_offer(scenario, value, RATES)
        if 3.0 in stable:
            assert found is None
        else:
            assert found is not None
            assert found.rate == max(stable, default=None)
            assert np.isfinite(float(found.text.split("ηλmax of ")[1].split(":")[0].split(",")[0]))


def test_where_no_stop_is_stable_nothing_is_offered() -> None:
    """The text says so; there is no rate to set."""
    found = stable_offer(Scenario(learning_rate=3.0), 0.0, (2.0, 3.0))
    assert found is not None
    assert found.rate is None
    assert "no stop of the slider" in found.text


def opened(page: str, **link: str) -> AppTest:
    """Open a page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    if page != "explore":
        app.switch_page(f"pages/{page}.py")
    for name, text in {**SMALL, **link}.items():
        app.query_params[name] = text
    return run(app)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(
    "link", [{"opt": "filter"}, {"opt": "inner_outer"}, {"rate": "3.0", "mu": "0.2"}],
    ids=lambda link: link.get("opt", "heavy_ball"),
)  # fmt: skip
def test_one_click_makes_training_stable(page: str, link: dict[str, str]) -> None:
    """The page names the limit and the stop; the button sets it, and the warning is gone."""
    app = opened(page, **link)
    (warning,) = app.warning
    assert "training is stable only below a peak rate" in warning.value
    button = app.button(key="stable-rate")
    rate = float(button.label.rsplit(" ", 1)[1])
    assert rate in RATES
    button.click()
    run(app)
    assert app.select_slider(key="rate").value == rate
    assert not app.warning
    assert not [button for button in app.button if button.key == "stable-rate"]


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_offered_where_training_is_stable(page: str) -> None:
    """The default setting has no warning and no button."""
    app = opened(page)
    assert not app.warning
    assert not [button for button in app.button if button.key == "stable-rate"]


def test_a_hidden_value_gives_no_offer() -> None:
    """Beyond the edge of a prediction nothing says whether training is stable."""
    hidden = {"predict": "hidden", "edge": "0.1", "rate": "3.0"}
    app = opened("explore", **hidden, mu="0.2")
    assert not [button for button in app.button if button.key == "stable-rate"]
    app = opened("explore", **hidden, mu="0.05")
    assert [button for button in app.button if button.key == "stable-rate"]
