"""What DP-PMLF says of its parts: per-sample momentum, the low-pass filter and its start-up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray, check_integer, check_real, check_vector, read_only
from momentdp_core.excess import variance_reduction
from momentdp_core.experiments.logistic import Filter, UpdateRule, per_example_gradients, train
from momentdp_core.experiments.logistic_data import IntArray, LogisticProblem, streams
from momentdp_core.optimizers.filters import designed_filter

BETAS, WINDOWS = (0.0, 0.3, 0.6, 0.9, 0.99, 0.999), (1, 2, 4, 8, 16)
CUTOFFS = (0.02, 0.05, 0.1, 0.2, 0.5)
# First outputs of the filter that are kept for a picture.
START = 24
# Two-sided 95 % of a normal distribution.
NORMAL_95 = 1.959964


@dataclass(frozen=True, kw_only=True, eq=False)
class SamplingReduction:
    """By how much a window of weighted gradients divides their variance; arrays (betas, windows).

    Args:
        betas, windows: β and k.
        formula: ρ² = (1+β)(1−β^k)/((1−β)(1+β^k)).
        simulated: one over the variance of the weighted mean of k independent unit gradients.
        low, high: its 95 % interval.
    """

    betas: FloatArray
    windows: IntArray
    formula: FloatArray
    simulated: FloatArray
    low: FloatArray
    high: FloatArray


def sampling_reduction(
    betas: Iterable[float] = BETAS,
    windows: Iterable[int] = WINDOWS,
    *,
    draws: int = 20_000,
    seed: int = 0,
) -> SamplingReduction:
    """Return ρ² by formula and by simulation: Σ_j w_j ξ_j, w_j = β^j/c_β, ξ independent, var 1.

    Args:
        betas: 0 ≤ β < 1.
        windows: k ≥ 1.
        draws: simulated averages, ≥ 2.
        seed: ≥ 0.

    Raises:
        InputError: a value is out of range.

    Source: DP-PMLF (arXiv:2511.08841), "Per-Sample Momentum".

    >>> sampling_reduction([0.5], [2], draws=100).formula.round(6).tolist()
    [[1.8]]
    """
    shares = check_vector("betas", list(betas), low=0)
    lengths = [check_integer("windows", k, low=1) for k in windows]
    count = check_integer("draws", draws, low=2)
    generator = streams("simulation", seed, 1)[0]
    formula = np.array([[variance_reduction(b, k) for k in lengths] for b in shares.tolist()])
    noise = generator.standard_normal((count, max(lengths)))
    simulated = np.empty_like(formula)
    for i, beta in enumerate(shares.tolist()):
        for j, k in enumerate(lengths):
            weights = beta ** np.arange(k)
            simulated[i, j] = 1 / np.var(noise[:, :k] @ (weights / weights.sum()), ddof=1)
    # A sample variance of n normal draws has the relative standard error √(2/(n−1)).
    width = NORMAL_95 * np.sqrt(2 / (count - 1))
    return SamplingReduction(
        betas=shares,
        windows=np.array(lengths),
        formula=read_only(formula),
        simulated=read_only(simulated),
        low=read_only(simulated * (1 - width)),
        high=read_only(simulated * (1 + width)),
    )


def reduction_on_task(
    problem: LogisticProblem,
    *,
    rate: float,
    beta: float = 0.9,
    window: int = 4,
    every: int = 8,
) -> FloatArray:
    """Return the measured ρ² at steps of a run: spread of ∇f_i(θ_t) over that of its window.

    Var_i[∇f_i(θ_t)] / Var_i[Σ_j w_j ∇f_i(θ_{t−j})] over all examples i, summed over coordinates.
    The formula takes the gradients of one example at successive models for independent; here they
    are nearly the same, so that little is gained.

    Args:
        problem: the task.
        rate: η > 0, constant; no noise.
        beta, window: of per-sample momentum.
        every: steps between two measurements, the first when the window is full.

    Source: DP-PMLF, "Per-Sample Momentum" and its assumption on the gradients' autocorrelation.

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> bool(reduction_on_task(paper_problem(0), rate=0.1, every=64).max() < 1.1)
    True
    """
    eta = check_real("rate", rate, low=0, open_low=True)
    length = check_integer("window", window, low=1, high=problem.horizon)
    steps = np.full(problem.horizon, eta / problem.calibrated[0])
    keep = range(problem.horizon + 1)
    rule = UpdateRule(beta=beta, window=length)
    path = train(problem, rule, steps, shards=problem.shards, keep=keep)[:, 0, 0]
    weights = beta ** np.arange(length)
    weights = weights / weights.sum()
    rows = np.arange(len(problem.features))
    out = []
    for t in range(length - 1, problem.horizon, check_integer("every", every, low=1)):
        past = [
            per_example_gradients(problem, path[t - j], rows, clip=False) for j in range(length)
        ]
        averaged = sum(w * gradients for w, gradients in zip(weights, past, strict=True))
        out.append(past[0].var(axis=0).sum() / np.asarray(averaged).var(axis=0).sum())
    return read_only(np.array(out))


@dataclass(frozen=True, kw_only=True, eq=False)
class FilterStudy:
    """First-order low-pass filters of F cut-offs: gain, noise, start-up; arrays (F,).

    Args:
        cutoffs: ω.
        gain_at_zero: |frequency response| at frequency 0; 1 keeps the mean of the signal.
        suppression: Γ = 1/Σ h_t², by which the variance of white noise is divided.
        suppression_by_frequency: one over the mean of |frequency response|².
        suppression_simulated: by filtering white noise.
        simulated_low, simulated_high: its 95 % interval over independent sequences.
        start_up_bias: 1 − the first output on a constant 1 without normalisation.
        largest_deviation: largest |output − 1| on a constant 1 with normalisation.
        output, output_from_rest: the first outputs on a constant 1 with and without
            normalisation, shape (F, START).
    """

    cutoffs: FloatArray
    gain_at_zero: FloatArray
    suppression: FloatArray
    suppression_by_frequency: FloatArray
    suppression_simulated: FloatArray
    simulated_low: FloatArray
    simulated_high: FloatArray
    start_up_bias: FloatArray
    largest_deviation: FloatArray
    output: FloatArray
    output_from_rest: FloatArray


def filter_study(
    cutoffs: Iterable[float] = CUTOFFS,
    *,
    design: str = "first_order",
    order: int = 1,
    steps: int = 4096,
    sequences: int = 4000,
    seed: int = 0,
) -> FilterStudy:
    """Return the filter's gain at frequency 0, its suppression of noise three ways, its start-up.

    H(f) = Σ b_r e^{−2πi f r} / (1 + Σ a_r e^{−2πi f r}); Σ_t h_t² = mean of |H|² (Parseval).

    Args:
        cutoffs: 0 < ω < 1.
        design, order: as for `designed_filter`.
        steps: length of the impulse response and of the grid of frequencies.
        sequences: simulated sequences of white noise.
        seed: ≥ 0.

    Raises:
        InputError: a value is out of range.

    Source: DP-PMLF (arXiv:2511.08841), "Low-Pass Filter" and "Initialization Bias Correction".

    >>> filter_study([0.5], steps=64, sequences=10).gain_at_zero.round(12).tolist()
    [1.0]
    """
    omegas = check_vector("cutoffs", list(cutoffs), low=1e-6)
    coefficients = designed_filter(design, order, omegas)
    noise = streams("simulation", seed, 1)[0]
    rows = []
    for n in range(len(omegas)):
        a, b = (tuple(float(c[n, 0]) for c in side) for side in (coefficients.a, coefficients.b))  # type: ignore[index]
        free = UpdateRule(a=a, b=b, normalise=False)
        impulse = _respond(free, np.eye(1, steps)[0])
        phase = np.exp(-2j * np.pi * np.outer(np.arange(steps) / steps, np.arange(len(b))))
        poles = np.exp(-2j * np.pi * np.outer(np.arange(steps) / steps, np.arange(1, len(a) + 1)))
        response = np.abs(phase @ b / (1 + poles @ a))
        # Long enough for what is left of the start to be below the simulation's error.
        length = int(np.flatnonzero(np.abs(impulse) > 1e-6 * np.abs(impulse).max())[-1]) + 1
        last = np.asarray(_respond(free, noise.standard_normal((length, sequences)))[-1])
        spread = NORMAL_95 * np.sqrt(2 / (sequences - 1))
        simulated = 1 / float(last.var(ddof=1))
        plain = _respond(free, np.ones(steps))
        normalised = _respond(UpdateRule(a=a, b=b), np.ones(steps))
        rows.append(
            (
                response[0],
                1 / float(impulse @ impulse),
                1 / float((response**2).mean()),
                simulated,
                simulated * (1 - spread),
                simulated * (1 + spread),
                1 - plain[0],
                np.abs(normalised - 1).max(),
                normalised[:START],
                plain[:START],
            )
        )
    table = [read_only(np.array(column)) for column in zip(*rows, strict=True)]
    names = list(FilterStudy.__dataclass_fields__)[1:]
    return FilterStudy(cutoffs=omegas, **dict(zip(names, table, strict=True)))


def _respond(rule: UpdateRule, inputs: FloatArray) -> FloatArray:
    """Return the filter's outputs for inputs along the first axis."""
    running = Filter(rule)
    return np.array([running.step(value) for value in inputs])
