"""Studies: crossovers refined and confirmed, winner regions, stability and ties."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from momentdp_core import (
    POOL,
    Curvature,
    InputError,
    Scenario,
    Schedule,
    evaluate,
    final_damage,
)
from momentdp_core.crossover import find_crossovers

GRID = np.round(np.arange(100) * 0.01, 2)
HOME = Scenario(curvature=Curvature(condition_number=10), learning_rate=0.8)
COSINE = Scenario(schedule=Schedule(family="cosine"))


@pytest.mark.parametrize("scenario", [HOME, COSINE], ids=["constant", "cosine"])
def test_every_crossover_is_a_confirmed_sign_change(scenario):
    """1e-6 on either side the norm route finds the reported winner of the pair (M3)."""
    study = evaluate(scenario, GRID)
    assert len(study.crossovers) > 10
    for crossing in study.crossovers:
        a, b = (scenario.mechanisms.index(key) for key in crossing.pair)
        sides = final_damage(scenario, [crossing.value - 1e-6, crossing.value + 1e-6])
        names = [crossing.pair[int(sides[a, k] > sides[b, k])] for k in (0, 1)]
        assert names == [crossing.below, crossing.above]
        assert set(names) == set(crossing.pair)


@pytest.mark.parametrize("scenario", [HOME, COSINE], ids=["constant", "cosine"])
def test_crossovers_of_a_coarse_grid_are_those_of_a_fine_one(scenario):
    """A grid ten times finer finds the same crossings at the same places."""
    coarse = evaluate(scenario, GRID).crossovers
    fine = evaluate(scenario, np.linspace(0, 0.99, 991)).crossovers
    assert [(c.pair, c.below) for c in coarse] == [(c.pair, c.below) for c in fine]
    np.testing.assert_allclose([c.value for c in coarse], [c.value for c in fine], atol=1e-6)


def test_two_crossings_inside_one_cell_are_found_by_their_dip():
    """Where a pair crosses and crosses back between two grid values, both roots are found."""
    fine = evaluate(COSINE, np.linspace(0, 0.99, 991)).crossovers
    by_pair: dict[tuple[str, str], list[float]] = {}
    for crossing in fine:
        by_pair.setdefault(crossing.pair, []).append(crossing.value)
    twice = [(roots[1] - roots[0], pair) for pair, roots in by_pair.items() if len(roots) == 2]
    pair = min(twice)[1]
    roots = by_pair[pair]
    middle, width = np.mean(roots[:2]), roots[1] - roots[0]
    scenario = replace(COSINE, mechanisms=pair)
    # Grid values around both roots, none between them but one just outside on each side.
    values = np.array([middle - 1.6 * width, middle - 0.55 * width, middle + 0.7 * width])
    found = find_crossovers(
        scenario, values, final_damage(scenario, values), np.ones(3, dtype=bool)
    )
    np.testing.assert_allclose([c.value for c in found], roots[:2], atol=1e-6)


def test_regions_cover_the_sweep_and_agree_with_the_winners():
    """Regions are contiguous from the first to the last momentum and hold each grid winner."""
    for scenario in (HOME, COSINE):
        study = evaluate(scenario, GRID)
        assert study.regions[0].start == 0
        assert study.regions[-1].stop == GRID[-1]
        for before, after in zip(study.regions[:-1], study.regions[1:], strict=True):
            assert before.stop == after.start
            assert before.winners != after.winners
        for momentum, keys in zip(study.values, study.winners, strict=True):
            holding = [r for r in study.regions if r.start <= momentum <= r.stop]
            assert any(set(keys) <= set(region.winners) for region in holding)


def test_region_edges_between_winners_are_crossovers():
    """Where the winner changes, the edge is the crossover of exactly these two."""
    study = evaluate(HOME, GRID)
    assert [region.winners for region in study.regions][:3] == [
        ("noisecurve",),
        ("banded_max",),
        ("dense",),
    ]
    for before, after in zip(study.regions[:-1], study.regions[1:], strict=True):
        (crossing,) = [c for c in study.crossovers if c.value == before.stop]
        assert (crossing.below,) == before.winners
        assert (crossing.above,) == after.winners


def test_unstable_momenta_have_no_winner_and_the_limit_is_told():
    """ηλmax = 3 is stable iff 3 < 2(1+μ), so only for μ > 0.5; below it nothing wins."""
    study = evaluate(replace(HOME, learning_rate=3.0), GRID)
    unstable = GRID <= 0.5
    assert not study.stable[:, unstable].any()
    assert study.stable[:, ~unstable].all()
    assert all(keys == () for keys in np.array(study.winners, dtype=object)[unstable])
    assert not study.rank[:, unstable].any()
    assert np.isinf(study.regret[:, unstable]).all()
    assert not np.isnan(study.damage).any()
    np.testing.assert_allclose(study.stability_limit, 2 * (1 + GRID))
    assert study.regions[0].winners == ()
    assert study.regions[0].stop == pytest.approx(0.5, abs=1e-12)
    assert all(c.value > 0.5 for c in study.crossovers)


@pytest.mark.parametrize("rate", [0.8, 2.0, 2.5, 3.0])
def test_what_is_found_does_not_depend_on_the_momenta_asked_for(rate):
    """Two momenta, three or a hundred: the same crossovers and regions between their ends."""
    scenario = replace(HOME, learning_rate=rate)
    fine = evaluate(scenario, np.append(GRID[GRID < 0.9], 0.9))
    for momenta in ([0.0, 0.9], [0.0, 0.5, 0.9]):
        study = evaluate(scenario, momenta)
        assert [c.pair for c in study.crossovers] == [c.pair for c in fine.crossovers]
        np.testing.assert_allclose(
            [c.value for c in study.crossovers],
            [c.value for c in fine.crossovers],
            atol=1e-6,
        )
        assert [r.winners for r in study.regions] == [r.winners for r in fine.regions]
        assert study.values.tolist() == momenta
        np.testing.assert_allclose(study.damage, final_damage(scenario, momenta), rtol=1e-9)


def test_stability_looks_at_the_peak_of_the_schedule():
    """A schedule whose peak multiplier is ½ allows twice the rate."""
    half = Schedule(family="custom", values=(0.5,) * 8)
    scenario = Scenario(horizon=8, schedule=half, learning_rate=3.0)
    study = evaluate(scenario, [0.0])
    assert study.stable.all()
    assert study.stability_limit[0] == pytest.approx(4.0)


def test_all_mechanisms_tie_at_one_step():
    """T = 1: one draw of noise is the same for all; eleven share rank 1 and nothing crosses."""
    study = evaluate(replace(HOME, horizon=1), GRID)
    assert (study.rank == 1).all()
    assert study.winners[0] == POOL
    assert study.crossovers == ()
    assert len(study.regions) == 1


def test_identical_mechanisms_tie_and_never_cross():
    """b = 1 makes the banded mechanisms IID: they share a rank at every momentum."""
    keys = ("iid", "banded_mean", "toeplitz_max", "dense")
    study = evaluate(replace(HOME, bands=1, mechanisms=keys), GRID)
    assert (study.rank[0] == study.rank[1]).all()
    assert (study.rank[0] == study.rank[2]).all()
    same = {"iid", "banded_mean", "toeplitz_max"}
    assert not any(set(c.pair) <= same for c in study.crossovers)


def test_zero_rate_is_a_tie_of_zeros():
    """No step, no damage: all are best, none crosses, regret is 0."""
    study = evaluate(replace(HOME, learning_rate=0.0), GRID)
    assert not study.damage.any()
    assert (study.rank == 1).all()
    assert not study.regret.any()


def test_single_mechanism_and_single_momentum():
    """One mechanism wins everywhere; one momentum is a study with one region."""
    study = evaluate(replace(HOME, mechanisms=("bisr",)), [0.9])
    assert study.winners == (("bisr",),)
    assert study.crossovers == ()
    assert study.regions[0].winners == ("bisr",)
    assert study.at(0.9) == 0
    with pytest.raises(InputError, match="momentum"):
        study.at(0.5)


def test_a_schedule_that_has_no_usable_root_is_flagged():
    """A schedule that starts tiny makes LR-aware's coefficients overflow: flagged, no winner."""
    values = (0.001, *(1.0,) * 199)
    scenario = Scenario(
        horizon=200,
        schedule=Schedule(family="custom", values=values),
        mechanisms=("iid", "lr_aware"),
    )
    study = evaluate(scenario, [0.0, 0.9])
    assert study.stable[0].all()
    assert not study.stable[1].any()
    assert study.winners == (("iid",), ("iid",))
    assert not np.isnan(study.damage).any()
    # The others are compared as if it were not there.
    others = replace(scenario, mechanisms=("iid", "dense", "toeplitz_mean"))
    together = evaluate(replace(others, mechanisms=(*others.mechanisms, "lr_aware")), GRID)
    alone = evaluate(others, GRID)
    assert [c.pair for c in together.crossovers] == [c.pair for c in alone.crossovers]
    np.testing.assert_allclose(
        [c.value for c in together.crossovers], [c.value for c in alone.crossovers]
    )
    assert [r.winners for r in together.regions] == [r.winners for r in alone.regions]


def test_studies_are_frozen():
    """Neither fields nor arrays of a study can be written to."""
    study = evaluate(HOME, [0.0, 0.5])
    with pytest.raises(FrozenInstanceError):
        study.damage = None
    with pytest.raises(ValueError, match="read-only"):
        study.damage[0, 0] = 1


def test_momenta_must_ascend():
    """A grid out of order is refused with the remedy."""
    with pytest.raises(InputError, match="ascending"):
        evaluate(HOME, [0.5, 0.1])
