"""The command line: python -m momentdp_core evaluate | mechanisms | design | reproduce"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from momentdp_core import design_command, reproduce
from momentdp_core.scenario_options import add_privacy, add_problem, scenario_of

# The engine is imported inside the functions, so that --help and bad options answer at once.


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands.

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
            "Exact final loss that privacy noise adds on a quadratic, for heavy-ball momentum or "
            "another linear optimizer. Crossovers are searched between the smallest and the "
            "largest swept value."
        ),
        allow_abbrev=False,
    )
    add_problem(study)
    swept = study.add_mutually_exclusive_group()
    swept.add_argument(
        "--momentum",
        "--values",
        type=float,
        nargs="+",
        metavar="MU",
        help=(
            "what is swept, reported once each in ascending order: the momentum, 0 <= MU < 1 "
            "(0 0.5 0.9), or the main parameter of another optimizer (the same, from 0.1 where 0 "
            "is not allowed)"
        ),
    )
    grid: dict[str, Any] = {"nargs": 3, "metavar": ("LOW", "HIGH", "STEP")}
    swept.add_argument(
        "--sweep", type=float, help="instead: every STEP, such as 0 0.99 0.01", **grid
    )
    study.add_argument("--bands", type=int, default=16, metavar="B", help="bands (16)")
    add_privacy(study)
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
    catalog.add_argument("--mechanisms", nargs="+", metavar="KEY", help="keys to list (all)")
    _add_format(catalog, ("json", "table"))

    maker = commands.add_parser("design", help=design_command.HELP, allow_abbrev=False)
    design_command.add_options(maker)
    _add_format(maker, ("json", "table"))

    claims = commands.add_parser("reproduce", help=reproduce.HELP, allow_abbrev=False)
    reproduce.add_options(claims)
    return parser


def _add_format(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    parser.add_argument(
        "--format",
        choices=formats,
        help="output format (table on a terminal, json elsewhere)",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code: 0, or 2 for bad input with one line on stderr.

    `reproduce` returns 1 when an exact claim does not hold, and 130 after Ctrl-C.

    >>> main(["evaluate", "--momentum", "1.5"])
    2
    """
    options = build_parser().parse_args(arguments)
    # Before NumPy is loaded: more BLAS threads than one slow these small matrices down.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from momentdp_core.errors import InputError

    code = 0
    try:
        if options.command == "reproduce":
            text, code = reproduce.run(options)
        else:
            text = RUN[options.command](options, options.format or _default_format())
    except InputError as error:
        print(f"python -m momentdp_core: {error}", file=sys.stderr)
        return 2
    try:
        print(text, end="\n" if text else "", flush=True)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _default_format() -> str:
    return "table" if sys.stdout.isatty() else "json"


def run_evaluate(options: argparse.Namespace, form: str) -> str:
    """Return the text of `evaluate` as json, csv or a table."""
    from momentdp_core.options import every_step

    scenario = scenario_of(options)
    swept = every_step(*options.sweep) if options.sweep else options.momentum
    if swept is None:
        swept = [0.0 if scenario.optimizer.zero else 0.1, 0.5, 0.9]
    scenario.optimizer.check(swept)
    from momentdp_core import report
    from momentdp_core.study import evaluate

    study = evaluate(scenario, sorted(set(swept)))
    if form == "json":
        return report.as_json(report.study_to_dict(study))
    return report.study_csv(study) if form == "csv" else report.study_table(study)


def run_mechanisms(options: argparse.Namespace, form: str) -> str:
    """Return the text of `mechanisms` as json or a table."""
    from momentdp_core import report
    from momentdp_core.mechanisms import MECHANISMS
    from momentdp_core.options import keys_of
    from momentdp_core.scenario import Scenario

    scenario = Scenario(
        horizon=options.horizon,
        bands=options.bands,
        mechanisms=keys_of(options.mechanisms) or tuple(MECHANISMS),
    )
    catalog = report.catalog(scenario)
    return report.as_json(catalog) if form == "json" else report.catalog_table(catalog)


RUN = {"evaluate": run_evaluate, "mechanisms": run_mechanisms, "design": design_command.run}

if __name__ == "__main__":
    sys.exit(main())
