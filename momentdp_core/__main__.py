"""The command line: python -m momentdp_core evaluate … | mechanisms …"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from momentdp_core.scenario import Scenario
    from momentdp_core.study import Study

# The engine is imported inside the functions, so that --help and bad options answer at once.

SCHEDULE_PARAMETERS = (
    ("warmup_fraction", float, "share of the horizon spent warming up (0.1)"),
    ("step_factor", float, "factor of each step of the step decay (0.1)"),
    ("step_stages", int, "number of stages of the step decay (3)"),
    ("final_fraction", float, "last value of the exponential decay (0.01)"),
    ("front_end", float, "last value of the front-loaded schedule (0.1)"),
    ("back_start", float, "first value of the back-loaded schedule (0.1)"),
)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of both commands.

    >>> build_parser().parse_args(["mechanisms", "--horizon", "8"]).horizon
    8
    """
    parser = _Parser(
        prog="python -m momentdp_core",
        description="How the optimizer changes which differentially private noise is best.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    study = commands.add_parser(
        "evaluate",
        help="damage and rank of every mechanism at each momentum, winners and crossovers",
        description=(
            "Exact final loss that privacy noise adds on a quadratic trained with heavy-ball "
            "momentum. Crossovers are searched between the smallest and the largest momentum."
        ),
        allow_abbrev=False,
    )
    study.add_argument("--horizon", type=int, default=128, metavar="T", help="steps (128)")
    study.add_argument("--modes", type=int, default=16, metavar="D", help="eigenmodes (16)")
    study.add_argument(
        "--spectrum",
        default="log",
        help="isotropic, log, spike, two_cluster, linear or custom (log)",
    )
    study.add_argument("--condition-number", type=float, default=100.0, metavar="K", help="(100)")
    study.add_argument(
        "--eigenvalues", type=float, nargs="+", metavar="L", help="values of the custom spectrum"
    )
    study.add_argument(
        "--learning-rate",
        type=float,
        default=0.8,
        metavar="R",
        help="peak rate times the largest eigenvalue (0.8)",
    )
    study.add_argument(
        "--schedule",
        default="constant",
        help=(
            "constant, cosine, warmup_constant, warmup_cosine, step, exponential, front_loaded, "
            "back_loaded or custom (constant)"
        ),
    )
    for name, kind, text in SCHEDULE_PARAMETERS:
        study.add_argument("--" + name.replace("_", "-"), type=kind, metavar="X", help=text)
    study.add_argument(
        "--schedule-values",
        type=float,
        nargs="+",
        metavar="X",
        help="multipliers of the custom schedule, one a step",
    )
    study.add_argument(
        "--momentum",
        type=float,
        nargs="+",
        default=[0.0, 0.5, 0.9],
        metavar="MU",
        help="0 <= MU < 1, reported in ascending order (0 0.5 0.9)",
    )
    study.add_argument("--bands", type=int, default=16, metavar="B", help="bands (16)")
    study.add_argument("--epsilon", type=float, default=4.0, metavar="E", help="privacy (4)")
    study.add_argument("--delta", type=float, default=1e-5, metavar="D", help="privacy (1e-5)")
    study.add_argument(
        "--mechanisms", nargs="+", metavar="KEY", help="keys to compare (the paper's eleven)"
    )
    _add_format(study, ("json", "csv", "table"))

    catalog = commands.add_parser(
        "mechanisms",
        help="every mechanism with its description and prefix-sum errors",
        description=(
            "Every mechanism's mean and maximal squared error for prefix sums, at sensitivity 1. "
            "noisecurve and lr_aware are designed for the default problem: log spectrum, "
            "condition number 100, rate 0.8, constant schedule."
        ),
        allow_abbrev=False,
    )
    catalog.add_argument("--horizon", type=int, default=128, metavar="T", help="steps (128)")
    catalog.add_argument("--bands", type=int, default=16, metavar="B", help="bands (16)")
    _add_format(catalog, ("json", "table"))
    return parser


