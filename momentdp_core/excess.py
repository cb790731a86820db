"""Signal as well as noise: bias, sampling noise and privacy noise add up to the excess loss."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.damage import sweep
from momentdp_core.errors import FloatArray, InputError, check_real, check_vector, read_only
from momentdp_core.optimizers import LinearSystem
from momentdp_core.privacy import LARGEST_EPSILON, gaussian_delta
from momentdp_core.ranking import IntArray, ranks
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import error_path, generic_response

# A choice that flips at a smaller ε than this never flips in practice.
SMALLEST_EPSILON = 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class ExcessLoss:
    """The expected excess loss of n mechanisms at M swept values, by cause; loss units.

    Args:
        bias: ½ Σ λ_i E[e_i]², what is left of the starting error, shape (M,).
        sampling: from the i.i.d. sampling noise of the gradients, shape (M,).
        privacy: the damage D, shape (n, M).
    """

    bias: FloatArray
    sampling: FloatArray
    privacy: FloatArray

    @property
    def total(self) -> FloatArray:
        """bias + sampling + privacy, shape (n, M)."""
        return np.asarray(self.bias + self.sampling + self.privacy)

    @property
    def rank(self) -> IntArray:
        """Ranks of the total along the mechanisms, shape (n, M)."""
        return ranks(self.total)


def excess_loss(
    scenario: Scenario,
    values: object,
    *,
    start_error: object = 1.0,
    sampling_noise: float = 0.0,
) -> ExcessLoss:
    """Return the exact expected excess loss ½ E[eᵀHe] after T steps, split by cause.

    e_T = Φ e_0 + Σ_s h[s] ξ_s + Σ_s g[s] z_s per mode, so the expectation is
    ½ Σ λ_i (Φ_i e_{0,i})² + s²/2 Σ λ_i ‖h_i‖² + D. The sampling noise ξ has standard deviation s
    in every mode and step. With per-sample momentum it enters averaged over the window,
    h[s] = Σ_j w_j^{(s+j)} g[s+j]; otherwise h = g.

    Args:
        scenario: the problem, its optimizer and its n mechanisms.
        values: swept parameter, shape (M,).
        start_error: e_0, one number for all modes or shape (d,), in eigen-coordinates.
        sampling_noise: s ≥ 0, per mode and step, after averaging over the batch.

    Raises:
        InputError: a value is out of range.

    Source: theory of this project; DP-PMLF (arXiv:2511.08841) for the window.

    >>> from momentdp_core.curvature import Curvature
    >>> one = Scenario(horizon=1, curvature=Curvature(modes=1), learning_rate=0.5)
    >>> excess_loss(one, [0.0], start_error=2.0, sampling_noise=1.0).bias
    array([0.5])
    """
    swept = scenario.optimizer.check(values)
    noise = check_real("sampling_noise", sampling_noise, low=0)
    lam = scenario.eigenvalues
    first = check_vector("start_error", start_error)
    if len(first) not in (1, len(lam)):
        raise InputError(
            "start_error",
            f"{len(first)} numbers",
            f"one number, or one for each of the {len(lam)} modes",
            "Give the starting error in the Hessian's eigenbasis.",
        )
    system = scenario.optimizer.system(eigenvalues=lam, rates=scenario.step_sizes, values=swept)
    with np.errstate(over="ignore", invalid="ignore"):
        left = remaining_error(system, first)
        seen = sampling_response(system, generic_response(system))
        bias = 0.5 * (left**2) @ lam
        sampling = 0.5 * noise**2 * np.einsum("mdt,mdt->md", seen, seen) @ lam
    return ExcessLoss(
        bias=read_only(np.where(np.isfinite(bias), bias, np.inf)),
        sampling=read_only(np.where(np.isfinite(sampling), sampling, np.inf)),
        privacy=read_only(sweep(scenario, swept)),
    )


def remaining_error(system: LinearSystem, start_error: FloatArray) -> FloatArray:
    """Return Φ e_0, the error that is left without any noise, shape (M, d).

    >>> from momentdp_core.optimizers import HeavyBall
    >>> one, half = np.ones(1), np.full(2, 0.5)
    >>> system = HeavyBall().system(eigenvalues=one, rates=half, values=0 * one)
    >>> remaining_error(system, one)
    array([[0.25]])
    """
    (left,) = deque(error_path(system, start_error), maxlen=1)
    return left


def sampling_response(system: LinearSystem, response: FloatArray) -> FloatArray:
    """Return h from g: h[s] = Σ_j w_j^{(s+j)} g[s+j] under a window, else g; shape (M, d, T).

    >>> from momentdp_core.optimizers import PerSampleMomentum
    >>> arguments = {"eigenvalues": np.ones(1), "rates": np.ones(2), "values": np.array([0.5])}
    >>> system = PerSampleMomentum(steps=2).system(**arguments)
    >>> sampling_response(system, np.ones((1, 1, 2))).round(3)
    array([[[1.333, 0.667]]])
    """
    if system.window is None:
        return response
    out = np.zeros_like(response)
    for t in range(system.horizon):
        for j, weight in enumerate(system.window(t)):
            out[..., t - j] += weight * response[..., t]
    return out


def variance_reduction(beta: float, steps: int) -> float:
    """Return ρ², by which per-sample momentum divides the variance of one sampled gradient.

    ρ² = (1+β)(1−β^k)/((1−β)(1+β^k)); it tends to k as β → 1. The noise of neighbouring steps then
    overlaps, so the final loss gains less than this factor: `excess_loss` has it exactly.

    Args:
        beta: β, 0 ≤ β < 1.
        steps: k ≥ 1.

    Raises:
        InputError: out of range.

    Source: DP-PMLF (arXiv:2511.08841), "Per-Sample Momentum".

    >>> round(variance_reduction(0.5, 2), 6)
    1.8
    """
    share = check_real("beta", beta, low=0, high=1, open_high=True)
    if steps < 1:
        raise InputError("steps", steps, "a whole number of at least 1", "Use k = 1 or more.")
    power = share**steps
    return (1 + share) * (1 - power) / ((1 - share) * (1 + power))


def epsilon_crossover(
    scenario: Scenario, first: tuple[float, float], second: tuple[float, float]
) -> float | None:
    """Return the ε at which two choices cost the same, or None when one is better at every ε.

    Each choice costs q + σ(ε)² p, with q its bias and sampling loss and p its privacy damage at
    σ = 1; they meet where σ² = (q_2 − q_1)/(p_1 − p_2).

    Args:
        scenario: gives δ.
        first, second: (q, p) of the two choices, loss units, p ≥ 0.

    Returns:
        ε to a relative 1e-10, or None.

    Source: theory of this project; DP-PMLF's ablation over ε (its over-smoothing at large ε).

    >>> round(epsilon_crossover(Scenario(), (0.0, 2.0), (1.1689111247, 1.0)), 6)
    4.0
    """
    (q_1, p_1), (q_2, p_2) = first, second
    if p_1 == p_2 or (q_2 - q_1) / (p_1 - p_2) <= 0:
        return None
    target = float(np.sqrt((q_2 - q_1) / (p_1 - p_2)))
    # σ is fixed now, and δ falls in ε: halve the bracket of ε.
    low, high = SMALLEST_EPSILON, LARGEST_EPSILON
    if not _delta_at(high, target) < scenario.delta < _delta_at(low, target):
        return None
    while high / low - 1 > 1e-11:
        middle = float(np.sqrt(low * high))
        if _delta_at(middle, target) > scenario.delta:
            low = middle
        else:
            high = middle
    return high


def _delta_at(epsilon: float, sigma: float) -> float:
    return gaussian_delta(epsilon=epsilon, noise_multiplier=sigma)


def epsilon_sweep(
    scenario: Scenario,
    value: float,
    epsilons: object,
    *,
    start_error: object,
    sampling_noise: float,
) -> FloatArray:
    """Return the total excess loss at one swept value for each mechanism and ε, shape (n, E).

    Bias and sampling do not depend on ε; the damage scales with σ(ε)².

    Args:
        scenario: the problem, its optimizer and its n mechanisms.
        value: of the swept parameter.
        epsilons: shape (E,), each 0 < ε ≤ 700.
        start_error, sampling_noise: as for `excess_loss`.

    Raises:
        InputError: a value is out of range.

    >>> epsilon_sweep(
    ...     Scenario(horizon=2), 0.5, [1.0, 4.0], start_error=1.0, sampling_noise=0.0
    ... ).shape
    (11, 2)
    """
    eps = check_vector("epsilons", epsilons, low=0)
    unit = scenario.noise_multiplier**2
    parts = excess_loss(scenario, [value], start_error=start_error, sampling_noise=sampling_noise)
    sigma = [replace(scenario, epsilon=float(e)).noise_multiplier for e in eps]
    scale = np.array(sigma) ** 2 / unit
    return np.asarray(parts.bias + parts.sampling + parts.privacy * scale)
