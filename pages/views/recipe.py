"""A scenario in words, as Python, and as a command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from momentdp_core import (
    OWN_KEY,
    POOL,
    SCHEDULES,
    SPECTRA,
    Curvature,
    MapAxis,
    Scenario,
    Schedule,
)
from momentdp_core.curvature import CONDITIONED
from momentdp_core.mechanisms.own import FROM_DESIGN
from momentdp_core.optimizers import LinearOptimizer
from momentdp_core.optimizers.filters import ORDERED
from pages.views import words
from pages.views.swept import swept_of

VALUE: Final = "{value}"  # stands for the swept value, which the browser knows


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a page is about, as texts to take away; empty where there is none."""

    caption: str
    python: str = ""
    command: str = ""


def setting(scenario: Scenario) -> Setting:
    """Return the texts of a scenario whose optimizer's parameter is swept."""
    return Setting(
        caption=caption(scenario), python=as_python(scenario), command=as_command(scenario)
    )


def caption(scenario: Scenario) -> str:
    """Return one sentence on the setting, with VALUE in place of the swept value.

    >>> caption(Scenario())[:52]
    'Heavy ball, momentum μ = {value}; schedule: constant'
    """
    optimizer = scenario.optimizer
    fixed = "".join(f", {_plain(name)} {_told(value)}" for name, value in _given(optimizer).items())
    return f"{optimizer.label}, {swept_of(optimizer).title} = {VALUE}{fixed}; {problem(scenario)}."


def problem(scenario: Scenario) -> str:
    """Return everything of a scenario but the optimizer in words.

    >>> problem(Scenario())[-30:]
    'b = 16 bands; ε = 4, δ = 1e-05'
    """
    schedule, curvature = scenario.schedule, scenario.curvature
    surface = f"spectrum: {_lower(SPECTRA[curvature.family].label)}"
    if curvature.family in CONDITIONED:
        surface += f" with κ = {words.number(curvature.condition_number)}"
    told = (
        f"schedule: {_lower(SCHEDULES[schedule.family].label)}"
        + "".join(f", {_plain(name)} {value}" for name, value in _used(schedule).items()),
        f"peak rate ηλmax = {words.number(scenario.learning_rate)}, T = {scenario.horizon} steps",
        f"{surface}, d = {len(scenario.eigenvalues)}",
        f"b = {scenario.bands} bands",
        f"ε = {words.number(scenario.epsilon)}, δ = {words.number(scenario.delta)}",
        *((words.passes(scenario),) if scenario.participations > 1 else ()),
        *(("own mechanism uploaded",) if OWN_KEY in scenario.mechanisms else ()),
    )
    return "; ".join(told)


def as_python(scenario: Scenario) -> str:
    """Return a program that makes the study of a scenario at every value of its slider."""
    return (
        f"{opening(scenario, 'evaluate')}{studied(scenario)}"
        "for key, damage in zip(study.mechanisms, study.damage, strict=True):\n"
        "    print(key, *damage)\n"
    )


def comparison_as_python(
    scenario: Scenario,
    entries: Sequence[tuple[LinearOptimizer, float]],
    *,
    start_error: float,
    sampling_noise: float,
) -> str:
    """Return a program that compares optimizers, each at one value of its swept parameter."""
    kinds = [type(optimizer).__name__ for optimizer, _ in entries]
    listed = "".join(f"    ({_made(optimizer)}, {value!r}),\n" for optimizer, value in entries)
    return (
        f"{opening(scenario, 'compare_optimizers', optimizers=kinds)}entries = [\n{listed}]\n"
        "found = compare_optimizers(\n    scenario, entries, "
        f"start_error={start_error!r}, sampling_noise={sampling_noise!r}\n)\n"
        "for optimizer, total in zip(found.optimizers, found.total, strict=True):\n"
        "    print(optimizer.key, *total)\n"
    )


def map_as_python(scenario: Scenario, value: float, x: MapAxis, y: MapAxis) -> str:
    """Return a program that makes a map over two axes and prints the winner of every cell."""
    return (
        f"{opening(scenario, 'MapAxis', 'damage_map')}"
        f"x = {x!r}\ny = {y!r}\n"
        f"found = damage_map(scenario, {value!r}, x, y)\n"
        "for line in found.winner:\n"
        "    print(*line)\n"
    )


def studied(scenario: Scenario) -> str:
    """Return the line that makes the study of a scenario at every value of its slider."""
    low, high = _hundredths(scenario)
    return f"study = evaluate(scenario, [k / 100 for k in range({low}, {high + 1})])\n"


def opening(scenario: Scenario, *names: str, optimizers: Sequence[str] = ()) -> str:
    """Return how a program begins: its imports, and the scenario under that name.

    Args:
        scenario: which one.
        names: what else the program needs of momentdp_core.
        optimizers: the classes of the optimizers that it needs beside the scenario's own.
    """
    own = scenario.own if OWN_KEY in scenario.mechanisms else None
    wanted = {"Curvature", "Scenario", "Schedule", *names}
    if own is not None:
        wanted.add("own_design" if own.kind == FROM_DESIGN else "own_mechanism")
    numbers = own is not None and own.kind != FROM_DESIGN
    kinds = {type(scenario.optimizer).__name__, *optimizers}
    return (
        f"{'import numpy' if numbers else ''}\n"
        f"from momentdp_core import {', '.join(sorted(wanted))}\n"
        f"from momentdp_core.optimizers import {', '.join(sorted(kinds))}\n\n"
        f"{_scenario(scenario)}"
    ).lstrip()


