"""NoiseCurve by the paper's recipe as a mechanism, and the damage of given mechanisms."""

from __future__ import annotations

import numpy as np
import pytest

from momentdp_core import InputError, Scenario, noisecurve_recipe
from momentdp_core.experiments.logistic_designs import (
    mechanisms_of,
    quadratic_damage,
    recipe_mechanism,
)
from momentdp_core.mechanisms import DesignProblem

PROBLEM = DesignProblem(horizon=12, bands=3, eigenvalues=(1.0, 0.2), learning_rate=0.3)


def test_recipe_is_factored_kept_and_read_again():
    """CᵀC is the recipe's X, columns have norm 1, and the kept design is the same."""
    made = recipe_mechanism(PROBLEM, 60)
    gram = noisecurve_recipe(PROBLEM, steps=60).gram
    strategy = made.strategy_matrix()
    assert strategy.T @ strategy == pytest.approx(gram, abs=1e-12)
    assert np.linalg.norm(strategy, axis=0) == pytest.approx(np.ones(12), rel=1e-12)
    assert made.report.iterations == 60
    recipe_mechanism.cache_clear()
    again = recipe_mechanism(PROBLEM, 60)
    assert (again.strategy_matrix() == strategy).all()
    assert again.report == made.report


def test_the_word_chooses_noisecurve_alone():
    """Both words give the same other mechanisms, another NoiseCurve, and no third word is known."""
    scenario = Scenario(horizon=12, bands=3, mechanisms=("bisr", "noisecurve"))
    recipe, solved = (mechanisms_of(scenario, word) for word in ("recipe", "solved"))
    assert recipe[0] is solved[0]
    assert np.abs(recipe[1].strategy_matrix() - solved[1].strategy_matrix()).max() > 1e-6
    with pytest.raises(InputError, match="recipe, solved"):
        mechanisms_of(scenario, "adam")


def test_damage_is_the_covariance_carried_through_the_steps():
    """½ tr(H Cov e_T) by propagating each unit of step noise through heavy ball, step by step."""
    scenario = Scenario(horizon=12, bands=3, mechanisms=("iid", "bisr"))
    mechanisms = mechanisms_of(scenario, "solved")
    lam, steps, mu = np.array([2.0, 0.1]), np.linspace(0.5, 0.1, 12), 0.7
    expected = []
    for mechanism in mechanisms:
        total = 0.0
        for value in lam:
            ends = []
            for kick in np.eye(12):
                error, buffer = 0.0, 0.0
                for step, push in zip(steps, kick, strict=True):
                    buffer = mu * buffer + value * error + push
                    error = error - step * buffer
                ends.append(error)
            total += 0.5 * value * np.array(ends) @ mechanism.covariance @ np.array(ends)
        expected.append(total)
    assert quadratic_damage(mechanisms, lam, steps, mu) == pytest.approx(expected, rel=1e-10)
