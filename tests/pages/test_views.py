"""What the Explore page says and draws is what the study holds."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from momentdp_core import POOL, Curvature, Scenario, Schedule, Study, evaluate, final_damage
from pages.views import words
from pages.views.explore import PointView, point_view
from pages.views.export import COLUMNS, study_csv
from pages.views.sweep import AXES, sweep_view
from pages.views.swept import SWEPT

MOMENTA = SWEPT["heavy_ball"].values

SMALL = {"horizon": 16, "bands": 4}


def study_of(**arguments: object) -> Study:
    return evaluate(Scenario(**{**SMALL, **arguments}), MOMENTA)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of()


@pytest.fixture(scope="module")
def unstable() -> Study:
    return study_of(learning_rate=3.0)


def readout(view: PointView, key: str) -> str:
    (found,) = [f"{r.value}; {r.detail}" for r in view.readouts if r.key == key]
    return found


@pytest.mark.parametrize("momentum", [0.0, 0.29, 0.5, 0.9, 0.99])
def test_readouts_are_the_studys(study: Study, momentum: float) -> None:
    """Winner, rank and factor at a momentum are those of the study's own arrays."""
    view, at = point_view(study, momentum), study.at(momentum)
    best = int(np.argmin(study.damage[:, at]))
    row = study.mechanisms.index("noisecurve")
    assert words.name(study.mechanisms[best]) in readout(view, "winner")
    assert words.number(study.damage[best, at]) in readout(view, "winner")
    rank = int(study.rank[row, at])
    assert readout(view, "rank").startswith(f"{rank} of {len(POOL)};")
    if rank > 1:
        factor = study.damage[row, at] / study.damage[best, at]
        assert f"{factor:.2f} times" in readout(view, "rank")
        assert f"{words.ordinal(rank)} of {len(POOL)} and does {factor:.2f} times" in view.sentence


@pytest.mark.parametrize("momentum", [0.0, 0.5, 0.9])
def test_nearest_crossovers_enclose_the_momentum(study: Study, momentum: float) -> None:
    """The two crossovers named are the nearest of all pairs, one on each side."""
    view = point_view(study, momentum)
    places = [c.value for c in study.crossovers]
    below = [x for x in places if x <= momentum]
    above = [x for x in places if x > momentum]
    for key, expected in (("below", max(below, default=None)), ("above", min(above, default=None))):
        shown = readout(view, key)
        assert shown.startswith("None" if expected is None else f"μ = {expected:.4f}")


def test_a_crossover_says_what_it_is_about(study: Study) -> None:
    """Where a rank is named, the pair has it just below and just above the crossover."""
    named = 0
    for crossover in study.crossovers:
        at = float(MOMENTA[np.searchsorted(MOMENTA, crossover.value) - 1])
        shown = readout(point_view(study, at), "above")
        pair = f"{words.name(crossover.above)} beats {words.name(crossover.below)}"
        if f"{pair} for " not in shown:  # another pair is nearer, or no rank is named
            continue
        damage = final_damage(study.scenario, [crossover.value - 1e-5, crossover.value + 1e-5])
        rows = [study.mechanisms.index(key) for key in (crossover.below, crossover.above)]
        for column, row in enumerate(rows):
            rank = 1 + (damage[:, column] < damage[row, column]).sum()
            assert shown.endswith("for the lead" if rank == 1 else f"for rank {rank}")
        named += 1
    assert named > 5


def test_at_the_ends_of_the_slider_there_is_no_crossover_beyond(study: Study) -> None:
    """The card says that the slider ends there, not that the order never changes."""
    assert "0.00 is the end of the slider" in readout(point_view(study, 0.0), "below")
    assert "0.99 is the end of the slider" in readout(point_view(study, 0.99), "above")
    flat = study_of(horizon=1)
    assert "the order does not change" in readout(point_view(flat, 0.5), "below")


def test_table_has_every_mechanism_in_the_order_of_rank(study: Study) -> None:
    """The table lists each mechanism once, best first, with the study's damage and scores."""
    view, at = point_view(study, 0.9), study.at(0.9)
    assert sorted(row.key for row in view.rows) == sorted(POOL)
    assert [int(row.rank) for row in view.rows] == sorted(int(r) for r in study.rank[:, at])
    for row in view.rows:
        i = study.mechanisms.index(row.key)
        assert row.damage == words.number(study.damage[i, at])
        assert row.own_criterion.startswith(f"{study.scores.noisecurve_rank[i]} (")
        assert row.static_mse.startswith(f"{study.scores.static_mse_rank[i]} (")
        assert row.lr_aware.startswith(f"{study.scores.lr_aware_rank[i]} (")


def test_sentence_names_the_next_winners(study: Study) -> None:
    """The sentence says at which momentum another mechanism takes over, and which."""
    for region, after in zip(study.regions, study.regions[1:], strict=False):
        inside = [m for m in MOMENTA if region.start < m < region.stop]
        if not inside:
            continue
        sentence = point_view(study, float(inside[0])).sentence
        assert f"bove μ = {region.stop:.4f}" in sentence
        assert words.names(after.winners) in sentence
        outermost = after is study.regions[-1]
        assert ("ust above" in sentence) is not outermost


def test_unstable_momentum_is_said(unstable: Study) -> None:
    """Below the limit nothing is ranked, and the sentence gives rate, limit and the way out."""
    view = point_view(unstable, 0.2)
    assert "unstable" in view.sentence
    assert "2.4" in view.sentence
    assert "0.5000" in view.sentence
    assert readout(view, "winner").startswith("None")
    assert {row.damage for row in view.rows} == {"unstable"}
    assert {row.rank for row in view.rows} == {"–"}
    assert readout(point_view(unstable, 0.9), "rank").split(" of ")[1].startswith("11")


