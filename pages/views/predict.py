"""Predict, then reveal: a study of which only the beginning may be seen, and the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from momentdp_core import Region, Study
from pages.views import words
from pages.views.explore import PointView, point_view
from pages.views.readout import Readout
from pages.views.sweep import SweepView, sweep_view
from pages.views.swept import swept_of

Number = TypeVar("Number", bound=np.generic)
HIDDEN = "Hidden"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What lies beyond the edge: the nearest change of the winner, if any, and a sentence on it."""

    value: float | None
    text: str


def visible(study: Study, edge: float) -> Study:
    """Return the study up to an edge: nothing in it depends on what lies beyond."""
    count = max(int((study.values <= edge).sum()), 1)
    last = float(study.values[count - 1])
    return Study(
        scenario=study.scenario,
        values=_first(study.values, count),
        mechanisms=study.mechanisms,
        damage=_first(study.damage, count),
        rank=_first(study.rank, count),
        stable=_first(study.stable, count),
        stability_limit=_first(study.stability_limit, count),
        crossovers=tuple(c for c in study.crossovers if c.value <= last),
        regions=tuple(
            replace(region, stop=min(region.stop, last))
            for place, region in enumerate(study.regions)
            if not place or region.start < last
        ),
    )


def _first(array: NDArray[Number], count: int) -> NDArray[Number]:
    """Return a read-only copy of the first columns: no view leads back to the rest."""
    columns = array[..., :count].copy()
    columns.setflags(write=False)
    return columns


def hidden_sweep(seen: Study, axis_key: str) -> SweepView:
    """Return what the charts draw of a study that ends at the edge."""
    view = sweep_view(seen, axis_key)
    edge = _edge(seen)
    return replace(
        view,
        damage_alt=f"{view.damage_alt} Beyond {edge} everything is hidden.",
        rank_alt=f"{view.rank_alt} Beyond {edge} everything is hidden.",
    )


def hidden_point(seen: Study, value: float) -> PointView:
    """Return what the page says at a swept value of a study that ends at the edge."""
    if value > float(seen.values[-1]):
        return _beyond(seen, value)
    view = point_view(seen, value)
    above = Readout(
        key="above", label="Nearest crossover above", value=HIDDEN, detail="what is your guess?"
    )
    return replace(
        view,
        readouts=tuple(above if r.key == "above" else r for r in view.readouts),
        sentence=f"{view.sentence} Beyond {_edge(seen)} everything is hidden until you reveal it.",
    )


def _beyond(seen: Study, value: float) -> PointView:
    """Say nothing: taken from the first visible value, with all that depends on it removed."""
    view = point_view(seen, float(seen.values[0]))
    symbol = swept_of(seen.scenario.optimizer).symbol
    here = f"{symbol} = {words.setting(value)}"
    labels = {"winner": f"Least damage at {here}"}
    shown = {row.key: row for row in view.rows}
    return replace(
        view,
        setting=words.setting(value),
        heading=f"All mechanisms at {here}",
        stability="",
        readouts=tuple(
            replace(r, label=labels.get(r.key, r.label), value=HIDDEN, detail="until you reveal it")
            for r in view.readouts
        ),
        sentence=f"Beyond {_edge(seen)} everything is hidden until you reveal it.",
        rows=tuple(
            replace(shown[key], damage=HIDDEN.lower(), rank="–", times="–")
            for key in seen.mechanisms
        ),
    )


def _edge(seen: Study) -> str:
    swept = swept_of(seen.scenario.optimizer)
    return f"{swept.symbol} = {words.setting(float(seen.values[-1]))}"


def answer(study: Study, edge: float) -> Answer:
    """Return the nearest crossover beyond an edge at which another mechanism takes the lead."""
    swept = swept_of(study.scenario.optimizer)
    for before, after in zip(study.regions, study.regions[1:], strict=False):
        if after.start > edge and before.winners and after.winners:
            place = f"{swept.symbol} = {words.edge(after.start)}"
            return Answer(
                value=after.start,
                text=f"The winner changes at {place}, from {_who(before)} to {_who(after)}.",
            )
    return Answer(value=None, text=f"There is none: {_why_none(study, edge)}.")


def _who(region: Region) -> str:
    if len(region.winners) > 3:
        return f"a tie of {len(region.winners)} mechanisms"
    return words.names(region.winners)


def _why_none(study: Study, edge: float) -> str:
    swept = swept_of(study.scenario.optimizer)
    rest = [region for region in study.regions if region.stop > edge]
    stable = [region for region in rest if region.winners]
    if not stable:
        return f"beyond {swept.symbol} = {words.setting(edge)} training is unstable"
    if len(stable) > 1:
        return "training is unstable in between, and within each stable range one stays ahead"
    (only,) = stable
    verb = "stays" if len(only.winners) == 1 else "stay"
    until = f"{swept.symbol} = {words.edge(only.stop)}"
    if only is rest[-1]:
        until = f"{swept.symbol} = {words.setting(only.stop)}, the end of the range"
    else:
        until += ", where training becomes unstable"
    return f"{_who(only)} {verb} ahead up to {until}"


def verdict(found: Answer, guess: float | None, symbol: str) -> str:
    """Return the answer and how far off a guess was; no guess says that there is none."""
    if guess is None:
        right = "You said that there is none."
        return f"{found.text} {right} {'Right!' if found.value is None else 'It is there.'}"
    said = f"You guessed {symbol} = {words.setting(guess)}"
    if found.value is None:
        return f"{found.text} {said}."
    error = guess - found.value
    side = "too high" if error > 0 else "too low"
    return f"{found.text} {said}: {words.edge(abs(error))} {side}."
