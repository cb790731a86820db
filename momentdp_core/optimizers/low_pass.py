"""LP-DPSGD and filters of given coefficients: what comes after the noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_choice, check_integer, check_vector
from momentdp_core.optimizers.base import LinearSystem, Swept
from momentdp_core.optimizers.filters import (
    DESIGNS,
    FilterCoefficients,
    designed_filter,
    filtered_system,
)
from momentdp_core.optimizers.limits import settled_limit

# How far −Σa + Σb may be from 1, and how near the unit circle a pole may come.
GAIN_TOLERANCE = 1e-9
POLE_MARGIN = 1e-9


@dataclass(frozen=True, kw_only=True)
class LowPass(Swept):
    """LP-DPSGD: e ← e − η_t m̂_t with m = low-pass(H e + z); the cut-off ω is swept.

    m_t = −Σ a_r m_{t−r} + Σ b_r v̄_{t−r}, −Σa + Σb = 1, m̂_t = m_t/c_{m,t} when normalised. A
    low cut-off keeps only slow changes. The stability limit is found numerically.

    Args:
        design: "first_order" or "butterworth".
        order: of the Butterworth filter, 1 … 8.
        normalise: start-up normalisation by c_{m,t}.

    Source: LP-DPSGD in DP-PMLF (arXiv:2511.08841); filter of its section "Method".

    >>> round(float(LowPass().stability_limit(np.array([0.5]))[0]), 3)
    3.05
    """

    key: ClassVar[str] = "lp_dpsgd"
    label: ClassVar[str] = "LP-DPSGD"
    parameter: ClassVar[str] = "cutoff"
    zero: ClassVar[bool] = False
    description: ClassVar[str] = "A low-pass filter on the noisy gradient."

    design: str = "first_order"
    order: int = 1
    normalise: bool = True

    def __post_init__(self) -> None:
        check_choice("design", self.design, DESIGNS)
        object.__setattr__(self, "order", check_integer("order", self.order, low=1, high=8))

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the filtered system for every mode and cut-off."""
        return filtered_system(
            eigenvalues=eigenvalues,
            rates=rates,
            count=len(values),
            filter_=designed_filter(self.design, self.order, values),
            normalise=self.normalise,
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return the numerical limit of the settled filter."""
        return settled_limit(replace(self, normalise=False), values)


@dataclass(frozen=True, kw_only=True)
class CustomFilter(Swept):
    """A filter of given coefficients before heavy ball: v ← μ v + m̂, e ← e − η_t v; μ is swept.

    m_t = −Σ_{r≥1} a_r m_{t−r} + Σ_{r≥0} b_r v̄_{t−r} with −Σa + Σb = 1. At μ = 0 it is the filter
    alone, and with b = (1,), a = () heavy ball.

    Args:
        a: a_1, a_2, …; the poles must lie inside the unit circle.
        b: b_0, b_1, …
        normalise: start-up normalisation by c_{m,t}; needs c_{m,t} > 0 at every step.

    Source: DP-PMLF (arXiv:2511.08841), section "Method".

    >>> CustomFilter(a=(-0.5,), b=(0.5,)).key
    'filter'
    """

    key: ClassVar[str] = "filter"
    label: ClassVar[str] = "Your own filter"
    parameter: ClassVar[str] = "momentum"
    description: ClassVar[str] = "Your own filter on the noisy gradient, then heavy ball."

    a: tuple[float, ...] = ()
    b: tuple[float, ...] = (1.0,)
    normalise: bool = True

    def __post_init__(self) -> None:
        a = check_vector("a", self.a).tolist() if len(self.a) else []
        b = check_vector("b", self.b).tolist()
        gain = sum(b) - sum(a)
        if abs(gain - 1) > GAIN_TOLERANCE:
            raise InputError(
                "gain −Σa + Σb of the filter",
                float(f"{gain:.9g}"),
                "1",
                f"Divide every b by {sum(b) / (1 + sum(a)):.9g} to keep the mean of the gradient."
                if (1 + sum(a)) * sum(b) > 0
                else "Change a and b so that the mean of the gradient is kept.",
            )
        poles = np.abs(np.roots([1.0, *a])) if a else np.zeros(1)
        if poles.max() >= 1 - POLE_MARGIN:
            raise InputError(
                "a",
                f"a pole of size {poles.max():.6g}",
                "poles inside the unit circle",
                "The filter itself is unstable: make the coefficients a smaller.",
            )
        object.__setattr__(self, "a", tuple(a))
        object.__setattr__(self, "b", tuple(b))

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the filtered heavy ball for every mode and momentum."""
        coefficients = FilterCoefficients(a=self.a, b=self.b)
        if self.normalise:
            start_up = np.array(coefficients.step_response(len(rates)), dtype=float)
            if start_up.min() <= 0:
                raise InputError(
                    "start-up normalisation (normalise)",
                    "on",
                    "a filter whose response to a constant stays above 0",
                    "Turn the start-up normalisation off, or give b_0 > 0.",
                )
        return filtered_system(
            eigenvalues=eigenvalues,
            rates=rates,
            count=len(values),
            filter_=coefficients,
            normalise=self.normalise,
            momentum=values[:, None],
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return the numerical limit of the settled filter."""
        return settled_limit(replace(self, normalise=False), values)