def test_nothing_is_drawn_where_unstable(unstable: Study) -> None:
    """Curves hold a value exactly where the study ranks one, and a note says so."""
    view = sweep_view(unstable, "momentum")
    for curve in view.curves:
        row = unstable.mechanisms.index(curve.key)
        np.testing.assert_array_equal(np.isfinite(curve.damage), unstable.stable[row])
        np.testing.assert_array_equal(np.isfinite(curve.rank), unstable.rank[row] > 0)
    assert view.spans[0].winners == ()
    assert "unstable" in view.spans[0].text
    assert any("unstable" in note for note in view.notes)


@pytest.mark.parametrize("axis", list(AXES))
def test_curves_hold_the_studys_values(study: Study, axis: str) -> None:
    """Every point drawn is the study's damage and rank at that momentum, on either axis."""
    view = sweep_view(study, axis)
    for curve in view.curves:
        row = study.mechanisms.index(curve.key)
        np.testing.assert_array_equal(curve.damage, study.damage[row])
        np.testing.assert_array_equal(curve.rank, study.rank[row])
        expected = MOMENTA if axis == "momentum" else 1 / (1 - MOMENTA)
        np.testing.assert_array_equal(curve.x, expected)
    assert view.damage_range == (study.damage.min(), study.damage.max())


def test_crossovers_that_change_the_winner_are_strong(study: Study) -> None:
    """Each edge between two winners has a strong crossover, and there is no other strong one."""
    strong = [c.x for c in sweep_view(study, "momentum").crossings if c.strong]
    edges = [region.start for region in study.regions[1:]]
    assert len(strong) == len(edges) > 0
    np.testing.assert_allclose(strong, edges, atol=2e-6)


def test_ties_are_shown_as_ties() -> None:
    """With one step all mechanisms do the same: one rank, no winner alone, no crossover."""
    study = study_of(horizon=1)
    view = point_view(study, 0.9)
    assert {row.rank for row in view.rows} == {"1"}
    assert "11 mechanisms tie" in view.sentence
    assert "11 mechanisms; a tie" in readout(view, "winner")
    assert sweep_view(study, "momentum").crossings == ()


def test_zero_damage_is_left_out_and_said() -> None:
    """A schedule of zeros does no damage: no point on the logarithmic axis, and a note."""
    study = study_of(horizon=2, schedule=Schedule(family="custom", values=(0.0, 0.0)))
    view = sweep_view(study, "momentum")
    assert view.damage_range is None
    assert all(np.isnan(curve.damage).all() for curve in view.curves)
    assert any("zero" in note for note in view.notes)
    assert "tie" in point_view(study, 0.5).sentence


def test_one_mechanism_has_nothing_to_be_compared_with() -> None:
    """A single mechanism is first of one, without crossovers, and the page says how to go on."""
    view = point_view(study_of(mechanisms=("noisecurve",)), 0.9)
    assert readout(view, "rank").startswith("1 of 1")
    assert "only mechanism" in view.sentence
    assert readout(view, "below").startswith("None")


def test_noisecurve_may_be_absent() -> None:
    """Without NoiseCurve its readout says so and the sentence does not mention it."""
    view = point_view(study_of(mechanisms=("iid", "dense")), 0.9)
    assert "not among" in readout(view, "rank")
    assert "NoiseCurve" not in view.sentence


@pytest.mark.parametrize(
    "curvature",
    [Curvature(modes=1), Curvature(family="custom", values=(1.0, 0.0, 0.0))],
    ids=["one direction", "flat directions"],
)
def test_odd_spectra_have_a_readable_page(curvature: Curvature) -> None:
    """A single direction and directions without curvature give finite numbers everywhere."""
    study = study_of(curvature=curvature)
    view = sweep_view(study, "steps")
    assert view.damage_range is not None
    assert np.isfinite(view.damage_range).all()
    assert all(row.damage != "–" for row in point_view(study, 0.9).rows)


def test_csv_has_full_precision(study: Study) -> None:
    """The download holds one line for each momentum and mechanism, exactly as computed."""
    lines = list(csv.DictReader(io.StringIO(study_csv(study))))
    assert tuple(lines[0]) == ("momentum", *COLUMNS)
    assert len(lines) == len(MOMENTA) * len(POOL)
    damages = np.array([float(line["damage"]) for line in lines])
    np.testing.assert_array_equal(damages.reshape(len(MOMENTA), -1).T, study.damage)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (18.60421, "18.6"), (1e-7, "1e-07"), (1.5e15, "1.5e15"), (2e5, "2e5"), (0.0, "0"),
        (float("inf"), "–"), (float("nan"), "–"),
    ],
)  # fmt: skip
def test_numbers_are_written_short(value: float, text: str) -> None:
    """Four digits, a short exponent, and a dash for what is not a number."""
    assert words.number(value) == text


def test_where_nothing_is_ranked_no_order_is_spoken_of(unstable: Study) -> None:
    """Unstable: stable *above* the edge, and no order; one mechanism: nothing to cross."""
    view = point_view(unstable, 0.3)
    assert "It is stable above μ = 0.5000." in view.sentence
    assert readout(view, "below") == "None; no order while training is unstable"
    alone = point_view(study_of(mechanisms=("iid",)), 0.3)
    for key in ("below", "above"):
        assert readout(alone, key) == "None; only one mechanism is shown"


def test_when_all_tie_nobody_is_said_to_be_ahead() -> None:
    """At one step all mechanisms are the same noise."""
    view = point_view(study_of(horizon=1), 0.3)
    assert "No momentum from 0.00 to 0.99 tells them apart." in view.sentence
