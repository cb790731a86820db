"""The cards on top of every page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Readout:
    """One number with its name, what it belongs to and a short explanation."""

    key: str
    label: str
    value: str
    detail: str
