"""What the page “Optimizers” says and draws: held to the engine's comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import OPTIMIZERS, Curvature, HeavyBall, Scenario, compare_optimizers
from momentdp_core.optimizers import Disk, DpPmlf, InnerOuter, LowPass
from pages.figures.optimizers import CAUSE_LOOKS, bars_figure, sweep_figure
from pages.figures.style import DARK_BACKGROUND, LIGHT_BACKGROUND, MARKS, OPTIMIZER_MARKS
from pages.views import words
from pages.views.contenders import (
    BEST_PRIVACY,
    BEST_TOTAL,
    HIGHEST,
    LABELS,
    LOWEST,
    OWN,
    PLAIN,
    Answer,
    Entry,
    answer_of,
    in_order,
    question_of,
)
from pages.views.optimizers import optimizers_view
from pages.views.optimizers_charts import CAUSES, optimizers_charts
from pages.views.swept import SWEPT
from pages.views.why_charts import longest_bar
from tests.pages.test_figures import contrast

SCENARIO = Scenario(
    horizon=32, curvature=Curvature(modes=4, condition_number=30), learning_rate=0.2, bands=4
)
ENTRIES = (
    Entry(key=PLAIN, optimizer=HeavyBall(), value=0.0),
    Entry(key="heavy_ball", optimizer=HeavyBall(), value=0.9),
    Entry(key="lp_dpsgd", optimizer=LowPass(), value=0.1),
    Entry(key="dp_pmlf", optimizer=DpPmlf(), value=0.1),
    Entry(key="inner_outer", optimizer=InnerOuter(), value=0.5),
    Entry(key="disk", optimizer=Disk(), value=0.5),
)


def asked(
    scenario: Scenario = SCENARIO,
    entries: tuple[Entry, ...] = ENTRIES,
    *,
    mechanism: str = "iid",
    at: str = OWN,
    start_error: float = 10.0,
) -> Answer:
    """The answer to a question, with the settings of most tests."""
    question = question_of(
        scenario,
        entries,
        mechanism=mechanism,
        at=at,
        start_error=start_error,
        sampling_noise=0.1,
    )
    return answer_of(question)


@pytest.fixture(scope="module")
def answer() -> Answer:
    return asked()


def test_every_optimizer_has_its_own_look() -> None:
    """No optimizer shares symbol or glyph with another or a mechanism; all are readable."""
    assert list(OPTIMIZER_MARKS) == list(LABELS) == [PLAIN, *OPTIMIZERS]
    marks = [*MARKS.values(), *OPTIMIZER_MARKS.values()]
    for what in ([mark.symbol for mark in marks], [mark.glyph for mark in marks]):
        assert len(set(what)) == len(what)
    own = [(mark.color, mark.dash) for mark in OPTIMIZER_MARKS.values()]
    assert len(set(own)) == len(own)
    colors = [mark.color for mark in OPTIMIZER_MARKS.values()]
    colors += [look["color"] for look in CAUSE_LOOKS.values()]
    for background in (LIGHT_BACKGROUND, DARK_BACKGROUND):
        assert min(contrast(color, background) for color in colors) >= 3
    patterns = [str(look.get("pattern")) for look in CAUSE_LOOKS.values()]
    assert len(set(patterns)) == len(CAUSES) == len(CAUSE_LOOKS)


def test_the_question_is_what_the_engine_is_asked(answer: Answer) -> None:
    """The answer is the comparison of the same optimizers, values and signal."""
    direct = compare_optimizers(
        SCENARIO, [(e.optimizer, e.value) for e in ENTRIES], start_error=10.0, sampling_noise=0.1
    )
    np.testing.assert_array_equal(answer.found.total, direct.total)
    assert answer.question.scenario.mechanisms[answer.column] == "iid"


def test_the_shown_mechanism_need_not_be_in_the_list() -> None:
    """A mechanism that is not among those compared is added, at the end."""
    few = asked(replace(SCENARIO, mechanisms=("iid", "bisr")), mechanism="dense")
    assert few.question.scenario.mechanisms == ("iid", "bisr", "dense")
    assert few.column == 2


@pytest.mark.parametrize("at", [BEST_TOTAL, BEST_PRIVACY])
def test_best_values_come_from_the_slider(at: str) -> None:
    """Each value is a stop of the slider, none of them does better, and DPSGD stays plain."""
    tuned = asked(at=at)
    own = asked()
    assert tuned.found.values[0] == 0
    for place, entry in enumerate(ENTRIES[1:], 1):
        assert tuned.found.values[place] in SWEPT[entry.key].values
        best = tuned.found.total if at == BEST_TOTAL else tuned.found.damage
        mine = own.found.total if at == BEST_TOTAL else own.found.damage
        if own.found.stable[place]:
            assert best[place, 0] <= mine[place, 0] * (1 + 1e-9)


def test_the_lines_are_the_engines_numbers(answer: Answer) -> None:
    """The table is sorted by total, and each cell is that optimizer's number."""
    found = answer.found
    lines = optimizers_view(answer).lines
    assert [line.key for line in lines] == [ENTRIES[place].key for place in in_order(answer)]
    for line, place in zip(lines, in_order(answer), strict=True):
        assert found.stable[place]
        assert line.bias == words.number(found.bias[place])
        assert line.sampling == words.number(found.sampling[place])
        assert line.privacy == words.number(found.damage[place, 0])
        assert line.total == words.number(found.total[place, 0])
        assert line.privacy_rank == str(found.damage_rank[place, 0])
        assert line.total_rank == str(found.total_rank[place, 0])
        assert line.suppression == f"× {words.number(found.suppression[place, 0])}"
        assert line.limit == words.number(found.stability_limit[place])
    totals = [found.total[place, 0] for place in in_order(answer)]
    assert totals == sorted(totals)


