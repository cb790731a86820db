"""What an optimizer's own filter does to privacy noise before it reaches the weights."""

from __future__ import annotations

import numpy as np

from momentdp_core.damage import CONTRACTION_HORIZON
from momentdp_core.errors import FloatArray, InputError, read_only
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import trajectory_responses


def noise_suppression(scenario: Scenario, value: float) -> FloatArray:
    """Return by which factor the optimizer changes the noise variance of the steps it takes.

    ‖U C⁻¹‖²_F/‖C⁻¹‖²_F = ⟨K, UᵀU⟩/tr K in open loop: λ = 0 and all rates 1, so that neither
    curvature nor schedule plays a part. U, (T, T), takes the noise of all steps to
    u_t = e_t − e_{t+1}, the step of the answer (of the average for the averaging optimizers).
    Below 1 the optimizer filters noise out. Above 1 it adds noise up, as heavy ball does with
    gradients too. For i.i.d. noise and a long run it tends to Σ h_k² over the filter's taps h:
    (1−p)/(1+p) for first order with the pole p.

    Args:
        scenario: the horizon, the optimizer and the n mechanisms.
        value: of the swept parameter.

    Returns:
        shape (n,), no unit.

    Raises:
        InputError: the value is out of range, or T is beyond what T×T matrices allow.

    Source: theory of this project; DP-PMLF (arXiv:2511.08841) on what its low-pass filter is for.

    >>> noise_suppression(Scenario(horizon=8, mechanisms=("iid",)), 0.0)
    array([1.])
    """
    horizon = scenario.horizon
    swept = scenario.optimizer.check([value])
    if horizon > CONTRACTION_HORIZON:
        raise InputError(
            "horizon",
            horizon,
            f"at most {CONTRACTION_HORIZON} for the suppression of noise",
            "It works on T×T matrices: use a shorter horizon.",
        )
    system = scenario.optimizer.system(
        eigenvalues=np.zeros(1), rates=np.ones(horizon), values=swept
    )
    reached = np.array([rows[0, 0] for rows in trajectory_responses(system)])
    steps = -np.diff(reached, axis=0, prepend=0.0)
    gram = steps.T @ steps
    covariances = [scenario.design(key).covariance for key in scenario.mechanisms]
    return read_only(np.array([np.vdot(gram, k) / np.trace(k) for k in covariances]))
