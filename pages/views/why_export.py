"""The data of the charts of "Why it flips" as one long table."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momentdp_core.errors import FloatArray
from pages.views.export import Columns
from pages.views.why import Pair
from pages.views.why_charts import charts_view

COLUMNS = ("chart", "quantity", "mechanism", "mode", "x", "x_end", "value")
_Row = tuple[str, str, str, int, float | None, float | None, float]


def pair_columns(pair: Pair, mode: int | None, seed: int) -> Columns:
    """Return what the charts show of a pair, one row a number, in full precision.

    x counts steps (response, sample), lags (covariance) or cycles per step (spectrum, damage);
    x_end is the upper edge of a band of frequencies. mode counts from 1 and is 0 where a row
    belongs to no single mode; mechanism is empty where it belongs to none.

    Args:
        pair: the two mechanisms at one swept value.
        mode: whose impulse response to give, counted from 0; None for all.
        seed: of the sample of the noise.
    """
    rows = list(_rows(pair, mode, seed))
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def _rows(pair: Pair, mode: int | None, seed: int) -> Iterator[_Row]:
    view = charts_view(pair, mode, seed)
    if view.filter is not None:
        for shown, response in zip(view.filter.modes, view.filter.response, strict=True):
            yield from _series("response", "error", response, mode=shown + 1)
    for n, key in enumerate(view.keys):
        yield from _series("covariance", "covariance", view.noise.covariance[n], key)
        yield from _series("sample", "noise", view.noise.noise[n], key)
        yield from _series("sample", "running_sum", view.noise.total[n], key)
    if view.spectrum is not None and pair.frequencies is not None:
        spectrum, places = view.spectrum, pair.frequencies.frequencies
        for n, key in enumerate(view.keys):
            yield from _series("spectrum", "noise_power", spectrum.power[n], key, places=places)
        yield from _series("spectrum", "squared_response", spectrum.response, places=places)
        low, high = spectrum.edges[:-1], spectrum.edges[1:]
        for n, key in enumerate(view.keys):
            for start, stop, value in zip(low, high, spectrum.heights[n], strict=True):
                yield (
                    *("damage", "damage_per_octave", key, 0),
                    *(float(start), float(stop), float(value)),
                )
    if view.modes is not None:
        for bar in view.modes.bars:
            for at, part in enumerate(bar.parts.tolist()):
                yield "modes", "damage", bar.key, at + 1, None, None, part


def _series(
    chart: str,
    quantity: str,
    values: FloatArray,
    mechanism: str = "",
    *,
    mode: int = 0,
    places: FloatArray | None = None,
) -> Iterator[_Row]:
    """Yield the points of a line, without those that have no place on its axis."""
    at = np.arange(len(values)) if places is None else places
    for x, value in zip(at.tolist(), values.tolist(), strict=True):
        if np.isfinite(value):
            yield chart, quantity, mechanism, mode, float(x), None, value
