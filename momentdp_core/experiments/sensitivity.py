"""Every strategy has sensitivity one before the noise is calibrated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.experiments.grid import SLICE_CONDITIONS, SLICE_SCHEDULES, scenarios
from momentdp_core.experiments.progress import Tell, nobody, steps
from momentdp_core.mechanisms import MECHANISMS

SENSITIVITY_HORIZONS = (8, 32, 128)
SENSITIVITY_RATES = (0.1, 0.8)


@dataclass(frozen=True, kw_only=True)
class SensitivityCheck:
    """The largest column norm of every mechanism, over all conditions.

    Args:
        mechanisms: their keys.
        largest_gap: |largest column norm − 1|, the worst over all conditions, a mechanism each.
        designs: number of strategy matrices looked at.
        setting: in words.
    """

    mechanisms: tuple[str, ...]
    largest_gap: tuple[float, ...]
    designs: int
    setting: str


def sensitivity_check(
    *,
    horizons: tuple[int, ...] = SENSITIVITY_HORIZONS,
    rates: tuple[float, ...] = SENSITIVITY_RATES,
    tell: Tell = nobody,
) -> SensitivityCheck:
    """Take the column norms of every mechanism's full strategy matrix.

    Args:
        horizons, rates: T and η of the designs.
        tell: told how far it is.

    Source: MOMENT-DP, Appendix C.

    >>> max(sensitivity_check(horizons=(4,), rates=(0.1,)).largest_gap) < 1e-12
    True
    """
    keys = tuple(MECHANISMS)
    worst = dict.fromkeys(keys, 0.0)
    designs = 0
    spectra = tuple(Curvature(condition_number=kappa) for kappa in SLICE_CONDITIONS)
    for horizon in steps(horizons, tell, "T = {}".format):
        for scenario in scenarios(
            rates=rates,
            schedules=SLICE_SCHEDULES,
            spectra=spectra,
            mechanisms=keys,
            horizon=horizon,
        ):
            for key in keys:
                norms = np.linalg.norm(scenario.design(key).strategy_matrix(), axis=0)
                worst[key] = max(worst[key], abs(float(norms.max()) - 1))
                designs += 1
    return SensitivityCheck(
        mechanisms=keys,
        largest_gap=tuple(worst.values()),
        designs=designs,
        setting=(
            f"T in {', '.join(map(str, horizons))}; b = 16; κ = 10, 100, 1000; "
            f"rates {', '.join(map(str, rates))}; {', '.join(SLICE_SCHEDULES)}"
        ),
    )
