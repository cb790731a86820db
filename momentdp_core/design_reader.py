"""Takes a design file apart without trusting it: sizes first, then plain numbers, then shapes."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_integer, read_only
from momentdp_core.mechanisms.base import DENSE_HORIZON_LIMIT
from momentdp_core.mechanisms.structures import (
    BandedStrategy,
    DenseStrategy,
    Strategy,
    ToeplitzStrategy,
)

FORMAT, VERSION = "momentdp-design", 1
# Bytes: of the file, of its header, and of what it unpacks to (C and C⁻¹ of the longest horizon).
LARGEST_FILE = 200_000_000
LARGEST_HEADER = 16_000_000
LARGEST_CONTENT = 300_000_000
# How far the stored matrices may be from what they say they are.
TOLERANCE = 1e-6
STRUCTURES = ("dense", "banded", "toeplitz")
_NAMES = ("header", "strategy", "noising")


@dataclass(frozen=True, kw_only=True, eq=False)
class Parts:
    """What a design file is made of: its header and its arrays, finite and of the right shape.

    Args:
        header: of this format and version; nothing else in it is checked.
        horizon: T.
        structure: one of STRUCTURES.
        strategy: C as its structure stores it.
        noising: C⁻¹, or None where the file has none.
    """

    header: Mapping[str, Any]
    horizon: int
    structure: str
    strategy: FloatArray
    noising: FloatArray | None


def refused(found: str, allowed: str, remedy: str = "Save the design anew.") -> InputError:
    """Return the error that says what is wrong with a file.

    >>> print(refused("5 bytes", "a design"))
    design file = '5 bytes' is not allowed: expected a design. Save the design anew.
    """
    return InputError("design file", found, allowed, remedy)


def is_design(content: bytes, most: int = LARGEST_HEADER) -> bool:
    """Say whether a file calls itself a design: an archive whose header names the format.

    Args:
        content: of the file.
        most: bytes of the header that are read at most.

    >>> is_design(b"something else")
    False
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("header.npy") as part:
            told = part.read(most)
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError):
        return False
    # NumPy writes each character of a text in four bytes.
    return any(FORMAT.encode(coding) in told for coding in ("utf-32-le", "utf-32-be"))


def read_parts(source: str | Path | bytes | BinaryIO) -> Parts:
    """Return the parts of a design file.

    Args:
        source: a path, the file's bytes, or an open binary file.

    Raises:
        InputError: not a design file, too large, or arrays that do not fit its header.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(_content(source))) as archive:
            sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
            _check_members(archive, sizes)
            header = _header(_member(archive, "header"))
            arrays = {name: _member(archive, name) for name in _NAMES[1:] if f"{name}.npy" in sizes}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise refused("not a .npz archive", "a design saved by save_design") from None
    horizon = check_integer(
        "horizon in the design file", header.get("horizon"), low=1, high=DENSE_HORIZON_LIMIT
    )
    structure = header.get("structure")
    if structure not in STRUCTURES:
        raise refused(f"structure {str(structure)[:20]!r}", "one of " + ", ".join(STRUCTURES))
    parts = Parts(
        header=header,
        horizon=horizon,
        structure=structure,
        strategy=_numbers(arrays, "strategy"),
        noising=_numbers(arrays, "noising") if "noising" in arrays else None,
    )
    _check_shapes(parts)
    return parts


def _content(source: str | Path | bytes | BinaryIO) -> bytes:
    if isinstance(source, str | Path):
        try:
            with open(source, "rb") as file:
                content = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise InputError(
                "design file", str(source), "a file that can be read", f"{error.strerror}."
            ) from None
    elif isinstance(source, bytes):
        content = source
    else:
        source.seek(0)
        content = source.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise refused(f"more than {LARGEST_FILE} bytes", f"at most {LARGEST_FILE} bytes")
    return content


def _check_members(archive: zipfile.ZipFile, sizes: Mapping[str, int]) -> None:
    known = {f"{name}.npy" for name in _NAMES}
    if len(archive.infolist()) != len(sizes) or not {*sizes} <= known:
        raise refused("other arrays", "header, strategy and noising only")
    missing = {"header.npy", "strategy.npy"} - {*sizes}
    if missing:
        raise refused(f"no {min(missing)}", "header, strategy and noising")
    if sizes["header.npy"] > LARGEST_HEADER or sum(sizes.values()) > LARGEST_CONTENT:
        raise refused("too much in it", f"at most {LARGEST_CONTENT} bytes when unpacked")


def _member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Return one array; its stated shape must account for every byte before any is taken."""
    # Never more than the size in the directory, which was checked: the archive stops there.
    content = io.BytesIO(archive.read(f"{name}.npy"))
    size = len(content.getbuffer())
    try:
        major = np.lib.format.read_magic(content)[0]
        read = (
            np.lib.format.read_array_header_1_0
            if major == 1
            else (np.lib.format.read_array_header_2_0)
        )
        shape, fortran, kind = read(content)
    except ValueError:
        raise refused(f"{name} is no array", "arrays as numpy.save writes them") from None
    count = 1
    for length in shape:
        count *= length
    fits = count * kind.itemsize == size - content.tell()
    if kind.hasobject or kind.kind not in ("f", "U") or len(shape) > 2 or not fits:
        raise refused(f"{name} of {kind.name[:20]} {shape}", "plain numbers of that shape")
    values = np.frombuffer(content.getbuffer(), dtype=kind, count=count, offset=content.tell())
    return np.array(values.reshape(shape, order="F" if fortran else "C"), order="C")


