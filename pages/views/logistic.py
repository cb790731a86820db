"""What "Logistic" says about private training: ranks, differences, trajectories and causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from momentdp_core.experiments import logistic_runs, logistic_sweep
from momentdp_core.experiments.logistic_sweep import PUBLISHED_RANKS
from pages.views import words
from pages.views.claim_charts import CONDITIONS
from pages.views.claim_parts import Comparison, Side
from pages.views.readout import Readout

KEYS: Final = ("L0", "L1", "L2", "L3")
NAMES: Final = dict(zip(KEYS, CONDITIONS, strict=True))
COMPARED: Final = logistic_runs.COMPARED
SUBJECT: Final = logistic_sweep.SUBJECT
CAUSES: Final = ("optimisation", "sampling", "clipping", "privacy")
RATES: Final = ("0.005", "0.01", "0.02", "0.03", "0.05", "0.07", "0.1", "0.12", "0.15", "0.2",
                "0.4", "0.8")  # fmt: skip
REPLICATES: Final = ("5", "10", "20", "30", "60")
# A part smaller than this share of the longest row is no wider than a line.
UNSEEN: Final = 0.005
SOLVERS: Final = {"recipe": "by the paper's recipe", "solved": "solved properly"}


@dataclass(frozen=True, kw_only=True)
class Track:
    """One mechanism: a value for each place, with an interval."""

    key: str
    label: str
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Tracks:
    """Several mechanisms over the same places."""

    x: tuple[Any, ...]
    tracks: tuple[Track, ...]
    alt: str


@dataclass(frozen=True, kw_only=True)
class Causes:
    """The excess loss of each mechanism by cause; the parts of a row add up to its total."""

    keys: tuple[str, ...]
    labels: tuple[str, ...]
    parts: Mapping[str, tuple[float, ...]]
    half_width: tuple[float, ...]
    alt: str


def is_paper(report: Mapping[str, Any]) -> bool:
    """Say whether a report is about the paper's data, and not a reader's own."""
    return not report["settings"]["data"].startswith("own")


def conditions_of(report: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a report's conditions."""
    return tuple(report["conditions"])


def readouts(report: Mapping[str, Any]) -> tuple[Readout, ...]:
    """Return NoiseCurve's rank under each condition."""
    out = []
    for key, published in zip(conditions_of(report), PUBLISHED_RANKS, strict=True):
        told = report["conditions"][key]
        at = told["mechanisms"].index(SUBJECT)
        beside = f"; published {published}" if is_paper(report) else ""
        best = words.name(told["mechanisms"][told["rank"].index(min(told["rank"]))])
        out.append(
            Readout(
                key=key,
                label=NAMES[key],
                value=f"NoiseCurve {told['rank'][at]} of {len(told['rank'])}",
                detail=(
                    f"95 % interval {told['best_rank'][at]} to {told['worst_rank'][at]}"
                    f"{beside}. Best here: {best}"
                ),
            )
        )
    return tuple(out)


def sentence(report: Mapping[str, Any]) -> str:
    """Say whether the published pattern of ranks comes out."""
    ranks, inside = [], True
    for key, published in zip(conditions_of(report), PUBLISHED_RANKS, strict=True):
        told = report["conditions"][key]
        at = told["mechanisms"].index(SUBJECT)
        ranks.append(told["rank"][at])
        inside &= told["best_rank"][at] <= published <= told["worst_rank"][at]
    if not is_paper(report):
        return "Nothing was published about these data."
    wanted = ", ".join(map(str, PUBLISHED_RANKS))
    found = ", ".join(map(str, ranks))
    if tuple(ranks) == PUBLISHED_RANKS:
        return f"The published ranks of NoiseCurve, {wanted}, come out here."
    if inside:
        return f"NoiseCurve's ranks are {found}; the published {wanted} lie inside the intervals."
    return (
        f"NoiseCurve's ranks are {found}; not all of {wanted}, as published, lie in the intervals."
    )


def setting(report: Mapping[str, Any]) -> str:
    """Say how the report was computed."""
    told = report["settings"]
    return (
        f"{told['data']}; η {told['learning_rate']:g}, ε {told['epsilon']:g}, δ {told['delta']:g}, "
        f"b {told['bands']}, {told['replicates']} replicates, NoiseCurve "
        f"{SOLVERS[told['noisecurve']]}."
    )


def ranks_view(report: Mapping[str, Any]) -> Tracks:
    """Return every mechanism's rank under each condition, with its 95 % interval."""
    keys = conditions_of(report)
    told = [report["conditions"][key] for key in keys]
    tracks = tuple(
        _track(
            key,
            [part["rank"][at] for part in told],
            [part["best_rank"][at] for part in told],
            [part["worst_rank"][at] for part in told],
        )
        for at, key in enumerate(told[0]["mechanisms"])
    )
    return Tracks(
        x=tuple(NAMES[key] for key in keys),
        tracks=tracks,
        alt="Rank of each mechanism under each condition, with 95 % intervals. "
        + "; ".join(f"{track.label}: {', '.join(f'{y:g}' for y in track.y)}" for track in tracks),
    )


def differences_view(report: Mapping[str, Any], condition: str, base: str) -> Tracks:
    """Return each mechanism's paired difference to one of them, smallest first."""
    told = report["conditions"][condition]
    at = told["mechanisms"].index(base)
    rows = sorted(
        (place for place in range(len(told["mechanisms"])) if place != at),
        key=lambda place: told["difference"][place][at],
    )
    tracks = []
    for place in rows:
        middle, half = told["difference"][place][at], told["difference_half_width"][place][at]
        key = told["mechanisms"][place]
        tracks.append(_track(key, [middle], [middle - half], [middle + half]))
    resolved = sum(track.low[0] > 0 or track.high[0] < 0 for track in tracks)
    return Tracks(
        x=("difference",),
        tracks=tuple(tracks),
        alt=f"Paired difference of the excess loss to {words.name(base)} with 95 % intervals: "
        f"{resolved} of {len(tracks)} intervals leave out 0.",
    )


