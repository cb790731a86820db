"""The mechanisms of the logistic study, with NoiseCurve as the paper's own recipe leaves it.

Appendix B.2 runs Adam for 1500 steps at T = 128, b = 16. Its objective is then well above what
can be reached, so NoiseCurve by the recipe and NoiseCurve as the solution of P1 are two different
mechanisms; Table 2 is about the first.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache

import numpy as np

from momentdp_core import cache
from momentdp_core.errors import FloatArray, InputError, check_choice, read_only
from momentdp_core.mechanisms import DesignProblem, Mechanism, SolverReport, noisecurve_recipe
from momentdp_core.mechanisms.noisecurve import response_factor, strategy_of_gram
from momentdp_core.mechanisms.structures import BandedStrategy
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import heavy_ball_response

RECIPE_STEPS = 1500
NOISECURVE = ("recipe", "solved")
# The recipe decomposes a T×T matrix 1500 times.
RECIPE_HORIZON = 256


def mechanisms_of(scenario: Scenario, noisecurve: str) -> tuple[Mechanism, ...]:
    """Return a scenario's mechanisms, NoiseCurve by the paper's recipe or as the solution of P1.

    Args:
        scenario: names them; NoiseCurve is designed on its curvature, rate and bands.
        noisecurve: "recipe" (Adam, 1500 steps) or "solved".

    Raises:
        InputError: another word, or the recipe at a horizon above 256.

    Source: MOMENT-DP (arXiv:2611.11457), Appendix B.2.

    >>> [m.key for m in mechanisms_of(Scenario(horizon=4, mechanisms=("iid",)), "solved")]
    ['iid']
    """
    check_choice("noisecurve", noisecurve, NOISECURVE)
    by_recipe = noisecurve == "recipe" and "noisecurve" in scenario.mechanisms
    if by_recipe and scenario.horizon > RECIPE_HORIZON:
        raise InputError(
            "horizon",
            scenario.horizon,
            f"at most {RECIPE_HORIZON} for NoiseCurve by the paper's recipe",
            'Use noisecurve="solved" for a longer one.',
        )
    return tuple(
        recipe_mechanism(_problem(scenario))
        if key == "noisecurve" and by_recipe
        else scenario.design(key)
        for key in scenario.mechanisms
    )


def _problem(scenario: Scenario) -> DesignProblem:
    return DesignProblem(
        horizon=scenario.horizon,
        bands=scenario.bands,
        eigenvalues=tuple(scenario.eigenvalues.tolist()),
        learning_rate=scenario.learning_rate,
    )


@lru_cache(maxsize=64)
def recipe_mechanism(problem: DesignProblem, steps: int = RECIPE_STEPS) -> Mechanism:
    """Return NoiseCurve by the paper's recipe, from the cache folder or by running it.

    Its steps amplify rounding, so that another processor may end with another, as good a matrix.

    Source: MOMENT-DP, Appendix B.2.

    >>> small = DesignProblem(horizon=4, bands=2, eigenvalues=(1.0,), learning_rate=0.1)
    >>> round(recipe_mechanism(small, 50).sensitivity, 9)
    1.0
    """
    name = {"key": "noisecurve_recipe", "steps": steps} | {
        field: list(value) if isinstance(value, tuple) else value
        for field, value in asdict(problem).items()
    }
    kept = cache.load(name)
    if kept is not None:
        values, arrays = kept
        strategy = BandedStrategy(bands=np.asfortranarray(arrays["bands"]))
        return Mechanism(key="noisecurve", strategy=strategy, report=SolverReport(**values))
    result = noisecurve_recipe(problem, steps=steps)
    rows = np.zeros((problem.bands, problem.horizon))
    for k in range(problem.bands):
        rows[k, : problem.horizon - k] = np.diagonal(result.gram, -k)
    strategy = strategy_of_gram(rows)
    report = SolverReport(objective=result.objective, iterations=result.steps, converged=False)
    cache.save(name, asdict(report), {"bands": strategy.bands})
    return Mechanism(key="noisecurve", strategy=strategy, report=report)


def recipe_shortfall(scenario: Scenario) -> float:
    """Return how far the recipe's objective is above our solution's, as a share of the latter.

    Source: MOMENT-DP, Appendix B.2: tr(Q X⁻¹), Q = VᵀMV.
    """
    problem = _problem(scenario)
    eigenvalues, rate = problem.need_quadratic()
    factor = response_factor(eigenvalues, rate, problem.horizon)
    pair = (recipe_mechanism(problem), scenario.design("noisecurve"))
    recipe, solved = (float((m.apply_noising(factor) ** 2).sum()) for m in pair)
    return recipe / solved - 1


def quadratic_damage(
    mechanisms: tuple[Mechanism, ...],
    eigenvalues: FloatArray,
    step_sizes: FloatArray,
    momentum: float,
) -> FloatArray:
    """Return ½ Σ_i λ_i ‖g_i C⁻¹‖² of each mechanism at σ = 1, shape (n,).

    The curvature need not be the one that the mechanisms or the steps were made for.

    Source: MOMENT-DP, Eq. (3).

    >>> one = Scenario(horizon=1, mechanisms=("iid",))
    >>> mechanisms = mechanisms_of(one, "solved")
    >>> quadratic_damage(mechanisms, np.array([2.0]), np.array([0.5]), 0.0).tolist()
    [0.25]
    """
    response = heavy_ball_response(eigenvalues, step_sizes, np.array([momentum]))[0]
    norms = [(m.apply_noising(response) ** 2).sum(axis=-1) for m in mechanisms]
    return read_only(0.5 * np.array(norms) @ eigenvalues)