def _header(array: np.ndarray) -> Mapping[str, Any]:
    try:
        header = json.loads(str(array[()])) if array.shape == () and array.dtype.kind == "U" else 0
    except (ValueError, RecursionError):
        header = 0
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise refused("no header of a design", f"the format {FORMAT}")
    if header.get("version") != VERSION:
        found = str(header.get("version"))[:20]
        raise refused(f"version {found}", f"version {VERSION}", "Use the software that made it.")
    return header


def _numbers(arrays: Mapping[str, np.ndarray], name: str) -> FloatArray:
    array = arrays[name]
    if array.dtype != np.float64:
        raise refused(f"{name} of {array.dtype.name}", "numbers of 64 bits (float64)")
    if not np.isfinite(array).all():
        raise refused(f"{name} with NaN or infinity", "finite numbers")
    return read_only(array)


def _check_shapes(parts: Parts) -> None:
    horizon, shape = parts.horizon, parts.strategy.shape
    square = (horizon, horizon)
    fits = {
        "dense": shape == square,
        "banded": len(shape) == 2 and 1 <= shape[0] <= horizon and shape[1] == horizon,
        "toeplitz": len(shape) == 1 and 1 <= shape[0] <= horizon,
    }[parts.structure]
    if not fits:
        raise refused(f"strategy of shape {shape}", f"that of {parts.structure}, T = {horizon}")
    if parts.noising is None:
        return
    inverse = parts.noising.shape
    flat = len(inverse) == 1 and 1 <= inverse[0] <= horizon
    if not (flat if parts.structure == "toeplitz" else inverse == square):
        raise refused(f"noising of shape {inverse}", f"that of {parts.structure}, T = {horizon}")


def read_strategy(parts: Parts) -> Strategy:
    """Return C after checking that it is triangular and invertible, of sensitivity 1, and C⁻¹.

    Raises:
        InputError: it is not.
    """
    stored, inverse = parts.strategy, parts.noising
    strategy: Strategy
    if parts.structure == "toeplitz":
        diagonal, triangular = stored[:1], True
        if inverse is not None and len(inverse) < len(stored):
            strategy = ToeplitzStrategy(steps=parts.horizon, noising=inverse)
        else:
            strategy = ToeplitzStrategy(steps=parts.horizon, strategy=stored)
        longest = float(np.linalg.norm(stored))
    else:
        banded = parts.structure == "banded"
        diagonal = stored[0] if banded else np.diagonal(stored)
        outside = [band[len(band) - k :] for k, band in enumerate(stored)] if banded else []
        triangular = not (any(map(np.any, outside)) if banded else np.triu(stored, 1).any())
        if banded:
            strategy = BandedStrategy(bands=np.asfortranarray(stored))
        else:
            strategy = DenseStrategy(matrix=stored)
        longest = strategy.sensitivity
    if not triangular:
        raise refused("strategy with entries above its diagonal", "a lower-triangular strategy")
    if not diagonal.min() > 0:
        raise refused("strategy with a diagonal entry of 0 or less", "a positive diagonal")
    if not abs(longest - 1) <= TOLERANCE:
        raise refused(f"strategy of sensitivity {longest:g}", "sensitivity 1: columns of norm 1")
    if inverse is not None:
        _check_inverse(strategy, inverse)
    return strategy


def _check_inverse(strategy: Strategy, inverse: FloatArray) -> None:
    flat = inverse.ndim == 1
    exact = strategy.noising_matrix()[: len(inverse), 0] if flat else strategy.noising_matrix()
    if not np.abs(inverse - exact).max() <= TOLERANCE * np.abs(exact).max():
        raise refused("noising that is not the inverse of strategy", "noising = strategy⁻¹")
