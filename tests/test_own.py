"""The reader's own mechanism: the same from every matrix, checked, scaled, and in a scenario."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momentdp_core import (
    FAMILIES,
    MECHANISMS,
    OWN_KEY,
    InputError,
    Scenario,
    compare_optimizers,
    evaluate,
    explain_pair,
    final_damage,
    own_mechanism,
    simulate_damage,
)
from momentdp_core.mechanisms import DesignProblem
from momentdp_core.mechanisms.own import KINDS, SERIES
from momentdp_core.mechanisms.structures import BandedStrategy, DenseStrategy, ToeplitzStrategy
from momentdp_core.optimizers import HeavyBall

T = 6
MATRICES = [kind for kind in KINDS if kind not in SERIES]


def lower(seed: int, size: int = T) -> np.ndarray:
    """Return a lower-triangular matrix that is far from singular."""
    random = np.random.default_rng(seed)
    return np.tril(random.normal(size=(size, size)) / size) + np.diag(random.uniform(1, 3, size))


def four(strategy: np.ndarray) -> dict[str, np.ndarray]:
    """Return the four matrices of one mechanism, by independent inverses."""
    noising = np.linalg.inv(strategy)
    return {
        "strategy": strategy,
        "noising": np.tril(noising),
        "gram": strategy.T @ strategy,
        "covariance": noising @ noising.T,
    }


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), size=st.integers(1, 9))
def test_the_four_matrices_are_one_mechanism(seed, size):
    """C, C⁻¹, X and K of the same mechanism give the same noise and the same sensitivity."""
    strategy = lower(seed, size)
    length = np.linalg.norm(strategy, axis=0).max()
    wanted = np.linalg.inv(strategy.T @ strategy) * length**2
    for kind, matrix in four(strategy).items():
        own = own_mechanism(kind, matrix, horizon=size)
        assert own.given_sensitivity == pytest.approx(length, rel=1e-9)
        assert own.mechanism.sensitivity == pytest.approx(1, rel=1e-12)
        np.testing.assert_allclose(own.mechanism.covariance, wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("kind", sorted(SERIES))
def test_coefficients_are_the_first_column(kind):
    """Toeplitz coefficients give what their matrix gives, zeros after their end."""
    found = own_mechanism(kind, [2.0, -1.0, 0.3], horizon=T)
    column = np.zeros(T)
    column[:3] = [2.0, -1.0, 0.3]
    matrix = np.array([[column[i - j] if i >= j else 0.0 for j in range(T)] for i in range(T)])
    wanted = own_mechanism(kind.removesuffix("_series"), matrix, horizon=T)
    assert isinstance(found.strategy, ToeplitzStrategy)
    assert found.given_sensitivity == pytest.approx(wanted.given_sensitivity)
    np.testing.assert_allclose(found.mechanism.covariance, wanted.mechanism.covariance, atol=1e-12)


@pytest.mark.parametrize("kind", MATRICES)
def test_scaled_columns_all_have_length_one(kind):
    """On request every step gets its full share of privacy, which is another mechanism."""
    given_ = four(lower(3))[kind]
    plain = own_mechanism(kind, given_, horizon=T)
    scaled = own_mechanism(kind, given_, horizon=T, scale_columns=True)
    lengths = np.linalg.norm(scaled.mechanism.strategy_matrix(), axis=0)
    np.testing.assert_allclose(lengths, 1, rtol=1e-12)
    assert scaled != plain
    assert scaled.given_sensitivity == plain.given_sensitivity


def test_dividing_by_the_sensitivity_keeps_the_mechanism():
    """A multiple of C makes the same noise at the same privacy: same damage, same digest up to
    rounding.
    """
    once, twice = (
        Scenario(
            horizon=T,
            mechanisms=(OWN_KEY,),
            own=own_mechanism("strategy", scale * lower(1), horizon=T),
        )
        for scale in (1.0, 4.0)
    )
    assert twice.own.given_sensitivity == 4 * once.own.given_sensitivity
    assert twice.own.digest == once.own.digest
    np.testing.assert_allclose(final_damage(once, [0.5]), final_damage(twice, [0.5]))


def test_bands_are_seen():
    """A banded C is stored and applied as one, whichever matrix it came as."""
    strategy = np.tril(np.triu(lower(2, 12), -2))
    for kind, matrix in four(strategy).items():
        if kind in ("strategy", "gram"):
            own = own_mechanism(kind, matrix, horizon=12)
            assert isinstance(own.strategy, BandedStrategy)
            assert own.strategy.bands.shape == (3, 12)
    assert isinstance(own_mechanism("strategy", lower(2), horizon=T).strategy, DenseStrategy)


def test_constant_diagonals_are_seen():
    """A Toeplitz C keeps its exact sensitivity under repeated participation."""
    matrix = np.tril(0.7 ** np.abs(np.subtract.outer(np.arange(64), np.arange(64))))
    own = own_mechanism("strategy", 3 * matrix, horizon=64)
    assert isinstance(own.strategy, ToeplitzStrategy)
    scenario = Scenario(
        horizon=64, mechanisms=(OWN_KEY,), own=own, participations=8, min_separation=2
    )
    found = scenario.sensitivity(OWN_KEY)
    assert found.exact
    worst = matrix[:, 0:16:2].sum(axis=1) / np.linalg.norm(matrix[:, 0])
    assert found.value == pytest.approx(np.linalg.norm(worst))


@pytest.mark.parametrize("key", list(MECHANISMS))
def test_a_known_mechanism_comes_back(key):
    """The matrix of a mechanism of the registry, given as one's own, does the same damage."""
    scenario = Scenario(horizon=16, bands=4, mechanisms=(key,))
    matrix = scenario.design(key).strategy_matrix()
    own = own_mechanism("strategy", matrix, horizon=16)
    mine = replace(scenario, mechanisms=(key, OWN_KEY), own=own)
    damage = evaluate(mine, [0.0, 0.5, 0.9]).damage
    np.testing.assert_allclose(damage[1], damage[0], rtol=1e-9)


