"""The full μ-sweep beside the plain way: python -m tests.benchmarks.sweep

101 momenta × 11 mechanisms at T = 128, d = 16. The plain way forms the block operator G of the
2d-dimensional state for each momentum and propagates each covariance through it. All run in one
process on one core.
"""

from __future__ import annotations

from tests.benchmarks._timing import one_core, report, timed

with one_core():
    import numpy as np

    from momentdp_core import Curvature, Scenario, evaluate, final_damage

MOMENTA = np.linspace(0, 0.99, 101)
SCENARIO = Scenario(curvature=Curvature(condition_number=10))


def operators(momenta: np.ndarray) -> list[np.ndarray]:
    """Form the block operator G, shape (d, T·d), for each momentum, step by step."""
    lam, steps = SCENARIO.eigenvalues, SCENARIO.step_sizes
    d = len(lam)
    hessian, eye = np.diag(lam), np.eye(d)
    formed = []
    for mu in momenta:
        blocks = []
        after = np.eye(2 * d)
        for eta in steps[::-1]:
            blocks.append((after @ np.vstack([-eta * eye, eye]))[:d])
            after = after @ np.block([[eye - eta * hessian, -eta * mu * eye], [hessian, mu * eye]])
        formed.append(np.hstack(blocks[::-1]))
    return formed


def as_written(momenta: np.ndarray, spreads: list[np.ndarray]) -> np.ndarray:
    """Propagate each full covariance K ⊗ I_d through G: Eq. (3) as it is written."""
    weights = 0.5 * SCENARIO.noise_multiplier**2 * SCENARIO.eigenvalues
    table = [
        [weights @ np.einsum("ij,ij->i", operator @ spread, operator) for spread in spreads]
        for operator in operators(momenta)
    ]
    return np.array(table).T


def by_blocks(momenta: np.ndarray) -> np.ndarray:
    """Do the same without writing K ⊗ I_d out: the best that forming G allows."""
    weights = 0.5 * SCENARIO.noise_multiplier**2 * SCENARIO.eigenvalues
    covariances = [SCENARIO.design(key).covariance for key in SCENARIO.mechanisms]
    d = len(weights)
    out = np.empty((len(covariances), len(momenta)))
    for m, operator in enumerate(operators(momenta)):
        rows = operator.reshape(d, -1, d).transpose(0, 2, 1).reshape(d * d, -1)
        for n, covariance in enumerate(covariances):
            moved = np.einsum("rt,rt->r", rows @ covariance, rows)
            out[n, m] = weights @ moved.reshape(d, d).sum(axis=1)
    return out


def main() -> None:
    """Time the ways and the parts of a study; check that they agree."""
    few, two = MOMENTA[::20], MOMENTA[[0, 100]]
    eye = np.eye(len(SCENARIO.eigenvalues))
    spreads = [np.kron(SCENARIO.design(key).covariance, eye) for key in SCENARIO.mechanisms]
    ours = timed(lambda: final_damage(SCENARIO, MOMENTA, route="contraction"), repeats=41)
    norm = timed(lambda: final_damage(SCENARIO, MOMENTA), repeats=7)
    whole = timed(lambda: evaluate(SCENARIO, MOMENTA), repeats=15)
    written = timed(lambda: as_written(two, spreads), repeats=3)
    blocks = timed(lambda: by_blocks(few), repeats=5)
    plain = written.median * len(MOMENTA) / len(two)
    blockwise = blocks.median * len(MOMENTA) / len(few)
    report(
        "μ-sweep, 101 momenta × 11 mechanisms, T = 128, d = 16",
        [
            ("contraction route", ours.median, plain / ours.median),
            ("norm route", norm.median, plain / norm.median),
            ("whole study: ranks, crossovers, regions", whole.median, plain / whole.median),
            ("G formed, K by blocks (6 momenta, scaled)", blockwise, plain / blockwise),
            ("G formed, K ⊗ I propagated (2 momenta, scaled)", plain, 1.0),
        ],
        "times the speed of the last line",
    )
    for name, columns, value in (
        ("K ⊗ I", ours.value[:, [0, 100]], written.value),
        ("blocks", ours.value[:, ::20], blocks.value),
    ):
        print(f"largest relative difference to {name}: {np.abs(columns / value - 1).max():.1e}")


if __name__ == "__main__":
    main()
