"""The data of "Mechanisms" as one long table: the matrices as drawn, and the table's numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momentdp_core import Study, noise_memory
from pages.views.export import Columns
from pages.views.mechanisms import MatricesView

COLUMNS = ("chart", "quantity", "mechanism", "row", "column", "value")
_Row = tuple[str, str, str, float | None, float | None, float]


def mechanisms_columns(study: Study, value: float, key: str, matrices: MatricesView) -> Columns:
    """Return what the page shows, one row a number, in full precision.

    row and column count steps, from 1; where a cell of a heat map stands for several entries, they
    are its middle. What is above the diagonal of C and C⁻¹ is 0 and left out. The table's numbers
    are at the swept value; damage is missing where training is unstable.

    Args:
        study: of the mechanisms in the table.
        value: one of the study's.
        key: whose matrices are shown.
        matrices: as they are drawn.
    """
    rows = [*_cells(key, matrices), *_table(study, study.at(value))]
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def _cells(key: str, view: MatricesView) -> Iterator[_Row]:
    for matrix in view.matrices:
        whole = matrix.key == "covariance"
        shown = np.isfinite(matrix.cells) & (whole | np.tri(len(matrix.cells), dtype=np.bool_))
        for row, column in np.argwhere(shown).tolist():
            place = float(matrix.steps[row]), float(matrix.steps[column])
            yield "matrices", matrix.key, key, *place, float(matrix.cells[row, column])


def _table(study: Study, at: int) -> Iterator[_Row]:
    scenario = study.scenario
    for place, key in enumerate(study.mechanisms):
        mechanism, scale = scenario.design(key), scenario.sensitivity(key).value
        told = {
            "mean_error": scale**2 * mechanism.mean_squared_error,
            "max_error": scale**2 * mechanism.max_squared_error,
            "sensitivity": scale,
            "memory": float(noise_memory(scenario, key)),
        }
        if study.rank[place, at]:
            told["damage"] = float(study.damage[place, at])
        for quantity, number in told.items():
            if np.isfinite(number):
                yield "table", quantity, key, None, None, float(number)
