"""Matrices from uploaded files: nothing is unpickled, and sizes are checked before unpacking."""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import Final

import numpy as np

from momentdp_core import InputError, SavedDesign, load_design
from momentdp_core.design_reader import is_design
from pages.ui import parse

ENDINGS: Final = ("npy", "npz", "csv")
MEGABYTES: Final = 8  # of a file; as in the server's configuration
MOST_STEPS: Final = 512
MOST_ENTRIES: Final = MOST_STEPS**2
# Of one array when unpacked: the widest plain numbers, and a header.
_MOST_BYTES: Final = 16 * MOST_ENTRIES + 2**14
_MOST_ARRAYS: Final = 32
_PICKLE: Final = b"\x80"  # how a pickle begins; a .npy file begins otherwise
# Under which names an archive of several arrays may hold each kind of matrix.
NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "strategy": ("C", "strategy", "strategy_matrix"),
    "noising": ("C_inv", "Cinv", "noising", "noising_matrix"),
    "gram": ("X", "gram"),
    "covariance": ("K", "covariance"),
}


def design_file(name: str, content: bytes) -> SavedDesign | None:
    """Return the design in a file of the page Design or of the command line; None in any other.

    Args:
        name: of the file; its ending says what it is.
        content: of the file.

    Raises:
        InputError: a design that is too large or inconsistent.
    """
    if _ending(name, content) != "npz" or not is_design(content, _MOST_BYTES):
        return None
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        _check_sizes([part for part in archive.infolist() if part.filename != "header.npy"])
    return load_design(content)


def matrix_file(name: str, content: bytes, kind: str) -> np.ndarray:
    """Return the matrix in a .npy, .npz or .csv file.

    Args:
        name: of the file; its ending says what it is.
        content: of the file.
        kind: what the matrix is to be, for archives with several arrays; a key of NAMES.

    Raises:
        InputError: an empty, unreadable, too large or pickled file, or no single matrix in it.
    """
    ending = _ending(name, content)
    if ending == "csv":
        try:
            return parse.matrix(content.decode("utf-8-sig"), "matrix")
        except UnicodeDecodeError:
            raise _refused("not text", "a .csv file in UTF-8", "Export it again as CSV.") from None
    return _array(content) if ending == "npy" else _member(content, kind)


def _ending(name: str, content: bytes) -> str:
    """Return what kind of file it is, after its name and its size have been checked."""
    ending = name.lower().rpartition(".")[2]
    if ending not in ENDINGS:
        raise _refused("of another format", "a .npy, .npz or .csv file", "Save it as one of these.")
    if not content:
        raise _refused("0 bytes", "a file with a matrix", "Save it again.")
    if len(content) > MEGABYTES * 2**20:
        raise _refused(
            f"{len(content) / 2**20:.0f} MB", f"at most {MEGABYTES} MB", "Give fewer steps or .npz."
        )
    return ending


def _refused(value: str, allowed: str, remedy: str) -> InputError:
    return InputError("file", value, allowed, remedy)


def _array(content: bytes) -> np.ndarray:
    """Return the array of a .npy file, after its header has said that it is small and plain."""
    if content[:1] == _PICKLE:
        raise _pickled()
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(stream)
    except (ValueError, KeyError, EOFError, SyntaxError, TypeError):
        raise _refused(
            "unreadable", "a .npy file of plain numbers", "Write it with numpy.save."
        ) from None
    if dtype.hasobject:
        raise _pickled()
    if math.prod(shape) > MOST_ENTRIES:
        size = " × ".join(map(str, shape))
        raise _refused(
            f"{size} entries", f"at most {MOST_STEPS} × {MOST_STEPS}", "Give fewer steps."
        )
    if math.prod(shape) * dtype.itemsize > len(content) - stream.tell():
        raise _refused("cut off", "all entries that its header names", "Save or upload it again.")
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))


def _pickled() -> InputError:
    return _refused(
        "a pickle",
        "plain numbers",
        "Pickles can run code and are never opened: save a float array with numpy.save.",
    )


def _member(content: bytes, kind: str) -> np.ndarray:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            info = _chosen(archive.infolist(), kind)
            with archive.open(info) as packed:
                # The directory can lie about the size: never read more than is allowed.
                unpacked = packed.read(_MOST_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError):
        raise _refused(
            "unreadable", "a .npz file of plain numbers", "Write it with numpy.savez."
        ) from None
    if len(unpacked) > _MOST_BYTES:
        raise _too_large(len(unpacked))
    return _array(unpacked)


def _chosen(members: list[zipfile.ZipInfo], kind: str) -> zipfile.ZipInfo:
    """Return the array that is meant, after the archive's directory has said that all are small."""
    _check_sizes(members)
    arrays = {member.filename.removesuffix(".npy"): member for member in members}
    fitting = [arrays[name] for name in NAMES[kind] if name in arrays]
    if len(members) == 1:
        return members[0]
    if len(fitting) == 1:
        return fitting[0]
    plain = [name for name in arrays if re.fullmatch(r"\w{1,20}", name)]
    raise _refused(
        f"{len(members)} arrays ({', '.join(plain[:8])})" if plain else f"{len(members)} arrays",
        f"one array, or one that is called {' or '.join(NAMES[kind])}",
        "Rename it, or save it alone.",
    )


def _check_sizes(members: list[zipfile.ZipInfo]) -> None:
    """Hold what an archive says of its sizes to what is allowed, before anything is unpacked."""
    if len(members) > _MOST_ARRAYS:
        raise _refused(
            f"{len(members)} arrays", f"at most {_MOST_ARRAYS}", "Save the matrix alone."
        )
    total = sum(member.file_size for member in members)
    if max((member.file_size for member in members), default=0) > _MOST_BYTES:
        raise _too_large(max(member.file_size for member in members))
    if total > 4 * _MOST_BYTES:
        raise _too_large(total)


def _too_large(size: int) -> InputError:
    return _refused(
        f"{size / 2**20:.0f} MB when unpacked",
        f"at most {MOST_STEPS} × {MOST_STEPS} numbers",
        "It is not unpacked. Give fewer steps.",
    )
