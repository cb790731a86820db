"""The identity grid: NoiseCurve's criterion is the damage at zero momentum and constant rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.curvature import Curvature
from momentdp_core.damage import final_damage
from momentdp_core.errors import FloatArray
from momentdp_core.experiments.grid import SPECTRA, name_of, scenarios
from momentdp_core.experiments.progress import Tell, nobody, part, steps
from momentdp_core.experiments.propagation import propagated_losses
from momentdp_core.experiments.verdicts import figures
from momentdp_core.scenario import Scenario

HORIZONS = (8, 32, 128)
IDENTITY_RATES = (0.05, 0.1, 0.3, 0.6)
# One mechanism of each family, and the optimised banded inverse, make eight.
EIGHT = (
    *("iid", "dense", "banded_mean", "toeplitz_mean"),
    *("bisr", "bandinv_mean", "lr_aware", "noisecurve"),
)
AGREEMENT = 1e-10


@dataclass(frozen=True, kw_only=True)
class IdentityGrid:
    """How far the three routes are apart, relatively, over the grid.

    Args:
        cases: number of configurations.
        agreeing: how many agree within 1e-10 in all three routes.
        worst_norm: criterion against the norm route.
        worst_contraction: criterion against the contraction route.
        worst_propagation: criterion against explicit covariance propagation.
        worst_case: settings of the largest of all.
        horizons, mechanisms: T and keys of what follows.
        worst_by: the largest discrepancy in any route at each horizon, of each mechanism.
        setting: the grid in words.
    """

    cases: int
    agreeing: int
    worst_norm: float
    worst_contraction: float
    worst_propagation: float
    worst_case: str
    horizons: tuple[int, ...]
    mechanisms: tuple[str, ...]
    worst_by: tuple[tuple[float, ...], ...]
    setting: str

    @property
    def worst(self) -> float:
        """The largest relative discrepancy of all."""
        return max(self.worst_norm, self.worst_contraction, self.worst_propagation)


def noisecurve_criterion(scenario: Scenario) -> FloatArray:
    """Return η²σ²/2 · tr(X⁻¹ VᵀMV) of each mechanism, X = CᵀC from its strategy matrix.

    V_ij = (1−ηλ_i)^{T−1−j}, M = diag(λ). Shape (n,).

    Source: MOMENT-DP, Eq. (5).

    >>> one_step = Scenario(horizon=1, learning_rate=1.0, mechanisms=("iid",))
    >>> value = noisecurve_criterion(one_step)[0] / one_step.noise_multiplier**2
    >>> bool(np.isclose(2 * value, one_step.eigenvalues.sum()))
    True
    """
    from scipy.linalg import cho_factor, cho_solve

    lam, horizon = scenario.eigenvalues, scenario.horizon
    rate = scenario.learning_rate / scenario.curvature.largest
    response = (1 - rate * lam)[:, None] ** np.arange(horizon)[::-1]
    load = response.T @ (lam[:, None] * response)
    values = []
    for key in scenario.mechanisms:
        strategy = scenario.design(key).strategy_matrix()
        factor = cho_factor(strategy.T @ strategy)
        values.append(float(np.trace(cho_solve(factor, load))))
    return 0.5 * (rate * scenario.noise_multiplier) ** 2 * np.array(values)


def identity_grid(
    *,
    horizons: tuple[int, ...] = HORIZONS,
    spectra: tuple[Curvature, ...] = SPECTRA,
    rates: tuple[float, ...] = IDENTITY_RATES,
    tell: Tell = nobody,
) -> IdentityGrid:
    """Evaluate the criterion and the damage by three routes in every configuration.

    Args:
        horizons, spectra, rates: of the grid.
        tell: told how far it is.

    Source: MOMENT-DP, Section 2.2 and Appendix B.3.

    >>> identity_grid(horizons=(4,), rates=(0.1,)).cases
    48
    """
    worst = [0.0, 0.0, 0.0]
    agreeing = cases = 0
    worst_case = ""
    worst_by = np.zeros((len(horizons), len(EIGHT)))
    for place, horizon in enumerate(horizons):
        given = scenarios(
            rates=rates,
            schedules=("constant",),
            spectra=spectra,
            mechanisms=EIGHT,
            horizon=horizon,
        )
        of_horizon = part(tell, place / len(horizons), (place + 1) / len(horizons))
        for scenario in steps(given, of_horizon, lambda s: f"T = {s.horizon}, {name_of(s)}"):
            gaps = _gaps(scenario)
            worst_by[place] = np.maximum(worst_by[place], gaps.max(axis=0))
            cases += gaps.shape[1]
            agreeing += int((gaps < AGREEMENT).all(axis=0).sum())
            if gaps.max() >= max(worst):
                key = EIGHT[int(np.argmax(gaps.max(axis=0)))]
                shape = scenario.curvature
                worst_case = (
                    f"{key}, T = {horizon}, {shape.family} κ = {shape.condition_number:g}, "
                    f"rate {scenario.learning_rate:g}"
                )
            worst = [max(w, float(g)) for w, g in zip(worst, gaps.max(axis=1), strict=True)]
    return IdentityGrid(
        cases=cases,
        agreeing=agreeing,
        worst_norm=worst[0],
        worst_contraction=worst[1],
        worst_propagation=worst[2],
        worst_case=worst_case,
        horizons=horizons,
        mechanisms=EIGHT,
        worst_by=tuple(tuple(row) for row in worst_by.tolist()),
        setting=(
            f"T in {figures(horizons, 'd')}; {len(spectra)} spectra; rates {figures(rates, 'g')}; "
            f"{', '.join(EIGHT)}"
        ),
    )


def _gaps(scenario: Scenario) -> FloatArray:
    criterion = noisecurve_criterion(scenario)
    covariances = np.array([scenario.design(key).covariance for key in scenario.mechanisms])
    losses = propagated_losses(
        eigenvalues=scenario.eigenvalues,
        step_sizes=scenario.step_sizes,
        momentum=0.0,
        covariances=covariances,
    )
    routes = np.array(
        [
            final_damage(scenario, [0.0], route="norm")[:, 0],
            final_damage(scenario, [0.0], route="contraction")[:, 0],
            losses[:, -1] * scenario.noise_multiplier**2,
        ]
    )
    return np.asarray(np.abs(routes / criterion - 1))
