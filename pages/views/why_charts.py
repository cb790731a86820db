"""What the charts of "Why it flips" draw of a pair: noise, filter, frequencies and modes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from momentdp_core import (
    FrequencyView,
    damage_by_mode,
    impulse_response,
    noise_autocovariance,
    sample_noise,
)
from pages.views import words
from pages.views.sweep import FloatArray
from pages.views.why import Pair, mode_name

LAGS = 24


@dataclass(frozen=True, kw_only=True, eq=False)
class FilterView:
    """The optimizer step by step: `response` has one row for each mode shown."""

    modes: tuple[int, ...]
    response: FloatArray
    alt: str


@dataclass(frozen=True, kw_only=True, eq=False)
class NoiseView:
    """The noise step by step, whatever the optimizer; one row for a and one for b.

    `total` is the running sum of the sample `noise`.
    """

    covariance: FloatArray
    noise: FloatArray
    total: FloatArray
    covariance_alt: str
    sample_alt: str


@dataclass(frozen=True, kw_only=True, eq=False)
class SpectrumView:
    """Noise, filter and damage by frequency; NaN where a logarithmic axis has no place.

    `places` are the frequencies, with 0 put where a logarithmic axis can show it. `heights` are
    damage per octave between `edges`: the area below them is the damage.
    """

    places: FloatArray
    power: FloatArray
    response: FloatArray
    edges: FloatArray
    heights: FloatArray
    spectrum_alt: str
    damage_alt: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Bar:
    """One mechanism's damage, split by mode; `letter` is a, b or nothing.

    `scale` is below 1 for a bar so long that it is squeezed into the chart.
    """

    key: str
    label: str
    letter: str
    parts: FloatArray
    damage: float
    scale: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ModesView:
    """The stacked bars, least damage first; `most` is where the axis ends."""

    bars: tuple[Bar, ...]
    decider: int | None
    most: float
    alt: str


@dataclass(frozen=True, kw_only=True, eq=False)
class ChartsView:
    """Everything that is drawn of a pair; parts are missing where training is unstable."""

    setting: str
    keys: tuple[str, str]
    labels: tuple[str, str]
    eigenvalues: FloatArray
    shades: FloatArray
    noise: NoiseView
    filter: FilterView | None
    spectrum: SpectrumView | None
    modes: ModesView | None
    unstable_alt: str


def charts_view(pair: Pair, mode: int | None, seed: int) -> ChartsView:
    """Return what the charts draw of a pair.

    Args:
        pair: the two mechanisms at one swept value.
        mode: whose impulse response to show, counted from 0; None for all.
        seed: of the sample of the noise.
    """
    here = f"{pair.swept.symbol} = {words.setting(pair.value)}"
    drawn = pair.frequencies is not None and pair.found is not None
    return ChartsView(
        setting=words.setting(pair.value),
        keys=pair.keys,
        labels=(words.name(pair.keys[0]), words.name(pair.keys[1])),
        eigenvalues=pair.scenario.eigenvalues,
        shades=_shades(pair.scenario.eigenvalues),
        noise=_noise(pair, seed),
        filter=_filter(pair, mode, here) if drawn else None,
        spectrum=_spectrum(pair.frequencies, pair, here) if pair.frequencies else None,
        modes=_modes(pair, here) if drawn else None,
        unstable_alt=f"Nothing is drawn: training is unstable at {here}.",
    )


def _shades(eigenvalues: FloatArray) -> FloatArray:
    """Return 0 for the steepest mode to 1 for the flattest, on a logarithmic scale."""
    positive = eigenvalues[eigenvalues > 0]
    spread = np.log(positive.max() / positive.min())
    floored = np.maximum(eigenvalues, positive.min())
    shades = np.log(positive.max() / floored) / (spread if spread > 0 else 1.0)
    return np.where(eigenvalues > 0, shades, 1.0)


def _filter(pair: Pair, mode: int | None, here: str) -> FilterView:
    lam = pair.scenario.eigenvalues
    modes = tuple(range(len(lam))) if mode is None else (mode,)
    whose = "all modes" if mode is None else mode_name(lam, mode)
    return FilterView(
        modes=modes,
        response=impulse_response(pair.scenario, [pair.value])[0][list(modes)],
        alt=f"Effect of a unit of noise at each step on the final error, for {whose}, at {here}.",
    )


def _noise(pair: Pair, seed: int) -> NoiseView:
    scenario = pair.scenario
    noise = sample_noise(scenario, seed)
    covariance = noise_autocovariance(scenario, LAGS)
    names = " and ".join(words.name(key) for key in pair.keys)
    next_step = ""
    if covariance.shape[1] > 1:
        values = " and ".join(words.number(value) for value in covariance[:, 1])
        next_step = f" With the step after it: {values}."
    return NoiseView(
        covariance=covariance,
        noise=noise,
        total=np.cumsum(noise, axis=1),
        covariance_alt=f"Covariance of the middle step's noise with later steps, for {names}."
        f"{next_step}",
        sample_alt=f"One sample of the step noise and its running sum, seed {seed}, for {names}.",
    )


def _spectrum(view: FrequencyView, pair: Pair, here: str) -> SpectrumView:
    places = view.frequencies.copy()
    places[0] = np.sqrt(view.edges[0] * view.edges[1])  # the middle of its octave
    names = " and ".join(words.name(key) for key in pair.keys)
    totals = ", ".join(
        f"{words.name(key)} {words.number(damage)}"
        for key, damage in zip(pair.keys, pair.damage, strict=True)
    )
    return SpectrumView(
        places=places,
        power=_positive(view.power),
        response=_positive(view.response / view.sides),
        edges=view.edges,
        heights=view.damage_per_octave,
        spectrum_alt=f"Noise power by frequency of {names}, and the optimizer's squared response, "
        f"at {here}; all scales logarithmic.",
        damage_alt=f"Damage by frequency at {here}. The areas are the exact damages: {totals}.",
    )


def _positive(values: FloatArray) -> FloatArray:
    return np.where(values > 0, values, np.nan)


def _modes(pair: Pair, here: str) -> ModesView:
    study = pair.study
    at = study.at(pair.value)
    parts = damage_by_mode(study.scenario, [pair.value])[:, 0]
    order = [i for i in np.argsort(study.damage[:, at], kind="stable") if study.stable[i, at]]
    most = longest_bar([float(study.damage[i, at]) for i in order])
    letters = dict(zip(pair.keys, "ab", strict=True))
    bars = tuple(
        Bar(
            key=study.mechanisms[i],
            label=words.name(study.mechanisms[i]),
            letter=letters.get(study.mechanisms[i], ""),
            parts=parts[i],
            damage=float(study.damage[i, at]),
            scale=min(1.0, most / max(float(study.damage[i, at]), most)),
        )
        for i in order
    )
    decider = pair.found.mode if pair.found and not pair.tied else None
    who = "no mode decides"
    if decider is not None:
        who = f"{mode_name(pair.scenario.eigenvalues, decider)} decides between a and b"
    return ModesView(
        bars=bars,
        decider=decider,
        most=most,
        alt=f"Damage split by mode for {len(bars)} mechanisms at {here}; {who}. "
        + "; ".join(f"{bar.label} {words.number(bar.damage)}" for bar in bars),
    )


def longest_bar(sizes: Sequence[float]) -> float:
    """Return the longest bar to draw, of ascending sizes: one giant must not flatten the others."""
    middle = sizes[len(sizes) // 2]
    most = sizes[-1]
    if len(sizes) > 2 and most > 4 * middle > 0:
        most = max(2.5 * middle, max((s for s in sizes if s <= 4 * middle), default=0.0) * 1.2)
    return most if most > 0 else 1.0
