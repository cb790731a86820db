"""Time our designs beside jax_privacy's own optimisers: same process, same core, same loss.

    python -m tests.benchmarks.peer_designs [--horizon 128] [--bands 16] [--repeats 5] [--check]

jax_privacy is no dependency of momentdp. To compare, install it beside NumPy, SciPy and
threadpoolctl in an environment of its own (`pip install jax-privacy==2.0.0 jax`) and run this
file with that environment's Python. Without it, only our own times are shown.

The peer runs as its users call it: float64, default steps and stopping. It compiles anew in every
call, so its time is given three ways: the first call, the median of the later ones, and that
median without what JAX itself reports as tracing, lowering and compiling. Both sides' losses are
evaluated here from the returned matrix: mean squared error of prefix sums times squared
sensitivity, with dense NumPy and nothing of either library.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

# Both are read when the libraries load: one thread each.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np
from threadpoolctl import threadpool_limits

Design = Callable[[], np.ndarray]

# How many times faster than the peer's warm call each design has to be, at no larger loss.
NEEDED = {"dense": 10.0, "banded_mean": 5.0, "toeplitz_mean": 5.0, "bandinv_mean": 5.0}
# Losses this close (relatively) count as equal: both stop at their own tolerance.
EQUAL = 1e-6


@dataclass(frozen=True, kw_only=True)
class Timing:
    """One side's times in seconds and the loss it reached."""

    first: float
    median: float
    compiling: float
    loss: float


def mean_loss(strategy_matrix: np.ndarray) -> float:
    """Return ‖A C⁻¹‖²_F / T for prefix sums A, times the largest squared column norm of C."""
    horizon = len(strategy_matrix)
    factor = np.linalg.solve(strategy_matrix.T, np.tri(horizon).T)
    sensitivity = np.max(np.sum(strategy_matrix**2, axis=0))
    return float(np.sum(factor**2) / horizon * sensitivity)


def our_designs(horizon: int, bands: int) -> dict[str, Design]:
    """Return our uncached designs by key."""
    from momentdp_core.mechanisms import solve

    def design(key: str) -> Design:
        return lambda: np.asarray(solve(key, horizon=horizon, bands=bands).strategy_matrix())

    return {key: design(key) for key in NEEDED}


def peer_designs(horizon: int, bands: int) -> dict[str, Design] | None:
    """Return the peer's designs by our keys, or None where jax_privacy is not installed."""
    try:
        import jax
        from jax_privacy.matrix_factorization import banded, dense, toeplitz
    except ImportError as missing:
        print(f"jax_privacy cannot be compared here ({missing}): only our own times follow.")
        return None
    jax.config.update("jax_enable_x64", True)

    def toeplitz_mean() -> np.ndarray:
        coefficients = toeplitz.optimize_banded_toeplitz(horizon, bands)
        return np.asarray(toeplitz.materialize_lower_triangular(coefficients, horizon))

    def bandinv_mean() -> np.ndarray:
        coefficients = toeplitz.inverse_coef(peer_bandinv(horizon, bands), horizon)
        return np.asarray(toeplitz.materialize_lower_triangular(coefficients, horizon))

    return {
        "dense": lambda: np.asarray(dense.optimize(horizon)),
        "banded_mean": lambda: np.asarray(banded.optimize(horizon, bands=bands).materialize()),
        "toeplitz_mean": toeplitz_mean,
        "bandinv_mean": bandinv_mean,
    }


def peer_bandinv(horizon: int, bands: int) -> object:
    """Return the peer's banded coefficients of C⁻¹ with the least mean error.

    From 2.2 on there is `toeplitz.optimize_banded_inverse_toeplitz`. Before, a user has to compose
    it of the peer's own error, sensitivity, start and optimiser, as is done here. The padding is
    needed: `per_query_error` sums only over as many queries as it is given coefficients.
    """
    import jax.numpy as jnp
    from jax_privacy.matrix_factorization import optimization, toeplitz

    if hasattr(toeplitz, "optimize_banded_inverse_toeplitz"):
        return toeplitz.optimize_banded_inverse_toeplitz(horizon, horizon, bands)

    def loss(coefficients):  # type: ignore[no-untyped-def]
        padded = toeplitz.pad_coefs_to_n(coefficients, horizon)
        error = jnp.mean(toeplitz.per_query_error(noising_coef=padded, skip_checks=True))
        strategy = toeplitz.inverse_coef(coefficients, horizon)
        return error * toeplitz.sensitivity_squared(strategy, horizon)

    return optimization.optimize(loss, toeplitz.optimal_max_error_noising_coefs(bands))


