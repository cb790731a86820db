"""The map's view and figure, beside the engine's own numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import (
    OPTIMIZERS,
    Curvature,
    MapAxis,
    Scenario,
    Schedule,
    damage_map,
    flips_among,
    map_stages,
    nearest_flips,
)
from pages.figures.map import key_entries, map_figure, narrow_room, wide_room
from pages.figures.map_names import Room, names
from pages.figures.style import MARKS
from pages.views import words
from pages.views.flips import flip_groups, flip_stages, share_searched, stops_of
from pages.views.map import map_view
from pages.views.map_axes import axis_for, common
from pages.views.map_regions import COLORINGS, Kind, Region, regions_of

KEYS = ("iid", "dense", "bisr", "noisecurve")
SMALL = Scenario(horizon=16, bands=4, curvature=Curvature(modes=4), mechanisms=KEYS)
X = MapAxis(name="value", points=tuple(np.linspace(0, 0.99, 13).tolist()))
Y = MapAxis(name="rate", points=tuple(np.geomspace(0.02, 4, 12).tolist()))
PAIR = ("bisr", "dense")


@pytest.fixture(scope="module")
def found():
    """A finished small map with stable, unstable and close cells."""
    return damage_map(SMALL, 0.0, X, Y)


@pytest.mark.parametrize("coloring", COLORINGS)
def test_every_stable_cell_has_the_kind_that_the_engine_says(found, coloring):
    """Winner, rank, regret band and the one that is ahead are the engine's; unstable is blank."""
    view = map_view(found, coloring, "dense", PAIR)
    for row in range(len(Y)):
        for column in range(len(X)):
            number = view.cells[row, column]
            assert (number < 0) == (not found.stable[row, column])
            if number < 0:
                continue
            kind = view.kinds[number]
            table = dict(zip(KEYS, found.damage[:, row, column], strict=True))
            best = min(table.values())
            if coloring == "winner":
                assert table[kind.key] == best
            elif coloring == "rank":
                better = sum(value < table["noisecurve"] for value in table.values())
                assert kind.text == words.ordinal(better + 1)
            elif coloring == "regret":
                assert (kind.text == "best") == (table["dense"] <= best * 1.001)
                assert (kind.text == "over 5 times") == (table["dense"] >= best * 5)
            else:
                ahead = min(PAIR, key=table.__getitem__)
                assert (kind.key, kind.text) == (ahead, f"{words.name(ahead)} ahead")


def test_hover_tells_the_top_three(found):
    """A cell's text names the three best in order with their damage, or that it is unstable."""
    view = map_view(found, "winner", "dense", PAIR)
    text = view.hover[3][4]
    order = np.argsort(found.damage[:, 3, 4])[:3]
    lines = text.split("<br>")[1:4]
    for place, (line, n) in enumerate(zip(lines, order, strict=True), 1):
        value = words.number(found.damage[n, 3, 4])
        assert line.startswith(f"{place}. {words.name(KEYS[n])} {value}")
    assert "unstable" in view.hover[-1][0]


def test_a_name_lies_in_its_own_region(found):
    """Each spot of a name is on a cell of its kind, and each thick region has one."""
    view = map_view(found, "winner", "dense", PAIR)
    assert {region.text for region in view.regions} > {"unstable", words.name("dense")}
    for region in view.regions:
        assert region.spots
        for x, y in region.spots:
            number = view.cells[int(y), int(x)]
            if region.key:
                kind = view.kinds[number]
                assert (kind.text, kind.key) == (region.text, region.key)
            else:
                assert (number, region.text) == (-1, "unstable")


def test_two_regions_of_one_kind_have_two_names():
    """Regions that do not touch are named apart; one too thin for a name is not."""
    kinds = (Kind(text="A", key="iid", shade=1.0), Kind(text="B", key="dense", shade=1.0))
    cells = np.ones((9, 20), dtype=np.int64)
    cells[2:7, 1:6] = cells[2:7, 12:18] = 0
    cells[0, 9] = 0
    regions = regions_of(kinds, cells, cells < 0, lines=False)
    sides = [(region.size, region.spots[0][0] < 9) for region in regions if region.text == "A"]
    assert sides == [(30, False), (25, True)]
    assert [region.size for region in regions] == sorted((r.size for r in regions), reverse=True)


