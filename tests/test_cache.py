"""The cache of solved designs: found again, never trusted blindly, safe between processes."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from momentdp_core import cache, design
from momentdp_core.mechanisms import registry

NAME = {"key": "toeplitz_mean", "horizon": 9, "bands": 3}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache folder, and no designs in memory."""
    monkeypatch.setenv("MOMENTDP_CACHE_DIR", str(tmp_path / "cache"))
    registry._design.cache_clear()
    yield tmp_path / "cache"
    registry._design.cache_clear()


def test_what_is_saved_is_loaded():
    """Values and arrays come back as they were; another name finds nothing."""
    assert cache.load(NAME) is None
    assert cache.save(NAME, {"objective": 1.5}, {"strategy": np.arange(3.0)})
    values, arrays = cache.load(NAME)
    assert values == {"objective": 1.5}
    np.testing.assert_array_equal(arrays["strategy"], [0, 1, 2])
    assert cache.load({**NAME, "horizon": 10}) is None


def test_a_design_is_solved_once(folder, monkeypatch):
    """The second process of the same design reads the file and does not solve."""
    first = design("bandinv_mean", horizon=20, bands=4)
    assert len(list(folder.glob("*.npz"))) == 1
    registry._design.cache_clear()
    monkeypatch.setattr(
        "momentdp_core.mechanisms.base.Family.solve",
        lambda self, problem: pytest.fail("solved again"),
    )
    second = design("bandinv_mean", horizon=20, bands=4)
    np.testing.assert_array_equal(first.strategy_matrix(), second.strategy_matrix())
    assert second.report == first.report


def _truncate(path):
    path.write_bytes(path.read_bytes()[:40])


def _flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(bytes(data))


def _foreign(path):
    np.savez(path, something=np.zeros(3))


def _pickle(path):
    np.savez(path, header=np.array({"a": 1}, dtype=object))


@pytest.mark.parametrize(
    "damage_file", [_truncate, _flip, _foreign, _pickle, lambda p: p.write_bytes(b"")]
)
def test_a_file_that_is_not_right_is_rebuilt(folder, damage_file):
    """Truncated, altered, foreign, pickled or empty files are ignored and written anew."""
    good = design("toeplitz_max", horizon=20, bands=4).strategy_matrix()
    (path,) = folder.glob("*.npz")
    damage_file(path)
    registry._design.cache_clear()
    np.testing.assert_array_equal(
        design("toeplitz_max", horizon=20, bands=4).strategy_matrix(), good
    )
    registry._design.cache_clear()
    (path,) = folder.glob("*.npz")
    with np.load(path, allow_pickle=False) as archive:
        assert "header" in archive.files


def test_another_version_is_not_used(folder, monkeypatch):
    """A file of another design version counts as absent."""
    cache.save(NAME, {}, {"strategy": np.ones(1)})
    monkeypatch.setattr(cache, "DESIGN_VERSION", cache.DESIGN_VERSION + 1)
    assert cache.load(NAME) is None


def test_a_strategy_of_wrong_sensitivity_is_not_used(folder):
    """A well-formed file whose strategy is not of sensitivity 1 is rebuilt."""
    problem = registry.MECHANISMS["banded_mean"].reduced(registry.problem_of(horizon=6, bands=2))
    name = registry.design_name("banded_mean", problem)
    cache.save(name, {"objective": 1.0}, {"bands": np.full((2, 6), 3.0)})
    mechanism = design("banded_mean", horizon=6, bands=2)
    assert mechanism.sensitivity == pytest.approx(1, abs=1e-12)


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    """Without a writable folder designs are solved each time, and nothing fails."""
    blocker = tmp_path / "file"
    blocker.write_text("not a folder")
    monkeypatch.setenv("MOMENTDP_CACHE_DIR", str(blocker / "inside"))
    assert not cache.save(NAME, {}, {"strategy": np.ones(1)})
    assert design("toeplitz_mean", horizon=20, bands=4).key == "toeplitz_mean"


def test_two_processes_at_once_leave_one_whole_file(folder):
    """Processes that solve the same design together all succeed; no partial file stays."""
    code = (
        "from momentdp_core import design;"
        "print(design('banded_mean', horizon=24, bands=5).mean_squared_error)"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            cwd=os.getcwd(),
            env={**os.environ, "PYTHONPATH": os.getcwd()},
        )
        for _ in range(3)
    ]
    printed = {process.communicate(timeout=60)[0] for process in running}
    assert len(printed) == 1
    assert [p.suffix for p in folder.iterdir()] == [".npz"]
