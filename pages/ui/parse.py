"""Numbers from text boxes and uploaded files, with errors a reader can act on."""

from __future__ import annotations

import io
import re
from typing import Final

import numpy as np

from momentdp_core import Curvature, InputError

MOST_MODES: Final = 64


def numbers(text: str, argument: str) -> tuple[float, ...]:
    """Return the numbers of a pasted list; commas, semicolons, spaces and new lines separate them.

    Raises:
        InputError: nothing there, or an entry that is not a number.

    >>> numbers("1, 0.5; 0.25", "eigenvalues")
    (1.0, 0.5, 0.25)
    """
    entries = re.split(r"[\s,;]+", text.strip().strip("[]()"))
    if entries == [""]:
        raise InputError(
            argument, "empty", "a list of numbers", "Paste them, separated by commas or spaces."
        )
    return tuple(_number(entry, position, argument) for position, entry in enumerate(entries, 1))


def _number(entry: str, position: int, argument: str) -> float:
    try:
        return float(entry)
    except ValueError:
        raise InputError(
            f"entry {position} of {argument}",
            entry[:20],
            "a number such as 0.25 or 1e-3",
            "Correct or remove this entry.",
        ) from None


def hessian_text(text: str) -> Curvature:
    """Return the spectrum of a Hessian pasted as one row a line.

    Raises:
        InputError: no square, symmetric, positive semidefinite matrix of numbers.
    """
    return _spectrum(matrix(text, "Hessian"))


def matrix(text: str, name: str) -> np.ndarray:
    """Return a matrix written as one row a line.

    Raises:
        InputError: nothing there, an entry that is not a number, or rows of different length.

    >>> matrix("1, 0; 2, 1", "C").tolist()
    [[1.0, 0.0], [2.0, 1.0]]
    """
    rows = [numbers(line, f"the {name}") for line in _lines(text)]
    if not rows:
        raise InputError(name, "empty", "a square matrix", "Give one row a line.")
    if len({len(row) for row in rows}) > 1:
        raise InputError(
            name,
            "rows of different length",
            "a square matrix",
            f"Give each of the {len(rows)} rows {len(rows)} numbers.",
        )
    return np.array(rows)


def _lines(text: str) -> list[str]:
    """Return the rows of a matrix as people write it: lines, [[…], […]], or semicolons between.

    >>> _lines("[[2, 1], [1, 2]]")
    ['2, 1', '1, 2']
    """
    text = text.strip()
    if text.startswith("[["):  # as NumPy and JSON print it
        text = re.sub(r"\]\s*,?\s*\[", "\n", text)
    elif ";" in text and "\n" not in text:
        text = text.replace(";", "\n")
    lines = [line.strip().strip("[]") for line in text.splitlines() if line.strip(" \t,[]")]
    if len(lines) > 1 and not any(map(_is_number, re.split(r"[\s,;]+", lines[0]))):
        lines = lines[1:]  # the names of the columns
    return lines


def _is_number(entry: str) -> bool:
    try:
        float(entry.strip('"'))
    except ValueError:
        return False
    return True


def hessian_file(name: str, content: bytes) -> Curvature:
    """Return the spectrum of a Hessian in a .npy or .csv file.

    Raises:
        InputError: an empty or unreadable file, or no such matrix in it.
    """
    if not content:
        raise InputError(
            "Hessian file", "0 bytes", "a .npy or .csv file with a matrix", "Save it again."
        )
    if not name.lower().endswith(".npy"):
        try:
            return hessian_text(content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise InputError(
                "Hessian file", "not text", "a .csv file in UTF-8", "Export it again as CSV."
            ) from None
    try:
        # Never unpickle an upload: a pickle runs whatever its author wrote.
        matrix = np.load(io.BytesIO(content), allow_pickle=False)
    # A header can ask for more memory than there is.
    except (ValueError, EOFError, OSError, MemoryError):
        raise InputError(
            "Hessian file",
            "unreadable",
            "a .npy file of plain numbers",
            "Write it with numpy.save of a float array.",
        ) from None
    return _spectrum(matrix)


def _spectrum(matrix: np.ndarray) -> Curvature:
    if matrix.ndim == 2 and len(matrix) > MOST_MODES:
        raise InputError(
            "Hessian",
            f"{len(matrix)} rows",
            f"at most {MOST_MODES} rows",
            "Use the engine for a larger one.",
        )
    return Curvature.from_hessian(matrix)
