"""What changed between a pinned scenario, A, and the one on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from momentdp_core import FAMILIES, Study
from pages.views import words
from pages.views.explore import SUBJECT
from pages.views.sweep import Axis, Curve, curve_of
from pages.views.swept import swept_of


@dataclass(frozen=True, kw_only=True)
class Change:
    """One line of the difference panel: what A has and what the page has now; all text."""

    key: str
    label: str
    pinned: str
    now: str
    times: str = ""


@dataclass(frozen=True, kw_only=True)
class PinView:
    """The difference panel at one swept value."""

    setting: str
    summary: str
    facts: tuple[Change, ...]
    rows: tuple[Change, ...]


def overlays(pinned: Study, live: Study) -> bool:
    """Say whether A's curves can be drawn into the live chart: both sweep the same parameter."""
    return swept_of(pinned.scenario.optimizer) == swept_of(live.scenario.optimizer)


def ghost_curves(pinned: Study, axis: Axis) -> tuple[Curve, ...]:
    """Return A's curves on the axis of the live chart."""
    return tuple(curve_of(pinned, row, axis) for row in range(len(pinned.mechanisms)))


def pin_view(pinned: Study, stood: float, live: Study, value: float) -> PinView:
    """Return what changed from A to a live study at one swept value.

    Args:
        pinned: the study of A.
        stood: the swept value at which A was pinned; counts only if A sweeps something else.
        live: the study on the page.
        value: the swept value on the page.
    """
    same = overlays(pinned, live)
    then = value if same else stood
    a, b = pinned.at(then), live.at(value)
    if same:
        setting = f"Both at {_place(live, value)}."
    else:
        setting = (
            f"A at {_place(pinned, then)}, now at {_place(live, value)}. A sweeps another "
            "parameter, so that its curves cannot be drawn into this chart."
        )
    winner = Change(
        key="winner", label="Least damage", pinned=_winner(pinned, a), now=_winner(live, b)
    )
    rank = Change(
        key="rank",
        label=f"{words.name(SUBJECT)}'s rank",
        pinned=_rank(pinned, a),
        now=_rank(live, b),
    )
    return PinView(
        setting=setting,
        summary=f"A → now. {_said(winner)} {_said(rank)}",
        facts=(winner, rank),
        rows=tuple(_rows(pinned, a, live, b)),
    )


def without_outcome(view: PinView) -> PinView:
    """Return the panel with nothing in it that the study says: it is hidden there."""
    hidden = {"pinned": "hidden", "now": "hidden"}
    return replace(
        view,
        setting="Hidden until you reveal it.",
        summary="A → now: hidden until you reveal it.",
        facts=tuple(replace(fact, **hidden) for fact in view.facts),
        rows=tuple(replace(row, **hidden, times="–") for row in view.rows),
    )


def texts(view: PinView) -> Mapping[str, str]:
    """Return the texts of a panel that depend on the swept value, by the name of their place."""
    return {
        "pin-setting": view.setting,
        "pin-summary": view.summary,
        **{
            f"pin-{change.key}-{part}": getattr(change, part)
            for change in (*view.facts, *view.rows)
            for part in ("pinned", "now", "times")
        },
    }


def _place(study: Study, value: float) -> str:
    return f"{swept_of(study.scenario.optimizer).symbol} = {words.setting(value)}"


def _said(change: Change) -> str:
    if change.pinned == change.now:
        return f"{change.label}: {change.now} in both."
    return f"{change.label}: {change.pinned} → {change.now}."


def _winner(study: Study, at: int) -> str:
    winners = study.winners[at]
    if not winners:
        return "none, unstable"
    if len(winners) > 3:
        return f"{len(winners)} mechanisms"
    return " = ".join(map(words.name, winners))


def _rank(study: Study, at: int) -> str:
    if SUBJECT not in study.mechanisms:
        return "not shown"
    rank = int(study.rank[study.mechanisms.index(SUBJECT), at])
    return f"{rank} of {int((study.rank[:, at] > 0).sum())}" if rank else "none, unstable"


def _rows(pinned: Study, a: int, live: Study, b: int) -> Sequence[Change]:
    shown = {*pinned.mechanisms, *live.mechanisms}
    return [_row(key, _damage(pinned, key, a), _damage(live, key, b)) for key in _ordered(shown)]


def _ordered(keys: set[str]) -> Sequence[str]:
    return [key for key in FAMILIES if key in keys]


def _damage(study: Study, key: str, at: int) -> float | str:
    if key not in study.mechanisms:
        return "not shown"
    row = study.mechanisms.index(key)
    return float(study.damage[row, at]) if study.rank[row, at] else "unstable"


def _row(key: str, pinned: float | str, now: float | str) -> Change:
    times = "–"
    if isinstance(pinned, float) and isinstance(now, float) and pinned > 0:
        times = f"× {_factor(now / pinned)}"
    return Change(
        key=key,
        label=words.name(key),
        pinned=pinned if isinstance(pinned, str) else words.number(pinned),
        now=now if isinstance(now, str) else words.number(now),
        times=times,
    )


def _factor(ratio: float) -> str:
    return f"{ratio:.2f}" if 0.1 <= ratio < 100 else words.number(ratio)
