"""The command `reproduce`: recompute claims, show published | ours | verdict, keep the results."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from momentdp_core.experiments.execution import Outcome
    from momentdp_core.experiments.verdicts import Claim

# The engine is imported inside the functions, so that --help and bad options answer at once.

HELP = "the paper's claims recomputed: published | ours | verdict"
INTERRUPTED = 130
CELL = 46
PAUSE = 10.0  # seconds between two lines about one study
COLUMNS = ("claim", "published", "ours", "verdict")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `reproduce` to its parser.

    >>> parser = argparse.ArgumentParser()
    >>> add_options(parser)
    >>> parser.parse_args(["M4", "--out", "results"]).claims
    ['M4']
    """
    parser.description = (
        "Recompute published claims. Finished studies are kept in DIR, so that an interrupted run "
        "goes on where it stopped. Exit code 1 when an exact claim does not hold."
    )
    parser.add_argument("claims", nargs="*", metavar="ID", help="claims, such as M2 M4")
    parser.add_argument("--all", action="store_true", help="every claim")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all sampling (0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="where results are written; what it already holds of this version is not run again",
    )
    parser.add_argument(
        "--backend", choices=("local", "dask"), default="local", help="where it runs (local)"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of the Dask cluster, such as tcp://host:8786"
    )


def run(options: argparse.Namespace) -> tuple[str, int]:
    """Run the studies behind the chosen claims; return the table and the exit code.

    The code is 0, 1 when an exact claim does not hold, or 130 after Ctrl-C.

    Raises:
        InputError: unknown claims, or options that do not fit together.
    """
    from momentdp_core.experiments.claims import EXPERIMENTS
    from momentdp_core.experiments.execution import keep, kept, run_studies

    claims = _chosen(options)
    folder = _writable(options.out)
    studies = [key for key in EXPERIMENTS if any(claim.study == key for claim in claims)]
    outcomes: dict[str, Outcome] = {}
    for key in studies:
        if (old := kept(folder, key, options.seed)) is not None:
            outcomes[key] = old
            _tell(len(outcomes), len(studies), f"{key}: kept from an earlier run")
    waiting = [key for key in studies if key not in outcomes]
    scheduler = options.scheduler if options.backend == "dask" else None
    try:
        for outcome in run_studies(
            waiting,
            seed=options.seed,
            jobs=options.jobs,
            scheduler=scheduler,
            tell=tell_progress,
        ):
            keep(folder, outcome)
            outcomes[outcome["study"]] = outcome
            done = f"{outcome['study']}: {outcome['seconds']:.1f} s"
            _tell(len(outcomes), len(studies), done)
    except KeyboardInterrupt:
        print(
            f"Interrupted. {len(outcomes)} of {len(studies)} studies are kept in {folder}; "
            "the same command goes on from there.",
            file=sys.stderr,
        )
        return "", INTERRUPTED
    rows = [_row(claim, outcomes[claim.study]) for claim in claims]
    _write(folder, rows, list(outcomes.values()), options.seed)
    failed = [row["claim"] for row in rows if row["kind"] == "exact" and not _held(row)]
    text = table(rows)
    if failed:
        text += f"\n\nExact claims that do not hold: {', '.join(failed)}."
    return text, 1 if failed else 0


def _held(row: dict[str, Any]) -> bool:
    return bool(row["verdict"] == "reproduced")


def _chosen(options: argparse.Namespace) -> tuple[Claim, ...]:
    from momentdp_core.errors import InputError, check_integer
    from momentdp_core.experiments.claims import CLAIMS, find_claims

    check_integer("seed", options.seed, low=0)
    check_integer("jobs", options.jobs, low=1)
    if (options.backend == "dask") != (options.scheduler is not None):
        raise InputError(
            "scheduler",
            options.scheduler,
            "an address together with --backend dask",
            "Give both or neither.",
        )
    if bool(options.claims) == options.all:
        raise InputError(
            "claims",
            options.claims,
            "either claims by name or --all",
            "The claims are " + ", ".join(CLAIMS) + ".",
        )
    return tuple(CLAIMS.values()) if options.all else find_claims(options.claims)


def _writable(folder: Path) -> Path:
    from momentdp_core.errors import InputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        usable = os.access(folder, os.W_OK)
    except OSError:
        usable = False
    if not usable:
        raise InputError("out", str(folder), "a folder that can be written", "Name another one.")
    return folder


def _tell(done: int, total: int, text: str) -> None:
    print(f"[{done:{len(str(total))}d}/{total}] {text}", file=sys.stderr, flush=True)


@cache
def _last_told(key: str) -> list[float]:
    return [time.monotonic()]


def tell_progress(key: str, share: float, text: str) -> None:
    """Write how far a study is to stderr, at most every PAUSE seconds a study and process."""
    last = _last_told(key)
    if time.monotonic() - last[0] >= PAUSE:
        last[0] = time.monotonic()
        print(f"  {key}: {100 * share:.0f} %, {text}", file=sys.stderr, flush=True)


def _row(claim: Claim, outcome: Outcome) -> dict[str, Any]:
    (verdict,) = [v for v in outcome["verdicts"] if v["claim"] == claim.id]
    return {
        "claim": claim.id,
        "statement": claim.statement,
        "source": claim.source,
        "published": verdict["published"],
        "ours": verdict["ours"],
        "verdict": verdict["outcome"],
        "kind": verdict["kind"],
        "published_values": verdict["published_values"],
        "our_values": verdict["our_values"],
        "setting": verdict["setting"],
        "detail": verdict["detail"],
        "study": outcome["study"],
        "seconds": outcome["seconds"],
        "seed": outcome["seed"],
    }


def _write(
    folder: Path, rows: Sequence[dict[str, Any]], outcomes: Sequence[Outcome], seed: int
) -> None:
    import csv

    from momentdp_core.experiments.execution import environment
    from momentdp_core.report import as_json

    here = environment()
    report = {
        "environment": here,
        "seed": seed,
        "seconds": {outcome["study"]: outcome["seconds"] for outcome in outcomes},
        "claims": list(rows),
    }
    (folder / "claims.json").write_text(as_json(report) + "\n", encoding="utf-8")
    with (folder / "claims.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*rows[0], *here])
        for row in rows:
            cells = [" ".join(map(repr, x)) if isinstance(x, list) else x for x in row.values()]
            writer.writerow([*cells, *here.values()])


def table(rows: Iterable[dict[str, Any]]) -> str:
    """Return claim | published | ours | verdict as text, long cells on several lines.

    >>> print(table([{"claim": "M6", "published": "7 of 9", "ours": "7 of 9",
    ...               "verdict": "reproduced"}]))
    claim  published  ours    verdict
    M6     7 of 9     7 of 9  reproduced
    """
    from textwrap import wrap

    cells = [
        [wrap(str(text), CELL) or [""] for text in row]
        for row in (COLUMNS, *([row[name] for name in COLUMNS] for row in rows))
    ]
    widths = [max(len(line) for row in cells for line in row[k]) for k in range(len(COLUMNS))]
    lines = []
    for row in cells:
        for number in range(max(map(len, row))):
            parts = [cell[number] if number < len(cell) else "" for cell in row]
            padded = [part.ljust(width) for part, width in zip(parts, widths, strict=True)]
            lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)
