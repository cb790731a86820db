"""A pair of mechanisms on any scenario, held against simulated training like a frozen case."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from momentdp_core.errors import InputError, check_choice, check_integer
from momentdp_core.experiments.validation import MOST_RUNS, SimulatedGap, adaptive_gap
from momentdp_core.mechanisms import MECHANISMS
from momentdp_core.scenario import Scenario
from momentdp_core.updates import UPDATES

LONGEST = 512
# What the two are told apart by: fewer runs take seconds, and 95 % of it is seen while waiting.
OWN_RUNS = MOST_RUNS // 4


def simulate_pair(
    scenario: Scenario,
    predicted: str,
    other: str,
    value: float,
    *,
    seed: int = 0,
    most_runs: int = OWN_RUNS,
    progress: Callable[[int, float], None] | None = None,
) -> SimulatedGap:
    """Simulate both mechanisms on the same draws until the half-width is a quarter of the gap.

    Args:
        scenario: the problem; T ≤ 512.
        predicted: key of the mechanism that should do less damage.
        other: key of another one.
        value: of the optimizer's swept parameter.
        seed: of the draws, ≥ 0.
        most_runs: simulated trainings after which the gap counts as unresolved.
        progress: told the runs so far and the half-width as a share of the gap.

    Raises:
        InputError: the two are one, a value is out of range, or losses overflow.

    Source: MOMENT-DP, Appendix D ("Independent validation"), for any case.

    >>> simulate_pair(Scenario(horizon=4), "bisr", "iid", 0.5, most_runs=10).runs
    10
    """
    for name, key in (("predicted", predicted), ("other", other)):
        check_choice(name, key, MECHANISMS)
    if predicted == other:
        raise InputError("other", other, "another mechanism", "Choose two different mechanisms.")
    check_integer("horizon", scenario.horizon, low=1, high=LONGEST)
    swept = float(scenario.optimizer.check([value])[0])
    sigma = scenario.noise_multiplier
    run = UPDATES[scenario.optimizer.key]
    lam, steps = scenario.eigenvalues, scenario.step_sizes
    generator = np.random.default_rng(check_integer("seed", seed, low=0))
    with np.errstate(over="ignore", invalid="ignore"):
        gap = adaptive_gap(
            [sigma * scenario.design(key).noising_matrix() for key in (predicted, other)],
            lambda noise: run(scenario.optimizer, swept, lam, steps, noise),
            lam,
            pair=(predicted, other),
            value=swept,
            generator=generator,
            most_runs=check_integer("most_runs", most_runs, low=2),
            progress=progress,
        )
    if not np.isfinite([gap.gap, gap.half_width, gap.relative]).all():
        raise InputError(
            "scenario",
            "losses beyond all numbers",
            "a setting under which training is stable",
            "Use a smaller peak rate.",
        )
    return gap
