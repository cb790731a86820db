"""The kinds of design that are tried in real training: full or banded, for what, and by what loss.

A kind made for the loss at the end is what `design_for` makes, and so what the Design page offers;
the others weight the whole path of the training as well, or alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from momentdp_core.best import solve_factor
from momentdp_core.errors import FloatArray, check_choice, check_real
from momentdp_core.mechanisms import Mechanism
from momentdp_core.mechanisms.optimal import solve_optimal
from momentdp_core.scenario import Scenario
from momentdp_core.unknowns import Unknowns, design_for
from momentdp_core.workload import workload_factor

END, PATH, BOTH = "end", "path", "both"
# Clipping and p(1−p) < ¼ leave less curvature than XᵀX/4: from this share of it to all of it.
LOWEST_CURVATURE = 0.25
# Of a criterion's largest eigenvalue: what is smaller only costs the solver time.
NEGLIGIBLE = 1e-11


@dataclass(frozen=True, kw_only=True)
class DesignKind:
    """One kind of design.

    Args:
        label: in words.
        banded: b bands, as the scenario has, or the full design.
        ranged: made for the curvature × ¼, ½, ¾ and 1, each relative to its own optimum, or for
            the assumed curvature alone.
        counts: "end", the damage to the final loss; "path", to the mean loss over all steps;
            "both", the two as multiples of their own optima, in equal parts.
    """

    label: str
    banded: bool
    ranged: bool
    counts: str

    @property
    def offered(self) -> bool:
        """Whether `design_for` makes it."""
        return self.counts == END


def _kind(label: str, *, banded: bool, ranged: bool, counts: str = END) -> DesignKind:
    return DesignKind(label=label, banded=banded, ranged=ranged, counts=counts)


KINDS: Mapping[str, DesignKind] = MappingProxyType(
    {
        "single": _kind("Full, one curvature", banded=False, ranged=False),
        "range": _kind("Full, range", banded=False, ranged=True),
        "range_both": _kind("Full, range, end and path", banded=False, ranged=True, counts=BOTH),
        "banded": _kind("Banded, one curvature", banded=True, ranged=False),
        "banded_range": _kind("Banded, range", banded=True, ranged=True),
        "banded_path": _kind("Banded, path", banded=True, ranged=False, counts=PATH),
        "banded_range_path": _kind("Banded, range, path", banded=True, ranged=True, counts=PATH),
        "banded_range_both": _kind(
            "Banded, range, end and path", banded=True, ranged=True, counts=BOTH
        ),
    }
)


def unknowns_of(scenario: Scenario, momentum: float, *, ranged: bool) -> Unknowns:
    """Return what a design is made for: one momentum, and one curvature or a range of it.

    The damage of curvature cλ at rate η is that of λ at rate cη, divided by c; relative to each
    condition's optimum the two are one.

    >>> unknowns_of(Scenario(), 0.9, ranged=True).rate_shares
    (0.25, 0.5, 0.75, 1.0)
    """
    return Unknowns(
        scenario=scenario,
        low=momentum,
        high=momentum,
        lowest_rate=LOWEST_CURVATURE if ranged else 1.0,
    )


def design_kind(scenario: Scenario, momentum: float, key: str) -> Mechanism:
    """Return the design of one kind for heavy ball with momentum μ, sensitivity 1.

    Args:
        scenario: curvature, schedule, rate, horizon and bands.
        momentum: μ, 0 ≤ μ < 1.
        key: of KINDS.

    Raises:
        InputError: another key, or a momentum out of range.

    Source: theory of this project ("The best mechanism for an optimizer").

    >>> design_kind(Scenario(horizon=4, bands=2), 0.5, "banded_range").key
    'optimal_banded'
    """
    check_choice("key", key, KINDS)
    check_real("momentum", momentum, low=0, high=1, open_high=True)
    kind = KINDS[key]
    bands = min(scenario.bands, scenario.horizon) if kind.banded else None
    unknown = unknowns_of(scenario, momentum, ranged=kind.ranged)
    if kind.counts == END:
        return design_for(unknown, bands).mechanism
    even = np.full(scenario.horizon, 1 / scenario.horizon)
    criteria = (even,) if kind.counts == PATH else (None, even)
    factors = [
        _relative(workload_factor(condition, value, weights))
        for condition, value in unknown.conditions()
        for weights in criteria
    ]
    return solve_factor(_condensed(factors), bands).mechanism()


def _relative(factor: FloatArray) -> FloatArray:
    """Return a criterion as a multiple of its certified optimum."""
    bound = solve_optimal(factor)[1].bound
    return factor / np.sqrt(bound) if bound > 0 else factor


def _condensed(factors: list[FloatArray]) -> FloatArray:
    """Return one factor of few rows for the mean of the criteria."""
    rows = np.concatenate(factors) / np.sqrt(len(factors))
    values, vectors = np.linalg.eigh(rows.T @ rows)
    kept = values > NEGLIGIBLE * values[-1] if values[-1] > 0 else values == values[-1]
    return np.asarray(np.sqrt(np.maximum(values[kept], 0))[:, None] * vectors.T[kept])