def bad(row: int, column: int, value: float) -> np.ndarray:
    """Return a good C with one entry spoilt."""
    matrix = np.tril(np.ones((T, T)))
    matrix[row, column] = value
    return matrix


FAULTS = [
    ("shape", "strategy", np.eye(T - 1), "5 × 5"),
    ("vector", "gram", np.ones(T), "shape of X"),
    ("scalar", "covariance", 3.0, "shape of K"),
    ("words", "strategy", [["a"] * T] * T, "no real numbers"),
    ("complex", "strategy", np.eye(T) * 1j, "no real numbers"),
    ("objects", "strategy", np.array([[None] * T] * T, dtype=object), "no real numbers"),
    ("nan", "strategy", bad(3, 1, np.nan), "C in row 4, column 2"),
    ("inf", "noising", bad(2, 2, -np.inf), "C⁻¹ in row 3, column 3"),
    ("upper", "strategy", bad(1, 4, 0.5), "lower triangular"),
    ("upper inverse", "noising", bad(0, 5, 0.5), "lower triangular"),
    ("zero on the diagonal", "strategy", bad(2, 2, 0.0), "no inverse"),
    ("zeros", "noising", np.zeros((T, T)), "no inverse"),
    ("lopsided", "gram", np.eye(T) + bad(4, 2, 9.0), "symmetric"),
    ("indefinite", "gram", np.diag([1.0, 1, 1, -1, 1, 1]), "positive definite"),
    ("semidefinite", "covariance", np.ones((T, T)), "positive definite"),
    ("zero covariance", "covariance", np.zeros((T, T)), "positive definite"),
    ("nearly singular", "strategy", bad(2, 2, 1e-150), "nearly singular"),
    ("tiny", "strategy", 1e-300 * np.eye(T), "nearly singular"),
    ("huge", "noising", 1e300 * np.tril(np.ones((T, T))) * bad(2, 2, 1e-300), "nearly singular"),
    ("no coefficients", "strategy_series", [], "list of numbers"),
    ("too many", "strategy_series", np.ones(T + 1), "at most 6"),
    ("leading zero", "noising_series", [0.0, 1.0], "no inverse"),
    ("nan coefficient", "noising_series", [1.0, np.nan], "finite"),
    ("explosive", "strategy_series", [1.0, 1e60], "nearly singular"),
]


