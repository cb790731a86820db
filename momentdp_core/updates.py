"""The optimizers' update rules as one would program them: what the simulator runs.

Written from the published algorithms, with histories in lists, and independent of the linear
systems in `optimizers`, so that agreement between the two means something.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from momentdp_core.errors import FloatArray

# From the optimizer's fixed parameters, the swept value, λ (d,), η_t (T,) and the step noise
# (T, runs, d): the error that is read out after the last step, (runs, d), from a start at 0.
Run = Callable[[Any, float, FloatArray, FloatArray, FloatArray], FloatArray]


def _momentum(lam: FloatArray, steps: FloatArray, noise: FloatArray, mu: float) -> list[FloatArray]:
    error, buffer, path = np.zeros(noise.shape[1:]), np.zeros(noise.shape[1:]), []
    for step, kick in zip(steps, noise, strict=True):
        buffer = mu * buffer + lam * error + kick
        error = error - step * buffer
        path.append(error)
    return path


def _heavy_ball(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    return _momentum(lam, steps, noise, value)[-1]


def _nesterov(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    error, buffer = np.zeros(noise.shape[1:]), np.zeros(noise.shape[1:])
    for step, kick in zip(steps, noise, strict=True):
        gradient = lam * error + kick
        buffer = value * buffer + gradient
        error = error - step * (gradient + value * buffer)
    return error


def _ema(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    error, average = np.zeros(noise.shape[1:]), np.zeros(noise.shape[1:])
    for t, (step, kick) in enumerate(zip(steps, noise, strict=True)):
        average = value * average + (1 - value) * (lam * error + kick)
        corrected = average / (1 - value ** (t + 1)) if fixed.bias_correction else average
        error = error - step * corrected
    return error


def _weight_decay(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    error, buffer = np.zeros(noise.shape[1:]), np.zeros(noise.shape[1:])
    for step, kick in zip(steps, noise, strict=True):
        gradient = lam * error + kick + fixed.decay * lam.max() * error
        buffer = value * buffer + gradient
        error = error - step * buffer
    return error


def _tail_average(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    path = _momentum(lam, steps, noise, value)
    length = max(1, int(np.ceil(fixed.fraction * len(path) - 1e-9)))
    return np.asarray(np.mean(path[-length:], axis=0))


def _weight_average(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    average = np.zeros(noise.shape[1:])
    for error in _momentum(lam, steps, noise, fixed.momentum):
        average = value * average + (1 - value) * error
    return average


def _filtered(
    lam: FloatArray,
    steps: FloatArray,
    noise: FloatArray,
    *,
    a: FloatArray | None = None,
    b: FloatArray | None = None,
    normalise: bool = False,
    beta: float = 0.0,
    window: int = 1,
    mu: float = 0.0,
) -> FloatArray:
    """Run per-sample momentum, the filter in direct form, and the outer buffer in a row."""
    a = np.zeros(0) if a is None else a
    b = np.ones(1) if b is None else b
    errors = [np.zeros(noise.shape[1:])]
    seen: list[FloatArray] = []
    outputs: list[Any] = []
    gains: list[Any] = []
    buffer = np.zeros(noise.shape[1:])
    for t, (step, kick) in enumerate(zip(steps, noise, strict=True)):
        length = min(window, t + 1)
        weights = beta ** np.arange(length)
        weights = weights / weights.sum()
        past = sum(w * e for w, e in zip(weights, errors[::-1][:length], strict=True))
        seen.append(lam * past + kick)
        outputs.append(_tap(a, b, outputs, seen))
        gains.append(_tap(a, b, gains, [1.0] * (t + 1)))
        filtered = outputs[-1] / gains[-1] if normalise else outputs[-1]
        buffer = mu * buffer + filtered
        errors.append(errors[-1] - step * buffer)
    return np.asarray(errors[-1])


def _tap(a: FloatArray, b: FloatArray, outputs: list[Any], inputs: list[Any]) -> Any:
    value = sum(b_r * inputs[-1 - r] for r, b_r in enumerate(b) if r < len(inputs))
    return value - sum(a_r * outputs[-1 - r] for r, a_r in enumerate(a) if r < len(outputs))


def _design(fixed: Any, cutoff: float) -> tuple[FloatArray, FloatArray]:
    if fixed.design == "first_order":
        pole = np.exp(-np.pi * cutoff)
        return np.array([-pole]), np.array([1 - pole])
    from scipy.signal import butter

    b, a = butter(fixed.order, cutoff)
    return np.asarray(a[1:]), np.asarray(b)


def _low_pass(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    a, b = _design(fixed, value)
    return _filtered(lam, steps, noise, a=a, b=b, normalise=fixed.normalise)


def _custom_filter(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    a, b = np.array(fixed.a), np.array(fixed.b)
    return _filtered(lam, steps, noise, a=a, b=b, normalise=fixed.normalise, mu=value)


def _per_sample(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    return _filtered(lam, steps, noise, beta=value, window=fixed.steps)


def _dp_pmlf(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    a, b = _design(fixed, value)
    return _filtered(
        lam, steps, noise, a=a, b=b, normalise=fixed.normalise, beta=fixed.beta, window=fixed.steps
    )


def _inner_outer(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    return _filtered(lam, steps, noise, beta=fixed.beta, window=fixed.steps, mu=value)


def _disk(
    fixed: Any, value: float, lam: FloatArray, steps: FloatArray, noise: FloatArray
) -> FloatArray:
    error, before = np.zeros(noise.shape[1:]), np.zeros(noise.shape[1:])
    estimate = np.zeros(noise.shape[1:])
    for step, kick in zip(steps, noise, strict=True):
        predicted = estimate + lam * (error - before)
        estimate = (1 - value) * predicted + value * (lam * error + kick)
        before, error = error, error - step * estimate
    return error


UPDATES: Mapping[str, Run] = MappingProxyType(
    {
        "heavy_ball": _heavy_ball,
        "nesterov": _nesterov,
        "ema": _ema,
        "weight_decay": _weight_decay,
        "tail_average": _tail_average,
        "weight_average": _weight_average,
        "lp_dpsgd": _low_pass,
        "filter": _custom_filter,
        "per_sample_momentum": _per_sample,
        "dp_pmlf": _dp_pmlf,
        "inner_outer": _inner_outer,
        "disk": _disk,
    }
)
