"""The data of a study as columns, as CSV, and as a result for JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from momentdp_core import Study
from momentdp_core.report import study_to_dict
from pages.views.best import Best

COLUMNS = ("mechanism", "damage", "rank", "regret", "stable", "winner")
BEST_COLUMNS = ("best_design", "best_bound", "times_best")
Columns = Mapping[str, Sequence[object]]


def study_columns(study: Study, best: Best | None = None) -> Columns:
    """Return one row for each swept value and mechanism, values in full precision.

    The first column has the name of what is swept, such as momentum. What has no number, such as a
    rank where training is unstable, is None; regret is damage / best − 1.

    Args:
        study: whose numbers to give.
        best: the best possible, where it is shown: what its designs reach, what no mechanism can
            beat, and the damages as multiples of that.
    """
    count = len(study.mechanisms)
    told: dict[str, Sequence[object]] = {
        study.scenario.optimizer.parameter: np.repeat(study.values, count).tolist(),
        "mechanism": list(study.mechanisms) * len(study.values),
        "damage": finite(study.damage.T.ravel().tolist()),
        "rank": [int(rank) or None for rank in study.rank.T.ravel()],
        "regret": finite(study.regret.T.ravel().tolist()),
        "stable": study.stable.T.ravel().tolist(),
        "winner": (study.rank == 1).T.ravel().tolist(),
    }
    if best is not None:
        parts = (best.damage, best.bound)
        wide = [np.repeat(part, count).tolist() for part in parts]
        multiples = best.multiples(study).T.ravel().tolist()
        told |= dict(zip(BEST_COLUMNS, map(finite, (*wide, multiples)), strict=True))
    return told


def study_result(study: Study, best: Best | None = None) -> dict[str, Any]:
    """Return a study as the command line prints it, and the best possible where it is shown.

    `best_possible` has what the designs reach and what nothing can beat at every swept value, and
    each mechanism `times_best`; None where there is no number, or none yet.
    """
    told = study_to_dict(study)
    if best is not None:
        told["best_possible"] = {
            "damage": finite(best.damage.tolist()),
            "bound": finite(best.bound.tolist()),
        }
        for entry, row in zip(told["mechanisms"], best.multiples(study), strict=True):
            entry["times_best"] = finite(row.tolist())
    return told


def finite(values: Iterable[float]) -> list[float | None]:
    """Return numbers with None for what is none.

    >>> finite([1.5, float("inf"), float("nan")])
    [1.5, None, None]
    """
    return [value if np.isfinite(value) else None for value in values]


def as_csv(columns: Columns) -> str:
    """Return columns as CSV; what is None stays empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def study_csv(study: Study) -> str:
    """Return the study's columns as CSV."""
    return as_csv(study_columns(study))
