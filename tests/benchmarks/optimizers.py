"""Every optimizer's sweep beside heavy ball's: python -m tests.benchmarks.optimizers

101 values × 11 mechanisms at T = 128, d = 16, for all optimizers, those with a state of at most 4
numbers a mode first; and the stability limit at 100 values beside an eigenvalue problem for each
value and rate of a bisection. All run in one process on one core.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tests.benchmarks._timing import one_core, report, timed

with one_core():
    import numpy as np

    from momentdp_core import OPTIMIZERS, Curvature, Scenario, final_damage
    from momentdp_core.optimizers import DpPmlf, InnerOuter, LinearOptimizer, PerSampleMomentum

VALUES = np.linspace(0.005, 0.99, 101)
SCENARIO = Scenario(curvature=Curvature(condition_number=10))
# Windows short enough for a state of 4, beside the default ones.
SMALL = {
    "per_sample_momentum, k = 3": PerSampleMomentum(steps=3),
    "dp_pmlf, k = 3": DpPmlf(steps=3),
    "inner_outer, k = 3": InnerOuter(steps=3),
}
# Those without a closed form for the limit.
SEARCHED = ("lp_dpsgd", "filter", "per_sample_momentum", "dp_pmlf", "inner_outer")
PLAIN_VALUES = 10


def state_size(optimizer: LinearOptimizer) -> int:
    """Return how many numbers a mode's state has."""
    rates = SCENARIO.step_sizes
    return optimizer.system(eigenvalues=np.ones(1), rates=rates, values=np.full(1, 0.5)).size


def plain_limit(optimizer: LinearOptimizer, values: np.ndarray, window: int) -> np.ndarray:
    """Bisect the spectral radius of each value by itself, from the first unstable grid rate on."""
    grid, out = np.geomspace(1e-3, 1e5, 265), []

    def unstable(rate: float, value: float) -> bool:
        system = optimizer.system(
            eigenvalues=np.ones(1), rates=np.full(window, rate), values=np.array([value])
        )
        return bool(np.abs(np.linalg.eigvals(system.matrix(window - 1))).max() >= 1)

    for value in values.tolist():
        first = next(k for k, rate in enumerate(grid) if unstable(float(rate), value))
        low, high = float(grid[first - 1]), float(grid[first])
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if unstable(middle, value) else (middle, high)
        out.append(high)
    return np.array(out)


def sweeps(entries: dict[str, LinearOptimizer]) -> None:
    """Time the sweep of every optimizer in units of heavy ball's."""
    sizes = {name: state_size(optimizer) for name, optimizer in entries.items()}

    def sweep(name: str) -> np.ndarray:
        own = replace(SCENARIO, optimizer=entries[name])
        return final_damage(own, VALUES, route="contraction")

    base = timed(lambda: sweep("heavy_ball"), repeats=21).median
    names = sorted(entries, key=lambda name: (sizes[name], name))
    medians = {name: timed(partial(sweep, name), repeats=9).median for name in names}
    report(
        "sweep of 101 values × 11 mechanisms, T = 128, d = 16",
        [(f"{name} (state {sizes[name]})", medians[name], medians[name] / base) for name in names],
        "times heavy ball's time",
    )
    largest = max(medians[name] / base for name in names if sizes[name] <= 4)
    print(f"largest ratio with a state of at most 4: {largest:.1f}")


def limits(entries: dict[str, LinearOptimizer]) -> None:
    """Time the limits that have no closed form, and check them against eigenvalues."""
    few, rows, apart = VALUES[: 10 * PLAIN_VALUES : 10], [], []
    for name, optimizer in entries.items():
        settled = (
            replace(optimizer, normalise=False) if hasattr(optimizer, "normalise") else optimizer
        )
        window = getattr(optimizer, "steps", 1)
        ours = timed(partial(optimizer.stability_limit, VALUES[: 10 * PLAIN_VALUES]), repeats=5)
        plain = timed(partial(plain_limit, settled, few, window), repeats=1)
        rows.append((name, ours.median, 10 * plain.median / ours.median))
        apart.append(np.abs(ours.value[::10] / plain.value - 1).max())
    report(
        f"stability limit at {10 * PLAIN_VALUES} values (the plain way at a tenth of them, scaled)",
        rows,
        "times the speed of eigenvalues value by value",
    )
    print(f"largest relative difference: {max(apart):.1e}")


def main() -> None:
    """Time the sweeps and the limits."""
    entries = {key: kind() for key, kind in OPTIMIZERS.items()}
    sweeps({**entries, **SMALL})
    limits({key: entries[key] for key in SEARCHED})


if __name__ == "__main__":
    main()
