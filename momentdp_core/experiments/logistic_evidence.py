"""Everything the claims on the logistic task rest on, computed from one seed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from momentdp_core.experiments import logistic_claims, pmlf_claims
from momentdp_core.experiments.logistic_claims import Numbers
from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.experiments.logistic_designs import recipe_shortfall
from momentdp_core.experiments.logistic_runs import (
    COMPARED,
    CONDITIONS,
    PAPER_CONDITIONS,
    LogisticSettings,
    run_logistic,
    scenario_of,
)
from momentdp_core.experiments.logistic_sweep import (
    SWEPT_RATES,
    data_sweep,
    rank_sweep,
    swept_studies,
)
from momentdp_core.experiments.pmlf import PmlfSettings, filter_ablation, method_ordering
from momentdp_core.experiments.pmlf_parts import (
    filter_study,
    reduction_on_task,
    sampling_reduction,
)
from momentdp_core.experiments.pmlf_readings import filter_readings, order_readings
from momentdp_core.experiments.progress import Tell, nobody, part

DATA_SETS = 10
# The filter's effect is a few per cent: more replicates than elsewhere tell its sign.
ABLATION_REPLICATES = 100
READING_REPLICATES = 40
# When the parts of the two studies end, as shares of the time that each takes.
ENDS = (0.1, 0.4, 0.7)
PMLF_ENDS = (0.03, 0.11, 0.18, 0.26, 0.84)


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Published figures beside ours, by claim: {"published": …, "ours": …, "settings": …}."""

    numbers: dict[str, Numbers]


def logistic_evidence(
    seed: int = 0,
    *,
    settings: LogisticSettings | None = None,
    rates: Iterable[float] = SWEPT_RATES,
    data_sets: int = DATA_SETS,
    tell: Tell = nobody,
) -> Evidence:
    """Return what M25 to M32 rest on: nine conditions, a sweep of rates, and other data sets.

    Args:
        seed: of the first data set and of the noise; the further data sets have the next seeds.
        settings: as for `run_logistic`; its seed and conditions are replaced.
        rates: of the sweep.
        data_sets: how many, ≥ 1.
        tell: told how far it is.

    Raises:
        InputError: a value is out of range.

    Source: MOMENT-DP (arXiv:2611.11457), Table 2 and Appendix F.

    >>> few = LogisticSettings(replicates=2, noisecurve="solved", bands=2)
    >>> sorted(logistic_evidence(settings=few, rates=[0.1], data_sets=1).numbers)[:2]
    ['M25', 'M26']
    """
    asked = replace(
        settings or LogisticSettings(),
        seed=seed,
        conditions=(*PAPER_CONDITIONS, *(key for key in CONDITIONS if key not in PAPER_CONDITIONS)),
    )
    problem = paper_problem(seed)
    first, second, third, fourth = (part(tell, *ends) for ends in pairwise((0, *ENDS, 1)))
    study = run_logistic(problem, asked, first)
    compared = replace(asked, mechanisms=COMPARED)
    swept = swept_studies(problem, compared, rates, tell=second)
    sweep = rank_sweep(swept)
    data = data_sweep(asked, range(seed, seed + data_sets), tell=third)
    found = {
        "M25": logistic_claims.claim_m25(study, sweep),
        "M26": logistic_claims.claim_m26(study, data),
        "M27": logistic_claims.claim_m27(study, data),
        "M28": logistic_claims.claim_m28(study),
        "M29": logistic_claims.claim_m29(study),
        "M30": logistic_claims.claim_m30(study, swept),
        "M31": logistic_claims.claim_m31(study),
        "M32": logistic_claims.claim_m32(study),
    }
    ranked = found["M25"]["ours"]
    ranked["data_ranks"] = data.rank
    ranked["data_admitted"] = int(np.count_nonzero(data.admitted))
    if asked.noisecurve == "recipe":
        # The printed recipe stops short of its own objective: what the ranks owe to that.
        solved = data_sweep(
            replace(asked, noisecurve="solved"), range(seed, seed + data_sets), tell=fourth
        )
        ranked["data_ranks_solved"] = solved.rank
        scenario = scenario_of(problem, asked, CONDITIONS["L0"])
        ranked["recipe_shortfall"] = recipe_shortfall(scenario)
    return Evidence(numbers=found)


def pmlf_evidence(
    seed: int = 0,
    *,
    replicates: int = 30,
    ablation_replicates: int = ABLATION_REPLICATES,
    reading_replicates: int = READING_REPLICATES,
    tell: Tell = nobody,
) -> Evidence:
    """Return what P1 to P5 rest on.

    P5 is computed with the start-up normalisation that DP-PMLF prescribes, and without it.

    Args:
        seed: of the data and all draws.
        replicates: of the methods' ordering, ≥ 2.
        ablation_replicates: of the filter's ablation, ≥ 2.
        reading_replicates: of both at other settings, ≥ 2.
        tell: told how far it is.

    Raises:
        InputError: a value is out of range.

    Source: DP-PMLF (arXiv:2511.08841).

    >>> sorted(pmlf_evidence(replicates=2, ablation_replicates=2, reading_replicates=2).numbers)
    ['P1', 'P2', 'P3', 'P4', 'P5']
    """
    problem = paper_problem(seed)
    asked = PmlfSettings(replicates=replicates, seed=seed)
    long = replace(asked, replicates=ablation_replicates)
    from_rest = replace(long, normalise=False)
    ends = pairwise((*PMLF_ENDS, 1.0))
    first, second, third, fourth, fifth = (part(tell, low, high) for low, high in ends)
    tell(0.0, "the filter and per-sample momentum")
    filters = filter_study(seed=seed)
    reduction = pmlf_claims.claim_p1(
        sampling_reduction(seed=seed), reduction_on_task(problem, rate=0.1)
    )
    ordering = method_ordering(problem, asked, tell=first)
    ablation = pmlf_claims.claim_p5(filter_ablation(problem, long, tell=second), long)
    plain = pmlf_claims.claim_p5(filter_ablation(problem, from_rest, tell=third), from_rest)
    ablation["ours"]["without_normalisation"] = plain["ours"]
    ordered = pmlf_claims.claim_p4(ordering, asked)
    few = replace(asked, replicates=reading_replicates)
    ordered["ours"]["readings"] = list(order_readings(problem, few, tell=fourth))
    ablation["ours"]["readings"] = list(filter_readings(problem, few, tell=fifth))
    return Evidence(
        numbers={
            "P1": reduction,
            "P2": pmlf_claims.claim_p2(filters),
            "P3": pmlf_claims.claim_p3(filters),
            "P4": ordered,
            "P5": ablation,
        }
    )
