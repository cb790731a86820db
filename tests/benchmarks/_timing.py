"""What the benchmarks share: one core, medians, and a table of ratios."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Pin this process and its BLAS to one core; use it round the first engine import."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
    else:
        with threadpool_limits(limits=1):
            yield
        threadpool_limits(limits=1)


@dataclass(frozen=True)
class Timed:
    """The median seconds of some repeats, and the last value."""

    median: float
    value: Any


def timed(call: Callable[[], Any], *, repeats: int) -> Timed:
    """Call once to warm up, then `repeats` times; return the median time."""
    value = call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = call()
        times.append(time.perf_counter() - start)
    return Timed(float(np.median(times)), value)


def report(title: str, rows: Sequence[tuple[str, float, float]], ratio: str) -> None:
    """Print label, median milliseconds, and ratio."""
    width = max(len(label) for label, _, _ in rows)
    print(title)
    print(f"{'':{width}}  {'median ms':>11}  {ratio}")
    for label, seconds, factor in rows:
        print(f"{label:{width}}  {seconds * 1e3:11.2f}  {factor:.1f}")
