"""Per-sample momentum, alone and with what DP-PMLF and InnerOuter put after the noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_choice, check_integer
from momentdp_core.optimizers.base import LinearSystem, Swept, check_share
from momentdp_core.optimizers.filters import DESIGNS, designed_filter, filtered_system
from momentdp_core.optimizers.limits import settled_limit


def _check_window(beta: float, steps: int) -> tuple[float, int]:
    return (
        float(check_share("beta", [beta])[0]),
        check_integer("steps", steps, low=1),
    )


def _check_fits(steps: int, horizon: int) -> None:
    if steps > horizon:
        raise InputError(
            "steps",
            steps,
            f"at most the horizon, {horizon}",
            "A window of k gradients needs k training steps: use a smaller k or a longer horizon.",
        )


@dataclass(frozen=True, kw_only=True)
class PerSampleMomentum(Swept):
    """Per-sample momentum: e ← e − η_t (H Σ_j w_j e_{t−j} + z), w_j = β^j/c_β; β is swept.

    Each example's gradients of its last k steps are averaged before clipping and noise; on a
    quadratic the gradient is H times the weighted mean of the last k errors. In the first k steps
    the window is what exists, renormalised. The stability limit is found numerically.

    Args:
        steps: k ≥ 1, at most the horizon.

    Source: DP-PMLF (arXiv:2511.08841), "Per-Sample Momentum".

    >>> float(PerSampleMomentum(steps=1).stability_limit(np.array([0.5]))[0].round(6))
    2.0
    """

    key: ClassVar[str] = "per_sample_momentum"
    label: ClassVar[str] = "Per-sample momentum"
    parameter: ClassVar[str] = "beta"
    description: ClassVar[str] = "Each example's own gradients are averaged before the noise."

    steps: int = 4

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", check_integer("steps", self.steps, low=1))

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the windowed system for every mode and β."""
        _check_fits(self.steps, len(rates))
        return filtered_system(
            eigenvalues=eigenvalues,
            rates=rates,
            count=len(values),
            window=(values[:, None], self.steps),
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return the numerical limit of the full window."""
        return settled_limit(self, values, window=self.steps)


@dataclass(frozen=True, kw_only=True)
class DpPmlf(Swept):
    """DP-PMLF: per-sample momentum, then a low-pass filter; the cut-off ω is swept.

    v̄_t = H Σ_j w_j e_{t−j} + z, m_t = −Σ a_r m_{t−r} + Σ b_r v̄_{t−r}, e ← e − η_t m_t/c_{m,t}.

    Args:
        beta: β of the per-sample weights, 0 ≤ β < 1.
        steps: k ≥ 1, at most the horizon.
        design: "first_order" or "butterworth".
        order: of the Butterworth filter, 1 … 8.
        normalise: start-up normalisation by c_{m,t}.

    Source: DP-PMLF (arXiv:2511.08841), section "Method".

    >>> DpPmlf().parameter
    'cutoff'
    """

    key: ClassVar[str] = "dp_pmlf"
    label: ClassVar[str] = "DP-PMLF"
    parameter: ClassVar[str] = "cutoff"
    zero: ClassVar[bool] = False
    description: ClassVar[str] = "Per-sample momentum before the noise, a low-pass filter after it."

    beta: float = 0.9
    steps: int = 4
    design: str = "first_order"
    order: int = 1
    normalise: bool = True

    def __post_init__(self) -> None:
        beta, steps = _check_window(self.beta, self.steps)
        object.__setattr__(self, "beta", beta)
        object.__setattr__(self, "steps", steps)
        check_choice("design", self.design, DESIGNS)
        object.__setattr__(self, "order", check_integer("order", self.order, low=1, high=8))

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the windowed and filtered system for every mode and cut-off."""
        _check_fits(self.steps, len(rates))
        return filtered_system(
            eigenvalues=eigenvalues,
            rates=rates,
            count=len(values),
            filter_=designed_filter(self.design, self.order, values),
            normalise=self.normalise,
            window=(np.full((1, 1), self.beta), self.steps),
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return the numerical limit of the settled filter and the full window."""
        return settled_limit(replace(self, normalise=False), values, window=self.steps)


@dataclass(frozen=True, kw_only=True)
class InnerOuter(Swept):
    """InnerOuter: per-sample momentum, then an un-normalised outer momentum μ, which is swept.

    v̄_t = H Σ_j w_j e_{t−j} + z, v ← μ v + v̄, e ← e − η_t v.

    Args:
        beta: β of the per-sample weights, 0 ≤ β < 1.
        steps: k ≥ 1, at most the horizon.

    Source: InnerOuter (Xiao et al., 2023) as described in DP-PMLF (arXiv:2511.08841).

    >>> float(InnerOuter(steps=1).stability_limit(np.array([0.5]))[0].round(6))
    3.0
    """

    key: ClassVar[str] = "inner_outer"
    label: ClassVar[str] = "InnerOuter"
    parameter: ClassVar[str] = "momentum"
    description: ClassVar[str] = "Per-sample momentum, then a growing momentum buffer."

    beta: float = 0.9
    steps: int = 4

    def __post_init__(self) -> None:
        beta, steps = _check_window(self.beta, self.steps)
        object.__setattr__(self, "beta", beta)
        object.__setattr__(self, "steps", steps)

    def system(
        self, *, eigenvalues: FloatArray, rates: FloatArray, values: FloatArray
    ) -> LinearSystem:
        """Return the windowed heavy ball for every mode and momentum."""
        _check_fits(self.steps, len(rates))
        return filtered_system(
            eigenvalues=eigenvalues,
            rates=rates,
            count=len(values),
            window=(np.full((1, 1), self.beta), self.steps),
            momentum=values[:, None],
        )

    def stability_limit(self, values: FloatArray) -> FloatArray:
        """Return the numerical limit of the full window."""
        return settled_limit(self, values, window=self.steps)
