"""The system behind the filtering optimizers: window, filter and buffer in a row.

The gradient sees a weighted window of the last errors (per-sample momentum), the noisy gradient
passes a rational filter, and the result may feed a heavy-ball buffer. Leaving a part out leaves
its state out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.optimizers.base import Coefficient, Entry, Kick, LinearSystem

DESIGNS = ("first_order", "butterworth")
# Those that have an order to choose.
ORDERED = ("butterworth",)


@dataclass(frozen=True, kw_only=True, eq=False)
class FilterCoefficients:
    """m_t = −Σ_{r≥1} a_r m_{t−r} + Σ_{r≥0} b_r v̄_{t−r} for M parameter values.

    Args:
        a: a_1 … a_n, each (M, 1) or a number.
        b: b_0 … b_n, each (M, 1) or a number.
    """

    a: tuple[Coefficient, ...]
    b: tuple[Coefficient, ...]

    @property
    def order(self) -> int:
        """n, the number of past values that are remembered."""
        return max(len(self.a), len(self.b) - 1)

    def tap(self, side: str, index: int) -> Coefficient:
        """Return a_index or b_index, 0 beyond the last."""
        taps = (1.0, *self.a) if side == "a" else self.b
        return taps[index] if index < len(taps) else 0.0

    def step_response(self, steps: int) -> list[Coefficient]:
        """Return c_{m,t}: what the filter makes of a constant input 1 from rest."""
        memory: list[Coefficient] = [0.0] * (self.order + 1)
        out = []
        for _ in range(steps):
            value = self.tap("b", 0) + memory[0]
            for r in range(1, self.order + 1):
                following = memory[r] if r < self.order else 0.0
                memory[r - 1] = self.tap("b", r) - self.tap("a", r) * value + following
            out.append(value)
        return out


def designed_filter(design: str, order: int, cutoffs: FloatArray) -> FilterCoefficients:
    """Return the low-pass filters of a named design at M cut-offs; −Σa + Σb = 1.

    first_order: m ← p m + (1−p) v̄ with the pole p = e^{−πω} · butterworth: the digital
    Butterworth filter of that order.

    Args:
        design: "first_order" or "butterworth".
        order: n of the Butterworth filter.
        cutoffs: ω, 0 < ω < 1, as a share of the highest frequency (half a cycle a step), (M,).

    Source: Butterworth (1930) by scipy.signal; DP-PMLF (arXiv:2511.08841), low-pass filter.

    >>> [float(x[0, 0]) for x in designed_filter("butterworth", 1, np.array([0.5])).b]
    [0.5, 0.5]
    """
    return _designed_filter(design, order, tuple(cutoffs.tolist()))


@lru_cache(maxsize=64)
def _designed_filter(design: str, order: int, cutoffs: tuple[float, ...]) -> FilterCoefficients:
    if design == "first_order":
        pole = np.exp(-np.pi * np.array(cutoffs))[:, None]
        return FilterCoefficients(a=(-pole,), b=(1 - pole,))
    from scipy.signal import butter

    made = [butter(order, cutoff) for cutoff in cutoffs]
    # Their gain at frequency 0 is 1 up to rounding, which is removed.
    a = np.array([den[1:] for _, den in made])
    b = np.array([num / num.sum() * den.sum() for num, den in made])
    return FilterCoefficients(
        a=tuple(column[:, None] for column in a.T), b=tuple(column[:, None] for column in b.T)
    )


def window_weights(beta: FloatArray, length: int) -> list[FloatArray]:
    """Return β^j/c_β for j = 0 … length−1, which add up to 1; each has the shape of β.

    >>> [float(w[0]) for w in window_weights(np.array([1.0]), 4)]
    [0.25, 0.25, 0.25, 0.25]
    """
    powers = [beta**j for j in range(length)]
    total = np.sum(powers, axis=0)
    return [power / total for power in powers]


def filtered_system(
    *,
    eigenvalues: FloatArray,
    rates: FloatArray,
    count: int,
    filter_: FilterCoefficients | None = None,
    normalise: bool = False,
    window: tuple[FloatArray, int] | None = None,
    momentum: FloatArray | None = None,
) -> LinearSystem:
    """Return window → filter → buffer → step as one linear system.

    g = λ Σ_j w_j e_{t−j} + z · m = filter(g)/c_{m,t} · v ← μ v + m · e ← e − η_t v. The state is
    (e_t, e_{t−1} … e_{t−k+1}, filter memory w_1 … w_n, v): with the transposed direct form
    m = b_0 g + w_1 and w_r ← (b_r − a_r b_0) g − a_r w_1 + w_{r+1}.

    Args:
        eigenvalues: λ, shape (d,).
        rates: η_t, shape (T,).
        count: M.
        filter_: the filter, or None for m = g.
        normalise: whether m is divided by the start-up constant c_{m,t}.
        window: (β of shape (M, 1), k), or None for the newest error alone.
        momentum: μ of the buffer, shape (M, 1), or None for no buffer.

    Source: DP-PMLF (arXiv:2511.08841), Section "Method".
    """
    lam = eigenvalues[None, :]
    span = window[1] if window else 1
    order = filter_.order if filter_ else 0
    first, buffer = span, span + order
    size = span + order + (momentum is not None)
    horizon = len(rates)
    corrections: Sequence[Coefficient] = [1.0] * horizon
    if filter_ and normalise:
        corrections = filter_.step_response(horizon)
    b_0 = filter_.tap("b", 0) if filter_ else 1.0

    @lru_cache(maxsize=span)
    def seen(length: int) -> list[Coefficient]:
        return list(window_weights(window[0], length)) if window else [1.0]

    def gradient(t: int) -> list[tuple[int, Coefficient]]:
        return [(j, weight * lam) for j, weight in enumerate(seen(min(t + 1, span)))]

    def transition(t: int) -> Sequence[Entry]:
        step = rates[t] / corrections[t]
        entries: list[Entry] = [(0, 0, 1.0)]
        entries += [(j, j - 1, 1.0) for j in range(1, span)]
        # The filtered gradient m as a row over the state: it moves e, and the buffer if any.
        output = [(column, b_0 * part) for column, part in gradient(t)]
        if order:
            output.append((first, 1.0))
        entries += [(0, column, -step * part) for column, part in output]
        if momentum is not None:
            entries += [(buffer, column, part / corrections[t]) for column, part in output]
            entries += [(buffer, buffer, momentum), (0, buffer, -rates[t] * momentum)]
        for r in range(1, order + 1):
            assert filter_ is not None
            a_r, b_r = filter_.tap("a", r), filter_.tap("b", r)
            row = first + r - 1
            entries += [(row, column, (b_r - a_r * b_0) * part) for column, part in gradient(t)]
            entries.append((row, first, -a_r))
            if r < order:
                entries.append((row, row + 1, 1.0))
        return entries

    def injection(t: int) -> Sequence[Kick]:
        kicks: list[Kick] = [(0, -rates[t] / corrections[t] * b_0)]
        if momentum is not None:
            kicks.append((buffer, b_0 / corrections[t]))
        for r in range(1, order + 1):
            assert filter_ is not None
            kicks.append((first + r - 1, filter_.tap("b", r) - filter_.tap("a", r) * b_0))
        return kicks

    return LinearSystem(
        horizon=horizon,
        shape=(count, len(eigenvalues)),
        size=size,
        transition=transition,
        injection=injection,
        window=(lambda t: seen(min(t + 1, span))) if window else None,
    )
