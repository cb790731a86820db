"""Closed forms: independent noise, the square root, its banded inverse, and the LR-aware root."""

from __future__ import annotations

import numpy as np

from momentdp_core import series
from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms.base import DesignProblem, Family, SolverReport
from momentdp_core.mechanisms.structures import Strategy, ToeplitzStrategy

# Entries of the schedule below this share of the peak are raised to it before the root is taken.
SCHEDULE_FLOOR = 1e-3


def _closed(strategy: ToeplitzStrategy) -> tuple[Strategy, SolverReport]:
    value = float(strategy.prefix_errors().mean())
    return strategy, SolverReport(
        objective=value, lower_bound=value, converged=bool(np.isfinite(value))
    )


def solve_iid(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Independent noise at every step: C = I (DP-SGD).

    >>> solve_iid(DesignProblem(horizon=3))[1].objective
    2.0
    """
    return _closed(ToeplitzStrategy(steps=problem.horizon, strategy=np.ones(1)))


def solve_sqrt(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """The square root of the prefix sum: C = A^½, r_k = Π_{j≤k} (2j−1)/(2j), normalised.

    Source: Fichtenberger, Henzinger and Upadhyay (2023), Eq. (3); theory of this project.

    >>> round(solve_sqrt(DesignProblem(horizon=128))[1].objective, 9)
    5.996747374
    """
    root = series.square_root_of_sum(problem.horizon)
    return _closed(ToeplitzStrategy(steps=problem.horizon, strategy=root))


def solve_bisr(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Banded inverse square root: C⁻¹ has the first b coefficients of A^−½, normalised.

    Source: Kalinin et al. (2026), "Back to square roots", the BISR construction.

    >>> round(solve_bisr(DesignProblem(horizon=128, bands=16))[1].objective, 9)
    6.208896945
    """
    noising = series.inverse_square_root_of_sum(problem.bands)
    return _closed(ToeplitzStrategy(steps=problem.horizon, noising=noising))


def solve_lr_aware(problem: DesignProblem) -> tuple[Strategy, SolverReport]:
    """Toeplitz square root of the schedule: C·C = Toeplitz(χ_0, χ_1, …), normalised.

    Entries of χ below 1e-3 of its peak are raised to it; an all-zero schedule counts as
    constant. With a constant schedule this is the square-root mechanism, and for χ_t = α^t its
    coefficients are α^k r_k. A schedule that starts far below its peak can have a root whose
    coefficients leave the numbers' range: the report then says converged=False, and the damage
    is +inf.

    Source: Kalinin and Andersson (2026), schedule-aware factorization; MOMENT-DP Appendix B.1.

    >>> constant = DesignProblem(horizon=4, multipliers=(1.0,) * 4)
    >>> root = solve_lr_aware(constant)[0].strategy_matrix()
    >>> bool(np.allclose(root, solve_sqrt(constant)[0].strategy_matrix()))
    True
    """
    chi = problem.need_multipliers()
    return _closed(ToeplitzStrategy(steps=problem.horizon, strategy=schedule_root(chi)))


def schedule_root(multipliers: FloatArray) -> FloatArray:
    """Return the power-series square root of the floored schedule, shape (T,).

    >>> schedule_root(np.array([1.0, 0.5, 0.25]))
    array([1.     , 0.25   , 0.09375])
    """
    peak = float(multipliers.max())
    if peak == 0:
        return series.square_root_of_sum(len(multipliers))
    floored = np.maximum(multipliers / peak, SCHEDULE_FLOOR)
    return series.square_root(floored, len(multipliers))


IID = Family(
    key="iid",
    label="IID Gaussian",
    description="Fresh, independent noise at every step: plain DP-SGD.",
    build=solve_iid,
)
SQRT = Family(
    key="sqrt",
    label="Square root",
    description="Square root of the prefix-sum matrix, all T coefficients.",
    build=solve_sqrt,
)
BISR = Family(
    key="bisr",
    label="BISR",
    description="Banded inverse square root: the noise mixes the last b draws with fixed weights.",
    depends_on=frozenset({"bands"}),
    build=solve_bisr,
)
LR_AWARE = Family(
    key="lr_aware",
    label="LR-aware",
    description="Square root of the schedule's Toeplitz matrix; poor where it starts very low.",
    depends_on=frozenset({"multipliers"}),
    build=solve_lr_aware,
)
