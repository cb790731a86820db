"""Slow, plain, independent computations that the engine is compared with."""

from __future__ import annotations

import numpy as np

from momentdp_core.scenario import Scenario


def state_space_damage(scenario: Scenario, noising: np.ndarray, momentum: float) -> float:
    """D = σ²/2 tr(H G (K ⊗ I_d) Gᵀ) with the full block operator G of all modes together."""
    lam, steps = scenario.eigenvalues, scenario.step_sizes
    d, horizon = len(lam), len(steps)
    hessian, eye = np.diag(lam), np.eye(d)
    matrices = [
        np.block([[eye - eta * hessian, -eta * momentum * eye], [hessian, momentum * eye]])
        for eta in steps
    ]
    blocks = []
    after = np.eye(2 * d)  # Φ_{T,t+1}
    for t in range(horizon - 1, -1, -1):
        inject = np.vstack([-steps[t] * eye, eye])
        blocks.insert(0, (after @ inject)[:d])
        after = after @ matrices[t]
    operator = np.hstack(blocks)
    covariance = np.kron(noising @ noising.T, eye)
    spread = operator @ covariance @ operator.T
    return float(0.5 * scenario.noise_multiplier**2 * np.trace(hessian @ spread))


def propagated_damage(scenario: Scenario, covariance: np.ndarray, momentum: float) -> float:
    """D by carrying Cov(state) and Cov(state, noise) forward step by step, mode by mode."""
    total = 0.0
    for lam in scenario.eigenvalues:
        spread = np.zeros((2, 2))
        cross = np.zeros((2, scenario.horizon))  # Cov(state, z_0 … z_{T−1})
        for t, eta in enumerate(scenario.step_sizes):
            move = np.array([[1 - eta * lam, -eta * momentum], [lam, momentum]])
            kick = np.array([-eta, 1.0])
            mixed = np.outer(move @ cross[:, t], kick)
            own = covariance[t, t] * np.outer(kick, kick)
            spread = move @ spread @ move.T + mixed + mixed.T + own
            cross = move @ cross + np.outer(kick, covariance[t])
        total += lam * spread[0, 0]
    return float(0.5 * scenario.noise_multiplier**2 * total)
