"""Strategy matrices C by structure: dense, banded, Toeplitz.

Each knows its sensitivity and how to apply its noising matrix C⁻¹ without forming more than it
must; the matrices themselves are built only when asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from momentdp_core import series
from momentdp_core.errors import FloatArray, read_only

# A Toeplitz side with at most this many coefficients is applied by shifted sums or band solves,
# a longer one by FFT.
SHORT = 256


class Strategy(Protocol):
    """What every structure offers; `rows` are vectors of length T along the last axis."""

    @property
    def horizon(self) -> int:
        """T."""
        ...

    @property
    def sensitivity(self) -> float:
        """Largest column 2-norm of C (single participation)."""
        ...

    def apply_noising(self, rows: FloatArray) -> FloatArray:
        """Return rows C⁻¹, shape (…, T)."""
        ...

    def strategy_matrix(self) -> FloatArray:
        """Return C, shape (T, T)."""
        ...

    def noising_matrix(self) -> FloatArray:
        """Return C⁻¹, shape (T, T)."""
        ...

    def prefix_errors(self) -> FloatArray:
        """Return the squared 2-norm of each row of A C⁻¹, shape (T,), for A = tril(1)."""
        ...


def _row_norms_of_prefix(noising: FloatArray) -> FloatArray:
    released = np.cumsum(noising, axis=0)
    return np.asarray(np.einsum("tj,tj->t", released, released))


@dataclass(frozen=True, kw_only=True, eq=False)
class DenseStrategy:
    """A full lower-triangular C.

    >>> DenseStrategy(matrix=np.eye(2)).sensitivity
    1.0
    """

    matrix: FloatArray

    def __post_init__(self) -> None:
        read_only(self.matrix)

    @property
    def horizon(self) -> int:
        """T."""
        return len(self.matrix)

    @property
    def sensitivity(self) -> float:
        """Largest column 2-norm of C."""
        return float(np.sqrt(np.einsum("tj,tj->j", self.matrix, self.matrix).max()))

    def apply_noising(self, rows: FloatArray) -> FloatArray:
        """Return rows C⁻¹ by one triangular solve, Cᵀ yᵀ = rowsᵀ."""
        from scipy.linalg.lapack import dtrtrs

        flat = rows.reshape(-1, self.horizon)
        # Fortran order for Cᵀ without a copy: C.T of a C-ordered C, stored as upper triangle.
        solved, _ = dtrtrs(self.matrix.T, flat.T, lower=0)
        return np.asarray(solved.T).reshape(rows.shape)

    def strategy_matrix(self) -> FloatArray:
        """Return C."""
        return self.matrix

    def noising_matrix(self) -> FloatArray:
        """Return C⁻¹."""
        return self.apply_noising(np.eye(self.horizon))

    def prefix_errors(self) -> FloatArray:
        """Return the squared row norms of A C⁻¹."""
        return _row_norms_of_prefix(self.noising_matrix())


@dataclass(frozen=True, kw_only=True, eq=False)
class BandedStrategy:
    """A lower-banded C in LAPACK band storage: bands[k, j] = C[j+k, j], shape (b, T).

    >>> BandedStrategy(bands=np.array([[1.0, 1.0], [0.5, 0.0]])).strategy_matrix()
    array([[1. , 0. ],
           [0.5, 1. ]])
    """

    bands: FloatArray

    def __post_init__(self) -> None:
        read_only(self.bands)

    @property
    def horizon(self) -> int:
        """T."""
        return int(self.bands.shape[1])

    @property
    def sensitivity(self) -> float:
        """Largest column 2-norm of C."""
        return float(np.sqrt(np.einsum("kj,kj->j", self.bands, self.bands).max()))

    def apply_noising(self, rows: FloatArray) -> FloatArray:
        """Return rows C⁻¹ by one band solve, Cᵀ yᵀ = rowsᵀ: O(b T) a row."""
        return solve_banded_transposed(self.bands, rows)

    def strategy_matrix(self) -> FloatArray:
        """Return C."""
        matrix = np.zeros((self.horizon, self.horizon))
        for k, band in enumerate(self.bands):
            np.fill_diagonal(matrix[k:], band)
        return matrix

    def noising_matrix(self) -> FloatArray:
        """Return C⁻¹."""
        return self.apply_noising(np.eye(self.horizon))

    def prefix_errors(self) -> FloatArray:
        """Return the squared row norms of A C⁻¹."""
        return _row_norms_of_prefix(self.noising_matrix())


def solve_banded_transposed(bands: FloatArray, rows: FloatArray) -> FloatArray:
    """Return rows C⁻¹ for a lower-banded C, i.e. solve Cᵀ yᵀ = rowsᵀ; shapes (b, T), (…, T).

    >>> solve_banded_transposed(np.array([[2.0, 2.0]]), np.array([2.0, 4.0]))
    array([1., 2.])
    """
    from scipy.linalg.lapack import dtbtrs

    flat = rows.reshape(-1, rows.shape[-1])
    solved, _ = dtbtrs(bands, flat.T, uplo="L", trans="T")
    return np.asarray(solved.T).reshape(rows.shape)


@dataclass(frozen=True, kw_only=True, eq=False)
class ToeplitzStrategy:
    """A lower-triangular Toeplitz C, given by its own coefficients or by those of C⁻¹.

    Exactly one side is given; the other is the inverse series. Both are scaled so that the first
    column of C, its longest, has 2-norm 1.

    Args:
        steps: T.
        strategy: c_0, c_1, … of C (at most T), or None.
        noising: n_0, n_1, … of C⁻¹ (at most T), or None.

    >>> bool(np.isclose(ToeplitzStrategy(steps=4, noising=np.array([1.0, -0.5])).sensitivity, 1))
    True
    """

    steps: int
    strategy: FloatArray | None = None
    noising: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.strategy is not None:
            kept = self.strategy[: self.steps]
            with np.errstate(over="ignore", invalid="ignore"):
                scaled = kept / _norm(kept)
            object.__setattr__(self, "strategy", read_only(scaled))
        elif self.noising is not None:
            kept = self.noising[: self.steps]
            scaled = kept * _norm(series.inverse(kept, self.steps))
            object.__setattr__(self, "noising", read_only(scaled))

    @property
    def horizon(self) -> int:
        """T."""
        return self.steps

    @cached_property
    def strategy_series(self) -> FloatArray:
        """The coefficients of C, as short as they are known."""
        if self.strategy is not None:
            return self.strategy
        assert self.noising is not None
        return read_only(series.inverse(self.noising, self.steps))

    @cached_property
    def noising_series(self) -> FloatArray:
        """The coefficients of C⁻¹, as short as they are known."""
        if self.noising is not None:
            return self.noising
        assert self.strategy is not None
        return read_only(series.inverse(self.strategy, self.steps))

    @property
    def sensitivity(self) -> float:
        """2-norm of the first column of C."""
        return _norm(self.strategy_series)

    def apply_noising(self, rows: FloatArray) -> FloatArray:
        """Return rows C⁻¹: y_j = Σ_k n_k rows_{j+k}; O(b T) or O(T log T) a row."""
        if self.noising is not None and len(self.noising) <= SHORT:
            out: FloatArray = self.noising[0] * rows
            for k in range(1, len(self.noising)):
                out[..., :-k] += self.noising[k] * rows[..., k:]
            return out
        if self.strategy is not None and len(self.strategy) <= SHORT:
            bands = np.broadcast_to(self.strategy[:, None], (len(self.strategy), self.steps))
            return solve_banded_transposed(np.asfortranarray(bands), rows)
        flat = rows.reshape(-1, self.steps)
        out = np.empty_like(flat)
        points = 1 << (2 * self.steps - 1).bit_length()
        spectrum = np.fft.rfft(self.noising_series, points)
        for index, row in enumerate(flat):  # one row at a time keeps the memory at O(T)
            mirrored = np.fft.irfft(np.fft.rfft(row[::-1], points) * spectrum, points)
            out[index] = mirrored[: self.steps][::-1]
        return out.reshape(rows.shape)

    def strategy_matrix(self) -> FloatArray:
        """Return C."""
        return _toeplitz(self.strategy_series, self.steps)

    def noising_matrix(self) -> FloatArray:
        """Return C⁻¹."""
        return _toeplitz(self.noising_series, self.steps)

    def prefix_errors(self) -> FloatArray:
        """Return the squared row norms of A C⁻¹: Σ_{k≤t} s_k², s the running sum of n."""
        with np.errstate(over="ignore", invalid="ignore"):
            released = np.cumsum(series.pad(self.noising_series, self.steps))
            return np.asarray(np.cumsum(released**2))


def _norm(vector: FloatArray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.linalg.norm(vector))


def _toeplitz(coefficients: FloatArray, size: int) -> FloatArray:
    column = np.concatenate([np.zeros(size - 1), series.pad(coefficients, size)])
    windows: FloatArray = np.lib.stride_tricks.sliding_window_view(column, size)
    return np.array(windows[:, ::-1])


def unit_columns(matrix: FloatArray) -> FloatArray:
    """Return `matrix` with every column divided by its 2-norm, so that sensitivity is 1.

    >>> unit_columns(np.array([[3.0, 0.0], [4.0, 2.0]]))
    array([[0.6, 0. ],
           [0.8, 1. ]])
    """
    return np.asarray(matrix / np.sqrt(np.einsum("tj,tj->j", matrix, matrix)))
