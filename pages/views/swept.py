"""The swept parameter of each optimizer: how it is called, and where its slider can stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from momentdp_core.errors import FloatArray, read_only
from momentdp_core.optimizers import OPTIMIZERS, LinearOptimizer


@dataclass(frozen=True, kw_only=True)
class SweptParameter:
    """What is swept: its name in the engine and on screen, its symbol, and its range.

    `counts_steps` says that 1/(1−x) is the number of steps over which it averages.
    """

    key: str
    name: str
    symbol: str
    low: float
    high: float
    counts_steps: bool

    @property
    def values(self) -> FloatArray:
        """Where the slider can stand, every hundredth."""
        first, last = round(100 * self.low), round(100 * self.high)
        return read_only(np.arange(first, last + 1) / 100)

    @property
    def title(self) -> str:
        """The name with its symbol, as a control and an axis are called.

        >>> swept_of(OPTIMIZERS["heavy_ball"]()).title
        'momentum μ'
        """
        return self.name if self.symbol == self.name else f"{self.name} {self.symbol}"


def _memory(key: str, name: str, symbol: str, *, counts_steps: bool = True) -> SweptParameter:
    return SweptParameter(
        key=key, name=name, symbol=symbol, low=0.0, high=0.99, counts_steps=counts_steps
    )


_MOMENTUM: Final = _memory("momentum", "momentum", "μ")
_CUTOFF: Final = SweptParameter(
    key="cutoff", name="cut-off", symbol="ω", low=0.01, high=0.99, counts_steps=False
)
# By the optimizer's key. DiSK's parameter goes by its name: κ is the condition number on screen.
SWEPT: Final[Mapping[str, SweptParameter]] = MappingProxyType(
    {
        **dict.fromkeys(OPTIMIZERS, _MOMENTUM),
        "ema": _memory("beta", "memory", "β"),
        "per_sample_momentum": _memory("beta", "memory", "β", counts_steps=False),
        "weight_average": _memory("decay", "averaging weight", "α"),
        "lp_dpsgd": _CUTOFF,
        "dp_pmlf": _CUTOFF,
        "disk": SweptParameter(
            key="kappa", name="gain", symbol="gain", low=0.01, high=1.0, counts_steps=False
        ),
    }
)


def swept_of(optimizer: LinearOptimizer) -> SweptParameter:
    """Return what is swept of an optimizer.

    >>> swept_of(OPTIMIZERS["disk"]()).symbol
    'gain'
    """
    return SWEPT[optimizer.key]
