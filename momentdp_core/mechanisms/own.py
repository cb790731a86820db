"""The reader's own mechanism, from C, C⁻¹, X, K or Toeplitz coefficients: checked, then scaled.

The noise of a C of sensitivity s is σ s C⁻¹ Z, which is the noise σ (C/s)⁻¹ Z of a C of
sensitivity 1: so any C is divided by its sensitivity, and the mechanism stays the same one.
Making every column as long as the longest is more: it gives each step its full share of privacy,
and is another mechanism.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Final

import numpy as np

from momentdp_core import series
from momentdp_core.errors import FloatArray, InputError, check_choice, check_integer, check_vector
from momentdp_core.mechanisms.base import (
    DENSE_HORIZON_LIMIT,
    DesignProblem,
    Family,
    Mechanism,
    SolverReport,
)
from momentdp_core.mechanisms.dense import reversed_cholesky
from momentdp_core.mechanisms.structures import (
    BandedStrategy,
    DenseStrategy,
    Strategy,
    ToeplitzStrategy,
    unit_columns,
)

OWN_KEY: Final = "own"
# What can be given, and how it is called in messages.
KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "strategy": "C",
        "noising": "C⁻¹",
        "gram": "X",
        "covariance": "K",
        "strategy_series": "Toeplitz coefficients of C",
        "noising_series": "Toeplitz coefficients of C⁻¹",
    }
)
# What an own mechanism is that came in a design file, which says itself what is in it.
FROM_DESIGN: Final = "design"
SERIES: Final = frozenset({"strategy_series", "noising_series"})
# Entries beyond this share of the largest are no rounding.
ROUNDING = 1e-10
# Diagonals of C at sensitivity 1 that vary by no more than this are constant.
SAME_DIAGONAL = 1e-14
# C⁻¹ at sensitivity 1 may have entries up to this, so that K and the damage stay finite.
LARGEST = 1e100


@dataclass(frozen=True, kw_only=True)
class OwnMechanism:
    """A mechanism that was given as numbers; equal to another one when its content is.

    Args:
        kind: what was given, a key of KINDS or FROM_DESIGN.
        horizon: T.
        given_sensitivity: the largest column 2-norm of C as it was given.
        scaled_columns: whether every column of C was made as long as the others.
        digest: of C's content, which the strategy itself is too large for.
        strategy: C at sensitivity 1.
    """

    kind: str
    horizon: int
    given_sensitivity: float
    scaled_columns: bool
    digest: str
    strategy: Strategy = field(compare=False, repr=False)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism with the key "own"; its objective is its MeanSE."""
        error = float(self.strategy.prefix_errors().mean())
        return Mechanism(key=OWN_KEY, strategy=self.strategy, report=SolverReport(objective=error))


def own_mechanism(
    kind: str, values: object, *, horizon: int, scale_columns: bool = False
) -> OwnMechanism:
    """Return a mechanism from a matrix or from Toeplitz coefficients, at sensitivity 1.

    X = CᵀC, K = C⁻¹C⁻ᵀ; C is the lower-triangular factor. C is divided by its sensitivity, its
    largest column 2-norm; with `scale_columns` every column by its own.

    Args:
        kind: "strategy" (C), "noising" (C⁻¹), "gram" (X), "covariance" (K), "strategy_series" or
            "noising_series" (first column of a Toeplitz C or C⁻¹, zeros after its end).
        values: shape (T, T), or at most T coefficients.
        horizon: T ≥ 1; at most 4096 for matrices.
        scale_columns: give every column of C length 1.

    Raises:
        InputError: wrong shape, an entry that is not finite, one above the diagonal, a matrix
            that is singular, or not symmetric and positive definite.

    Source: theory of this project ("notation"): K = X⁻¹, X = CᵀC.

    >>> own = own_mechanism("strategy", [[2.0, 0.0], [0.0, 1.0]], horizon=2)
    >>> own.given_sensitivity, own.mechanism.strategy_matrix().tolist()
    (2.0, [[1.0, 0.0], [0.0, 0.5]])
    """
    check_choice("kind", kind, KINDS)
    steps = check_integer("horizon", horizon, low=1)
    name = KINDS[kind]
    # What overflows on the way is refused below.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if kind in SERIES:
            strategy, given = _from_series(kind, values, steps)
        else:
            strategy, given = _from_matrix(kind, values, steps)
        if not 0 < given < np.inf:
            raise _singular(name)
        if scale_columns:
            strategy = _structured(unit_columns(strategy.strategy_matrix()))
        noising = (
            strategy.noising_series
            if isinstance(strategy, ToeplitzStrategy)
            else strategy.noising_matrix()
        )
        largest = float(np.abs(noising).max())
    if not largest <= LARGEST:
        raise _singular(name)
    content = (
        strategy.strategy_series
        if isinstance(strategy, ToeplitzStrategy)
        else strategy.strategy_matrix()
    )
    digest = hashlib.sha256(np.ascontiguousarray(content + 0.0).tobytes())  # −0 is 0
    return OwnMechanism(
        kind=kind,
        horizon=steps,
        given_sensitivity=given,
        scaled_columns=scale_columns,
        digest=digest.hexdigest(),
        strategy=strategy,
    )


def _singular(name: str) -> InputError:
    return InputError(
        name,
        "nearly singular",
        f"a C and a C⁻¹ without entries beyond {LARGEST:g} at sensitivity 1",
        "Its noise would grow without bound: choose another one.",
    )


