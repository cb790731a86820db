"""The kinds of design that are tried in real training: full or banded, and made for what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from momentdp_core.best import solve_factor
from momentdp_core.errors import check_choice
from momentdp_core.mechanisms import Mechanism
from momentdp_core.mechanisms.optimal_worst import stacked
from momentdp_core.ranges import path_criterion
from momentdp_core.scenario import Scenario
from momentdp_core.unknowns import Unknowns, design_for

# Clipping and p(1−p) < ¼ leave less curvature than XᵀX/4: from this share of it to all of it.
LOWEST_CURVATURE = 0.25
# How much the way counts beside the end, where both do.
TENTH, EVEN = 0.1, 1.0


@dataclass(frozen=True, kw_only=True)
class DesignKind:
    """One kind of design.

    Args:
        label: in words.
        banded: b bands, as the scenario has, or the full design.
        ranged: made for the curvature × ¼, ½, ¾ and 1, each relative to its own optimum, or for
            the assumed curvature alone.
        path_share: ρ, how much the mean damage over all steps counts beside the final one; None
            for the mean over all steps alone.
    """

    label: str
    banded: bool
    ranged: bool
    path_share: float | None = 0.0

    @property
    def offered(self) -> bool:
        """Whether `design_for` makes it, and so the Design page."""
        return self.path_share is not None


KINDS: Mapping[str, DesignKind] = MappingProxyType(
    {
        "single": DesignKind(label="Full, one curvature", banded=False, ranged=False),
        "range": DesignKind(label="Full, range of curvature", banded=False, ranged=True),
        "range_tenth": DesignKind(
            label="Full, range, way × 0.1", banded=False, ranged=True, path_share=TENTH
        ),
        "range_even": DesignKind(
            label="Full, range, way × 1", banded=False, ranged=True, path_share=EVEN
        ),
        "banded": DesignKind(label="Banded, one curvature", banded=True, ranged=False),
        "banded_range": DesignKind(label="Banded, range of curvature", banded=True, ranged=True),
        "banded_path": DesignKind(
            label="Banded, way alone", banded=True, ranged=False, path_share=None
        ),
        "banded_range_tenth": DesignKind(
            label="Banded, range, way × 0.1", banded=True, ranged=True, path_share=TENTH
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
    kind = KINDS[check_choice("key", key, KINDS)]
    # Nothing a design does not depend on, so that equal criteria are made once.
    known = replace(scenario, mechanisms=("iid",), bands=1)
    bands = min(scenario.bands, scenario.horizon) if kind.banded else None
    unknown = unknowns_of(known, momentum, ranged=kind.ranged)
    if kind.path_share is not None:
        return design_for(unknown, bands, path_share=kind.path_share).mechanism
    parts = [path_criterion(*condition) for condition in unknown.conditions()]
    scaled = [way / np.sqrt(floor) for way, floor in parts]
    return solve_factor(stacked(scaled, np.ones(len(scaled))), bands).mechanism()
