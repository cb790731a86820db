"""Designs as files: how they are written, and a reader that trusts nothing in them.

A design file is a .npz archive of three arrays, made without pickles. Schema, version 1:

- `header`: one text, JSON. `format` "momentdp-design"; `version` 1; `software` of the writer;
  `key`; `horizon` T; `structure` "dense", "banded" or "toeplitz"; `conditions`, a list of
  {scenario, value, weight, damage, best} (`scenario` as `Scenario.to_dict`, damages in loss units,
  `best` what no mechanism can beat there); `worst_case`; `relative`; `path_share` (left out: 0);
  `bands` or null; `sensitivity` {value, exact, method} under the conditions' participation;
  `noise_multiplier` σ for sensitivity 1; `certificate` {objective, bound, iterations, converged}:
  what was minimised, and what no design of its kind can beat.
- `strategy`: C, unit columns at most. dense: (T, T). banded: LAPACK band storage (b, T),
  strategy[k, j] = C[j+k, j], zeros where that leaves the matrix. toeplitz: coefficients c_0, c_1, …
- `noising`: C⁻¹. dense and banded: (T, T), present up to T = 1024 (beyond, it is left to the
  recurrence). toeplitz: coefficients n_0, n_1, …

Step noise is σ · `sensitivity.value` · row t of C⁻¹Z, times the clipping norm.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from momentdp_core.best import OptimalDesign, relative_gap
from momentdp_core.design_reader import (
    FORMAT,
    TOLERANCE,
    VERSION,
    Parts,
    read_parts,
    read_strategy,
    refused,
)
from momentdp_core.errors import FloatArray, InputError, check_real, check_vector, read_only
from momentdp_core.mechanisms import Mechanism, SolverReport
from momentdp_core.mechanisms.structures import (
    BandedStrategy,
    Strategy,
    ToeplitzStrategy,
)
from momentdp_core.participation import Sensitivity, strategy_sensitivity
from momentdp_core.ranges import Condition, RangeDesign
from momentdp_core.scenario import Scenario

# Beyond this horizon the (T, T) matrix C⁻¹ is not stored.
LARGEST_STORED_INVERSE = 1024


@dataclass(frozen=True, kw_only=True, eq=False)
class SavedDesign:
    """A design as a file holds it.

    Args:
        mechanism: C with its solver's report, sensitivity 1 for a single participation.
        conditions: the (scenario, swept value) pairs it was designed for.
        weights: w_c ≥ 0, Σw = 1, shape (n,).
        damage: D in each condition at the calibrated noise, shape (n,), loss units.
        best: in each condition no mechanism of one participation has a smaller D, shape (n,).
        worst_case: whether max_c was minimised rather than Σ w_c.
        relative: whether each damage counts as a multiple of `best`.
        bands: b, or None for a full design.
        sensitivity: under the conditions' participation.
        objective: what was minimised.
        bound: no design of its kind has a smaller objective.
        software: the version that made it.
        path_share: how much the mean damage over all steps counted beside the final one.
    """

    mechanism: Mechanism
    conditions: tuple[Condition, ...]
    weights: FloatArray
    damage: FloatArray
    best: FloatArray
    worst_case: bool
    relative: bool
    bands: int | None
    sensitivity: Sensitivity
    objective: float
    bound: float
    software: str
    path_share: float = 0.0

    @property
    def gap(self) -> float:
        """objective/bound − 1: at most this much is left to gain."""
        return relative_gap(self.objective, self.bound)

    @property
    def noise_multiplier(self) -> float:
        """σ times the sensitivity: the scale of C⁻¹Z for gradients clipped to norm 1."""
        return self.conditions[0][0].noise_multiplier * self.sensitivity.value


def saved(design: OptimalDesign | RangeDesign) -> SavedDesign:
    """Return what a file of this design holds.

    >>> from momentdp_core.best import optimal_design
    >>> saved(optimal_design(Scenario(horizon=4), 0.5)).weights
    array([1.])
    """
    from momentdp_core import __version__

    if isinstance(design, RangeDesign):
        conditions, weights = design.conditions, design.weights
        damage, best = design.damage, design.best
        objective, worst, relative = design.objective, design.worst_case, design.relative
    else:
        conditions, weights = ((design.scenario, design.value),), read_only(np.ones(1))
        damage, best = read_only(np.array([design.damage])), read_only(np.array([design.bound]))
        objective, worst, relative = design.damage, False, False
    return SavedDesign(
        mechanism=design.mechanism,
        conditions=tuple((scenario.without_own(), value) for scenario, value in conditions),
        weights=weights,
        damage=damage,
        best=best,
        worst_case=worst,
        relative=relative,
        bands=design.bands,
        sensitivity=design.sensitivity,
        objective=objective,
        bound=design.bound,
        software=__version__,
        path_share=design.path_share if isinstance(design, RangeDesign) else 0.0,
    )


def save_design(
    design: OptimalDesign | RangeDesign | SavedDesign, target: str | Path | BinaryIO
) -> None:
    """Write a design as a .npz file that training code can read: strategy, inverse, certificate.

    The same design gives the same arrays and header; a path is written whole or not at all.

    Args:
        design: from `optimal_design`, `range_design` or `load_design`.
        target: a path, taken as it is, or an open binary file.

    Raises:
        InputError: the path cannot be written.

    Source: schema of this project, version 1 (`momentdp_core.design_file`).

    >>> import io
    >>> from momentdp_core.best import optimal_design
    >>> file = io.BytesIO()
    >>> save_design(optimal_design(Scenario(horizon=4), 0.5), file)
    >>> load_design(file).mechanism.key
    'optimal'
    """
    kept = design if isinstance(design, SavedDesign) else saved(design)
    arrays = _arrays(kept.mechanism.strategy)
    text = json.dumps(_header(kept), allow_nan=False, sort_keys=True)
    if not isinstance(target, str | os.PathLike):
        np.savez_compressed(target, header=np.array(text), **arrays)  # type: ignore[arg-type]
        return
    content = io.BytesIO()
    np.savez_compressed(content, header=np.array(text), **arrays)  # type: ignore[arg-type]
    path = Path(target)
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(content.getvalue())
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise InputError(
            "out", str(target), "a path that can be written", f"{error.strerror}: choose another."
        ) from None


def load_design(source: str | Path | bytes | BinaryIO) -> SavedDesign:
    """Return the design in a file after checking all that it says; no pickle is ever opened.

    Checked: sizes before anything is read, the schema, shapes, finite numbers, a lower-triangular C
    with a positive diagonal and sensitivity 1, C · C⁻¹ = I, and the stated sensitivity.

    Args:
        source: a path, the file's bytes, or an open binary file.

    Raises:
        InputError: no such file, not a design, too large, or inconsistent.

    Source: schema of this project, version 1 (`momentdp_core.design_file`).

    >>> load_design(b"something else")
    Traceback (most recent call last):
    ...
    momentdp_core.errors.InputError: design file = ... is not allowed: ...
    """
    parts = read_parts(source)
    try:
        return _design(parts.header, parts)
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise refused(f"header, {error!r}", f"the fields of version {VERSION}") from None


def _arrays(strategy: Strategy) -> dict[str, FloatArray]:
    if isinstance(strategy, ToeplitzStrategy):
        return {"strategy": strategy.strategy_series, "noising": strategy.noising_series}
    matrix = strategy.bands if isinstance(strategy, BandedStrategy) else strategy.strategy_matrix()
    arrays = {"strategy": np.ascontiguousarray(matrix)}
    if strategy.horizon <= LARGEST_STORED_INVERSE:
        arrays["noising"] = np.tril(strategy.noising_matrix())
    return arrays


def _structure(strategy: Strategy) -> str:
    if isinstance(strategy, ToeplitzStrategy):
        return "toeplitz"
    return "banded" if isinstance(strategy, BandedStrategy) else "dense"


def _header(kept: SavedDesign) -> dict[str, Any]:
    report = kept.mechanism.report
    rows = zip(kept.conditions, kept.weights, kept.damage, kept.best, strict=True)
    return {
        "format": FORMAT,
        "version": VERSION,
        "software": kept.software,
        "key": kept.mechanism.key,
        "horizon": kept.mechanism.horizon,
        "structure": _structure(kept.mechanism.strategy),
        "conditions": [
            {
                "scenario": scenario.to_dict(),
                "value": value,
                "weight": float(weight),
                "damage": float(damage),
                "best": float(best),
            }
            for (scenario, value), weight, damage, best in rows
        ],
        "worst_case": kept.worst_case,
        "relative": kept.relative,
        "path_share": kept.path_share,
        "bands": kept.bands,
        "sensitivity": asdict(kept.sensitivity),
        "noise_multiplier": kept.conditions[0][0].noise_multiplier,
        "certificate": {
            "objective": kept.objective,
            "bound": kept.bound,
            "iterations": report.iterations,
            "converged": report.converged,
        },
    }


def _design(header: Mapping[str, Any], parts: Parts) -> SavedDesign:
    strategy = read_strategy(parts)
    rows = header["conditions"]
    conditions = tuple((Scenario.from_dict(row["scenario"]), float(row["value"])) for row in rows)
    for scenario, value in conditions:
        scenario.optimizer.check(value)
        if scenario.horizon != strategy.horizon:
            raise refused("a condition of another horizon", "the horizon of its strategy")
    weights, damage, best = (_column(rows, name) for name in ("weight", "damage", "best"))
    first = conditions[0][0]
    reach = strategy_sensitivity(strategy, first.participations, first.min_separation)
    stated = Sensitivity(**header["sensitivity"])
    if not abs(stated.value - reach.value) <= TOLERANCE * reach.value:
        raise refused(f"sensitivity {stated.value}", f"that of its strategy, {reach.value:g}")
    proof = header["certificate"]
    objective, bound = float(proof["objective"]), float(proof["bound"])
    if not 0 <= bound <= objective < np.inf:
        raise refused(f"bound {bound}", f"at most its objective, {objective:g}")
    report = SolverReport(
        objective=objective,
        lower_bound=bound,
        iterations=int(proof["iterations"]),
        converged=bool(proof["converged"]),
    )
    return SavedDesign(
        mechanism=Mechanism(key=str(header["key"])[:40], strategy=strategy, report=report),
        conditions=conditions,
        weights=weights,
        damage=damage,
        best=best,
        worst_case=bool(header["worst_case"]),
        relative=bool(header["relative"]),
        bands=None if header["bands"] is None else int(header["bands"]),
        sensitivity=replace(reach, value=stated.value),
        objective=objective,
        bound=bound,
        software=str(header["software"])[:40],
        path_share=check_real("path_share", header.get("path_share", 0.0), low=0),
    )


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> FloatArray:
    return check_vector(f"{name} in the design file", [row[name] for row in rows], low=0)
