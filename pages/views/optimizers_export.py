"""The data of the charts of "Optimizers" as one long table, and its setting as texts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pages.views import recipe, words
from pages.views.contenders import Answer, in_order
from pages.views.export import Columns
from pages.views.optimizers_charts import optimizers_charts

COLUMNS = ("chart", "quantity", "optimizer", "value", "mechanism", "epsilon", "loss")
_Row = tuple[str, str, str, float, str, float, float]


def comparison_columns(answer: Answer) -> Columns:
    """Return what the charts and the matrix show, one row a number, in full precision.

    value is that of the optimizer's swept parameter. Optimizers that are unstable have no rows.
    """
    rows = list(_rows(answer))
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def comparison_setting(answer: Answer) -> recipe.Setting:
    """Return the texts of a comparison; there is no command line for it."""
    question, found = answer.question, answer.found
    return recipe.Setting(
        caption=f"Under {words.name(question.mechanism)}, starting error "
        f"{words.number(question.start_error)}, sampling noise "
        f"{words.number(question.sampling_noise)}; {recipe.problem(question.scenario)}.",
        python=recipe.comparison_as_python(
            question.scenario,
            list(zip(found.optimizers, found.values.tolist(), strict=True)),
            start_error=question.start_error,
            sampling_noise=question.sampling_noise,
        ),
    )


def _rows(answer: Answer) -> Iterator[_Row]:
    question, found = answer.question, answer.found
    shown, epsilon = question.mechanism, question.scenario.epsilon
    places = [place for place in in_order(answer) if found.stable[place]]
    who = {place: (question.entries[place].key, float(found.values[place])) for place in places}
    for place in places:
        parts = (found.bias[place], found.sampling[place], found.damage[place, answer.column])
        for name, part in zip(("bias", "sampling", "privacy"), parts, strict=True):
            yield "bars", name, *who[place], shown, epsilon, float(part)
    charts = optimizers_charts(answer)
    for place, track in zip(places, charts.tracks, strict=True):
        for at, total in zip(charts.epsilons.tolist(), track.total.tolist(), strict=True):
            if np.isfinite(total):
                yield "sweep", "total", *who[place], shown, at, total
    for place in places:
        damages = found.damage[place].tolist()
        for key, damage in zip(question.scenario.mechanisms, damages, strict=True):
            yield "matrix", "privacy", *who[place], key, epsilon, damage
