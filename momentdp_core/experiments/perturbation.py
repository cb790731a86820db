"""How far the curvature may be wrong before the predicted ranking is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.damage import covariance_stack, sweep
from momentdp_core.errors import FloatArray
from momentdp_core.experiments.grid import SLICE_CONDITIONS, SLICE_SCHEDULES, name_of, scenarios
from momentdp_core.experiments.progress import Tell, nobody, steps
from momentdp_core.ranking import pairwise_accuracy, selection_regret, top_one
from momentdp_core.transfer import heavy_ball_response

SIZES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
PERTURBED_MOMENTA = (0.0, 0.5, 0.8, 0.9, 0.95)
PERTURBED_RATE = 0.1
REPEATS = 10
# Pairs nearer than this are left out of the second accuracy.
TOLD_APART = 0.10


@dataclass(frozen=True, kw_only=True)
class PerturbationCurve:
    """Quality of the ranking at each size of perturbation, averaged over conditions and draws.

    Args:
        kind: "signed" (each λ_i times 1 ± size) or "uniform" (1 + size·U(−1, 1)).
        sizes: relative size, 0 … 1.
        pairwise: pairwise accuracy.
        pairwise_error: standard error of it over the draws.
        pairwise_told: the same over pairs whose true damages differ by more than 10 %.
        top_one: share of conditions whose winner is still named.
        regret: mean relative regret of the first choice.
    """

    kind: str
    sizes: tuple[float, ...]
    pairwise: tuple[float, ...]
    pairwise_error: tuple[float, ...]
    pairwise_told: tuple[float, ...]
    top_one: tuple[float, ...]
    regret: tuple[float, ...]

    def at(self, size: float) -> int:
        """Return the place of a size."""
        return self.sizes.index(size)


@dataclass(frozen=True, kw_only=True)
class CurvaturePerturbation:
    """The curves of both kinds.

    Args:
        signed, uniform: one curve a kind.
        conditions: number of conditions.
        repeats: draws a size and condition.
        seed: of the draws.
        setting: in words.
    """

    signed: PerturbationCurve
    uniform: PerturbationCurve
    conditions: int
    repeats: int
    seed: int
    setting: str


def curvature_perturbation(
    *,
    seed: int = 0,
    repeats: int = REPEATS,
    sizes: tuple[float, ...] = SIZES,
    tell: Tell = nobody,
) -> CurvaturePerturbation:
    """Rank with perturbed eigenvalues and compare with the ranking of the true ones.

    The mechanisms stay what they are; only the score's λ is wrong. A size's draws are the same
    in every condition.

    Args:
        seed: ≥ 0.
        repeats: draws a size.
        sizes: relative sizes, 0 … 1.
        tell: told how far it is.

    Source: MOMENT-DP, Appendix E.4.

    >>> curvature_perturbation(repeats=1, sizes=(0.0,)).signed.pairwise
    (1.0,)
    """
    rows: dict[str, list[FloatArray]] = {"signed": [], "uniform": []}
    spectra = tuple(Curvature(condition_number=kappa) for kappa in SLICE_CONDITIONS)
    momenta = np.array(PERTURBED_MOMENTA)
    settings = list(scenarios(rates=(PERTURBED_RATE,), schedules=SLICE_SCHEDULES, spectra=spectra))
    for scenario in steps(settings, tell, name_of):
        truth, stack = sweep(scenario, momenta), covariance_stack(scenario)
        lam = scenario.eigenvalues
        for kind, found in rows.items():
            generator = np.random.default_rng(seed)
            table = np.empty((len(sizes), repeats, len(momenta), 4))
            for place, size in enumerate(sizes):
                for draw in range(repeats):
                    wrong = lam * (1 + size * _direction(kind, generator, len(lam)))
                    response = heavy_ball_response(wrong, scenario.step_sizes, momenta)
                    said = replace(stack, eigenvalues=wrong).contract(response)
                    for column in range(len(momenta)):
                        table[place, draw, column] = _quality(said[:, column], truth[:, column])
            found.append(table)
    curves = {kind: _curve(kind, sizes, np.array(found)) for kind, found in rows.items()}
    return CurvaturePerturbation(
        signed=curves["signed"],
        uniform=curves["uniform"],
        conditions=len(settings) * len(momenta),
        repeats=repeats,
        seed=seed,
        setting=(
            f"T = 128, d = 16, rate {PERTURBED_RATE}; momenta 0 to 0.95 of Table 1 × κ = 10, "
            f"100, 1000 × constant, cosine, warmup-cosine = {len(settings) * len(momenta)} "
            "conditions; pool of eleven; each λ_i times 1 ± size with a random sign"
        ),
    )


def _direction(kind: str, generator: np.random.Generator, modes: int) -> FloatArray:
    if kind == "signed":
        return generator.choice([-1.0, 1.0], modes)
    return generator.uniform(-1.0, 1.0, modes)


def _quality(said: FloatArray, truth: FloatArray) -> tuple[float, float, float, float]:
    first, second = np.triu_indices(len(truth), 1)
    low = np.minimum(truth[first], truth[second])
    apart = np.abs(truth[first] - truth[second]) > TOLD_APART * low
    right = (said[first] < said[second]) == (truth[first] < truth[second])
    return (
        pairwise_accuracy(said, truth),
        float(right[apart].mean()),
        float(top_one(said, truth)),
        selection_regret(said, truth),
    )


def _curve(kind: str, sizes: tuple[float, ...], tables: FloatArray) -> PerturbationCurve:
    """Average tables of shape (settings, sizes, draws, momenta, 4)."""
    means = tables.mean(axis=(0, 2, 3))
    draws = tables[..., 0].mean(axis=(0, 3))
    error = draws.std(axis=1, ddof=1) / np.sqrt(draws.shape[1]) if draws.shape[1] > 1 else 0 * draws
    pairwise, told, top, regret = means.T.tolist()
    return PerturbationCurve(
        kind=kind,
        sizes=sizes,
        pairwise=tuple(pairwise),
        pairwise_error=tuple(np.ravel(error).tolist()),
        pairwise_told=tuple(told),
        top_one=tuple(top),
        regret=tuple(regret),
    )
