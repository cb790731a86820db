"""Design files: what is written comes back, and nothing in a file is believed unchecked."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import (
    InputError,
    Scenario,
    final_damage,
    load_design,
    optimal_design,
    range_design,
    save_design,
    solve,
)
from momentdp_core import design_file as module
from momentdp_core.design_file import saved

SMALL = Scenario(horizon=12)
PAIRS = [(SMALL, 0.5), (SMALL, 0.9), (replace(SMALL, learning_rate=0.2), 0.9)]


def _designs():
    return {
        "full": optimal_design(SMALL, 0.9),
        "banded": optimal_design(SMALL, 0.9, 3),
        "one band": optimal_design(SMALL, 0.9, 1),
        "one step": optimal_design(Scenario(horizon=1), 0.9, 4),
        "range": range_design(PAIRS, bands=4, relative=True),
        "worst": range_design(PAIRS, worst_case=True),
        "on the way": range_design(PAIRS[:2], bands=4, path_share=0.1),
        "repeated": optimal_design(replace(SMALL, participations=2, min_separation=4), 0.9, 4),
    }


DESIGNS = _designs()


def written(design) -> bytes:
    """Return the file of a design."""
    file = io.BytesIO()
    save_design(design, file)
    return file.getvalue()


def changed(content: bytes, header=None, **arrays) -> bytes:
    """Return the file with fields of its header or arrays replaced; None leaves an array out."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        parts = {name: file[name] for name in file.files}
    fields = json.loads(str(parts["header"])) | (header or {})
    parts |= {"header": np.array(json.dumps(fields))} | arrays
    target = io.BytesIO()
    np.savez(target, **{name: array for name, array in parts.items() if array is not None})
    return target.getvalue()


def test_a_file_without_the_share_of_the_way_is_of_the_end_alone():
    """Files of before that field load as what they are; a share that cannot be is refused."""
    content = written(DESIGNS["range"])
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        fields = json.loads(str(file["header"]))
        arrays = {name: file[name] for name in file.files}
    del fields["path_share"]
    target = io.BytesIO()
    np.savez(target, **(arrays | {"header": np.array(json.dumps(fields))}))
    assert load_design(target.getvalue()).path_share == 0
    with pytest.raises(InputError, match="path_share"):
        load_design(changed(content, {"path_share": -1.0}))


@pytest.mark.parametrize("name", DESIGNS)
def test_what_is_saved_is_loaded(name):
    """Matrices, conditions, sensitivity and certificate come back exactly as they were."""
    design = DESIGNS[name]
    kept, loaded = saved(design), load_design(written(design))
    np.testing.assert_array_equal(
        loaded.mechanism.strategy_matrix(), design.mechanism.strategy_matrix()
    )
    assert type(loaded.mechanism.strategy) is type(design.mechanism.strategy)
    assert loaded.conditions == kept.conditions
    for field in ("weights", "damage", "best"):
        np.testing.assert_array_equal(getattr(loaded, field), getattr(kept, field))
    for field in (
        "worst_case",
        "relative",
        "path_share",
        "bands",
        "sensitivity",
        "objective",
        "bound",
        "gap",
    ):
        assert getattr(loaded, field) == getattr(kept, field)
    assert written(loaded) == written(design)


def test_the_file_alone_gives_the_damage():
    """Matrix C⁻¹ and scenario of the file give the damage it states; C C⁻¹ = I, band storage."""
    design = DESIGNS["banded"]
    with np.load(io.BytesIO(written(design)), allow_pickle=False) as file:
        header = json.loads(str(file["header"]))
        bands, noising = file["strategy"], file["noising"]
    assert bands.shape == (3, 12)
    matrix = sum(np.diag(band[: 12 - k], -k) for k, band in enumerate(bands))
    np.testing.assert_allclose(matrix @ noising, np.eye(12), atol=1e-12)
    row = header["conditions"][0]
    scenario = replace(Scenario.from_dict(row["scenario"]), mechanisms=("iid",))
    # Independent noise does ‖L‖²: the file's noise does ‖L C⁻¹‖², here through L's own columns.
    unit = final_damage(scenario, row["value"])[0, 0]
    assert row["damage"] == pytest.approx(design.damage, rel=1e-12)
    assert row["best"] <= row["damage"] < unit


def test_toeplitz_mechanisms_keep_their_coefficients():
    """A Toeplitz strategy is stored by its coefficients, and comes back by the shorter side."""
    for key in ("toeplitz_mean", "bisr"):
        mechanism = solve(key, horizon=12, bands=3)
        kept = replace(saved(DESIGNS["full"]), mechanism=mechanism)
        loaded = load_design(written(kept)).mechanism
        np.testing.assert_allclose(
            loaded.noising_matrix(), mechanism.noising_matrix(), rtol=0, atol=1e-12
        )
        short = loaded.strategy.strategy if key == "toeplitz_mean" else loaded.strategy.noising
        assert len(short) == 3


def test_long_horizons_leave_the_inverse_to_the_recurrence(monkeypatch):
    """Beyond the limit only C is stored, and the file loads all the same."""
    monkeypatch.setattr(module, "LARGEST_STORED_INVERSE", 11)
    content = written(DESIGNS["banded"])
    assert "noising.npy" not in zipfile.ZipFile(io.BytesIO(content)).namelist()
    loaded = load_design(content)
    np.testing.assert_array_equal(
        loaded.mechanism.noising_matrix(), DESIGNS["banded"].mechanism.noising_matrix()
    )


