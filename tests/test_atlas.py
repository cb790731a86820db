"""The crossover map: brute force cell by cell, and the curves between the winners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import (
    Curvature,
    MapAxis,
    Scenario,
    Schedule,
    damage_map,
    final_damage,
    map_stages,
    ranks,
)
from momentdp_core.axes import slices_at
from momentdp_core.lattice import DesignLattice
from momentdp_core.places import judge_of
from tests.oracles import state_space_damage

KEYS = ("iid", "dense", "banded_mean", "toeplitz_mean", "bisr", "lr_aware", "noisecurve")
SMALL = Scenario(horizon=16, bands=4, curvature=Curvature(modes=4), mechanisms=KEYS)
FIXED = replace(SMALL, mechanisms=KEYS[:-1])
AXES = {
    "value": MapAxis(name="value", points=tuple(np.linspace(0, 0.95, 9).tolist())),
    "rate": MapAxis(name="rate", points=tuple(np.geomspace(0.02, 4, 8).tolist())),
    "condition": MapAxis(name="condition", points=tuple(np.geomspace(1, 1000, 7).tolist())),
    "schedule": MapAxis(
        name="schedule",
        schedules=tuple(Schedule(family=f) for f in ("constant", "cosine", "step", "back_loaded")),
    ),
}
PAIRS = [
    ("value", "rate"),
    ("value", "condition"),
    ("value", "schedule"),
    ("rate", "condition"),
    ("schedule", "rate"),
    ("condition", "schedule"),
]


def setting(scenario, value, x, y, column, row):
    """The scenario and swept value of one cell, from the axes' own points."""
    for axis, n in ((x, column), (y, row)):
        if axis.name == "value":
            value = axis.points[n]
        elif axis.name == "rate":
            scenario = replace(scenario, learning_rate=axis.points[n])
        elif axis.name == "condition":
            curvature = replace(scenario.curvature, condition_number=axis.points[n])
            scenario = replace(scenario, curvature=curvature)
        else:
            scenario = replace(scenario, schedule=axis.schedules[n])
    return scenario, value


@pytest.mark.parametrize(("across", "up"), PAIRS)
def test_every_cell_is_what_its_own_scenario_says(across, up):
    """Damage, winner and stability of each cell are those of one scenario evaluated alone."""
    x, y = AXES[across], AXES[up]
    found = damage_map(FIXED, 0.6, x, y)
    assert found.ready.all()
    assert found.done == 1
    for row in range(len(y)):
        for column in range(len(x)):
            scenario, value = setting(FIXED, 0.6, x, y, column, row)
            expected = final_damage(scenario, [value])[:, 0]
            np.testing.assert_allclose(found.damage[:, row, column], expected, rtol=1e-8)
            peak = scenario.learning_rate * scenario.multipliers.max()
            stable = peak < 2 * (1 + value)
            assert found.stable[row, column] == stable
            place = ranks(expected) if stable else np.zeros(len(expected))
            winner = int(np.flatnonzero(place == 1)[0]) if stable else -1
            assert found.winner[row, column] == winner
            if stable:
                best, second = np.sort(expected)[:2]
                assert found.margin[row, column] == pytest.approx(second / best - 1, abs=1e-7)


@pytest.mark.parametrize(("across", "up"), PAIRS)
def test_boundaries_are_exact_and_lie_where_the_winner_changes(across, up):
    """At every point |Δ|/(D_a + D_b) ≤ 1e-6 and nobody is better; just beside it each one wins."""
    x, y = AXES[across], AXES[up]
    found = damage_map(FIXED, 0.6, x, y)
    assert found.boundaries
    for curve in found.boundaries:
        a, b = (KEYS.index(key) for key in (curve.first, curve.second))
        points = np.column_stack([curve.x, curve.y])
        if "schedule" in (x.name, y.name):  # a tick across its schedule's line of cells
            points = points.mean(axis=0, keepdims=True)
        for point in points:
            table = damage_near(FIXED, x, y, point)
            assert abs(table[a] - table[b]) / (table[a] + table[b]) <= 1e-6
            assert table.min() >= min(table[a], table[b]) * (1 - 1e-6)
            inside = np.flatnonzero(np.abs(point - np.round(point)) > 1e-3)
            if len(inside) != 1:  # three winners meet, or a cell's own place
                continue
            step = np.eye(2)[inside[0]] * 1e-4
            sides = [damage_near(FIXED, x, y, point + sign * step) for sign in (-1, 1)]
            assert len({bool(side[a] < side[b]) for side in sides}) == 2


