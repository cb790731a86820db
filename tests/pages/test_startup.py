"""What keeps the start short: a small chart library, and nothing loaded that is not used."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from plotly.offline import get_plotlyjs_version

from pages.ui import live_chart, logistic_texts, mechanism_texts, texts

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "pages" / "ui" / "vendor"
FIRST_RUN = """
import sys
from streamlit.testing.v1 import AppTest
page = AppTest.from_file(sys.argv[1], default_timeout=60)
if sys.argv[2]:
    page.switch_page(sys.argv[2])
assert not page.run().exception
print(page.title[0].value)
print("|".join(sorted(sys.modules)))
"""


def test_the_chart_library_is_the_published_file() -> None:
    """The bundle has the checksum written down beside it, and its licence is there too."""
    checksum, name = (VENDOR / "SHA256SUMS").read_text("utf-8").split()
    content = (VENDOR / name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == checksum
    assert b"Licensed under the MIT license" in content[:300]
    assert "MIT License" in (VENDOR / "LICENSE").read_text("utf-8")


def test_the_chart_library_fits_the_python_package() -> None:
    """Figures are written by the Python package for the plotly.js of the same major version."""
    found = re.search(r"v(\d+)\.\d+\.\d+", live_chart.library_version())
    assert found is not None
    assert found[1] == get_plotlyjs_version().split(".")[0]


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("", texts.TITLE),
        ("pages/why.py", texts.WHY_TITLE),
        ("pages/optimizers.py", texts.OPTIMIZERS_TITLE),
        ("pages/mechanisms.py", mechanism_texts.TITLE),
        ("pages/design.py", texts.DESIGN_TITLE),
        ("pages/evidence.py", texts.EVIDENCE_TITLE),
        ("pages/registry.py", texts.REGISTRY_TITLE),
        ("pages/logistic.py", logistic_texts.LOGISTIC_TITLE),
    ],
    ids=[
        *("explore", "why", "optimizers", "mechanisms", "design"),
        *("evidence", "registry", "logistic"),
    ],
)
def test_the_first_run_loads_no_table_library(page: str, title: str) -> None:
    """Neither page loads pandas or PyArrow, which would take a third of the first run."""
    result = subprocess.run(
        [sys.executable, "-c", FIRST_RUN, str(ROOT / "app.py"), page],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    shown, modules = result.stdout.splitlines()
    assert shown == title
    loaded = set(modules.split("|"))
    assert "momentdp_core.damage" in loaded
    assert not loaded & {"pandas", "pyarrow"}
