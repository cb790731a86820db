"""Linear optimizers: each gives, per eigenmode, a time-varying linear system (A_t, B_t).

An optimizer is a frozen record of its fixed parameters, and its class one entry of OPTIMIZERS. It
names its swept parameter, its stability limit, and the system s_{t+1} = A_t(λ) s_t + B_t z_t whose
readout is the error e; the damage engine needs nothing else. A new optimizer is a new class and a
new entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Protocol

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_vector


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSystem:
    """s_{t+1} = A_t s_t + B_t z_t, e_t = readout · s_t, for M parameter values and d modes.

    Args:
        horizon: T.
        shape: (M, d).
        transition: t ↦ A_t, broadcastable to (M, d, k, k).
        injection: t ↦ B_t, broadcastable to (M, d, k).
        readout: (k,), picks the parameter error out of the state.
    """

    horizon: int
    shape: tuple[int, int]
    transition: Callable[[int], FloatArray]
    injection: Callable[[int], FloatArray]
    readout: FloatArray


class LinearOptimizer(Protocol):
    """What an entry of OPTIMIZERS offers."""

    # The public key, and the name of the swept parameter.
    key: ClassVar[str]
    parameter: ClassVar[str]

    def check(self, values: object) -> FloatArray:
        """Return the swept values as a vector, or raise InputError."""
        ...

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the system for eigenvalues (d,), step sizes η_t (T,), swept values (M,)."""
        ...

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return, per swept value, the ηλ at which a constant rate stops being stable, (M,)."""
        ...


@dataclass(frozen=True, kw_only=True)
class HeavyBall:
    """Heavy-ball momentum: v ← μ v + H e + z, e ← e − η_t v.

    With s = (e, v): A_t = [[1 − η_tλ, −η_tμ], [λ, μ]], B_t = (−η_t, 1).
    A constant rate is stable iff 0 < ηλ < 2(1+μ).

    Source: MOMENT-DP, Eq. (2); Polyak (1964) for the limit.

    >>> HeavyBall().stability_limit(np.array([0.0, 0.5]))
    array([2., 3.])
    """

    key: ClassVar[str] = "heavy_ball"
    parameter: ClassVar[str] = "momentum"

    def check(self, values: object) -> FloatArray:
        """Return μ as a vector with 0 ≤ μ < 1, or raise InputError."""
        momenta = check_vector("momentum", values, low=0)
        if momenta.max() >= 1:
            raise InputError(
                "momentum",
                float(momenta.max()),
                "0 <= momentum < 1",
                "At 1 the noise is never forgotten: use at most 0.999.",
            )
        return momenta

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the heavy-ball system for every mode and momentum."""
        lam = eigenvalues[None, :]
        mu = values[:, None]

        def transition(t: int) -> FloatArray:
            rate = rates[t]
            rows = [[1 - rate * lam, -rate * mu], [lam, mu]]
            matrix = np.empty((len(values), len(eigenvalues), 2, 2))
            for i, row in enumerate(rows):
                for j, entry in enumerate(row):
                    matrix[..., i, j] = entry
            return matrix

        def injection(t: int) -> FloatArray:
            return np.array([-rates[t], 1.0])

        return LinearSystem(
            horizon=len(rates),
            shape=(len(values), len(eigenvalues)),
            transition=transition,
            injection=injection,
            readout=np.array([1.0, 0.0]),
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return 2(1+μ)."""
        return np.asarray(2 * (1 + values))


OPTIMIZERS: Mapping[str, type[LinearOptimizer]] = MappingProxyType({HeavyBall.key: HeavyBall})
