"""Who wins as only the momentum changes: Table 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.damage import final_damage
from momentdp_core.experiments.propagation import propagated_losses
from momentdp_core.mechanisms import POOL
from momentdp_core.scenario import Scenario
from momentdp_core.scores import mechanism_scores

TABLE_MOMENTA = (0.0, 0.5, 0.8, 0.9, 0.95)
TABLE_CONDITION, TABLE_RATE = 10.0, 0.8


@dataclass(frozen=True, kw_only=True)
class MomentumTable:
    """The winner at each momentum, and which criteria name it.

    The truth is explicit covariance propagation, so that the optimizer-aware score is tested
    rather than compared with itself.

    Args:
        momenta: μ.
        winners: key of the least damage, a μ each.
        margins: how much worse the second is, relatively.
        mechanisms: the pool.
        damage: propagated loss at σ = 1 of each of them, a row for each μ.
        blind_choice: first choice of NoiseCurve's criterion, which knows no μ.
        aware_choices: first choice of the optimizer-aware score, a μ each.
        setting: in words.
    """

    momenta: tuple[float, ...]
    winners: tuple[str, ...]
    margins: tuple[float, ...]
    mechanisms: tuple[str, ...]
    damage: tuple[tuple[float, ...], ...]
    blind_choice: str
    aware_choices: tuple[str, ...]
    setting: str

    @property
    def blind_correct(self) -> tuple[bool, ...]:
        """Whether NoiseCurve's criterion names the winner, a μ each."""
        return tuple(self.blind_choice == winner for winner in self.winners)

    @property
    def aware_correct(self) -> tuple[bool, ...]:
        """Whether the optimizer-aware score names the winner, a μ each."""
        return tuple(a == b for a, b in zip(self.aware_choices, self.winners, strict=True))


def momentum_table(
    *,
    condition_number: float = TABLE_CONDITION,
    learning_rate: float = TABLE_RATE,
    momenta: tuple[float, ...] = TABLE_MOMENTA,
) -> MomentumTable:
    """Find the winner at each momentum with all else held fixed.

    Source: MOMENT-DP, Table 1 and Figure 1b.

    >>> momentum_table(momenta=(0.0, 0.9)).winners
    ('noisecurve', 'dense')
    """
    scenario = Scenario(
        curvature=Curvature(condition_number=condition_number), learning_rate=learning_rate
    )
    covariances = np.array([scenario.design(key).covariance for key in POOL])
    aware = final_damage(scenario, momenta)
    winners, margins, damage = [], [], []
    for momentum in momenta:
        losses = propagated_losses(
            eigenvalues=scenario.eigenvalues,
            step_sizes=scenario.step_sizes,
            momentum=momentum,
            covariances=covariances,
        )[:, -1]
        damage.append(tuple(losses.tolist()))
        order = np.argsort(losses)
        winners.append(POOL[int(order[0])])
        margins.append(float(losses[order[1]] / losses[order[0]] - 1))
    return MomentumTable(
        momenta=momenta,
        winners=tuple(winners),
        margins=tuple(margins),
        mechanisms=POOL,
        damage=tuple(damage),
        blind_choice=POOL[int(np.argmin(mechanism_scores(scenario).noisecurve))],
        aware_choices=tuple(POOL[int(n)] for n in np.argmin(aware, axis=0)),
        setting=(
            f"T = 128, d = 16, b = 16, κ = {condition_number:g}, rate {learning_rate:g}, "
            "constant schedule, pool of eleven (the paper prints neither κ nor the rate)"
        ),
    )
