"""The judges of the logistic task and of DP-PMLF: right on a faithful record, wrong on others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from momentdp_core.experiments.claims import CLAIMS
from momentdp_core.experiments.verdicts import NOT_REPRODUCED, REPRODUCED
from tests.experiments.training_records import ORDER, PMLF, evidence, ordered

ROWS = [*(f"M{number}" for number in range(25, 33)), *(f"P{number}" for number in range(1, 6))]
SWAPPED = ["dp_pmlf", "dpsgd", "lp_dpsgd", "inner_outer"]
_NO_CHANGE = {"crossover": None, "low": None, "high": None}
# Claim, what is wrong, our changed figures, and the verdict they must get.
WRONG = [
    ("M25", "first without momentum", {"rank": [1, 9, 9, 9]}, "same order"),
    ("M25", "not last once", {"rank": [2, 9, 8, 9]}, "same direction"),
    ("M25", "better under momentum", {"rank": [2, 9, 1, 9]}, None),
    ("M25", "always last", {"rank": [9, 9, 9, 9]}, None),
    ("M26", "off by 5 %", {"mean": np.array([0.0053, 0.1059, 0.01048, 0.00999])}, "within 5 %"),
    ("M26", "doubled", {"mean": np.array([0.0101, 0.2118, 0.02096, 0.01998])}, "same order"),
    ("M26", "first largest", {"mean": np.array([0.2, 0.1, 0.02, 0.01])}, None),
    ("M26", "no number", {"mean": np.array([math.nan, 0.1, 0.02, 0.01])}, None),
    ("M27", "first largest", {"mean": np.array([0.2, 0.1, 0.02, 0.01])}, None),
    ("M28", "static better", {"accuracy": [0.951, 0.918]}, None),
    ("M28", "a wider gain", {"accuracy": [0.6, 0.99]}, "same direction"),
    ("M28", "nothing resolved", {"accuracy": [None, None]}, None),
    ("M29", "more regret", {"regret": [0.0353, 0.0441]}, None),
    ("M29", "a wider gain", {"regret": [0.02, 0.001]}, "same direction"),
    ("M30", "they differ", {"top_one": [4 / 9, 5 / 9]}, None),
    ("M30", "both higher", {"top_one": [7 / 9, 7 / 9]}, "same direction"),
    ("M31", "another winner", {"same_top": 3}, None),
    ("M31", "another order", {"same_order": 4}, "same direction"),
    ("M31", "a little off", {"largest_discrepancy": 0.099}, "within 6 %"),
    ("M32", "one below 0", {"kendall": [0.9, -0.1, 0.4, 0.3]}, None),
    ("M32", "another order", {"kendall": [0.9, 0.8, 0.4, 0.95]}, "same direction"),
    ("P1", "one far off", {"reduction": np.array([[1.0, 1.0], [1.0, 2.03]])}, None),
    ("P1", "no number", {"reduction": np.array([[1.0, 1.0], [1.0, math.nan]])}, None),
    ("P2", "gain off", {"gain_at_zero": [1.0, 1.001]}, None),
    ("P2", "noise enlarged", {"suppression": [4.0, 0.9]}, None),
    ("P2", "simulation off", {"suppression_simulated": [4.5, 2.0]}, None),
    ("P2", "routes differ", {"suppression_by_frequency": [4.0, 2.001]}, None),
    ("P3", "bias left", {"largest_deviation": [0.0, 1e-6]}, None),
    ("P3", "no bias to remove", {"bias_without_normalisation": [0.5, 0.0]}, None),
    ("P4", "another best", {"1": ordered(["dpsgd", *ORDER[:2], ORDER[3]])}, None),
    ("P4", "another last at 8", {"8": ordered(ORDER[::-1])}, None),
    ("P4", "two swapped", {"1": ordered(SWAPPED)}, "same direction"),
    ("P5", "no change", _NO_CHANGE, None),
    ("P5", "harms at small ε", {"relative_difference": [0.05, 0.02]}, None),
    ("P5", "not sure", {"relative_half_width": [0.1, 0.1]}, None),
    ("P5", "elsewhere", {"crossover": 1.3}, "same direction"),
]


@pytest.mark.parametrize("claim", ROWS)
def test_a_record_that_meets_the_paper_is_reproduced(claim):
    """The judge says "reproduced" where every figure is the published one."""
    assert CLAIMS[claim].verdict(evidence()).outcome == REPRODUCED


@pytest.mark.parametrize(
    ("claim", "changes", "word"),
    [pytest.param(c, changes, word, id=f"{c} {what}") for c, what, changes, word in WRONG],
)
def test_a_wrong_record_is_not_reproduced(claim, changes, word):
    """One wrong value in an otherwise faithful record changes the verdict."""
    assert CLAIMS[claim].verdict(evidence(claim, **changes)).outcome == (word or NOT_REPRODUCED)


def test_every_row_can_fail():
    """No row is without a wrong record."""
    assert {claim for claim, _, _, word in WRONG if word is None} == set(ROWS)


def test_the_formula_is_held_to_its_limit():
    """P1 fails when the formula itself stays away from k."""
    record = evidence()
    short = np.array([[1.0, 1.0], [1.0, 1.9]])
    record.numbers["P1"]["published"]["reduction"] = short
    record.numbers["P1"]["ours"].update(reduction=short, low=short - 0.01, high=short + 0.01)
    assert CLAIMS["P1"].verdict(record).outcome == NOT_REPRODUCED


def test_what_was_tried_is_told():
    """The detail names the rates, the data sets, the solver's shortfall and the other setting."""
    ranks = CLAIMS["M25"].verdict(evidence()).detail
    for words in ("come out at: 0.1", "momentum on 1 of 2 draws", "25 % above the objective"):
        assert words in ranks
    plain = {**PMLF["P5"]["ours"], "crossover": 1.25}
    told = CLAIMS["P5"].verdict(evidence("P5", **_NO_CHANGE, without_normalisation=plain))
    assert told.outcome == NOT_REPRODUCED
    assert "Without the start-up normalisation: changes at ε 1.25" in told.detail
    tops = {"rates": [0.1, 0.2], "top_one_by_rate": [[0.0, 0.5], [0.25, 0.25]]}
    agreement = CLAIMS["M30"].verdict(evidence("M30", **tops, not_told_from_best=[1.0, 0.5]))
    assert "equally often at: 0.2; static 0.0 to 25.0 %" in agreement.detail
    assert "told from the best: 100.0 / 50.0 %" in agreement.detail
    rest = {"cutoff": 0.1, "window": 4, "clipping": 1.0}
    orders: list[dict[str, Any]] = [
        {**rest, "orders": [ORDER, ORDER], "sure": [True, True]},
        {**rest, "orders": [ORDER, ORDER[::-1]], "sure": [True, False]},
    ]
    methods = CLAIMS["P4"].verdict(evidence("P4", readings=orders)).detail
    assert "published order at 1, its first and last method at 0 more, its last at 1" in methods
    assert "surely better than DPSGD at 1." in methods
    found = {"cutoff": 0.1, "rate": 0.1, "sure": True}
    changes: list[dict[str, Any]] = [
        {**found, "normalise": True, "crossover": None},
        {**found, "normalise": False, "crossover": 0.5},
        {**found, "normalise": False, "crossover": 2.0},
    ]
    ablation = CLAIMS["P5"].verdict(evidence("P5", readings=changes)).detail
    assert "0 of 1 with the normalisation; 2 of 2 without the normalisation, at ε 0.50" in ablation
    assert "InnerOuter is last at 2 of 2 ε" in CLAIMS["P4"].verdict(evidence()).detail
