"""Structured mechanisms at T = 100 000: python -m tests.benchmarks.long_horizon

d = 16, b = 32, five momenta, one core, in a process of its own so that its peak memory is its own.
Designs are solved afresh, not read from the cache.
"""

from __future__ import annotations

import resource
import sys
import time

from tests.benchmarks._timing import one_core

with one_core():
    import numpy as np

    from momentdp_core import Scenario, Schedule, final_damage
    from momentdp_core.mechanisms import MECHANISMS, registry
    from momentdp_core.mechanisms.base import Mechanism

KEYS = (
    "iid",
    "toeplitz_mean",
    "toeplitz_max",
    "bisr",
    "bandinv_mean",
    "bandinv_max",
    "sqrt",
    "lr_aware",
)
MOMENTA = (0.0, 0.5, 0.9, 0.95, 0.99)


def main() -> None:
    """Time the designs and the damages, and print the peak memory."""
    scenario = Scenario(
        horizon=100_000,
        bands=32,
        learning_rate=0.1,
        schedule=Schedule(family="cosine"),
        mechanisms=KEYS,
    )
    solved: dict[str, Mechanism] = {}
    problem = registry.problem_of(
        horizon=scenario.horizon, bands=scenario.bands, multipliers=scenario.multipliers
    )
    start = time.perf_counter()
    for key in KEYS:
        began = time.perf_counter()
        solved[key] = MECHANISMS[key].solve(problem)
        print(f"design {key:14} {time.perf_counter() - began:7.2f} s")
    print(f"all designs           {time.perf_counter() - start:7.2f} s")
    registry.cache.load = lambda name: None  # the fresh designs below, not a stored one
    registry._design.cache_clear()
    registry._design = lambda key, reduced: solved[key]  # type: ignore[assignment]
    start = time.perf_counter()
    values = final_damage(scenario, MOMENTA)
    print(f"damage, 8 mechanisms × 5 momenta {time.perf_counter() - start:7.2f} s")
    scale = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale / 2**30
    print(f"peak memory {peak:.2f} GiB")
    assert np.isfinite(values).all()
    for key, row in zip(KEYS, values, strict=True):
        print(f"{key:14}", *(f"{value:10.4g}" for value in row))


if __name__ == "__main__":
    main()
