"""The private logistic regression: python -m tests.benchmarks.logistic

Four conditions × 30 replicates × eleven mechanisms at the paper's size, once with every design
solved afresh and then with the designs at hand; then the parts of the loss and one rate sweep.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

from tests.benchmarks._timing import one_core

with one_core(), tempfile.TemporaryDirectory() as _FOLDER:
    os.environ["MOMENTDP_CACHE_DIR"] = _FOLDER

    from momentdp_core.experiments.logistic_data import paper_problem
    from momentdp_core.experiments.logistic_parts import excess_parts
    from momentdp_core.experiments.logistic_ranks import foretelling
    from momentdp_core.experiments.logistic_runs import (
        COMPARED,
        CONDITIONS,
        LogisticSettings,
        run_logistic,
    )
    from momentdp_core.experiments.pmlf import PmlfSettings, filter_ablation, method_ordering

LIMIT = 10.0


def row(label: str, call: Callable[[], Any]) -> tuple[float, Any]:
    """Print the seconds of one call, and how many of them the processor worked for it."""
    start, busy = time.perf_counter(), time.process_time()
    value = call()
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    print(f"{label:40} {seconds:7.2f} s, {busy:6.2f} s of work")
    return seconds, value


def main() -> None:
    """Time the study and hold it to its limit."""
    _, problem = row("data, calibration and optimum", lambda: paper_problem(0))
    settings = LogisticSettings()
    first, study = row("study, designs solved", lambda: run_logistic(problem, settings))
    row("study, designs at hand", lambda: run_logistic(problem, settings))
    row("parts of the loss, one condition", lambda: excess_parts(problem, settings, "L1"))
    broad = LogisticSettings(conditions=tuple(CONDITIONS))
    _, wide = row("study of nine conditions", lambda: run_logistic(problem, broad))
    row("what the damage foretells", lambda: foretelling(wide, "optimizer_aware", COMPARED))
    row("order of four methods", lambda: method_ordering(problem, PmlfSettings()))
    row(
        "filter ablation, 100 replicates",
        lambda: filter_ablation(problem, PmlfSettings(replicates=100)),
    )
    assert len(study.runs) == 4
    assert study.runs[0].excess.shape == (30, 11)
    print(f"limit {LIMIT:.0f} s for the study: {'met' if first <= LIMIT else 'NOT met'}")


if __name__ == "__main__":
    main()
