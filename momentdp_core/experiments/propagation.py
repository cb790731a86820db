"""Explicit covariance propagation: damage without any impulse response.

Imports nothing of the engine but the array type, so that agreement with it means something.
"""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray


def propagated_losses(
    *,
    eigenvalues: FloatArray,
    step_sizes: FloatArray,
    momentum: float,
    covariances: FloatArray,
) -> FloatArray:
    """Return the expected loss after each step, by carrying covariances forward.

    With s = (e, v), s ← A s + B z, A = [[1−ηλ, −ημ], [λ, μ]], B = (−η, 1):
    Cov(s) ← A Cov(s) Aᵀ + A Cov(s, z_t) Bᵀ + B Cov(z_t, s) Aᵀ + K_tt B Bᵀ and
    Cov(s, z) ← A Cov(s, z) + B K_t, mode by mode; the loss is ½ Σ_i λ_i Var(e_i) at σ = 1.

    Args:
        eigenvalues: λ, shape (d,).
        step_sizes: η_t, shape (T,).
        momentum: μ.
        covariances: K of n mechanisms, shape (n, T, T).

    Returns:
        shape (n, T), the loss after steps 1 … T.

    Source: MOMENT-DP, Eq. (2) and Appendix B.3 ("direct covariance propagation").

    >>> one = np.ones(1)
    >>> propagated_losses(eigenvalues=one, step_sizes=one, momentum=0.0,
    ...                   covariances=np.ones((1, 1, 1)))
    array([[0.5]])
    """
    count, horizon, _ = covariances.shape
    modes = len(eigenvalues)
    spread = np.zeros((count, modes, 2, 2))
    cross = np.zeros((count, modes, 2, horizon))
    losses = np.empty((count, horizon))
    for t, eta in enumerate(step_sizes):
        move = np.empty((modes, 2, 2))
        move[:, 0, 0], move[:, 0, 1] = 1 - eta * eigenvalues, -eta * momentum
        move[:, 1, 0], move[:, 1, 1] = eigenvalues, momentum
        kick = np.array([-eta, 1.0])
        cross = move @ cross
        mixed = cross[..., t, None] * kick
        own = covariances[:, t, t, None, None, None] * np.outer(kick, kick)
        spread = move @ spread @ np.swapaxes(move, 1, 2) + mixed + np.swapaxes(mixed, 2, 3) + own
        cross += kick[:, None] * covariances[:, t][:, None, None, :]
        losses[:, t] = 0.5 * spread[..., 0, 0] @ eigenvalues
    return losses
