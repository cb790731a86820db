"""The training examples run, and the noise they make has the design's covariance.

The libraries are optional: they are taken from this interpreter, or from the ones that the
variable PEER_PYTHON names (separated as in PATH).
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from momentdp_core import Scenario, load_design, optimal_design, range_design, save_design, solve

EXAMPLES = Path(__file__).parents[1] / "examples"
COPIES = 20_000
SCENARIO = Scenario(horizon=10)
# Noise of COPIES parameters over all steps, as an array (T, COPIES).
TORCH = """
import sys, numpy as np, torch
sys.path.insert(0, sys.argv[1])
from train_pytorch import NoiseStream
torch.manual_seed(0)
stream = NoiseStream(sys.argv[2], lambda: torch.randn(int(sys.argv[4]), dtype=torch.float64))
np.save(sys.argv[3], np.array([stream.next().numpy() for _ in range(stream.horizon)]))
"""
JAX = """
import sys, numpy as np, jax, jax.numpy as jnp
sys.path.insert(0, sys.argv[1])
from train_jax_privacy import privatizer
noise = privatizer(sys.argv[2])
zero = jnp.zeros(int(sys.argv[4]))
state, rows = noise.init(zero), []
for _ in range(10):
    row, state = noise.update(zero, state)
    rows.append(np.asarray(row, dtype=float))
np.save(sys.argv[3], np.array(rows))
"""


def python_with(module: str) -> str:
    """Return an interpreter that has a module, or skip."""
    for python in (sys.executable, *os.environ.get("PEER_PYTHON", "").split(os.pathsep)):
        if (
            python
            and subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode
            == 0
        ):
            return python
    pytest.skip(f"{module} is not installed here; name an interpreter that has it in PEER_PYTHON")


def run(python: str, *arguments: object) -> str:
    """Run Python and return what it prints."""
    result = subprocess.run(
        [python, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return result.stdout


@pytest.fixture(params=["banded", "full", "range"])
def path(request, tmp_path):
    """The file of a design."""
    design = {
        "banded": lambda: optimal_design(SCENARIO, 0.9, 3),
        "full": lambda: optimal_design(SCENARIO, 0.9),
        "range": lambda: range_design([(SCENARIO, 0.5), (SCENARIO, 0.9)], bands=4, relative=True),
    }[request.param]()
    save_design(design, tmp_path / "design.npz")
    return tmp_path / "design.npz"


def check_covariance(path, rows) -> None:
    """Compare the sample covariance with (σ·sensitivity)² K, each entry within 5 of its errors."""
    design = load_design(path)
    expected = design.noise_multiplier**2 * design.mechanism.covariance
    found = rows @ rows.T / rows.shape[1]
    variance = np.diag(expected)
    error = np.sqrt((np.outer(variance, variance) + expected**2) / rows.shape[1])
    assert (np.abs(found - expected) < 5 * error).all()
    # It can fail: independent noise of the same strength is far outside.
    assert not (np.abs(np.diag(variance) - expected) < 5 * error).all()


def example(name: str):
    """Return an example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stream_has_the_covariance_with_numpy(path):
    """The loop's noise, with NumPy in PyTorch's place, has covariance K and keeps b − 1 tensors."""
    generator = np.random.default_rng(0)
    stream = example("train_pytorch").NoiseStream(
        str(path), lambda: generator.standard_normal(COPIES)
    )
    rows = np.array([stream.next() for _ in range(stream.horizon)])
    check_covariance(path, rows)
    bands = load_design(path).bands or 10
    assert len(stream.past) == stream.past.maxlen == bands - 1
    with pytest.raises(ValueError, match="for 10 steps"):
        stream.next()


def test_the_stream_is_the_noising_matrix(path):
    """Fed with unit vectors the loop gives C⁻¹ itself, scaled by the noise multiplier."""
    draws = iter(np.eye(10))
    stream = example("train_pytorch").NoiseStream(str(path), lambda: next(draws))
    rows = np.array([stream.next() for _ in range(10)])
    design = load_design(path)
    np.testing.assert_allclose(
        rows, design.noise_multiplier * design.mechanism.noising_matrix(), atol=1e-12
    )


def test_the_stream_reads_toeplitz_coefficients():
    """Coefficients stand for every column."""
    strategy = solve("toeplitz_mean", horizon=6, bands=3).strategy
    columns = example("train_pytorch")._columns("toeplitz", strategy.strategy_series, 6)
    np.testing.assert_array_equal(columns[:, 0], strategy.strategy_matrix()[:3, 0])


def test_pytorch_noise_has_the_covariance(path, tmp_path):
    """The same loop on PyTorch's tensors."""
    python = python_with("torch")
    run(python, "-c", TORCH, EXAMPLES, path, tmp_path / "rows.npy", COPIES)
    check_covariance(path, np.load(tmp_path / "rows.npy"))


def test_the_pytorch_example_trains(path):
    """The whole example runs and its loss is finite."""
    told = run(python_with("torch"), EXAMPLES / "train_pytorch.py", path)
    assert np.isfinite(float(told.split(":")[1]))


def test_jax_privacy_noise_has_the_covariance(path, tmp_path):
    """jax_privacy's own privatizer makes noise of covariance K from our file."""
    python = python_with("jax_privacy")
    run(python, "-c", JAX, EXAMPLES, path, tmp_path / "rows.npy", COPIES)
    check_covariance(path, np.load(tmp_path / "rows.npy"))


def test_the_jax_privacy_example_runs(path):
    """The whole example prints three steps of noise."""
    told = run(python_with("jax_privacy"), EXAMPLES / "train_jax_privacy.py", path)
    assert told.count("weights") == 3
