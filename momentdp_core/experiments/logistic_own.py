"""A user's own rows for the logistic regression: read from CSV or NPZ, checked, cut into shards."""

from __future__ import annotations

import csv
import io

import numpy as np

from momentdp_core.errors import FloatArray, InputError, check_integer
from momentdp_core.experiments.logistic_data import (
    LARGEST_ENTRIES,
    LARGEST_FEATURES,
    LARGEST_ROWS,
    LARGEST_VALUE,
    PAPER_CALIBRATION,
    PAPER_HORIZON,
    LogisticProblem,
    assemble,
)

LARGEST_FILE = 64 * 2**20
# What a column of labels may be called; without such a name it is the last column.
LABEL_NAMES = ("y", "label", "target", "class")
# Of the user's rows at most this share is set aside for calibration, unless a number is given.
CALIBRATION_SHARE = 1 / 8


def logistic_problem(
    features: object,
    labels: object,
    *,
    standardise: bool = False,
    intercept: bool = False,
    horizon: int = PAPER_HORIZON,
    calibration_rows: int | None = None,
    seed: int = 0,
) -> LogisticProblem:
    """Return the paper's protocol on given rows: shuffle, set rows aside, cut the rest into shards.

    B = ⌊(n − N_cal)/T⌋; what is left over is not used. The calibration rows give the clipping
    norm, the curvature and the scale, are not trained on, and count as public.

    Args:
        features: X, shape (n, d), finite, |x| ≤ 1e6; n ≤ 200 000, d ≤ 256, n·d ≤ 5 000 000.
        labels: y, shape (n,), in {0, 1} or {−1, 1}, both present.
        standardise: subtract the calibration rows' mean and divide by their standard deviation;
            a feature that is constant there is only centred.
        intercept: add a feature that is 1 in every row.
        horizon: T ≥ 1.
        calibration_rows: N_cal ≥ 2; by default min(500, n/8).
        seed: of the shuffle, ≥ 0.

    Raises:
        InputError: what is given is not of this kind, or has too few rows.

    Source: MOMENT-DP (arXiv:2611.11457), Appendix F, on other data.

    >>> rows = np.random.default_rng(0).standard_normal((90, 2))
    >>> logistic_problem(rows, rows[:, 0] > 0, horizon=8).shards.shape
    (8, 9)
    """
    x = _matrix(features)
    y = _labels(labels, len(x))
    steps = check_integer("horizon", horizon, low=1)
    default = max(2, min(PAPER_CALIBRATION, int(len(x) * CALIBRATION_SHARE)))
    given = default if calibration_rows is None else calibration_rows
    kept = check_integer("calibration_rows", given, low=2)
    size = (len(x) - kept) // steps
    if size < 1:
        raise InputError(
            "X",
            f"{len(x)} rows",
            f"at least {steps + kept}: {kept} to calibrate, one for each of {steps} steps",
            "Give more rows, or use a shorter horizon.",
        )
    generator = np.random.default_rng(check_integer("seed", seed, low=0))
    order = generator.permutation(len(x))
    x, y = x[order], y[order]
    if standardise:
        spread = x[:kept].std(axis=0)
        x = (x - x[:kept].mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if intercept:
        x = np.column_stack([x, np.ones(len(x))])
    stop = kept + size * steps
    return assemble(
        features=np.ascontiguousarray(x[kept:stop]),
        labels=y[kept:stop].copy(),
        calibration=(x[:kept].copy(), y[:kept].copy()),
        horizon=steps,
        unused=len(x) - stop,
        source=f"own data, {len(x)} rows, shuffle seed {seed}",
    )


def _matrix(features: object) -> FloatArray:
    remedy = "Give X as n rows of d numbers."
    try:
        x = np.array(features, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("X", "not numbers", "a matrix of numbers", remedy) from None
    if x.ndim != 2 or x.size == 0:
        raise InputError("X", f"shape {x.shape}", "n rows of d numbers", remedy)
    if len(x) > LARGEST_ROWS or x.shape[1] > LARGEST_FEATURES or x.size > LARGEST_ENTRIES:
        allowed = f"at most {LARGEST_ROWS} rows, {LARGEST_FEATURES} columns"
        allowed += f" and {LARGEST_ENTRIES} numbers"
        raise InputError("X", f"shape {x.shape}", allowed, "Use a sample of the rows.")
    bad = ~(np.abs(x) <= LARGEST_VALUE)
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"X[{row}, {column}]",
            float(x[row, column]),
            f"finite numbers up to {LARGEST_VALUE:g}",
            "Correct or remove this row, or rescale the column.",
        )
    return x


def _labels(labels: object, rows: int) -> FloatArray:
    try:
        y = np.array(labels, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("y", "not numbers", "0 and 1, or −1 and 1", "Code the classes.") from None
    if y.shape != (rows,):
        raise InputError(
            "y", f"shape {y.shape}", f"{rows} labels, one a row of X", "Match X and y."
        )
    values = set(np.unique(y).tolist())
    if values not in ({0.0, 1.0}, {-1.0, 1.0}):
        shown = ", ".join(f"{value:g}" for value in sorted(values)[:4])
        raise InputError(
            "y", shown, "two classes, 0 and 1 or −1 and 1", "Code the two classes as 0 and 1."
        )
    return (y > 0).astype(np.float64)


def read_rows(name: str, content: bytes) -> tuple[FloatArray, FloatArray]:
    """Return (X, y) from the bytes of a .npz file with arrays X and y, or of a .csv file.

    A CSV may start with the columns' names; the labels are the column called y, label, target or
    class, else the last one. Nothing is ever unpickled.

    Args:
        name: of the file; .npz is read as such, everything else as CSV in UTF-8.
        content: at most 64 MiB.

    Raises:
        InputError: too large, unreadable, or not such a table.

    >>> read_rows("a.csv", b"y,u\\n1,0.5\\n0,2\\n")
    (array([[0.5],
           [2. ]]), array([1., 0.]))
    """
    if not 0 < len(content) <= LARGEST_FILE:
        raise InputError(
            "file",
            f"{len(content)} bytes",
            f"1 byte to {LARGEST_FILE // 2**20} MiB",
            "Save it again, or use a sample of the rows.",
        )
    if name.lower().endswith(".npz"):
        return _npz(content)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(
            "file", "not text", "a .csv file in UTF-8, or .npz", "Export it again as CSV."
        ) from None
    return _csv(text)


def _npz(content: bytes) -> tuple[FloatArray, FloatArray]:
    import zipfile
    import zlib

    allowed = "a .npz file with the plain arrays X and y"
    remedy = "Write it with numpy.savez(file, X=…, y=…) of float arrays."
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            # Compressed zeros unpack to a thousand times their size.
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > LARGEST_FILE:
            raise InputError(
                "file", f"{unpacked} bytes unpacked", f"at most {LARGEST_FILE}", "Use a sample."
            )
        # Never unpickle an upload: a pickle runs whatever its author wrote.
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            # Copied as they are: whether they are numbers is checked with the values.
            return np.asarray(arrays["X"]), np.asarray(arrays["y"])
    except (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("file", "unreadable", allowed, remedy) from None


def _csv(text: str) -> tuple[FloatArray, FloatArray]:
    first = text.lstrip().split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(row)]
    except csv.Error as error:
        raise InputError("file", str(error), "a table in CSV", "Export it again.") from None
    header = rows[0] if rows and not any(_is_number(entry) for entry in rows[0]) else None
    names = [entry.strip().lower() for entry in header or []]
    offset = 1 if header else 0
    body = rows[offset:]
    if not body or len(body[0]) < 2:
        raise InputError(
            "file", "no table", "rows of at least one feature and a label", "Export it as CSV."
        )
    width = len(body[0])
    table = np.empty((len(body), width))
    for number, row in enumerate(body, offset + 1):
        if len(row) != width:
            raise InputError(
                f"row {number}", f"{len(row)} entries", f"{width} as before", "Correct this row."
            )
        for column, entry in enumerate(row):
            if not _is_number(entry):
                raise InputError(
                    f"row {number}, column {column + 1}",
                    entry[:20],
                    "a number",
                    "Correct or remove this row.",
                )
            table[number - offset - 1, column] = float(entry)
    named = [names.index(label) for label in LABEL_NAMES if label in names]
    label = named[0] if named else width - 1
    return np.delete(table, label, axis=1), table[:, label].copy()


def _is_number(entry: str) -> bool:
    try:
        float(entry)
    except ValueError:
        return False
    return True