@pytest.mark.parametrize(
    ("kind", "values", "said"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_each_fault_has_its_message(kind, values, said):
    """What cannot be a mechanism is refused with what is wrong and where; nothing warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError) as caught:
            own_mechanism(kind, values, horizon=T)
    assert said in str(caught.value)


def test_rounding_above_the_diagonal_is_no_fault():
    """What an inverse leaves above the diagonal is put to zero."""
    matrix = lower(5)
    matrix[0, 3] = 1e-14
    assert own_mechanism("strategy", matrix, horizon=T).mechanism.strategy_matrix()[0, 3] == 0


def test_a_scenario_holds_it_by_its_content():
    """Equal content is equal and hashes alike; other content, kind or scaling is another study."""
    first, again = (own_mechanism("strategy", lower(7), horizon=T) for _ in range(2))
    other = own_mechanism("strategy", lower(8), horizon=T)
    assert first == again
    assert first is not again
    assert first != other
    one, same, third = (
        Scenario(horizon=T, mechanisms=("iid", OWN_KEY), own=own) for own in (first, again, other)
    )
    assert one == same
    assert hash(one) == hash(same)
    assert repr(one) == repr(same)
    assert one != third
    assert repr(one) != repr(third)
    assert first.digest in repr(one)
    assert len(repr(one)) < 2000


def test_a_scenario_needs_the_one_it_names():
    """Without it, or for another number of steps, the scenario is refused."""
    with pytest.raises(InputError, match="own"):
        Scenario(horizon=T, mechanisms=(OWN_KEY,))
    own = own_mechanism("strategy", lower(1), horizon=T)
    with pytest.raises(InputError, match="Set T to 6"):
        Scenario(horizon=T + 1, mechanisms=(OWN_KEY,), own=own)
    aside = Scenario(horizon=T + 1, mechanisms=("iid",), own=own)
    assert aside.own is own
    with pytest.raises(InputError, match="Set T to 6"):
        aside.design(OWN_KEY)


def test_a_written_scenario_does_not_hold_the_numbers():
    """It names the digest; reading it back asks for the mechanism. Without one nothing changes."""
    own = own_mechanism("strategy", lower(1), horizon=T)
    written = Scenario(horizon=T, mechanisms=("iid", OWN_KEY), own=own).to_dict()
    assert written["own"]["digest"] == own.digest
    assert "strategy" not in written["own"]
    with pytest.raises(InputError, match="bring it again"):
        Scenario.from_dict(written)
    assert "own" not in Scenario().to_dict()


def test_it_takes_part_everywhere():
    """Sweep, simulation, frequencies, optimizers and participation accept it like any other."""
    own = own_mechanism("covariance", four(lower(4))["covariance"], horizon=T)
    scenario = Scenario(
        horizon=T, mechanisms=("iid", OWN_KEY), own=own, participations=2, min_separation=3
    )
    exact = final_damage(scenario, [0.5])[1, 0]
    simulated = simulate_damage(scenario, OWN_KEY, 0.5, runs=20_000, seed=1)
    assert abs(simulated.mean - exact) < 5 * simulated.standard_error
    assert explain_pair(scenario, 0.5, "iid", OWN_KEY) is not None
    found = compare_optimizers(scenario, [(HeavyBall(), 0.5)])
    assert found.damage[0, 1] == pytest.approx(exact)
    gram = own.mechanism.strategy_matrix().T @ own.mechanism.strategy_matrix()
    patterns = [(i, j) for i in range(T) for j in range(i + 3, T)]
    worst = max(gram[i, i] + gram[j, j] + 2 * abs(gram[i, j]) for i, j in patterns)
    assert scenario.sensitivity(OWN_KEY).value == pytest.approx(np.sqrt(max(worst, 1)))


def test_the_registry_does_not_design_it():
    """It is among the families, not among the mechanisms that can be solved."""
    assert set(FAMILIES) == {*MECHANISMS, OWN_KEY}
    with pytest.raises(InputError, match="own_mechanism"):
        FAMILIES[OWN_KEY].solve(DesignProblem(horizon=2))
