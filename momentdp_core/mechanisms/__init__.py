"""Correlated-noise mechanisms, one family a file, solved for any horizon and bands."""

from momentdp_core.mechanisms.adam_recipe import RecipeResult, noisecurve_recipe
from momentdp_core.mechanisms.base import DesignProblem, Family, Mechanism, SolverReport
from momentdp_core.mechanisms.own import OWN_KEY, OwnMechanism, own_mechanism
from momentdp_core.mechanisms.registry import FAMILIES, MECHANISMS, POOL, design, solve

__all__ = [
    "FAMILIES",
    "MECHANISMS",
    "OWN_KEY",
    "POOL",
    "DesignProblem",
    "Family",
    "Mechanism",
    "OwnMechanism",
    "RecipeResult",
    "SolverReport",
    "design",
    "noisecurve_recipe",
    "own_mechanism",
    "solve",
]
