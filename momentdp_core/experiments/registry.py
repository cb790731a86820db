"""The frozen crossover cases: canonical JSON, its SHA-256, and reading it back.

Knows nothing of how the cases were found, and imports nothing that evaluates a damage.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from momentdp_core.errors import InputError

FOLDER = Path(__file__).parent / "frozen"
PRIMARY, CONTROL = "primary", "control"
# One line a registry, as `sha256sum --check` reads it.
SUMS_FILE = FOLDER / "SHA256SUMS"


@dataclass(frozen=True, kw_only=True)
class CrossoverCase:
    """Two momenta between which two mechanisms change places, all else held fixed.

    Holds settings and the predicted order only: what a machine's rounding cannot change.

    Args:
        spectrum, modes, condition_number: the curvature.
        schedule: family, with its default parameters.
        learning_rate: peak rate times λ_max.
        horizon, bands: T and b.
        epsilon, delta: the privacy target.
        low, high: the two momenta.
        better_at_low, better_at_high: key of the one with less damage at each.
        margin_above: both relative margins are above this, a step of MARGIN_STEPS.
    """

    spectrum: str
    modes: int
    condition_number: float
    schedule: str
    learning_rate: float
    horizon: int
    bands: int
    epsilon: float
    delta: float
    low: float
    high: float
    better_at_low: str
    better_at_high: str
    margin_above: float

    @property
    def identity(self) -> str:
        """A SHA-256 of the settings without the margin: an order that no result influences."""
        settings = {name: x for name, x in asdict(self).items() if name != "margin_above"}
        pair = sorted([settings.pop("better_at_low"), settings.pop("better_at_high")])
        return hashlib.sha256(canonical_json({**settings, "pair": pair}).encode()).hexdigest()


def canonical_json(value: object) -> str:
    """Return JSON with sorted keys and no spaces, the same on every machine.

    >>> canonical_json({"b": 1, "a": [0.5]})
    '{"a":[0.5],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def registry_text(name: str, threshold: float, cases: Sequence[CrossoverCase]) -> str:
    """Return the canonical text of a registry: what is hashed, byte for byte.

    Args:
        name: "primary" or "control".
        threshold: relative margin above which a case qualified.
        cases: in the order they were chosen.

    Source: MOMENT-DP, Appendix D ("Freezing and hashing").

    >>> registry_text("primary", 0.1, [])
    '{"cases":[],"name":"primary","threshold":0.1}\\n'
    """
    fields = {"name": name, "threshold": threshold, "cases": [asdict(case) for case in cases]}
    return canonical_json(fields) + "\n"


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8.

    >>> sha256_of("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def registry_path(name: str, folder: Path = FOLDER) -> Path:
    """Return where a registry lies.

    >>> registry_path("primary").name
    'primary.json'
    """
    return folder / f"{name}.json"


def frozen_hash(name: str, folder: Path = FOLDER) -> str:
    """Return the SHA-256 that was committed for a registry.

    Raises:
        InputError: none was.
    """
    lines = (folder / SUMS_FILE.name).read_text(encoding="utf-8").splitlines()
    sums = {file: digest for digest, file in (line.split(maxsplit=1) for line in lines)}
    if f"{name}.json" not in sums:
        raise InputError("registry", name, "one of " + ", ".join(sorted(sums)), "Pick one of them.")
    return sums[f"{name}.json"]


def load_registry(name: str, folder: Path = FOLDER) -> tuple[CrossoverCase, ...]:
    """Return the cases of a registry whose hash is the frozen one.

    Args:
        name: "primary" or "control".
        folder: where the registries and their SHA256SUMS lie.

    Raises:
        InputError: the file is not the one that was frozen.

    Source: MOMENT-DP, Appendix D.

    >>> len(load_registry("primary"))
    12
    """
    expected = frozen_hash(name, folder)
    data = registry_path(name, folder).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != expected:
        raise InputError(
            "registry",
            f"{name} with SHA-256 {found[:12]}",
            f"SHA-256 {expected[:12]}…",
            "The file was changed after it was frozen: restore it from the repository.",
        )
    fields: dict[str, Any] = json.loads(data)
    return tuple(CrossoverCase(**case) for case in fields["cases"])


def write_registry(
    name: str, threshold: float, cases: Sequence[CrossoverCase], folder: Path = FOLDER
) -> str:
    """Freeze a registry: write its text and its line of SHA256SUMS; return the hash.

    >>> write_registry.__name__
    'write_registry'
    """
    text = registry_text(name, threshold, cases)
    folder.mkdir(parents=True, exist_ok=True)
    registry_path(name, folder).write_bytes(text.encode())
    sums = folder / SUMS_FILE.name
    lines = sums.read_text(encoding="utf-8").splitlines() if sums.exists() else []
    kept = [line for line in lines if not line.endswith(f"  {name}.json")]
    kept.append(f"{sha256_of(text)}  {name}.json")
    sums.write_bytes(("\n".join(sorted(kept, key=lambda line: line[66:])) + "\n").encode())
    return sha256_of(text)
