"""A design file as the reader's own mechanism: taken apart, checked, then as any other own one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from momentdp_core.design_file import SavedDesign, load_design
from momentdp_core.errors import FloatArray
from momentdp_core.mechanisms import OwnMechanism, own_mechanism
from momentdp_core.mechanisms.own import FROM_DESIGN
from momentdp_core.mechanisms.structures import ToeplitzStrategy


def own_design(
    source: str | Path | bytes | BinaryIO | SavedDesign, *, scale_columns: bool = False
) -> OwnMechanism:
    """Return the strategy of a design file as an own mechanism, however the file stores it.

    Args:
        source: a path, the file's bytes, an open binary file, or what `load_design` returned.
        scale_columns: give every column of C length 1.

    Raises:
        InputError: no such file, not a design, too large, or inconsistent.

    Source: schema of this project, version 1 (`momentdp_core.design_file`).

    >>> import io
    >>> from momentdp_core import Scenario, optimal_design, save_design
    >>> file = io.BytesIO()
    >>> save_design(optimal_design(Scenario(horizon=4), 0.5, bands=2), file)
    >>> own_design(file).mechanism.strategy_matrix().shape
    (4, 4)
    """
    design = source if isinstance(source, SavedDesign) else load_design(source)
    kind, values = _given(design)
    horizon = design.mechanism.horizon
    own = own_mechanism(kind, values, horizon=horizon, scale_columns=scale_columns)
    return replace(own, kind=FROM_DESIGN)


def _given(design: SavedDesign) -> tuple[str, FloatArray]:
    """Return the strategy as `own_mechanism` takes it; the shorter of two series stays short."""
    strategy = design.mechanism.strategy
    if not isinstance(strategy, ToeplitzStrategy):
        return "strategy", strategy.strategy_matrix()
    if strategy.noising is not None:
        return "noising_series", strategy.noising
    return "strategy_series", strategy.strategy_series
