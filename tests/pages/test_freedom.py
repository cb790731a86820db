"""The remark about what NoiseCurve's criterion leaves open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import Curvature, Scenario, design_freedom, evaluate
from pages.views.freedom import asks, freedom_text

VALUES = np.linspace(0, 0.9, 10)


def test_the_numbers_are_those_of_the_comparison() -> None:
    """Range, place and count are read off the result."""
    study = evaluate(Scenario(horizon=64, curvature=Curvature(condition_number=20)), VALUES)
    found = design_freedom(study)
    said = freedom_text(study, found)
    row = study.mechanisms.index("noisecurve")
    assert f"does {found.ratio.min():.2f} to {found.ratio.max():.2f} times" in said
    assert "from μ = 0.00 to 0.90" in said
    same = int((found.rank == study.rank[row]).sum())
    assert f"at {same} of 10 values" in said


@pytest.mark.parametrize(
    ("scenario", "expected"),
    [
        (Scenario(horizon=1), "does 1.00 times the damage shown, from μ = 0.00 to 0.90"),
        (Scenario(horizon=1), "has the same rank everywhere"),
        (Scenario(horizon=8, learning_rate=3.0, mechanisms=("iid", "noisecurve")), "from μ = 0."),
        (Scenario(horizon=8, learning_rate=100.0), "nothing is ranked"),
    ],
    ids=["one step", "one step, rank", "partly unstable", "unstable"],
)
def test_corners(scenario: Scenario, expected: str) -> None:
    """A single step, a partly and a wholly unstable slider are said as they are."""
    study = evaluate(scenario, VALUES)
    assert expected in freedom_text(study, design_freedom(study))


def test_alone_there_is_nothing_to_compare() -> None:
    """Without NoiseCurve, or with it alone, nothing is said."""
    scenario = Scenario(horizon=4, mechanisms=("iid", "dense"))
    assert not asks(evaluate(scenario, [0.5]))
    assert not asks(evaluate(replace(scenario, mechanisms=("noisecurve",)), [0.5]))
    assert asks(evaluate(replace(scenario, mechanisms=("iid", "noisecurve")), [0.5]))
