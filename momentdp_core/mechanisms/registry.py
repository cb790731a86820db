"""The mechanisms by key, the paper's pool, and how a design is found: solved, cached or shipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from momentdp_core import cache
from momentdp_core.errors import FloatArray, check_choice
from momentdp_core.mechanisms.banded import BANDED_MAX, BANDED_MEAN
from momentdp_core.mechanisms.base import DesignProblem, Family, Mechanism, SolverReport
from momentdp_core.mechanisms.buffered import BLT_MAX, BLT_MEAN
from momentdp_core.mechanisms.closed_form import BISR, IID, LR_AWARE, SQRT
from momentdp_core.mechanisms.dense import DENSE
from momentdp_core.mechanisms.noisecurve import NOISECURVE
from momentdp_core.mechanisms.own import OWN
from momentdp_core.mechanisms.structures import (
    BandedStrategy,
    DenseStrategy,
    Strategy,
    ToeplitzStrategy,
)
from momentdp_core.mechanisms.toeplitz import (
    BANDINV_MAX,
    BANDINV_MEAN,
    TOEPLITZ_MAX,
    TOEPLITZ_MEAN,
)

# The paper's pool of eleven, in the order of every table and legend.
_POOL = (
    IID,
    DENSE,
    BANDED_MEAN,
    BANDED_MAX,
    TOEPLITZ_MEAN,
    TOEPLITZ_MAX,
    BISR,
    BANDINV_MEAN,
    BANDINV_MAX,
    LR_AWARE,
    NOISECURVE,
)
POOL: tuple[str, ...] = tuple(family.key for family in _POOL)
_BESIDE = (SQRT, BLT_MEAN, BLT_MAX)
MECHANISMS: Mapping[str, Family] = MappingProxyType({f.key: f for f in (*_POOL, *_BESIDE)})
# Every key that a scenario can have: these, and the mechanism that the reader brings.
FAMILIES: Mapping[str, Family] = MappingProxyType({**MECHANISMS, OWN.key: OWN})

SHIPPED_FILE = Path(__file__).parent / "shipped.npz"


def problem_of(
    *,
    horizon: int,
    bands: int = 16,
    multipliers: Iterable[float] | None = None,
    eigenvalues: Iterable[float] | None = None,
    learning_rate: float | None = None,
    buffers: int = 4,
) -> DesignProblem:
    """Return a DesignProblem from plain numbers and lists.

    >>> problem_of(horizon=4, multipliers=np.ones(4)).multipliers
    (1.0, 1.0, 1.0, 1.0)
    """
    return DesignProblem(
        horizon=horizon,
        bands=bands,
        multipliers=None if multipliers is None else tuple(multipliers),
        eigenvalues=None if eigenvalues is None else tuple(eigenvalues),
        learning_rate=learning_rate,
        buffers=buffers,
    )


def solve(key: str, **parameters: Any) -> Mechanism:
    """Solve a design from scratch, with no cache.

    Args:
        key: key of MECHANISMS.
        parameters: as for `problem_of`: horizon, bands, multipliers, eigenvalues, learning_rate,
            buffers.

    Raises:
        InputError: unknown key, or a parameter missing or out of range.

    >>> solve("bisr", horizon=4, bands=2).noising_matrix().round(3)[1]
    array([-0.576,  1.152,  0.   ,  0.   ])
    """
    return MECHANISMS[check_choice("mechanism", key, MECHANISMS)].solve(problem_of(**parameters))


def design(key: str, **parameters: Any) -> Mechanism:
    """Return a design: from memory, from the shipped file, from the user's cache, or solved.

    Args, Raises: as for `solve`.

    >>> round(design("dense", horizon=128).mean_squared_error, 6)
    5.340727
    """
    family = MECHANISMS[check_choice("mechanism", key, MECHANISMS)]
    return _design(key, family.reduced(problem_of(**parameters)))


@lru_cache(maxsize=64)  # with its covariance, 4 MB each at T = 512
def _design(key: str, problem: DesignProblem) -> Mechanism:
    family = MECHANISMS[key]
    if not family.iterative:
        return family.solve(problem)
    name = design_name(key, problem)
    record = _shipped().get(_identity(name)) or cache.load(name)
    if record is not None and (kept := _from_record(key, problem, record)) is not None:
        return kept
    mechanism = family.solve(problem)
    cache.save(name, asdict(mechanism.report), _arrays_of(mechanism.strategy))
    return mechanism


def design_name(key: str, problem: DesignProblem) -> dict[str, Any]:
    """Return the JSON-like parameters that identify a design.

    >>> design_name("dense", DesignProblem(horizon=4, bands=1))["key"]
    'dense'
    """
    fields = asdict(problem)
    if "buffers" not in MECHANISMS[key].depends_on:
        del fields["buffers"]  # it came later: names made before it stay what they were
    return {"key": key} | {
        name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()
    }


def _identity(name: Mapping[str, Any]) -> str:
    return cache.digest_of(name, {})


def _arrays_of(strategy: Strategy) -> dict[str, FloatArray]:
    if isinstance(strategy, BandedStrategy):
        return {"bands": strategy.bands}
    if isinstance(strategy, DenseStrategy):
        # A lower triangle needs half the space of its matrix.
        return {"triangle": strategy.matrix[np.tril_indices(strategy.horizon)]}
    assert isinstance(strategy, ToeplitzStrategy)
    side = "strategy" if strategy.strategy is not None else "noising"
    return {side: getattr(strategy, side)}


def _from_record(key: str, problem: DesignProblem, record: cache.Record) -> Mechanism | None:
    """Rebuild a mechanism; None when the arrays are not a strategy of sensitivity 1."""
    values, arrays = record
    horizon = problem.horizon
    try:
        strategy: Strategy
        if "bands" in arrays:
            strategy = BandedStrategy(bands=np.asfortranarray(arrays["bands"]))
        elif "triangle" in arrays:
            matrix = np.zeros((horizon, horizon))
            matrix[np.tril_indices(horizon)] = arrays["triangle"]
            strategy = DenseStrategy(matrix=matrix)
        else:
            strategy = ToeplitzStrategy(steps=horizon, **arrays)
        report = SolverReport(**values)
        sound = strategy.horizon == horizon and abs(strategy.sensitivity - 1) < 1e-9
    except (TypeError, ValueError):
        return None
    return Mechanism(key=key, strategy=strategy, report=report) if sound else None


@lru_cache(maxsize=1)
def _shipped() -> dict[str, cache.Record]:
    """Return the designs that ship with the package; empty while the file is being made."""
    records: dict[str, cache.Record] = {}
    if not SHIPPED_FILE.exists():
        return records
    import json

    with np.load(SHIPPED_FILE, allow_pickle=False) as archive:
        index = json.loads(str(archive["index"]))
        if index["version"] != cache.DESIGN_VERSION:
            return records
        for number, entry in enumerate(index["designs"]):
            prefix = f"{number}."
            arrays = {
                name.removeprefix(prefix): np.array(archive[name])
                for name in archive.files
                if name.startswith(prefix)
            }
            records[_identity(entry["name"])] = (entry["values"], arrays)
    return records