def test_ranks_that_differ_carry_a_symbol_and_words(answer: Answer) -> None:
    """A row is marked exactly where the two ranks differ, with direction and distance."""
    lines = optimizers_view(answer).lines
    assert any(line.moved for line in lines)
    for line in lines:
        steps = int(line.privacy_rank) - int(line.total_rank)
        expected = "no"
        if steps:
            expected = f"▲ better by {steps}" if steps > 0 else f"▼ worse by {-steps}"
        assert line.differs == expected
        assert line.moved == bool(steps)


def test_the_sentence_says_where_the_choice_flips(answer: Answer) -> None:
    """Best by total, best by privacy, and every change along ε with the engine's numbers."""
    view = optimizers_view(answer)
    regions = answer.found.regions("iid", start=LOWEST, stop=HIGHEST)
    assert len(regions) >= 2
    best = int(np.argmin(answer.found.total[:, 0]))
    quiet = int(np.argmin(answer.found.damage[:, 0]))
    assert f"{ENTRIES[best].label} has the smallest total excess loss" in view.sentence
    assert f"By privacy damage alone {ENTRIES[quiet].label} comes first" in view.sentence
    first, last = regions[0], regions[-1]
    assert (
        f"Below ε = {words.number(first.stop)} {ENTRIES[first.winners[0]].label}" in view.sentence
    )
    assert f"above it {ENTRIES[last.winners[0]].label} is best" in view.sentence
    assert "smooths more than weak noise needs" in view.sentence


def test_without_a_flip_the_sentence_says_so() -> None:
    """Where nothing but privacy noise counts, one optimizer stays best and rankings agree."""
    quiet = asked(start_error=0.0)
    view = optimizers_view(quiet)
    assert "stays best at every ε from 0.1 to 100" in view.sentence
    (flips,) = [readout for readout in view.readouts if readout.key == "flips"]
    assert flips.value == "Never"


def test_one_optimizer_has_no_rival() -> None:
    """Alone, an optimizer has its numbers and no talk of flips."""
    view = optimizers_view(asked(entries=ENTRIES[:1]))
    assert "DPSGD has the smallest total" in view.sentence
    assert "ε from" not in view.sentence


