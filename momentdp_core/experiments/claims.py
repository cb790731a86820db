"""All claims and the studies behind them, by identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from momentdp_core.errors import InputError
from momentdp_core.experiments import (
    design_claims,
    identity_claims,
    logistic_verdicts,
    pmlf_verdicts,
    ranking_claims,
    robustness_claims,
    winner_claims,
)
from momentdp_core.experiments.verdicts import Claim, Experiment, Verdict

# A module with further claims is added here; it has CLAIMS and EXPERIMENTS of its own.
_SOURCES = (
    identity_claims,
    design_claims,
    winner_claims,
    ranking_claims,
    robustness_claims,
    logistic_verdicts,
    pmlf_verdicts,
)


def _place(claim: Claim) -> tuple[str, int]:
    return claim.id[0], int(claim.id[1:])


EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {experiment.key: experiment for source in _SOURCES for experiment in source.EXPERIMENTS}
)
CLAIMS: Mapping[str, Claim] = MappingProxyType(
    {
        claim.id: claim
        for claim in sorted((c for source in _SOURCES for c in source.CLAIMS), key=_place)
    }
)


def find_claims(ids: Sequence[str]) -> tuple[Claim, ...]:
    """Return the claims of these identities, each once, in the order of the table.

    Raises:
        InputError: an identity is unknown.

    >>> [claim.id for claim in find_claims(["m5", "M4"])]
    ['M4', 'M5']
    """
    wanted = {text.upper() for text in ids}
    for name in sorted(wanted - set(CLAIMS)):
        known = ", ".join(CLAIMS)
        raise InputError("claim", name, f"one of {known}", "Pick from that list, or use --all.")
    return tuple(claim for claim in CLAIMS.values() if claim.id in wanted)


def judge(record: object, study: str) -> tuple[Verdict, ...]:
    """Return the verdict on every claim that rests on a study, from its record.

    >>> from momentdp_core.experiments.lr_limit import lr_aware_limit
    >>> judge(lr_aware_limit(horizons=(4,)), "lr_aware_limit")[0].outcome
    'reproduced'
    """
    return tuple(claim.verdict(record) for claim in CLAIMS.values() if claim.study == study)
