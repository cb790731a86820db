"""The data of the private logistic regression: the paper's synthetic task, or a user's own rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from momentdp_core.curvature import Curvature
from momentdp_core.errors import FloatArray, InputError, check_integer, read_only

IntArray = NDArray[np.int64]

# One seed serves several purposes without using a number twice.
PURPOSES = ("data", "noise", "shards", "bootstrap", "tuning", "tuning shards", "simulation")
# F.1: variances of the features, evenly spaced in the exponent.
SMALLEST_VARIANCE, LARGEST_VARIANCE = 1e-2, 1e-1
PAPER_ROWS, PAPER_DIMENSION, PAPER_HORIZON, PAPER_CALIBRATION = 4096, 16, 128, 500
# Above these the study would no longer fit into a dashboard's seconds and memory.
LARGEST_ROWS, LARGEST_FEATURES, LARGEST_ENTRIES = 200_000, 256, 5_000_000
# Beyond this a squared norm loses the small features beside it.
LARGEST_VALUE = 1e6
# Margins held at once while a loss is averaged.
MARGIN_ENTRIES = 2**21
# Newton stops when its predicted gain is below rounding, or after this many steps.
NEWTON_STEPS, NEWTON_GAIN = 100, 1e-15


def streams(purpose: str, seed: int, count: int) -> list[np.random.Generator]:
    """Return generators that are independent over purposes, seeds and places in the list.

    More of them leave the first ones as they are.

    >>> a, b = (streams(purpose, 0, 1)[0].random() for purpose in PURPOSES[:2])
    >>> a == b
    False
    """
    start = check_integer("seed", seed, low=0)
    root = np.random.SeedSequence([PURPOSES.index(purpose), start])
    return [np.random.default_rng(child) for child in root.spawn(count)]


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticProblem:
    """A logistic regression cut into T disjoint shards of B rows, with what was calibrated for it.

    L(θ) = 1/N Σ_i log(1 + e^{x_i·θ}) − y_i x_i·θ over the N = T·B training rows, no ridge.

    Args:
        features: x, shape (N, d).
        labels: y in {0, 1}, shape (N,).
        shards: row numbers of each shard, shape (T, B); every row is in exactly one.
        calibration_features: rows that are not trained on and count as public, shape (N_cal, d).
        threshold: clipping norm C, the median per-example gradient norm at θ = 0, calibration rows.
        calibrated: eigenvalues of H_cal = XᵀX/(4 N_cal), calibration rows, largest first, (d,).
        full: eigenvalues of H_full = XᵀX/(4N), training rows, largest first, shape (d,).
        optimum: minimiser of L, shape (d,).
        optimal_loss: the infimum of L.
        attained: False when the classes can be separated, so that L has no minimiser.
        unused: rows of the given data that fit into no shard.
        source: what the data are, in words.
    """

    features: FloatArray
    labels: FloatArray
    shards: IntArray
    calibration_features: FloatArray
    threshold: float
    calibrated: FloatArray
    full: FloatArray
    optimum: FloatArray
    optimal_loss: float
    attained: bool
    unused: int = 0
    source: str

    @property
    def horizon(self) -> int:
        """T."""
        return len(self.shards)

    @property
    def shard_size(self) -> int:
        """B."""
        return int(self.shards.shape[1])

    @property
    def discrepancy(self) -> FloatArray:
        """λ(H_cal)/λ(H_full) − 1 of each eigenvalue of H_full above 0, shape (≤ d,)."""
        kept = self.full > 0
        return np.asarray(self.calibrated[kept] / self.full[kept] - 1)

    @property
    def largest_discrepancy(self) -> float:
        """Largest relative difference of an eigenvalue of H_cal from that of H_full."""
        return float(np.abs(self.discrepancy).max())

    def excess(self, parameters: FloatArray) -> FloatArray:
        """Return L(θ) − inf L for θ of shape (…, d)."""
        return mean_loss(self.features, self.labels, parameters) - self.optimal_loss

    def reshuffled(self, generator: np.random.Generator) -> IntArray:
        """Return another partition of the training rows into shards, shape (T, B)."""
        return generator.permutation(len(self.features)).reshape(self.shards.shape)


def mean_loss(features: FloatArray, labels: FloatArray, parameters: FloatArray) -> FloatArray:
    """Return 1/N Σ_i log(1 + e^{x_i·θ}) − y_i x_i·θ for θ of shape (…, d).

    >>> round(float(mean_loss(np.ones((1, 1)), np.ones(1), np.zeros(1))), 6)
    0.693147
    """
    flat = parameters.reshape(-1, parameters.shape[-1])
    out = -(flat @ (features.T @ labels)) / len(features)
    block = max(1, MARGIN_ENTRIES // len(features))
    for start in range(0, len(flat), block):
        margins = flat[start : start + block] @ features.T
        # log(1 + e^m) without overflow.
        terms = np.maximum(margins, 0) + np.log1p(np.exp(-np.abs(margins)))
        out[start : start + block] += terms.mean(axis=1)
    return np.asarray(out.reshape(parameters.shape[:-1]))


def paper_problem(
    seed: int = 0,
    *,
    dimension: int = PAPER_DIMENSION,
    rows: int = PAPER_ROWS,
    horizon: int = PAPER_HORIZON,
    calibration_rows: int = PAPER_CALIBRATION,
) -> LogisticProblem:
    """Return the paper's synthetic task, drawn anew from a seed.

    x_i ~ N(0, diag(s)), s = logspace(−2, −1, d); w* ~ N(0, I/d); y_i ~ Bernoulli(σ(x_i·w*)).
    Our choices where the paper is silent: the 500 calibration rows are drawn beside the 4096
    training rows; the shards are consecutive rows; every stream has its own child of the seed.

    Args:
        seed: ≥ 0, of the data.
        dimension: d ≥ 1.
        rows: N, a multiple of the horizon.
        horizon: T ≥ 1.
        calibration_rows: N_cal ≥ 1.

    Raises:
        InputError: a number out of range.

    Source: MOMENT-DP (arXiv:2611.11457), Appendix F.1 to F.4.

    >>> paper_problem(0).shards.shape
    (128, 32)
    """
    start = check_integer("seed", seed, low=0)
    d = check_integer("dimension", dimension, low=1, high=LARGEST_FEATURES)
    steps = check_integer("horizon", horizon, low=1)
    count = check_integer("rows", rows, low=steps, high=LARGEST_ROWS)
    kept = check_integer("calibration_rows", calibration_rows, low=1, high=LARGEST_ROWS)
    if count % steps:
        raise InputError("rows", count, f"a multiple of {steps}", "Shards have one common size.")
    generators = streams("data", start, 3)
    weights = generators[0].standard_normal(d) / np.sqrt(d)
    spread = np.sqrt(np.geomspace(SMALLEST_VARIANCE, LARGEST_VARIANCE, d))

    def draw(generator: np.random.Generator, size: int) -> tuple[FloatArray, FloatArray]:
        x = generator.standard_normal((size, d)) * spread
        chance = 1 / (1 + np.exp(-(x @ weights)))
        return x, (generator.random(size) < chance).astype(np.float64)

    x, y = draw(generators[1], count)
    x_cal, y_cal = draw(generators[2], kept)
    return assemble(
        features=x,
        labels=y,
        calibration=(x_cal, y_cal),
        horizon=steps,
        unused=0,
        source=f"synthetic, MOMENT-DP Appendix F.1, data seed {start}",
    )


def assemble(
    *,
    features: FloatArray,
    labels: FloatArray,
    calibration: tuple[FloatArray, FloatArray],
    horizon: int,
    unused: int,
    source: str,
) -> LogisticProblem:
    """Return the problem on prepared arrays: calibrate C and the curvature, find the optimum.

    Raises:
        InputError: no feature varies, or only one class among the training rows.
    """
    x_cal, y_cal = calibration
    if not (features.any() and x_cal.any()):
        raise InputError("X", "all zero", "at least one feature that is not 0", "Check the file.")
    if labels.min() == labels.max():
        raise InputError(
            "y", f"only {labels[0]:g}", "both classes in the training rows", "Give more rows."
        )
    # At θ = 0 the gradient of one example is (½ − y) x.
    norms = np.abs(0.5 - y_cal) * np.linalg.norm(x_cal, axis=1)
    threshold = float(np.median(norms))
    if threshold == 0:
        raise InputError(
            "X", "mostly zero rows", "rows with a feature", "The median gradient norm is 0."
        )
    optimum, attained = minimise(features, labels)
    shards = np.arange(len(features)).reshape(horizon, -1)
    shards.setflags(write=False)
    return LogisticProblem(
        features=read_only(features),
        labels=read_only(labels),
        shards=shards,
        calibration_features=read_only(x_cal),
        threshold=threshold,
        calibrated=upper_curvature(x_cal),
        full=upper_curvature(features),
        optimum=read_only(optimum),
        optimal_loss=float(mean_loss(features, labels, optimum)),
        attained=attained,
        unused=unused,
        source=source,
    )


def upper_curvature(features: FloatArray) -> FloatArray:
    """Return the eigenvalues of XᵀX/(4N), largest first: the Hessian at θ = 0, its upper bound.

    Source: MOMENT-DP, Appendix F.3.

    >>> upper_curvature(np.array([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [2.0, 0.5]
    """
    hessian = features.T @ features / (4 * len(features))
    return Curvature.from_hessian(hessian).eigenvalues


def minimise(features: FloatArray, labels: FloatArray) -> tuple[FloatArray, bool]:
    """Return (θ, attained): Newton's method with halved steps on L, from θ = 0.

    Where the classes can be separated L only tends to its infimum; the last θ is then as good as
    rounding allows and `attained` is False.

    >>> minimise(np.ones((4, 1)), np.array([0.0, 1.0, 1.0, 1.0]))[0].round(6).tolist()
    [1.098612]
    """
    from scipy.special import expit

    theta = np.zeros(features.shape[1])
    value = float(mean_loss(features, labels, theta))
    for _ in range(NEWTON_STEPS):
        chance = expit(features @ theta)
        gradient = features.T @ (chance - labels) / len(features)
        weighted = features * (chance * (1 - chance))[:, None]
        # Least squares: a flat direction of the data gets no step.
        step = np.linalg.lstsq(weighted.T @ features / len(features), gradient, rcond=1e-12)[0]
        if gradient @ step < NEWTON_GAIN:
            break
        scale, trial = 1.0, np.inf
        while scale > 1e-6 and trial >= value:
            trial = float(mean_loss(features, labels, theta - scale * step))
            scale /= 2
        if trial >= value:
            break
        theta, value = theta - 2 * scale * step, trial
    margins = (features @ theta) * (2 * labels - 1)
    return theta, bool(margins.min() < 0)
