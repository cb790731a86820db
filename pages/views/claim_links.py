"""Where each claim can be looked at in Explore: the link of one of its scenarios, and its words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import urlencode

from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.experiments.logistic_runs import COMPARED
from momentdp_core.experiments.registry import PRIMARY, load_registry
from pages.views.evidence import CLAIMS
from pages.views.registry import case_link

Setting = dict[str, object]


@dataclass(frozen=True, kw_only=True)
class ExploreLink:
    """Link parameters of one scenario of a claim, and which one it is."""

    link: str
    words: str


_TABLE_1: Final[Setting] = {"kappa": 10}
_SLICE: Final[Setting] = {"kappa": 100, "rate": 0.1, "schedule": "cosine"}
_GRID: Final[Setting] = {"kappa": 100, "rate": 0.2, "schedule": "cosine"}
_SOLVER: Final[Setting] = {"kappa": 10, "rate": 0.6, "T": 32, "b": 4, "mu": 0}
_LP: Final[Setting] = {"opt": "lp_dpsgd", "design": "first_order", "cutoff": 0.1}
_PMLF: Final[Setting] = {"opt": "dp_pmlf", "design": "first_order", "cutoff": 0.1, "beta": 0.9,
                         "k": 4}  # fmt: skip
# A scenario of the claim's own setting where it has many, and what is left open where Explore
# cannot hold it.
_SCENARIOS: Final[dict[str, tuple[Setting, str]]] = {
    "M1": (
        {"T": 32, "b": 8, "d": 6, "rate": 0.4, "kappa": 20, "schedule": "cosine"},
        "T 32, cosine, momentum 0.9; κ and rate are the nearest that Explore has",
    ),
    "M2": ({"rate": 0.6, "mu": 0}, "κ 100, rate 0.6, no momentum"),
    "M3": (_TABLE_1 | {"mu": 0.1}, "κ 10, rate 0.8, beside a crossover"),
    "M4": (_TABLE_1 | {"mu": 0.5}, "κ 10, rate 0.8, momentum 0.5"),
    "M5": (_TABLE_1 | {"mu": 0}, "κ 10, rate 0.8, no momentum"),
    "M6": (_SLICE, "one slice: κ 100, cosine, rate 0.1"),
    "M7": (_SLICE, "one slice: κ 100, cosine, rate 0.1"),
    **dict.fromkeys(
        ("M8", "M9", "M10", "M11"),
        (_GRID, "one of 2880 conditions: κ 100, cosine, rate 0.2, momentum 0.9"),
    ),
    "M12": ({"mu": 0.9}, "the constant row: κ 100, rate 0.8, momentum 0.9"),
    "M13": (_GRID | {"mu": 0.95}, "κ 100, cosine, rate 0.2, momentum 0.95"),
    "M14": (_GRID | {"schedule": "warmup_cosine"}, "κ 100, warm-up cosine, rate 0.2"),
    "M15": (_GRID | {"kappa": 1000}, "κ 1000, cosine, rate 0.2"),
    "M16": (
        _GRID | {"mech": "dense,banded_mean,bisr,bandinv_mean,bandinv_max"},
        "κ 100, cosine, rate 0.2, BISR and its kin beside two others",
    ),
    "M17": (_SLICE, "κ 100, cosine, rate 0.1, momentum 0.9"),
    "M18": (_SLICE, "κ 100, cosine, rate 0.1, momentum 0.9"),
    "M19": ({"eps": 1}, "κ 100, rate 0.8 at ε 1: change ε and see the order stay"),
    "M20": ({"mech": "lr_aware,sqrt"}, "LR-aware and the square root at a constant rate"),
    "M21": (_SOLVER, "T 32, b 4, κ 10, rate 0.6, no momentum"),
    "M22": (_SOLVER, "T 32, b 4, κ 10, rate 0.6, no momentum"),
    "M23": (_SLICE, "κ 100, cosine, rate 0.1"),
    "M33": (_SLICE, "κ 100, cosine, rate 0.1, momentum 0.9: the final damage"),
    "P1": (
        {"opt": "per_sample_momentum", "beta": 0.9, "k": 4, "rate": 0.1},
        "per-sample momentum, β 0.9, window 4",
    ),
    "P2": (_LP, "the first-order filter, cutoff 0.1"),
    "P3": (_LP, "the first-order filter; its start-up normalisation can be switched off"),
    "P4": (_PMLF, "DP-PMLF on a quadratic: β 0.9, window 4, cutoff 0.1"),
    "P5": (_PMLF, "DP-PMLF on a quadratic: β 0.9, window 4, cutoff 0.1"),
}
_LOGISTIC: Final = tuple(f"M{n}" for n in range(25, 33))


@lru_cache(maxsize=len(CLAIMS))
def explore_link(claim: str) -> ExploreLink:
    """Return the scenario of a claim that Explore can show.

    The private logistic regression is shown by the quadratic that stands for it: the eigenvalues
    of its calibration curvature, under L1.
    """
    if claim == "M24":
        return ExploreLink(link=case_link(load_registry(PRIMARY)[0]), words="the first frozen case")
    if claim in _LOGISTIC:
        eigenvalues = paper_problem(0).calibrated
        setting: Setting = {
            "spectrum": "custom",
            "lam": ", ".join(f"{x:.6g}" for x in eigenvalues),
            "rate": 0.1,
            "mu": 0.9,
            "mech": ",".join(COMPARED),
        }
        words = "the quadratic that stands for the task under L1, NoiseCurve solved properly"
    else:
        setting, words = _SCENARIOS[claim]
    return ExploreLink(link=urlencode(setting), words=words)
