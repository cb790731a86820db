"""The one error a caller is expected to see, and the validators that raise it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class InputError(ValueError):
    """An argument was refused: says which, what it was, what is allowed and what to do.

    Args:
        argument: name of the argument as the caller knows it.
        value: what was given (shortened in the message when long).
        allowed: the allowed range, in words.
        remedy: what to do about it.

    >>> print(InputError("momentum", 1.0, "0 <= momentum < 1", "Use at most 0.999."))
    momentum = 1.0 is not allowed: expected 0 <= momentum < 1. Use at most 0.999.
    """

    def __init__(self, argument: str, value: object, allowed: str, remedy: str) -> None:
        self.argument = argument
        self.value = value
        self.allowed = allowed
        self.remedy = remedy
        super().__init__(argument, value, allowed, remedy)

    def __str__(self) -> str:
        shown = repr(self.value)
        if len(shown) > 60:
            shown = shown[:57] + "..."
        return f"{self.argument} = {shown} is not allowed: expected {self.allowed}. {self.remedy}"


def check_integer(argument: str, value: object, *, low: int, high: int | None = None) -> int:
    """Return `value` as an int in low … high, or raise InputError.

    >>> check_integer("horizon", 128, low=1)
    128
    """
    allowed = f"a whole number of at least {low}"
    if high is not None:
        allowed = f"a whole number from {low} to {high}"
    remedy = f"Change {argument}."
    number = _finite_number(value)
    whole = number is not None and number.is_integer()
    if number is None or not whole or number < low or (high is not None and number > high):
        raise InputError(argument, value, allowed, remedy)
    return int(number)


def _finite_number(value: object) -> float | None:
    """Return `value` as a float when it is a finite number; True and False are not numbers."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def check_real(
    argument: str,
    value: object,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """Return `value` as a finite float between `low` and `high`, or raise InputError.

    >>> check_real("momentum", 0.9, low=0, high=1, open_high=True)
    0.9
    """
    parts = []
    if low > -math.inf:
        parts.append(f"{low:g} {'<' if open_low else '<='} {argument}")
    if high < math.inf:
        bound = f"{'<' if open_high else '<='} {high:g}"
        parts.append(bound if parts else f"{argument} {bound}")
    allowed = " ".join(parts) or "a finite number"
    if high == math.inf and parts:
        allowed += ", finite"
    number = _finite_number(value)
    if number is not None:
        above = number > low if open_low else number >= low
        below = number < high if open_high else number <= high
        if above and below:
            return number
    raise InputError(argument, value, allowed, f"Change {argument}.")


def check_choice(argument: str, value: object, choices: Iterable[str]) -> str:
    """Return `value` when it is one of `choices`, or raise InputError that lists them.

    >>> check_choice("spectrum", "log", ["log", "linear"])
    'log'
    """
    options = list(choices)
    if isinstance(value, str) and value in options:
        return value
    raise InputError(argument, value, "one of " + ", ".join(options), "Pick one from that list.")


def check_vector(
    argument: str, values: object, *, low: float = -math.inf, length: int | None = None
) -> FloatArray:
    """Return `values` as a read-only finite vector with entries ≥ `low`, or raise InputError.

    >>> check_vector("eigenvalues", [1, 0.5], low=0)
    array([1. , 0.5])
    """
    remedy = f"Give {argument} as a list of numbers."
    try:
        vector = np.array(values, dtype=np.float64, ndmin=1)
    except (TypeError, ValueError):
        raise InputError(argument, values, "a list of numbers", remedy) from None
    if vector.ndim != 1 or vector.size == 0:
        raise InputError(argument, values, "a non-empty list of numbers", remedy)
    if length is not None and vector.size != length:
        raise InputError(
            f"number of {argument}", vector.size, f"{length}", "Give one value for each step."
        )
    bad = ~np.isfinite(vector) | (vector < low)
    if bad.any():
        first = int(np.argmax(bad))
        bound = "finite numbers" if low == -math.inf else f"finite numbers of at least {low:g}"
        raise InputError(
            f"{argument}[{first}]", float(vector[first]), bound, "Correct or remove this entry."
        )
    return read_only(vector)


def read_only(array: FloatArray) -> FloatArray:
    """Mark `array` as read-only and return it, so that frozen records stay frozen.

    >>> bool(read_only(np.ones(2)).flags.writeable)
    False
    """
    array.setflags(write=False)
    return array
