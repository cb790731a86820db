"""Who wins where: the published reversals, and the momentum-blind scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import (
    MECHANISMS,
    POOL,
    Curvature,
    Scenario,
    Schedule,
    final_damage,
    mechanism_scores,
    ranks,
)

ALL = tuple(MECHANISMS)


def small(**fields):
    """A small scenario for dense oracles."""
    given = {"horizon": 9, "bands": 3, "curvature": Curvature(modes=3), "mechanisms": ALL}
    return Scenario(**{**given, **fields})


CONDITION_100 = Scenario(curvature=Curvature(condition_number=100), learning_rate=0.8)
CONDITION_10 = Scenario(curvature=Curvature(condition_number=10), learning_rate=0.8)


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("constant", ("dense",)),
        ("cosine", ("toeplitz_mean", "toeplitz_max")),
        ("warmup_cosine", ("toeplitz_mean", "toeplitz_max")),
    ],
)
def test_the_schedule_turns_the_winner(family, expected):
    """κ = 100, ηλmax = 0.8, μ = 0.9: constant → dense, cosine and warm-up-cosine → a Toeplitz."""
    scenario = replace(CONDITION_100, schedule=Schedule(family=family))
    values = final_damage(scenario, [0.9])[:, 0]
    assert scenario.mechanisms[int(np.argmin(values))] in expected


@pytest.mark.parametrize(
    ("momentum", "winner"), [(0.0, "noisecurve"), (0.5, "dense"), (0.9, "dense"), (0.95, "dense")]
)
def test_momentum_turns_the_winner(momentum, winner):
    """κ = 10, ηλmax = 0.8, constant: NoiseCurve wins at μ = 0 and is 10th or 11th beyond."""
    values = final_damage(CONDITION_10, [momentum])[:, 0]
    assert CONDITION_10.mechanisms[int(np.argmin(values))] == winner
    place = ranks(values)[CONDITION_10.mechanisms.index("noisecurve")]
    assert place == 1 if momentum == 0 else place in (10, 11)


def test_damage_near_the_published_constant_row():
    """E.2's constant row (Dense 21.86, BandMF 22.12, Toeplitz 34.26) is met within 3 %."""
    values = dict(zip(POOL, final_damage(CONDITION_100, [0.9])[:, 0], strict=True))
    published = {"dense": 21.86, "banded_mean": 22.12, "toeplitz_mean": 34.26}
    for key, value in published.items():
        assert values[key] == pytest.approx(value, rel=0.03)


def test_scores_are_what_they_say():
    """NoiseCurve's criterion is D at μ = 0 and constant rate; LR-aware is ‖A diag(χ) C⁻¹‖²/T."""
    scenario = small(schedule=Schedule(family="cosine"))
    scores = mechanism_scores(scenario)
    native = replace(scenario, schedule=Schedule(family="constant"))
    np.testing.assert_allclose(scores.noisecurve, final_damage(native, [0.0])[:, 0], rtol=1e-12)
    workload = np.tril(np.ones((9, 9))) @ np.diag(scenario.multipliers)
    for n, key in enumerate(scenario.mechanisms):
        inverse = np.linalg.inv(scenario.design(key).strategy_matrix())
        lr_aware = np.linalg.norm(workload @ inverse) ** 2 / 9
        assert scores.lr_aware[n] == pytest.approx(lr_aware, rel=1e-9)
        static = np.linalg.norm(np.tril(np.ones((9, 9))) @ inverse) ** 2 / 9
        assert scores.static_mse[n] == pytest.approx(static, rel=1e-9)


def test_scores_of_an_unstable_native_condition_have_no_rank():
    """ηλmax ≥ 2 is unstable at μ = 0, so NoiseCurve's own criterion ranks nobody."""
    scores = mechanism_scores(small(learning_rate=2.5))
    assert np.isinf(scores.noisecurve).all()
    assert not scores.noisecurve_rank.any()
