"""The blind protocol end to end: discover again, compare the hash, validate by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from momentdp_core.experiments.discovery import Discovery, discover
from momentdp_core.experiments.grid import ScoredSetting
from momentdp_core.experiments.registry import CONTROL, FOLDER, PRIMARY, frozen_hash
from momentdp_core.experiments.validation import Validation, validate_registry


@dataclass(frozen=True, kw_only=True)
class BlindProtocol:
    """Both halves of the protocol.

    Args:
        discovery: the cases found now.
        frozen: the committed hashes of the primary and the control registry.
        primary, control: the frozen registries, validated.
    """

    discovery: Discovery
    frozen: tuple[str, str]
    primary: Validation
    control: Validation

    @property
    def same_hashes(self) -> bool:
        """Whether discovery finds the frozen registries again, byte for byte."""
        return self.frozen == (self.discovery.primary.sha256, self.discovery.control.sha256)


def blind_protocol(
    *, seed: int = 0, grid: Sequence[ScoredSetting] | None = None, folder: Path = FOLDER
) -> BlindProtocol:
    """Discover the cases again and validate the frozen ones.

    Args:
        seed: of the simulation.
        grid: scored settings; the whole grid of Appendix D if left out.
        folder: where the registries lie.

    Raises:
        InputError: a registry is not the one that was frozen.

    Source: MOMENT-DP, Appendix D.

    >>> blind_protocol.__name__
    'blind_protocol'
    """
    return BlindProtocol(
        frozen=(frozen_hash(PRIMARY, folder), frozen_hash(CONTROL, folder)),
        primary=validate_registry(PRIMARY, seed=seed, folder=folder),
        control=validate_registry(CONTROL, seed=seed, folder=folder),
        discovery=discover(grid),
    )
