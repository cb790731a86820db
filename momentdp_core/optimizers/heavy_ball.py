"""Momentum with a growing or a normalised buffer: heavy ball, Nesterov, EMA, weight decay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from momentdp_core.errors import FloatArray, check_real
from momentdp_core.optimizers.base import Entry, Kick, LinearSystem, Swept


@dataclass(frozen=True, kw_only=True)
class HeavyBall(Swept):
    """Heavy-ball momentum: v ← μ v + H e + z, e ← e − η_t v; μ is swept.

    With s = (e, v): A_t = [[1 − η_tλ, −η_tμ], [λ, μ]], B_t = (−η_t, 1).
    A constant rate is stable iff 0 < ηλ < 2(1+μ).

    Source: MOMENT-DP, Eq. (2); Polyak (1964) for the limit.

    >>> HeavyBall().stability_limit(np.array([0.0, 0.5]))
    array([2., 3.])
    """

    key: ClassVar[str] = "heavy_ball"
    label: ClassVar[str] = "Heavy ball"
    parameter: ClassVar[str] = "momentum"
    description: ClassVar[str] = "SGD with a growing momentum buffer; 0 is plain SGD."

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the heavy-ball system for every mode and momentum."""
        return momentum_system(curvature=eigenvalues, rates=rates, momenta=values)

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2(1+μ)."""
        return np.asarray(2 * (1 + values))


def momentum_system(
    *, curvature: FloatArray, rates: FloatArray, momenta: FloatArray
) -> LinearSystem:
    """Return the heavy-ball system with gradient curvature·e + z, state (e, v).

    >>> momentum_system(
    ...     curvature=np.ones(1), rates=np.full(1, 0.5), momenta=np.zeros(1)
    ... ).matrix(0)[0, 0]
    array([[0.5, 0. ],
           [1. , 0. ]])
    """
    lam, mu = curvature[None, :], momenta[:, None]

    def transition(t: int) -> Sequence[Entry]:
        rate = rates[t]
        return [(0, 0, 1 - rate * lam), (0, 1, -rate * mu), (1, 0, lam), (1, 1, mu)]

    def injection(t: int) -> Sequence[Kick]:
        return [(0, -rates[t]), (1, 1.0)]

    return LinearSystem(
        horizon=len(rates),
        shape=(len(momenta), len(curvature)),
        size=2,
        transition=transition,
        injection=injection,
    )


@dataclass(frozen=True, kw_only=True)
class Nesterov(Swept):
    """Nesterov momentum: v ← μ v + g, e ← e − η_t (g + μ v), g = H e + z; μ is swept.

    With s = (e, v): A_t = [[1 − η_tλ(1+μ), −η_tμ²], [λ, μ]], B_t = (−η_t(1+μ), 1).
    A constant rate is stable iff 0 < ηλ < 2(1+μ)/(1+2μ).

    Source: Nesterov (1983) in the form of Sutskever et al. (2013); limit by Jury's criterion.

    >>> Nesterov().stability_limit(np.array([0.0, 0.5])).tolist()
    [2.0, 1.5]
    """

    key: ClassVar[str] = "nesterov"
    label: ClassVar[str] = "Nesterov"
    parameter: ClassVar[str] = "momentum"
    description: ClassVar[str] = "Momentum that looks one step ahead."

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the Nesterov system for every mode and momentum."""
        lam, mu = eigenvalues[None, :], values[:, None]

        def transition(t: int) -> Sequence[Entry]:
            rate = rates[t]
            return [
                (0, 0, 1 - rate * (1 + mu) * lam),
                (0, 1, -rate * mu**2),
                (1, 0, lam),
                (1, 1, mu),
            ]

        def injection(t: int) -> Sequence[Kick]:
            return [(0, -rates[t] * (1 + mu)), (1, 1.0)]

        return LinearSystem(
            horizon=len(rates),
            shape=(len(values), len(eigenvalues)),
            size=2,
            transition=transition,
            injection=injection,
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2(1+μ)/(1+2μ)."""
        return np.asarray(2 * (1 + values) / (1 + 2 * values))


@dataclass(frozen=True, kw_only=True)
class ExponentialMomentum(Swept):
    """EMA momentum: v ← βv + (1−β)(H e + z), e ← e − η_t c_t v; β is swept.

    c_t = 1/(1−β^{t+1}) with bias correction, else 1. Heavy ball with the rate η(1−β) once the
    correction has settled, so a constant rate is stable iff 0 < ηλ < 2(1+β)/(1−β).

    Args:
        bias_correction: whether the start of the average is corrected.

    Source: Kingma and Ba (2015), first moment and its correction.

    >>> ExponentialMomentum().stability_limit(np.array([0.5])).tolist()
    [6.0]
    """

    key: ClassVar[str] = "ema"
    label: ClassVar[str] = "EMA momentum"
    parameter: ClassVar[str] = "beta"
    description: ClassVar[str] = "An exponential moving average of the gradients."

    bias_correction: bool = False

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the EMA system for every mode and β."""
        lam, beta = eigenvalues[None, :], values[:, None]
        fresh = 1 - beta

        def step(t: int) -> FloatArray:
            correction = 1 - beta ** (t + 1) if self.bias_correction else np.ones_like(beta)
            return np.asarray(rates[t] / correction)

        def transition(t: int) -> Sequence[Entry]:
            rate = step(t)
            return [
                (0, 0, 1 - rate * fresh * lam),
                (0, 1, -rate * beta),
                (1, 0, fresh * lam),
                (1, 1, beta),
            ]

        def injection(t: int) -> Sequence[Kick]:
            return [(0, -step(t) * fresh), (1, fresh)]

        return LinearSystem(
            horizon=len(rates),
            shape=(len(values), len(eigenvalues)),
            size=2,
            transition=transition,
            injection=injection,
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2(1+β)/(1−β)."""
        return np.asarray(2 * (1 + values) / (1 - values))


@dataclass(frozen=True, kw_only=True)
class WeightDecay(Swept):
    """SGD with coupled weight decay: v ← μ v + (H + γλ_max) e + z, e ← e − η_t v; μ is swept.

    The pull towards 0 is written round θ*: it damps the error and adds a constant, which carries no
    noise. Heavy ball on the curvature λ + γλ_max, so a constant rate is stable iff
    0 < ηλ(1+γ) < 2(1+μ) at λ = λ_max. The damage is still measured on the loss without decay.

    Args:
        decay: γ ≥ 0, weight decay relative to λ_max.

    Source: Krogh and Hertz (1992); L2-coupled form of common libraries.

    >>> WeightDecay(decay=1.0).stability_limit(np.array([0.0])).tolist()
    [1.0]
    """

    key: ClassVar[str] = "weight_decay"
    label: ClassVar[str] = "Weight decay"
    parameter: ClassVar[str] = "momentum"
    description: ClassVar[str] = "Heavy ball whose gradient also pulls the weights towards zero."

    decay: float = 0.01

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", check_real("decay", self.decay, low=0))

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the decayed heavy-ball system for every mode and momentum."""
        curvature = eigenvalues + self.decay * eigenvalues.max()
        return momentum_system(curvature=curvature, rates=rates, momenta=values)

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2(1+μ)/(1+γ)."""
        return np.asarray(2 * (1 + values) / (1 + self.decay))
