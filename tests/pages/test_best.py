"""The best possible on Explore: what is drawn and said of it, as it fills in and at the end."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import Scenario, Study, evaluate, optimal_curve, optimal_curve_stages
from pages.figures import damage, parts
from pages.figures.style import BEST_MARK
from pages.views.best import UNKNOWN, Best, best_of, question_of, times_best
from pages.views.explore import point_view
from pages.views.look import Look
from pages.views.sweep import sweep_view
from pages.views.swept import SWEPT
from tests.pages.driver import SMALL, STUDY, chart, link_of, opened, run, shown

VALUES = SWEPT["heavy_ball"].values
RATE = 2.5  # heavy ball is stable from μ = 0.25 on


@pytest.fixture(scope="module")
def study() -> Study:
    """A study that is unstable below μ = 0.25."""
    return evaluate(Scenario(**STUDY, learning_rate=RATE), VALUES)


@pytest.fixture(scope="module")
def best(study: Study) -> Best:
    """All that is possible in this study."""
    return best_of(study, optimal_curve(*question_of(study)))


def test_the_best_is_the_engines_at_every_stable_value(study: Study, best: Best) -> None:
    """Designs and bounds stand at their values; where training is unstable there is nothing."""
    scenario, values = question_of(study)
    assert values[0] == pytest.approx(0.26)
    curve = optimal_curve(scenario, values)
    assert best.damage[26:] == pytest.approx(curve.damage)
    assert best.bound[26:] == pytest.approx(curve.bound)
    assert np.isnan(best.damage[:26]).all()
    assert np.isnan(best.bound[:26]).all()
    assert best.finished


def test_no_mechanism_is_below_the_bound(study: Study, best: Best) -> None:
    """Every damage of the study is at least the certified bound."""
    assert (study.damage[:, 26:] >= best.bound[26:] * (1 - 1e-9)).all()


def test_it_fills_in_from_the_left(study: Study) -> None:
    """A part of the curve stands on the first stable values; the rest is not known yet."""
    stages = optimal_curve_stages(*question_of(study))
    for _ in range(3):
        curve = next(stages)
    part = best_of(study, curve)
    assert np.flatnonzero(np.isfinite(part.bound)).tolist() == [26, 27, 28]
    assert part.done == pytest.approx(3 / 74)
    assert not part.finished
    assert times_best(study, part, 0, 50) == UNKNOWN
    assert times_best(study, part, 0, 10) == "–"
    assert best_of(study, None).done == 0


def test_the_column_measures_by_the_bound(study: Study, best: Best) -> None:
    """The column is damage over bound; "at most" where design and bound differ."""
    row, at = 3, study.at(0.9)
    exact = study.damage[row, at] / best.bound[at]
    assert times_best(study, best, row, at) == f"{exact:.2f}"
    loose = Best(damage=best.damage * 1.1, bound=best.bound, done=1.0)
    assert times_best(study, loose, row, at) == f"at most {exact:.2f}"
    rows = point_view(study, 0.9, best).rows
    assert [line.best for line in rows] == sorted(
        (line.best for line in rows if line.best), key=float
    )
    assert all(line.best is None for line in point_view(study, 0.9).rows)


def test_a_drag_shows_the_column_too(study: Study, best: Best) -> None:
    """The texts for the browser have a fourth cell, that of the table, only with the best."""
    live = Look(whole=study, best=best).live("momentum")
    for at in (0, 30, 90):
        rows = point_view(study, float(VALUES[at]), best).rows
        cells = [(r.key, r.damage, r.rank, r.times, r.best) for r in rows]
        assert live["points"][at]["rows"] == cells
    assert len(Look(whole=study).live("momentum")["points"][90]["rows"][0]) == 4


def test_what_is_hidden_is_not_given_away(study: Study, best: Best) -> None:
    """While the reader is to guess, neither the curve nor the column is shown."""
    look = Look(whole=study, edge=0.5, best=best)
    assert look.sweep("momentum").best is None
    assert all(row.best is None for row in look.point(0.4).rows)
    assert Look(whole=study, best=best).sweep("momentum").best is not None


def test_the_chart_has_the_curve_and_the_bound(study: Study, best: Best) -> None:
    """A thin line for the bound, a curve with its own mark and label for what is reached."""
    figure = damage.damage_figure(sweep_view(study, "momentum", best))
    bound, curve = (trace for trace in figure.data if trace.line.color == BEST_MARK.color)
    assert (bound.line.width, curve.name) == (1, "Best possible")
    np.testing.assert_array_equal(curve.y, best.damage)
    np.testing.assert_array_equal(bound.y, best.bound)
    assert any("Best possible" in str(note.text) for note in figure.layout.annotations)
    assert "NaN" not in parts.to_json(figure)
    plain = damage.damage_figure(sweep_view(study, "momentum"))
    assert len(figure.data) == len(plain.data) + 2
    low = figure.layout.yaxis.range[0]
    assert low <= np.log10(np.nanmin(best.bound))


def test_an_overflow_is_left_out() -> None:
    """A value whose numbers overflow has no design, and nothing is drawn there."""
    study = evaluate(Scenario(**STUDY), VALUES)
    curve = optimal_curve(*question_of(study))
    broken = curve.damage.copy()
    broken[5] = np.inf
    from dataclasses import replace

    best = best_of(study, replace(curve, damage=broken))
    assert np.isnan(best.damage[5])
    assert np.isnan(best.bound[5])
    assert times_best(study, best, 0, 5) == "–"


def test_no_damage_is_the_best_possible() -> None:
    """At rate 0 everything is 0 and at its best; a logarithmic axis draws none of it."""
    study = evaluate(Scenario(**STUDY, learning_rate=0.0), VALUES)
    best = best_of(study, optimal_curve(*question_of(study)))
    assert times_best(study, best, 0, 50) == "1.00"
    assert "NaN" not in parts.to_json(damage.damage_figure(sweep_view(study, "momentum", best)))


def filled(app: AppTest) -> AppTest:
    """Run the page until all designs are there."""
    for _ in range(120):
        if chart(app, "damage")["figure"]:
            return app
        time.sleep(0.5)
        run(app)
    pytest.fail("the best possible was never finished")


def live_rows(app: AppTest) -> list[Any]:
    """Return the texts that a drag shows at the last value."""
    found = [json.loads(part.proto.json)[0] for part in app.get("bidi_component")]
    (live,) = [data["live"] for data in found if "live" in data]
    return list(json.loads(live)["points"][-1]["rows"])


def test_the_page_shows_it_when_asked() -> None:
    """Off at first; the switch in the link brings curve, column and live texts."""
    app = opened(**SMALL)
    assert "× best possible" not in shown(app)
    assert "best" not in link_of(app)
    app.toggle(key="best").set_value(True)
    app = filled(run(app))
    assert link_of(app)["best"] == "yes"
    study = evaluate(Scenario(**STUDY), VALUES)
    best = best_of(study, optimal_curve(*question_of(study)))
    assert "Best possible" in str(chart(app, "damage")["figure"])
    assert "× best possible" in shown(app)
    for line in point_view(study, 0.9, best).rows:
        assert line.best is not None
        assert f"<td>{line.best}</td>" in shown(app)
    assert len(live_rows(app)[0]) == 5
    # Other mechanisms on show need no new designs.
    app.multiselect(key="mech").set_value(["iid", "bisr"])
    run(app)
    assert "Best possible" in str(chart(app, "damage")["figure"])


def test_nothing_is_designed_where_all_is_unstable() -> None:
    """Without a stable value the switch changes nothing, and nothing is computed."""
    app = opened(rate="3.0", T="2", schedule="custom", chi="2,2", best="yes")
    assert chart(app, "damage")["figure"]
    assert "× best possible" not in shown(app)
    assert not app.error
