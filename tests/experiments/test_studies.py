"""The studies themselves: the exact ones in full, the long ones on parts of their grids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import POOL, Curvature, Scenario, Schedule, final_damage, mechanism_scores
from momentdp_core.experiments.claims import CLAIMS
from momentdp_core.experiments.crossings import confirmed_crossovers
from momentdp_core.experiments.epsilon import epsilon_invariance
from momentdp_core.experiments.grid import MOMENTA, SPECTRA, scenarios, score
from momentdp_core.experiments.identity import identity_grid, noisecurve_criterion
from momentdp_core.experiments.lr_limit import lr_aware_limit
from momentdp_core.experiments.monte_carlo import CASES, sampled_damage
from momentdp_core.experiments.perturbation import curvature_perturbation
from momentdp_core.experiments.propagation import propagated_losses
from momentdp_core.experiments.rankings import pair_accuracy, rankings, score_quality
from momentdp_core.experiments.schedule_table import schedule_table
from momentdp_core.experiments.sensitivity import sensitivity_check
from momentdp_core.experiments.slices import slice_count
from momentdp_core.experiments.solver_check import solver_check
from momentdp_core.experiments.trajectory import trajectory_ranks
from momentdp_core.experiments.winners import momentum_table
from tests.oracles import state_space_damage


def outcome(claim: str, record: object) -> str:
    """The word of the verdict on a record."""
    return CLAIMS[claim].verdict(record).outcome


@pytest.mark.parametrize("momentum", [0.0, 0.7])
def test_propagation_agrees_with_the_block_operator(momentum):
    """Carrying covariances forward gives tr(H G (K⊗I) Gᵀ)/2, for several mechanisms at once."""
    scenario = Scenario(
        horizon=7,
        bands=3,
        curvature=Curvature(modes=3),
        schedule=Schedule(family="cosine"),
        mechanisms=("iid", "bisr", "dense"),
    )
    noising = [scenario.design(key).noising_matrix() for key in scenario.mechanisms]
    losses = propagated_losses(
        eigenvalues=scenario.eigenvalues,
        step_sizes=scenario.step_sizes,
        momentum=momentum,
        covariances=np.array([n @ n.T for n in noising]),
    )
    expected = [state_space_damage(scenario, n, momentum) for n in noising]
    found = losses[:, -1] * scenario.noise_multiplier**2
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_identity_holds_on_a_part_of_the_grid():
    """T = 8 and 32 at the two outer rates: 192 configurations below 1e-10, in three routes."""
    found = identity_grid(horizons=(8, 32), rates=(0.05, 0.6))
    assert found.cases == found.agreeing == 192
    assert found.worst < 1e-10
    # A part of the grid does not pass for the whole.
    assert outcome("M2", found) == "not reproduced"


def test_the_criterion_is_not_the_damage_elsewhere():
    """With momentum or a schedule the two differ, so that their agreement says something."""
    scenario = Scenario(horizon=8, mechanisms=("bisr",))
    criterion = noisecurve_criterion(scenario)[0]
    assert final_damage(scenario, [0.5])[0, 0] > 1.1 * criterion
    cosine = replace(scenario, schedule=Schedule(family="cosine"))
    assert final_damage(cosine, [0.0])[0, 0] < 0.9 * criterion


def test_proposition_1_by_sampling():
    """Propagation within rounding; 12 sample means within 4 standard errors; seeds matter."""
    found = sampled_damage(seed=5, runs=2000)
    assert outcome("M1", found) == "reproduced"
    assert len(found.cases) == len(CASES)
    again = sampled_damage(seed=5, runs=50, cases=CASES[:1])
    assert again == sampled_damage(seed=5, runs=50, cases=CASES[:1])
    assert again.cases[0].deviation != sampled_damage(seed=6, runs=50).cases[0].deviation


@pytest.mark.parametrize(
    ("claims", "study"),
    [
        pytest.param(("M4", "M5"), momentum_table, id="momentum table"),
        pytest.param(("M6", "M7"), slice_count, id="slices"),
        pytest.param(("M19",), epsilon_invariance, id="epsilon"),
        pytest.param(("M20",), lr_aware_limit, id="LR-aware limit"),
        pytest.param(("M23",), sensitivity_check, id="sensitivity"),
    ],
)
def test_exact_claims_hold(claims, study):
    """The quick exact studies, recomputed in full."""
    record = study()
    assert [outcome(claim, record) for claim in claims] == ["reproduced"] * len(claims)


def test_the_winners_need_their_setting():
    """At κ = 1000 and a low rate the table is another one: the verdict is not built in."""
    assert outcome("M4", momentum_table(condition_number=1000, learning_rate=0.05)) != "reproduced"


def test_crossovers_are_confirmed():
    """Every crossover in one curvature of the slices, and in Table 1's setting."""
    found = confirmed_crossovers(rates=(0.1,), conditions=(10.0,))
    assert found.reported > 50
    assert outcome("M3", found) == "reproduced"


