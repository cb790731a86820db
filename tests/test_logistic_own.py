"""A user's own rows: what is read, refused, scaled and cut into shards."""

from __future__ import annotations

import io
import pickle
import zipfile

import numpy as np
import pytest

from momentdp_core import InputError
from momentdp_core.experiments import logistic_own
from momentdp_core.experiments.logistic_own import logistic_problem, read_rows
from momentdp_core.experiments.logistic_runs import LogisticSettings, run_logistic

GENERATOR = np.random.default_rng(0)
X = GENERATOR.standard_normal((100, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 0.0]
Y = (GENERATOR.random(100) < 1 / (1 + np.exp(-X[:, 0]))).astype(float)


def npz(**arrays):
    """The bytes of a .npz file."""
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def test_own_rows_are_cut_into_disjoint_shards():
    """12 rows calibrate, 8 shards of 11 train, no row is used twice, none is left over."""
    problem = logistic_problem(X, Y, horizon=8)
    assert problem.shards.shape == (8, 11)
    assert problem.unused == 0
    used = np.concatenate([problem.calibration_features, problem.features])
    assert sorted(map(tuple, used)) == sorted(map(tuple, X))
    assert np.sort(problem.shards.ravel()).tolist() == list(range(88))
    assert logistic_problem(X, Y, horizon=9).unused == 100 - 12 - 9 * 9
    # Rows keep their labels.
    labels = {tuple(row): label for row, label in zip(X, Y, strict=True)}
    assert [labels[tuple(row)] for row in problem.features] == problem.labels.tolist()


def test_labels_of_either_coding_are_the_same_problem():
    """−1 and 1, False and True, 0 and 1."""
    problems = [logistic_problem(X, labels, horizon=8) for labels in (Y, 2 * Y - 1, Y > 0)]
    for problem in problems[1:]:
        assert (problem.labels == problems[0].labels).all()


def test_standardised_rows_have_the_scale_of_the_public_ones():
    """The calibration rows get mean 0 and spread 1; a constant column is only centred."""
    problem = logistic_problem(
        np.column_stack([X, np.full(100, 7.0)]), Y, standardise=True, horizon=8
    )
    cal = problem.calibration_features
    assert cal.mean(axis=0) == pytest.approx(np.zeros(4), abs=1e-12)
    assert cal.std(axis=0)[:3] == pytest.approx(np.ones(3))
    assert not problem.features[:, 3].any()
    with_intercept = logistic_problem(X, Y, standardise=True, intercept=True, horizon=8)
    assert (with_intercept.features[:, 3] == 1).all()


def test_own_data_run_the_same_protocol():
    """The study runs on them and finds finite losses."""
    problem = logistic_problem(X, Y, standardise=True, horizon=8)
    asked = LogisticSettings(mechanisms=("iid", "bisr"), replicates=3, bands=4)
    runs = run_logistic(problem, asked).runs
    assert len(runs) == 4
    assert all(np.isfinite(run.excess).all() and (run.excess > 0).all() for run in runs)


@pytest.mark.parametrize(
    ("features", "labels", "change", "message"),
    [
        pytest.param(X[:, 0], Y, {}, "n rows of d numbers", id="vector"),
        pytest.param([["a", "b"]], Y, {}, "a matrix of numbers", id="text"),
        pytest.param(np.where(X > 14, np.nan, X), Y, {}, r"X\[\d+, 1\] = nan", id="nan"),
        pytest.param(X * 1e6, Y, {}, "up to 1e", id="huge"),
        pytest.param(np.zeros((2, 300)), [0, 1], {}, "256 columns", id="wide"),
        pytest.param(0 * X, Y, {}, "not 0", id="zero"),
        pytest.param(X, Y[:-1], {}, "one a row of X", id="short labels"),
        pytest.param(X, ["a"] * 100, {}, "0 and 1", id="text labels"),
        pytest.param(X, Y + 1, {}, "y = '1, 2'", id="coded 1 and 2"),
        pytest.param(X, 0 * Y, {}, "two classes", id="one class"),
        pytest.param(X, Y + (np.arange(100) == 3) * 2, {}, "two classes", id="three classes"),
        pytest.param(X, Y, {"horizon": 128}, "at least 140", id="too few rows"),
        pytest.param(X, Y, {"horizon": 0}, "horizon", id="no steps"),
        pytest.param(X, Y, {"calibration_rows": 1}, "calibration_rows", id="one calibration row"),
        pytest.param(X, Y, {"seed": -1}, "seed", id="seed"),
        pytest.param(X, np.arange(100) == 0, {"seed": 3, "horizon": 8}, "both classes", id="rare"),
    ],
)
def test_unusable_rows_are_refused(features, labels, change, message):
    """The error says what is wrong with the rows, the labels or their number."""
    if "seed" in change and change["seed"] == 3:
        # The only row of its class is set aside for the calibration.
        first = np.random.default_rng(3).permutation(100)[0]
        labels = np.arange(100) == first
    with pytest.raises(InputError, match=message):
        logistic_problem(features, labels, **{"horizon": 8, **change})


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("u,v,y\n1,2,0\n3,4,1\n", id="named, last"),
        pytest.param("Label;u;v\n0;1;2\n1;3;4\n", id="semicolons, first"),
        pytest.param("1\t2\t0\n3\t4\t1", id="tabs, no names"),
        pytest.param("\ufeffu,target,v\r\n1,0,2\r\n\r\n3,1,4\r\n", id="windows"),
    ],
)
def test_csv_files_are_read(text):
    """Names, separators, line ends and the column of labels are found."""
    features, labels = read_rows("rows.csv", text.encode())
    assert features.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert labels.tolist() == [0.0, 1.0]


