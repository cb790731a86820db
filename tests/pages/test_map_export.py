"""What can be taken away of the map: its cells, and a program that makes it again."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest

from momentdp_core import MapAxis, Scenario, Schedule, damage_map
from momentdp_core.atlas import CrossoverMap
from pages.views.map_export import map_columns, map_setting

SCENARIO = Scenario(horizon=8, bands=2, mechanisms=("iid", "dense", "bisr"))
AXES = {
    "rate": MapAxis(name="rate", points=(0.1, 0.4, 3.0)),
    "schedule": MapAxis(
        name="schedule", schedules=(Schedule(), Schedule(family="step", step_stages=2))
    ),
}


@pytest.fixture(params=list(AXES))
def found(request: pytest.FixtureRequest) -> CrossoverMap:
    """A small finished map over momentum and another axis."""
    momentum = MapAxis(name="value", points=(0.0, 0.5, 0.9))
    return damage_map(SCENARIO, 0.0, momentum, AXES[request.param])


def test_columns_are_the_cells(found: CrossoverMap) -> None:
    """Each row is one mechanism in one cell, with the engine's damage and rank."""
    columns = map_columns(found)
    assert {len(column) for column in columns.values()} == {found.damage.size}
    rows = list(zip(*columns.values(), strict=True))
    assert list(columns)[:2] == ["momentum", found.y.name]
    across = found.x.at(np.arange(len(found.x))).tolist()
    for place, row in enumerate(rows):
        n, line, column = np.unravel_index(place, found.damage.shape)
        assert row[0] == across[column]
        damage, rank = found.damage[n, line, column], int(found.rank[n, line, column])
        told = damage if np.isfinite(damage) else None
        assert row[2:5] == (found.mechanisms[n], told, rank or None)
    lines = {row[1] for row in rows}
    assert len(lines) == len(found.y)


def test_the_copied_program_makes_the_map_again(found: CrossoverMap) -> None:
    """Run as it stands, it prints the winner of every cell."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(map_setting(found, SCENARIO).python, {})
    printed = [[int(x) for x in line.split()] for line in out.getvalue().splitlines()]
    np.testing.assert_array_equal(printed, found.winner)
