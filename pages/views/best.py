"""The best possible beside a study: what no mechanism can beat, and the designs that come near."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from momentdp_core import OptimalCurve, Scenario, Study
from momentdp_core.errors import FloatArray, read_only
from pages.views import words

BEST, BEST_LABEL = "best", "Best possible"
# Design and bound that differ by more than this are told apart in the words.
ROUNDING: Final = 0.005
UNKNOWN: Final = "…"


@dataclass(frozen=True, kw_only=True, eq=False)
class Best:
    """What is known so far of the best possible at the M values of a study.

    `damage` is what the designs reach and `bound` what nothing can beat, shape (M,): NaN where
    training is unstable and where no design has been made yet. `done` is the share that has.
    """

    damage: FloatArray
    bound: FloatArray
    done: float

    @property
    def finished(self) -> bool:
        """Whether every value has its design."""
        return self.done == 1

    def multiples(self, study: Study) -> FloatArray:
        """Return each damage as a multiple of the bound, shape (n, M); NaN where there is none.

        1 where both are 0; rounding never puts it below 1.
        """
        return read_only(_multiples(study.damage, self.bound, study.rank > 0))


def question_of(study: Study) -> tuple[Scenario, FloatArray]:
    """Return what the designs depend on: no mechanism and no band, and the stable values."""
    stable = study.stable.any(axis=0)
    return replace(study.scenario, mechanisms=("iid",), bands=1), study.values[stable]


def best_of(study: Study, curve: OptimalCurve | None) -> Best:
    """Return a curve over the first stable values, as far as it is there, on the study's values."""
    damage, bound = np.full((2, len(study.values)), np.nan)
    wanted = np.flatnonzero(study.stable.any(axis=0))
    count = 0 if curve is None else len(curve.values)
    if curve is not None:
        finite = np.isfinite(curve.damage)
        damage[wanted[:count]] = np.where(finite, curve.damage, np.nan)
        bound[wanted[:count]] = np.where(finite, curve.bound, np.nan)
    done = count / len(wanted) if len(wanted) else 1.0
    return Best(damage=read_only(damage), bound=read_only(bound), done=done)


def times_best(study: Study, best: Best, row: int, at: int) -> str:
    """Return a damage as a multiple of the best possible, in words.

    The multiple of the certified bound is an upper limit of it; "at most" says so where the
    design that reaches furthest down stays above the bound.
    """
    bound = float(best.bound[at])
    multiple = float(_multiples(study.damage[row, at], best.bound[at], study.rank[row, at] > 0))
    if not np.isfinite(multiple):
        known = best.finished or np.isfinite(bound) or not study.rank[row, at]
        return "–" if known else UNKNOWN
    factor = words.times(multiple - 1)
    if bound == 0:
        return factor
    return f"at most {factor}" if best.damage[at] / bound - 1 > ROUNDING else factor


def _multiples(damage: FloatArray, bound: FloatArray, ranked: NDArray[np.bool_]) -> FloatArray:
    known = np.isfinite(bound) & ranked
    zero = known & (bound == 0)
    ratio = damage / np.where(known & ~zero, bound, 1.0)
    times = np.where(known & ~zero, np.maximum(ratio, 1.0), np.nan)
    return np.where(zero & (damage == 0), 1.0, times)
