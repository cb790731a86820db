"""What a linear optimizer is: per eigenmode, a time-varying linear system (A_t, B_t).

An optimizer is a frozen record of its fixed parameters. It names its swept parameter, and gives the
system s_{t+1} = A_t(λ) s_t + B_t z_t whose readout is the error e; the damage engine needs nothing
else. The matrices are small and mostly empty, so they are lists of their entries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_choice, check_vector

# A coefficient is a number, or an array that broadcasts to (M, d).
Coefficient = float | FloatArray
# (row, column, coefficient) of A_t, and (row, coefficient) of B_t.
Entry = tuple[int, int, Coefficient]
Kick = tuple[int, Coefficient]


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearSystem:
    """s_{t+1} = A_t s_t + B_t z_t for M parameter values and d modes.

    Args:
        horizon: T.
        shape: (M, d).
        size: k, length of the state.
        transition: t ↦ the entries of A_t that are not 0.
        injection: t ↦ the entries of B_t that are not 0.
        readout: which part of the state is the error e.
        start: the parts of the state that begin as the starting error e_0; the others begin at 0.
        window: t ↦ weights with which the sampling noise of steps t, t−1, … enters step t; None
            when it enters once, like the privacy noise.
    """

    horizon: int
    shape: tuple[int, int]
    size: int
    transition: Callable[[int], Sequence[Entry]]
    injection: Callable[[int], Sequence[Kick]]
    readout: int = 0
    start: tuple[int, ...] = (0,)
    window: Callable[[int], Sequence[Coefficient]] | None = None

    def matrix(self, t: int) -> FloatArray:
        """Return A_t, shape (M, d, k, k)."""
        out = np.zeros((*self.shape, self.size, self.size))
        for row, column, coefficient in self.transition(t):
            out[..., row, column] += coefficient
        return out

    def vector(self, t: int) -> FloatArray:
        """Return B_t, shape (M, d, k)."""
        out = np.zeros((*self.shape, self.size))
        for row, coefficient in self.injection(t):
            out[..., row] += coefficient
        return out


class LinearOptimizer(Protocol):
    """What an entry of OPTIMIZERS offers."""

    # The public key, its name in running text, the name of the swept parameter, whether that may be
    # 0, and one line on what the optimizer does.
    key: ClassVar[str]
    label: ClassVar[str]
    parameter: ClassVar[str]
    zero: ClassVar[bool]
    description: ClassVar[str]

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


def optimizer_of(
    key: str, parameters: Mapping[str, str], kinds: Mapping[str, type[LinearOptimizer]]
) -> LinearOptimizer:
    """Return the optimizer `key` from parameters written as text, such as on a command line.

    Lists are written with commas, truth values as true and false.

    Raises:
        InputError: unknown optimizer or parameter, or text that is not of its kind.

    >>> from momentdp_core.optimizers import OPTIMIZERS
    >>> optimizer_of("inner_outer", {"beta": "0.5", "steps": "3"}, OPTIMIZERS)
    InnerOuter(beta=0.5, steps=3)
    """
    kind = kinds[check_choice("optimizer", key, kinds)]
    known = {field.name: field.default for field in fields(kind)}  # type: ignore[arg-type]
    if parameters and not known:
        raise InputError(
            f"parameter of {key}", next(iter(parameters)), "none", "It has no fixed parameters."
        )
    given: dict[str, Any] = {}
    for name, text in parameters.items():
        check_choice(f"parameter of {key}", name, known)
        default: Any = known[name]
        try:
            if isinstance(default, bool):
                given[name] = {"true": True, "false": False}[text.lower()]
            elif isinstance(default, tuple):
                given[name] = tuple(float(part) for part in text.split(",") if part)
            else:
                given[name] = type(default)(text)
        except (KeyError, ValueError):
            shape = (
                "numbers with commas between"
                if isinstance(default, tuple)
                else (f"a value like {default!r}")
            )
            raise InputError(name, text, shape, f"Write it as {name}=value.") from None
    return kind(**given)


def check_share(
    argument: str, values: object, *, zero: bool = True, one: bool = False
) -> FloatArray:
    """Return swept values between 0 and 1 as a vector, or raise InputError.

    Args:
        argument: name of the swept parameter.
        values: what was given.
        zero, one: whether the ends are allowed.

    >>> check_share("momentum", [0.0, 0.5])
    array([0. , 0.5])
    """
    vector = check_vector(argument, values, low=0)
    below = vector.min() if not zero else 1.0
    if vector.max() > 1 or (not one and vector.max() == 1) or below == 0:
        bad = float(vector.max()) if vector.max() >= 1 else 0.0
        low, high = "<=" if zero else "<", "<=" if one else "<"
        remedy = (
            "At 1 nothing is ever forgotten: use at most 0.999."
            if bad >= 1 and not one
            else ("Use a value inside that range.")
        )
        raise InputError(argument, bad, f"0 {low} {argument} {high} 1", remedy)
    return vector


class Swept:
    """A swept parameter between 0 and 1; each optimizer says which ends it takes.

    >>> from momentdp_core.optimizers import HeavyBall
    >>> HeavyBall().check([0.0, 0.5])
    array([0. , 0.5])
    """

    parameter: ClassVar[str]
    zero: ClassVar[bool] = True
    one: ClassVar[bool] = False

    def check(self, values: object) -> FloatArray:
        """Return the swept values as a vector, or raise InputError."""
        return check_share(self.parameter, values, zero=self.zero, one=self.one)
