"""The files of Explore: empty where there is no number, and with the best possible where shown."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

from momentdp_core import Scenario, Study, evaluate, optimal_curve
from momentdp_core.report import as_json, study_csv
from pages.ui import take_away
from pages.views import export
from pages.views.best import Best, best_of, question_of
from pages.views.export import as_csv, study_columns, study_result
from pages.views.swept import swept_of
from tests.pages.driver import STUDY


@pytest.fixture(scope="module")
def partly() -> Study:
    """A study that is unstable below μ = 0.25."""
    return evaluate(Scenario(**STUDY, learning_rate=2.5), swept_of(Scenario().optimizer).values)


@pytest.fixture(scope="module")
def best(partly: Study) -> Best:
    """The best possible in this study, but for the last values, which are still designed."""
    scenario, values = question_of(partly)
    return best_of(partly, optimal_curve(scenario, values[:50]))


def test_the_pages_csv_is_empty_where_the_command_lines_is(partly: Study) -> None:
    """Unstable: no rank on either side; elsewhere the same numbers."""
    page = pd.read_csv(io.StringIO(as_csv(study_columns(partly))))
    line = pd.read_csv(io.StringIO(study_csv(partly)))
    shared = ["momentum", "mechanism", "damage", "rank", "stable"]
    pd.testing.assert_frame_equal(page[shared], line[shared], check_exact=True)
    unstable = ~page["stable"]
    assert unstable.any()
    assert page["rank"].isna().equals(unstable)
    assert "inf" not in as_csv(study_columns(partly))
    frame = pd.read_parquet(
        io.BytesIO(take_away.as_parquet(study_columns(partly), partly.scenario))
    )
    assert frame["rank"].dtype == "Int64"
    assert frame["rank"].isna().equals(unstable)


def test_the_best_possible_is_in_every_file(partly: Study, best: Best) -> None:
    """CSV, Parquet and JSON hold design, bound and multiple where known, and nothing elsewhere."""
    columns = study_columns(partly, best)
    assert tuple(columns)[-3:] == export.BEST_COLUMNS
    frame = pd.read_csv(io.StringIO(as_csv(columns)))
    count = len(partly.mechanisms)
    for name, wanted in (("best_design", best.damage), ("best_bound", best.bound)):
        np.testing.assert_array_equal(frame[name].to_numpy()[::count], wanted)
    known = np.isfinite(best.bound)
    assert 0 < known.sum() < len(known)
    multiples = frame["times_best"].to_numpy().reshape(-1, count).T
    np.testing.assert_allclose(
        multiples[:, known], partly.damage[:, known] / best.bound[known], rtol=1e-12
    )
    assert np.isnan(multiples[:, ~known]).all()
    parquet = pd.read_parquet(io.BytesIO(take_away.as_parquet(columns, partly.scenario)))
    np.testing.assert_array_equal(parquet["times_best"], frame["times_best"])
    told = json.loads(as_json(study_result(partly, best)))
    row = told["mechanisms"][3]
    np.testing.assert_array_equal(np.array(row["times_best"], dtype=float), multiples[3])
    np.testing.assert_array_equal(np.array(told["best_possible"]["bound"], dtype=float), best.bound)
    assert "best_possible" not in study_result(partly)
