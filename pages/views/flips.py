"""What would flip it: the nearest flips in words, with the setting that shows each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from momentdp_core import (
    SCHEDULES,
    Flip,
    MapAxis,
    Scenario,
    Schedule,
    flips_among,
    nearest_flips,
)
from momentdp_core.curvature import CONDITIONED
from pages.views import words
from pages.views.map_axes import CONDITIONS, RATES
from pages.views.swept import swept_of

NEVER: Final = "ε and δ never flip anything: they scale every damage alike."


@dataclass(frozen=True, kw_only=True)
class FlipLine:
    """One line of the list: what it says, and which control to put where (none: no control).

    `button` says what the control is put to.
    """

    text: str
    control: str
    value: Any
    button: str


@dataclass(frozen=True, kw_only=True)
class FlipGroup:
    """The lines of one question."""

    question: str
    title: str
    lines: tuple[FlipLine, ...]


def flip_stages(
    scenario: Scenario, value: float, pair: tuple[str, str] | None
) -> Iterator[tuple[Flip, ...]]:
    """Yield all flips found so far: first of the swept value, then control by control."""
    swept = swept_of(scenario.optimizer)
    found: tuple[Flip, ...] = ()
    families = [family for family in SCHEDULES if family != "custom"]
    options = [Schedule(family=f) for f in families if f != scenario.schedule.family]
    axes = [
        MapAxis(name="value", points=(swept.low, swept.high)),
        None,
        MapAxis(name="rate", points=_reach(RATES, scenario.learning_rate)),
    ]
    if scenario.curvature.family in CONDITIONED:
        own = scenario.curvature.condition_number
        axes.append(MapAxis(name="condition", points=_reach(CONDITIONS, own)))
    for axis in axes:
        if axis is None:
            found += flips_among(scenario, value, "schedule", options, pair=pair)
        else:
            found += nearest_flips(scenario, value, axis, pair=pair)
        yield found


def share_searched(flips: Sequence[Flip], scenario: Scenario) -> float:
    """Return how many of the controls have been searched, 0 … 1."""
    controls = 3 + (scenario.curvature.family in CONDITIONED)
    return len({flip.control for flip in flips}) / controls


def with_pair(scenario: Scenario, pair: tuple[str, str]) -> Scenario:
    """Return the scenario with both of a pair among its mechanisms."""
    missing = tuple(key for key in pair if key not in scenario.mechanisms)
    return replace(scenario, mechanisms=(*scenario.mechanisms, *missing))


def _reach(ends: tuple[float, float], own: float) -> tuple[float, float]:
    return min(ends[0], own or ends[0]), max(ends[1], own)


def flip_groups(
    flips: Sequence[Flip], scenario: Scenario, stops: dict[str, Sequence[Any]]
) -> tuple[FlipGroup, ...]:
    """Return the flips in words, grouped by question.

    Args:
        flips: from `flip_stages`.
        scenario: the current setting.
        stops: the settings that the sidebar offers for "value", "rate" and "condition".
    """
    groups = []
    for question in dict.fromkeys(flip.question for flip in flips):
        asked = [flip for flip in flips if flip.question == question]
        lines: list[FlipLine] = []
        for control in dict.fromkeys(flip.control for flip in asked):
            own = [flip for flip in asked if flip.control == control]
            lines += _lines(control, own, scenario, stops.get(control, ()))
        groups.append(FlipGroup(question=question, title=_title(asked[0]), lines=tuple(lines)))
    return tuple(groups)


def _title(flip: Flip) -> str:
    if flip.question == "winner":
        return f"Another winner than {_who(flip.before)}"
    if flip.question == "rank":
        return f"Another rank of {words.name(flip.subject[0])} than {_rank(flip.before)}"
    return f"Who is ahead: {words.name(flip.subject[0])} or {words.name(flip.subject[1])}"


def _lines(
    control: str, flips: Sequence[Flip], scenario: Scenario, stops: Sequence[Any]
) -> Iterator[FlipLine]:
    swept = swept_of(scenario.optimizer)
    symbol = {"value": swept.symbol, "rate": "ηλmax", "condition": "κ"}.get(control, "")
    told = [flip for flip in flips if flip.at is not None or flip.option is not None]
    if not told:
        text = "No other schedule flips it."
        if control != "schedule":
            low, high = min(f.end for f in flips), max(f.end for f in flips)
            text = f"Nothing on this axis flips it: {symbol} from {low:g} to {high:g}."
        yield FlipLine(text=text, control="", value=None, button="")
    for flip in told:
        if isinstance(flip.option, Schedule):
            label = SCHEDULES[flip.option.family].label
            yield FlipLine(
                text=f"{label}: {_after(flip)}",
                control="schedule",
                value=flip.option.family,
                button=f"Set the schedule to {label}.",
            )
            continue
        assert flip.at is not None
        way = "up" if flip.direction > 0 else "down"
        beyond = [s for s in stops if (s - flip.at) * flip.direction >= 0]
        target = (min if flip.direction > 0 else max)(beyond, default=None)
        yield FlipLine(
            text=f"{symbol} {way} to {flip.at:.4g}: {_after(flip)}",
            control=control if target is not None else "",
            value=target,
            button=""
            if target is None
            else f"Set {symbol} to {target:g}, the first setting beyond.",
        )


def _who(keys: Sequence[str]) -> str:
    return "none (unstable)" if keys == ("unstable",) else words.names(keys)


def _rank(answer: Sequence[str]) -> str:
    return "none (unstable)" if answer == ("unstable",) else words.ordinal(int(answer[0]))


def _after(flip: Flip) -> str:
    if flip.after == ("unstable",):
        return "training turns unstable"
    if flip.question == "winner":
        return f"{words.names(flip.after)} {'wins' if len(flip.after) == 1 else 'tie'}"
    if flip.question == "rank":
        return f"it comes {_rank(flip.after)}"
    return f"{words.names(flip.after)} {'is ahead' if len(flip.after) == 1 else 'tie'}"


def stops_of(
    scenario: Scenario, rates: Sequence[Any], conditions: Sequence[Any]
) -> dict[str, Sequence[Any]]:
    """Return the settings that the sidebar offers, by control."""
    values = swept_of(scenario.optimizer).values
    return {
        "value": [float(v) for v in np.asarray(values)],
        "rate": list(rates),
        "condition": list(conditions),
    }
