"""The page “Design” as a reader uses it, without a browser: controls, link, file and faults."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import Scenario, load_design
from pages.ui.design_take import design_bytes
from pages.views import design as views
from pages.views.design_texts import design_view
from tests.pages.driver import APP, SMALL, STUDY, chart, link_of, run, shown

PAGE = "pages/design.py"
KNOWN = {"low": 0.9, "high": 0.9, "condition_factor": 1.0, "lowest_rate": 1.0}
PLAIN = {"banded": False, "worst_case": False, "relative": True}


def opened(**link: str) -> AppTest:
    """Open the page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=120)
    app.switch_page(PAGE)
    for name, text in link.items():
        app.query_params[name] = text
    return run(app)


def answer(**asked: object) -> views.Contest:
    """Return what the engine finds for a question about the small study."""
    scenario = Scenario(**STUDY)
    question = views.question_of(scenario, **{**KNOWN, **PLAIN, **asked})  # type: ignore[arg-type]
    return views.contest(question, scenario, views.design_of(question))


def says(app: AppTest, found: views.Contest) -> bool:
    """Say whether the page shows this contest."""
    view = design_view(found)
    cells = [cell for line in view.lines for cell in (line.mean, line.worst, line.beats)]
    texts = [view.sentence, *(r.value for r in view.readouts), *cells]
    return all(text in shown(app) for text in texts)


def test_the_page_designs_for_the_slider_at_first() -> None:
    """A full design for the sidebar's setting, its noise, and the price of bands."""
    app = opened(**SMALL)
    assert says(app, answer())
    assert not app.warning
    for key in ("sweep", "matrices", "sample", "spectrum", "price"):
        assert chart(app, f"design-{key}")["alt"]
    assert "dval" not in link_of(app)
    snippets = " ".join(block.value for block in app.code)
    assert "class NoiseStream" in snippets
    assert "matrix_factorization_privatizer" in snippets


def test_a_link_opens_everything() -> None:
    """Range, factor, rate, form and aim come from the link and stay in it."""
    link = {"dval": "range", "dlo": "0.5", "dhi": "0.8", "dk": "3", "dr": "0.5",
            "dform": "banded", "aim": "worst", "rel": "no"}  # fmt: skip
    app = opened(**link, **SMALL)
    found = answer(
        low=0.5, high=0.8, condition_factor=3.0, lowest_rate=0.5, banded=True, worst_case=True,
        relative=False,
    )  # fmt: skip
    assert says(app, found)
    assert chart(app, "design-conditions")["alt"]
    assert {name: link_of(app)[name] for name in link} == link
    assert not app.warning


def test_controls_change_the_question() -> None:
    """A range that is chosen on the page is designed for, and goes into the link."""
    app = opened(**SMALL)
    app.selectbox(key="dr").set_value("0.25")
    run(app)
    assert says(app, answer(lowest_rate=0.25))
    assert link_of(app)["dr"] == "0.25"
    app.selectbox(key="dform").set_value("banded")
    run(app)
    assert says(app, answer(lowest_rate=0.25, banded=True))


def test_the_file_holds_the_design() -> None:
    """What the page hands out loads, and is the design on screen."""
    found = answer(lowest_rate=0.25)
    loaded = load_design(design_bytes(found))
    assert loaded.damage.tolist() == found.design.damage.tolist()
    assert loaded.conditions == found.design.conditions


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"dval": "range", "dlo": "0.9", "dhi": "0.5"}, "lowest momentum = 0.9"),
        ({"dval": "range", "dhi": "1"}, "momentum = 1.0"),
        ({"dk": "10", "spectrum": "isotropic"}, "1 for the spectrum isotropic"),
        ({"mech": "none"}, "Choose a mechanism"),
    ],
    ids=["order", "end", "isotropic", "none"],
)
def test_bad_input_is_a_message(link: dict[str, str], message: str) -> None:
    """What cannot be designed for is said, with its remedy, and nothing else is drawn."""
    app = opened(**link, **SMALL)
    assert [message in error.value for error in app.error] == [True]


def test_an_unstable_setting_offers_a_stable_rate() -> None:
    """Where training is unstable, a button sets the largest stable stop of the peak rate."""
    app = opened(**SMALL, rate="3.0", mu="0")
    assert not app.error
    app.button(key="stable-rate").click().run()
    assert app.session_state["rate"] == 1.5
    assert not app.error
    assert "Certificate" in shown(app)


@pytest.mark.parametrize(
    "link",
    [{"T": "1"}, {"opt": "disk"}, {"opt": "tail_average", "dval": "range"}, {"spectrum": "spike"}],
    ids=lambda link: "-".join(link.values()),
)
def test_odd_settings_are_designed_for(link: dict[str, str]) -> None:
    """One step, other optimizers and other spectra have a design."""
    app = opened(**{**SMALL, **link})
    assert not app.error
    assert "Certificate" in shown(app)
