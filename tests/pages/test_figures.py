"""The figures: the fixed looks, the values on them, and labels that do not overlap."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momentdp_core import FAMILIES, MECHANISMS, Scenario, Study, evaluate
from pages.figures import parts
from pages.figures.damage import damage_figure
from pages.figures.ranks import rank_figure
from pages.figures.style import DARK_BACKGROUND, LIGHT_BACKGROUND, MARKS, NEUTRAL, TEMPLATES
from pages.views.sweep import SweepView, sweep_view
from pages.views.swept import SWEPT

MOMENTA = SWEPT["heavy_ball"].values


@pytest.fixture(scope="module")
def study() -> Study:
    return evaluate(Scenario(horizon=16, bands=4), MOMENTA)


@pytest.fixture(scope="module")
def view(study: Study) -> SweepView:
    return sweep_view(study, "momentum")


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def curves(figure: Any) -> Iterator[Any]:
    return (trace for trace in figure.data if trace.yaxis != "y2")


def test_every_mechanism_has_its_own_look() -> None:
    """No two mechanisms share a symbol, a glyph, or colour and dash together."""
    assert set(MARKS) == set(FAMILIES)
    for what in (
        [mark.symbol for mark in MARKS.values()],
        [mark.glyph for mark in MARKS.values()],
        [mark.color for mark in MARKS.values()],
        [(mark.color, mark.dash) for mark in MARKS.values()],
    ):
        assert len(set(what)) == len(what)


@pytest.mark.parametrize("background", [LIGHT_BACKGROUND, DARK_BACKGROUND])
def test_every_colour_is_readable(background: str) -> None:
    """Each line has a contrast of at least 3 : 1 on either background."""
    colors = [*(mark.color for mark in MARKS.values()), NEUTRAL]
    assert min(contrast(color, background) for color in colors) >= 3


def test_template_backgrounds_are_the_themes() -> None:
    """The templates draw on the very backgrounds that the colours were chosen for."""
    assert TEMPLATES["light"]["layout"]["paper_bgcolor"] == LIGHT_BACKGROUND
    assert TEMPLATES["dark"]["layout"]["paper_bgcolor"] == DARK_BACKGROUND


def test_damage_figure_holds_the_studys_values(study: Study, view: SweepView) -> None:
    """Each curve is its mechanism's damage, in its own colour, NoiseCurve on top."""
    drawn = list(curves(damage_figure(view)))
    assert len(drawn) == len(study.mechanisms)
    for trace in drawn:
        (key,) = [k for k in study.mechanisms if MECHANISMS[k].label == trace.name]
        np.testing.assert_array_equal(trace.y, study.damage[study.mechanisms.index(key)])
        assert trace.line.color == MARKS[key].color
    assert drawn[-1].name == MECHANISMS["noisecurve"].label


def test_rank_figure_holds_the_studys_ranks(study: Study, view: SweepView) -> None:
    """Each line of the bump chart is its mechanism's rank, 1 on top."""
    figure = rank_figure(view)
    for trace in figure.data:
        (key,) = [k for k in study.mechanisms if MECHANISMS[k].label == trace.name]
        np.testing.assert_array_equal(trace.y, study.rank[study.mechanisms.index(key)])
    low, high = figure.layout.yaxis.range
    assert low > high


def test_strip_shows_the_winner_of_each_region(study: Study, view: SweepView) -> None:
    """The strip covers every region from end to end in its winner's colour."""
    strip = [trace for trace in damage_figure(view).data if trace.yaxis == "y2"]
    assert len(strip) == len(study.regions)
    for trace, region in zip(strip, study.regions, strict=True):
        assert min(trace.x) == region.start
        assert max(trace.x) == region.stop
        assert trace.fillcolor == MARKS[region.winners[0]].color


@pytest.mark.parametrize("figure", [damage_figure, rank_figure], ids=["damage", "rank"])
@pytest.mark.parametrize("axis", ["momentum", "steps"])
@pytest.mark.parametrize("rate", [0.8, 3.0])
def test_json_has_no_infinity(figure: Any, axis: str, rate: float) -> None:
    """What the browser gets is strict JSON, and its arrays hold no infinity."""
    study = evaluate(Scenario(horizon=16, bands=4, learning_rate=rate), MOMENTA)
    text = parts.to_json(figure(sweep_view(study, axis)))
    parsed = json.loads(text, parse_constant=pytest.fail)
    assert "template" not in parsed["layout"] or parsed["layout"]["template"] in ({}, None)
    for trace in parsed["data"]:
        for values in (trace["x"], trace["y"]):
            if isinstance(values, dict):
                numbers = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
                assert not np.isinf(numbers.astype(float)).any()


@pytest.mark.parametrize("figure", [damage_figure, rank_figure], ids=["damage", "rank"])
def test_figures_have_one_marker_and_all_labels(figure: Any, view: SweepView) -> None:
    """The browser finds exactly one shape to move; every curve has its label beside it."""
    drawn = figure(view)
    assert [shape.name for shape in drawn.layout.shapes].count("marker") == 1
    texts = " ".join(note.text for note in drawn.layout.annotations)
    assert all(curve.label in texts for curve in view.curves)


@given(st.lists(st.floats(0, 400), max_size=12))
def test_labels_do_not_overlap(wanted: list[float]) -> None:
    """Spread labels keep their order, their distance and the room they have."""
    places = parts.spread(wanted, 17, 0, 400)
    ordered = [place for _, place in sorted(zip(wanted, places, strict=True))]
    assert all(b - a >= 17 - 1e-6 for a, b in itertools.pairwise(ordered))
    assert all(-1e-6 <= place <= 400 + 1e-6 for place in places)


def test_labels_with_room_stay_where_they_belong() -> None:
    """A label moves only when another one is in its way."""
    assert parts.spread([0, 50, 100], 17, 0, 400) == [0, 50, 100]
