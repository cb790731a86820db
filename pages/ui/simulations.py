"""The simulations that pages start, as functions that another process can find and run."""

from __future__ import annotations

from typing import Any

from momentdp_core import Scenario
from momentdp_core.experiments.execution import plain
from momentdp_core.experiments.own_case import simulate_pair
from momentdp_core.experiments.progress import Tell
from momentdp_core.experiments.validation import LARGEST_SHARE, SimulatedGap, validate_registry


def simulate_registry(name: str, seed: int, tell: Tell) -> Any:
    """Validate a registry; return the record as plain values."""
    return plain(validate_registry(name, seed=seed, tell=tell))


def simulate_own(
    scenario: Scenario, predicted: str, other: str, value: float, seed: int, tell: Tell
) -> SimulatedGap:
    """Simulate the reader's own pair."""

    def after_runs(runs: int, share: float) -> None:
        # The half-width falls with the root of the runs.
        done = min(1.0, (LARGEST_SHARE / share) ** 2) if share > 0 else 1.0
        tell(done, f"{runs} runs: the half-width is {100 * min(share, 99):.0f} % of the difference")

    return simulate_pair(scenario, predicted, other, value, seed=seed, progress=after_runs)
