"""A scenario in words, as Python, and as a command line."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
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
from momentdp_core.mechanisms.own import FROM_DESIGN
from momentdp_core.optimizers import LinearOptimizer
from pages.views import words
from pages.views.swept import swept_of

VALUE: Final = "{value}"  # stands for the swept value in a caption


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
    parts = _given(optimizer)
    if parts.get("design") == "first_order":
        parts.pop("order")  # it has none
    fixed = "".join(f", {_plain(name)} {_told(value)}" for name, value in parts.items())
    return f"{optimizer.label}, {swept_of(optimizer).title} = {VALUE}{fixed}; {problem(scenario)}."


def problem(scenario: Scenario) -> str:
    """Return everything of a scenario but the optimizer in words.

    >>> problem(Scenario())[-30:]
    'b = 16 bands; ε = 4, δ = 1e-05'
    """
    schedule, curvature = scenario.schedule, scenario.curvature
    surface = f"spectrum: {_lower(SPECTRA[curvature.family].label)}"
    if curvature.family not in ("custom", "isotropic"):
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
    low, high = _hundredths(scenario)
    return (
        f"{_imports(scenario, 'Curvature', 'Scenario', 'Schedule', 'evaluate')}"
        f"from momentdp_core.optimizers import {type(scenario.optimizer).__name__}\n\n"
        f"{_scenario(scenario)}"
        f"study = evaluate(scenario, [k / 100 for k in range({low}, {high + 1})])\n"
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
    names = {type(optimizer).__name__ for optimizer, _ in [(scenario.optimizer, 0.0), *entries]}
    listed = "".join(f"    ({_made(optimizer)}, {value!r}),\n" for optimizer, value in entries)
    return (
        f"{_imports(scenario, 'Curvature', 'Scenario', 'Schedule', 'compare_optimizers')}"
        f"from momentdp_core.optimizers import {', '.join(sorted(names))}\n\n"
        f"{_scenario(scenario)}entries = [\n{listed}]\n"
        "found = compare_optimizers(\n    scenario, entries, "
        f"start_error={start_error!r}, sampling_noise={sampling_noise!r}\n)\n"
        "for optimizer, total in zip(found.optimizers, found.total, strict=True):\n"
        "    print(optimizer.key, *total)\n"
    )


def map_as_python(scenario: Scenario, value: float, x: MapAxis, y: MapAxis) -> str:
    """Return a program that makes a map over two axes and prints the winner of every cell."""
    return (
        f"{_imports(scenario, 'Curvature', 'MapAxis', 'Scenario', 'Schedule', 'damage_map')}"
        f"from momentdp_core.optimizers import {type(scenario.optimizer).__name__}\n\n"
        f"{_scenario(scenario)}"
        f"x = {x!r}\ny = {y!r}\n"
        f"found = damage_map(scenario, {value!r}, x, y)\n"
        "for line in found.winner:\n"
        "    print(*line)\n"
    )


def _imports(scenario: Scenario, *names: str) -> str:
    own = scenario.own if OWN_KEY in scenario.mechanisms else None
    if own is not None:
        names = (*names, "own_design" if own.kind == FROM_DESIGN else "own_mechanism")
    numbers = own is not None and own.kind != FROM_DESIGN
    return ("import numpy\n" if numbers else "") + f"from momentdp_core import {', '.join(names)}\n"


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
    if OWN_KEY in scenario.mechanisms:
        return ""
    low, high = _hundredths(scenario)
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
        "bands": scenario.bands,
        "epsilon": scenario.epsilon,
        "delta": scenario.delta,
        "mechanisms": scenario.mechanisms if scenario.mechanisms != POOL else None,
        "optimizer": scenario.optimizer.key,
        "optimizer_param": [f"{k}={_written(v)}" for k, v in _given(scenario.optimizer).items()],
        **_repeated(scenario),
        "sweep": (low / 100, high / 100, 0.01),
    }
    line = ["python", "-m", "momentdp_core", "evaluate"]
    for name, value in options.items():
        listed = value if isinstance(value, tuple | list) else (value,)
        if value is not None and listed:
            line += ["--" + name.replace("_", "-"), *map(str, listed)]
    return shlex.join(line)


def _surface(curvature: Curvature) -> dict[str, object]:
    if curvature.family == "custom":
        return {"family": curvature.family, "values": curvature.values}
    condition = {"condition_number": curvature.condition_number}
    return {"family": curvature.family, "modes": curvature.modes, **condition}


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
    """Return the fixed parameters, without an empty list: a command line has no word for it."""
    return {name: value for name, value in _parts(optimizer).items() if value != ()}


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