def damage_near(scenario, x, y, spot):
    """D at a point of a curve, of the schedule whose tick it is, by the norm route."""
    own, value = scenario, 0.6
    for axis, position in ((x, spot[0]), (y, spot[1])):
        place = float(axis.at(np.array([position]))[0])
        if axis.name == "value":
            value = place
        elif axis.name == "rate":
            own = replace(own, learning_rate=place)
        elif axis.name == "condition":
            own = replace(own, curvature=replace(own.curvature, condition_number=place))
        else:
            own = replace(own, schedule=axis.schedules[int(place)])
    return final_damage(own, [value])[:, 0]


def test_curves_meet_where_three_winners_are_equal():
    """Somewhere on a fine map three curves share a point, and all three damages agree there."""
    x = MapAxis(name="value", points=tuple(np.linspace(0, 0.95, 25).tolist()))
    y = MapAxis(name="rate", points=tuple(np.geomspace(0.02, 1.9, 25).tolist()))
    found = damage_map(FIXED, 0.0, x, y)
    ends: dict[tuple[float, float], set[str]] = {}
    for curve in found.boundaries:
        for end in (0, -1):
            at = (float(curve.x[end]), float(curve.y[end]))
            ends.setdefault(at, set()).update((curve.first, curve.second))
    meetings = [(at, keys) for at, keys in ends.items() if len(keys) == 3]
    assert meetings
    for (px, py), keys in meetings:
        place = slices_at(FIXED, 0.0, (x, y), (np.array([px]), np.array([py])))[0]
        table = judge_of(FIXED, None).damage(place.places)[:, 0]
        damages = [table[KEYS.index(key)] for key in keys]
        assert max(damages) / min(damages) - 1 <= 1e-5


def test_a_redesigned_mechanism_is_judged_with_the_design_of_its_own_line():
    """Along the rate NoiseCurve's damage on a line is that of the design made there."""
    x, y = AXES["value"], AXES["rate"]
    *drafts, found = map_stages(SMALL, 0.0, x, y)
    assert [m.ready.sum() for m in drafts] == [9 * n for n in range(9)]
    assert not any(m.boundaries for m in drafts)
    assert np.all(np.diff([m.done for m in (*drafts, found)]) > 0)
    row = KEYS.index("noisecurve")
    assert np.isinf(drafts[0].damage[row]).all()
    line = 3
    scenario = replace(SMALL, learning_rate=y.points[line])
    lattice = DesignLattice(rates=np.array(y.points), conditions=np.array([100.0]))
    list(lattice.fill(SMALL))
    noising = np.linalg.inv(lattice.designs[line, 0].strategy_matrix())
    expected = [state_space_damage(scenario, noising, momentum) for momentum in x.points]
    np.testing.assert_allclose(found.damage[row, line], expected, rtol=1e-7)
    # By its own criterion it is as good as the design from scratch, which may differ elsewhere.
    assert expected[0] == pytest.approx(final_damage(scenario, [0.0])[row, 0], rel=1e-3)
    assert found.design_of(line, 2) == ((pytest.approx(y.points[line]), 100.0),)