def _repeated(scenario: Scenario) -> dict[str, object]:
    if scenario.participations == 1:
        return {}
    names = ("participations", "min_separation")
    return {name: getattr(scenario, name) for name in names}


def _own(scenario: Scenario) -> dict[str, object]:
    """Return the argument that reads an own mechanism from the file that the reader has of it."""
    own = scenario.own
    if own is None or OWN_KEY not in scenario.mechanisms:
        return {}
    scaled = ", scale_columns=True" if own.scaled_columns else ""
    if own.kind == FROM_DESIGN:
        return {"own": f'own_design("design.npz"{scaled})'}
    file = 'numpy.load("own.npy")'
    return {"own": f'own_mechanism("{own.kind}", {file}, horizon={own.horizon}{scaled})'}


def _scenario(scenario: Scenario) -> str:
    arguments = {
        "horizon": scenario.horizon,
        "curvature": _call("Curvature", _surface(scenario.curvature)),
        "schedule": _call("Schedule", _rates(scenario.schedule)),
        "learning_rate": scenario.learning_rate,
        "bands": scenario.bands,
        "epsilon": scenario.epsilon,
        "delta": scenario.delta,
        **({"mechanisms": scenario.mechanisms} if scenario.mechanisms != POOL else {}),
        "optimizer": _made(scenario.optimizer),
        **_repeated(scenario),
        **_own(scenario),
    }
    lines = "".join(f"    {name}={value},\n" for name, value in arguments.items())
    return f"scenario = Scenario(\n{lines})\n"


def _made(optimizer: LinearOptimizer) -> str:
    return _call(type(optimizer).__name__, _given(optimizer))


def as_command(scenario: Scenario) -> str:
    """Return the command that prints the study of a scenario at every value of its slider.

    Empty with an own mechanism, which the command line cannot read.
    """
    low, high = _hundredths(scenario)
    return evaluate_command(scenario, {"sweep": (low / 100, high / 100, 0.01)})


def evaluate_command(scenario: Scenario, at: Mapping[str, object]) -> str:
    """Return the command that prints the study of a scenario.

    Args:
        scenario: which one; the text is empty with an own mechanism, which no command can read.
        at: the option of the swept values.
    """
    if OWN_KEY in scenario.mechanisms:
        return ""
    compared = scenario.mechanisms if scenario.mechanisms != POOL else None
    return command("evaluate", scenario, {"bands": scenario.bands, "mechanisms": compared, **at})


def command(name: str, scenario: Scenario, further: Mapping[str, object]) -> str:
    """Return a command line about a scenario's problem and privacy.

    Args:
        name: of the command.
        scenario: which one.
        further: more options by name; None leaves one out, and True gives it no value.
    """
    surface, rates = _surface(scenario.curvature), _rates(scenario.schedule)
    options: dict[str, object] = {
        "horizon": scenario.horizon,
        "spectrum": surface.pop("family"),
        "eigenvalues": surface.pop("values", None),
        **surface,
        "learning_rate": scenario.learning_rate,
        "schedule": rates.pop("family"),
        "schedule_values": rates.pop("values", None),
        **rates,
        "epsilon": scenario.epsilon,
        "delta": scenario.delta,
        "optimizer": scenario.optimizer.key,
        "optimizer_param": [f"{k}={_written(v)}" for k, v in _given(scenario.optimizer).items()],
        **_repeated(scenario),
        **further,
    }
    line = ["python", "-m", "momentdp_core", name]
    for option, value in options.items():
        listed = value if isinstance(value, tuple | list) else (value,)
        if value is not None and listed:
            line.append("--" + option.replace("_", "-"))
            line += [] if value is True else map(str, listed)
    return shlex.join(line)


def _surface(curvature: Curvature) -> dict[str, object]:
    if curvature.family == "custom":
        return {"family": curvature.family, "values": curvature.values}
    told: dict[str, object] = {"family": curvature.family, "modes": curvature.modes}
    if curvature.family in CONDITIONED:
        told["condition_number"] = curvature.condition_number
    return told


def _rates(schedule: Schedule) -> dict[str, object]:
    values = {"values": schedule.values} if schedule.family == "custom" else {}
    return {"family": schedule.family, **_used(schedule), **values}


def _used(schedule: Schedule) -> dict[str, object]:
    """Return the parameters that the schedule's family reads, without a list of values."""
    names = SCHEDULES[schedule.family].parameters
    return {name: getattr(schedule, name) for name in names if name != "values"}


def _parts(optimizer: LinearOptimizer) -> dict[str, object]:
    return {field.name: getattr(optimizer, field.name) for field in fields(optimizer)}  # type: ignore[arg-type]


def _given(optimizer: LinearOptimizer) -> dict[str, object]:
    """Return the fixed parameters that are read, without an empty list, which has no word."""
    parts = {name: value for name, value in _parts(optimizer).items() if value != ()}
    if parts.get("design", ORDERED[0]) not in ORDERED:
        del parts["order"]
    return parts


def _hundredths(scenario: Scenario) -> tuple[int, int]:
    swept = swept_of(scenario.optimizer)
    return round(100 * swept.low), round(100 * swept.high)


def _call(name: str, arguments: dict[str, object]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def _written(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


def _told(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else _plain(str(value))


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _lower(label: str) -> str:
    return label[0].lower() + label[1:]