@contextlib.contextmanager
def compile_clock() -> Iterator[list[float]]:
    """Collect the seconds that JAX reports as tracing, lowering and compiling; none without it."""
    seconds: list[float] = []
    jax = sys.modules.get("jax")
    if jax is None:
        yield seconds
        return

    def listen(event: str, duration: float, **_: object) -> None:
        if event.startswith("/jax/core/compile/"):
            seconds.append(duration)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield seconds
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def side_by_side(designs: dict[str, Design], repeats: int) -> dict[str, Timing]:
    """Time every side `repeats` times after its first call, taking turns."""
    first: dict[str, float] = {}
    later: dict[str, list[float]] = {side: [] for side in designs}
    compiling: dict[str, list[float]] = {side: [] for side in designs}
    losses: dict[str, float] = {}
    for turn in range(repeats + 1):
        for side, design in designs.items():
            with compile_clock() as compile_seconds:
                start = time.perf_counter()
                strategy_matrix = design()
                elapsed = time.perf_counter() - start
            if turn == 0:
                first[side], losses[side] = elapsed, mean_loss(strategy_matrix)
            else:
                later[side].append(elapsed)
                compiling[side].append(sum(compile_seconds))
    return {
        side: Timing(
            first=first[side],
            median=statistics.median(later[side]),
            compiling=statistics.median(compiling[side]),
            loss=losses[side],
        )
        for side in designs
    }


def report(results: dict[str, dict[str, Timing]]) -> list[str]:
    """Print the table and return the claims that were not met."""
    head = ("design", "peer first", "peer", "compiling", "ours first", "ours")
    ratios = ("ratio", "uncompiled", "needed", "peer loss", "our loss")
    print("  ".join(f"{name:>13}" for name in head + ratios), "(seconds; medians)")
    failures = []
    for key, sides in results.items():
        ours, peer = sides["ours"], sides.get("peer")
        if peer is None:
            cells = ["–", "–", "–", f"{ours.first:.4f}", f"{ours.median:.4f}"]
            cells += ["–", "–", f"{NEEDED[key]:g}", "–", f"{ours.loss:.9f}"]
        else:
            ratio = peer.median / ours.median
            uncompiled = (peer.median - peer.compiling) / ours.median
            cells = [f"{peer.first:.3f}", f"{peer.median:.3f}", f"{peer.compiling:.3f}"]
            cells += [f"{ours.first:.4f}", f"{ours.median:.4f}", f"{ratio:.1f}"]
            cells += [f"{uncompiled:.1f}", f"{NEEDED[key]:g}"]
            cells += [f"{peer.loss:.9f}", f"{ours.loss:.9f}"]
            if ratio < NEEDED[key]:
                failures.append(f"{key}: {ratio:.1f} times as fast, {NEEDED[key]:g} needed")
            if ours.loss > peer.loss * (1 + EQUAL):
                failures.append(f"{key}: loss {ours.loss:.9f} above the peer's {peer.loss:.9f}")
        print("  ".join(f"{cell:>13}" for cell in [key, *cells]))
    return failures


def main() -> int:
    """Run the comparison; with --check, exit 1 where a claim is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--horizon", type=int, default=128)
    parser.add_argument("--bands", type=int, default=16)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    parser.add_argument("--check", action="store_true", help="exit 1 where a claim is not met")
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    peer = peer_designs(options.horizon, options.bands)
    ours = our_designs(options.horizon, options.bands)
    results = {}
    with threadpool_limits(limits=1):
        for key in NEEDED:
            designs = ({"peer": peer[key]} if peer else {}) | {"ours": ours[key]}
            results[key] = side_by_side(designs, options.repeats)
    failures = report(results)
    if options.json:
        figures = {key: {s: asdict(t) for s, t in sides.items()} for key, sides in results.items()}
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)
    for failure in failures:
        print("not met –", failure)
    return int(options.check and bool(failures))


if __name__ == "__main__":
    sys.exit(main())
