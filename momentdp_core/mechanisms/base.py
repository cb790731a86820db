"""What a mechanism is: a key, a solved strategy matrix of sensitivity 1, and how it was solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from momentdp_core.errors import (
    FloatArray,
    InputError,
    check_integer,
    check_real,
    check_vector,
    read_only,
)
from momentdp_core.mechanisms.structures import Strategy

# Designs that work on T×T matrices stop here: several such matrices fit in 2 GiB.
DENSE_HORIZON_LIMIT = 4096
MOST_BUFFERS = 5


@dataclass(frozen=True, kw_only=True)
class DesignProblem:
    """Everything a design may depend on; hashable, so that it can name a cached design.

    Args:
        horizon: T ≥ 1.
        bands: b ≥ 1; b > T means b = T.
        multipliers: χ, T values ≥ 0 (used by `lr_aware`).
        eigenvalues: λ, d values ≥ 0 (used by `noisecurve`).
        learning_rate: η ≥ 0, peak rate times λ_max (used by `noisecurve`).
        buffers: 1 … 5 (used by `blt_mean` and `blt_max`).

    Raises:
        InputError: a value is out of its range.

    >>> DesignProblem(horizon=4, bands=16).bands
    4
    """

    horizon: int
    bands: int = 16
    multipliers: tuple[float, ...] | None = None
    eigenvalues: tuple[float, ...] | None = None
    learning_rate: float | None = None
    buffers: int = 4

    def __post_init__(self) -> None:
        horizon = check_integer("horizon", self.horizon, low=1)
        bands = min(check_integer("bands", self.bands, low=1), horizon)
        object.__setattr__(self, "horizon", horizon)
        object.__setattr__(self, "bands", bands)
        buffers = check_integer("buffers", self.buffers, low=1, high=MOST_BUFFERS)
        object.__setattr__(self, "buffers", buffers)
        if self.multipliers is not None:
            chi = check_vector("multipliers", self.multipliers, low=0, length=horizon)
            object.__setattr__(self, "multipliers", tuple(chi.tolist()))
        if self.eigenvalues is not None:
            lam = check_vector("eigenvalues", self.eigenvalues, low=0)
            object.__setattr__(self, "eigenvalues", tuple(lam.tolist()))
        if self.learning_rate is not None:
            eta = check_real("learning_rate", self.learning_rate, low=0)
            object.__setattr__(self, "learning_rate", eta)

    def need_multipliers(self) -> FloatArray:
        """Return χ, or raise InputError when the problem has none."""
        if self.multipliers is None:
            raise _missing("multipliers", "the learning-rate schedule")
        return np.array(self.multipliers)

    def need_quadratic(self) -> tuple[FloatArray, float]:
        """Return (λ, η), or raise InputError when one of them is missing."""
        if self.eigenvalues is None:
            raise _missing("eigenvalues", "the Hessian spectrum")
        if self.learning_rate is None:
            raise _missing("learning_rate", "the peak learning rate")
        return np.array(self.eigenvalues), self.learning_rate

    def check_dense(self, key: str) -> None:
        """Raise InputError when T is too large for a design on T×T matrices."""
        if self.horizon > DENSE_HORIZON_LIMIT:
            raise InputError(
                "horizon",
                self.horizon,
                f"at most {DENSE_HORIZON_LIMIT} for the mechanism {key}",
                f"Its design works on T×T matrices: leave {key} out at this horizon.",
            )


def _missing(argument: str, meaning: str) -> InputError:
    return InputError(argument, None, f"{meaning}", "This mechanism is designed for it; give it.")


@dataclass(frozen=True, kw_only=True)
class SolverReport:
    """How a design was reached; closed forms report their objective as its own bound.

    Args:
        objective: the reached value of the design's own objective, sensitivity 1.
        lower_bound: no strategy of this structure can be below it; None where not certified.
        iterations: solver iterations, 0 for closed forms.
        converged: False when the solver stopped at its iteration limit.
    """

    objective: float
    lower_bound: float | None = None
    iterations: int = 0
    converged: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism:
    """A solved correlated-noise mechanism of sensitivity 1: step noise is row t of C⁻¹ Z.

    Args:
        key: its name in MECHANISMS.
        strategy: C with its structure.
        report: how the solver got there.
    """

    key: str
    strategy: Strategy
    report: SolverReport

    @property
    def horizon(self) -> int:
        """T."""
        return self.strategy.horizon

    @property
    def sensitivity(self) -> float:
        """Largest column 2-norm of C (single participation); 1 up to rounding."""
        return self.strategy.sensitivity

    def apply_noising(self, rows: FloatArray) -> FloatArray:
        """Return rows C⁻¹ for vectors of length T along the last axis."""
        return self.strategy.apply_noising(rows)

    def strategy_matrix(self) -> FloatArray:
        """Return C, shape (T, T)."""
        return self.strategy.strategy_matrix()

    def noising_matrix(self) -> FloatArray:
        """Return C⁻¹, shape (T, T)."""
        return self.strategy.noising_matrix()

    @cached_property
    def covariance(self) -> FloatArray:
        """K = C⁻¹ C⁻ᵀ, shape (T, T): the temporal covariance of the step noise at σ = 1."""
        noising = self.noising_matrix()
        with np.errstate(over="ignore", invalid="ignore"):
            return read_only(noising @ noising.T)

    @cached_property
    def prefix_errors(self) -> FloatArray:
        """Squared row norms of A C⁻¹ for the prefix workload, shape (T,)."""
        return read_only(self.strategy.prefix_errors())

    @property
    def mean_squared_error(self) -> float:
        """MeanSE = ‖A C⁻¹‖²_F / T at sensitivity 1."""
        return float(self.prefix_errors.mean())

    @property
    def max_squared_error(self) -> float:
        """MaxSE = max_t ‖(A C⁻¹)_t‖² at sensitivity 1."""
        return float(self.prefix_errors.max())


@dataclass(frozen=True, kw_only=True)
class Family:
    """One entry of MECHANISMS: how it is named, what its design depends on, how it is solved.

    Args:
        key: public key, part of the promise.
        label: name on screen.
        description: one line.
        depends_on: which of bands, multipliers, eigenvalues, learning_rate, buffers it reads.
        iterative: True when solving takes long enough to be worth keeping on disk.
        build: the solver.
    """

    key: str
    label: str
    description: str
    depends_on: frozenset[str] = frozenset()
    iterative: bool = False
    build: Callable[[DesignProblem], tuple[Strategy, SolverReport]]

    def reduced(self, problem: DesignProblem) -> DesignProblem:
        """Return the problem with all that this design does not read put to its default."""
        fields: dict[str, int | None] = {"bands": 1, "buffers": 4}
        fields |= dict.fromkeys(("multipliers", "eigenvalues", "learning_rate"))
        dropped = {name: value for name, value in fields.items() if name not in self.depends_on}
        return replace(problem, **dropped)  # type: ignore[arg-type]

    def solve(self, problem: DesignProblem) -> Mechanism:
        """Solve the design without any cache."""
        strategy, report = self.build(self.reduced(problem))
        return Mechanism(key=self.key, strategy=strategy, report=report)
