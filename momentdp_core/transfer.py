"""Impulse responses g: what a unit of step-noise at step t does to each mode's error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from momentdp_core.errors import FloatArray
from momentdp_core.optimizers import LinearSystem
from momentdp_core.scenario import Scenario


def impulse_response(scenario: Scenario, values: object) -> FloatArray:
    """Return g_i[t], the effect on mode i's final error of a unit step-noise at step t.

    Uses the optimizer's fast recursion where there is one, else the generic adjoint routine.

    Args:
        scenario: the problem; T and d are its horizon and modes.
        values: swept parameter of the optimizer, shape (M,).

    Returns:
        g, shape (M, d, T). Unstable settings may overflow to ±inf or NaN.

    Raises:
        InputError: a swept value is out of range.

    Source: MOMENT-DP, Section 2.1 and Appendix A.1 (G_t = P Φ_{T,t+1} B_t), per eigenmode.

    >>> impulse_response(Scenario(horizon=2, learning_rate=0.5), [0.0])[0, 0]
    array([-0.25, -0.5 ])
    """
    optimizer = scenario.optimizer
    swept = optimizer.check(values)
    arguments = (scenario.eigenvalues, scenario.step_sizes, swept)
    with np.errstate(over="ignore", invalid="ignore"):
        if optimizer.key in FAST_RESPONSES:
            return FAST_RESPONSES[optimizer.key](*arguments)
        system = optimizer.system(eigenvalues=arguments[0], rates=arguments[1], values=arguments[2])
        return generic_response(system)


def generic_response(system: LinearSystem) -> FloatArray:
    """Return g of any linear system by the adjoint recursion.

    a ← readout; for t = T−1 … 0: g[t] = a·B_t, a ← A_tᵀ a. Shape (M, d, T).

    Source: MOMENT-DP Appendix A.1, unrolled from the last step.

    >>> from momentdp_core.optimizers import HeavyBall
    >>> one, half = np.ones(1), np.full(2, 0.5)
    >>> generic_response(HeavyBall().system(eigenvalues=one, rates=half, values=0 * one))[0, 0]
    array([-0.25, -0.5 ])
    """
    adjoint = np.zeros((system.size, *system.shape))
    adjoint[system.readout] = 1.0
    following = np.empty_like(adjoint)
    response = np.zeros((system.horizon, *system.shape))
    scratch = np.empty(system.shape)
    for t in range(system.horizon - 1, -1, -1):
        for row, coefficient in system.injection(t):
            response[t] += np.multiply(adjoint[row], coefficient, out=scratch)
        following.fill(0.0)
        for row, column, coefficient in system.transition(t):
            following[column] += np.multiply(adjoint[row], coefficient, out=scratch)
        adjoint, following = following, adjoint
    return np.moveaxis(response, 0, -1)


def heavy_ball_response(
    eigenvalues: FloatArray, step_sizes: FloatArray, momenta: FloatArray
) -> FloatArray:
    """Return g of heavy ball for all modes and momenta at once; λ may be (d,) or (M, d).

    a ← 1, g ← 0; for t = T−1 … 0: g ← −η_t a + μ g, g_i[t] = g, a ← a + λ_i g. Shape (M, d, T).

    Source: theory of this project (the adjoint of MOMENT-DP, Eq. (2)).

    >>> heavy_ball_response(np.ones(1), np.ones(2), np.array([0.5]))[0, 0]
    array([-0.5, -1. ])
    """
    horizon = len(step_sizes)
    mu = momenta[:, None]
    lam = np.broadcast_to(eigenvalues, (len(momenta), eigenvalues.shape[-1]))
    response = np.empty((horizon, *lam.shape))
    reach = np.ones(lam.shape)
    current = np.zeros(lam.shape)
    scratch = np.empty(lam.shape)
    for t in range(horizon - 1, -1, -1):
        np.multiply(current, mu, out=current)
        np.multiply(reach, step_sizes[t], out=scratch)
        np.subtract(current, scratch, out=current)
        response[t] = current
        np.multiply(current, lam, out=scratch)
        np.add(reach, scratch, out=reach)
    return np.moveaxis(response, 0, -1)


Response = Callable[[FloatArray, FloatArray, FloatArray], FloatArray]
FAST_RESPONSES: Mapping[str, Response] = MappingProxyType({"heavy_ball": heavy_ball_response})


def trajectory_responses(system: LinearSystem) -> Iterator[FloatArray]:
    """Yield, for t = 1 … T, the rows of G^(t): what each step's noise has done to e_t.

    Forward recursion on the response to an impulse at every step at once: memory O(M d T).

    Yields:
        shape (M, d, T), zero for steps that have not happened yet.

    Source: MOMENT-DP Appendix A.3.

    >>> from momentdp_core.optimizers import HeavyBall
    >>> one, half = np.ones(1), np.full(2, 0.5)
    >>> system = HeavyBall().system(eigenvalues=one, rates=half, values=0 * one)
    >>> [rows[0, 0].tolist() for rows in trajectory_responses(system)]
    [[-0.5, 0.0], [-0.25, -0.5]]
    """
    state = np.zeros((system.size, *system.shape, system.horizon))
    following = np.empty_like(state)
    for t in range(system.horizon):
        following.fill(0.0)
        for row, column, coefficient in system.transition(t):
            following[row] += np.asarray(coefficient)[..., None] * state[column]
        for row, coefficient in system.injection(t):
            following[row, :, :, t] += coefficient
        state, following = following, state
        yield state[system.readout].copy()  # the buffers are used again


def error_path(system: LinearSystem, start_error: FloatArray) -> Iterator[FloatArray]:
    """Yield, for t = 1 … T, the error e_t that is left of a starting error without any noise.

    Args:
        system: of the optimizer.
        start_error: e_0, shape (1,) or (d,).

    Yields:
        shape (M, d).

    >>> from momentdp_core.optimizers import HeavyBall
    >>> one, half = np.ones(1), np.full(2, 0.5)
    >>> system = HeavyBall().system(eigenvalues=one, rates=half, values=0 * one)
    >>> [float(error[0, 0]) for error in error_path(system, one)]
    [0.5, 0.25]
    """
    state = np.zeros((system.size, *system.shape))
    for part in system.start:
        state[part] = start_error
    for t in range(system.horizon):
        following = np.zeros_like(state)
        for row, column, coefficient in system.transition(t):
            following[row] += coefficient * state[column]
        state = following
        yield state[system.readout]
