"""The independent simulator: agrees with the exact damage, and could disagree."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from momentdp_core import (
    Curvature,
    Scenario,
    Schedule,
    final_damage,
    simulate_damage,
)


@pytest.mark.parametrize(
    ("momentum", "family", "rate", "curvature"),
    [
        (0.0, "constant", 0.8, Curvature(condition_number=10)),
        (0.9, "cosine", 0.8, Curvature(condition_number=100)),
        (0.95, "warmup_cosine", 0.1, Curvature(family="spike")),
    ],
)
def test_simulation_agrees_within_four_standard_errors(momentum, family, rate, curvature):
    """Running the noisy training by Monte Carlo gives the exact damage, for every mechanism."""
    scenario = Scenario(
        horizon=48, curvature=curvature, learning_rate=rate, schedule=Schedule(family=family)
    )
    exact = final_damage(scenario, [momentum])[:, 0]
    for number, key in enumerate(scenario.mechanisms):
        estimate = simulate_damage(scenario, key, momentum, runs=4000, seed=number)
        assert abs(estimate.mean - exact[number]) < 4 * estimate.standard_error
        assert estimate.standard_error < 0.05 * exact[number]


def test_simulation_can_disagree():
    """The four standard errors tell a damage from one that is a tenth off."""
    scenario = Scenario(horizon=48, mechanisms=("dense",))
    exact = final_damage(scenario, [0.5])[0, 0]
    estimate = simulate_damage(scenario, "dense", 0.5, runs=20000, seed=1)
    assert abs(estimate.mean - 1.1 * exact) > 4 * estimate.standard_error


def test_the_simulator_is_independent():
    """The simulator's source imports none of transfer, damage or optimizers."""
    source = (Path(__file__).parents[1] / "momentdp_core" / "simulate.py").read_text()
    modules = {
        node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and node.module
    }
    assert modules
    for name in ("transfer", "damage", "optimizers", "study"):
        assert not any(name in module for module in modules)
