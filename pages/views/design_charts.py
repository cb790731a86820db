"""What the Design page draws: damage along the sweep, every condition, the noise, and the bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from momentdp_core import BandPrices, Study
from momentdp_core.errors import FloatArray
from momentdp_core.transfer import impulse_response
from pages.views import words
from pages.views.design import DESIGN, Contest, beaten, multiple, name_of, rivals_called
from pages.views.swept import SweptParameter, swept_of

# Cells along each side of a drawn matrix, at most.
MOST_CELLS: Final = 128


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """Damage along the swept value; NaN where there is nothing to draw."""

    key: str
    label: str
    damage: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepChart:
    """Damage against the swept value, everything else as known.

    `low` and `high` are the ends of the range that was asked for; `places` and `best` the swept
    values at which the best possible damage is known, and that damage.
    """

    swept: SweptParameter
    values: FloatArray
    curves: tuple[Curve, ...]
    low: float
    high: float
    places: FloatArray
    best: FloatArray
    alt: str


def sweep_chart(found: Contest, study: Study) -> SweepChart:
    """Return the curves of the design and of the study's mechanisms, which are the same ones."""
    scenario, unknown = study.scenario, found.question.unknown
    swept = swept_of(scenario.optimizer)
    with np.errstate(over="ignore", invalid="ignore"):
        rows = impulse_response(scenario, study.values)
        rows = np.sqrt(scenario.eigenvalues)[:, None] * rows
        sums = (found.design.mechanism.apply_noising(rows) ** 2).sum(axis=(1, 2))
        own = 0.5 * found.design.noise_multiplier**2 * sums
    everything = np.vstack([own, study.damage])
    stable = study.stable.any(axis=0)
    drawn = np.where(stable & np.isfinite(everything) & (everything > 0), everything, np.nan)
    # The conditions of the range in which everything but the swept value is as known.
    known = [
        c
        for c, (other, _) in enumerate(found.design.conditions)
        if other.curvature == unknown.scenario.curvature
        and other.learning_rate == unknown.scenario.learning_rate
    ]
    least = int(np.nanargmin(found.score()))
    return SweepChart(
        swept=swept,
        values=study.values,
        curves=tuple(
            Curve(key=key, label=name_of(key), damage=row)
            for key, row in zip((DESIGN, *study.mechanisms), drawn, strict=True)
        ),
        low=unknown.low,
        high=unknown.high,
        places=np.array([found.design.conditions[c][1] for c in known]),
        best=found.best[known],
        alt=f"Damage of this design and of {len(study.mechanisms)} {rivals_called(found)} "
        f"mechanisms against {swept.name}. In the range asked for, {name_of(found.keys[least])} "
        "does least.",
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ConditionsChart:
    """Damage as a multiple of the best possible, by mechanism and condition.

    `times` has shape (n, conditions); `hover` says each condition; best rows first.
    """

    keys: tuple[str, ...]
    labels: tuple[str, ...]
    times: FloatArray
    hover: tuple[str, ...]
    alt: str


def conditions_chart(found: Contest) -> ConditionsChart:
    """Return every condition's point, the design on top and then by score."""
    order = [0, *(np.argsort(found.score()[1:], kind="stable") + 1).tolist()]
    times = np.maximum(found.times[order], 1.0)
    keys = tuple(found.keys[n] for n in order)
    lost = sum(beaten(found, n) > 0 for n in range(1, len(found.keys)))
    return ConditionsChart(
        keys=keys,
        labels=tuple(map(name_of, keys)),
        times=times,
        hover=tuple(found.label(c) for c in range(times.shape[1])),
        alt=f"Damage in each of {times.shape[1]} conditions as a multiple of the best possible. "
        f"This design: {multiple(times[0].min())} to {multiple(times[0].max())} times. "
        f"{lost} {rivals_called(found)} mechanisms do less than it somewhere.",
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseChart:
    """The design's matrices, a sample of its noise and its spectrum.

    `steps` are the steps that the matrices show; `matrices` C, C⁻¹ and K there.
    """

    steps: FloatArray
    matrices: tuple[FloatArray, FloatArray, FloatArray]
    sample: FloatArray
    independent: FloatArray
    frequencies: FloatArray
    power: FloatArray
    thinned: bool


def noise_chart(found: Contest, seed: int) -> NoiseChart:
    """Return the noise at σ = 1; the sample is C⁻¹Z, Z standard normal from NumPy's generator."""
    mechanism = found.design.mechanism
    horizon = mechanism.horizon
    shown = np.unique(np.linspace(0, horizon - 1, min(horizon, MOST_CELLS)).round().astype(int))
    noising = mechanism.noising_matrix()
    pair = np.ix_(shown, shown)
    draws = np.random.default_rng(seed).standard_normal(horizon)
    # Mean periodogram of the noise: the DFT of C⁻¹'s columns, squared and added up.
    power = (np.abs(np.fft.rfft(noising, axis=0)) ** 2).sum(axis=1) / horizon
    return NoiseChart(
        steps=shown + 1.0,
        matrices=(mechanism.strategy_matrix()[pair], noising[pair], mechanism.covariance[pair]),
        sample=noising @ draws,
        independent=draws,
        frequencies=np.asarray(np.fft.rfftfreq(horizon), dtype=np.float64),
        power=power,
        thinned=len(shown) < horizon,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PriceChart:
    """Damage of the best design against its bands, and what the noise of each costs."""

    prices: BandPrices
    ticks: tuple[str, ...]
    hover: tuple[str, ...]
    sentence: str
    alt: str


def price_chart(prices: BandPrices) -> PriceChart:
    """Return the curve with its knee in words."""
    knee = prices.knee
    told = "No number of bands brings so much of what is possible."
    if knee is not None:
        at = prices.bands.tolist().index(knee)
        told = (
            f"{knee} {'band brings' if knee == 1 else 'bands bring'} "
            f"{100 * prices.knee_share:.0f} % of what correlation can save: damage "
            f"{words.number(float(prices.damage[at]))} instead of "
            f"{words.number(prices.full_damage)} with the full design, which keeps "
            f"{prices.scenario.horizon - 1} past steps instead of {knee - 1}."
        )
    return PriceChart(
        prices=prices,
        ticks=tuple(f"{b}<br>{m}<br>{w}" for b, m, w in _columns(prices)),
        hover=tuple(
            f"{b} bands<br>memory: {m} floats a parameter<br>{w} multiply-adds a step"
            for b, m, w in _columns(prices)
        ),
        sentence=told,
        alt=f"Damage of the best design against its number of bands, for one condition. {told}",
    )


def _columns(prices: BandPrices) -> list[tuple[int, int, int]]:
    return list(
        zip(prices.bands.tolist(), prices.memory.tolist(), prices.work.tolist(), strict=True)
    )
