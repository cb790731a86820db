"""Workloads: the damage of one condition as a plain quadratic criterion, D = ‖L C⁻¹‖²_F.

Everything that designs a mechanism for a condition needs no more of it than L.
"""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_vector, read_only
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import impulse_response, trajectory_responses


def workload_factor(scenario: Scenario, value: float, weights: object = None) -> FloatArray:
    """Return L with D = ‖L C⁻¹‖²_F for every mechanism C of sensitivity 1.

    Final loss: L = (σ²/2)^½ diag(λ)^½ g, one row a mode with λ > 0. Trajectory: a root of
    Q = σ²/2 Σ_t w_t Σ_i λ_i G_i^(t)ᵀ G_i^(t).

    Args:
        scenario: the problem.
        value: swept parameter of its optimizer.
        weights: w_1 … w_T ≥ 0 of the trajectory's losses; None for the final loss.

    Returns:
        shape (r, T), r ≤ max(d, T).

    Raises:
        InputError: value or weights out of range, or numbers that overflow at this setting.

    Source: MOMENT-DP, Eq. (3) and Appendix A.3.

    >>> from momentdp_core.damage import final_damage
    >>> scenario = Scenario(horizon=4, mechanisms=("iid",))
    >>> factor = workload_factor(scenario, 0.5)
    >>> bool(np.isclose(np.vdot(factor, factor), final_damage(scenario, [0.5])[0, 0]))
    True
    """
    swept = one_value(scenario, value)
    kept = scenario.eigenvalues > 0
    scale = 0.5 * scenario.noise_multiplier**2 * scenario.eigenvalues[kept]
    with np.errstate(over="ignore", invalid="ignore"):
        if weights is None:
            factor = np.sqrt(scale)[:, None] * impulse_response(scenario, swept)[0][kept]
        else:
            factor = _trajectory_factor(scenario, swept, weights, scale)
    if not np.isfinite(factor).all() or not np.isfinite(np.vdot(factor, factor)):
        raise InputError(
            scenario.optimizer.parameter,
            value,
            "a setting whose damage stays within the numbers' range",
            "This one is unstable: lower the learning rate or shorten the horizon.",
        )
    return read_only(factor)


def one_value(scenario: Scenario, value: object) -> FloatArray:
    """Return one value of the swept parameter as a vector of length 1, or raise InputError.

    >>> one_value(Scenario(), 0.5)
    array([0.5])
    """
    swept = scenario.optimizer.check(value)
    if len(swept) != 1:
        raise InputError(
            scenario.optimizer.parameter, value, "one value", "Use optimal_curve for several."
        )
    return swept


def _trajectory_factor(
    scenario: Scenario, swept: FloatArray, weights: object, scale: FloatArray
) -> FloatArray:
    horizon = scenario.horizon
    w = check_vector("weights", weights, low=0, length=horizon)
    kept = scenario.eigenvalues > 0
    system = scenario.optimizer.system(
        eigenvalues=scenario.eigenvalues[kept], rates=scenario.step_sizes, values=swept
    )
    load = np.zeros((horizon, horizon))
    for weight, rows in zip(w, trajectory_responses(system), strict=True):
        if weight > 0:
            scaled = np.sqrt(weight * scale)[:, None] * rows[0]
            load += scaled.T @ scaled
    if not np.isfinite(load).all():
        return np.full((1, horizon), np.inf)
    values, vectors = np.linalg.eigh(load)
    return np.asarray(np.sqrt(np.maximum(values, 0))[:, None] * vectors.T)
