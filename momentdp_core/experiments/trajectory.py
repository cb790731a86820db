"""Trajectory-weighted damage with uniform weights, beside the final damage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.damage import final_damage, trajectory_damage
from momentdp_core.experiments.grid import SLICE_CONDITIONS, SLICE_SCHEDULES, name_of, scenarios
from momentdp_core.experiments.progress import Tell, nobody, steps
from momentdp_core.experiments.propagation import propagated_losses
from momentdp_core.mechanisms import POOL
from momentdp_core.ranking import kendall_tau, ranks

TRAJECTORY_MOMENTA = (0.0, 0.9)
TRAJECTORY_RATE = 0.1


@dataclass(frozen=True, kw_only=True)
class TrajectoryCondition:
    """Ranks of the pool by both scores in one condition.

    Args:
        condition_number, schedule, momentum: the condition.
        final_ranks: by final damage, in the order of the pool.
        trajectory_ranks: by the uniform average over steps 1 … T.
        tau: Kendall's τ between the two.
        final_spread, trajectory_spread: standard deviation of ln D over the mechanisms.
    """

    condition_number: float
    schedule: str
    momentum: float
    final_ranks: tuple[int, ...]
    trajectory_ranks: tuple[int, ...]
    tau: float
    final_spread: float
    trajectory_spread: float


@dataclass(frozen=True, kw_only=True)
class TrajectoryRanks:
    """The comparison over all conditions.

    Args:
        conditions: one entry each.
        mechanisms: the pool.
        propagation_gap: largest relative distance of the score to covariance propagation.
        last_step_gap: the same between weight 1 on the last step alone and the final damage.
        setting: in words.
    """

    conditions: tuple[TrajectoryCondition, ...]
    mechanisms: tuple[str, ...]
    propagation_gap: float
    last_step_gap: float
    setting: str


def trajectory_ranks(
    *,
    horizon: int = 128,
    conditions: tuple[float, ...] = SLICE_CONDITIONS,
    tell: Tell = nobody,
) -> TrajectoryRanks:
    """Rank the pool by Σ_t D^(t)/T and by D^(T), and check the score by propagation.

    Args:
        horizon: T.
        conditions: κ, each with three schedules and two momenta.
        tell: told how far it is.

    Source: MOMENT-DP, Appendix A.3.

    >>> trajectory_ranks(horizon=4, conditions=(10.0,)).last_step_gap < 1e-12
    True
    """
    found = []
    propagation_gap = last_step_gap = 0.0
    last = np.zeros(horizon)
    last[-1] = 1.0
    spectra = tuple(Curvature(condition_number=kappa) for kappa in conditions)
    given = scenarios(
        rates=(TRAJECTORY_RATE,), schedules=SLICE_SCHEDULES, spectra=spectra, horizon=horizon
    )
    for scenario in steps(given, tell, name_of):
        final = final_damage(scenario, TRAJECTORY_MOMENTA)
        along = trajectory_damage(scenario, TRAJECTORY_MOMENTA)
        at_end = trajectory_damage(scenario, TRAJECTORY_MOMENTA, weights=last)
        last_step_gap = max(last_step_gap, float(np.abs(at_end / final - 1).max()))
        covariances = np.array([scenario.design(key).covariance for key in POOL])
        for column, momentum in enumerate(TRAJECTORY_MOMENTA):
            losses = propagated_losses(
                eigenvalues=scenario.eigenvalues,
                step_sizes=scenario.step_sizes,
                momentum=momentum,
                covariances=covariances,
            )
            mean = losses.mean(axis=1) * scenario.noise_multiplier**2
            gap = float(np.abs(along[:, column] / mean - 1).max())
            propagation_gap = max(propagation_gap, gap)
            found.append(
                TrajectoryCondition(
                    condition_number=scenario.curvature.condition_number,
                    schedule=scenario.schedule.family,
                    momentum=momentum,
                    final_ranks=tuple(ranks(final[:, column]).tolist()),
                    trajectory_ranks=tuple(ranks(along[:, column]).tolist()),
                    tau=kendall_tau(along[:, column], final[:, column]),
                    final_spread=float(np.log(final[:, column]).std()),
                    trajectory_spread=float(np.log(along[:, column]).std()),
                )
            )
    return TrajectoryRanks(
        conditions=tuple(found),
        mechanisms=POOL,
        propagation_gap=propagation_gap,
        last_step_gap=last_step_gap,
        setting=(
            f"T = {horizon}, rate {TRAJECTORY_RATE}; κ = 10, 100, 1000 × constant, cosine, "
            "warmup-cosine × momentum 0 and 0.9; uniform weights; pool of eleven"
        ),
    )
