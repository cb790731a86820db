"""The layout of the code: imports point one way, and files stay short."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# The engine's modules from the bottom up: a module imports only from the lines above its own.
# The modules of one package (mechanisms, experiments) may import each other.
LAYERS = (
    ("errors",),
    ("curvature", "schedules", "optimizers", "updates", "privacy", "cache", "series", "options"),
    ("mechanisms",),
    ("participation",),
    ("scenario",),
    ("transfer", "simulate", "noise", "scenario_options"),
    ("damage", "stability", "workload", "lattice"),
    ("ranking", "suppression", "best", "places"),
    (
        "crossover",
        "excess",
        "scores",
        "spectrum",
        "ranges",
        "band_price",
        "best_curve",
        "axes",
        "boundary",
    ),
    ("comparison", "study", "atlas", "flips", "unknowns", "design_reader"),
    ("experiments", "report", "mapping", "design_file", "freedom"),
    ("reproduce", "design_command", "design_as_own"),
    ("__main__",),
)
LEVEL = {module: level for level, layer in enumerate(LAYERS) for module in layer}

# What a module may not import although it lies below: the simulator is an independent witness.
INDEPENDENT = {name: {"transfer", "damage", "optimizers"} for name in ("simulate", "updates")}

# What each part of the dashboard may import beside the standard library.
# Whatever is in none of these folders is a page, app.py too.
PARTS = {
    "momentdp_core": {"momentdp_core", "numpy", "scipy"},
    "pages/views": {"pages.views", "momentdp_core", "numpy"},
    "pages/figures": {"pages.figures", "pages.views", "momentdp_core", "numpy", "plotly"},
    "pages/ui": {
        *("pages.ui", "pages.views", "pages.figures", "momentdp_core"),
        *("numpy", "pandas", "plotly", "pypdf", "streamlit"),
    },
}
PAGE = {"pages", "momentdp_core", "streamlit"}
# What one file may import on top, because it is what that file is for.
ON_TOP = {"momentdp_core/experiments/execution.py": {"joblib", "distributed"}}

LONGEST, LONGEST_PAGE, LONGEST_EVER = 300, 60, 350
# Files that may pass 300 lines (never 350), each with the reason.
LONGER: dict[str, str] = {}


def modules_of(path: Path, root: Path) -> Iterator[str]:
    """Yield the full name of everything that a file imports, also inside functions."""
    package = path.relative_to(root).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += node.module.split(".") if node.module else []
            for alias in node.names:
                submodule = root.joinpath(*base, alias.name)
                if submodule.is_dir() or submodule.with_suffix(".py").is_file():
                    yield ".".join([*base, alias.name])
                else:
                    yield ".".join(base)


def sources(root: Path, *folders: str) -> Iterator[Path]:
    """Yield the Python files of some folders, and app.py for the folder "."."""
    for folder in folders:
        yield from sorted(root.glob("app.py") if folder == "." else root.glob(f"{folder}/**/*.py"))


def inside(module: str, allowed: set[str]) -> bool:
    """Say whether a module is one of the allowed ones or lies in one of them."""
    return any(module == name or module.startswith(name + ".") for name in allowed)


def engine_faults(root: Path) -> list[str]:
    """List the imports of the engine that point the wrong way, and modules without a layer."""
    faults = []
    for path in sources(root, "momentdp_core"):
        name = str(path.relative_to(root))
        own = path.relative_to(root / "momentdp_core").with_suffix("").parts[0]
        if own == "__init__":
            level = LEVEL["__main__"]
        elif own in LEVEL:
            level = LEVEL[own]
        else:
            faults.append(f"{name} has no place in LAYERS")
            continue
        for module in modules_of(path, root):
            if module.split(".")[0] != "momentdp_core":
                continue
            other = [*module.split("."), "__init__"][1]
            if other == "__init__":
                fits = level >= LEVEL["experiments"] and own != "__init__"
            elif other == own:
                fits = path.parent != root / "momentdp_core"
            else:
                fits = LEVEL.get(other, len(LAYERS)) < level
                fits = fits and other not in INDEPENDENT.get(own, ())
            if not fits:
                faults.append(f"{name} imports {module}")
    return faults


def part_faults(root: Path) -> list[str]:
    """List what a part of the project imports that it may not know of."""
    faults = []
    for path in sources(root, "momentdp_core", "pages", "."):
        name = path.relative_to(root).as_posix()
        part = next((part for part in PARTS if name.startswith(part + "/")), None)
        allowed = (PARTS[part] if part else PAGE) | ON_TOP.get(name, set())
        for module in modules_of(path, root):
            if module.split(".")[0] not in sys.stdlib_module_names and not inside(module, allowed):
                faults.append(f"{name} imports {module}")
    return faults


def length_faults(root: Path) -> list[str]:
    """List the files that are too long."""
    faults = []
    for path in sources(root, "momentdp_core", "pages", "tests", "."):
        name = path.relative_to(root).as_posix()
        is_page = path.parent == root / "pages" or name == "app.py"
        longest = LONGEST_PAGE if is_page else LONGEST_EVER if name in LONGER else LONGEST
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > longest:
            faults.append(f"{name} has {lines} lines, more than {longest}")
    return faults


def test_engine_imports_point_one_way() -> None:
    """A module of the engine imports only what lies below it."""
    assert engine_faults(ROOT) == []


def test_every_part_knows_only_what_it_should() -> None:
    """The engine knows no dashboard library, views no drawing, figures and pages no engine room."""
    assert part_faults(ROOT) == []


def test_files_stay_short() -> None:
    """A file has at most 300 lines, or 350 with a reason; a page has at most 60."""
    assert length_faults(ROOT) == []


def test_reasons_for_longer_files_are_in_use() -> None:
    """A file that is short again has no excuse left."""
    lengths = {name: len((ROOT / name).read_text("utf-8").splitlines()) for name in LONGER}
    assert [name for name, lines in lengths.items() if lines <= LONGEST] == []


@pytest.mark.parametrize(
    ("file", "code", "fault"),
    [
        ("momentdp_core/curvature.py", "from momentdp_core.damage import damage", "damage"),
        ("momentdp_core/curvature.py", "from .damage import damage", "damage"),
        ("momentdp_core/curvature.py", "from . import damage", "damage"),
        ("momentdp_core/curvature.py", "from momentdp_core import schedules", "schedules"),
        ("momentdp_core/curvature.py", "def f():\n    import momentdp_core.damage", "damage"),
        ("momentdp_core/mechanisms/dense.py", "from ..damage import damage", "damage"),
        ("momentdp_core/simulate.py", "from momentdp_core import optimizers", "optimizers"),
        ("momentdp_core/damage.py", "from momentdp_core import MECHANISMS", "momentdp_core"),
        ("momentdp_core/damage.py", "from momentdp_core import gone", "momentdp_core"),
        ("momentdp_core/stray.py", "", "no place in LAYERS"),
        ("momentdp_core/damage.py", "import pandas as pd", "pandas"),
        ("momentdp_core/damage.py", "def f():\n    import streamlit.web", "streamlit"),
        ("pages/views/ranks.py", "import plotly.graph_objects as go", "plotly"),
        ("pages/views/ranks.py", "from pages.figures import ranks", "pages.figures"),
        ("pages/figures/ranks.py", "import streamlit as st", "streamlit"),
        ("pages/figures/ranks.py", "from ..ui import theme", "pages.ui"),
        ("pages/explore.py", "import numpy as np", "numpy"),
        ("app.py", "import scipy", "scipy"),
        ("pages/explore.py", "\n" * 61, "61 lines"),
        ("momentdp_core/damage.py", "\n" * 301, "301 lines"),
    ],
)
def test_a_planted_fault_is_found(tmp_path: Path, file: str, code: str, fault: str) -> None:
    """Each rule can fail: one wrong line in an otherwise clean tree is found, and nothing else."""
    clean = {
        "momentdp_core/__init__.py": "from momentdp_core.damage import damage",
        "momentdp_core/errors.py": "import math",
        "momentdp_core/schedules.py": "import numpy as np\nfrom momentdp_core.errors import check",
        "momentdp_core/optimizers.py": "",
        "momentdp_core/mechanisms/__init__.py": "from .dense import dense",
        "momentdp_core/mechanisms/dense.py": "from ..errors import check\nimport scipy.linalg",
        "momentdp_core/damage.py": "from momentdp_core import mechanisms, errors",
        "momentdp_core/__main__.py": "from momentdp_core import damage, evaluate",
        "pages/ui/theme.py": "import streamlit as st",
        "pages/views/ranks.py": "import momentdp_core",
        "pages/figures/ranks.py": "import plotly\nfrom pages.views.ranks import Ranks",
        "pages/explore.py": "import streamlit\nfrom pages.figures import ranks",
        "app.py": "import streamlit as st",
    }

    def write(files: dict[str, str]) -> list[str]:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return engine_faults(tmp_path) + part_faults(tmp_path) + length_faults(tmp_path)

    assert write(clean) == []
    faults = write({file: code})
    assert len(faults) == 1
    assert faults[0].startswith(file)
    assert fault in faults[0].removeprefix(file)


def test_pages_cache_scenarios_by_all_that_they_are() -> None:
    """No page or view caches by itself: Streamlit's own key forgets an optimizer's class."""
    own = {"pages/ui/studies.py", "pages/ui/live_chart.py"}
    for path in sorted((ROOT / "pages").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        assert name in own or "st.cache_" not in path.read_text(encoding="utf-8"), name
