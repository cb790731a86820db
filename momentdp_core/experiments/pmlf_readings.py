"""P4 and P5 at other values of what DP-PMLF does not print: cutoff, window, clipping, rate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from momentdp_core.experiments.logistic_data import LogisticProblem
from momentdp_core.experiments.logistic_ranks import mean_and_error, t_factor
from momentdp_core.experiments.pmlf import (
    RATES,
    PmlfSettings,
    filter_ablation,
    method_ordering,
)
from momentdp_core.experiments.progress import Tell, nobody, steps

READ_CUTOFFS, READ_WINDOWS, READ_CLIPPING = (0.02, 0.1, 0.3), (4, 16), (1.0, 0.1)
READ_RATES = (0.003, 0.01, 0.03, 0.1, 0.4)
READ_EPSILONS = tuple(float(epsilon) for epsilon in np.geomspace(0.1, 100.0, 9).round(6))


@dataclass(frozen=True, kw_only=True)
class OrderReading:
    """The order of the four methods at one setting.

    Args:
        cutoff, window: ω and k.
        clipping: clipping threshold as a multiple of the median gradient norm.
        orders: the methods from best to worst at ε = 1 and 8, each at its own best rate.
        sure: whether at that ε the 95 % interval of DP-PMLF minus DPSGD lies below 0.
    """

    cutoff: float
    window: int
    clipping: float
    orders: tuple[tuple[str, ...], ...]
    sure: tuple[bool, ...]


@dataclass(frozen=True, kw_only=True)
class FilterReading:
    """Where the filter turns from helping to hurting at one setting.

    Args:
        cutoff, rate: ω and η.
        normalise: with the start-up normalisation or without it.
        crossover: the ε of the change; None without one.
        sure: whether the 95 % intervals at the smallest and the largest ε say so too.
    """

    cutoff: float
    rate: float
    normalise: bool
    crossover: float | None
    sure: bool


def order_readings(
    problem: LogisticProblem,
    settings: PmlfSettings,
    *,
    cutoffs: Iterable[float] = READ_CUTOFFS,
    windows: Iterable[int] = READ_WINDOWS,
    clipping: Iterable[float] = READ_CLIPPING,
    rates: Iterable[float] = RATES,
    tell: Tell = nobody,
) -> tuple[OrderReading, ...]:
    """Return the order of the methods at ε = 1 and 8 at every combination of three settings.

    Args:
        problem: the task.
        settings: of the methods; cutoff and window are replaced.
        cutoffs, windows: ω and k.
        clipping: multiples of the task's clipping threshold, above 0.
        rates: η to choose from.
        tell: told how far it is.

    Source: DP-PMLF (arXiv:2511.08841), "Image Classification" (prints none of them).

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = PmlfSettings(replicates=2)
    >>> read = {"cutoffs": [0.1], "windows": [4], "clipping": [1.0], "rates": [0.01]}
    >>> len(order_readings(paper_problem(0), few, **read)[0].orders)
    2
    """
    found, choices = [], list(rates)
    for cutoff, window, share in steps(product(cutoffs, windows, clipping), tell, _other):
        study = method_ordering(
            replace(problem, threshold=share * problem.threshold),
            replace(settings, cutoff=cutoff, window=window),
            rates=choices,
        )
        orders = tuple(study.order("tuned", place) for place in range(len(study.epsilons)))
        names = study.methods.index("dp_pmlf"), study.methods.index("dpsgd")
        mean, error = mean_and_error(study.tuned[..., names[0]] - study.tuned[..., names[1]])
        sure = tuple((mean + t_factor(settings.replicates) * error < 0).tolist())
        found.append(
            OrderReading(cutoff=cutoff, window=window, clipping=share, orders=orders, sure=sure)
        )
    return tuple(found)


def filter_readings(
    problem: LogisticProblem,
    settings: PmlfSettings,
    *,
    cutoffs: Iterable[float] = READ_CUTOFFS,
    rates: Iterable[float] = READ_RATES,
    tell: Tell = nobody,
) -> tuple[FilterReading, ...]:
    """Return where the filter stops to help, with and without the start-up normalisation.

    Args:
        problem: the task.
        settings: of the method; cutoff and normalisation are replaced.
        cutoffs, rates: ω and η.
        tell: told how far it is.

    Source: DP-PMLF (arXiv:2511.08841), "Ablation Study" (prints none of them).

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> few = PmlfSettings(replicates=2)
    >>> len(filter_readings(paper_problem(0), few, cutoffs=[0.1], rates=[0.01]))
    2
    """
    found = []
    for cutoff, rate, normalise in steps(product(cutoffs, rates, (True, False)), tell, _other):
        study = filter_ablation(
            problem,
            replace(settings, cutoff=cutoff, normalise=normalise),
            rate=rate,
            epsilons=READ_EPSILONS,
        )
        helps = study.difference[0] + study.half_width[0] < 0
        hurts = study.difference[-1] - study.half_width[-1] > 0
        found.append(
            FilterReading(
                cutoff=cutoff,
                rate=rate,
                normalise=normalise,
                crossover=study.crossover,
                sure=bool(helps and hurts),
            )
        )
    return tuple(found)


def _other(setting: tuple[float, ...]) -> str:
    return f"another reading, cutoff {setting[0]:g}"
