"""Correlated-noise mechanisms, one family a file, solved for any horizon and bands."""

from momentdp_core.mechanisms.adam_recipe import RecipeResult, noisecurve_recipe
from momentdp_core.mechanisms.base import DesignProblem, Family, Mechanism, SolverReport
from momentdp_core.mechanisms.registry import MECHANISMS, POOL, design, solve

__all__ = [
    "MECHANISMS",
    "POOL",
    "DesignProblem",
    "Family",
    "Mechanism",
    "RecipeResult",
    "SolverReport",
    "design",
    "noisecurve_recipe",
    "solve",
]
