"""What "Optimizers" says about a comparison: readouts, one sentence and the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pages.views import words
from pages.views.contenders import HIGHEST, LOWEST, PLAIN, Answer, in_order, named
from pages.views.readout import Readout


@dataclass(frozen=True, kw_only=True)
class Line:
    """One optimizer in the table; all cells are text; `moved` says that its two ranks differ."""

    key: str
    label: str
    description: str
    setting: str
    bias: str
    sampling: str
    privacy: str
    total: str
    privacy_rank: str
    total_rank: str
    differs: str
    suppression: str
    limit: str
    growth: str
    moved: bool


@dataclass(frozen=True, kw_only=True)
class OptimizersView:
    """Everything the page says about a comparison."""

    study: str
    setting: str
    heading: str
    readouts: tuple[Readout, ...]
    sentence: str
    lines: tuple[Line, ...]


def optimizers_view(answer: Answer) -> OptimizersView:
    """Return what is said about a comparison."""
    return OptimizersView(
        study=words.digest(answer.question.scenario),
        setting=answer.question.mechanism,
        heading=f"Side by side under {words.name(answer.question.mechanism)}",
        readouts=tuple(_readouts(answer)),
        sentence=" ".join(_sentences(answer)),
        lines=tuple(_line(answer, place) for place in in_order(answer)),
    )


def _best(answer: Answer, *, total: bool) -> list[int]:
    found = answer.found
    ranked = (found.total_rank if total else found.damage_rank)[:, answer.column]
    return [int(place) for place in np.flatnonzero(ranked == 1)]


def _readouts(answer: Answer) -> Sequence[Readout]:
    found, at = answer.found, answer.column
    total, privacy = _best(answer, total=True), _best(answer, total=False)
    if not total:
        none = {"value": "None", "detail": "every optimizer shown is unstable"}
        return [
            Readout(key="total", label="Smallest total excess loss", **none),
            Readout(key="privacy", label="Least privacy damage", **none),
        ]
    moved = int(found.differs[:, at].sum())
    flips = [region.start for region in answer.regions[1:]]
    ranked = int((found.total_rank[:, at] > 0).sum())
    return [
        Readout(
            key="total",
            label="Smallest total excess loss",
            value=named(answer, total),
            detail=f"{words.number(found.total[total[0], at])} at {answer.setting(total[0])}",
        ),
        Readout(
            key="privacy",
            label="Least privacy damage",
            value=named(answer, privacy),
            detail=f"{words.number(found.damage[privacy[0], at])} at {answer.setting(privacy[0])}",
        ),
        Readout(
            key="differs",
            label="Ranks that differ",
            value=f"{moved} of {ranked}",
            detail="by total against by privacy damage",
        ),
        Readout(
            key="flips",
            label=f"The best one changes, ε {LOWEST:g} to {HIGHEST:g}",
            value=", ".join(f"ε = {words.number(e)}" for e in flips[:2]) or "Never",
            detail=f"and {len(flips) - 2} more times" if len(flips) > 2 else "by total excess loss",
        ),
    ]


def _sentences(answer: Answer) -> Sequence[str]:
    found, at, scenario = answer.found, answer.column, answer.question.scenario
    under = f"Under {words.name(answer.question.mechanism)} at ε = {words.number(scenario.epsilon)}"
    best = _best(answer, total=True)
    if not best:
        rate = words.number(scenario.learning_rate)
        limit = words.number(float(found.stability_limit.max()))
        return [
            f"{under} nothing is ranked: the peak rate ηλmax = {rate} is not below the limit of "
            f"any optimizer shown, at most {limit}. Lower the rate."
        ]
    first = best[0]
    parts = (
        f"bias {words.number(found.bias[first])}, sampling noise "
        f"{words.number(found.sampling[first])}, privacy noise "
        f"{words.number(found.damage[first, at])}"
    )
    verb = "has" if len(best) == 1 else "tie for"
    return [
        f"{under}, {named(answer, best)} {verb} the smallest total excess loss, "
        f"{words.number(found.total[first, at])}: {parts}.",
        _by_privacy(answer, best),
        *_along_epsilon(answer),
    ]


def _by_privacy(answer: Answer, best: list[int]) -> str:
    found, at = answer.found, answer.column
    privacy = _best(answer, total=False)
    if privacy == best:
        who = "It also does" if len(best) == 1 else "They also do"
        if not found.differs[:, at].any():
            return f"{who} the least privacy damage, and both rankings are the same."
        return f"{who} the least privacy damage, but further down the two rankings differ."
    quiet = privacy[0]
    rank = words.ordinal(int(found.total_rank[quiet, at]))
    signal = words.number(float(found.bias[quiet] + found.sampling[quiet]))
    return (
        f"By privacy damage alone {answer.label(quiet)} comes first, but only {rank} in all: its "
        f"bias and sampling noise add {signal}."
    )


def _along_epsilon(answer: Answer) -> Sequence[str]:
    """Say at which ε the choice flips, and what the two have that makes it flip."""
    regions = answer.regions
    whole = f"from {LOWEST:g} to {HIGHEST:g}"
    if len(answer.found.values) == 1:
        return []
    if len(regions) == 1:
        stay = "stays" if len(regions[0].winners) == 1 else "stay"
        return [f"{named(answer, regions[0].winners)} {stay} best at every ε {whole}."]
    pieces = [f"below ε = {words.number(regions[0].stop)} {named(answer, regions[0].winners)}"]
    for region in regions[1:-1]:
        pieces.append(f"up to {words.number(region.stop)} {named(answer, region.winners)}")
    pieces.append(f"above it {named(answer, regions[-1].winners)}")
    text = ", ".join(pieces)
    text = f"{text[0].upper()}{text[1:]} {'is' if len(regions[-1].winners) == 1 else 'are'} best."
    low, high = regions[0].winners[0], regions[-1].winners[0]
    return [text, _over_smoothing(answer, low, high)]


def _over_smoothing(answer: Answer, low: int, high: int) -> str:
    found, at = answer.found, answer.column
    share = words.number(float(found.damage[low, at] / found.damage[high, at]))
    bias, sampling = (float(part[low] - part[high]) for part in (found.bias, found.sampling))
    cause, part = ("bias", found.bias) if bias >= sampling else ("sampling noise", found.sampling)
    less, more = words.number(float(part[high])), words.number(float(part[low]))
    why = "smooths more than weak noise needs" if bias >= sampling else "pays for it there"
    return (
        f"{answer.label(low)} does {share} times the privacy damage of {answer.label(high)}, but "
        f"has {cause} {more} against {less}: at large ε it {why}."
    )


def _line(answer: Answer, place: int) -> Line:
    found, at = answer.found, answer.column
    stable = bool(found.stable[place])
    privacy, total = int(found.damage_rank[place, at]), int(found.total_rank[place, at])
    kind = answer.question.entries[place]
    return Line(
        key=kind.key,
        label=kind.label,
        description="Plain SGD: each noisy gradient is one step."
        if kind.key == PLAIN
        else found.optimizers[place].description,
        setting=answer.setting(place),
        bias=words.number(found.bias[place]) if stable else "–",
        sampling=words.number(found.sampling[place]) if stable else "–",
        privacy=words.number(found.damage[place, at]) if stable else "–",
        total=words.number(found.total[place, at]) if stable else "unstable",
        privacy_rank=str(privacy) if stable else "–",
        total_rank=str(total) if stable else "–",
        differs=_move(privacy, total) if stable else "–",
        suppression=f"× {words.number(found.suppression[place, at])}",
        limit=_limit(found.stability_limit[place]),
        growth=_growth(found.growth[place]),
        moved=bool(found.differs[place, at]),
    )


def _move(privacy: int, total: int) -> str:
    """Return in a symbol and in words how a rank differs; "no" where it does not."""
    if total == privacy:
        return "no"
    steps = abs(total - privacy)
    return f"▲ better by {steps}" if total < privacy else f"▼ worse by {steps}"


def _limit(value: float) -> str:
    return words.number(value) if np.isfinite(value) else "none"


def _growth(value: float) -> str:
    if not np.isfinite(value):
        return "without bound"
    return "none" if value <= 1 else f"{words.number(value)} times"
