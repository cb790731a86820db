"""The blind protocol end to end: discover again, compare the hash, validate by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from momentdp_core.experiments.discovery import Discovery, discover
from momentdp_core.experiments.grid import ScoredSetting
from momentdp_core.experiments.progress import Tell, nobody, part
from momentdp_core.experiments.registry import CONTROL, FOLDER, PRIMARY, frozen_hash
from momentdp_core.experiments.validation import Validation, validate_registry

# When the two validations end, as shares of the time that all takes; then comes discovery.
ENDS = (0.2, 0.6)


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
    *,
    seed: int = 0,
    grid: Sequence[ScoredSetting] | None = None,
    folder: Path = FOLDER,
    tell: Tell = nobody,
) -> BlindProtocol:
    """Discover the cases again and validate the frozen ones.

    Args:
        seed: of the simulation.
        grid: scored settings; the whole grid of Appendix D if left out.
        folder: where the registries lie.
        tell: told how far it is.

    Raises:
        InputError: a registry is not the one that was frozen.

    Source: MOMENT-DP, Appendix D.

    >>> blind_protocol.__name__
    'blind_protocol'
    """
    first, second, third = (part(tell, *ends) for ends in pairwise((0.0, *ENDS, 1.0)))
    return BlindProtocol(
        frozen=(frozen_hash(PRIMARY, folder), frozen_hash(CONTROL, folder)),
        primary=validate_registry(PRIMARY, seed=seed, folder=folder, tell=first),
        control=validate_registry(CONTROL, seed=seed, folder=folder, tell=second),
        discovery=discover(grid, tell=third),
    )
