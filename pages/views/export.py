"""The data of a study as CSV."""

from __future__ import annotations

import csv
import io

from momentdp_core import Study

COLUMNS = ("mechanism", "damage", "rank", "regret", "stable", "winner")


def study_csv(study: Study) -> str:
    """Return one line for each swept value and mechanism, values in full precision.

    The first column has the name of what is swept, such as momentum.
    rank is 0 and damage may be inf where training is unstable; regret is damage / best − 1.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((study.scenario.optimizer.parameter, *COLUMNS))
    for at, value in enumerate(study.values.tolist()):
        for row, key in enumerate(study.mechanisms):
            writer.writerow(
                (
                    value,
                    key,
                    float(study.damage[row, at]),
                    int(study.rank[row, at]),
                    float(study.regret[row, at]),
                    bool(study.stable[row, at]),
                    key in study.winners[at],
                )
            )
    return out.getvalue()
