"""Averages of the iterates of heavy ball: over the tail of the run, or exponentially."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from momentdp_core.errors import FloatArray, check_real
from momentdp_core.optimizers.base import Coefficient, Entry, Kick, LinearSystem, Swept

MOST_MOMENTUM = 0.999999


def _averaged(
    *,
    eigenvalues: FloatArray,
    rates: FloatArray,
    momenta: FloatArray,
    count: int,
    keep: Sequence[Coefficient],
    take: Sequence[Coefficient],
    start: tuple[int, ...],
) -> LinearSystem:
    """Return heavy ball with a third state a ← keep_t a + take_t e, which is read out."""
    lam, mu = eigenvalues[None, :], momenta[:, None]

    def transition(t: int) -> Sequence[Entry]:
        shrink, pull = 1 - rates[t] * lam, -rates[t] * mu
        return [
            (0, 0, shrink),
            (0, 1, pull),
            (1, 0, lam),
            (1, 1, mu),
            (2, 2, keep[t]),
            (2, 0, take[t] * shrink),  # the average takes the new error in
            (2, 1, take[t] * pull),
        ]

    def injection(t: int) -> Sequence[Kick]:
        return [(0, -rates[t]), (1, 1.0), (2, -take[t] * rates[t])]

    return LinearSystem(
        horizon=len(rates),
        shape=(count, len(eigenvalues)),
        size=3,
        transition=transition,
        injection=injection,
        readout=2,
        start=start,
    )


@dataclass(frozen=True, kw_only=True)
class TailAveraging(Swept):
    """Heavy ball, read out as the mean of its last ⌈fT⌉ iterates (at least one); μ is swept.

    a ← a + e_t/m for the last m = max(1, ⌈fT⌉) steps. Averaging does not change what is stable:
    0 < ηλ < 2(1+μ).

    Args:
        fraction: f, 0 < f ≤ 1, share of the run that is averaged.

    Source: Polyak and Juditsky (1992); tail form of Jain et al. (2018).

    >>> TailAveraging().stability_limit(np.array([0.5])).tolist()
    [3.0]
    """

    key: ClassVar[str] = "tail_average"
    label: ClassVar[str] = "Tail averaging"
    parameter: ClassVar[str] = "momentum"
    description: ClassVar[str] = "Heavy ball, answering with the mean of its last iterates."

    fraction: float = 0.25

    def __post_init__(self) -> None:
        fraction = check_real("fraction", self.fraction, low=0, high=1, open_low=True)
        object.__setattr__(self, "fraction", fraction)

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return heavy ball with the running tail mean for every mode and momentum."""
        horizon = len(rates)
        length = max(1, int(np.ceil(self.fraction * horizon - 1e-9)))
        take = [1 / length if t >= horizon - length else 0.0 for t in range(horizon)]
        return _averaged(
            eigenvalues=eigenvalues,
            rates=rates,
            momenta=values,
            count=len(values),
            keep=[1.0] * horizon,
            take=take,
            start=(0,),
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2(1+μ)."""
        return np.asarray(2 * (1 + values))


@dataclass(frozen=True, kw_only=True)
class WeightAveraging(Swept):
    """Heavy ball, read out as an exponential average of its iterates; its decay α is swept.

    a ← α a + (1−α) e, started at the first error e_0 (a_0 = e_0). At α = 0 it is heavy ball.
    Averaging does not change what is stable: 0 < ηλ < 2(1+μ).

    Args:
        momentum: μ, 0 ≤ μ < 1, of the heavy ball underneath.

    Source: Polyak and Juditsky (1992); exponential form of common libraries.

    >>> WeightAveraging(momentum=0.5).stability_limit(np.array([0.9])).tolist()
    [3.0]
    """

    key: ClassVar[str] = "weight_average"
    label: ClassVar[str] = "Weight averaging"
    parameter: ClassVar[str] = "decay"
    description: ClassVar[str] = "Heavy ball, answering with an exponential mean of its iterates."

    momentum: float = 0.0

    def __post_init__(self) -> None:
        momentum = check_real("momentum", self.momentum, low=0, high=MOST_MOMENTUM)
        object.__setattr__(self, "momentum", momentum)

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return heavy ball with the exponential average for every mode and α."""
        alpha = values[:, None]
        return _averaged(
            eigenvalues=eigenvalues,
            rates=rates,
            momenta=np.full(1, self.momentum),
            count=len(values),
            keep=[alpha] * len(rates),
            take=[1 - alpha] * len(rates),
            start=(0, 2),
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2(1+μ) for every α."""
        return np.full(len(values), 2 * (1 + self.momentum))
