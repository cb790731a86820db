"""What NoiseCurve's criterion leaves open, against dense matrices and the ranks of a study."""

from __future__ import annotations

import numpy as np
import pytest

from momentdp_core import (
    OPTIMIZERS,
    Curvature,
    InputError,
    Scenario,
    design_freedom,
    evaluate,
    workload_factor,
)
from momentdp_core.lattice import native_problem, second_design

KAPPA = Curvature(condition_number=20)


@pytest.mark.parametrize("optimizer", ["heavy_ball", "nesterov"])
def test_the_ratio_is_that_of_two_damages(optimizer):
    """Both designs' damages come from dense matrices here, and the rank from counting."""
    scenario = Scenario(horizon=48, curvature=KAPPA, optimizer=OPTIMIZERS[optimizer]())
    study = evaluate(scenario, [0.0, 0.5, 0.9])
    found = design_freedom(study)
    row = study.mechanisms.index("noisecurve")
    second = second_design(native_problem(scenario, scenario.learning_rate, 20.0))
    for m, value in enumerate(study.values):
        factor = workload_factor(scenario, value)
        other = np.sum((factor @ np.linalg.inv(second.strategy_matrix())) ** 2)
        assert found.ratio[m] == pytest.approx(other / study.damage[row, m], rel=1e-8)
        rest = np.delete(study.damage[:, m], row)
        assert found.rank[m] == 1 + (rest < other * (1 - 1e-9)).sum()


def test_both_designs_are_as_good_for_the_criterion():
    """At zero momentum and a constant rate, which the criterion sees, they do the same damage."""
    study = evaluate(Scenario(horizon=96, curvature=KAPPA), [0.0, 0.9])
    found = design_freedom(study)
    assert found.apart < 2e-3
    assert found.ratio[0] == pytest.approx(1.0, abs=2e-3)
    assert abs(found.ratio[1] - 1) > 0.1  # under momentum they differ


def test_where_nothing_is_ranked_there_is_no_rank():
    """An unstable setting has ratio 1 and rank 0."""
    study = evaluate(Scenario(horizon=16, curvature=KAPPA, learning_rate=3.0), [0.0, 0.9])
    found = design_freedom(study)
    assert found.rank.tolist()[0] == 0
    assert found.rank[1] > 0
    assert found.ratio[0] == 1.0


def test_what_cannot_be_asked_is_refused():
    """Without NoiseCurve, alone, or over a long run there is no answer."""
    with pytest.raises(InputError, match="noisecurve among them"):
        design_freedom(evaluate(Scenario(horizon=4, mechanisms=("iid", "dense")), [0.5]))
    with pytest.raises(InputError, match="second mechanism"):
        design_freedom(evaluate(Scenario(horizon=4, mechanisms=("noisecurve",)), [0.5]))
    with pytest.raises(InputError, match="at most 256"):
        design_freedom(evaluate(Scenario(horizon=300, mechanisms=("iid", "noisecurve")), [0.5]))
