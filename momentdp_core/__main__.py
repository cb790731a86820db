"""The command line: python -m momentdp_core evaluate … | mechanisms … | reproduce …"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from momentdp_core import reproduce

if TYPE_CHECKING:
    from momentdp_core.scenario import Scenario

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
    study.add_argument("--horizon", type=int, default=128, metavar="T", help="steps (128)")
    study.add_argument("--modes", type=int, metavar="D", help="eigenmodes (16)")
    study.add_argument(
        "--spectrum",
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
        "--optimizer",
        default="heavy_ball",
        metavar="NAME",
        help=(
            "heavy_ball, nesterov, ema, weight_decay, tail_average, weight_average, lp_dpsgd, "
            "filter, per_sample_momentum, dp_pmlf, inner_outer or disk (heavy_ball)"
        ),
    )
    study.add_argument(
        "--optimizer-param",
        nargs="+",
        default=[],
        metavar="KEY=VALUE",
        help=(
            "its fixed parameters, defaults in brackets: ema bias_correction (false); "
            "weight_decay decay (0.01); tail_average fraction (0.25); weight_average momentum (0); "
            "lp_dpsgd design (first_order or butterworth), order (1), normalise (true); filter a, "
            "b, normalise; per_sample_momentum steps (4); inner_outer beta (0.9), steps (4); "
            "dp_pmlf beta, steps, design, order, normalise. Lists: a=-0.5,0.1"
        ),
    )
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
    study.add_argument("--epsilon", type=float, default=4.0, metavar="E", help="privacy (4)")
    study.add_argument("--delta", type=float, default=1e-5, metavar="D", help="privacy (1e-5)")
    repeated: dict[str, Any] = {"type": int, "default": 1}
    study.add_argument(
        "--participations", metavar="K", help="most steps that use one example (1)", **repeated
    )
    study.add_argument(
        "--min-separation", metavar="S", help="least distance of these steps (1)", **repeated
    )
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
            command = run_evaluate if options.command == "evaluate" else run_mechanisms
            text = command(options, options.format or _default_format())
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


def scenario_of(options: argparse.Namespace) -> Scenario:
    """Return the scenario that the command line describes.

    Raises:
        InputError: a value is out of range, or a list without its custom family.
    """
    from momentdp_core.curvature import Curvature
    from momentdp_core.errors import InputError
    from momentdp_core.mechanisms import POOL
    from momentdp_core.optimizers import OPTIMIZERS, optimizer_of
    from momentdp_core.options import keys_of, pairs_of
    from momentdp_core.scenario import Scenario
    from momentdp_core.schedules import Schedule

    spectrum = options.spectrum
    if spectrum is None:
        spectrum = "custom" if options.eigenvalues else "log"
    schedule = options.schedule
    if schedule is None:
        schedule = "custom" if options.schedule_values else "constant"
    if options.eigenvalues and options.modes not in (None, len(options.eigenvalues)):
        raise InputError(
            "modes",
            options.modes,
            f"{len(options.eigenvalues)}, the number of eigenvalues",
            "Leave --modes out when you give --eigenvalues.",
        )
    given = {name: getattr(options, name) for name, _, _ in SCHEDULE_PARAMETERS}
    return Scenario(
        horizon=options.horizon,
        curvature=Curvature(
            family=spectrum,
            modes=16 if options.modes is None else options.modes,
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
        participations=options.participations,
        min_separation=options.min_separation,
        mechanisms=keys_of(options.mechanisms) or POOL,
        optimizer=optimizer_of(options.optimizer, pairs_of(options.optimizer_param), OPTIMIZERS),
    )


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


if __name__ == "__main__":
    sys.exit(main())
