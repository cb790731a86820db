"""Private training of a logistic regression, vectorised over replicates and mechanisms.

One loop over the steps serves every optimizer: per-sample momentum before clipping, a filter and
a momentum buffer after the noise. The gradient of one example is a residual times its features,
so clipping it is clipping the residual.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from momentdp_core.errors import FloatArray, check_integer
from momentdp_core.experiments.logistic_data import IntArray, LogisticProblem, streams
from momentdp_core.mechanisms import Mechanism


@dataclass(frozen=True, kw_only=True)
class UpdateRule:
    """What happens to the gradients of one training run; the default is plain SGD.

    r̄_i = Σ_j w_j r_i(θ_{t−j}), w_j = β^j/c_β, j < k · g = 1/B Σ_i clip(r̄_i x_i, C) + z ·
    m_t = −Σ a_r m_{t−r} + Σ b_r g_{t−r}, m̂_t = m_t/c_{m,t} · v ← μ v + m̂ · θ ← θ − η_t v.

    Args:
        momentum: μ of the buffer, 0 ≤ μ < 1.
        beta: β of the per-sample weights, 0 ≤ β < 1.
        window: k ≥ 1; 1 is no per-sample momentum. The first steps take what there is.
        a: a_1 … of the filter.
        b: b_0 … of the filter; b_0 > 0.
        normalise: divide by c_{m,t}, the filter's response to a constant 1.

    Source: MOMENT-DP, Eq. (2); DP-PMLF (arXiv:2511.08841), section "Method".
    """

    momentum: float = 0.0
    beta: float = 0.0
    window: int = 1
    a: tuple[float, ...] = ()
    b: tuple[float, ...] = (1.0,)
    normalise: bool = True


class Filter:
    """The low-pass filter in direct form: remembers inputs and outputs, one `step` a time.

    >>> smooth = Filter(UpdateRule(a=(-0.5,), b=(0.5,)))
    >>> [float(smooth.step(1.0)) for _ in range(3)]
    [1.0, 1.0, 1.0]
    """

    def __init__(self, rule: UpdateRule) -> None:
        self.rule = rule
        self.plain = rule.a == () and rule.b == (1.0,)
        self.inputs: deque[Any] = deque(maxlen=len(rule.b))
        self.outputs: deque[Any] = deque(maxlen=max(1, len(rule.a)))
        self.ones: deque[float] = deque(maxlen=len(rule.b))
        self.gains: deque[float] = deque(maxlen=max(1, len(rule.a)))

    def step(self, value: Any) -> Any:
        """Return m̂_t for the input g_t."""
        if self.plain:
            return value
        out = self._tap(value, self.inputs, self.outputs)
        gain = self._tap(1.0, self.ones, self.gains)
        return out / gain if self.rule.normalise else out

    def _tap(self, value: Any, inputs: deque[Any], outputs: deque[Any]) -> Any:
        inputs.appendleft(value)
        out: Any = 0.0
        for coefficient, past in zip(self.rule.b, inputs, strict=False):
            out = out + coefficient * past
        for coefficient, past in zip(self.rule.a, outputs, strict=False):
            out = out - coefficient * past
        outputs.appendleft(out)
        return out


def train(
    problem: LogisticProblem,
    rule: UpdateRule,
    step_sizes: FloatArray,
    *,
    shards: IntArray | None,
    noise: FloatArray | None = None,
    clip: bool = True,
    keep: Sequence[int] = (),
    runs: int = 1,
) -> FloatArray:
    """Return θ after the kept steps of S × P training runs from θ = 0.

    Args:
        problem: the data, its clipping norm C and shard size B.
        rule: the optimizer.
        step_sizes: η_t, shape (T,), or (T, P) for one schedule each.
        shards: row numbers, shape (T, B) for all replicates or (S, T, B); None for the full batch.
        noise: z_t, shape (T, S, P, d); None for none.
        clip: whether each example's gradient is clipped to norm C.
        keep: steps after which θ is returned, increasing, 0 … T; only T if left out.
        runs: P where neither noise nor step sizes say it.

    Returns:
        shape (K, S, P, d); K = 1 if `keep` is left out.
    """
    steps = len(step_sizes)
    rates = step_sizes.reshape(steps, -1, 1)
    stacked = None if shards is None else shards.reshape(-1, *shards.shape[-2:])
    replicates = 1 if stacked is None else len(stacked)
    width = max(runs, rates.shape[1])
    if noise is not None:
        replicates, width = max(replicates, noise.shape[1]), max(width, noise.shape[2])
    wanted = tuple(keep) or (steps,)
    theta = np.zeros((replicates, width, problem.features.shape[1]))
    velocity: Any = 0.0
    filtering = Filter(rule)
    path = deque([theta], maxlen=rule.window)
    norms = np.linalg.norm(problem.features, axis=1)
    with np.errstate(divide="ignore"):
        caps = np.where(norms > 0, problem.threshold / norms, np.inf) if clip else None
    kept = [theta] if 0 in wanted else []
    for t in range(steps):
        chosen = np.arange(len(norms))[None] if stacked is None else stacked[:, t]
        gradient = _gradient(problem, rule, path, chosen, caps)
        if noise is not None:
            gradient = gradient + noise[t]
        velocity = rule.momentum * velocity + filtering.step(gradient)
        theta = theta - rates[t] * velocity
        path.appendleft(theta)
        if t + 1 in wanted:
            kept.append(theta)
    return np.array(kept)


def _gradient(
    problem: LogisticProblem,
    rule: UpdateRule,
    path: deque[FloatArray],
    chosen: IntArray,
    caps: FloatArray | None,
) -> FloatArray:
    """Return the mean of the clipped per-example gradients over chosen rows (1 or S, B)."""
    residuals = _residuals(problem, rule, path, chosen)
    if caps is not None:
        bound = caps[chosen][:, None]
        residuals = np.clip(residuals, -bound, bound)
    return np.asarray(residuals @ problem.features[chosen] / chosen.shape[1])


def _residuals(
    problem: LogisticProblem, rule: UpdateRule, path: deque[FloatArray], chosen: IntArray
) -> FloatArray:
    """Return r̄ = Σ_j w_j (σ(x·θ_{t−j}) − y) of the chosen rows, shape (S, P, B)."""
    from scipy.special import expit

    transposed = problem.features[chosen].transpose(0, 2, 1)
    weights = rule.beta ** np.arange(len(path))
    weights = weights / weights.sum()
    average = sum(w * expit(theta @ transposed) for w, theta in zip(weights, path, strict=True))
    return np.asarray(average) - problem.labels[chosen][:, None]


def per_example_gradients(
    problem: LogisticProblem, theta: FloatArray, rows: IntArray, *, clip: bool
) -> FloatArray:
    """Return the gradient of each chosen example at θ of shape (d,), clipped or not, (rows, d).

    clip(g) = g · min(1, C/‖g‖). Written by itself, so that the trainer can be checked against it.

    >>> from momentdp_core.experiments.logistic_data import paper_problem
    >>> problem = paper_problem(0)
    >>> g = per_example_gradients(problem, np.zeros(16), np.arange(4096), clip=True)
    >>> bool(np.linalg.norm(g, axis=1).max() <= problem.threshold * (1 + 1e-12))
    True
    """
    from scipy.special import expit

    x = problem.features[rows]
    gradients = (expit(x @ theta) - problem.labels[rows])[:, None] * x
    if not clip:
        return np.asarray(gradients)
    norms = np.linalg.norm(gradients, axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        factors = np.minimum(1.0, problem.threshold / norms)
    return np.asarray(gradients * factors)


def raw_noise(
    seed: int, replicates: int, horizon: int, dimension: int, *, purpose: str = "noise"
) -> FloatArray:
    """Return Z of each replicate, standard normal, shape (T, S, d).

    Replicate i has its own stream: more replicates leave the first ones as they are.

    >>> bool((raw_noise(0, 3, 2, 1)[:, :2] == raw_noise(0, 2, 2, 1)).all())
    True
    """
    count = check_integer("replicates", replicates, low=1)
    generators = streams(purpose, seed, count)
    draws = [generator.standard_normal((horizon, dimension)) for generator in generators]
    return np.stack(draws, axis=1)


def mechanism_noise(mechanisms: Sequence[Mechanism], scale: float, raw: FloatArray) -> FloatArray:
    """Return z_t = scale · (C_m⁻¹ Z)_t of each mechanism on the same Z, shape (T, S, n, d).

    scale = σC/B: the sum over a shard has sensitivity C (one example added or removed), its mean
    has C/B.

    Source: MOMENT-DP, Section 2.1 and Appendix F.2.
    """
    horizon, replicates, dimension = raw.shape
    out = np.empty((horizon, replicates, len(mechanisms), dimension))
    flat = raw.reshape(horizon, -1)
    for n, mechanism in enumerate(mechanisms):
        out[:, :, n] = scale * (mechanism.noising_matrix() @ flat).reshape(raw.shape)
    return out
