"""Studies and mechanisms as JSON-like values, CSV and text tables: what the command line prints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

from momentdp_core.mechanisms import FAMILIES
from momentdp_core.scenario import Scenario
from momentdp_core.study import Study


def as_json(value: object) -> str:
    """Return strict JSON text, which has no NaN and no infinity.

    >>> as_json([1])
    '[\\n  1\\n]'
    """
    return json.dumps(value, indent=2, allow_nan=False)


def study_to_dict(study: Study) -> dict[str, Any]:
    """Return a study as JSON-like values; what is not a finite number is None.

    The swept values stand under the name of the optimizer's parameter ("momentum" for heavy
    ball), here and in each crossover; "parameter" tells that name.
    """
    swept = study.scenario.optimizer.parameter
    return {
        "scenario": study.scenario.to_dict(),
        "parameter": swept,
        swept: study.values.tolist(),
        "mechanisms": [
            {
                "name": key,
                "damage": [_finite(x) for x in study.damage[n]],
                "rank": [int(place) or None for place in study.rank[n]],
                "stable": [bool(x) for x in study.stable[n]],
            }
            for n, key in enumerate(study.mechanisms)
        ],
        "winner": [keys[0] if keys else None for keys in study.winners],
        "tied_winners": [list(keys) for keys in study.winners],
        "stability_limit": [_finite(x) for x in study.stability_limit],
        "crossovers": [
            {
                swept: crossing.value,
                "below": crossing.below,
                "above": crossing.above,
                "pair": list(crossing.pair),
            }
            for crossing in study.crossovers
        ],
        "regions": [
            {"start": region.start, "stop": region.stop, "winners": list(region.winners)}
            for region in study.regions
        ],
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def study_csv(study: Study) -> str:
    """Return one line per momentum and mechanism; damage and rank are empty where unstable."""
    lines = [f"{study.scenario.optimizer.parameter},mechanism,damage,rank,stable"]
    for m, momentum in enumerate(study.values):
        for n, key in enumerate(study.mechanisms):
            value = _finite(study.damage[n, m])
            shown = "" if value is None else repr(value)
            rank = int(study.rank[n, m]) or ""
            stable = str(bool(study.stable[n, m])).lower()
            lines.append(f"{float(momentum)!r},{key},{shown},{rank},{stable}")
    return "\n".join(lines)


def study_table(study: Study) -> str:
    """Return damage and rank of each mechanism at each momentum, and the winner regions."""
    swept = study.scenario.optimizer.parameter
    header = ["mechanism", *(f"{swept} {_shortest(x)}" for x in study.values)]
    rows = []
    for n, key in enumerate(study.mechanisms):
        cells = [
            f"{study.damage[n, m]:.5g} ({study.rank[n, m]})" if study.stable[n, m] else "unstable"
            for m in range(len(study.values))
        ]
        rows.append([key, *cells])
    rows.append(["winner", *(_many(keys) for keys in study.winners)])
    fixed = study.scenario.to_dict()["optimizer"]
    name = fixed.pop("name")
    told = ", ".join(f"{key} {value}" for key, value in fixed.items())
    lines = [
        "Damage (rank): expected final loss added by privacy noise.",
        f"Optimizer: {name}" + (f" ({told})" if told else ""),
        "",
    ]
    lines += _align([header, *rows])
    unstable = [
        f"{swept} {_shortest(x)}: unstable, the peak rate must stay below {limit:g}"
        for x, limit, keys in zip(study.values, study.stability_limit, study.winners, strict=True)
        if not keys
    ]
    lines += ["", *unstable] if unstable else []
    edges = [r for r in study.regions if r.winners]
    if len(study.values) > 1 and edges:
        lines += ["", f"Winner by {swept}:"]
        lines += [f"  {r.start:.6f} to {r.stop:.6f}  {_many(r.winners)}" for r in edges]
        count = len(study.crossovers)
        noun = "crossover" if count == 1 else "crossovers"
        lines.append(f"{count} {noun} between all pairs (--format json lists them).")
    return "\n".join(lines)


def _shortest(value: float) -> str:
    """Return the value in six digits where that is the value, else in full."""
    short = f"{value:g}"
    return short if float(short) == value else repr(float(value))


def _many(keys: tuple[str, ...]) -> str:
    if not keys:
        return "none"
    return " = ".join(keys) if len(keys) < 4 else f"tie of {len(keys)}"


def _align(rows: Iterable[Sequence[str]]) -> list[str]:
    table = [list(row) for row in rows]
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    return [
        "  ".join(
            [
                row[0].ljust(widths[0]),
                *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)),
            ]
        )
        for row in table
    ]


def catalog(scenario: Scenario) -> list[dict[str, Any]]:
    """Return each of the scenario's mechanisms with its prefix-sum errors at sensitivity 1."""
    entries = []
    for key in scenario.mechanisms:
        mechanism = scenario.design(key)
        entries.append(
            {
                "name": key,
                "description": FAMILIES[key].description,
                "mean_squared_error": _finite(mechanism.mean_squared_error),
                "max_squared_error": _finite(mechanism.max_squared_error),
                "sensitivity": _finite(scenario.sensitivity(key).value),
            }
        )
    return entries


def catalog_table(entries: Sequence[dict[str, Any]]) -> str:
    """Return the catalog as an aligned table, descriptions last."""
    numbers = ("mean_squared_error", "max_squared_error", "sensitivity")
    rows = [["mechanism", "mean sq. error", "max sq. error", "sensitivity"]]
    rows += [[str(e["name"]), *(f"{e[name]:.6g}" for name in numbers)] for e in entries]
    notes = ["", *(str(entry["description"]) for entry in entries)]
    lines = zip(_align(rows), notes, strict=True)
    return "\n".join(f"{line}  {note}".rstrip() for line, note in lines)
