"""Every study with steps tells how far it is, and finds the same whoever listens."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from threading import Barrier, Lock

import numpy as np
import pytest

from momentdp_core.experiments import grid
from momentdp_core.experiments.claims import EXPERIMENTS
from momentdp_core.experiments.crossings import confirmed_crossovers
from momentdp_core.experiments.discovery import discover
from momentdp_core.experiments.identity import identity_grid
from momentdp_core.experiments.logistic_evidence import logistic_evidence, pmlf_evidence
from momentdp_core.experiments.logistic_runs import LogisticSettings
from momentdp_core.experiments.monte_carlo import sampled_damage
from momentdp_core.experiments.perturbation import curvature_perturbation
from momentdp_core.experiments.progress import part, steps
from momentdp_core.experiments.protocol import blind_protocol
from momentdp_core.experiments.rankings import rankings
from momentdp_core.experiments.sensitivity import sensitivity_check
from momentdp_core.experiments.slices import slice_count
from momentdp_core.experiments.solver_check import solver_check
from momentdp_core.experiments.trajectory import trajectory_ranks
from momentdp_core.experiments.validation import validate_registry

FEW = LogisticSettings(replicates=2, noisecurve="solved", bands=2)
# A small run of each study, and the least number of steps that it tells.
SMALL = {
    "identity_grid": (lambda tell: identity_grid(horizons=(4, 8), rates=(0.1,), tell=tell), 12),
    "sampled_damage": (lambda tell: sampled_damage(runs=4, tell=tell), 12),
    "confirmed_crossovers": (
        lambda tell: confirmed_crossovers(rates=(0.1,), conditions=(10.0,), tell=tell),
        4,
    ),
    "slice_count": (lambda tell: slice_count(rates=(0.1,), tell=tell), 9),
    "solver_check": (lambda tell: solver_check(horizons=(4, 8), adam_steps=5, tell=tell), 4),
    "sensitivity_check": (
        lambda tell: sensitivity_check(horizons=(4, 8), rates=(0.1,), tell=tell),
        2,
    ),
    "trajectory_ranks": (lambda tell: trajectory_ranks(horizon=4, tell=tell), 9),
    "curvature_perturbation": (
        lambda tell: curvature_perturbation(repeats=1, sizes=(0.0,), tell=tell),
        9,
    ),
    "validation": (lambda tell: validate_registry("primary", most_runs=2, tell=tell), 12),
    "logistic": (
        lambda tell: logistic_evidence(settings=FEW, rates=[0.1, 0.2], data_sets=2, tell=tell),
        13,
    ),
    "pmlf": (
        lambda tell: pmlf_evidence(
            replicates=2, ablation_replicates=2, reading_replicates=2, tell=tell
        ),
        51,
    ),
}


@pytest.mark.parametrize("study", list(SMALL))
def test_the_share_begins_at_nothing_and_grows(study):
    """Shares begin at 0, never fall, stay below 1, and each comes with words."""
    told: list[tuple[float, str]] = []
    run, least = SMALL[study]
    run(lambda share, text: told.append((share, text)))
    shares = [share for share, _ in told]
    assert len(shares) >= least
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert max(shares) < 1
    assert all(text for _, text in told)


def test_a_study_finds_the_same_whoever_listens():
    """Telling draws no random numbers and changes no result."""
    alone = sampled_damage(seed=3, runs=10)
    assert sampled_damage(seed=3, runs=10, tell=lambda share, text: None) == alone


@pytest.fixture
def short_grid(monkeypatch):
    """The grid at a short horizon and one rate in ten places, none of it kept."""
    few = [grid.score(s) for s in grid.scenarios(rates=(0.2, 0.8), horizon=8)]
    nothing_yet = [], Lock()
    monkeypatch.setattr(grid, "_scored", lambda: nothing_yet)
    monkeypatch.setattr(grid, "scenarios", lambda: iter(5 * few))
    monkeypatch.setattr(grid, "score", lambda setting: setting)


@pytest.mark.usefixtures("short_grid")
@pytest.mark.parametrize("study", [rankings, discover])
def test_the_grid_is_told_setting_by_setting(study):
    """All 480 settings come first; the second time they are at hand and only the rest is told."""
    told: list[tuple[float, str]] = []
    study(tell=lambda share, text: told.append((share, text)))
    shares = [share for share, _ in told]
    assert len(told) == 481
    assert told[0] == (0.0, "setting 1 of 480")
    assert shares == sorted(shares)
    told.clear()
    study(tell=lambda share, text: told.append((share, text)))
    assert len(told) == 1


@pytest.mark.usefixtures("short_grid")
def test_the_blind_protocol_tells_its_three_parts(monkeypatch):
    """Both validations and the discovery share one scale."""
    monkeypatch.setattr(
        "momentdp_core.experiments.protocol.validate_registry",
        lambda name, *, seed, folder, tell: validate_registry(
            name, seed=seed, folder=folder, most_runs=2, tell=tell
        ),
    )
    told: list[float] = []
    blind_protocol(tell=lambda share, text: told.append(share))
    assert told == sorted(told)
    assert len(told) == 12 + 12 + 481
    assert (told[0], told[12], told[24]) == (0.0, 0.2, 0.6)


def test_every_study_takes_who_is_to_be_told():
    """The quick ones too, so that all are run in one way."""
    assert asdict(EXPERIMENTS["schedule_table"].run(0, lambda share, text: None))["winners"]
    assert np.isfinite(EXPERIMENTS["epsilon_invariance"].run(0, print).spread)


def test_parts_of_parts():
    """A part's part lies where it should on the whole's scale."""
    told: list[float] = []
    inner = part(part(lambda share, text: told.append(share), 0.5, 1.0), 0.0, 0.5)
    assert list(steps("ab", inner)) == ["a", "b"]
    assert told == [0.5, 0.625]


def test_two_studies_of_one_process_share_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked for by two threads at once, as on a cluster's node, every setting is there once."""
    begun = Barrier(2)

    def scored(setting: int) -> int:
        time.sleep(0.001)  # lets the other thread in between, if anything does
        return setting

    def asked() -> tuple[object, ...]:
        begun.wait()
        return grid.controlled_grid()

    monkeypatch.setattr(grid, "scenarios", lambda: iter(range(20)))
    monkeypatch.setattr(grid, "score", scored)
    nothing_yet = [], Lock()
    monkeypatch.setattr(grid, "_scored", lambda: nothing_yet)
    with ThreadPoolExecutor(2) as pool:
        found = [task.result() for task in [pool.submit(asked) for _ in range(2)]]
    assert found == [tuple(range(20))] * 2
