"""How much NoiseCurve's own criterion leaves open: a second design that it likes as well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray, InputError, read_only
from momentdp_core.lattice import DesignLattice, native_problem, second_design
from momentdp_core.mechanisms.noisecurve import response_factor
from momentdp_core.mechanisms.optimal import criterion
from momentdp_core.mechanisms.structures import BandedStrategy
from momentdp_core.places import REDESIGNED, judge_of, places_of
from momentdp_core.ranking import IntArray, ranks
from momentdp_core.study import Study

# Beyond this horizon a second design takes seconds.
LONGEST = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class DesignFreedom:
    """A second design of NoiseCurve beside the one of a study.

    Args:
        apart: by how much the two differ in NoiseCurve's own criterion, as a share.
        ratio: damage of the second design over that of the first, shape (M,); 1 where the numbers
            overflow or nothing is ranked.
        rank: what NoiseCurve's rank would be with the second design, shape (M,); 0 where there is
            no rank.
    """

    apart: float
    ratio: FloatArray
    rank: IntArray


def design_freedom(study: Study) -> DesignFreedom:
    """Return what another design does that NoiseCurve's criterion likes as well as the study's.

    Near its minimum tr(Q X⁻¹) is flat along many directions, to which damage under momentum is not
    blind. The second design is found from another start, the best banded strategy for prefix sums.

    Args:
        study: with NoiseCurve among its mechanisms and T ≤ 256.

    Raises:
        InputError: without NoiseCurve or another one beside it, or T > 256.

    Source: theory of this project ("Ranking"); MOMENT-DP, Appendix B.2 (problem P1).

    >>> from momentdp_core import Scenario, evaluate
    >>> found = design_freedom(evaluate(Scenario(horizon=32), [0.0, 0.9]))
    >>> bool(found.apart < 0.01), found.ratio.shape
    (True, (2,))
    """
    scenario = study.scenario
    if REDESIGNED not in study.mechanisms:
        raise InputError(
            "mechanisms", study.mechanisms, f"{REDESIGNED} among them", "Add it to the scenario."
        )
    if scenario.horizon > LONGEST:
        raise InputError("horizon", scenario.horizon, f"at most {LONGEST}", "Shorten the run.")
    rate, kappa = scenario.learning_rate, scenario.curvature.condition_number
    problem = native_problem(scenario, rate, kappa)
    second = second_design(problem)
    lattice = DesignLattice(rates=np.array([rate]), conditions=np.array([kappa]))
    lattice.designs[0, 0] = second
    row = study.mechanisms.index(REDESIGNED)
    other = judge_of(scenario, lattice).redesigned_at(places_of(scenario, values=study.values))
    ours = study.damage[row]
    told = (study.rank[row] > 0) & np.isfinite(other) & np.isfinite(ours) & (ours > 0)
    damage = np.where(study.rank > 0, study.damage, np.inf)
    damage[row] = np.where(told, other, damage[row])
    factor = response_factor(*problem.need_quadratic(), scenario.horizon)
    first = scenario.design(REDESIGNED).strategy
    assert isinstance(first, BandedStrategy)
    scores = [criterion(design, factor) for design in (first, second)]
    rank = ranks(damage)[row]
    rank.setflags(write=False)
    return DesignFreedom(
        apart=abs(scores[1] / scores[0] - 1),
        ratio=read_only(np.where(told, other, 1.0) / np.where(told, ours, 1.0)),
        rank=rank,
    )
