"""Linear optimizers: each class is one entry of OPTIMIZERS, found by its key."""

from collections.abc import Mapping
from types import MappingProxyType

from momentdp_core.optimizers.averaging import TailAveraging, WeightAveraging
from momentdp_core.optimizers.base import LinearOptimizer, LinearSystem, optimizer_of
from momentdp_core.optimizers.disk import Disk
from momentdp_core.optimizers.heavy_ball import (
    ExponentialMomentum,
    HeavyBall,
    Nesterov,
    WeightDecay,
)
from momentdp_core.optimizers.low_pass import CustomFilter, LowPass
from momentdp_core.optimizers.per_sample import DpPmlf, InnerOuter, PerSampleMomentum

_ALL: tuple[type[LinearOptimizer], ...] = (
    HeavyBall,
    Nesterov,
    ExponentialMomentum,
    WeightDecay,
    TailAveraging,
    WeightAveraging,
    LowPass,
    CustomFilter,
    PerSampleMomentum,
    DpPmlf,
    InnerOuter,
    Disk,
)
OPTIMIZERS: Mapping[str, type[LinearOptimizer]] = MappingProxyType({k.key: k for k in _ALL})

__all__ = [
    "OPTIMIZERS",
    "CustomFilter",
    "Disk",
    "DpPmlf",
    "ExponentialMomentum",
    "HeavyBall",
    "InnerOuter",
    "LinearOptimizer",
    "LinearSystem",
    "LowPass",
    "Nesterov",
    "PerSampleMomentum",
    "TailAveraging",
    "WeightAveraging",
    "WeightDecay",
    "optimizer_of",
]