def _from_series(kind: str, values: object, horizon: int) -> tuple[Strategy, float]:
    name = KINDS[kind]
    found = np.array(check_vector(name, values))
    if len(found) > horizon:
        raise InputError(
            f"number of {name}", len(found), f"at most {horizon}, one a step", "Leave out the rest."
        )
    if found[0] == 0:
        raise InputError(
            f"{name}[0]", 0.0, "another number than 0", "Without it the matrix has no inverse."
        )
    if kind == "strategy_series":
        return ToeplitzStrategy(steps=horizon, strategy=found), float(np.linalg.norm(found))
    length = float(np.linalg.norm(series.inverse(found, horizon)))
    return ToeplitzStrategy(steps=horizon, noising=found), length


def _from_matrix(kind: str, values: object, horizon: int) -> tuple[Strategy, float]:
    from scipy.linalg import solve_triangular

    matrix = _checked_matrix(KINDS[kind], values, horizon)
    if kind in ("gram", "covariance"):
        matrix = _symmetric(KINDS[kind], matrix)
        factor = reversed_cholesky(matrix) if kind == "gram" else np.linalg.cholesky(matrix)
    else:
        factor = _triangular(KINDS[kind], matrix)
    inverted = kind in ("noising", "covariance")
    strategy = solve_triangular(factor, np.eye(horizon), lower=True) if inverted else factor
    strategy = np.asarray(strategy, dtype=np.float64)
    given = float(np.sqrt(np.einsum("tj,tj->j", strategy, strategy).max()))
    return _structured(strategy / given), given


def _checked_matrix(name: str, values: object, horizon: int) -> FloatArray:
    if horizon > DENSE_HORIZON_LIMIT:
        raise InputError(
            "horizon",
            horizon,
            f"at most {DENSE_HORIZON_LIMIT} for a matrix",
            "Give Toeplitz coefficients, or use fewer steps.",
        )
    wanted = f"{horizon} × {horizon} numbers, a row and a column for each step"
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "biuf":
            raise TypeError
        matrix = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            name, "no real numbers", wanted, "Give a matrix of plain numbers."
        ) from None
    if matrix.shape != (horizon, horizon):
        shown = " × ".join(map(str, matrix.shape)) or "one number"
        raise InputError(
            f"shape of {name}", shown, wanted, "Set the steps T to its size, or give another one."
        )
    bad = np.argwhere(~np.isfinite(matrix))
    if len(bad):
        row, column = bad[0].tolist()
        raise InputError(
            f"{name} in row {row + 1}, column {column + 1}",
            float(matrix[row, column]),
            "a finite number",
            "Correct this entry.",
        )
    return matrix


def _triangular(name: str, matrix: FloatArray) -> FloatArray:
    above = np.triu(matrix, 1)
    row, column = np.unravel_index(int(np.abs(above).argmax()), above.shape)
    if abs(above[row, column]) > ROUNDING * np.abs(matrix).max():
        raise InputError(
            f"{name} in row {row + 1}, column {column + 1}",
            float(above[row, column]),
            "0 above the diagonal (lower triangular)",
            "Noise cannot depend on later steps. If it is a root of X or K, give X or K.",
        )
    zero = np.flatnonzero(np.diag(matrix) == 0)
    if len(zero):
        raise InputError(
            f"{name} in row {zero[0] + 1}, column {zero[0] + 1}",
            0.0,
            "no 0 on the diagonal",
            "Without it the matrix has no inverse.",
        )
    return np.tril(matrix)


def _symmetric(name: str, matrix: FloatArray) -> FloatArray:
    gaps = np.abs(matrix - matrix.T)
    row, column = np.unravel_index(int(gaps.argmax()), gaps.shape)
    if gaps[row, column] > ROUNDING * np.abs(matrix).max():
        raise InputError(
            f"{name} in row {row + 1}, column {column + 1}",
            float(matrix[row, column]),
            f"{float(matrix[column, row]):.6g}, as on the other side of the diagonal (symmetric)",
            "If it is triangular, give it as C or C⁻¹.",
        )
    even = (matrix + matrix.T) / 2
    eigenvalues = np.linalg.eigvalsh(even)
    if eigenvalues[0] <= len(even) * np.finfo(float).eps * abs(eigenvalues[-1]):
        raise InputError(
            f"smallest eigenvalue of {name}",
            float(eigenvalues[0]),
            "a number well above 0 (positive definite)",
            "Check the matrix, or add a little to its diagonal.",
        )
    return np.asarray(even)


def _structured(matrix: FloatArray) -> Strategy:
    """Return a C of sensitivity 1 with the structure that it has: Toeplitz, banded or none."""
    if len(matrix) > 1 and np.abs(matrix[1:, 1:] - matrix[:-1, :-1]).max() <= SAME_DIAGONAL:
        return ToeplitzStrategy(steps=len(matrix), strategy=np.array(matrix[:, 0]))
    rows, columns = np.nonzero(matrix)
    bands = 1 + int((rows - columns).max())
    if 2 * bands > len(matrix):
        return DenseStrategy(matrix=matrix)
    stored = np.zeros((bands, len(matrix)))
    for k in range(bands):
        stored[k, : len(matrix) - k] = np.diag(matrix, -k)
    return BandedStrategy(bands=np.asfortranarray(stored))


def _refuse(_: DesignProblem) -> tuple[Strategy, SolverReport]:
    raise InputError(
        "mechanism", OWN_KEY, "one that can be designed", "Make it with own_mechanism."
    )


OWN = Family(
    key=OWN_KEY,
    label="Own mechanism",
    description="The mechanism that you brought.",
    build=_refuse,
)
