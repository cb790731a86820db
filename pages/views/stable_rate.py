"""What to do where training is unstable: which of the slider's rates would be stable there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from momentdp_core import Scenario
from momentdp_core.crossover import is_stable
from pages.views import words
from pages.views.swept import swept_of


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What is said where training is unstable; `rate` is the largest stable stop, if any."""

    text: str
    rate: float | None


def stable_offer(scenario: Scenario, value: float, rates: Sequence[float]) -> Offer | None:
    """Return what to do at a swept value, None where training is stable.

    Args:
        scenario: the problem, with its peak rate.
        value: of the swept parameter.
        rates: the stops of the peak rate.

    >>> stable_offer(Scenario(learning_rate=3.0), 0.2, (0.1, 2.0, 3.0)).rate
    2.0
    """
    limits = scenario.optimizer.stability_limit(np.array([value]))

    def stable(rate: float) -> bool:
        return bool(is_stable(replace(scenario, learning_rate=rate), limits)[0])

    if stable(scenario.learning_rate):
        return None
    peak = max(float(scenario.multipliers.max()), 1e-300)
    swept = swept_of(scenario.optimizer)
    largest = max(filter(stable, rates), default=None)
    here = f"At {swept.symbol} = {words.setting(value)} training is stable only below a peak rate "
    here += f"ηλmax of {words.number(float(limits[0]) / peak)}"
    if largest is None:
        return Offer(text=f"{here}, which no stop of the slider is.", rate=None)
    return Offer(
        text=f"{here}: the largest stable stop is {words.number(largest)}.", rate=float(largest)
    )
