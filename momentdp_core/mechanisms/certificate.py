"""A lower bound on what any banded strategy can reach, from the dual of the convex problem."""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray


def banded_lower_bound(factor: FloatArray, strategy: FloatArray, bands: int) -> float:
    """Return a proven lower bound of tr(L X⁻¹ Lᵀ) over all b-banded X ⪰ 0 with diag(X) = 1.

    For any V ⪰ 0 that is zero on the band beside the diagonal, tr(V X) = tr V, and
    tr(L X⁻¹ Lᵀ) + tr(V X) ≥ 2 ‖L V^½‖_*; at V's best scale the bound is ‖L V^½‖²_* / tr V.
    V is taken from the stationarity condition at C: X⁻¹ LᵀL X⁻¹ with the band put to zero and
    shifted to be positive semidefinite. The closer C is to the optimum, the tighter the bound;
    it holds for any C.

    Args:
        factor: L, shape (rows, T).
        strategy: C with X = CᵀC, shape (T, T), unit columns.
        bands: b.

    Source: theory of this project ("Certificate"), extended to banded X.

    >>> banded_lower_bound(np.eye(3), np.eye(3), 1)
    3.0
    """
    horizon = len(strategy)
    inverse = np.linalg.inv(strategy.T @ strategy)
    solved = factor @ inverse
    dual = solved.T @ solved
    offset = np.abs(np.subtract.outer(np.arange(horizon), np.arange(horizon)))
    dual[(offset > 0) & (offset < bands)] = 0.0
    values, vectors = np.linalg.eigh(dual)
    values = values - min(0.0, float(values[0]))
    root = vectors * np.sqrt(values)
    nuclear = float(np.linalg.svd(factor @ root, compute_uv=False).sum())
    return nuclear**2 / float(values.sum())
