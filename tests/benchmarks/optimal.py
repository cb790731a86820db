"""Time the best mechanisms on one core, and jax_privacy's own optimisers on the same workload.

    python -m tests.benchmarks.optimal [--repeats 3] [--long] [--check]

jax_privacy is no dependency of momentdp. To compare, install it beside NumPy, SciPy and
threadpoolctl in an environment of its own (`pip install jax-privacy==2.0.0 jax`) and run this file
with that environment's Python. Without it only our own times are shown. The peer runs as its users
call it (float64, default steps and stopping) and compiles anew in every call, so its times include
compiling. All times are processor seconds of one core, which other load changes little. The peer
takes a lower-triangular workload: a root of LᵀL with 1e-12 of its mean diagonal
added. Both sides' losses are evaluated here, from the returned matrix, by dense NumPy.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np

from tests.benchmarks._timing import Timed, one_core

BANDS, LONG_BANDS, MOMENTUM, SWEEP = 16, 32, 0.9, np.linspace(0, 0.99, 101)
# Largest allowed processor seconds, at T = 128 but for the last.
NEEDED = {"full": 1.0, "banded": 0.6, "sweep of 101": 8.0, "banded sweep": 8.0, "T = 1024": 30.0}
# σ = 1 figures of the prototype at μ = 0.9: condition number, rate, schedule → banded, full, bound.
PROTOTYPE = {
    (100.0, 0.8, "constant"): (10.91, 10.61, 10.57),
    (100.0, 0.8, "cosine"): (0.411, 0.347, 0.346),
    (10.0, 0.1, "constant"): (0.549, 0.530, 0.525),
}


def timed(call: Callable[[], Any], *, repeats: int) -> Timed:
    """Call `repeats` times; return the median processor time and the last value."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        value = call()
        times.append(time.process_time() - start)
    return Timed(float(np.median(times)), value)


def loss(strategy_matrix: np.ndarray, factor: np.ndarray) -> float:
    """Return ‖L C⁻¹‖²_F times the largest squared column norm of C."""
    released = np.linalg.solve(strategy_matrix.T, factor.T)
    return float(np.sum(released**2) * np.max(np.sum(strategy_matrix**2, axis=0)))


def triangular_root(factor: np.ndarray) -> np.ndarray:
    """Return a lower-triangular A with AᵀA = LᵀL up to 1e-12 of its trace."""
    horizon = factor.shape[1]
    load = factor.T @ factor
    load += 1e-12 * np.trace(load) / horizon * np.eye(horizon)
    return np.array(np.linalg.cholesky(load[::-1, ::-1])[::-1, ::-1].T)


def peer_designs(factor: np.ndarray) -> dict[str, Callable[[], np.ndarray]] | None:
    """Return the peer's full and banded designs for L, or None where it is not installed."""
    try:
        import jax
        import jax.numpy as jnp
        from jax_privacy.matrix_factorization import banded, dense, streaming_matrix
    except ImportError as missing:
        print(f"jax_privacy cannot be compared here ({missing}): only our own times follow.\n")
        return None
    jax.config.update("jax_enable_x64", True)
    horizon = factor.shape[1]
    workload = jnp.asarray(triangular_root(factor))

    def begin(first: Any) -> Any:
        return jnp.array(0), jnp.zeros((horizon, *first.shape), dtype=workload.dtype)

    def following(row: Any, state: Any) -> Any:
        step, seen = state
        seen = seen.at[step].set(row)
        return jnp.tensordot(workload[step], seen, 1), (step + 1, seen)

    streamed = streaming_matrix.StreamingMatrix.from_array_implementation(begin, following)
    return {
        "full": lambda: np.asarray(dense.optimize(horizon, A=workload)),
        "banded": lambda: np.asarray(
            banded.optimize(horizon, bands=BANDS, A=streamed).materialize()
        ),
    }


def prototype_table() -> None:
    """Print what is reached beside the prototype's figures, at σ = 1."""
    from momentdp_core import Curvature, Scenario, Schedule, final_damage, optimal_design

    print("damage at σ = 1, μ = 0.9, T = 128: reached (prototype)")
    heads = "".join(f" {head:>18}" for head in ("banded 16", "full", "bound"))
    print(f"{'condition, rate, schedule':26} {'pool':>8}{heads}")
    for (kappa, rate, family), (banded, full, bound) in PROTOTYPE.items():
        scenario = Scenario(
            curvature=Curvature(condition_number=kappa),
            learning_rate=rate,
            schedule=Schedule(family=family),
        )
        unit = scenario.noise_multiplier**2
        pool = final_damage(scenario, [MOMENTUM]).min() / unit
        best = optimal_design(scenario, MOMENTUM)
        short = optimal_design(scenario, MOMENTUM, bands=BANDS)
        cells = [
            f"{value / unit:.4f} ({known:g})"
            for value, known in ((short.damage, banded), (best.damage, full), (best.bound, bound))
        ]
        name = f"{kappa:g}, {rate:g}, {family}"
        print(f"{name:26} {pool:8.4f} " + " ".join(f"{cell:>18}" for cell in cells))
        print(f"{'':26} gap: full {best.gap:.3%}, banded {short.gap:.3%}")
    print()


def main() -> int:
    """Run the comparison; with --check, exit 1 where a claim is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--long", action="store_true", help="also T = 1024 with 32 bands")
    parser.add_argument("--check", action="store_true", help="exit 1 where a claim is not met")
    options = parser.parse_args()
    with one_core():
        from momentdp_core import Scenario, optimal_curve, optimal_design, workload_factor

        prototype_table()
        scenario = Scenario()
        factor = workload_factor(scenario, MOMENTUM)
        ours: dict[str, Timed] = {
            "full": timed(lambda: optimal_design(scenario, MOMENTUM), repeats=options.repeats),
            "banded": timed(
                lambda: optimal_design(scenario, MOMENTUM, bands=BANDS), repeats=options.repeats
            ),
            "sweep of 101": timed(lambda: optimal_curve(scenario, SWEEP), repeats=1),
            "banded sweep": timed(lambda: optimal_curve(scenario, SWEEP, BANDS), repeats=1),
        }
        if options.long:
            long = Scenario(horizon=1024)
            ours["T = 1024"] = timed(
                lambda: optimal_design(long, MOMENTUM, bands=LONG_BANDS), repeats=1
            )
        peers = peer_designs(factor) or {}
        rivals = {key: timed(design, repeats=1) for key, design in peers.items()}
    failures = []
    print(f"{'':14} {'ours s':>9} {'needed':>7} {'largest gap':>12} {'our loss':>11}", end="")
    print(f" {'peer s':>9} {'peer loss':>11}")
    for key, mine in ours.items():
        gap = float(np.max(mine.value.gap))
        line = f"{key:14} {mine.median:9.3f} {NEEDED[key]:7g} {gap:12.4%}"
        if mine.median > NEEDED[key]:
            failures.append(f"{key}: {mine.median:.3f} s, {NEEDED[key]:g} s allowed")
        if key in rivals:
            reached = loss(mine.value.mechanism.strategy_matrix(), factor)
            other = loss(rivals[key].value, factor)
            line += f" {reached:11.5f} {rivals[key].median:9.3f} {other:11.5f}"
            if reached > other * (1 + 1e-6):
                failures.append(f"{key}: loss {reached:.6g} above the peer's {other:.6g}")
            if mine.median > rivals[key].median:
                failures.append(f"{key}: slower than the peer")
        print(line)
    for failure in failures:
        print("not met –", failure)
    return int(options.check and bool(failures))


if __name__ == "__main__":
    sys.exit(main())
