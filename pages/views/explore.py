"""What the Explore page says at one swept value: readouts, one sentence and the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from momentdp_core import FAMILIES, Region, Study
from pages.views import words
from pages.views.best import Best, times_best
from pages.views.crossings import neighbours
from pages.views.readout import Readout
from pages.views.sweep import stable_stretches
from pages.views.swept import swept_of

SUBJECT = "noisecurve"  # the mechanism whose fate the page follows


@dataclass(frozen=True, kw_only=True)
class Row:
    """One mechanism in the table; all cells are text.

    An empty sensitivity is left out; `best` is None where it is not shown.
    """

    key: str
    label: str
    description: str
    damage: str
    rank: str
    times: str
    best: str | None
    own_criterion: str
    static_mse: str
    lr_aware: str
    sensitivity: str


@dataclass(frozen=True, kw_only=True)
class PointView:
    """Everything the page says at one swept value; `heading` is that of the table."""

    study: str
    setting: str
    heading: str
    stability: str
    readouts: tuple[Readout, ...]
    sentence: str
    rows: tuple[Row, ...]


def point_view(study: Study, value: float, best: Best | None = None) -> PointView:
    """Return what is said about a study at one swept value of its grid.

    With the best possible, the table measures every mechanism by it.
    """
    at = study.at(value)
    swept = swept_of(study.scenario.optimizer)
    return PointView(
        study=words.digest(study.scenario),
        setting=words.setting(value),
        stability=_stability(study, at),
        heading=f"All mechanisms at {swept.symbol} = {words.setting(value)}",
        readouts=(
            _winner(study, at),
            _subject(study, at),
            *neighbours(study, value),
        ),
        sentence=" ".join(_sentences(study, at, value)),
        rows=_rows(study, at, best),
    )


def _stability(study: Study, at: int) -> str:
    """Say how far the peak rate is from the limit, and what a starting error grows to."""
    scenario = study.scenario
    limit = float(study.stability_limit[at])
    rate = words.number(scenario.learning_rate)
    growth = float(study.growth[at])
    below = "stable" if study.winners[at] else "unstable"
    if not math.isfinite(limit):
        held = f"{below} at every rate."
    else:
        held = f"{below}: peak rate ηλmax = {rate}, limit {words.number(limit)}."
    if growth <= 1 + 1e-9:
        grown = "never grows"
    elif math.isfinite(growth):
        grown = f"grows to at most {words.number(growth)} times its size on the way"
    else:
        grown = "grows beyond all numbers"
    return f"At this setting training is {held} Without noise, a starting error {grown}."


def _winner(study: Study, at: int) -> Readout:
    winners = study.winners[at]
    label = f"Least damage at {_symbol(study)} = {words.setting(study.values[at])}"
    if not winners:
        return Readout(key="winner", label=label, value="None", detail="training is unstable")
    damage = study.damage[study.mechanisms.index(winners[0]), at]
    if len(winners) > 3:
        value = f"{len(winners)} mechanisms"
    else:
        value = " = ".join(map(words.name, winners))
    tie = "a tie; " if len(winners) > 1 else ""
    return Readout(
        key="winner", label=label, value=value, detail=f"{tie}damage {words.number(damage)}"
    )


def _subject(study: Study, at: int) -> Readout:
    label = f"{words.name(SUBJECT)}'s rank"
    if SUBJECT not in study.mechanisms:
        return Readout(key="rank", label=label, value="–", detail="not among those shown")
    row = study.mechanisms.index(SUBJECT)
    rank = int(study.rank[row, at])
    if rank == 0:
        return Readout(key="rank", label=label, value="–", detail="training is unstable")
    detail = f"{words.times(study.regret[row, at])} times the least damage"
    if rank == 1:
        detail = "a tie for the least damage" if len(study.winners[at]) > 1 else "the least damage"
    return Readout(key="rank", label=label, value=f"{rank} of {_ranked(study, at)}", detail=detail)


def _ranked(study: Study, at: int) -> int:
    return int((study.rank[:, at] > 0).sum())


def _symbol(study: Study) -> str:
    return swept_of(study.scenario.optimizer).symbol


def _sentences(study: Study, at: int, value: float) -> Sequence[str]:
    winners = study.winners[at]
    here = f"{swept_of(study.scenario.optimizer).name} {words.setting(value)}"
    if not winners:
        limit = words.number(study.stability_limit[at])
        rate = words.number(study.scenario.learning_rate)
        return [
            f"With {here} training is unstable: the peak rate ηλmax = {rate} is not below "
            f"the limit of {limit}, so noise is amplified without bound and nothing is ranked.",
            *_stable_from(study),
        ]
    if len(study.mechanisms) == 1:
        damage = words.number(study.damage[0, at])
        return [
            f"{words.name(winners[0])} is the only mechanism shown; with {here} its "
            f"damage is {damage}. Choose more to compare."
        ]
    return [_who_wins(winners, here), *_how_subject_fares(study, at), _how_long(study, value)]


def _stable_from(study: Study) -> Sequence[str]:
    swept = swept_of(study.scenario.optimizer)
    if study.values[-1] < swept.high:  # the rest of the range is not in this study
        return []
    stretches = stable_stretches(study.regions)
    if not stretches:
        return [f"No {swept.name} makes it stable; lower the rate."]
    first, last = study.regions[0].start, study.regions[-1].stop
    said = []
    for start, stop in stretches:
        if start == first:
            said.append(f"below {swept.symbol} = {words.edge(stop)}")
        elif stop == last:
            said.append(f"above {swept.symbol} = {words.edge(start)}")
        else:
            said.append(f"from {swept.symbol} = {words.edge(start)} to {words.edge(stop)}")
    return [f"It is stable {' and '.join(said)}."]


def _who_wins(winners: Sequence[str], here: str) -> str:
    if len(winners) == 1:
        return f"With {here}, {words.name(winners[0])} does the least damage."
    who = words.names(winners) if len(winners) <= 3 else f"{len(winners)} mechanisms"
    return f"With {here}, {who} tie for the least damage."


def _how_subject_fares(study: Study, at: int) -> Sequence[str]:
    if SUBJECT not in study.mechanisms or SUBJECT in study.winners[at]:
        return []
    row = study.mechanisms.index(SUBJECT)
    rank = words.ordinal(int(study.rank[row, at]))
    factor = words.times(study.regret[row, at])
    return [
        f"{words.name(SUBJECT)} comes {rank} of {_ranked(study, at)} and does {factor} times "
        "that damage."
    ]


def _how_long(study: Study, value: float) -> str:
    """Say where another mechanism takes over on either side of the region around a value."""
    swept = swept_of(study.scenario.optimizer)
    regions = study.regions
    place = next((i for i, r in enumerate(regions) if r.start <= value <= r.stop), 0)
    here = regions[place]
    before = regions[place - 1] if place else None
    after = regions[place + 1] if place + 1 < len(regions) else None
    who = "It stays" if len(here.winners) == 1 else "They stay"
    if before is None and after is None and set(here.winners) == set(study.mechanisms):
        return f"No {swept.name} from {_ends(here)} tells them apart."
    if before is None and after is None:
        return f"{who} ahead for every {swept.name} from {_ends(here)}."
    changes = []
    if before is not None:
        just = "just " if place > 1 else ""  # further out yet another one wins
        changes.append(
            f"{just}below {swept.symbol} = {words.edge(here.start)} {_takes_over(before)}"
        )
    if after is not None:
        just = "just " if place + 2 < len(regions) else ""
        changes.append(f"{just}above {swept.symbol} = {words.edge(here.stop)} {_takes_over(after)}")
    text = " and ".join(changes)
    return f"{text[0].upper()}{text[1:]}."


def _takes_over(region: Region) -> str:
    if not region.winners:
        return "training is unstable"
    if len(region.winners) > 3:
        return f"{len(region.winners)} mechanisms tie"
    verb = "wins" if len(region.winners) == 1 else "tie"
    return f"{words.names(region.winners)} {verb}"


def _ends(region: Region) -> str:
    return f"{words.setting(region.start)} to {words.setting(region.stop)}"


def _sensitivity(study: Study, key: str) -> str:
    """Return nothing where an example takes part once: then it is 1 for all."""
    if study.scenario.participations == 1:
        return ""
    return words.sensitivity(study.scenario.sensitivity(key))


def _score(rank: int, score: float) -> str:
    return f"{rank} ({words.number(score)})" if rank else "–"


def _rows(study: Study, at: int, best: Best | None) -> tuple[Row, ...]:
    scores = study.scores

    def row(i: int) -> Row:
        key = study.mechanisms[i]
        rank = int(study.rank[i, at])
        return Row(
            key=key,
            label=words.name(key),
            description=FAMILIES[key].description,
            damage=words.number(study.damage[i, at]) if rank else "unstable",
            rank=str(rank) if rank else "–",
            times=words.times(study.regret[i, at]),
            best=None if best is None else times_best(study, best, i, at),
            own_criterion=_score(scores.noisecurve_rank[i], scores.noisecurve[i]),
            static_mse=_score(scores.static_mse_rank[i], scores.static_mse[i]),
            lr_aware=_score(scores.lr_aware_rank[i], scores.lr_aware[i]),
            sensitivity=_sensitivity(study, key),
        )

    last = len(study.mechanisms) + 1  # those without a rank come after all others
    order = sorted(range(len(study.mechanisms)), key=lambda i: int(study.rank[i, at]) or last)
    return tuple(row(i) for i in order)
