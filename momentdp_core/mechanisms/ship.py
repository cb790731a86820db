"""Re-derive the designs that ship with the package: python -m momentdp_core.mechanisms.ship.

Only slow designs of the default horizon and bands, and the presets' NoiseCurve, are shipped, so
that a first visit need not wait for them. A test solves them again and compares.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from momentdp_core import cache
from momentdp_core.curvature import Curvature
from momentdp_core.mechanisms.registry import (
    MECHANISMS,
    SHIPPED_FILE,
    _arrays_of,
    design_name,
    problem_of,
)

# (condition number, ηλmax) of the presets, all log-spaced with d = 16.
PRESET_QUADRATICS = ((10.0, 0.8), (100.0, 0.8), (10.0, 0.1))
HORIZONS_OF_BANDED_MAX = (128, 256, 512)


def shipped_requests() -> list[tuple[str, dict[str, Any]]]:
    """Return (key, parameters) of every shipped design.

    >>> shipped_requests()[0]
    ('dense', {'horizon': 128})
    """
    requests: list[tuple[str, dict[str, Any]]] = [
        ("dense", {"horizon": 128}),
        ("banded_mean", {"horizon": 128, "bands": 16}),
    ]
    requests += [("banded_max", {"horizon": h, "bands": 16}) for h in HORIZONS_OF_BANDED_MAX]
    for condition_number, rate in PRESET_QUADRATICS:
        eigenvalues = Curvature(family="log", modes=16, condition_number=condition_number)
        parameters = {
            "horizon": 128,
            "bands": 16,
            "eigenvalues": tuple(eigenvalues.eigenvalues.tolist()),
            "learning_rate": rate,
        }
        requests.append(("noisecurve", parameters))
    return requests


def write_shipped() -> None:
    """Solve every shipped design and write the file.

    Source: theory of this project; each solver names its own.

    >>> callable(write_shipped)
    True
    """
    index: dict[str, Any] = {"version": cache.DESIGN_VERSION, "designs": []}
    arrays = {}
    for number, (key, parameters) in enumerate(shipped_requests()):
        family = MECHANISMS[key]
        problem = family.reduced(problem_of(**parameters))
        mechanism = family.solve(problem)
        entry = {"name": design_name(key, problem), "values": asdict(mechanism.report)}
        index["designs"].append(entry)
        for name, array in _arrays_of(mechanism.strategy).items():
            arrays[f"{number}.{name}"] = array
        print(f"{key} {parameters['horizon']}: {mechanism.report.objective:.9g}")
    np.savez_compressed(SHIPPED_FILE, index=np.array(json.dumps(index)), **arrays)  # type: ignore[arg-type]


if __name__ == "__main__":
    write_shipped()