def test_a_path_is_written_whole_or_not_at_all(tmp_path):
    """The file has the name that was asked for and nothing stays beside it; bad paths are told."""
    path = tmp_path / "design.any"
    save_design(DESIGNS["banded"], path)
    assert [p.name for p in tmp_path.iterdir()] == ["design.any"]
    assert load_design(path).bands == load_design(str(path)).bands == 3
    with pytest.raises(InputError, match=r"out = .* path that can be written"):
        save_design(DESIGNS["banded"], tmp_path / "missing" / "design.npz")
    with pytest.raises(InputError, match=r"a file that can be read"):
        load_design(tmp_path / "missing.npz")


GOOD = written(DESIGNS["banded"])
BANDS = DESIGNS["banded"].mechanism.strategy.bands
INVERSE = np.tril(DESIGNS["banded"].mechanism.noising_matrix())
OUTSIDE = np.array(BANDS)
OUTSIDE[1, -1] = 0.5
NEGATIVE = np.array(BANDS)
NEGATIVE[0, 3] *= -1
NAN = np.where(np.arange(12) == 4, np.nan, np.array(BANDS))
ROW = saved(DESIGNS["banded"]).conditions[0][0].to_dict()


def _bomb() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("header", "strategy"):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                for _ in range(340):
                    member.write(bytes(1_000_000))
    return target.getvalue()


def _lying_shape() -> bytes:
    """A strategy whose header speaks of a terabyte that is not there."""
    part = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        part, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**5)}
    )
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(GOOD)) as good, zipfile.ZipFile(target, "w") as archive:
        archive.writestr("header.npy", good.read("header.npy"))
        archive.writestr("strategy.npy", part.getvalue())
    return target.getvalue()


BAD = {
    "empty": (b"", "not a .npz archive"),
    "text": (b"design", "not a .npz archive"),
    "cut off": (GOOD[:-40], "not a .npz archive"),
    "flipped": (GOOD[:300] + bytes([GOOD[300] ^ 0xFF]) + GOOD[301:], "not a .npz archive"),
    "bomb": (_bomb(), "too much in it"),
    "lying shape": (_lying_shape(), "plain numbers of that shape"),
    "other array": (changed(GOOD, extra=np.ones(2)), "other arrays"),
    "no strategy": (changed(GOOD, strategy=None), "no strategy.npy"),
    "pickle": (changed(GOOD, strategy=np.array([{}], dtype=object)), "plain numbers"),
    "integers": (changed(GOOD, strategy=np.ones((3, 12), dtype=int)), "plain numbers"),
    "short floats": (changed(GOOD, strategy=BANDS.astype("f4")), "64 bits"),
    "other format": (changed(GOOD, {"format": "x"}), "no header of a design"),
    "newer": (changed(GOOD, {"version": 2}), "version 2"),
    "horizon": (changed(GOOD, {"horizon": 13}), "strategy of shape"),
    "large horizon": (changed(GOOD, {"horizon": 10**9}), "horizon in the design file"),
    "structure": (changed(GOOD, {"structure": "odd"}), "structure 'odd'"),
    "wrong structure": (changed(GOOD, {"structure": "dense"}), "strategy of shape"),
    "shape of inverse": (changed(GOOD, noising=INVERSE[:4]), "noising of shape"),
    "nan": (changed(GOOD, strategy=NAN), "NaN or infinity"),
    "above diagonal": (changed(GOOD, strategy=OUTSIDE), "above its diagonal"),
    "negative diagonal": (changed(GOOD, strategy=NEGATIVE), "diagonal entry of 0 or less"),
    "scaled": (changed(GOOD, strategy=2 * BANDS, noising=INVERSE / 2), "sensitivity 2"),
    "other inverse": (changed(GOOD, noising=2 * INVERSE), "not the inverse"),
    "no conditions": (
        changed(GOOD, {"conditions": []}),
        "weight in the design file",
    ),
    "bad value": (
        changed(GOOD, {"conditions": [{"scenario": ROW, "value": 1.5, "weight": 1.0}]}),
        "momentum = 1.5",
    ),
    "missing field": (changed(GOOD, {"certificate": {}}), "header, KeyError"),
    "bound above": (
        changed(GOOD, {"certificate": {"objective": 1.0, "bound": 2.0}}),
        "bound 2.0",
    ),
    "sensitivity": (
        changed(GOOD, {"sensitivity": {"value": 0.5, "exact": True, "method": "single"}}),
        "sensitivity 0.5",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_its_reason(name):
    """Whatever is wrong with a file, the answer is an InputError that says what."""
    content, reason = BAD[name]
    with pytest.raises(InputError, match=reason):
        load_design(content)


def test_too_large_a_file_is_not_read(monkeypatch):
    """The size is checked before anything is unpacked."""
    monkeypatch.setattr("momentdp_core.design_reader.LARGEST_FILE", 100)
    with pytest.raises(InputError, match="at most 100 bytes"):
        load_design(io.BytesIO(GOOD))
