"""The command `design`: the best mechanism for what is known, as a file for training."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from momentdp_core.scenario_options import add_privacy, add_problem, scenario_of

if TYPE_CHECKING:
    from momentdp_core.design_file import SavedDesign
    from momentdp_core.unknowns import Unknowns

# The engine is imported inside the functions, so that --help and bad options answer at once.

HELP = "the mechanism of least damage for a condition or a range, as a file for training"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `design` to its parser.

    >>> parser = argparse.ArgumentParser()
    >>> add_options(parser)
    >>> parser.parse_args(["--out", "d.npz", "--momentum", "0.8", "0.95"]).momentum
    [0.8, 0.95]
    """
    parser.description = (
        "Design the mechanism that does the least damage, with a certificate of how far it can be "
        "from the best one, and write it to a .npz file: strategy and noising matrix, scenario, "
        "sensitivity, certificate. Ranges of the swept value, of the condition number and of the "
        "learning rate make a design for all of them."
    )
    add_problem(parser)
    parser.add_argument(
        "--momentum",
        "--values",
        type=float,
        nargs="+",
        default=[0.9],
        metavar="MU",
        help="the swept parameter of the optimizer: one value, or the lowest and the highest (0.9)",
    )
    parser.add_argument(
        "--condition-factor",
        type=float,
        default=1.0,
        metavar="F",
        help="the condition number is known within this factor (1)",
    )
    parser.add_argument(
        "--lowest-rate",
        type=float,
        default=1.0,
        metavar="R",
        help="the learning rate, or the curvature, may be as low as this share of it (1)",
    )
    parser.add_argument(
        "--path-share",
        type=float,
        default=0.0,
        metavar="P",
        help="how much the mean damage over all steps counts beside the final one (0)",
    )
    parser.add_argument(
        "--bands", type=int, dest="design_bands", metavar="B", help="bands of the design (full)"
    )
    parser.add_argument(
        "--worst-case", action="store_true", help="least worst damage of the range, not least mean"
    )
    parser.add_argument(
        "--absolute",
        action="store_true",
        help="count damages as they are, not as multiples of each condition's own optimum",
    )
    add_privacy(parser)
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="the file to write, such as d.npz"
    )
    parser.set_defaults(bands=16, mechanisms=None)


def run(options: argparse.Namespace, form: str) -> str:
    """Design, write the file and return its summary as json or a table.

    Raises:
        InputError: a value is out of range, an unstable condition, or a file that cannot be
            written.
    """
    unknown = _unknowns(options)
    from momentdp_core.design_file import save_design, saved
    from momentdp_core.unknowns import design_for

    design = design_for(
        unknown,
        bands=options.design_bands,
        worst_case=options.worst_case,
        relative=not options.absolute,
        path_share=options.path_share,
    )
    save_design(design, options.out)
    told = summary(saved(design), str(options.out))
    if form == "json":
        from momentdp_core.report import as_json

        return as_json(told)
    width = max(map(len, told))
    return "\n".join(f"{name.replace('_', ' '):{width}}  {_text(x)}" for name, x in told.items())


def summary(design: SavedDesign, file: str) -> dict[str, Any]:
    """Return what there is to say about a design, as JSON-like values.

    Args:
        design: the design.
        file: where it was written.
    """
    times = [d / b if b > 0 else 1.0 for d, b in zip(design.damage, design.best, strict=True)]
    return {
        "file": file,
        "mechanism": design.mechanism.key,
        "horizon": design.mechanism.horizon,
        "bands": design.bands,
        "conditions": len(design.conditions),
        "path_share": design.path_share,
        "objective": design.objective,
        "bound": design.bound,
        "gap": design.gap,
        "converged": design.mechanism.report.converged,
        "damage": [float(d) for d in design.damage],
        "times_best": [float(x) for x in times],
        "sensitivity": design.sensitivity.value,
        "sensitivity_exact": design.sensitivity.exact,
        "noise_multiplier": design.noise_multiplier,
    }


def _unknowns(options: argparse.Namespace) -> Unknowns:
    from momentdp_core.errors import InputError
    from momentdp_core.unknowns import Unknowns

    scenario = scenario_of(options)
    if len(options.momentum) > 2:
        raise InputError(
            scenario.optimizer.parameter,
            options.momentum,
            "one value, or the lowest and the highest",
            "Leave the values between out: they are filled in.",
        )
    return Unknowns(
        scenario=scenario,
        low=options.momentum[0],
        high=options.momentum[-1],
        condition_factor=options.condition_factor,
        lowest_rate=options.lowest_rate,
    )


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        low, high = min(value), max(value)
        return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
    if isinstance(value, float):
        return f"{value:.6g}"
    return {None: "full", True: "yes", False: "no"}.get(value, str(value))  # type: ignore[call-overload,no-any-return]
