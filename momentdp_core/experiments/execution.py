"""Studies run one by one, in several processes, or on a Dask cluster, and kept as they finish."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from momentdp_core.errors import InputError
from momentdp_core.experiments.progress import Tell, nobody

PACKAGE = Path(__file__).parents[1]
# Results of earlier runs that come with the program are no part of what computes new ones.
RESULTS = PACKAGE / "experiments" / "results"
# What a study did: its key, seed, time, versions, verdicts and record, as JSON-like values.
Outcome = dict[str, Any]
TellStudy = Callable[[str, float, str], None]
CONNECT_SECONDS = 10
PROGRESS = "momentdp-progress"


def nobody_of_study(key: str, share: float, text: str) -> None:
    """Tell nobody.

    >>> nobody_of_study("rankings", 0.5, "half of it")
    """


def environment() -> dict[str, str]:
    """Return the versions that a result depends on.

    >>> sorted(environment())
    ['machine', 'momentdp', 'numpy', 'python', 'scipy']
    """
    import numpy
    import scipy

    from momentdp_core import __version__

    return {
        "momentdp": __version__,
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }


@lru_cache(maxsize=1)
def source_digest() -> str:
    """Return a SHA-256 over the engine's files, so that results of another version are not kept.

    >>> len(source_digest())
    64
    """
    state = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*")):
        if path.suffix in {".py", ".json", ".npz"} and path.parent != RESULTS:
            state.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
            state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()


def run_study(key: str, seed: int, tell: Tell = nobody) -> Outcome:
    """Run one study and judge every claim that rests on it.

    Args:
        key: of EXPERIMENTS.
        seed: ≥ 0.
        tell: told how far it is.

    >>> run_study("lr_aware_limit", 0)["verdicts"][0]["claim"]
    'M20'
    """
    from momentdp_core.experiments.claims import EXPERIMENTS, judge

    start = time.perf_counter()
    record = EXPERIMENTS[key].run(seed, tell)
    verdicts = judge(record, key)
    return {
        "study": key,
        "title": EXPERIMENTS[key].title,
        "seed": seed,
        "seconds": round(time.perf_counter() - start, 3),
        "environment": environment(),
        "source": source_digest(),
        "verdicts": [plain(verdict) for verdict in verdicts],
        "record": plain(record),
    }


def plain(value: Any) -> Any:
    """Return records, arrays and tuples as the dicts and lists that JSON gives back.

    What is no finite number becomes None.

    >>> plain({"a": (1, float("inf"))})
    {'a': [1, None]}
    """
    import numpy as np

    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(x) for key, x in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return [plain(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def study_path(folder: Path, key: str) -> Path:
    """Return where the outcome of a study is kept.

    >>> study_path(Path("out"), "rankings").name
    'rankings.json'
    """
    return folder / "studies" / f"{key}.json"


def keep(folder: Path, outcome: Outcome) -> None:
    """Write the outcome of a study, whole or not at all."""
    path = study_path(folder, outcome["study"])
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(outcome, file, indent=1, allow_nan=False, ensure_ascii=False)
    os.replace(temporary, path)


def kept(folder: Path, key: str, seed: int) -> Outcome | None:
    """Return a kept outcome of this study, seed, code and versions; None when there is none."""
    try:
        outcome: Outcome = json.loads(study_path(folder, key).read_text(encoding="utf-8"))
        told = (outcome["study"], outcome["seed"], outcome["source"], outcome["environment"])
        complete = isinstance(outcome["verdicts"], list) and outcome["seconds"] >= 0
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return outcome if complete and told == (key, seed, source_digest(), environment()) else None


def run_studies(
    keys: Sequence[str],
    *,
    seed: int,
    jobs: int = 1,
    scheduler: str | None = None,
    tell: TellStudy = nobody_of_study,
) -> Iterator[Outcome]:
    """Yield the outcome of each study as it finishes, in any order.

    Args:
        keys: of EXPERIMENTS.
        seed: ≥ 0, given to every study.
        jobs: processes on this machine.
        scheduler: address of a Dask scheduler that is to run them instead.
        tell: told the key of a study, how far it is, and what it does next: in this process, in
            the worker's own of several, and here on behalf of a cluster.

    Raises:
        InputError: the scheduler cannot be reached, or its library is missing.
    """
    from momentdp_core.experiments.claims import EXPERIMENTS

    ordered = sorted(keys, key=lambda key: not EXPERIMENTS[key].long)
    if scheduler is not None:
        yield from _on_cluster(ordered, seed, scheduler, tell)
    elif jobs == 1 or len(ordered) < 2:
        for key in ordered:
            yield run_study(key, seed, partial(tell, key))
    else:
        from joblib import Parallel, delayed

        workers = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")
        yield from workers(delayed(_in_worker)(key, seed, tell) for key in ordered)


def _in_worker(key: str, seed: int, tell: TellStudy) -> Outcome:
    import signal

    # Ctrl-C reaches the whole process group; only the parent is to answer it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return run_study(key, seed, partial(tell, key))


def _on_node(key: str, seed: int) -> Outcome:
    from distributed import get_worker

    worker = get_worker()
    return run_study(key, seed, lambda share, text: worker.log_event(PROGRESS, [key, share, text]))


def _on_cluster(keys: Sequence[str], seed: int, address: str, tell: TellStudy) -> Iterator[Outcome]:
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise InputError(
            "backend", "dask", "a backend whose library is installed", "pip install distributed"
        ) from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise InputError(
            "scheduler", address, "the address of a running Dask scheduler", f"({error})"
        ) from None
    with client:
        client.subscribe_topic(PROGRESS, lambda event: tell(*event[1]))
        tasks = [client.submit(_on_node, key, seed, pure=False) for key in keys]
        try:
            for task in as_completed(tasks):
                yield task.result()
        finally:
            client.cancel(tasks)