def test_unstable_optimizers_are_said_and_not_ranked() -> None:
    """Above every limit there is no rank, no bar and no line, and the limit is named."""
    wild = asked(replace(SCENARIO, learning_rate=50.0), ENTRIES[:2])
    view, charts = optimizers_view(wild), optimizers_charts(wild)
    assert "nothing is ranked" in view.sentence
    assert words.number(wild.found.stability_limit.max()) in view.sentence
    assert {line.total for line in view.lines} == {"unstable"}
    assert {line.privacy_rank for line in view.lines} == {"–"}
    assert not any(bar.parts for bar in charts.bars)
    assert charts.tracks == charts.meetings == ()
    assert {cell.text for row in charts.matrix for cell in row.cells} == {"unstable"}
    assert not any(c.best_in_row or c.best_in_column for row in charts.matrix for c in row.cells)
    for figure in (bars_figure(charts), sweep_figure(charts)):
        assert figure.layout.height > 0
    assert "Nothing to draw." in str(sweep_figure(charts).layout.annotations)


def test_the_bars_are_the_parts(answer: Answer) -> None:
    """Each bar is the optimizer's parts, in order, squeezed only beyond the axis."""
    charts = optimizers_charts(answer)
    figure = bars_figure(charts)
    parts = np.array([bar.parts for bar in charts.bars])
    for i, trace in enumerate(figure.data):
        assert trace.name == CAUSES[i]
        np.testing.assert_array_equal(trace.customdata, parts[:, i])
        scales = [bar.scale for bar in charts.bars]
        np.testing.assert_allclose(trace.x, parts[:, i] * scales)
    order = in_order(answer)
    np.testing.assert_allclose(parts.sum(axis=1), answer.found.total[order, 0])
    most = longest_bar([float(x) for x in answer.found.total[order, 0]])
    assert all((bar.scale < 1) == (bar.total > most) for bar in charts.bars)
    for bar in charts.bars:
        assert f"{bar.label} {words.number(bar.total)}" in charts.bars_alt


def test_the_sweep_draws_totals_and_crossings(answer: Answer) -> None:
    """Lines are the engine's sweep; strong points are exactly the changes of the best one."""
    charts = optimizers_charts(answer)
    figure = sweep_figure(charts)
    totals = dict(
        zip(
            (entry.label for entry in ENTRIES),
            answer.found.sweep("iid", charts.epsilons),
            strict=True,
        )
    )
    lines = [trace for trace in figure.data if trace.name in totals]
    assert len(lines) == len(ENTRIES)
    for line in lines:
        np.testing.assert_allclose(line.y, totals[line.name])
    crossings = [c.epsilon for c in answer.found.crossings("iid") if LOWEST < c.epsilon < HIGHEST]
    assert [m.epsilon for m in charts.meetings] == crossings
    changes = [region.start for region in answer.regions[1:]]
    assert sorted({m.epsilon for m in charts.meetings if m.strong}) == pytest.approx(changes)
    for change in changes:
        assert words.number(change) in str(figure.layout.annotations)
        assert words.number(change) in charts.sweep_alt


def test_the_matrix_marks_the_best(answer: Answer) -> None:
    """Text is the damage; marks are the least of each row and column; shade grows with damage."""
    charts, found = optimizers_charts(answer), answer.found
    shades = np.array([[cell.shade for cell in row.cells] for row in charts.matrix])
    assert shades.min() == 0
    assert shades.max() == 1
    order = np.argsort(found.damage, axis=None)
    assert (np.diff(shades.ravel()[order]) >= 0).all()
    for place, row in enumerate(charts.matrix):
        assert row.value == found.values[place]
        for column, cell in enumerate(row.cells):
            damage = found.damage[place, column]
            assert cell.text == words.short(damage)
            assert cell.best_in_row == (damage == found.damage[place].min())
            assert cell.best_in_column == (damage == found.damage[:, column].min())
            assert cell.best_in_row == ("best mechanism" in cell.hint)
            assert cell.best_in_column == ("best optimizer" in cell.hint)


def test_no_damage_at_all_is_drawn() -> None:
    """With a rate of zero nothing moves: the bias is everything and the matrix has zeros."""
    still = asked(replace(SCENARIO, learning_rate=0.0))
    charts = optimizers_charts(still)
    assert {cell.text for row in charts.matrix for cell in row.cells} == {"0"}
    assert all(cell.shade == 0 for row in charts.matrix for cell in row.cells)
    assert "tie for the smallest total" in optimizers_view(still).sentence
    assert len(sweep_figure(charts).data) == len(ENTRIES)
