"""What "Why it flips" says about two mechanisms at one swept value: readouts and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from momentdp_core import (
    FlipExplanation,
    FrequencyView,
    InputError,
    Scenario,
    Study,
    explain_pair,
    frequency_view,
)
from pages.views import words
from pages.views.readout import Readout
from pages.views.sweep import FloatArray
from pages.views.swept import SweptParameter, swept_of

# Damages closer than this, relatively, are a tie: as for the ranks.
_TIE = 1e-9


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """Two mechanisms at one swept value, and what the engine finds out about them.

    `found` and `frequencies` are missing where training is unstable.
    """

    study: Study
    scenario: Scenario  # of the two alone
    value: float
    keys: tuple[str, str]
    damage: tuple[float, float]
    found: FlipExplanation | None
    frequencies: FrequencyView | None

    @property
    def swept(self) -> SweptParameter:
        """What is swept."""
        return swept_of(self.scenario.optimizer)

    @property
    def tied(self) -> bool:
        """Say whether both do the same damage."""
        return abs(self.damage[0] - self.damage[1]) <= _TIE * max(self.damage)


@dataclass(frozen=True, kw_only=True)
class PairView:
    """Everything the page says about a pair."""

    study: str
    setting: str
    readouts: tuple[Readout, ...]
    sentence: str


def scenario_of(scenario: Scenario, first: str, second: str | None) -> Scenario:
    """Return the scenario with the two mechanisms among those compared.

    Args:
        scenario: what the controls describe.
        first: key of a.
        second: key of b, None for the best other one.

    Raises:
        InputError: the same mechanism twice, or no other one to choose from.
    """
    if second == first:
        raise InputError(
            "b", words.name(first), "another mechanism than a", "Choose two different ones."
        )
    wanted = {first, second} - {None, *scenario.mechanisms}
    mechanisms = (*scenario.mechanisms, *sorted(key for key in wanted if key))
    if len(mechanisms) == 1:
        raise InputError(
            "number of mechanisms",
            1,
            "at least two",
            "Choose b here, or more mechanisms in the sidebar.",
        )
    return replace(scenario, mechanisms=mechanisms)


def pair_at(study: Study, value: float, first: str, second: str | None) -> Pair:
    """Return the pair at one swept value of the study's grid.

    Args:
        study: of `scenario_of`.
        value: one of the study's.
        first: key of a.
        second: key of b; None is the one with the least damage here other than a.
    """
    at = study.at(value)
    others = [key for key in study.mechanisms if key != first]
    damage = dict(zip(study.mechanisms, study.damage[:, at].tolist(), strict=True))
    other = second or min(others, key=damage.__getitem__)
    keys = (first, other)
    scenario = replace(study.scenario, mechanisms=keys)
    stable = all(study.stable[study.mechanisms.index(key), at] for key in keys)
    return Pair(
        study=study,
        scenario=scenario,
        value=value,
        keys=keys,
        damage=(damage[first], damage[other]),
        found=explain_pair(scenario, value, first, other) if stable else None,
        frequencies=frequency_view(scenario, value) if stable else None,
    )


def pair_view(pair: Pair) -> PairView:
    """Return what is said about a pair."""
    return PairView(
        study=words.digest(pair.scenario),
        setting=words.setting(pair.value),
        readouts=tuple(_readouts(pair)),
        sentence=" ".join(_sentences(pair)),
    )


def mode_name(eigenvalues: FloatArray, mode: int) -> str:
    """Return how a mode is called, counted from 1.

    >>> import numpy as np
    >>> mode_name(np.array([1.0, 0.1]), 1)
    'mode 2 (λ = 0.1)'
    """
    return f"mode {mode + 1} (λ = {words.number(eigenvalues[mode])})"


def _readouts(pair: Pair) -> Sequence[Readout]:
    totals: Sequence[float | None] = (None, None)
    if pair.frequencies is not None:
        totals = pair.frequencies.stationary.sum(axis=1).tolist()
    exact = [
        Readout(
            key=place,
            label=f"{letter}: {words.name(key)}",
            value="unstable" if total is None else words.number(damage),
            detail=""
            if total is None
            else f"exact damage; stationary theory: {words.number(total)}",
        )
        for place, letter, key, damage, total in zip(
            ("first", "second"), "ab", pair.keys, pair.damage, totals, strict=True
        )
    ]
    return [*exact, _ahead(pair), _decider(pair)]


def _ahead(pair: Pair) -> Readout:
    label = f"Ahead at {pair.swept.symbol} = {words.setting(pair.value)}"
    if pair.found is None:
        return Readout(key="ahead", label=label, value="–", detail="training is unstable")
    if pair.tied:
        return Readout(key="ahead", label=label, value="A tie", detail="both do the same damage")
    found = pair.found
    detail = f"{words.name(found.worse)} does {_more(pair)}"
    return Readout(key="ahead", label=label, value=words.name(found.better), detail=detail)


def _more(pair: Pair) -> str:
    low, high = sorted(pair.damage)
    if low == 0:
        return "some damage, it does none"
    more = high / low - 1
    return f"{words.times(more)} times its damage" if more > 0.1 else f"{100 * more:.2g} % more"


def _decider(pair: Pair) -> Readout:
    label = "Mode that decides"
    if pair.found is None:
        return Readout(key="mode", label=label, value="–", detail="training is unstable")
    if pair.tied:
        return Readout(key="mode", label=label, value="None", detail="there is no gap to split")
    name = mode_name(pair.scenario.eigenvalues, pair.found.mode)
    detail = (
        f"a lead of {words.number(pair.found.mode_gap)}; of {words.number(pair.found.gap)} in all"
    )
    return Readout(key="mode", label=label, value=f"{name[0].upper()}{name[1:]}", detail=detail)


def _sentences(pair: Pair) -> Sequence[str]:
    here = f"{pair.swept.name} {words.setting(pair.value)}"
    found = pair.found
    if found is None:
        limit = words.number(pair.study.stability_limit[pair.study.at(pair.value)])
        rate = words.number(pair.scenario.learning_rate)
        return [
            f"With {here} training is unstable: the peak rate ηλmax = {rate} is not below "
            f"the limit of {limit}. There is nothing to compare; move {pair.swept.symbol} or lower "
            "the rate."
        ]
    if pair.tied:
        return [
            f"With {here}, {words.names(pair.keys)} do the same damage, "
            f"{words.number(pair.damage[0])}: no frequency and no mode decides between them.",
        ]
    better, worse = words.name(found.better), words.name(found.worse)
    low, high = (words.number(value) for value in sorted(pair.damage))
    return [
        f"With {here}, {better} beats {worse}: damage {low} against {high}.",
        _by_frequency(pair, found),
        f"Of the directions of the loss, {mode_name(pair.scenario.eigenvalues, found.mode)} "
        f"adds most to its lead: {words.number(found.mode_gap)}; over all of them the lead is "
        f"{words.number(found.gap)}.",
        _places(pair),
    ]


def _by_frequency(pair: Pair, found: FlipExplanation) -> str:
    better, worse = words.name(found.better), words.name(found.worse)
    if pair.scenario.horizon == 1:
        return "A single step has no frequencies to tell apart."
    rest, size = found.gap - found.band_gap, words.number(abs(found.band_gap))
    ahead = found.band_gap > 0
    tail = ""
    if abs(rest) > _TIE * found.gap:
        does = ("all other frequencies add" if rest > 0 else "all others take back only") + " {}"
        does = does if ahead else "over all others it does {} more"
        tail = f"; {does.format(words.number(abs(rest)))}"
    return (
        f"{_slow_or_fast(found)} {100 * found.band_share:.0f} % of what sets the two apart, one "
        f"way or the other, lies {_band(*found.band)}, where {worse} does {size} "
        f"{'more' if ahead else 'less'} damage than {better}{tail}."
    )


def _slow_or_fast(found: FlipExplanation) -> str:
    """Say which side of the cut decides, where the two trade places and the band lies on one."""
    if found.below_gap >= 0 and found.above_gap >= 0:
        return f"{words.name(found.worse)} is ahead neither in slow nor in fast noise:"
    slow = found.below_gap > 0
    decisive = slow == (sum(found.band) / 2 <= found.frequency)
    side = "slower" if slow else "faster"
    if found.frequency == 0:
        name = "Noise that never changes sign decides" if slow else "Noise that swings decides"
    else:
        name = f"Noise {side} than a swing in {1 / found.frequency:.1f} steps decides"
    if decisive and found.band_gap > 0:
        return f"{name}:"
    if not decisive and found.band_gap < 0:
        return f"{name}, although"
    return "One band of frequencies stands out:"


def _band(low: float, high: float) -> str:
    if high == 0:
        return "at frequency 0, noise that never changes sign"
    first, last = (words.number(round(frequency, 3)) for frequency in (low, high))
    if low == 0:
        return f"up to {last} cycles per step (a swing takes {1 / high:.1f} steps or more)"
    if first == last:
        return f"at {last} cycles per step (a swing takes {1 / high:.1f} steps)"
    swing = f"a swing takes {1 / high:.1f} to {1 / low:.1f} steps"
    return f"from {first} to {last} cycles per step ({swing})"


def _places(pair: Pair) -> str:
    """Say where the two change places, from the study's refined crossovers."""
    places = [
        words.edge(crossover.value)
        for crossover in pair.study.crossovers
        if set(crossover.pair) == set(pair.keys)
    ]
    if not places:
        low, high = (words.setting(x) for x in (pair.swept.low, pair.swept.high))
        return f"Their order is the same at every stable {pair.swept.name} from {low} to {high}."
    return f"They change places at {pair.swept.symbol} = {words.listed(places)}."
