"""How far NoiseCurve's numbers on Explore depend on the design that its solver found."""

from __future__ import annotations

import numpy as np

from momentdp_core import DesignFreedom, Study
from pages.views import words
from pages.views.explore import SUBJECT
from pages.views.swept import swept_of

_OPEN = "Another design, which NoiseCurve's criterion tells from this one by {apart}, "
_MAP = " The map hatches where that decides who wins."
_NO_RANK = "is not compared, since nothing is ranked here."


def asks(study: Study) -> bool:
    """Say whether there is something to compare: NoiseCurve beside another mechanism."""
    return SUBJECT in study.mechanisms and len(study.mechanisms) > 1


def freedom_text(study: Study, found: DesignFreedom) -> str:
    """Return what another design of NoiseCurve does over the slider's range, in words."""
    swept = swept_of(study.scenario.optimizer)
    row = study.mechanisms.index(SUBJECT)
    ranked = study.rank[row] > 0
    opening = _OPEN.format(apart=_percent(found.apart))
    if not ranked.any():
        return opening + _NO_RANK
    low, high = (float(found.ratio[ranked].min()), float(found.ratio[ranked].max()))
    values = study.values[ranked]
    over = (
        f"from {swept.symbol} = {words.setting(float(values[0]))} to "
        f"{words.setting(float(values[-1]))}"
    )
    same = int((found.rank[ranked] == study.rank[row][ranked]).sum())
    if f"{low:.2f}" == f"{high:.2f}":
        does = f"does {low:.2f} times the damage shown"
    else:
        does = f"does {low:.2f} to {high:.2f} times the damage shown"
    count = int(np.count_nonzero(ranked))
    kept = (
        "has the same rank everywhere"
        if same == count
        else f"keeps its rank at {same} of {count} values"
    )
    return f"{opening}{does}, {over}, and {kept}.{_MAP}"


def _percent(share: float) -> str:
    return "less than 0.01 %" if share < 5e-5 else f"{100 * share:.2f} %"
