"""An independent Monte Carlo simulator: runs the optimizer on the quadratic with sampled noise.

Imports none of transfer, damage or optimizers, so that agreement with them means something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import check_integer
from momentdp_core.scenario import Scenario
from momentdp_core.updates import UPDATES


@dataclass(frozen=True, kw_only=True)
class SimulatedDamage:
    """A Monte Carlo estimate of a damage.

    Args:
        mean: average final loss over the runs.
        standard_error: of that average.
        runs: number of independent runs.
        seed: of the random generator.
    """

    mean: float
    standard_error: float
    runs: int
    seed: int


def simulate_damage(
    scenario: Scenario, mechanism: str, value: float, *, runs: int = 2000, seed: int = 0
) -> SimulatedDamage:
    """Estimate the final loss from privacy noise by running the training it describes.

    Per run and mode: z = C⁻¹ Z with Z_t ~ N(0, σ²), then the optimizer's update rule for
    t = 0 … T−1 from e = 0; the loss is ½ Σ_i λ_i e_i².

    Args:
        scenario: the problem.
        mechanism: key of MECHANISMS.
        value: of the optimizer's swept parameter.
        runs: independent runs, ≥ 2.
        seed: ≥ 0.

    Raises:
        InputError: a value is out of range.

    Source: MOMENT-DP, Eq. (2) and Appendix D ("independent validation").

    >>> simulate_damage(Scenario(horizon=4), "iid", 0.5, runs=10).runs
    10
    """
    swept = float(scenario.optimizer.check([value])[0])
    run = UPDATES[scenario.optimizer.key]
    count = check_integer("runs", runs, low=2)
    generator = np.random.default_rng(check_integer("seed", seed, low=0))
    lam = scenario.eigenvalues
    steps = scenario.step_sizes
    noising = scenario.design(mechanism).noising_matrix()
    scale = scenario.noise_scale(mechanism)
    losses = np.empty(count)
    batch = max(1, min(count, 2**22 // (len(steps) * len(lam))))
    for start in range(0, count, batch):
        size = min(batch, count - start)
        draws = generator.standard_normal((len(steps), size * len(lam)))
        noise = (noising @ draws).reshape(len(steps), size, len(lam)) * scale
        error = run(scenario.optimizer, swept, lam, steps, noise)
        losses[start : start + size] = 0.5 * (error**2) @ lam
    return SimulatedDamage(
        mean=float(losses.mean()),
        standard_error=float(losses.std(ddof=1) / np.sqrt(count)),
        runs=count,
        seed=seed,
    )
