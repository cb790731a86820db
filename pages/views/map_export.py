"""The cells of the map as one long table, and its setting as texts."""

from __future__ import annotations

import numpy as np

from momentdp_core import CrossoverMap, Scenario
from momentdp_core.axes import MapAxis
from pages.views import recipe
from pages.views.export import Columns, finite
from pages.views.swept import swept_of


def map_columns(atlas: CrossoverMap) -> Columns:
    """Return one row for each cell and mechanism, in full precision.

    What has no number, such as a rank where training is unstable, is None; ready says whether
    every mechanism was judged in the cell.
    """
    count, lines, columns = atlas.damage.shape
    across, up = _names(atlas, atlas.x), _names(atlas, atlas.y)
    cells = np.indices((count, lines, columns)).reshape(3, -1)
    mechanism, line, column = cells
    return {
        _title(atlas, atlas.x): [across[at] for at in column],
        _title(atlas, atlas.y): [up[at] for at in line],
        "mechanism": [atlas.mechanisms[at] for at in mechanism],
        "damage": finite(atlas.damage.ravel().tolist()),
        "rank": [int(rank) or None for rank in atlas.rank.ravel()],
        "stable": atlas.stable[line, column].tolist(),
        "ready": atlas.ready[line, column].tolist(),
    }


def map_setting(atlas: CrossoverMap, scenario: Scenario) -> recipe.Setting:
    """Return the texts of a map of a scenario; there is no command line for it.

    The map itself may stand at another rate, which its axis varies.
    """
    x, y = _title(atlas, atlas.x), _title(atlas, atlas.y)
    return recipe.Setting(
        caption=f"{x} against {y}; {recipe.problem(scenario)}.",
        python=recipe.map_as_python(scenario, atlas.value, atlas.x, atlas.y),
    )


def _title(atlas: CrossoverMap, axis: MapAxis) -> str:
    """Return the name of an axis as a column: as the engine's, or what is swept."""
    return swept_of(atlas.scenario.optimizer).key if axis.name == "value" else axis.name


def _names(atlas: CrossoverMap, axis: MapAxis) -> list[float] | list[str]:
    if axis.name == "schedule":
        return [schedule.family for schedule in axis.schedules]
    return [float(x) for x in axis.at(np.arange(len(axis), dtype=np.float64))]
