"""What "Evidence" says: the published claims, what came out here, and how near the two are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from momentdp_core.experiments.shipped import Results
from pages.views.readout import Readout

CLAIMS: Final = (*(f"M{n}" for n in range(1, 34)), *(f"P{n}" for n in range(1, 6)))
PAPERS: Final = {"all": "Both papers", "moment": "MOMENT-DP", "pmlf": "DP-PMLF"}
KINDS: Final = {"all": "Exact and statistical", "exact": "Exact", "statistical": "Statistical"}
# The verdicts from best to worst: key, name, mark, and what it means.
VERDICTS: Final = {
    "reproduced": ("Reproduced", "✔", "agrees up to rounding"),
    "within": ("Within x %", "≈", "every figure within x % of the published one, x at most 10"),
    "order": ("Same order", "↕", "the figures differ, their order is the published one"),
    "direction": ("Same direction", "↗", "only the direction of the effect is the published one"),
    "not": ("Not reproduced", "✘", "not even the direction"),
}
_WORDS: Final = {
    "reproduced": "reproduced", "same order": "order", "same direction": "direction",
    "not reproduced": "not",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Row:
    """One claim: published and ours side by side."""

    claim: str
    statement: str
    source: str
    paper: str
    published: str
    ours: str
    verdict: str
    group: str
    kind: str
    published_values: tuple[float, ...]
    our_values: tuple[float, ...]
    setting: str
    detail: str
    study: str
    seconds: float
    seed: int


def row_of(told: Mapping[str, Any]) -> Row:
    """Return the row of a claim from what `reproduce` wrote about it."""
    verdict = told["verdict"]
    return Row(
        **{name: told[name] for name in (
            "claim", "statement", "source", "published", "ours", "verdict", "kind", "setting",
            "detail", "study", "seconds", "seed",
        )},
        paper="moment" if told["claim"].startswith("M") else "pmlf",
        group=_WORDS.get(verdict, "within"),
        published_values=tuple(told["published_values"]),
        our_values=tuple(told["our_values"]),
    )  # fmt: skip


def rows_of(results: Results) -> tuple[Row, ...]:
    """Return the row of every claim, in the order of the list."""
    return tuple(row_of(told) for told in results.claims.values())


def rerun_row(row: Row, outcome: Mapping[str, Any]) -> Row:
    """Return a row with what a fresh run of its study found."""
    (verdict,) = [v for v in outcome["verdicts"] if v["claim"] == row.claim]
    told = {
        **{name: getattr(row, name) for name in ("statement", "source", "study")},
        **verdict,
        "verdict": verdict["outcome"],
        **{name: outcome[name] for name in ("seconds", "seed")},
    }
    return row_of(told)


def chosen(
    rows: Sequence[Row], paper: str, verdicts: Collection[str], kind: str
) -> tuple[Row, ...]:
    """Return the rows that the filters leave."""
    return tuple(
        row
        for row in rows
        if paper in ("all", row.paper) and row.group in verdicts and kind in ("all", row.kind)
    )


def readouts(rows: Sequence[Row]) -> tuple[Readout, ...]:
    """Return how many claims have which verdict."""
    counts = Counter(row.group for row in rows)
    return tuple(
        Readout(
            key=group,
            label=f"{mark} {name}",
            value=f"{counts[group]} of {len(rows)}",
            detail=meaning,
        )
        for group, (name, mark, meaning) in VERDICTS.items()
    )


def sentence(rows: Sequence[Row]) -> str:
    """Say how the exact claims and the others stand."""
    exact = [row for row in rows if row.kind == "exact"]
    held = sum(row.group == "reproduced" for row in exact)
    missed = [row.claim for row in rows if row.group == "not"]
    told = f"{held} of {len(exact)} exact claims are reproduced. "
    if not missed:
        return told + "No claim is without any agreement."
    return told + f"Not reproduced: {', '.join(missed)}."


def label(results: Results) -> str:
    """Say when and with what the shipped results were computed."""
    here = results.environment
    return (
        f"Shipped results: computed on {results.date} with momentdp {here['momentdp']}, "
        f"seed {results.seed} (Python {here['python']}, NumPy {here['numpy']}, SciPy "
        f"{here['scipy']}, {here['machine']})."
    )
