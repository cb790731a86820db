"""The crossovers on both sides of where the slider stands."""

from __future__ import annotations

import numpy as np

from momentdp_core import Crossover, Study
from pages.views import words
from pages.views.readout import Readout
from pages.views.swept import swept_of


def neighbours(study: Study, value: float) -> tuple[Readout, Readout]:
    """Return the nearest crossover below a swept value of the grid, and the nearest above it."""
    why_none = "the order does not change"
    if len(study.mechanisms) == 1:
        why_none = "only one mechanism is shown"
    elif not study.winners[study.at(value)]:
        why_none = "no order while training is unstable"
    below = [c for c in study.crossovers if c.value <= value]
    above = [c for c in study.crossovers if c.value > value]
    ends = swept_of(study.scenario.optimizer)
    return (
        _crossing(
            study, "below", below[-1] if below else None, _end(study, value, ends.low, why_none)
        ),
        _crossing(
            study, "above", above[0] if above else None, _end(study, value, ends.high, why_none)
        ),
    )


def _end(study: Study, value: float, end: float, otherwise: str) -> str:
    if abs(value - end) > 1e-9:
        return otherwise
    symbol = swept_of(study.scenario.optimizer).symbol
    return f"{symbol} = {words.setting(end)} is the end of the slider"


def _crossing(study: Study, key: str, crossover: Crossover | None, why_none: str) -> Readout:
    label = f"Nearest crossover {key}"
    if crossover is None:
        return Readout(key=key, label=label, value="None", detail=why_none)
    detail = f"above it {words.name(crossover.above)} beats {words.name(crossover.below)}"
    detail += _prize(study, crossover)
    value = f"{swept_of(study.scenario.optimizer).symbol} = {words.edge(crossover.value)}"
    return Readout(key=key, label=label, value=value, detail=detail)


def _prize(study: Study, crossover: Crossover) -> str:
    """Say for which rank the two change places, if the values beside the crossover agree on it."""
    pair = [study.mechanisms.index(key) for key in (crossover.above, crossover.below)]
    right = int(np.clip(np.searchsorted(study.values, crossover.value), 1, len(study.values) - 1))
    before, after = study.rank[pair, right - 1].min(), study.rank[pair, right].min()
    if len(study.values) < 2 or before != after or before == 0:
        return ""
    return " for the lead" if after == 1 else f" for rank {after}"
