"""Learning-rate schedules χ: eight named families with their parameters, or a custom list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from momentdp_core.errors import (
    FloatArray,
    InputError,
    check_choice,
    check_integer,
    check_real,
    check_vector,
    read_only,
)


@dataclass(frozen=True, kw_only=True)
class ScheduleFamily:
    """One family of schedules: key, name, one line, the parameters it reads, and its formula."""

    key: str
    label: str
    description: str
    parameters: tuple[str, ...]
    build: Callable[[Schedule, int], FloatArray]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """A learning-rate schedule χ_0 … χ_{T−1} relative to the peak rate, as a hashable record.

    With u = t/(T−1) (0 at T = 1) and w = max(1, ⌊warmup_fraction·T⌋):
    constant 1 · cosine ½(1+cos πu) · warmup_constant min(1, (t+1)/w) · warmup_cosine (t+1)/w
    for t < w, then ½(1+cos(π(t−w)/(T−w))) · step step_factor^⌊step_stages·t/T⌋ · exponential
    final_fraction^u · front_loaded 1−(1−front_end)u · back_loaded back_start+(1−back_start)u ·
    custom: the given values.

    Args:
        family: key of SCHEDULES.
        warmup_fraction: share of the horizon spent warming up, 0 … 1.
        step_factor: factor of each decay step, 0 < factor ≤ 1.
        step_stages: number of equal stages of the step decay, ≥ 1.
        final_fraction: last value of the exponential decay, 0 < fraction ≤ 1.
        front_end: last value of the front-loaded schedule, 0 … 1.
        back_start: first value of the back-loaded schedule, 0 … 1.
        values: the multipliers ≥ 0 of a `custom` schedule, one a step.

    Raises:
        InputError: a value is out of its range.

    Source: MOMENT-DP (arXiv:2611.11457), Appendix D, "eight learning-rate schedule families".

    >>> Schedule(family="front_loaded").multipliers(4)
    array([1. , 0.7, 0.4, 0.1])
    """

    family: str = "constant"
    warmup_fraction: float = 0.1
    step_factor: float = 0.1
    step_stages: int = 3
    final_fraction: float = 0.01
    front_end: float = 0.1
    back_start: float = 0.1
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_choice("schedule", self.family, SCHEDULES)
        for name, open_low in (
            ("warmup_fraction", False),
            ("step_factor", True),
            ("final_fraction", True),
            ("front_end", False),
            ("back_start", False),
        ):
            value = check_real(name, getattr(self, name), low=0, high=1, open_low=open_low)
            object.__setattr__(self, name, value)
        object.__setattr__(
            self, "step_stages", check_integer("step_stages", self.step_stages, low=1)
        )
        if self.family == "custom":
            vector = check_vector("schedule values", self.values, low=0)
            object.__setattr__(self, "values", tuple(vector.tolist()))
        elif self.values:
            raise InputError(
                "schedule values",
                self.values,
                f"no list with the {self.family} schedule",
                "Choose the custom schedule to use a list of multipliers.",
            )
        else:
            object.__setattr__(self, "values", ())

    def multipliers(self, horizon: int) -> FloatArray:
        """Return χ as a read-only vector of length T.

        Raises:
            InputError: a custom list whose length is not T.

        >>> Schedule(family="warmup_constant", warmup_fraction=0.5).multipliers(4)
        array([0.5, 1. , 1. , 1. ])
        """
        steps = check_integer("horizon", horizon, low=1)
        return read_only(np.asarray(SCHEDULES[self.family].build(self, steps), dtype=np.float64))


def _progress(horizon: int) -> FloatArray:
    return np.arange(horizon) / max(horizon - 1, 1)


def _warmup_steps(schedule: Schedule, horizon: int) -> int:
    return max(1, int(schedule.warmup_fraction * horizon + 1e-9))


def _constant(schedule: Schedule, horizon: int) -> FloatArray:
    return np.ones(horizon)


def _cosine(schedule: Schedule, horizon: int) -> FloatArray:
    return 0.5 * (1 + np.cos(np.pi * _progress(horizon)))


def _warmup_constant(schedule: Schedule, horizon: int) -> FloatArray:
    return np.minimum(1.0, (np.arange(horizon) + 1) / _warmup_steps(schedule, horizon))


def _warmup_cosine(schedule: Schedule, horizon: int) -> FloatArray:
    t, w = np.arange(horizon), _warmup_steps(schedule, horizon)
    decay = 0.5 * (1 + np.cos(np.pi * (t - w) / max(horizon - w, 1)))
    return np.where(t < w, (t + 1) / w, decay)


def _step(schedule: Schedule, horizon: int) -> FloatArray:
    stage = schedule.step_stages * np.arange(horizon) // horizon
    return np.asarray(schedule.step_factor**stage)


def _exponential(schedule: Schedule, horizon: int) -> FloatArray:
    return np.asarray(schedule.final_fraction ** _progress(horizon))


def _front_loaded(schedule: Schedule, horizon: int) -> FloatArray:
    return 1 - (1 - schedule.front_end) * _progress(horizon)


def _back_loaded(schedule: Schedule, horizon: int) -> FloatArray:
    return schedule.back_start + (1 - schedule.back_start) * _progress(horizon)


def _custom(schedule: Schedule, horizon: int) -> FloatArray:
    return np.array(check_vector("schedule values", schedule.values, low=0, length=horizon))


_FAMILIES = (
    ScheduleFamily(
        key="constant",
        label="Constant",
        description="The same rate at every step.",
        parameters=(),
        build=_constant,
    ),
    ScheduleFamily(
        key="cosine",
        label="Cosine",
        description="Falls smoothly from the peak to zero.",
        parameters=(),
        build=_cosine,
    ),
    ScheduleFamily(
        key="warmup_constant",
        label="Warm-up, then constant",
        description="Rises linearly to the peak, then stays there.",
        parameters=("warmup_fraction",),
        build=_warmup_constant,
    ),
    ScheduleFamily(
        key="warmup_cosine",
        label="Warm-up, then cosine",
        description="Rises linearly to the peak, then falls smoothly towards zero.",
        parameters=("warmup_fraction",),
        build=_warmup_cosine,
    ),
    ScheduleFamily(
        key="step",
        label="Step decay",
        description="Equal stages; each multiplies the rate by a fixed factor.",
        parameters=("step_factor", "step_stages"),
        build=_step,
    ),
    ScheduleFamily(
        key="exponential",
        label="Exponential decay",
        description="Falls by the same factor at every step.",
        parameters=("final_fraction",),
        build=_exponential,
    ),
    ScheduleFamily(
        key="front_loaded",
        label="Front-loaded",
        description="Falls linearly from the peak.",
        parameters=("front_end",),
        build=_front_loaded,
    ),
    ScheduleFamily(
        key="back_loaded",
        label="Back-loaded",
        description="Rises linearly to the peak.",
        parameters=("back_start",),
        build=_back_loaded,
    ),
    ScheduleFamily(
        key="custom",
        label="Custom",
        description="Your own multipliers, one a step.",
        parameters=(),
        build=_custom,
    ),
)
SCHEDULES: Mapping[str, ScheduleFamily] = MappingProxyType(
    {family.key: family for family in _FAMILIES}
)