def test_trajectory_score_by_propagation():
    """The uniform average agrees with propagation, and its ranking is another one."""
    found = trajectory_ranks(horizon=24, conditions=(10.0,))
    assert outcome("M33", found) == "reproduced"
    assert any(c.final_ranks != c.trajectory_ranks for c in found.conditions)


def test_solvers_are_ordered_and_certified():
    """bound ≤ ours ≤ the paper's solvers, and each solution gives its strategy back."""
    found = solver_check(horizons=(8,), adam_steps=300)
    assert outcome("M22", found) == "reproduced"
    for case in found.cases:
        assert case.lower_bound <= case.ours <= min(case.adam, case.lbfgs) * (1 + 1e-8)


def test_schedule_table_keeps_the_published_order():
    """E.2: the winners are the published ones, and the constant row is within 3 %."""
    found = schedule_table()
    assert outcome("M12", found) == "same order"
    np.testing.assert_allclose(found.damage[0], (21.86, 22.12, 34.26), rtol=0.03)


@pytest.fixture(scope="module")
def small_grid():
    """All spectra, momenta and schedules at one rate, with a short horizon."""
    return [score(scenario) for scenario in scenarios(rates=(0.2,), horizon=16)]


def test_the_grid_is_that_of_appendix_d():
    """480 settings with six momenta each; spectra outermost."""
    found = list(scenarios())
    assert len(found) * len(MOMENTA) == 2880
    assert len(set(found)) == 480
    assert list(dict.fromkeys(s.curvature for s in found)) == list(SPECTRA)


def test_scores_of_the_grid_are_the_engines(small_grid):
    """A setting carries the damages and scores that the engine gives for it."""
    setting = small_grid[10]
    np.testing.assert_allclose(setting.damage, final_damage(setting.scenario, MOMENTA), rtol=1e-9)
    scores = mechanism_scores(setting.scenario)
    np.testing.assert_array_equal(setting.static_mse, scores.static_mse)
    np.testing.assert_array_equal(setting.lr_aware, scores.lr_aware)


def test_quality_of_perfect_and_of_reversed_scores(small_grid):
    """A score equal to the truth is perfect; one that reverses it is wrong on every pair."""
    truth = small_grid[0].damage
    same = replace(small_grid[0], static_mse=truth[:, 0], lr_aware=-truth[:, 0])
    found = score_quality([same], momenta=(0.0,))
    assert found.pairwise == (1.0, 0.0, 1.0, 1.0)
    assert found.tau == (1.0, -1.0, 1.0, 1.0)
    assert found.top_one == (1.0, 0.0, 1.0, 1.0)
    worst = truth[:, 0].max() / truth[:, 0].min() - 1
    assert found.regret == pytest.approx((0.0, worst, 0.0, 0.0))
    assert pair_accuracy([same], momenta=(0.0,)) == (1.0, 0.0, 1.0, 1.0)


def test_pair_accuracy_agrees_with_counting():
    """Pairs with BISR, counted one by one where none is tied."""
    setting = score(Scenario(horizon=32, bands=8, schedule=Schedule(family="cosine")))
    bisr = POOL.index("bisr")
    truth = setting.damage[:, 3]
    others = [n for n in range(len(POOL)) if n != bisr]
    right = [
        (setting.static_mse[n] < setting.static_mse[bisr]) == (truth[n] < truth[bisr])
        for n in others
    ]
    found = pair_accuracy([setting], momenta=(0.9,), involving=("bisr",))
    assert found[0] == pytest.approx(np.mean(right))


def test_held_outs_are_parts_of_the_grid(small_grid):
    """Each split is the accuracy on its own conditions; the aware score is perfect on all."""
    found = rankings(small_grid)
    chosen = [s for s in small_grid if s.scenario.schedule.family == "warmup_cosine"]
    assert found.held_out["schedule"] == pair_accuracy(chosen)
    assert found.held_out["momentum"] == pair_accuracy(small_grid, momenta=(0.95,))
    assert all(values[3] == 1.0 for values in found.held_out.values())
    assert found.narrow.conditions == 90
    assert found.broad.conditions == len(small_grid) * 6


def test_perturbation_starts_perfect_and_gets_worse():
    """No perturbation, no error; at 100 % the ranking suffers; the same seed, the same curve."""
    found = curvature_perturbation(seed=1, repeats=1, sizes=(0.0, 0.25, 0.5, 1.0))
    for curve in (found.signed, found.uniform):
        assert (curve.pairwise[0], curve.top_one[0], curve.regret[0]) == (1.0, 1.0, 0.0)
        assert 0.5 < curve.pairwise[3] < curve.pairwise[1] < 1
    assert found.conditions == 45
    assert found == curvature_perturbation(seed=1, repeats=1, sizes=(0.0, 0.25, 0.5, 1.0))
    assert outcome("M17", found).startswith("within")