def test_a_coarse_lattice_says_which_designs_a_cell_was_judged_with():
    """With rate and condition number both varied, a cell between lines names four designs."""
    x = MapAxis(name="rate", points=tuple(np.geomspace(0.02, 1.5, 17).tolist()))
    y = MapAxis(name="condition", points=tuple(np.geomspace(1, 1000, 17).tolist()))
    found = damage_map(replace(SMALL, horizon=8, mechanisms=("iid", "noisecurve")), 0.3, x, y)
    assert (len(found.design_rates), len(found.design_conditions)) == (9, 9)
    assert found.ready.all()
    assert np.isfinite(found.damage[:, found.stable]).all()
    named = found.design_of(1, 1)
    assert {rate for rate, _ in named} == {found.design_rates[0], found.design_rates[1]}
    assert {kappa for _, kappa in named} == {found.design_conditions[0], found.design_conditions[1]}
    assert len(found.design_of(2, 2)) == 1


def test_the_published_flip_is_on_the_map():
    """κ = 10, ηλmax = 0.8: NoiseCurve wins at μ = 0, Dense at 0.5, with a curve in between."""
    table_1 = Scenario(
        curvature=Curvature(condition_number=10), mechanisms=("dense", "banded_mean", "noisecurve")
    )
    x = MapAxis(name="value", points=(0.0, 0.25, 0.5, 0.9))
    y = MapAxis(name="condition", points=(5.0, 10.0, 20.0))
    found = damage_map(table_1, 0.0, x, y)
    keys = [found.mechanisms[n] for n in found.winner[1]]
    assert (keys[0], keys[2], keys[3]) == ("noisecurve", "dense", "dense")
    crossing = [
        px
        for c in found.boundaries
        if "noisecurve" in (c.first, c.second)
        for px, py in zip(c.x, c.y, strict=True)
        if py == 1
    ]
    assert len(crossing) == 1
    assert 0 < x.at(np.array(crossing))[0] < 0.5


def test_too_close_to_call_is_what_two_equally_good_designs_disagree_on():
    """A cell that NoiseCurve's two designs would give to different winners is too close to call."""
    scenario = Scenario(
        curvature=Curvature(condition_number=10), mechanisms=("dense", "noisecurve")
    )
    x = MapAxis(name="value", points=tuple(np.linspace(0.1, 0.95, 41).tolist()))
    found = damage_map(scenario, 0.0, x, AXES["schedule"])
    dense, own = found.damage[0], found.damage[1]
    outer = np.where(found.low[1] < own, found.low[1], found.high[1])
    disagree = (own < dense) != (outer < dense)
    assert disagree.any()
    assert found.too_close[disagree].all()
    assert not found.too_close[(found.high[1] < dense * 0.99) & (own < dense)].any()


def test_regret_gap_and_runner_up_are_read_off_the_damage():
    """Regret is D/min D − 1, the gap (D_a − D_b)/(D_a + D_b), the runner-up the second best."""
    found = damage_map(FIXED, 0.6, AXES["value"], AXES["condition"])
    table = found.damage[:, 4, 3]
    np.testing.assert_allclose(found.regret[:, 4, 3], table / table.min() - 1, rtol=1e-12)
    expected = (table[0] - table[1]) / (table[0] + table[1])
    assert found.gap("iid", "dense")[4, 3] == pytest.approx(expected, rel=1e-12)
    assert found.runner_up[4, 3] == np.argsort(table)[1]


def test_a_pair_has_curves_of_its_own():
    """On the curves of a pair both do equal damage, also where neither of them wins."""
    x, y = AXES["value"], AXES["condition"]
    found = damage_map(FIXED, 0.6, x, y)
    curves = found.boundaries_of("iid", "bisr")
    assert curves
    for curve in curves:
        for point in np.column_stack([curve.x, curve.y]):
            table = damage_near(FIXED, x, y, point)
            a, b = table[KEYS.index("iid")], table[KEYS.index("bisr")]
            assert abs(a - b) / (a + b) <= 1e-6
