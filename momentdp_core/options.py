"""Values of the command line's options that are more than one number: keys, pairs and sweeps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from momentdp_core.errors import InputError

MOST_VALUES = 100_000  # of a sweep


def keys_of(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return keys that are separated by spaces, as usual here, or by commas, as in links.

    >>> keys_of(["iid,dense", "bisr"])
    ('iid', 'dense', 'bisr')
    """
    return tuple(key for text in texts or () for key in text.split(",") if key)


def pairs_of(texts: Sequence[str]) -> dict[str, str]:
    """Return parameters that are written as KEY=VALUE.

    Raises:
        InputError: another form, or a key that stands twice.

    >>> pairs_of(["steps=4", "beta=0.5"])
    {'steps': '4', 'beta': '0.5'}
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value) or name in pairs:
            raise InputError(
                "optimizer-param", text, "KEY=VALUE, each key once", "Write it as steps=4."
            )
        pairs[name] = value
    return pairs


def every_step(low: float, high: float, step: float) -> list[float]:
    """Return every step from low to high, both included where a step ends there.

    Raises:
        InputError: no values, or more than MOST_VALUES.

    >>> every_step(0, 0.9, 0.3)
    [0.0, 0.3, 0.6, 0.9]
    """
    count = (high - low) / step + 1e-9 if step > 0 else math.nan
    if not 0 <= count < MOST_VALUES:
        allowed = f"LOW <= HIGH, STEP > 0, at most {MOST_VALUES} values"
        raise InputError("sweep", (low, high, step), allowed, "Write it as 0 0.99 0.01.")
    # Rounded, so that 0.29 is the float 0.29 and not the sum of 29 steps.
    return [round(low + k * step, 12) for k in range(int(count) + 1)]
