"""The options that describe a scenario on the command line, and the Scenario they describe."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

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


def add_problem(parser: argparse.ArgumentParser) -> None:
    """Add the options of horizon, spectrum, schedule and optimizer.

    >>> parser = argparse.ArgumentParser()
    >>> add_problem(parser)
    >>> parser.parse_args(["--horizon", "8"]).horizon
    8
    """
    parser.add_argument("--horizon", type=int, default=128, metavar="T", help="steps (128)")
    parser.add_argument("--modes", type=int, metavar="D", help="eigenmodes (16)")
    parser.add_argument(
        "--spectrum",
        help="isotropic, log, spike, two_cluster, linear or custom (log)",
    )
    parser.add_argument(
        "--condition-number", type=float, metavar="K", help="of the spectra that have one (100)"
    )
    parser.add_argument(
        "--eigenvalues", type=float, nargs="+", metavar="L", help="values of the custom spectrum"
    )
    parser.add_argument(
        "--learning-rate",
        type=float,
        default=0.8,
        metavar="R",
        help="peak rate times the largest eigenvalue (0.8)",
    )
    parser.add_argument(
        "--schedule",
        help=(
            "constant, cosine, warmup_constant, warmup_cosine, step, exponential, front_loaded, "
            "back_loaded or custom (constant)"
        ),
    )
    for name, kind, text in SCHEDULE_PARAMETERS:
        parser.add_argument("--" + name.replace("_", "-"), type=kind, metavar="X", help=text)
    parser.add_argument(
        "--schedule-values",
        type=float,
        nargs="+",
        metavar="X",
        help="multipliers of the custom schedule, one a step",
    )
    parser.add_argument(
        "--optimizer",
        default="heavy_ball",
        metavar="NAME",
        help=(
            "heavy_ball, nesterov, ema, weight_decay, tail_average, weight_average, lp_dpsgd, "
            "filter, per_sample_momentum, dp_pmlf, inner_outer or disk (heavy_ball)"
        ),
    )
    parser.add_argument(
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


def add_privacy(parser: argparse.ArgumentParser) -> None:
    """Add the options of the privacy budget and of how often one example takes part.

    >>> parser = argparse.ArgumentParser()
    >>> add_privacy(parser)
    >>> parser.parse_args([]).epsilon
    4.0
    """
    parser.add_argument("--epsilon", type=float, default=4.0, metavar="E", help="privacy (4)")
    parser.add_argument("--delta", type=float, default=1e-5, metavar="D", help="privacy (1e-5)")
    parser.add_argument(
        "--participations",
        type=int,
        default=1,
        metavar="K",
        help="most steps that use one example (1)",
    )
    parser.add_argument(
        "--min-separation",
        type=int,
        default=1,
        metavar="S",
        help="least distance of these steps (1)",
    )


def scenario_of(options: argparse.Namespace) -> Scenario:
    """Return the scenario that the command line describes.

    Raises:
        InputError: a value is out of range, a list without its custom family, or a parameter that
            nothing reads.
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
    given = {name: value for name, value in given.items() if value is not None}
    parameters = pairs_of(options.optimizer_param)
    _check_read(options, spectrum, schedule, given, parameters)
    return Scenario(
        horizon=options.horizon,
        curvature=Curvature(
            family=spectrum,
            modes=16 if options.modes is None else options.modes,
            condition_number=100.0
            if options.condition_number is None
            else options.condition_number,
            values=tuple(options.eigenvalues or ()),
        ),
        schedule=Schedule(
            family=schedule,
            values=tuple(options.schedule_values or ()),
            **given,
        ),
        learning_rate=options.learning_rate,
        bands=options.bands,
        epsilon=options.epsilon,
        delta=options.delta,
        participations=options.participations,
        min_separation=options.min_separation,
        mechanisms=keys_of(options.mechanisms) or POOL,
        optimizer=optimizer_of(options.optimizer, parameters, OPTIMIZERS),
    )


def _check_read(
    options: argparse.Namespace,
    spectrum: str,
    schedule: str,
    given: Mapping[str, float],
    parameters: Mapping[str, str],
) -> None:
    """Refuse what would be left unread, saying which family or design reads it."""
    from momentdp_core.curvature import CONDITIONED, SPECTRA
    from momentdp_core.errors import InputError
    from momentdp_core.optimizers import OPTIMIZERS
    from momentdp_core.optimizers.filters import DESIGNS, ORDERED
    from momentdp_core.schedules import SCHEDULES

    def refuse(name: str, value: object, chosen: str, readers: Sequence[str]) -> None:
        raise InputError(
            name,
            value,
            f"nothing with {chosen}, which does not read it",
            f"It is read by {', '.join(readers)}: choose that, or leave it out.",
        )

    for name, value in given.items():
        readers = [key for key, family in SCHEDULES.items() if name in family.parameters]
        if schedule in SCHEDULES and schedule not in readers:
            refuse(name, value, f"the schedule {schedule}", [f"the schedule {k}" for k in readers])
    if options.condition_number is not None and spectrum in {*SPECTRA} - {*CONDITIONED}:
        readers = [f"the spectrum {key}" for key in CONDITIONED]
        refuse("condition_number", options.condition_number, f"the spectrum {spectrum}", readers)
    if options.min_separation > 1 and options.participations == 1:
        readers = ["--participations 2 or more"]
        refuse("min_separation", options.min_separation, "a single participation", readers)
    design = parameters.get("design", DESIGNS[0])
    designed = hasattr(OPTIMIZERS.get(options.optimizer), "order")
    if designed and "order" in parameters and design in {*DESIGNS} - {*ORDERED}:
        readers = [f"design={key}" for key in ORDERED]
        refuse("order", parameters["order"], f"the design {design}", readers)
