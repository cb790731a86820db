"""Scenario: one frozen, hashable record with the whole state of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from momentdp_core.curvature import Curvature
from momentdp_core.errors import (
    FloatArray,
    InputError,
    check_choice,
    check_integer,
    check_real,
    read_only,
)
from momentdp_core.mechanisms import (
    FAMILIES,
    MECHANISMS,
    OWN_KEY,
    POOL,
    Mechanism,
    OwnMechanism,
    design,
)
from momentdp_core.optimizers import OPTIMIZERS, HeavyBall, LinearOptimizer
from momentdp_core.participation import Sensitivity, sensitivity
from momentdp_core.privacy import LARGEST_EPSILON, noise_multiplier
from momentdp_core.schedules import Schedule

# Beyond this one impulse response alone no longer fits into common memory.
LARGEST_HORIZON = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """What is being trained, how, under which privacy, and which mechanisms are compared.

    The swept parameter (momentum) is not part of it: it is what a study varies.

    Args:
        horizon: T ≥ 1 training steps.
        curvature: Hessian spectrum.
        schedule: learning-rate schedule χ.
        learning_rate: η ≥ 0, peak rate times λ_max; the step size is η_t = η χ_t / λ_max.
        bands: b ≥ 1 of the banded mechanisms; b > T means b = T.
        epsilon: ε, 0 < ε ≤ 700.
        delta: δ, 0 < δ < 1.
        participations: k ≥ 1, how often one example takes part at most.
        min_separation: s ≥ 1, the least difference of two steps in which it does.
        mechanisms: keys of FAMILIES, at least one, none twice; "own" needs `own`.
        optimizer: an instance of one of OPTIMIZERS with its fixed parameters.
        own: the mechanism with the key "own", for T steps.

    Raises:
        InputError: a value is out of its range.

    Source: MOMENT-DP (arXiv:2611.11457), Section 3 and Appendix D.

    >>> Scenario(horizon=4).step_sizes
    array([0.8, 0.8, 0.8, 0.8])
    """

    horizon: int = 128
    curvature: Curvature = field(default_factory=Curvature)
    schedule: Schedule = field(default_factory=Schedule)
    learning_rate: float = 0.8
    bands: int = 16
    epsilon: float = 4.0
    delta: float = 1e-5
    mechanisms: tuple[str, ...] = POOL
    optimizer: LinearOptimizer = field(default_factory=HeavyBall)
    participations: int = 1
    min_separation: int = 1
    own: OwnMechanism | None = None

    def __post_init__(self) -> None:
        for name in ("horizon", "bands", "participations", "min_separation"):
            high = LARGEST_HORIZON if name == "horizon" else None
            value = check_integer(name, getattr(self, name), low=1, high=high)
            object.__setattr__(self, name, value)
        rate = check_real("learning_rate", self.learning_rate, low=0)
        object.__setattr__(self, "learning_rate", rate)
        eps = check_real("epsilon", self.epsilon, low=0, high=LARGEST_EPSILON, open_low=True)
        object.__setattr__(self, "epsilon", eps)
        delta = check_real("delta", self.delta, low=0, high=1, open_low=True, open_high=True)
        object.__setattr__(self, "delta", delta)
        if not isinstance(self.optimizer, tuple(OPTIMIZERS.values())):
            names = ", ".join(kind.__name__ for kind in OPTIMIZERS.values())
            raise InputError("optimizer", self.optimizer, f"one of {names}", "Give HeavyBall().")
        self._check_mechanisms()
        self.schedule.multipliers(self.horizon)  # a custom list must have T entries

    def _check_mechanisms(self) -> None:
        given: object = self.mechanisms
        keys = (given,) if isinstance(given, str) else tuple(self.mechanisms)
        if not keys:
            raise InputError(
                "mechanisms",
                (),
                "at least one key",
                "Choose one or more of " + ", ".join(MECHANISMS) + ".",
            )
        for key in keys:
            check_choice("mechanisms", key, FAMILIES)
            if keys.count(key) > 1:
                raise InputError("mechanisms", key, "each key once", "Leave out the second one.")
        if OWN_KEY in keys:
            self._check_own()
        object.__setattr__(self, "mechanisms", keys)

    def _check_own(self) -> None:
        if self.own is None:
            raise InputError("own", None, "a mechanism", "Give the one that you brought.")
        if self.own.horizon != self.horizon:
            raise InputError(
                "steps of your own mechanism",
                self.own.horizon,
                f"{self.horizon}, the steps T",
                f"Set T to {self.own.horizon}, bring one for {self.horizon} steps or leave it out.",
            )

    @cached_property
    def multipliers(self) -> FloatArray:
        """χ, shape (T,)."""
        return self.schedule.multipliers(self.horizon)

    @cached_property
    def step_sizes(self) -> FloatArray:
        """η_t = η χ_t / λ_max, shape (T,)."""
        return read_only(self.learning_rate * self.multipliers / self.curvature.largest)

    @property
    def eigenvalues(self) -> FloatArray:
        """λ, shape (d,)."""
        return self.curvature.eigenvalues

    @cached_property
    def noise_multiplier(self) -> float:
        """σ of the analytic Gaussian mechanism at (ε, δ), sensitivity 1."""
        return noise_multiplier(epsilon=self.epsilon, delta=self.delta)

    def sensitivity(self, key: str) -> Sensitivity:
        """Return the sensitivity of the mechanism `key` under this scenario's participation.

        It multiplies σ: (ε, δ) then holds for all of an example's participations together.

        >>> Scenario(horizon=4, participations=4).sensitivity("iid").value
        2.0
        """
        return _sensitivity(self, key)

    def noise_scale(self, key: str) -> float:
        """Return the mechanism's calibrated noise: σ times its sensitivity, σ alone for k = 1.

        >>> scenario = Scenario(horizon=4, participations=4)
        >>> scenario.noise_scale("iid") == 2 * scenario.noise_multiplier
        True
        """
        if self.participations == 1:
            return self.noise_multiplier
        return self.noise_multiplier * self.sensitivity(key).value

    def design(self, key: str) -> Mechanism:
        """Return the solved mechanism `key` for this scenario.

        >>> Scenario(horizon=4).design("iid").sensitivity
        1.0
        """
        if key == OWN_KEY:
            self._check_own()
            assert self.own is not None
            return self.own.mechanism
        return design(
            key,
            horizon=self.horizon,
            bands=self.bands,
            multipliers=self.multipliers,
            eigenvalues=self.eigenvalues,
            learning_rate=self.learning_rate,
        )

    def without_own(self) -> Scenario:
        """Return the scenario without an own mechanism, which no file of a scenario can hold.

        Independent noise takes its place where nothing else is compared.

        >>> Scenario().without_own() == Scenario()
        True
        """
        if self.own is None:
            return self
        others = tuple(key for key in self.mechanisms if key != OWN_KEY)
        return replace(self, mechanisms=others or ("iid",), own=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the scenario as JSON-like values; `from_dict` gives it back.

        Of an own mechanism it holds what it was and its digest, not its numbers.

        >>> Scenario.from_dict(Scenario().to_dict()) == Scenario()
        True
        """
        fields = asdict(self)
        if self.own is None:
            del fields["own"]  # it came later: scenarios without one are written as before
        else:
            del fields["own"]["strategy"]
        fields["optimizer"] = {"name": self.optimizer.key, **fields["optimizer"]}
        fields["mechanisms"] = list(self.mechanisms)
        for part in ("curvature", "schedule"):
            fields[part]["values"] = list(fields[part]["values"])
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Scenario:
        """Return the scenario that `to_dict` described.

        Raises:
            InputError: a field is unknown or out of range.
        """
        given = dict(fields)
        if given.get("own") is not None:
            raise InputError(
                "own", "a digest", "no own mechanism", "Its numbers are not kept: bring it again."
            )
        try:
            for part, kind in (("curvature", Curvature), ("schedule", Schedule)):
                if part in given:
                    inner = dict(given[part])
                    inner["values"] = tuple(inner.get("values", ()))
                    given[part] = kind(**inner)
            if "optimizer" in given:
                inner = dict(given["optimizer"])
                name = check_choice("optimizer", inner.pop("name", None), OPTIMIZERS)
                given["optimizer"] = OPTIMIZERS[name](**inner)
            if "mechanisms" in given:
                given["mechanisms"] = tuple(given["mechanisms"])
            return cls(**given)
        except TypeError as error:
            raise InputError(
                "scenario", sorted(given), "the fields of Scenario", f"Remove it: {error}."
            ) from None


@lru_cache(maxsize=512)
def _sensitivity(scenario: Scenario, key: str) -> Sensitivity:
    return sensitivity(
        scenario.design(key),
        participations=scenario.participations,
        min_separation=scenario.min_separation,
    )
