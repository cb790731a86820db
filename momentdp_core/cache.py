"""Solved designs on disk: keyed by their parameters and a version, rebuilt when not trusted.

A cache file is a NumPy archive with the design's arrays and a JSON header. It is used only when
the header names this very design and version and its digest matches the arrays; anything else
(a corrupt, truncated or foreign file) counts as absent and is overwritten. Files are written
under a temporary name and renamed, so two processes at once each see a whole file or none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from momentdp_core.errors import FloatArray

# Raised whenever a solver changes what it returns: old files are then ignored.
DESIGN_VERSION = 1
FOLDER_VARIABLE = "MOMENTDP_CACHE_DIR"
Record = tuple[dict[str, Any], dict[str, FloatArray]]


def cache_folder() -> Path:
    """Return the folder for solved designs: $MOMENTDP_CACHE_DIR, else the user's cache folder.

    >>> cache_folder().name != ""
    True
    """
    if chosen := os.environ.get(FOLDER_VARIABLE):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "momentdp"


def digest_of(name: Mapping[str, Any], arrays: Mapping[str, FloatArray]) -> str:
    """Return a SHA-256 over the design's name and arrays.

    >>> len(digest_of({}, {}))
    64
    """
    state = hashlib.sha256(json.dumps(name, sort_keys=True).encode())
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        state.update(f"{key} {array.dtype.str} {array.shape}".encode())
        state.update(array.tobytes())
    return state.hexdigest()


def _path(name: Mapping[str, Any]) -> Path:
    label = hashlib.sha256(json.dumps(name, sort_keys=True).encode()).hexdigest()[:32]
    return cache_folder() / f"{label}.npz"


def load(name: Mapping[str, Any]) -> Record | None:
    """Return (header values, arrays) of the design of this name, or None when there is none.

    Args:
        name: JSON-like parameters that identify the design.
    """
    try:
        # Opened here, so that it is closed even when NumPy gives up on what is inside.
        with open(_path(name), "rb") as file, np.load(file, allow_pickle=False) as archive:
            header = json.loads(str(archive["header"]))
            arrays = {key: np.array(archive[key]) for key in archive.files if key != "header"}
        trusted = (
            header["version"] == DESIGN_VERSION
            and header["name"] == name
            and header["digest"] == digest_of(name, arrays)
        )
        return (header["values"], arrays) if trusted else None
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def save(
    name: Mapping[str, Any], values: Mapping[str, Any], arrays: Mapping[str, FloatArray]
) -> bool:
    """Keep a design; return False when the folder cannot be written, which is not an error.

    Args:
        name: JSON-like parameters that identify the design.
        values: JSON-like numbers to keep beside the arrays.
        arrays: what the strategy is made of.
    """
    header = {
        "version": DESIGN_VERSION,
        "name": dict(name),
        "values": dict(values),
        "digest": digest_of(name, arrays),
    }
    target = _path(name)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=target.parent, suffix=".part")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, header=np.array(json.dumps(header)), **arrays)  # type: ignore[arg-type]
        os.replace(temporary, target)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        return False
    return True
