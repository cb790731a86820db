"""How far a starting error grows over the schedule that is really run."""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray, read_only
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import error_path


def growth_over_schedule(scenario: Scenario, values: object) -> FloatArray:
    """Return the largest |e_t/e_0| over all modes and steps of the run without noise.

    max_i max_{t=0…T} |e_{i,t}|/|e_{i,0}|, at least 1 since t = 0 counts. The stability limit asks
    what a constant rate does for ever; this asks what the schedule does in its T steps: it stays
    finite where a decaying schedule is above the limit for a while only. For the averaging
    optimizers e_t is the average that is read out, which hides what the iterates below it do.

    Args:
        scenario: the problem and its optimizer.
        values: swept parameter, shape (M,).

    Returns:
        shape (M,), no unit; +inf where the numbers overflow, never NaN.

    Raises:
        InputError: a swept value is out of range.

    Source: theory of this project, "Stability"; MOMENT-DP, Eq. (2), for heavy ball's steps.

    >>> growth_over_schedule(Scenario(horizon=2, learning_rate=3.0), [0.0])
    array([4.])
    """
    swept = scenario.optimizer.check(values)
    system = scenario.optimizer.system(
        eigenvalues=scenario.eigenvalues, rates=scenario.step_sizes, values=swept
    )
    largest = np.ones(len(swept))
    with np.errstate(over="ignore", invalid="ignore"):
        for errors in error_path(system, np.ones(1)):
            # inf − inf gives NaN: the error is beyond the numbers' range.
            sizes = np.where(np.isfinite(errors), np.abs(errors), np.inf)
            largest = np.maximum(largest, sizes.max(axis=1))
    return read_only(largest)
