"""How numbers and names are written on every page."""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

from momentdp_core import FAMILIES, SavedDesign, Scenario, Sensitivity


def name(key: str) -> str:
    """Return the label of a mechanism.

    >>> name("noisecurve")
    'NoiseCurve'
    """
    return FAMILIES[key].label


def names(keys: Sequence[str]) -> str:
    """Return the labels of mechanisms as a list in words.

    >>> names(["noisecurve", "noisecurve"])
    'NoiseCurve and NoiseCurve'
    """
    return listed([name(key) for key in keys])


def listed(texts: Sequence[str]) -> str:
    """Return texts as a list in words.

    >>> listed(["1", "2", "3"])
    '1, 2 and 3'
    """
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def number(value: float) -> str:
    """Return four significant digits; a dash where there is no value.

    >>> number(18.60421), number(float("inf"))
    ('18.6', '–')
    """
    return f"{value:.4g}".replace("e+", "e").replace("e0", "e") if math.isfinite(value) else "–"


def short(value: float) -> str:
    """Return three significant digits; a dash where there is no value.

    >>> short(18.60421), short(0.000123456)
    ('18.6', '0.000123')
    """
    return number(float(f"{value:.3g}"))


def times(regret: float) -> str:
    """Return how many times the best a damage is, from its regret (damage / best − 1).

    >>> times(0.0), times(1.314)
    ('1.00', '2.31')
    """
    factor = 1 + regret
    if not math.isfinite(factor):
        return "–"
    return f"{factor:.2f}" if factor < 100 else number(factor)


def setting(value: float) -> str:
    """Return a value of the swept parameter's slider with its two decimals.

    >>> setting(0.9)
    '0.90'
    """
    return f"{value:.2f}"


def edge(value: float) -> str:
    """Return the place of a crossover with four decimals: it is known to a millionth.

    >>> edge(0.2134567)
    '0.2135'
    """
    return f"{value:.4f}"


def ordinal(rank: int) -> str:
    """Return a rank in words.

    >>> [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th']
    """
    if rank in (11, 12, 13):
        return f"{rank}th"
    return f"{rank}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th') }"


def passes(scenario: Scenario) -> str:
    """Return how often an example takes part, for "noise scaled for …".

    >>> passes(Scenario())
    'one pass over the data'
    >>> passes(Scenario(participations=3, min_separation=8))
    'examples that take part up to 3 times, at least 8 steps apart'
    """
    if scenario.participations == 1:
        return "one pass over the data"
    apart = scenario.min_separation
    gap = f", at least {apart} steps apart" if apart > 1 else ""
    return f"examples that take part up to {scenario.participations} times{gap}"


def sensitivity(found: Sensitivity) -> str:
    """Return a sensitivity, and whether some example reaches it.

    >>> sensitivity(Sensitivity(value=2.3094, exact=False, method="bound"))
    '2.309 (bound)'
    """
    return f"{number(found.value)} ({'exact' if found.exact else 'bound'})"


def design(saved: SavedDesign) -> str:
    """Return what kind of design a file holds, for "The …".

    >>> from momentdp_core import optimal_design
    >>> from momentdp_core.design_file import saved
    >>> design(saved(optimal_design(Scenario(horizon=4), 0.5, bands=2)))
    'design of 2 bands'
    """
    if saved.mechanism.key in FAMILIES:
        return f"{name(saved.mechanism.key)} design"
    if saved.bands is None:
        return "full design"
    return f"design of {saved.bands} band{'' if saved.bands == 1 else 's'}"


def digest(scenario: Scenario) -> str:
    """Return a short name that tells one scenario from another on a page.

    >>> digest(Scenario()) == digest(Scenario(horizon=64))
    False
    """
    return f"{zlib.crc32(repr(scenario).encode()):08x}"
