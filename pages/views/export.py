"""The data of a study as columns, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

import numpy as np

from momentdp_core import Study

COLUMNS = ("mechanism", "damage", "rank", "regret", "stable", "winner")
Columns = Mapping[str, Sequence[object]]


def study_columns(study: Study) -> Columns:
    """Return one row for each swept value and mechanism, values in full precision.

    The first column has the name of what is swept, such as momentum.
    rank is 0 and damage may be inf where training is unstable; regret is damage / best − 1.
    """
    count = len(study.mechanisms)
    told = (
        list(study.mechanisms) * len(study.values),
        *(part.T.ravel().tolist() for part in (study.damage, study.rank, study.regret)),
        study.stable.T.ravel().tolist(),
        (study.rank == 1).T.ravel().tolist(),
    )
    swept = np.repeat(study.values, count).tolist()
    return {study.scenario.optimizer.parameter: swept, **dict(zip(COLUMNS, told, strict=True))}


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