def path_view(report: Mapping[str, Any], condition: str) -> Tracks:
    """Return the mean excess loss over the steps, with 95 % bands."""
    told = report["conditions"][condition]
    tracks = []
    for at, key in enumerate(told["mechanisms"]):
        y = [row[at] for row in told["path"]]
        half = [row[at] for row in told["path_half_width"]]
        tracks.append(
            _track(
                key,
                y,
                # A log axis has no place for what is not above 0.
                [max(a - b, 1e-3 * a) for a, b in zip(y, half, strict=True)],
                [a + b for a, b in zip(y, half, strict=True)],
            )
        )
    return Tracks(
        x=tuple(told["steps"]),
        tracks=tuple(tracks),
        alt="Mean excess loss over the steps with 95 % bands. At the end: "
        + "; ".join(f"{track.label} {words.short(track.y[-1])}" for track in tracks),
    )


def path_sentence(path: Tracks) -> str:
    """Say between which losses training begins and ends, and how often it ends above its start."""
    start, ends = path.tracks[0].y[0], [track.y[-1] for track in path.tracks]
    first, last = (words.short(pick(ends)) for pick in (min, max))
    above = sum(end > start for end in ends)
    judged = "none ends" if above == 0 else "1 ends" if above == 1 else f"{above} end"
    judged = "all end" if above == len(ends) else judged
    closing = " The noise costs more here than training gains." if above == len(ends) else ""
    return (
        f"Training begins at {words.short(start)} and ends between {first} and {last}: {judged} "
        f"above the start.{closing}"
    )


def causes_sentence(causes: Causes) -> str:
    """Name the causes that are too small to be seen, with their size."""
    rows = zip(*causes.parts.values(), strict=True)
    length = max(sum(map(abs, row)) for row in rows)
    small = [
        f"{cause} ({words.short(parts[0])})"
        for cause, parts in causes.parts.items()
        if max(map(abs, parts)) < UNSEEN * length
    ]
    if not small:
        return ""
    return f"Too small to be seen: {words.listed(small)}."


def causes_view(report: Mapping[str, Any], condition: str) -> Causes:
    """Return the excess loss by cause, smallest total first."""
    told = report["conditions"][condition]
    order = sorted(range(len(told["mechanisms"])), key=lambda at: told["privacy"][at])
    keys = tuple(told["mechanisms"][at] for at in order)
    parts = {
        **{cause: (told[cause],) * len(keys) for cause in CAUSES[:-1]},
        "privacy": tuple(told["privacy"][at] for at in order),
    }
    shared = ", ".join(f"{cause} {words.short(told[cause])}" for cause in CAUSES[:-1])
    return Causes(
        keys=keys,
        labels=tuple(words.name(key) for key in keys),
        parts=parts,
        half_width=tuple(told["privacy_half_width"][at] for at in order),
        alt=f"Excess loss by cause. Shared by all: {shared}. Privacy: "
        + "; ".join(
            f"{words.name(k)} {words.short(x)}" for k, x in zip(keys, parts["privacy"], strict=True)
        ),
    )


def sweep_view(sweep: Mapping[str, Any]) -> Comparison:
    """Return NoiseCurve's rank under each condition over the learning rates."""
    sides = tuple(
        Side(
            name=NAMES[key],
            values=tuple(row[at] for row in sweep["rank"]),
            low=tuple(row[at] for row in sweep["best_rank"]),
            high=tuple(row[at] for row in sweep["worst_rank"]),
        )
        for at, key in enumerate(KEYS)
    )
    return Comparison(
        title="NoiseCurve's rank over learning rates",
        categories=tuple(f"{rate:g}" for rate in sweep["rates"]),
        sides=sides,
        axis="NoiseCurve's rank among nine",
        ranks=9,
        x_axis="learning rate η",
        alt=sweep_sentence(sweep),
    )


def sweep_sentence(sweep: Mapping[str, Any]) -> str:
    """Say at which rates the published pattern of ranks appears and where it does not."""
    met: list[float] = []
    last: list[float] = []
    inside: list[float] = []
    outside: list[float] = []
    rows = zip(sweep["rates"], sweep["rank"], sweep["best_rank"], sweep["worst_rank"], strict=True)
    for rate, rank, low, high in rows:
        if tuple(rank) == PUBLISHED_RANKS:
            met.append(rate)
        if tuple(rank[1:]) == PUBLISHED_RANKS[1:]:
            last.append(rate)
        spans = zip(low, PUBLISHED_RANKS, high, strict=True)
        (inside if all(a <= x <= b for a, x, b in spans) else outside).append(rate)
    return (
        f"The published ranks, {', '.join(map(str, PUBLISHED_RANKS))}, come out at "
        f"{_rates(met)}. They lie inside the intervals at {_rates(inside)}, outside them at "
        f"{_rates(outside)}. NoiseCurve is last under all three conditions with momentum at "
        f"{_rates(last)}."
    )


def _rates(rates: Sequence[float]) -> str:
    if not rates:
        return "none of the rates"
    return ("rate " if len(rates) == 1 else "rates ") + ", ".join(f"{rate:g}" for rate in rates)


def _track(key: str, y: Sequence[float], low: Sequence[float], high: Sequence[float]) -> Track:
    return Track(key=key, label=words.name(key), y=tuple(y), low=tuple(low), high=tuple(high))
