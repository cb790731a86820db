"""What "Optimizers" lets a reader take away: its numbers, its caption and its code."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

from momentdp_core import OptimizerComparison
from pages.views import words
from pages.views.contenders import BEST_TOTAL, OWN
from pages.views.optimizers_export import COLUMNS, comparison_columns, comparison_setting
from tests.pages.test_optimizers_views import ENTRIES, SCENARIO, asked


@pytest.mark.parametrize("at", [OWN, BEST_TOTAL])
def test_the_long_table_holds_the_comparison(at: str) -> None:
    """Causes add up to the totals, the line at the scenario's ε meets them, damages are there."""
    answer = asked(at=at)
    found, frame = answer.found, pd.DataFrame(comparison_columns(answer))
    assert tuple(frame) == COLUMNS
    assert set(frame["chart"]) == {"bars", "sweep", "matrix"}
    for place, entry in enumerate(ENTRIES):
        rows = frame[frame["optimizer"] == entry.key]
        if not found.stable[place]:
            assert rows.empty
            continue
        assert set(rows["value"]) == {float(found.values[place])}
        bars = rows[rows["chart"] == "bars"]["loss"].sum()
        np.testing.assert_allclose(bars, found.total[place, answer.column], rtol=1e-12)
        sweep = rows[rows["chart"] == "sweep"]
        near = np.interp(SCENARIO.epsilon, sweep["epsilon"], sweep["loss"])
        np.testing.assert_allclose(near, bars, rtol=0.01)
        damages = rows[rows["chart"] == "matrix"]["loss"].to_numpy()
        np.testing.assert_array_equal(damages, found.damage[place])


@pytest.mark.parametrize("at", [OWN, BEST_TOTAL])
def test_copied_code_gives_the_comparison(at: str) -> None:
    """The program, run as it is, finds the page's numbers, also where values were chosen."""
    answer = asked(at=at)
    space: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(comparison_setting(answer).python, space)
    found = space["found"]
    assert isinstance(found, OptimizerComparison)
    assert found.scenario == answer.question.scenario
    np.testing.assert_array_equal(found.values, answer.found.values)
    np.testing.assert_allclose(found.total, answer.found.total, rtol=1e-12)


def test_the_caption_names_what_the_charts_are_about() -> None:
    """The mechanism that is shown, the noises and the problem; no optimizer of its own."""
    answer = asked()
    text = comparison_setting(answer).caption
    assert text.startswith(f"Under {words.name('iid')}, starting error 10, sampling noise 0.1; ")
    assert f"T = {SCENARIO.horizon} steps" in text
    assert comparison_setting(answer).command == ""
