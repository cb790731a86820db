"""How the optimizer changes which differentially private noise is best: the damage engine.

The names below are the public surface. They are loaded when first used, so that a program pays
only for what it calls.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from momentdp_core.atlas import CrossoverMap
    from momentdp_core.axes import AXIS_NAMES, MapAxis
    from momentdp_core.band_price import BandPrices, price_of_bands
    from momentdp_core.best import OptimalDesign, optimal_design
    from momentdp_core.best_curve import OptimalCurve, optimal_curve, optimal_curve_stages
    from momentdp_core.boundary import Boundary
    from momentdp_core.comparison import (
        EpsilonCrossing,
        EpsilonRegion,
        OptimizerComparison,
        compare_optimizers,
    )
    from momentdp_core.crossover import Crossover, Region
    from momentdp_core.curvature import SPECTRA, Curvature
    from momentdp_core.damage import damage_by_mode, final_damage, sweep, trajectory_damage
    from momentdp_core.design_as_own import own_design
    from momentdp_core.design_file import SavedDesign, load_design, save_design
    from momentdp_core.errors import InputError
    from momentdp_core.excess import ExcessLoss, epsilon_crossover, epsilon_sweep, excess_loss
    from momentdp_core.flips import Flip, flips_among, nearest_flips
    from momentdp_core.freedom import DesignFreedom, design_freedom
    from momentdp_core.mapping import damage_map, map_stages
    from momentdp_core.mechanisms import (
        FAMILIES,
        MECHANISMS,
        OWN_KEY,
        POOL,
        Mechanism,
        OwnMechanism,
        design,
        noisecurve_recipe,
        own_mechanism,
        solve,
    )
    from momentdp_core.noise import noise_autocovariance, noise_memory, sample_noise
    from momentdp_core.optimizers import OPTIMIZERS, HeavyBall
    from momentdp_core.participation import Sensitivity, sensitivity
    from momentdp_core.privacy import gaussian_delta, gaussian_epsilon, noise_multiplier
    from momentdp_core.ranges import RangeDesign, range_design
    from momentdp_core.ranking import (
        difference,
        kendall_tau,
        pairwise_accuracy,
        ranks,
        regret,
        selection_regret,
        top_one,
    )
    from momentdp_core.scenario import Scenario
    from momentdp_core.schedules import SCHEDULES, Schedule
    from momentdp_core.scores import MechanismScores, mechanism_scores
    from momentdp_core.simulate import SimulatedDamage, simulate_damage
    from momentdp_core.spectrum import (
        FlipExplanation,
        FrequencyView,
        explain_pair,
        frequency_view,
    )
    from momentdp_core.stability import growth_over_schedule
    from momentdp_core.study import Study, evaluate
    from momentdp_core.suppression import noise_suppression
    from momentdp_core.transfer import impulse_response
    from momentdp_core.unknowns import Unknowns, design_for
    from momentdp_core.workload import workload_factor

_HOME = {
    "comparison": (
        "EpsilonCrossing",
        "EpsilonRegion",
        "OptimizerComparison",
        "compare_optimizers",
    ),
    "band_price": ("BandPrices", "price_of_bands"),
    "best": ("OptimalDesign", "optimal_design"),
    "best_curve": ("OptimalCurve", "optimal_curve", "optimal_curve_stages"),
    "atlas": ("CrossoverMap",),
    "axes": ("AXIS_NAMES", "MapAxis"),
    "boundary": ("Boundary",),
    "crossover": ("Crossover", "Region"),
    "curvature": ("SPECTRA", "Curvature"),
    "damage": ("damage_by_mode", "final_damage", "sweep", "trajectory_damage"),
    "design_as_own": ("own_design",),
    "design_file": ("SavedDesign", "load_design", "save_design"),
    "errors": ("InputError",),
    "excess": ("ExcessLoss", "epsilon_crossover", "epsilon_sweep", "excess_loss"),
    "flips": ("Flip", "flips_among", "nearest_flips"),
    "freedom": ("DesignFreedom", "design_freedom"),
    "mapping": ("damage_map", "map_stages"),
    "mechanisms": (
        "FAMILIES",
        "MECHANISMS",
        "OWN_KEY",
        "POOL",
        "Mechanism",
        "OwnMechanism",
        "design",
        "noisecurve_recipe",
        "own_mechanism",
        "solve",
    ),
    "noise": ("noise_autocovariance", "noise_memory", "sample_noise"),
    "optimizers": ("OPTIMIZERS", "HeavyBall"),
    "participation": ("Sensitivity", "sensitivity"),
    "privacy": ("gaussian_delta", "gaussian_epsilon", "noise_multiplier"),
    "ranges": ("RangeDesign", "range_design"),
    "ranking": (
        "difference",
        "kendall_tau",
        "pairwise_accuracy",
        "ranks",
        "regret",
        "selection_regret",
        "top_one",
    ),
    "scenario": ("Scenario",),
    "schedules": ("SCHEDULES", "Schedule"),
    "scores": ("MechanismScores", "mechanism_scores"),
    "simulate": ("SimulatedDamage", "simulate_damage"),
    "spectrum": ("FlipExplanation", "FrequencyView", "explain_pair", "frequency_view"),
    "stability": ("growth_over_schedule",),
    "study": ("Study", "evaluate"),
    "suppression": ("noise_suppression",),
    "transfer": ("impulse_response",),
    "unknowns": ("Unknowns", "design_for"),
    "workload": ("workload_factor",),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "AXIS_NAMES",
    "FAMILIES",
    "MECHANISMS",
    "OPTIMIZERS",
    "OWN_KEY",
    "POOL",
    "SCHEDULES",
    "SPECTRA",
    "BandPrices",
    "Boundary",
    "Crossover",
    "CrossoverMap",
    "Curvature",
    "DesignFreedom",
    "EpsilonCrossing",
    "EpsilonRegion",
    "ExcessLoss",
    "Flip",
    "FlipExplanation",
    "FrequencyView",
    "HeavyBall",
    "InputError",
    "MapAxis",
    "Mechanism",
    "MechanismScores",
    "OptimalCurve",
    "OptimalDesign",
    "OptimizerComparison",
    "OwnMechanism",
    "RangeDesign",
    "Region",
    "SavedDesign",
    "Scenario",
    "Schedule",
    "Sensitivity",
    "SimulatedDamage",
    "Study",
    "Unknowns",
    "compare_optimizers",
    "damage_by_mode",
    "damage_map",
    "design",
    "design_for",
    "design_freedom",
    "difference",
    "epsilon_crossover",
    "epsilon_sweep",
    "evaluate",
    "excess_loss",
    "explain_pair",
    "final_damage",
    "flips_among",
    "frequency_view",
    "gaussian_delta",
    "gaussian_epsilon",
    "growth_over_schedule",
    "impulse_response",
    "kendall_tau",
    "load_design",
    "map_stages",
    "mechanism_scores",
    "nearest_flips",
    "noise_autocovariance",
    "noise_memory",
    "noise_multiplier",
    "noise_suppression",
    "noisecurve_recipe",
    "optimal_curve",
    "optimal_curve_stages",
    "optimal_design",
    "own_design",
    "own_mechanism",
    "pairwise_accuracy",
    "price_of_bands",
    "range_design",
    "ranks",
    "regret",
    "sample_noise",
    "save_design",
    "selection_regret",
    "sensitivity",
    "simulate_damage",
    "solve",
    "sweep",
    "top_one",
    "trajectory_damage",
    "workload_factor",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value
