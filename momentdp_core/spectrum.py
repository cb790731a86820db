"""Where damage comes from: by frequency of the noise, and by eigenmode of the Hessian."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.damage import damage_by_mode, squared_sensitivities
from momentdp_core.errors import FloatArray, InputError, read_only
from momentdp_core.scenario import Scenario
from momentdp_core.transfer import impulse_response

# The frequency view works on T×T matrices.
SPECTRUM_HORIZON_LIMIT = 4096


@dataclass(frozen=True, kw_only=True, eq=False)
class FrequencyView:
    """Noise, optimizer and damage by frequency, at one swept value; one-sided, F = ⌊T/2⌋+1.

    Args:
        frequencies: in cycles per step, 0 … ½, shape (F,).
        power: expected periodogram of each mechanism's step noise at σ = 1, (n, F); its mean over
            the two-sided spectrum is the mean variance of a step.
        response: the optimizer's squared response Σ_i λ_i |ĝ_i|²/2, shape (F,).
        damage: exact share of each frequency in the damage, (n, F); it adds up to D. A share can
            be negative, since the frequencies of a finite run are not independent.
        stationary: what stationary theory makes of it, σ² · response · power, (n, F).
        sides: how often the two-sided spectrum holds a frequency, 1 or 2, shape (F,); `response`,
            `damage` and `stationary` count both sides.
    """

    frequencies: FloatArray
    power: FloatArray
    response: FloatArray
    damage: FloatArray
    stationary: FloatArray
    sides: FloatArray

    @property
    def edges(self) -> FloatArray:
        """Ends of the bands that the frequencies stand for on a logarithmic axis, shape (F+1,).

        Halfway between neighbours, up to ½; frequency 0 is given the octave from 1/4T to 1/2T.
        """
        between = (self.frequencies[:-1] + self.frequencies[1:]) / 2
        last = self.frequencies[-1]
        # An odd T has no frequency ½: its last band is as wide on either side.
        end = 0.5 if last in (0.0, 0.5) else min(0.5, 2 * last - between[-1])
        first = between[0] if between.size else end
        return read_only(np.array([first / 2, *between, end]))

    @property
    def damage_per_octave(self) -> FloatArray:
        """Damage of each frequency over its band's octaves, (n, F): the area below it is D."""
        return read_only(self.damage / np.diff(np.log2(self.edges)))


