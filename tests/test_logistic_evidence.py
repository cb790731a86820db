"""The evidence of all claims on the logistic task: complete, repeatable, and portable."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from momentdp_core.experiments.logistic_evidence import logistic_evidence, pmlf_evidence
from momentdp_core.experiments.logistic_runs import CHOICES, LogisticSettings

FEW = LogisticSettings(replicates=2, noisecurve="solved", bands=2)


def same(first, second):
    """Say whether two nested records hold equal numbers."""
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    return bool(np.array_equal(np.asarray(first), np.asarray(second)))


def test_evidence_of_every_claim_is_there_and_travels():
    """M25 to M32 and P1 to P5, each published | ours | settings, also through pickle."""
    found = logistic_evidence(settings=FEW, rates=[0.1], data_sets=2)
    parts = pmlf_evidence(replicates=2, ablation_replicates=2, reading_replicates=2)
    assert list(found.numbers) == [f"M{n}" for n in range(25, 33)]
    assert list(parts.numbers) == [f"P{n}" for n in range(1, 6)]
    for evidence in (found, parts):
        copy = pickle.loads(pickle.dumps(evidence))
        assert same(copy.numbers, evidence.numbers)
        for record in evidence.numbers.values():
            assert list(record) == ["published", "ours", "settings"]
    assert found.numbers["M25"]["settings"]["choices"] == dict(CHOICES)
    assert found.numbers["M25"]["ours"]["data_ranks"].shape == (2, 4)
    assert found.numbers["M28"]["ours"]["pairs"] == 9 * 36


@pytest.mark.parametrize("evidence", ["logistic", "pmlf"])
def test_evidence_depends_on_the_seed_alone(evidence):
    """The same seed gives the same numbers to the last bit, another seed others."""

    def run(seed):
        if evidence == "logistic":
            return logistic_evidence(seed, settings=FEW, rates=[0.1], data_sets=1).numbers
        return pmlf_evidence(
            seed, replicates=2, ablation_replicates=2, reading_replicates=2
        ).numbers

    first, claim = run(1), "M26" if evidence == "logistic" else "P5"
    assert same(first, run(1))
    assert not same(first[claim]["ours"], run(2)[claim]["ours"])