def boxes_of(figure, room, annotations):
    """Return the rectangle of each name on a plot, from what is drawn: (left, right, low, high)."""
    height = 1.5 * room.size + 2
    out = []
    for note in annotations:
        width = 0.56 * note["font"]["size"] * len(note["text"]) + 2
        (x0, x1), (y0, y1) = figure.layout.xaxis.range, figure.layout.yaxis.range
        x = room.width * (note["x"] - x0) / (x1 - x0)
        y = room.height * (note["y"] - y0) / (y1 - y0)
        left = {"left": x, "center": x - width / 2, "right": x - width}[note["xanchor"]]
        out.append((left, left + width, y - height / 2, y + height / 2))
    return out


@pytest.mark.parametrize("coloring", COLORINGS)
@pytest.mark.parametrize("up", ["rate", "schedule"])
def test_no_two_names_overlap_on_any_screen(coloring, up):
    """Neither on the narrowest phone nor on the narrowest wide chart, nor on broader ones."""
    keys = (*KEYS, "toeplitz_max", "bandinv_max")
    scenario = replace(SMALL, horizon=8, mechanisms=keys)
    axes = axis_for("value", scenario), axis_for(up, scenario)
    view = map_view(damage_map(scenario, 0.0, *axes), coloring, "dense", PAIR)
    figure = map_figure(view)
    for room, notes in (
        (wide_room(view), figure.layout.annotations),
        (narrow_room(view), figure.layout.meta["compact"]["annotations"]),
    ):
        assert notes
        for width in (room.width, 1.5 * room.width):
            boxes = boxes_of(figure, replace(room, width=width), notes)
            for n, (left, right, low, high) in enumerate(boxes):
                assert left >= 0
                assert right <= width
                for other in boxes[:n]:
                    apart = right <= other[0] or other[1] <= left
                    assert apart or high <= other[2] or other[3] <= low


def test_a_name_without_room_is_moved_or_left_out():
    """The larger region keeps its best place; the other takes a free one of its own, or none."""
    room = Room(width=300, height=400, x=(0, 40), y=(0, 40), size=11)
    middle = (20.0, 20.0)
    large = Region(text="large one", key="iid", size=9, spots=(middle, (20.0, 30.0)))
    moved = Region(text="small one", key="dense", size=5, spots=(middle, (20.0, 10.0)))
    left_out = Region(text="smallest", key="dense", size=4, spots=(middle, (21.0, 11.0)))
    drawn = [(note["x"], note["y"]) for note in names((large, moved, left_out), room)]
    assert drawn == [middle, (20.0, 10.0)]


def test_the_key_names_every_colour_on_the_map(found):
    """Also a kind whose regions are too small for a name; nothing that is not there."""
    view = map_view(found, "winner", "dense", PAIR)
    entries = key_entries(view)
    there = {view.kinds[number].text for number in np.unique(view.cells[view.cells >= 0])}
    assert {text for _, _, text in entries} == there
    for glyph, color, text in entries:
        (key,) = {kind.key for kind in view.kinds if kind.text == text}
        red, green, blue = (int(MARKS[key].color[n : n + 2], 16) for n in (1, 3, 5))
        assert glyph == MARKS[key].glyph
        assert color.startswith(f"rgba({red},{green},{blue},")


def test_unfinished_cells_are_marked():
    """Before NoiseCurve is designed all stable cells are pending and no curve is drawn."""
    first = next(map_stages(SMALL, 0.0, X, Y))
    view = map_view(first, "winner", "dense", PAIR)
    assert (view.pending == first.stable).all()
    assert not view.close.any()
    assert view.curves == ()
    assert 0 < view.done < 1


def test_the_figure_draws_cells_patterns_curves_and_names(found):
    """One heat map in the fixed colours; patterns for close and unstable cells; curves, names."""
    view = map_view(found, "winner", "dense", PAIR)
    figure = map_figure(view)
    cells = figure.data[0]
    np.testing.assert_array_equal(np.isnan(cells.z), view.cells < 0)
    patterns = [t.fillpattern.shape for t in figure.data[1:] if t.fillpattern.shape]
    assert patterns == ["/", "x"]
    for number, kind in enumerate(view.kinds):
        red, green, blue = (int(MARKS[kind.key].color[n : n + 2], 16) for n in (1, 3, 5))
        assert cells.colorscale[2 * number][1].startswith(f"rgba({red},{green},{blue},")
    drawn = [t for t in figure.data if t.type == "scatter" and t.fill is None]
    assert len(drawn) == 4  # curves and limit, each a light line under a dark one
    texts = [a.text for a in figure.layout.annotations]
    assert any(words.name("dense") in text for text in texts)
    assert "unstable" in texts


