"""NoiseCurve's solver beside the paper's Adam recipe: python -m tests.benchmarks.noisecurve

T = 128, b = 16, d = 16, one core, one run. Both reach for tr(QX⁻¹); the recipe is also given
credit for the objective it reached: how long our solver takes to get at least as low.
"""

from __future__ import annotations

from tests.benchmarks._timing import one_core, report, timed

with one_core():
    import numpy as np
    import scipy.optimize  # noqa: F401  (its import is not what is timed)

    from momentdp_core import Curvature, noisecurve_recipe, solve
    from momentdp_core.mechanisms import DesignProblem, noisecurve


def solve_with(iterations: int, parameters: dict[str, object]) -> float:
    """Return the objective after at most so many iterations."""
    kept = noisecurve.MAX_ITERATIONS
    noisecurve.MAX_ITERATIONS = iterations
    try:
        return float(solve("noisecurve", **parameters).report.objective)
    finally:
        noisecurve.MAX_ITERATIONS = kept


def main() -> None:
    """Time the design of two published conditions both ways."""
    for condition_number, rate in ((10.0, 0.1), (100.0, 0.2)):
        lam = Curvature(condition_number=condition_number).eigenvalues
        parameters = {
            "horizon": 128,
            "bands": 16,
            "eigenvalues": tuple(lam.tolist()),
            "learning_rate": rate,
        }
        problem = DesignProblem(**parameters)
        adam = timed(lambda p=problem: noisecurve_recipe(p, steps=2000), repeats=3)
        full = timed(lambda p=parameters: solve("noisecurve", **p), repeats=5)
        target = adam.value.objective
        enough = next(n for n in (10, 20, 40, 80, 160, 320) if solve_with(n, parameters) <= target)
        equal = timed(lambda n=enough, p=parameters: solve_with(n, p), repeats=5)
        fine = timed(lambda p=parameters: solve_with(200, p), repeats=5)
        report(
            f"κ = {condition_number:g}, ηλmax = {rate:g}",
            [
                (f"Adam, 2000 steps: {target:.5f}", adam.median, 1.0),
                (
                    f"ours, as designed: {full.value.report.objective:.5f}",
                    full.median,
                    adam.median / full.median,
                ),
                (f"ours, 200 iterations: {fine.value:.5f}", fine.median, adam.median / fine.median),
                (
                    f"ours, {enough} iterations: {equal.value:.5f}",
                    equal.median,
                    adam.median / equal.median,
                ),
            ],
            "times Adam's speed",
        )
        assert np.isfinite(full.value.report.objective)


if __name__ == "__main__":
    main()
