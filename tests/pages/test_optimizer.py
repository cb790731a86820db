"""Any optimizer on the pages: its slider, its parameters, and what the pages say of it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from momentdp_core import OPTIMIZERS, Scenario, evaluate, growth_over_schedule
from momentdp_core.optimizers import (
    CustomFilter,
    Disk,
    DpPmlf,
    ExponentialMomentum,
    InnerOuter,
    LowPass,
    PerSampleMomentum,
    TailAveraging,
    WeightAveraging,
    WeightDecay,
)
from pages.ui import help_texts, url_state
from pages.views import words
from pages.views.explore import point_view
from pages.views.export import study_csv
from pages.views.sweep import AXES, axis_of, sweep_view
from pages.views.swept import SWEPT, swept_of
from tests.pages.driver import SMALL, STUDY, link_of, opened, run, says, shown

# A link for each optimizer with parameters off their defaults, and the record it stands for.
LINKS: tuple[tuple[dict[str, str], float, Any], ...] = (
    ({"opt": "nesterov", "mu": "0.4"}, 0.4, OPTIMIZERS["nesterov"]()),
    ({"opt": "ema", "beta": "0.8", "corr": "yes"}, 0.8, ExponentialMomentum(bias_correction=True)),
    ({"opt": "weight_decay", "mu": "0.3", "wd": "0.1"}, 0.3, WeightDecay(decay=0.1)),
    ({"opt": "tail_average", "tail": "0.5"}, 0.9, TailAveraging(fraction=0.5)),
    ({"opt": "weight_average", "alpha": "0.7", "mu": "0.5"}, 0.7, WeightAveraging(momentum=0.5)),
    ({"opt": "lp_dpsgd", "cutoff": "0.3", "norm": "no"}, 0.3, LowPass(normalise=False)),
    (
        {"opt": "lp_dpsgd", "design": "butterworth", "order": "3"},
        0.1,
        LowPass(design="butterworth", order=3),
    ),
    ({"opt": "filter", "fa": "-0.5", "fb": "0.3,0.2"}, 0.9, CustomFilter(a=(-0.5,), b=(0.3, 0.2))),
    ({"opt": "per_sample_momentum", "beta": "0.5", "k": "2"}, 0.5, PerSampleMomentum(steps=2)),
    ({"opt": "dp_pmlf", "beta": "0.5", "k": "8"}, 0.1, DpPmlf(beta=0.5, steps=8)),
    ({"opt": "inner_outer", "beta": "0.5", "mu": "0.2"}, 0.2, InnerOuter(beta=0.5)),
    ({"opt": "disk", "gain": "0.25"}, 0.25, Disk()),
)  # fmt: skip


def _ids(link: object) -> str | None:
    return "-".join(link.values()) if isinstance(link, dict) else ""


@pytest.mark.parametrize(("link", "value", "optimizer"), LINKS, ids=_ids)
def test_a_link_opens_any_optimizer(link: dict[str, str], value: float, optimizer: Any) -> None:
    """The page says what the engine finds for that optimizer, and the link stays as it was."""
    app = opened(**SMALL, **link, rate="0.4")
    assert says(app, Scenario(**STUDY, learning_rate=0.4, optimizer=optimizer), value)
    expected = {**SMALL, **link, "rate": "0.4", "v": "1"}
    assert link_of(app) == expected
    assert not [warning for warning in app.warning if "Ignored" in warning.value]


@pytest.mark.parametrize("key", list(OPTIMIZERS))
def test_both_pages_are_readable_for_every_optimizer(key: str) -> None:
    """Each has a slider, a sentence that names what is swept, and charts on both pages."""
    for page in ("", "pages/why.py"):
        app = opened(**SMALL, opt=key, rate="0.2")
        if page:
            app.switch_page(page)
            run(app)
        assert not app.error
        assert f"With {SWEPT[key].name} " in shown(app)


@pytest.mark.parametrize("key", list(OPTIMIZERS))
def test_the_slider_covers_what_the_engine_takes(key: str) -> None:
    """Every stop of the slider is a value of the optimizer, and the link snaps onto stops."""
    optimizer = OPTIMIZERS[key]()
    swept = swept_of(optimizer)
    assert swept.key == optimizer.parameter
    np.testing.assert_array_equal(optimizer.check(swept.values), swept.values)
    parameter = url_state.PARAMETERS[url_state.SWEPT_LINKS[swept.key]]
    assert (parameter.low, parameter.high) == (swept.low, swept.high)
    snapped = [url_state.snap(parameter.name, float(x) + 0.004) for x in swept.values]
    assert set(snapped) <= set(swept.values.tolist())


@pytest.mark.parametrize("key", list(OPTIMIZERS))
def test_every_parameter_has_a_control(key: str) -> None:
    """No fixed parameter of the engine is missing on the page, and each has a help text."""
    names = url_state.OPTIMIZER_PARAMETERS[key]
    assert set(names) == {field.name for field in fields(OPTIMIZERS[key])}  # type: ignore[arg-type]
    assert key in help_texts.EQUATIONS
    assert set(names.values()) <= set(help_texts.OPTIMIZER_LABELS)


def test_choosing_an_optimizer_keeps_the_rest() -> None:
    """What the other optimizer had comes back with it; its parameters leave the link meanwhile."""
    app = opened(**SMALL, mu="0.35")
    app.selectbox(key="opt").set_value("lp_dpsgd")
    run(app)
    run(app)
    assert "mu" not in link_of(app)
    assert link_of(app)["opt"] == "lp_dpsgd"
    app.slider(key="cutoff").set_value(0.2)
    run(app)
    app.selectbox(key="opt").set_value("heavy_ball")
    run(app)
    run(app)
    assert app.slider(key="mu").value == 0.35
    assert "opt" not in link_of(app)
    assert says(app, Scenario(**STUDY), 0.35)


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ({"opt": "filter", "fa": "-0.5", "fb": "1"}, "gain −Σa + Σb of the filter = 1.5"),
        ({"opt": "filter", "fa": "-1.5", "fb": "-0.5"}, "poles inside the unit circle"),
        ({"opt": "filter", "fa": "x", "fb": "1"}, "entry 1 of filter coefficients a"),
        ({"opt": "filter", "fb": " "}, "filter coefficients b"),
        ({"opt": "dp_pmlf", "k": "32"}, "at most the horizon"),
    ],
    ids=["gain", "pole", "text", "empty", "window"],
)
def test_bad_coefficients_say_what_to_change(link: dict[str, str], message: str) -> None:
    """A filter that cannot be used is one message, on both pages, and the controls stay."""
    app = opened(**SMALL, **link)
    assert [message in error.value for error in app.error] == [True]
    app.switch_page("pages/why.py")
    run(app)
    assert [message in error.value for error in app.error] == [True]
    assert app.selectbox(key="opt").value == link["opt"]


def test_an_axis_that_counts_no_steps_has_one_scale() -> None:
    """1/(1−x) is offered for momentum and not for a cut-off, whatever the link asks for."""
    cutoff = SWEPT["lp_dpsgd"]
    assert axis_of(cutoff, "steps") == axis_of(cutoff, "momentum")
    assert [axis_of(SWEPT["ema"], key).log for key in AXES] == [False, True]
    app = opened(**SMALL, opt="lp_dpsgd", axis="steps")
    assert not app.get("button_group")
    assert len(opened(**SMALL).get("button_group")) == 1


@pytest.mark.parametrize("key", ["heavy_ball", "weight_decay", "lp_dpsgd", "disk"])
def test_stability_is_told_for_the_swept_parameter(key: str) -> None:
    """At a rate that is unstable somewhere the sentence says where it is stable."""
    optimizer = OPTIMIZERS[key]()
    scenario = Scenario(**STUDY, learning_rate=3.0, optimizer=optimizer)
    study = evaluate(scenario, swept_of(optimizer).values)
    unstable = [x for x, keys in zip(study.values, study.winners, strict=True) if not keys]
    said = point_view(study, float(unstable[0])).sentence
    stable = [x for x, keys in zip(study.values, study.winners, strict=True) if keys]
    if not stable:
        assert f"No {SWEPT[key].name} makes it stable" in said
    else:
        side = "above" if min(stable) > min(unstable) else "below"
        assert f"It is stable {side} {SWEPT[key].symbol} = " in said
    assert "unstable" in sweep_view(study, "momentum").damage_alt


def test_the_csv_names_what_is_swept() -> None:
    """The first column of the download is the optimizer's own parameter."""
    study = evaluate(Scenario(**STUDY, optimizer=LowPass()), [0.1, 0.2])
    assert study_csv(study).startswith("cutoff,mechanism,damage")


def test_optimizers_without_parameters_are_not_one() -> None:
    """A study is cached by all of its scenario: heavy ball's is not taken for DiSK's."""
    sentences = []
    for key in ("heavy_ball", "nesterov", "disk"):
        app = opened(**SMALL, opt=key)
        sentences.append(shown(app))
    assert len(set(sentences)) == 3
    assert "With gain " in sentences[2]


def test_the_page_tells_limit_and_growth() -> None:
    """The note below the table has the engine's limit and the growth over the schedule."""
    scenario = Scenario(**STUDY, learning_rate=3.0)
    study = evaluate(scenario, [0.0, 0.9])
    for at, value in enumerate((0.0, 0.9)):
        note = point_view(study, value).stability
        growth = growth_over_schedule(scenario, [value])[0]
        assert f"limit {words.number(study.stability_limit[at])}" in note
        assert f"{words.number(growth)} times its size" in note
    assert "training is unstable" in point_view(study, 0.0).stability
    gentle = evaluate(Scenario(**STUDY, learning_rate=0.1), [0.0])
    assert "never grows" in point_view(gentle, 0.0).stability
    assert point_view(gentle, 0.0).stability in shown(opened(**SMALL, rate="0.1", mu="0.0"))
