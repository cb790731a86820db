"""The words of a verdict: which one is used where, inside, on and outside each bound."""

from __future__ import annotations

import math

import pytest

from momentdp_core.experiments.verdicts import (
    EXACT,
    STATISTICAL,
    Claim,
    Finding,
    Verdict,
    below,
    compare_numbers,
    compare_order,
    holds,
    relative_gap,
)


@pytest.mark.parametrize(
    ("published", "ours", "word"),
    [
        pytest.param([58.0, 60.8], [58.0, 60.8], "reproduced", id="equal"),
        pytest.param([58.0, 60.8], [58.04, 60.76], "reproduced", id="inside the rounding"),
        pytest.param([58.0, 60.8], [58.06, 60.8], "within 1 %", id="outside the rounding"),
        pytest.param([100.0], [98.0], "within 2 %", id="two of a hundred"),
        pytest.param([100.0], [97.9], "within 3 %", id="rounded up"),
        pytest.param([100.0], [110.0], "within 10 %", id="on the limit"),
        pytest.param([100.0, 200.0], [110.1, 200.0], "same order", id="beyond the limit"),
        pytest.param([100.0], [110.1], "not reproduced", id="one figure has no order"),
        pytest.param([12.7, 11.7, 20.1], [15.0, 19.0, 40.0], "same direction", id="one pair off"),
        pytest.param([59.1, 59.1, 73.3], [40.0, 42.0, 50.0], "same order", id="published tie"),
        pytest.param([1.0, 2.0], [2.0, 1.0], "not reproduced", id="reversed"),
        pytest.param([1.0, 2.0], [3.0, 3.0], "not reproduced", id="no difference"),
        pytest.param([1.0, 2.0], [math.nan, 2.0], "not reproduced", id="not a number"),
        pytest.param([1.0, 2.0], [1.0, math.inf], "not reproduced", id="infinite"),
        pytest.param([1.0, 2.0], [1.0], "not reproduced", id="one missing"),
        pytest.param([], [], "not reproduced", id="nothing to compare"),
        pytest.param([0.0, 1.0], [0.0, 1.0], "reproduced", id="zero is zero"),
        pytest.param([0.0, 1.0], [0.1, 1.0], "same order", id="zero has no percentage"),
    ],
)
def test_the_nearest_true_word_is_used(published, ours, word):
    """Rounding, then per cent, then order, then direction; figures that are none are refused."""
    assert compare_numbers(published, ours, rounding=0.05) == word


def test_order_needs_a_pair_that_the_paper_tells_apart():
    """A published tie alone proves nothing."""
    assert compare_order([1.0, 1.0], [2.0, 3.0]) == "not reproduced"
    assert compare_order([1.0, 2.0, 1.0], [1.0, 3.0, 2.0]) == "same order"


@pytest.mark.parametrize(
    ("values", "word"),
    [
        pytest.param([1e-12], "reproduced", id="on the limit"),
        pytest.param([1.1e-12], "not reproduced", id="above"),
        pytest.param([0.0, math.nan], "not reproduced", id="not a number"),
        pytest.param([], "not reproduced", id="nothing measured"),
    ],
)
def test_a_limit_is_kept_by_all_values(values, word):
    """One value above the limit, or none at all, does not reproduce a claim."""
    assert below(values, 1e-12) == word


def test_relative_gap_has_the_published_figure_below():
    """Half of the published figure is 50 %, double of it 100 %."""
    assert relative_gap(2.0, 1.0) == 0.5
    assert relative_gap(2.0, 4.0) == 1.0
    assert relative_gap(0.0, 0.0) == 0.0
    assert relative_gap(0.0, 1.0) == math.inf


@pytest.mark.parametrize(
    ("kind", "outcome", "fails"),
    [
        pytest.param(EXACT, "reproduced", False, id="exact that holds"),
        pytest.param(EXACT, "within 1 %", True, id="exact that is only near"),
        pytest.param(EXACT, "not reproduced", True, id="exact that does not hold"),
        pytest.param(STATISTICAL, "not reproduced", False, id="statistical"),
    ],
)
def test_only_an_exact_claim_can_fail(kind, outcome, fails):
    """Anything but full agreement fails an exact claim; a statistical one is only reported."""
    claim = Claim(
        id="M0",
        statement="",
        source="",
        published="1",
        published_values=(1.0,),
        kind=kind,
        study="none",
        judge=lambda claim, record: Finding(outcome=outcome, ours="2", our_values=(2.0,)),
    )
    verdict = claim.verdict(object())
    assert isinstance(verdict, Verdict)
    assert verdict.fails is fails
    assert (verdict.claim, verdict.published_values, verdict.our_values) == ("M0", (1.0,), (2.0,))
    assert holds(not fails) == ("not reproduced" if fails else "reproduced")
