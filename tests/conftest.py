"""Shared by all tests: a fresh folder for solved designs, and the reference values."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

# The matrices are small: more BLAS threads than one only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

# Set before any test imports the engine, so that no test reads or fills the user's own cache.
_CACHE = tempfile.TemporaryDirectory(prefix="momentdp-tests-", ignore_cleanup_errors=True)
os.environ["MOMENTDP_CACHE_DIR"] = _CACHE.name


@pytest.fixture(scope="session")
def reference() -> dict[str, Any]:
    """Values from a peer library and from certified fixed points (prefix sums, sensitivity 1)."""
    return json.loads((Path(__file__).parent / "data" / "peer_numbers.json").read_text())