def test_npz_files_are_read():
    """The arrays X and y come back."""
    features, labels = read_rows("rows.NPZ", npz(X=X, y=Y))
    assert (features == X).all()
    assert (labels == Y).all()


class Bomb:
    """Unpickling it would raise another error than the reader's."""

    def __reduce__(self):
        return (exec, ("raise SystemError('unpickled')",))


def zip_of(name, content):
    """A zip archive with one file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("a.csv", b"", "0 bytes", id="empty"),
        pytest.param("a.csv", b"\xff\xfe\x00", "UTF-8", id="not text"),
        pytest.param("a.csv", b"u,y\n", "no table", id="names alone"),
        pytest.param("a.csv", b"1\n0\n", "no table", id="one column"),
        pytest.param("a.csv", b"u,y\n1,0\n2\n", "row 3 = '1 entries'", id="ragged"),
        pytest.param("a.csv", b"u,y\n1,0\nx,1\n", "row 3, column 1 = 'x'", id="word"),
        pytest.param("a.npz", b"nothing", "unreadable", id="no archive"),
        pytest.param("a.npz", npz(X=X), "plain arrays X and y", id="no labels"),
        pytest.param("a.npz", npz(X=np.array([Bomb()]), y=Y), "unreadable", id="object array"),
        pytest.param("a.npz", zip_of("X.npy", pickle.dumps(Bomb())), "unreadable", id="pickle"),
        pytest.param("a.npz", zip_of("X.npy", bytes(70 * 2**20)), "unpacked", id="zip bomb"),
    ],
)
def test_unreadable_files_are_refused(name, content, message):
    """The error names the row, the entry or the format; nothing is unpickled or blown up."""
    with pytest.raises(InputError, match=message):
        read_rows(name, content)


def test_too_large_a_file_is_refused(monkeypatch):
    """The size is checked before anything is parsed."""
    monkeypatch.setattr(logistic_own, "LARGEST_FILE", 10)
    with pytest.raises(InputError, match="11 bytes"):
        read_rows("a.csv", b"1,2,3,4,5,6")
