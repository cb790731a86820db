"""The results that come with the program: what `reproduce --all` gave, when, and where.

python -m momentdp_core.experiments.shipped DIR    # take over the finished run in DIR
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from momentdp_core.errors import InputError

# Outside the digest of the source: results do not change what a study does.
FILE = Path(__file__).parent / "results" / "results.json"


@dataclass(frozen=True, kw_only=True, eq=False)
class Results:
    """A finished run over all claims.

    Args:
        date: day of the run, as 2026-01-31.
        seed: of all sampling.
        environment: versions it was computed with.
        claims: the row of each claim, by its identity, as `reproduce` writes it.
        records: what each study found, by its key, as JSON-like values.
    """

    date: str
    seed: int
    environment: Mapping[str, str]
    claims: Mapping[str, dict[str, Any]]
    records: Mapping[str, Any]


@lru_cache(maxsize=1)
def shipped_results() -> Results:
    """Return the results that come with the program.

    >>> shipped_results().claims["M6"]["published"]
    '7 of 9'
    """
    told = json.loads(FILE.read_text(encoding="utf-8"))
    return Results(
        date=told["date"],
        seed=told["seed"],
        environment=MappingProxyType(told["environment"]),
        claims=MappingProxyType({row["claim"]: row for row in told["claims"]}),
        records=MappingProxyType(told["records"]),
    )


def take_over(folder: Path, file: Path = FILE) -> Path:
    """Write the finished run in a folder as the results that come with the program.

    Args:
        folder: the DIR of `reproduce --all --out DIR`.
        file: where to.

    Raises:
        InputError: the folder holds no run over all claims.
    """
    from momentdp_core.experiments.claims import CLAIMS
    from momentdp_core.experiments.execution import study_path

    report = folder / "claims.json"
    if not report.is_file():
        raise InputError("DIR", str(folder), "a folder with claims.json", "Run reproduce --all.")
    told = json.loads(report.read_text(encoding="utf-8"))
    missing = sorted(set(CLAIMS) - {row["claim"] for row in told["claims"]})
    if missing:
        raise InputError("DIR", ", ".join(missing), "no claim left out", "Run reproduce --all.")
    records = {
        key: json.loads(study_path(folder, key).read_text(encoding="utf-8"))["record"]
        for key in told["seconds"]
    }
    day = datetime.fromtimestamp(report.stat().st_mtime, tz=UTC).date()
    lines = [
        f'"date":"{day}"',
        *(f'"{name}":{_text(told[name])}' for name in ("seed", "environment")),
        '"claims":[\n' + ",\n".join(_text(row) for row in told["claims"]) + "\n]",
        '"records":{\n'
        + ",\n".join(f'"{key}":{_text(record)}' for key, record in sorted(records.items()))
        + "\n}",
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    return file


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


if __name__ == "__main__":
    print(take_over(Path(sys.argv[1])))
