"""Why a banded design falls behind: its damage with one assumption after the other dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.experiments.design_kinds import KINDS, LOWEST_CURVATURE
from momentdp_core.experiments.design_proof import chosen_means, pair_of
from momentdp_core.experiments.design_runs import (
    ConditionLosses,
    ProofSettings,
    condition_scenario,
    mechanism_of,
    mirrored,
    noise_scale,
)
from momentdp_core.experiments.logistic import UpdateRule, mechanism_noise, raw_noise, train
from momentdp_core.experiments.logistic_data import LogisticProblem
from momentdp_core.experiments.logistic_designs import quadratic_damage
from momentdp_core.experiments.logistic_runs import CONDITIONS
from momentdp_core.mechanisms import Mechanism
from momentdp_core.transfer import heavy_ball_response

SUBJECT = "banded"
# From the model a design is made in to what is really trained.
RUNGS = ("quadratic", "less curvature", "no clipping", "as trained")
CAUSES = {
    "quadratic": "its bands: it keeps too little past noise even for the quadratic it is made for",
    "less curvature": "curvature that is lower than assumed",
    "no clipping": "a loss that is no quadratic on the long way that noise carries it",
    "as trained": "clipping",
    "": "nothing: it does not fall behind",
}


@dataclass(frozen=True, kw_only=True)
class Reason:
    """A banded design, its remedies and the best published mechanism at one condition and rate.

    Args:
        condition, rate: where.
        rival: key of the best published mechanism there, on the choosing replicates.
        kinds: the banded kinds, the subject first.
        privacy: by kind, and by `rival`, the loss that noise adds on each rung of RUNGS.
        peak: the same keys, the largest damage on the way in the quadratic with the least
            curvature.
        rival_mean: the rival's mean excess loss.
        behind: by kind, the paired difference of the loss to the rival and its half-width.
    """

    condition: str
    rate: float
    rival: str
    kinds: tuple[str, ...]
    privacy: Mapping[str, tuple[float, ...]]
    peak: Mapping[str, float]
    rival_mean: float
    behind: Mapping[str, tuple[float, float]]

    @property
    def cause(self) -> str:
        """The rung on which the subject loses most ground to the rival; "" if it is not behind.

        Ground is the ratio of the two: on the first rung itself, then over the one before.
        """
        difference, half = self.behind[self.kinds[0]]
        if difference <= half:
            return ""
        pairs = zip(self.privacy[self.kinds[0]], self.privacy[self.rival], strict=True)
        # Noise may even help the rival: then no ratio is large enough.
        ratios = [max(a, 0.0) / b if b > 0 else np.inf for a, b in pairs]
        growth = [ratios[0], *(_growth(a, b) for a, b in pairwise(ratios))]
        return RUNGS[int(np.argmax(growth))]

    @property
    def mended(self) -> tuple[str, ...]:
        """The other kinds that are not worse than the rival, by their intervals."""
        rest = ((kind, *self.behind[kind]) for kind in self.kinds[1:])
        return tuple(kind for kind, difference, half in rest if difference <= half)


def _growth(before: float, after: float) -> float:
    if before == after:
        return 1.0
    return after / before if before > 0 else np.inf


def banded_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the banded ones, the subject first.

    >>> banded_kinds(["banded_range", "single", "banded"])
    ('banded', 'banded_range')
    """
    banded = [key for key in kinds if KINDS[key].banded]
    return tuple(sorted(banded, key=lambda key: key != SUBJECT))


def telling_rates(told: ConditionLosses, settings: ProofSettings) -> tuple[tuple[int, int], ...]:
    """Return the subject's best rate and that at which it falls behind most, each with its rival.

    All are chosen on the choosing replicates: (rate's place, the best published one's place).
    """
    means = chosen_means(told, settings)
    pool = means[:, : told.published]
    subject = means[:, told.mechanisms.index(SUBJECT)]
    places = sorted({int(subject.argmin()), int((subject / pool.min(axis=1)).argmax())})
    return tuple((at, int(pool[at].argmin())) for at in places)


def reason(
    problem: LogisticProblem, settings: ProofSettings, told: ConditionLosses, at: int, rival: int
) -> Reason:
    """Return the rungs from the quadratic to what was trained, at one rate.

    Quadratic: the damage on H_cal. Less curvature: on H_cal/4, which the steps are not made for.
    No clipping and as trained: what mirrored noise adds to the mean loss on the confirming
    replicates.

    Args:
        problem: the data.
        settings: of the study.
        told: its losses under this condition, at its first ε.
        at: place of the rate.
        rival: place of the published mechanism.

    Source: this project.
    """
    key, momentum = told.condition, CONDITIONS[told.condition].momentum
    scenario = condition_scenario(problem, settings, key, float(told.rates[at]), told.epsilon)
    names = (told.mechanisms[rival], *banded_kinds(settings.kinds))
    mechanisms = tuple(mechanism_of(scenario, momentum, name) for name in names)
    scale, steps = noise_scale(problem, scenario), scenario.step_sizes
    rungs = [
        scale**2 * quadratic_damage(mechanisms, share * problem.calibrated, steps, momentum)
        for share in (1.0, LOWEST_CURVATURE)
    ]
    dimension = problem.features.shape[1]
    raw = raw_noise(settings.seed, 2 * settings.replicates, problem.horizon, dimension)
    noise = mechanism_noise(mechanisms, scale, raw[:, list(settings.confirming)])
    shards = problem.shards[None]
    rule = UpdateRule(momentum=momentum)
    loss = np.empty(0)
    for clip in (False, True):
        _, loss = mirrored(problem, momentum, steps, noise, shards, clip=clip)
        still = problem.excess(train(problem, rule, steps, shards=shards, clip=clip))[0, 0, 0]
        rungs.append(loss.mean(axis=0) - still)
    low = LOWEST_CURVATURE * problem.calibrated
    return Reason(
        condition=key,
        rate=float(told.rates[at]),
        rival=names[0],
        kinds=names[1:],
        privacy={name: tuple(float(r[n]) for r in rungs) for n, name in enumerate(names)},
        peak={
            name: scale**2 * largest_damage(mechanism, low, steps, momentum)
            for name, mechanism in zip(names, mechanisms, strict=True)
        },
        rival_mean=float(loss[:, 0].mean()),
        behind={name: pair_of(loss[:, n], loss[:, 0]) for n, name in enumerate(names) if n},
    )


def largest_damage(
    mechanism: Mechanism, eigenvalues: FloatArray, step_sizes: FloatArray, momentum: float
) -> float:
    """Return max_t D^(t) of the quadratic at σ = 1: how far noise carries the path at most.

    Source: MOMENT-DP, Appendix A.3.

    >>> from momentdp_core.scenario import Scenario
    >>> one = Scenario(horizon=1, mechanisms=("iid",)).design("iid")
    >>> largest_damage(one, np.array([2.0]), np.array([0.5]), 0.0)
    0.25
    """
    horizon = len(step_sizes)
    noising = mechanism.noising_matrix()
    most = 0.0
    for t in range(1, horizon + 1):
        g = heavy_ball_response(eigenvalues, step_sizes[:t], np.array([momentum]))[0]
        most = max(most, 0.5 * float(((g @ noising[:t, :t]) ** 2).sum(axis=1) @ eigenvalues))
    return most