def _add_format(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    parser.add_argument(
        "--format",
        choices=formats,
        help="output format (table on a terminal, json elsewhere)",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0, or 2 for bad input with one line on stderr.

    >>> main(["evaluate", "--momentum", "1.5"])
    2
    """
    options = build_parser().parse_args(arguments)
    from momentdp_core.errors import InputError

    command = run_evaluate if options.command == "evaluate" else run_mechanisms
    form = options.format or ("table" if sys.stdout.isatty() else "json")
    try:
        text = command(options, form)
    except InputError as error:
        print(f"python -m momentdp_core: {error}", file=sys.stderr)
        return 2
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def scenario_of(options: argparse.Namespace) -> Scenario:
    """Return the scenario that the command line describes.

    Raises:
        InputError: a value is out of range, or a list without its custom family.
    """
    from momentdp_core.curvature import Curvature
    from momentdp_core.mechanisms import POOL
    from momentdp_core.scenario import Scenario
    from momentdp_core.schedules import Schedule

    spectrum = options.spectrum
    if options.eigenvalues and spectrum == "log":
        spectrum = "custom"  # the default family gives way to a list
    schedule = options.schedule
    if options.schedule_values and schedule == "constant":
        schedule = "custom"
    given = {name: getattr(options, name) for name, _, _ in SCHEDULE_PARAMETERS}
    return Scenario(
        horizon=options.horizon,
        curvature=Curvature(
            family=spectrum,
            modes=options.modes,
            condition_number=options.condition_number,
            values=tuple(options.eigenvalues or ()),
        ),
        schedule=Schedule(
            family=schedule,
            values=tuple(options.schedule_values or ()),
            **{name: value for name, value in given.items() if value is not None},
        ),
        learning_rate=options.learning_rate,
        bands=options.bands,
        epsilon=options.epsilon,
        delta=options.delta,
        mechanisms=tuple(options.mechanisms or POOL),
    )


def run_evaluate(options: argparse.Namespace, form: str) -> str:
    """Return the text of `evaluate` as json, csv or a table."""
    scenario = scenario_of(options)
    scenario.linear_optimizer.check(options.momentum)
    from momentdp_core.study import evaluate

    study = evaluate(scenario, sorted(set(options.momentum)))
    if form == "json":
        import json

        return json.dumps(study_to_dict(study), indent=2, allow_nan=False)
    return _study_csv(study) if form == "csv" else _study_table(study)


def study_to_dict(study: Study) -> dict[str, Any]:
    """Return a study as JSON-like values; what is not a finite number is None."""
    return {
        "scenario": study.scenario.to_dict(),
        "momentum": study.momenta.tolist(),
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
                "momentum": crossing.momentum,
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


def _study_csv(study: Study) -> str:
    lines = ["momentum,mechanism,damage,rank,stable"]
    for m, momentum in enumerate(study.momenta):
        for n, key in enumerate(study.mechanisms):
            value = _finite(study.damage[n, m])
            shown = "" if value is None else repr(value)
            rank = int(study.rank[n, m]) or ""
            stable = str(bool(study.stable[n, m])).lower()
            lines.append(f"{float(momentum)!r},{key},{shown},{rank},{stable}")
    return "\n".join(lines)


def _study_table(study: Study) -> str:
    header = ["mechanism", *(f"momentum {x:g}" for x in study.momenta)]
    rows = []
    for n, key in enumerate(study.mechanisms):
        cells = [
            f"{study.damage[n, m]:.5g} ({study.rank[n, m]})" if study.stable[n, m] else "unstable"
            for m in range(len(study.momenta))
        ]
        rows.append([key, *cells])
    rows.append(["winner", *(_many(keys) for keys in study.winners)])
    lines = ["Damage (rank): expected final loss added by privacy noise.", ""]
    lines += _align([header, *rows])
    unstable = [
        f"momentum {x:g}: unstable, the peak rate must stay below {limit:g}"
        for x, limit, keys in zip(study.momenta, study.stability_limit, study.winners, strict=True)
        if not keys
    ]
    lines += ["", *unstable] if unstable else []
    edges = [r for r in study.regions if r.winners]
    if len(study.momenta) > 1 and edges:
        lines += ["", "Winner by momentum:"]
        lines += [f"  {r.start:.6f} to {r.stop:.6f}  {_many(r.winners)}" for r in edges]
        lines.append(f"{len(study.crossovers)} crossovers between all pairs (--format json).")
    return "\n".join(lines)


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


def run_mechanisms(options: argparse.Namespace, form: str) -> str:
    """Return the text of `mechanisms` as json or a table."""
    from momentdp_core.mechanisms import MECHANISMS
    from momentdp_core.scenario import Scenario

    scenario = Scenario(horizon=options.horizon, bands=options.bands, mechanisms=tuple(MECHANISMS))
    catalog = []
    for key, family in MECHANISMS.items():
        mechanism = scenario.design(key)
        catalog.append(
            {
                "name": key,
                "description": family.description,
                "mean_squared_error": mechanism.mean_squared_error,
                "max_squared_error": mechanism.max_squared_error,
                "sensitivity": mechanism.sensitivity,
            }
        )
    if form == "json":
        import json

        return json.dumps(catalog, indent=2, allow_nan=False)
    rows = [["mechanism", "mean sq. error", "max sq. error", "sensitivity"]]
    rows += [
        [
            str(entry["name"]),
            f"{entry['mean_squared_error']:.6g}",
            f"{entry['max_squared_error']:.6g}",
            f"{entry['sensitivity']:.6g}",
        ]
        for entry in catalog
    ]
    aligned = _align(rows)
    notes = ["", *(str(entry["description"]) for entry in catalog)]
    return "\n".join(f"{line}  {note}".rstrip() for line, note in zip(aligned, notes, strict=True))


if __name__ == "__main__":
    sys.exit(main())