def test_alt_text_tells_the_shares(found):
    """The alternative text names the axes and each winner with its share of the cells."""
    alt = map_view(found, "winner", "dense", PAIR).alt
    assert "momentum μ across, peak rate ηλmax up" in alt
    share = (found.winner == KEYS.index("dense")).mean()
    assert f"Dense MF {share:.0%}" in alt


def test_what_an_axis_varies_is_no_part_of_the_map():
    """Moving along the axes keeps the map; any other control does not."""
    x, y = axis_for("value", SMALL), axis_for("rate", SMALL)
    assert common(replace(SMALL, learning_rate=0.1), x, y) == common(SMALL, x, y)
    assert common(replace(SMALL, horizon=17), x, y) != common(SMALL, x, y)
    rows = axis_for("schedule", SMALL)
    moved = replace(SMALL, schedule=Schedule(family="cosine"))
    assert common(moved, x, rows) == common(SMALL, x, rows)
    assert axis_for("schedule", moved) == rows


@pytest.mark.parametrize("key", OPTIMIZERS)
def test_every_optimizer_has_an_axis_it_accepts(key):
    """The swept axis stays inside what the optimizer takes."""
    optimizer = OPTIMIZERS[key]()
    axis = axis_for("value", replace(SMALL, optimizer=optimizer))
    assert len(optimizer.check(axis.points)) == 41


def test_flips_are_told_with_the_first_setting_beyond():
    """A line says where the answer changes, and its control goes to the first stop past it."""
    scenario = Scenario(mechanisms=("iid", "dense"), curvature=Curvature(condition_number=10))
    axis = MapAxis(name="value", points=(0.0, 0.99))
    found = nearest_flips(scenario, 0.9, axis, pair=("iid", "dense"))
    stops = stops_of(scenario, (), ())
    groups = {group.question: group for group in flip_groups(found, scenario, stops)}
    told = [flip for flip in found if flip.question == "winner" and flip.at is not None]
    lines = [line for line in groups["winner"].lines if line.control]
    assert len(lines) == len(told) > 0
    for flip, line in zip(told, lines, strict=True):
        assert f"{flip.at:.4g}" in line.text
        past = [s for s in stops["value"] if (s - flip.at) * flip.direction >= 0]
        assert line.value == min(past, key=lambda s: abs(s - flip.at))


@pytest.mark.parametrize("family", ["log", "isotropic"])
def test_the_share_searched_grows_to_one(family):
    """Each control adds an equal share, also where there is no condition number."""
    scenario = replace(SMALL, curvature=Curvature(family=family, modes=4))
    shares = [share_searched(found, scenario) for found in flip_stages(scenario, 0.0, None)]
    assert shares == [n / len(shares) for n in range(1, len(shares) + 1)]


def test_nothing_flips_it_is_an_answer():
    """A control that changes nothing has one line without a button."""
    scenario = replace(SMALL, mechanisms=("iid", "bisr"))
    found = flips_among(scenario, 0.0, "epsilon", [1.0])
    axis = MapAxis(name="condition", points=(99.0, 101.0))
    found += nearest_flips(scenario, 0.0, axis)
    (group,) = flip_groups(found, scenario, {})
    assert [line.control for line in group.lines] == ["", ""]
    assert "Nothing on this axis flips it" in group.lines[1].text


def test_a_pair_is_too_close_where_its_ranges_overlap(found):
    """Striped in the gap's map: the damages of a and b, with their uncertainty, overlap."""
    view = map_view(found, "gap", "dense", ("dense", "noisecurve"))
    a, b = KEYS.index("dense"), KEYS.index("noisecurve")
    for row, column in np.argwhere(found.stable):
        ranges = [(found.low[n, row, column], found.high[n, row, column]) for n in (a, b)]
        apart = ranges[0][1] < ranges[1][0] or ranges[1][1] < ranges[0][0]
        assert view.close[row, column] == (not apart)
    assert not map_view(found, "regret", "dense", PAIR).close.any()
