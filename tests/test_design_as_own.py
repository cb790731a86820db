"""A design file brought back as an own mechanism: the same noise, however the file stores it."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import (
    InputError,
    SavedDesign,
    Scenario,
    load_design,
    noise_memory,
    optimal_design,
    own_design,
    own_mechanism,
    save_design,
    solve,
)
from momentdp_core.design_file import saved
from momentdp_core.design_reader import is_design

SMALL = Scenario(horizon=12)


def _toeplitz(key: str) -> SavedDesign:
    return replace(
        saved(optimal_design(SMALL, 0.9)), mechanism=solve(key, horizon=12, bands=3), bands=3
    )


DESIGNS = {
    "full": saved(optimal_design(SMALL, 0.9)),
    "banded": saved(optimal_design(SMALL, 0.9, 3)),
    "one band": saved(optimal_design(SMALL, 0.9, 1)),
    "one step": saved(optimal_design(Scenario(horizon=1), 0.9)),
    "coefficients of C": _toeplitz("toeplitz_mean"),
    "coefficients of C⁻¹": _toeplitz("bisr"),
}


def written(design: SavedDesign) -> bytes:
    """Return the file of a design."""
    file = io.BytesIO()
    save_design(design, file)
    return file.getvalue()


@pytest.mark.parametrize("name", DESIGNS)
def test_the_file_gives_the_designs_own_noise(name):
    """C, C⁻¹ and the memory of the noise are those of the design that was written."""
    design = DESIGNS[name]
    own = own_design(written(design))
    assert own.kind == "design"
    assert own.given_sensitivity == pytest.approx(1, abs=1e-12)
    for part in ("strategy_matrix", "noising_matrix"):
        np.testing.assert_allclose(
            getattr(own.mechanism, part)(), getattr(design.mechanism, part)(), rtol=0, atol=1e-12
        )
    scenario = Scenario(horizon=own.horizon, mechanisms=("own", "bisr"), own=own, bands=3)
    if "C⁻¹" in name:
        assert noise_memory(scenario, "own") == noise_memory(scenario, "bisr")
    assert own == own_design(load_design(written(design)))


@pytest.mark.parametrize("name", ["full", "banded"])
def test_its_damage_is_what_the_file_states(name):
    """Evaluated as an own mechanism, the design does the damage that its certificate is about."""
    from momentdp_core import final_damage

    design = DESIGNS[name]
    scenario = replace(SMALL, mechanisms=("own",), own=own_design(written(design)))
    assert final_damage(scenario, [0.9])[0, 0] == pytest.approx(design.damage[0], rel=1e-12)


def test_columns_are_scaled_on_request():
    """A file whose columns are shorter than its longest gives the mechanism of the full columns."""
    matrix = np.diag([1.0, 0.5, 0.25])
    mechanism = own_mechanism("strategy", matrix, horizon=3).mechanism
    kept = replace(saved(optimal_design(Scenario(horizon=3), 0.9)), mechanism=mechanism)
    own = own_design(written(kept), scale_columns=True)
    np.testing.assert_allclose(own.mechanism.strategy_matrix(), np.eye(3))
    assert not np.allclose(own_design(written(kept)).mechanism.strategy_matrix(), np.eye(3))


def _archive(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


FOREIGN = {
    "text": b"no archive",
    "no header": _archive(strategy=np.eye(3)),
    "other header": _archive(header=np.array("something"), strategy=np.eye(3)),
    "cut off": written(DESIGNS["full"])[:-40],
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_of_another_kind_is_no_design(name):
    """Only what calls itself a design is taken for one, and nothing else is read as one."""
    assert is_design(written(DESIGNS["banded"]))
    assert not is_design(FOREIGN[name])
    with pytest.raises(InputError, match="design file"):
        own_design(FOREIGN[name])
