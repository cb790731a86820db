"""What "Design" lets a reader take away: its numbers, its caption, its code and its command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from momentdp_core import BandPrices, Study
from momentdp_core.design_command import summary
from momentdp_core.errors import FloatArray
from pages.views import recipe, words
from pages.views.design import DESIGN, Contest
from pages.views.design_charts import noise_chart, sweep_chart
from pages.views.export import Columns, finite
from pages.views.swept import swept_of

FILE = "design.npz"
COLUMNS = (
    *("chart", "quantity", "mechanism", "x", "y"),
    *("condition_number", "learning_rate", "value"),
)
_MATRICES = ("strategy", "noising", "covariance")
_Row = tuple[str, str, str, float, float | None, float | None, float | None, float]
_PROGRAM = """unknown = Unknowns(
    scenario=scenario, low={low!r}, high={high!r},
    condition_factor={factor!r}, lowest_rate={lowest!r},
)
design = design_for(
    unknown, bands={bands}, worst_case={worst}, relative={relative}, path_share={way!r}
)
save_design(design, "{file}")
print("design", design.damage, design.bound)
# The others are designed for the scenario and keep their design in every condition.
rivals = {{}}
for key in scenario.mechanisms:
    mechanism, scale = scenario.design(key), scenario.sensitivity(key).value ** 2
    rivals[key] = [
        scale * float((mechanism.apply_noising(workload_factor(known, value)) ** 2).sum())
        for known, value in unknown.conditions()
    ]
    print(key, *rivals[key])
"""
_NAMES = ("Unknowns", "design_for", "save_design", "workload_factor")


def design_columns(found: Contest, study: Study, seed: int, prices: BandPrices | None) -> Columns:
    """Return what the charts show, one row a number, in full precision.

    x is the swept value (sweep, conditions), the column of a matrix, a step (sample), cycles per
    step (spectrum) or a number of bands (price); y the row of a matrix. The mechanism of the design
    is "design", and empty where a number belongs to none.

    Args:
        found: the design and its rivals in every condition.
        study: of the rivals, along the sweep.
        seed: of the sample.
        prices: of the bands, if they are known yet.
    """
    rows = [*_sweep(found, study), *_conditions(found), *_noise(found, seed), *_prices(prices)]
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def design_result(found: Contest) -> dict[str, Any]:
    """Return the design as its command prints it, and every mechanism in every condition."""
    return {
        "design": summary(found.design, FILE),
        "conditions": [
            {
                scenario.optimizer.parameter: value,
                "condition_number": scenario.curvature.condition_number,
                "learning_rate": scenario.learning_rate,
                "best_possible": float(best),
            }
            for (scenario, value), best in zip(found.design.conditions, found.best, strict=True)
        ],
        "mechanisms": [
            {"name": key, "damage": finite(damage.tolist()), "times_best": finite(times.tolist())}
            for key, damage, times in zip(found.keys, found.damage, found.times, strict=True)
        ],
    }


def design_setting(found: Contest) -> recipe.Setting:
    """Return the texts of a design; the command makes its file, the program also its rivals."""
    question, scenario = found.question, found.scenario
    unknown = question.unknown
    program = _PROGRAM.format(
        low=unknown.low,
        high=unknown.high,
        factor=unknown.condition_factor,
        lowest=unknown.lowest_rate,
        bands=question.bands,
        worst=question.worst_case,
        relative=question.relative,
        way=question.path_share,
        file=FILE,
    )
    values = (unknown.low,) if unknown.low == unknown.high else (unknown.low, unknown.high)
    options = {
        "values": values,
        "condition_factor": unknown.condition_factor,
        "lowest_rate": unknown.lowest_rate,
        "bands": question.bands,
        "worst_case": question.worst_case or None,
        "absolute": None if question.relative else True,
        "path_share": question.path_share or None,
        "out": FILE,
    }
    return recipe.Setting(
        caption=_caption(found),
        python=recipe.opening(scenario, *_NAMES) + program,
        command=recipe.command("design", unknown.scenario, options),
    )


def _caption(found: Contest) -> str:
    question, design = found.question, words.design(found.design)
    unknown = question.unknown
    swept = swept_of(unknown.scenario.optimizer)
    at = words.setting(unknown.low)
    if unknown.low < unknown.high:
        at += f" to {words.setting(unknown.high)}"
    asked = [f"{design[0].upper()}{design[1:]} for {unknown.scenario.optimizer.label}"]
    asked.append(f"{swept.title} = {at}")
    if unknown.condition_factor > 1:
        asked.append(f"κ within a factor of {words.number(unknown.condition_factor)}")
    if unknown.lowest_rate < 1:
        asked.append(f"rate × {words.number(unknown.lowest_rate)} to 1")
    if question.path_share > 0:
        asked.append(f"the loss on the way × {words.number(question.path_share)}")
    if len(found.best) > 1:
        measure = "multiple of the best possible" if question.relative else "damage"
        asked.append(f"least {'worst' if question.worst_case else 'mean'} {measure}")
    return f"{', '.join(asked)}; {recipe.problem(found.scenario)}."


def _sweep(found: Contest, study: Study) -> Iterator[_Row]:
    chart = sweep_chart(found, study)
    for curve in chart.curves:
        yield from _line("sweep", "damage", curve.key, chart.values, curve.damage)
    yield from _line("sweep", "best_possible", "", chart.places, chart.best)


def _conditions(found: Contest) -> Iterator[_Row]:
    for c, (scenario, value) in enumerate(found.design.conditions):
        known = scenario.curvature.condition_number, scenario.learning_rate
        for key, damage, times in zip(
            found.keys, found.damage[:, c], found.times[:, c], strict=True
        ):
            yield "conditions", "damage", key, value, None, *known, float(damage)
            yield "conditions", "times_best", key, value, None, *known, float(times)


def _noise(found: Contest, seed: int) -> Iterator[_Row]:
    chart = noise_chart(found, seed)
    steps = np.arange(1.0, len(chart.sample) + 1)
    for name, matrix in zip(_MATRICES, chart.matrices, strict=True):
        for row, line in zip(chart.steps.tolist(), matrix.tolist(), strict=True):
            for column, entry in zip(chart.steps.tolist(), line, strict=True):
                if name == "covariance" or column <= row:
                    yield "matrices", name, DESIGN, column, row, None, None, entry
    for key, noise in ((DESIGN, chart.sample), ("iid", chart.independent)):
        yield from _line("sample", "noise", key, steps, noise)
        yield from _line("sample", "running_sum", key, steps, np.cumsum(noise))
    yield from _line("spectrum", "noise_power", DESIGN, chart.frequencies, chart.power)


def _prices(prices: BandPrices | None) -> Iterator[_Row]:
    if prices is None:
        return
    for name in ("damage", "bound", "memory", "work"):
        numbers = np.asarray(getattr(prices, name), dtype=np.float64)
        yield from _line("price", name, "", prices.bands.astype(np.float64), numbers)


def _line(
    chart: str, quantity: str, mechanism: str, places: FloatArray, values: FloatArray
) -> Iterator[_Row]:
    """Yield the points of a line, without those that have no place on its axis."""
    for x, value in zip(places.tolist(), values.tolist(), strict=True):
        if np.isfinite(value):
            yield chart, quantity, mechanism, x, None, None, None, value
