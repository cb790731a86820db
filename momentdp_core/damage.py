"""Damage: the exact expected final loss that privacy noise adds, D = σ²/2 Σ_i λ_i g_i K g_iᵀ.

σ is each mechanism's own: the scenario's noise multiplier times the mechanism's sensitivity under
the scenario's participation, which is 1 where an example takes part once.

Two routes that must agree. The norm route σ²/2 Σ_i λ_i ‖g_i C⁻¹‖² defines the value and needs no
T×T matrix for structured mechanisms. The contraction route σ²/2 ⟨K, Q⟩ with Q = Σ_i λ_i g_iᵀg_i
costs one matrix product for all mechanisms and serves the sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_choice, check_vector, read_only
from momentdp_core.mechanisms import Mechanism
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import impulse_response, trajectory_responses

# Up to this horizon a sweep contracts with T×T covariances; beyond it uses the norm route.
CONTRACTION_HORIZON = 1024
# Momenta contracted at once: their Q stay in the processor's cache.
BLOCK_BYTES = 2**21
# Impulse responses held at once by the norm route.
RESPONSE_BYTES = 2**27


def damage_by_mode(scenario: Scenario, values: object) -> FloatArray:
    """Return D_i = σ²/2 λ_i ‖g_i C⁻¹‖² for every mechanism, swept value and mode.

    Args:
        scenario: the problem and its n mechanisms.
        values: swept parameter (momentum), shape (M,).

    Returns:
        shape (n, M, d), loss units; +inf where the numbers overflow, never NaN.

    Raises:
        InputError: a swept value is out of range.

    Source: MOMENT-DP, Eq. (3), split by eigenmode.

    >>> damage_by_mode(Scenario(horizon=4, mechanisms=("iid",)), [0.0]).shape
    (1, 1, 16)
    """
    swept = scenario.optimizer.check(values)
    scale = 0.5 * scenario.noise_multiplier**2 * scenario.eigenvalues
    live = scale > 0  # a flat mode (λ = 0) has no loss, even where its response overflows
    mechanisms = [scenario.design(key) for key in scenario.mechanisms]
    squares = squared_sensitivities(scenario)
    out = np.zeros((len(mechanisms), len(swept), len(scale)))
    block = max(1, RESPONSE_BYTES // (8 * len(scale) * scenario.horizon))
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, len(swept), block):
            response = impulse_response(scenario, swept[start : start + block])
            for m, rows in enumerate(response, start):
                kept = np.ascontiguousarray(rows[live])
                for n, mechanism in enumerate(mechanisms):
                    out[n, m, live] = squares[n] * scale[live] * _squared_norms(mechanism, kept)
    return _overflow_to_infinity(out)


def final_damage(scenario: Scenario, values: object, *, route: str = "norm") -> FloatArray:
    """Return D = σ²/2 Σ_i λ_i g_i K g_iᵀ for every mechanism and swept value.

    Args:
        scenario: the problem and its n mechanisms.
        values: swept parameter (momentum), shape (M,).
        route: "norm" (defines the value) or "contraction" (fast sweeps, T ≤ 1024).

    Returns:
        shape (n, M), loss units; +inf where the numbers overflow, never NaN.

    Raises:
        InputError: a swept value is out of range, or an unknown route.

    Source: MOMENT-DP, Eq. (3) and Proposition 1.

    >>> final_damage(Scenario(horizon=1, mechanisms=("iid",), learning_rate=1.0), [0.0]).shape
    (1, 1)
    """
    check_choice("route", route, ("norm", "contraction"))
    if route == "norm":
        return np.asarray(damage_by_mode(scenario, values).sum(axis=-1))
    return covariance_stack(scenario).contract(impulse_response(scenario, values))


def sweep(scenario: Scenario, values: object) -> FloatArray:
    """Return `final_damage` by the faster route for this horizon, shape (n, M).

    >>> sweep(Scenario(horizon=4), [0.0, 0.5]).shape
    (11, 2)
    """
    route = "contraction" if scenario.horizon <= CONTRACTION_HORIZON else "norm"
    return final_damage(scenario, values, route=route)


@dataclass(frozen=True, kw_only=True, eq=False)
class CovarianceStack:
    """The covariances K of a scenario's mechanisms, ready to be contracted with many Q.

    Args:
        columns: K of each mechanism times its squared sensitivity, flattened; shape (T², n).
        scale: σ²/2.
        eigenvalues: λ, shape (d,).
    """

    columns: FloatArray
    scale: float
    eigenvalues: FloatArray

    def contract(self, response: FloatArray, eigenvalues: FloatArray | None = None) -> FloatArray:
        """Return σ²/2 ⟨K, Q_μ⟩, Q_μ = Σ_i λ_i g_iᵀg_i, for g of shape (M, d, T); (n, M).

        λ is the scenario's unless each of the M responses brings its own, shape (M, d).
        """
        lam = self.eigenvalues[None] if eigenvalues is None else eigenvalues
        kept = (lam > 0).any(axis=0)
        count, _, horizon = response.shape
        roots = np.broadcast_to(np.sqrt(lam[:, kept, None]), (count, int(kept.sum()), 1))
        out = np.empty((self.columns.shape[1], count))
        block = max(1, BLOCK_BYTES // (8 * horizon**2))
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, count, block):
                scaled = response[start : start + block, kept] * roots[start : start + block]
                gram = np.swapaxes(scaled, 1, 2) @ scaled
                out[:, start : start + block] = (gram.reshape(len(gram), -1) @ self.columns).T
            out *= self.scale
        return _overflow_to_infinity(out)


@lru_cache(maxsize=4)  # 23 MB each at T = 512
def covariance_stack(scenario: Scenario) -> CovarianceStack:
    """Return the covariances of the scenario's mechanisms, kept for the last few scenarios.

    >>> covariance_stack(Scenario(horizon=4)).columns.shape
    (16, 11)
    """
    if scenario.horizon > CONTRACTION_HORIZON:
        raise InputError(
            "horizon",
            scenario.horizon,
            f"at most {CONTRACTION_HORIZON} for the contraction route",
            'Use route="norm", which needs no T×T matrix.',
        )
    columns = [
        square * scenario.design(key).covariance.ravel()
        for key, square in zip(scenario.mechanisms, squared_sensitivities(scenario), strict=True)
    ]
    return CovarianceStack(
        columns=read_only(np.ascontiguousarray(np.array(columns).T)),
        scale=0.5 * scenario.noise_multiplier**2,
        eigenvalues=scenario.eigenvalues,
    )


def trajectory_damage(scenario: Scenario, values: object, *, weights: object = None) -> FloatArray:
    """Return the trajectory-weighted damage Σ_t w_t D^(t), t = 1 … T.

    D^(t) = σ²/2 Σ_i λ_i ‖G_i^(t) C⁻¹‖² with G^(t) mapping the noise to e_t. Costs O(M d T²), in
    memory O(M d T).

    Args:
        scenario: the problem and its n mechanisms.
        values: swept parameter (momentum), shape (M,).
        weights: w_1 … w_T ≥ 0; uniform 1/T if left out. Weight 1 on t = T alone is `final_damage`.

    Returns:
        shape (n, M), loss units; +inf where the numbers overflow.

    Raises:
        InputError: weights or swept values out of range.

    Source: MOMENT-DP Appendix A.3.

    >>> one_step = Scenario(horizon=1, mechanisms=("iid",))
    >>> bool(np.allclose(trajectory_damage(one_step, [0.5]), final_damage(one_step, [0.5])))
    True
    """
    horizon = scenario.horizon
    given = np.full(horizon, 1 / horizon) if weights is None else weights
    w = check_vector("weights", given, low=0, length=horizon)
    optimizer = scenario.optimizer
    swept = optimizer.check(values)
    kept = scenario.eigenvalues > 0
    lam = scenario.eigenvalues[kept]
    system = optimizer.system(eigenvalues=lam, rates=scenario.step_sizes, values=swept)
    mechanisms = [scenario.design(key) for key in scenario.mechanisms]
    out = np.zeros((len(mechanisms), len(swept)))
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, rows in zip(w, trajectory_responses(system), strict=True):
            if weight == 0:
                continue
            for n, mechanism in enumerate(mechanisms):
                out[n] += weight * (_squared_norms(mechanism, rows) @ lam)
        out *= squared_sensitivities(scenario)[:, None]
    return _overflow_to_infinity(0.5 * scenario.noise_multiplier**2 * out)


def squared_sensitivities(scenario: Scenario) -> FloatArray:
    """Return what the participation multiplies each mechanism's damage with, shape (n,).

    >>> squared_sensitivities(Scenario(horizon=4, participations=2, mechanisms=("iid",)))
    array([2.])
    """
    if scenario.participations == 1:
        return np.ones(len(scenario.mechanisms))
    return np.array([scenario.sensitivity(key).value ** 2 for key in scenario.mechanisms])


def _squared_norms(mechanism: Mechanism, rows: FloatArray) -> FloatArray:
    filtered = mechanism.apply_noising(rows)
    return np.asarray(np.einsum("...t,...t->...", filtered, filtered))


def _overflow_to_infinity(values: FloatArray) -> FloatArray:
    # inf − inf inside a recursion gives NaN: the true value is beyond the numbers' range.
    return np.where(np.isfinite(values), values, np.inf)
