"""Optimizers side by side: the parts against their own functions, ranks, tuning, and ε."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from momentdp_core import (
    OPTIMIZERS,
    Curvature,
    InputError,
    Scenario,
    compare_optimizers,
    excess_loss,
    final_damage,
    growth_over_schedule,
    noise_suppression,
)
from momentdp_core.excess import epsilon_sweep
from momentdp_core.optimizers import (
    Disk,
    DpPmlf,
    HeavyBall,
    InnerOuter,
    LowPass,
    WeightAveraging,
)

SCENARIO = Scenario(
    horizon=32,
    curvature=Curvature(modes=4, condition_number=30),
    learning_rate=0.4,
    bands=4,
)
# Values so different that smoothing costs bias: the orders by damage and by total differ.
ENTRIES = (
    (HeavyBall(), 0.0),
    (HeavyBall(), 0.6),
    (LowPass(normalise=False), 0.03),
    (DpPmlf(beta=0.8, steps=3, normalise=False), 0.1),
    (InnerOuter(beta=0.5, steps=2), 0.3),
    (Disk(), 0.2),
)
SIGNAL = {"start_error": 3.0, "sampling_noise": 0.5}


@pytest.fixture(scope="module")
def compared():
    """Six optimizers under eleven mechanisms."""
    return compare_optimizers(SCENARIO, ENTRIES, **SIGNAL)


def test_the_parts_are_those_of_each_optimizer_alone(compared):
    """Each row is the excess loss, growth and suppression of that optimizer by itself."""
    for row, (optimizer, value) in enumerate(ENTRIES):
        own = replace(SCENARIO, optimizer=optimizer)
        alone = excess_loss(own, [value], **SIGNAL)
        assert compared.bias[row] == pytest.approx(alone.bias[0], rel=1e-12)
        assert compared.sampling[row] == pytest.approx(alone.sampling[0], rel=1e-12)
        np.testing.assert_allclose(compared.damage[row], final_damage(own, [value])[:, 0])
        assert compared.growth[row] == growth_over_schedule(own, [value])[0]
        np.testing.assert_array_equal(compared.suppression[row], noise_suppression(own, value))
        limit = optimizer.stability_limit(np.array([value]))[0]
        assert compared.stability_limit[row] == limit
    np.testing.assert_allclose(
        compared.total, compared.bias[:, None] + compared.sampling[:, None] + compared.damage
    )


def test_ranks_count_who_is_better(compared):
    """A rank is one more than the number of strictly smaller entries, in columns and in rows."""
    for losses, placed in (
        (compared.damage, compared.damage_rank),
        (compared.total, compared.total_rank),
        (compared.damage.T, compared.mechanism_rank.T),
    ):
        for column, ranked in zip(losses.T, placed.T, strict=True):
            better = [(column < value * (1 - 1e-9)).sum() for value in column]
            assert ranked.tolist() == [1 + count for count in better]
    assert (compared.best_in_column.sum(axis=0) >= 1).all()
    rows = compared.damage == compared.damage.min(axis=1, keepdims=True)
    np.testing.assert_array_equal(compared.best_in_row, rows)


def test_the_two_rankings_differ_between_optimizers_but_not_within_one(compared):
    """Bias and sampling are shared along a row, so there the total orders as the damage does."""
    assert compared.differs.any()
    for damage, total in zip(compared.damage, compared.total, strict=True):
        assert np.argsort(damage).tolist() == np.argsort(total).tolist()
    moved = compared.total_rank != compared.damage_rank
    np.testing.assert_array_equal(compared.differs, moved)


def test_without_signal_the_rankings_are_the_same():
    """With no starting error and no sampling noise the total is the damage."""
    quiet = compare_optimizers(SCENARIO, ENTRIES, start_error=0.0)
    assert not quiet.differs.any()
    np.testing.assert_array_equal(quiet.total, quiet.damage)


@pytest.mark.parametrize("aim", ["total", "privacy"])
def test_a_tuned_value_is_the_best_of_those_given(aim):
    """No other value of the grid does better by the aim under the mechanism it was chosen for."""
    grid = np.linspace(0.02, 0.9, 23)
    entries = [(optimizer, grid) for optimizer, _ in ENTRIES[1:]]
    tuned = compare_optimizers(SCENARIO, entries, mechanism="bisr", aim=aim, **SIGNAL)
    row = SCENARIO.mechanisms.index("bisr")
    for place, (optimizer, _) in enumerate(entries):
        loss = excess_loss(replace(SCENARIO, optimizer=optimizer), grid, **SIGNAL)
        stable = optimizer.stability_limit(grid) > SCENARIO.learning_rate
        aimed = (loss.total if aim == "total" else loss.privacy)[row]
        reached = (tuned.total if aim == "total" else tuned.damage)[place, row]
        assert tuned.values[place] in grid[stable]
        assert reached == pytest.approx(aimed[stable].min(), rel=1e-9)


def test_an_unstable_optimizer_has_no_rank():
    """Above its limit an optimizer is shown with its growth, and is never best."""
    wild = replace(SCENARIO, learning_rate=2.5, horizon=400, mechanisms=("iid", "bisr"))
    entries = [(HeavyBall(), 0.0), (HeavyBall(), 0.5), (HeavyBall(), [0.1, 0.2])]
    compared = compare_optimizers(wild, entries)
    assert compared.stable.tolist() == [False, True, False]
    assert compared.damage_rank[0].tolist() == [0] * 2
    assert compared.total_rank[1].tolist() == [1, 1]
    assert compared.growth[0] > 1e30
    assert compared.values[2] == 0.2  # nothing is stable: the value nearest to it
    assert [r.winners for r in compared.regions("iid")] == [(1,)]
    assert compared.crossings("iid") == ()
    assert not np.isnan(compared.total).any()


def test_the_sweep_is_that_of_each_optimizer(compared):
    """Along ε each optimizer costs what `epsilon_sweep` says."""
    epsilons = [0.3, 4.0, 40.0]
    swept = compared.sweep("dense", epsilons)
    row = SCENARIO.mechanisms.index("dense")
    for place, (optimizer, value) in enumerate(ENTRIES):
        own = replace(SCENARIO, optimizer=optimizer)
        alone = epsilon_sweep(own, value, epsilons, **SIGNAL)[row]
        np.testing.assert_allclose(swept[place], alone, rtol=1e-12)
    np.testing.assert_allclose(swept[:, 1], compared.total[:, row], rtol=1e-12)


def test_pairs_swap_places_where_they_are_said_to(compared):
    """Just below a crossing one of the pair is better, just above the other; nobody is missed."""
    crossings = compared.crossings("iid")
    assert [c.epsilon for c in crossings] == sorted(c.epsilon for c in crossings)
    for crossing in crossings:
        sides = compared.sweep("iid", crossing.epsilon * np.array([1 - 1e-6, 1 + 1e-6]))
        assert sides[crossing.below, 0] < sides[crossing.above, 0]
        assert sides[crossing.below, 1] > sides[crossing.above, 1]
    ends = compared.sweep("iid", [1e-5, 500.0])
    swapped = {
        (a, b)
        for a in range(len(ENTRIES))
        for b in range(a)
        if (ends[a, 0] < ends[b, 0]) != (ends[a, 1] < ends[b, 1])
    }
    found = [(max(c.below, c.above), min(c.below, c.above)) for c in crossings]
    assert len(found) == len(set(found))
    assert set(found) == swapped


def test_regions_name_the_best_at_every_epsilon():
    """On a fine grid of ε the smallest total is the winner of the region it lies in."""
    # DiSK predicts a quadratic's gradient exactly and wins everywhere: it is left out.
    compared = compare_optimizers(SCENARIO, ENTRIES[:-1], **SIGNAL)
    regions = compared.regions("iid", start=0.01, stop=500.0)
    assert len(regions) >= 2
    assert (regions[0].start, regions[-1].stop) == (0.01, 500.0)
    for left, right in pairwise(regions):
        assert left.stop == right.start
        assert left.winners != right.winners
    grid = np.geomspace(0.0101, 499, 200)
    best = compared.sweep("iid", grid).argmin(axis=0)
    for epsilon, winner in zip(grid, best, strict=True):
        (region,) = (r for r in regions if r.start <= epsilon < r.stop)
        assert region.winners == (winner,)


def test_equal_optimizers_tie():
    """Two names of plain SGD share every rank and every region."""
    same = compare_optimizers(SCENARIO, [(HeavyBall(), 0.0), (Disk(), 1.0)])
    assert same.damage_rank.tolist() == [[1] * 11] * 2
    assert [r.winners for r in same.regions("iid")] == [(0, 1)]


def test_a_tie_crosses_the_others_at_one_place():
    """Two equal optimizers meet a third at once: no region of no width between the others."""
    entries = [(HeavyBall(), 0.0), (Disk(), 1.0), (LowPass(normalise=False), 0.03)]
    regions = compare_optimizers(SCENARIO, entries, **SIGNAL).regions("iid")
    assert [r.winners for r in regions] == [(2,), (0, 1)]


def test_every_optimizer_can_be_compared():
    """All entries of OPTIMIZERS side by side have finite parts and a rank."""
    entries = [(kind(), 0.4) for kind in OPTIMIZERS.values()]
    compared = compare_optimizers(SCENARIO, entries)
    assert np.isfinite(compared.total).all()
    assert (compared.total_rank > 0).all()
    assert (compared.growth >= 1).all()


def test_bad_input(compared):
    """Nothing to compare, unknown names and values out of range are refused."""
    with pytest.raises(InputError, match="entries"):
        compare_optimizers(SCENARIO, [])
    with pytest.raises(InputError, match="aim"):
        compare_optimizers(SCENARIO, ENTRIES, aim="speed")
    with pytest.raises(InputError, match="mechanism"):
        compare_optimizers(SCENARIO, ENTRIES, mechanism="none")
    with pytest.raises(InputError, match="decay"):
        compare_optimizers(SCENARIO, [(WeightAveraging(), 1.0)])
    with pytest.raises(InputError, match="mechanism"):
        compared.crossings("sqrt")
    with pytest.raises(InputError, match="epsilon"):
        compared.sweep("iid", [0.0])
