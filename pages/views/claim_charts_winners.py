"""The figures of M4 to M7: who wins where."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from momentdp_core.experiments.winner_claims import PUBLISHED_WINNERS
from pages.views import words
from pages.views.claim_parts import SCHEDULES, Chart, Comparison, Curve, Curves, Side, Tiles, both
from pages.views.evidence import Row

Record = Mapping[str, Any]
# All but 0.9, which a narrow screen has no room for beside 0.95.
_TICKS: Final = (0.0, 0.5, 0.8, 0.95)
_RIGHT: Final = ("wrong", "correct")


def _ratios(record: Record) -> list[dict[str, float]]:
    """Return each mechanism's damage over the least one, a momentum each."""
    keys = record["mechanisms"]
    return [
        {k: x / min(line) for k, x in zip(keys, line, strict=True)} for line in record["damage"]
    ]


def _winners(row: Row, record: Record) -> tuple[Chart, ...]:
    momenta, ratios = tuple(record["momenta"]), _ratios(record)
    shown = tuple(dict.fromkeys(PUBLISHED_WINNERS))
    others = tuple(min(x for key, x in r.items() if key not in shown) for r in ratios)
    return (
        Curves(
            title="Damage over the least at each momentum, and the winner that the paper names",
            curves=(
                *(
                    Curve(name=words.name(key), x=momenta, y=tuple(r[key] for r in ratios), key=key)
                    for key in shown
                ),
                Curve(name="best of the other nine", x=momenta, y=others),
                Curve(
                    name="published winner",
                    x=momenta,
                    y=tuple(r[key] for r, key in zip(ratios, PUBLISHED_WINNERS, strict=True)),
                    marks=True,
                ),
            ),
            x_axis="momentum μ",
            y_axis="damage ÷ least damage (log scale)",
            y_log=True,
            ticks=_TICKS,
            alt=both(row),
        ),
    )


def _columns(row: Row, record: Record) -> tuple[Chart, ...]:
    momenta, ratios = tuple(record["momenta"]), _ratios(record)
    winners, aware = record["winners"], record["aware_choices"]
    blind = [record["blind_choice"]] * len(momenta)
    names = tuple(f"μ = {mu:g}" for mu in momenta)
    sides = (
        Side(name="published, NoiseCurve's score", values=tuple(float(mu == 0) for mu in momenta)),
        Side(name="ours, NoiseCurve's score", values=_right(blind, winners)),
        Side(name="published, optimizer-aware", values=(1.0,) * len(momenta)),
        Side(name="ours, optimizer-aware", values=_right(aware, winners)),
    )
    return (
        Comparison(
            title="Whether a score's first choice is the winner",
            categories=names,
            sides=sides,
            axis="first choice",
            words=_RIGHT,
            alt=both(row),
        ),
        Curves(
            title="What the first choice of each score loses to the winner",
            curves=tuple(
                Curve(
                    name=name,
                    x=momenta,
                    y=tuple(100 * (r[key] - 1) for r, key in zip(ratios, choice, strict=True)),
                )
                for name, choice in (("NoiseCurve's score", blind), ("optimizer-aware", aware))
            ),
            x_axis="momentum μ",
            y_axis="damage above the least, %",
            ticks=_TICKS,
            alt="Damage of each score's first choice above the least one, over the momentum.",
        ),
    )


def _right(choices: list[str], winners: list[str]) -> tuple[float, ...]:
    return tuple(float(a == b) for a, b in zip(choices, winners, strict=True))


def _slice(entry: Record) -> str:
    return (
        f"κ {entry['condition_number']:g}, {SCHEDULES[entry['schedule']]}, "
        f"rate {entry['learning_rate']:g}"
    )


def _changes(entry: Record) -> bool:
    return len(set(entry["winners"])) > 1


def _slices(row: Row, record: Record) -> tuple[Chart, ...]:
    slices = record["slices"]
    return (
        Tiles(
            title="Who wins in each slice; ↔ marks those where the winner changes with momentum",
            rows=tuple(f"{'↔ ' if _changes(s) else ''}{_slice(s)}" for s in slices),
            columns=tuple(f"{mu:g}" for mu in record["momenta"]),
            keys=tuple(tuple(s["winners"]) for s in slices),
            names=tuple(tuple(words.name(key) for key in s["winners"]) for s in slices),
            x_axis="momentum μ",
            alt=both(row),
        ),
    )


def _lr_aware(row: Row, record: Record) -> tuple[Chart, ...]:
    slices = [s for s in record["slices"] if _changes(s)]
    return (
        Comparison(
            title="Mechanisms of eleven whose rank depends on the momentum, in those slices",
            categories=tuple(_slice(s) for s in slices),
            sides=(
                Side(name="published, by the LR-aware score", values=(0.0,) * len(slices)),
                Side(
                    name="ours, by the LR-aware score",
                    values=tuple(_moved(s["lr_aware_rankings"]) for s in slices),
                ),
                Side(name="by damage", values=tuple(_moved(s["rankings"]) for s in slices)),
            ),
            axis="mechanisms whose rank changes",
            flat=True,
            alt=both(row),
        ),
    )


def _moved(rankings: list[list[int]]) -> float:
    return float(sum(len(set(ranks)) > 1 for ranks in zip(*rankings, strict=True)))


CHARTS: Final[Mapping[str, Callable[[Row, Record], tuple[Chart, ...]]]] = MappingProxyType(
    {"M4": _winners, "M5": _columns, "M6": _slices, "M7": _lr_aware}
)