def frequency_view(scenario: Scenario, value: float) -> FrequencyView:
    """Return the damage of each mechanism split by frequency, exactly, in the DFT basis.

    With ĝ = Fg (unitary DFT): g K gᵀ = Σ_f Re[conj(ĝ(f)) · F(gK)(f)] by Parseval, whatever the
    schedule. The stationary product |ĝ(f)|² · (F K F*)_ff leaves out how different frequencies of
    K act together; it is exact only in the limit of long runs at a constant rate.

    Args:
        scenario: the problem and its n mechanisms.
        value: of the swept parameter.

    Raises:
        InputError: T is above 4096, or the value is out of range.

    Source: theory of this project; MOMENT-DP, Eq. (3), in another basis.

    >>> view = frequency_view(Scenario(horizon=8, mechanisms=("iid",)), 0.5)
    >>> view.power.round(6).tolist()
    [[1.0, 1.0, 1.0, 1.0, 1.0]]
    """
    horizon = scenario.horizon
    if horizon > SPECTRUM_HORIZON_LIMIT:
        raise InputError(
            "horizon",
            horizon,
            f"at most {SPECTRUM_HORIZON_LIMIT} for the frequency view",
            "Use a shorter horizon to look at frequencies.",
        )
    rows = impulse_response(scenario, [value])[0]
    lam = scenario.eigenvalues
    rows, lam = rows[lam > 0], lam[lam > 0]
    unit = scenario.noise_multiplier**2
    # A one-sided spectrum counts every frequency twice but 0 and, for an even T, ½.
    sides = np.full(horizon // 2 + 1, 2.0)
    sides[0] = 1.0
    if horizon % 2 == 0:
        sides[-1] = 1.0
    spectrum = np.fft.rfft(rows, axis=-1) / np.sqrt(horizon)
    response = 0.5 * lam @ np.abs(spectrum) ** 2 * sides
    power, exact = [], []
    scales = unit * squared_sensitivities(scenario)
    for key, scale in zip(scenario.mechanisms, scales, strict=True):
        noising = scenario.design(key).noising_matrix()
        shape = np.fft.rfft(noising, axis=0)
        power.append((np.abs(shape) ** 2).sum(axis=1) / horizon)
        filtered = (rows @ noising) @ noising.T
        moved = np.fft.rfft(filtered, axis=-1) / np.sqrt(horizon)
        share = np.real(np.conj(spectrum) * moved)
        exact.append(0.5 * scale * (lam @ share) * sides)
    powers = np.array(power)
    return FrequencyView(
        frequencies=read_only(np.asarray(np.fft.rfftfreq(horizon), dtype=np.float64)),
        power=read_only(powers),
        response=read_only(response),
        damage=read_only(np.array(exact)),
        stationary=read_only(scales[:, None] * response * powers),
        sides=read_only(sides),
    )


@dataclass(frozen=True, kw_only=True)
class FlipExplanation:
    """Which frequencies and which mode decide between two mechanisms at one swept value.

    Args:
        better, worse: keys; `better` has less damage.
        gap: D_worse − D_better ≥ 0, loss units.
        frequency: the frequency, cycles per step, that splits the two: see `below_gap`.
        below_gap: D_worse − D_better from frequencies up to `frequency`.
        above_gap: the same from higher frequencies; of the other sign where the two trade places.
        band: first and last frequency of the shortest band, in octaves, that holds at least half of
            what sets the two apart, Σ_f |D_worse(f) − D_better(f)|.
        band_gap: D_worse − D_better from this band.
        band_share: its share of what sets them apart, ½ … 1; 0 where nothing does.
        mode: index of the eigenmode with the largest part in the gap.
        mode_gap: D_worse − D_better along that mode.
    """

    better: str
    worse: str
    gap: float
    frequency: float
    below_gap: float
    above_gap: float
    band: tuple[float, float]
    band_gap: float
    band_share: float
    mode: int
    mode_gap: float


def explain_pair(scenario: Scenario, value: float, first: str, second: str) -> FlipExplanation:
    """Return what decides between two mechanisms: the splitting frequency and the deciding mode.

    The splitting frequency maximises the difference between what is below and what is above it,
    so that one mechanism has the low and the other, if it has anything, the high frequencies.

    Args:
        scenario: the problem; both mechanisms must be keys of MECHANISMS.
        value: of the swept parameter.
        first, second: the two keys, different ones.

    Raises:
        InputError: the same key twice, or an unknown one.

    Source: theory of this project.

    >>> explain_pair(Scenario(horizon=32), 0.9, "iid", "dense").better
    'dense'
    """
    if first == second:
        raise InputError("second", second, f"another key than {first}", "Choose two mechanisms.")
    pair = replace(scenario, mechanisms=(first, second))
    view = frequency_view(pair, value)
    modes = damage_by_mode(pair, [value])[:, 0]
    totals = modes.sum(axis=-1)
    worse, better = (0, 1) if totals[0] > totals[1] else (1, 0)
    difference = view.damage[worse] - view.damage[better]
    below = np.cumsum(difference)
    split = int(np.argmax(np.abs(2 * below - below[-1])))
    first_place, last_place, share = shortest_band(difference, view.edges)
    by_mode = modes[worse] - modes[better]
    mode = int(np.argmax(by_mode))
    return FlipExplanation(
        better=pair.mechanisms[better],
        worse=pair.mechanisms[worse],
        gap=float(totals[worse] - totals[better]),
        frequency=float(view.frequencies[split]),
        below_gap=float(below[split]),
        above_gap=float(below[-1] - below[split]),
        band=(float(view.frequencies[first_place]), float(view.frequencies[last_place])),
        band_gap=float(difference[first_place : last_place + 1].sum()),
        band_share=share,
        mode=mode,
        mode_gap=float(by_mode[mode]),
    )


def shortest_band(difference: FloatArray, edges: FloatArray) -> tuple[int, int, float]:
    """Return the first and last place of the shortest band with half of Σ|difference|; its share.

    Args:
        difference: by frequency, shape (F,).
        edges: ends of the frequencies' bands, ascending and above 0, shape (F+1,).

    >>> shortest_band(np.array([0.0, 3.0, -3.0, 1.0]), np.array([1.0, 2.0, 4.0, 5.0, 6.0]))
    (2, 3, 0.5714285714285714)
    """
    sums = np.concatenate([[0.0], np.cumsum(np.abs(difference))])
    total, count = float(sums[-1]), len(difference)
    if total == 0:
        return 0, count - 1, 0.0
    # From each place on, the first one with which the band holds half; rounding must not hide it.
    wanted = sums[:-1] + (0.5 - 1e-12) * total
    last = np.searchsorted(sums[1:], wanted)
    starts = np.flatnonzero(last < count)
    ends = last[starts]
    octaves = np.log2(edges[ends + 1] / edges[starts])
    best = int(np.lexsort((sums[starts] - sums[ends + 1], octaves.round(9)))[0])
    start, stop = int(starts[best]), int(ends[best])
    return start, stop, float((sums[stop + 1] - sums[start]) / total)
