"""The data of a study as CSV."""

from __future__ import annotations

import csv
import io

from momentdp_core import Study

COLUMNS = ("momentum", "mechanism", "damage", "rank", "regret", "stable", "winner")


def study_csv(study: Study) -> str:
    """Return one line for each momentum and mechanism, values in full precision.

    rank is 0 and damage may be inf where training is unstable; regret is damage / best − 1.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for at, momentum in enumerate(study.values.tolist()):
        for row, key in enumerate(study.mechanisms):
            writer.writerow(
                (
                    momentum,
                    key,
                    float(study.damage[row, at]),
                    int(study.rank[row, at]),
                    float(study.regret[row, at]),
                    bool(study.stable[row, at]),
                    key in study.winners[at],
                )
            )
    return out.getvalue()
