"""DiSK: a simplified Kalman filter on the gradient."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.optimizers.base import Entry, Kick, LinearSystem, Swept


@dataclass(frozen=True, kw_only=True)
class Disk(Swept):
    """DiSK: g_t = (1−κ)(g_{t−1} + H d_{t−1}) + κ(H e_t + z_t), e ← e − η_t g_t; κ is swept.

    d_{t−1} = e_t − e_{t−1} = −η_{t−1} g_{t−1}, and g_{−1} = 0. With s = (e, g):
    A_t's row of g is (κλ, (1−κ)(1 − η_{t−1}λ)), B_t = (−η_tκ, κ). κ = 1 is SGD. A constant rate is
    stable iff 0 < ηλ < 2, whatever κ: with x = ηλ and q = (1−κ)(1−x) the characteristic polynomial
    is z² − (1 − κx + q) z + q, and Jury's criterion gives x < 2 and the weaker x < 1 + 1/(1−κ).

    Source: DiSK (Zhang et al., ICLR 2025), in the form of the theory of this project.

    >>> Disk().stability_limit(np.array([1.0])).tolist()
    [2.0]
    """

    key: ClassVar[str] = "disk"
    label: ClassVar[str] = "DiSK"
    parameter: ClassVar[str] = "kappa"
    zero: ClassVar[bool] = False
    one: ClassVar[bool] = True
    description: ClassVar[str] = "A simplified Kalman filter that predicts the gradient's change."

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the DiSK system for every mode and κ."""
        lam, kappa = eigenvalues[None, :], values[:, None]

        def parts(t: int) -> tuple[FloatArray, FloatArray]:
            before = rates[t - 1] if t else 0.0  # g is 0 before the first step
            return np.asarray(kappa * lam), np.asarray((1 - kappa) * (1 - before * lam))

        def transition(t: int) -> Sequence[Entry]:
            fresh, kept = parts(t)
            rate = rates[t]
            return [(0, 0, 1 - rate * fresh), (0, 1, -rate * kept), (1, 0, fresh), (1, 1, kept)]

        def injection(t: int) -> Sequence[Kick]:
            return [(0, -rates[t] * kappa), (1, kappa)]

        return LinearSystem(
            horizon=len(rates),
            shape=(len(values), len(eigenvalues)),
            size=2,
            transition=transition,
            injection=injection,
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2 for every κ."""
        return np.full(len(values), 2.0)
