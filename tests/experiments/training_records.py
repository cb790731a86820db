"""Hand-made evidence on the logistic task, as it would be if both papers were met exactly."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from momentdp_core.experiments.logistic_evidence import Evidence

_SETTINGS = {
    "data": "synthetic", "learning_rate": 0.1, "epsilon": 4.0, "delta": 1e-5, "bands": 16,
    "replicates": 30, "seed": 0, "noisecurve": "recipe",
}  # fmt: skip
_LOSS = {
    "M26": ([0.00505, 0.10590, 0.01048, 0.00999], [0.00015, 0.00487, 0.00039, 0.00043]),
    "M27": ([0.00497, 0.08390, 0.00840, 0.00785], [0.00017, 0.00242, 0.00023, 0.00021]),
}
_OURS: dict[str, dict[str, Any]] = {
    "M25": {
        "rank": [2, 9, 9, 9], "rank_low": [1, 8, 9, 9], "rank_high": [3, 9, 9, 9],
        "rates": [0.1, 0.2], "rates_met": [0.1], "rates_admitted": [0.1, 0.2],
        "data_ranks": [[2, 9, 9, 9], [1, 9, 9, 8]],
        "data_ranks_solved": [[2, 9, 9, 9], [1, 3, 9, 8]],
        "recipe_shortfall": 0.25,
    },
    **{
        claim: {
            "mean": np.array(means), "standard_error": np.array(errors),
            "data_low": np.array(means), "data_high": np.array(means),
        }
        for claim, (means, errors) in _LOSS.items()
    },
    "M28": {
        "accuracy": [0.918, 0.951], "resolved": 61, "pairs": 324, "strict_errors": 4.0,
        "strict_accuracy": [0.9, 1.0], "strict_resolved": 20,
    },
    "M29": {"regret": [0.0441, 0.0353], "low": [0.04, 0.03], "high": [0.05, 0.04]},
    "M30": {"top_one": [4 / 9, 4 / 9]},
    "M31": {"largest_discrepancy": 0.105, "same_top": 4, "same_order": 3},
    "M32": {
        "kendall": [0.389, 0.556, 0.444, 0.333], "low": [0.1] * 4, "high": [0.9] * 4,
        "kendall_full": [0.389, 0.556, 0.444, 0.222],
    },
}  # fmt: skip
_OURS["M27"]["mechanism"] = ["dense"] * 4
LOGISTIC = {
    claim: {
        "published": {"standard_error": _LOSS[claim][1]} if claim in _LOSS else {},
        "ours": ours,
        "settings": _SETTINGS,
    }
    for claim, ours in _OURS.items()
}

_METHODS = {
    "dpsgd": "DPSGD", "lp_dpsgd": "LP-DPSGD", "inner_outer": "InnerOuter", "dp_pmlf": "DP-PMLF",
}  # fmt: skip
ORDER = ["dp_pmlf", "lp_dpsgd", "dpsgd", "inner_outer"]
_BY_METHOD = {key: 0.1 * place for place, key in enumerate(ORDER)}
_RUN = {
    "beta": 0.9, "window": 4, "cutoff": 0.1, "replicates": 30, "seed": 0, "rate": 0.01,
    "labels": _METHODS,
}  # fmt: skip
_CROSSING = {
    "crossover": 6.0, "low": 5.0, "high": 7.0, "crossing_share": 1.0, "end_epsilons": [0.1, 100.0],
    "relative_difference": [-0.05, 0.02], "relative_half_width": [0.01, 0.01],
}  # fmt: skip


def ordered(keys: list[str]) -> dict[str, Any]:
    """The methods' ordering at one ε, tuned and at a common rate."""
    part = {
        "order": keys, "mean": _BY_METHOD, "half_width": _BY_METHOD, "over_dpsgd": _BY_METHOD,
        "over_dpsgd_half_width": _BY_METHOD,
    }  # fmt: skip
    return {"tuned": part, "common": part}


_TIMES = np.array([[1.0, 1.0], [1.0, 1.99999]])
PMLF: dict[str, dict[str, Any]] = {
    "P1": {
        "published": {"reduction": _TIMES},
        "ours": {
            "reduction": _TIMES, "low": _TIMES - 0.01, "high": _TIMES + 0.01,
            "on_task_mean": 1.0, "on_task_largest": 1.1,
        },
        "settings": {"betas": [0.0, 0.999], "windows": [1, 2]},
    },
    "P2": {
        "published": {"gain_at_zero": 1.0},
        "ours": {
            "gain_at_zero": [1.0, 1.0], "suppression": [4.0, 2.0],
            "suppression_by_frequency": [4.0, 2.0], "suppression_simulated": [4.0, 2.0],
            "low": [3.9, 1.9], "high": [4.1, 2.1],
        },
        "settings": {"cutoffs": [0.1, 0.5]},
    },
    "P3": {
        "published": {"largest_deviation": 0.0},
        "ours": {"largest_deviation": [0.0, 0.0], "bias_without_normalisation": [0.5, 0.2]},
        "settings": {"cutoffs": [0.1, 0.5]},
    },
    "P4": {
        "published": {eps: {"order": ORDER} for eps in ("1", "8")},
        "ours": {eps: ordered(ORDER) for eps in ("1", "8")},
        "settings": _RUN,
    },
    "P5": {
        "published": {"crossover": 6.0},
        "ours": {**_CROSSING, "without_normalisation": _CROSSING},
        "settings": _RUN,
    },
}  # fmt: skip


def evidence(claim: str = "", **changes: Any) -> Evidence:
    """The evidence of all claims, with some of our figures of one claim changed."""
    numbers = deepcopy({**LOGISTIC, **PMLF})
    if claim:
        numbers[claim]["ours"].update(changes)
    return Evidence(numbers=numbers)
