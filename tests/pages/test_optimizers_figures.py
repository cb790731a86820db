"""What the figures of “Optimizers” write: labels kept apart, and signs that are explained."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import HeavyBall, Scenario, evaluate
from momentdp_core.optimizers import Nesterov
from pages.figures.damage import damage_figure
from pages.figures.optimizers import apart, bars_figure
from pages.views import words
from pages.views.contenders import Entry
from pages.views.optimizers_charts import optimizers_charts
from pages.views.sweep import sweep_view
from pages.views.swept import SWEPT
from tests.pages.test_optimizers_views import SCENARIO, asked


@pytest.mark.parametrize(
    "places",
    [
        [],
        [1.0],
        [0.1, 1.0, 10.0],
        [1.2, 1.3],
        [1.2, 1.3, 1.4],
        [1.0, 1.0001, 1.0002, 1.0003, 90.0],
        np.geomspace(0.11, 99.0, 24).round(3).tolist(),
    ],
    ids=["none", "one", "far", "two", "three", "nearly one", "many"],
)
def test_labels_of_crossings_do_not_overlap(places: list[float]) -> None:
    """On a telephone's 174 px: two in a row keep apart, every place is named once and in order."""
    labels = apart(places)
    named = [number for _, text, _ in labels for number in text.replace(" and ", ", ").split(", ")]
    assert named == [words.number(place) for place in places]
    pixels = 174 / 3  # a decade of ε
    for row in (0, 1):
        spans = [
            (pixels * place - 3.5 * len(text), pixels * place + 3.5 * len(text))
            for place, text, at in labels
            if at == row
        ]
        assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
    assert {row for _, _, row in labels} <= {0, 1}


def test_far_crossings_keep_their_places() -> None:
    """Labels with room stand on the first row, each over its own line; close ones go up."""
    assert apart([0.3, 3.0, 30.0]) == [
        (pytest.approx(np.log10(place)), words.number(place), 0) for place in (0.3, 3.0, 30.0)
    ]
    assert [row for _, _, row in apart([1.2, 1.3])] == [0, 1]


def test_a_squeezed_bar_is_explained_in_the_picture() -> None:
    """The sign » in the figure has its meaning below the axis, and only where it is used."""
    charts = optimizers_charts(asked())
    giant = replace(charts.bars[-1], scale=0.5)
    squeezed = bars_figure(replace(charts, bars=(*charts.bars[:-1], giant)))
    assert any("»" in note.text for note in squeezed.layout.annotations)
    assert "» squeezed to fit; its number holds" in squeezed.layout.xaxis.title.text
    plain = bars_figure(replace(charts, bars=tuple(replace(b, scale=1.0) for b in charts.bars)))
    assert "»" not in plain.to_json()


def test_ties_in_the_matrix_are_called_ties() -> None:
    """At one step all mechanisms are the same noise: each cell says of how many the tie is."""
    short = (Entry(key="heavy_ball", optimizer=HeavyBall(), value=0.5),
             Entry(key="nesterov", optimizer=Nesterov(), value=0.0))  # fmt: skip
    answer = asked(replace(SCENARIO, horizon=1, mechanisms=("iid", "dense", "bisr")), short)
    first, second = optimizers_charts(answer).matrix
    assert all("tie of 3 for the best mechanism for this optimizer" in c.hint for c in first.cells)
    assert all("tie of 2 for the best optimizer for this mechanism" in c.hint for c in second.cells)
    alone = optimizers_charts(asked())
    assert not any("tie of" in cell.hint for row in alone.matrix for cell in row.cells)
    assert any(", best mechanism for" in cell.hint for row in alone.matrix for cell in row.cells)


def test_the_strip_of_winners_says_tie() -> None:
    """Explore's strip names no single winner where all do the same damage."""
    study = evaluate(Scenario(horizon=1, mechanisms=("iid", "dense")), SWEPT["heavy_ball"].values)
    view = sweep_view(study, "momentum")
    (span,) = view.spans
    assert span.winners == ("iid", "dense")
    assert span.text.startswith(f"{words.names(span.winners)} tie: μ from")
    strip = [trace for trace in damage_figure(view).data if trace.name == span.text]
    assert [trace.fillpattern.shape for trace in strip] == ["/"]
