"""Stability limits of optimizers that have no closed form, for all swept values at once.

A step uses one gradient, so A(λ) − A(0) has rank one, and the characteristic polynomial is affine
in λ: p(z; x) = p_0(z) + x (p_1(z) − p_0(z)) at a rate of 1 and λ = x. Whether all its roots lie
inside the unit circle is told by the Schur–Cohn recursion, without any eigenvalue.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from momentdp_core.errors import FloatArray
from momentdp_core.optimizers.base import LinearOptimizer

# The ηλ that are tried, and into how many parts a step between two of them is cut in one round.
TRIED = np.concatenate([[0.0], np.geomspace(1e-3, 1e5, 265)])
PARTS = 32
PRECISION = 1e-9


def settled_limit(optimizer: LinearOptimizer, values: FloatArray, *, window: int = 1) -> FloatArray:
    """Return the smallest ηλ > 0 at which the settled system stops being stable, (M,).

    The settled system is the last of `window` steps of a constant rate. ηλ is tried on a grid from
    1e-3 to 1e5, and the first step that leaves stability is narrowed to a relative 1e-9; +inf
    where the whole grid is stable.

    Args:
        optimizer: one without parts of the state that only record, such as an average.
        values: swept parameter, shape (M,).
        window: after how many steps the system no longer changes.

    Source: Schur (1917) and Cohn (1922), as in Jury (1964), for the test of the roots.

    >>> from momentdp_core.optimizers import HeavyBall
    >>> settled_limit(HeavyBall(), np.array([0.5])).round(6)
    array([3.])
    """
    flat, curved = (_characteristic(optimizer, values, window, x) for x in (0.0, 1.0))
    stable = roots_inside(_at(flat, curved, np.broadcast_to(TRIED[1:], (len(values), 265))))
    beyond = np.where(stable.all(axis=1), -1, np.argmin(stable, axis=1))
    low, high = TRIED[beyond], TRIED[beyond + 1]
    found = beyond >= 0
    while (found & (high - low > PRECISION * high)).any():
        width = (high - low) / PARTS
        inner = low[:, None] + width[:, None] * np.arange(1, PARTS)
        stable = roots_inside(_at(flat, curved, inner))
        # The first part that ends unstable; the last one does when no inner end does.
        part = np.where(stable.all(axis=1), PARTS - 1, np.argmin(stable, axis=1))
        low, high = low + width * part, np.where(part == PARTS - 1, high, low + width * (part + 1))
    return np.where(found, high, np.inf)


def roots_inside(polynomials: FloatArray) -> NDArray[np.bool_]:
    """Return whether all roots of each polynomial lie inside the unit circle.

    Args:
        polynomials: coefficients along the last axis, the highest power first, which is not 0.

    Source: Jury (1964), in the form p ← p − (p_n/p_0) reversed p.

    >>> roots_inside(np.array([[1.0, -0.5], [1.0, -2.0]]))
    array([ True, False])
    """
    left = polynomials
    inside = np.ones(left.shape[:-1], dtype=bool)
    with np.errstate(all="ignore"):  # a polynomial that has failed goes on with any numbers
        while left.shape[-1] > 1:
            ratio = left[..., -1:] / left[..., :1]
            inside &= np.abs(ratio[..., 0]) < 1
            left = left[..., :-1] - ratio * left[..., :0:-1]
    return inside


def _at(flat: FloatArray, curved: FloatArray, rates: FloatArray) -> FloatArray:
    return flat[:, None] + rates[..., None] * (curved - flat)[:, None]


def _characteristic(
    optimizer: LinearOptimizer, values: FloatArray, window: int, curvature: float
) -> FloatArray:
    """Return det(z − A) of one mode with that λ at rate 1, highest power first, (M, k+1)."""
    system = optimizer.system(
        eigenvalues=np.array([curvature]), rates=np.ones(window), values=values
    )
    roots = np.linalg.eigvals(system.matrix(window - 1)[:, 0])
    polynomial = np.ones((len(values), 1), dtype=complex)
    for root in roots.T:
        shifted = np.pad(polynomial, ((0, 0), (0, 1)))
        shifted[:, 1:] -= root[:, None] * polynomial
        polynomial = shifted
    return np.asarray(polynomial.real)
