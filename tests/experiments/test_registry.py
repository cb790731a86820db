"""The frozen registry: its hash, who may read it, and how its cases were chosen."""

from __future__ import annotations

import ast
import hashlib
import json
import shutil
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from momentdp_core import POOL, Curvature, InputError, Scenario, Schedule, final_damage, sweep
from momentdp_core.experiments.discovery import NOT_FROZEN, Candidate, discover, reversals, select
from momentdp_core.experiments.grid import MOMENTA, ScoredSetting, scenarios
from momentdp_core.experiments.registry import (
    FOLDER,
    CrossoverCase,
    canonical_json,
    frozen_hash,
    load_registry,
    registry_path,
    registry_text,
    sha256_of,
    write_registry,
)
from momentdp_core.experiments.validation import validate_case, validate_registry
from tests.experiments.records import CASE

ROOT = Path(__file__).parents[2]
# What evaluates or ranks damages, or is built on something that does.
ANALYTIC = {
    *("transfer", "damage", "ranking", "crossover", "scores", "spectrum", "study", "excess"),
    *("optimizers", "scenario", "simulate", "report"),
}
BLIND = ("validation", "registry", "progress")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the committed registries that a test may change."""
    return Path(shutil.copytree(FOLDER, tmp_path / "registry"))


def imported(path: Path) -> set[str]:
    """Every module of the engine that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return {name for name in found if name.startswith("momentdp_core.")}


def reached(names: set[str]) -> set[str]:
    """Every module of the engine that these modules import, directly or through others."""
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        path = ROOT.joinpath(*waiting.pop().split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path.is_file() and str(path.relative_to(ROOT)) not in seen:
            seen.add(str(path.relative_to(ROOT)))
            waiting += imported(path)
    return seen


def analytic(files: set[str]) -> set[str]:
    """Those of some files that evaluate damages, or search for crossovers."""
    parts = {file: Path(file).with_suffix("").parts[1:] for file in files}
    found = {file for file, part in parts.items() if part[0] in ANALYTIC}
    return found | {
        file
        for file, part in parts.items()
        if part[0] == "experiments" and part[1] not in (*BLIND, "__init__")
    }


def test_the_validator_reaches_no_analytic_code():
    """Neither the validator nor anything it imports evaluates a damage or knows the discovery."""
    start = {"momentdp_core.experiments.validation", "momentdp_core.experiments.registry"}
    files = reached(start)
    walked = ("experiments/validation.py", "experiments/registry.py", "updates.py")
    assert {f"momentdp_core/{name}" for name in walked} <= files
    assert analytic(files) == set()


@pytest.mark.parametrize("module", ["discovery", "grid", "protocol", "identity"])
def test_the_search_for_analytic_code_finds_it(module):
    """The rule can fail: modules that do evaluate damages are reported."""
    assert analytic(reached({f"momentdp_core.experiments.{module}"}))


@pytest.mark.parametrize("name", ["primary", "control"])
def test_the_committed_registry_is_canonical(name):
    """Twelve cases; the file is the canonical text of what it holds, and hashes to its line."""
    data = registry_path(name).read_bytes()
    cases = load_registry(name)
    fields = json.loads(data)
    assert len(cases) == len(set(cases)) == 12
    assert registry_text(name, fields["threshold"], cases).encode() == data
    assert hashlib.sha256(data).hexdigest() == frozen_hash(name)
    assert [asdict(case) for case in cases] == fields["cases"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace('"low":0.0', '"low":0.1', 1), id="a momentum"),
        pytest.param(lambda text: text.replace("dense", "iid", 1), id="a mechanism"),
        pytest.param(lambda text: text + "\n", id="a line break"),
        pytest.param(lambda text: "{", id="no JSON at all"),
    ],
)
def test_a_changed_registry_is_refused(copied, change):
    """One changed byte, and neither reading nor validating begins."""
    path = registry_path("primary", copied)
    path.write_bytes(change(path.read_text(encoding="utf-8")).encode())
    with pytest.raises(InputError, match="changed after it was frozen"):
        load_registry("primary", copied)
    with pytest.raises(InputError, match="registry"):
        validate_registry("primary", folder=copied, most_runs=2)
    assert len(load_registry("control", copied)) == 12


def test_an_unknown_registry_is_refused(copied):
    """A name without a frozen hash is no registry."""
    with pytest.raises(InputError, match=r"control\.json"):
        load_registry("other", copied)


def test_freezing_keeps_the_other_hashes(copied):
    """Writing one registry anew leaves the line of the other, and reads back."""
    before = frozen_hash("control", copied)
    digest = write_registry("primary", 0.1, [CASE], copied)
    assert (
        frozen_hash("primary", copied) == digest == sha256_of(registry_text("primary", 0.1, [CASE]))
    )
    assert frozen_hash("control", copied) == before
    assert load_registry("primary", copied) == (CASE,)


def test_canonical_json_refuses_what_is_no_number():
    """NaN has no canonical form."""
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


@pytest.mark.slow
def test_discovery_finds_the_frozen_registries_again():
    """The whole grid, searched again, gives the same two files, far from any threshold.

    NoiseCurve, which is never frozen, is left out here; `reproduce M24` searches all pairs.
    """
    pool = tuple(key for key in POOL if key not in NOT_FROZEN)
    grid = [
        ScoredSetting(
            scenario=scenario,
            damage=sweep(scenario, MOMENTA),
            static_mse=np.ones(len(pool)),
            lr_aware=np.ones(len(pool)),
        )
        for scenario in scenarios(mechanisms=pool)
    ]
    found = discover(grid)
    assert found.conditions == 2880
    for selection in (found.primary, found.control):
        assert selection.sha256 == frozen_hash(selection.name)
        assert selection.cases == load_registry(selection.name)
        # A rounding that moves a margin by less than this changes neither choice nor text.
        assert selection.clearance > 0.002
    generator = np.random.default_rng(0)
    moved = [
        replace(s, damage=s.damage * (1 + 2e-4 * generator.uniform(-1, 1, s.damage.shape)))
        for s in grid
    ]
    # Ten orders of magnitude more than rounding: still the same cases, and the same bytes.
    again = discover(moved)
    assert again.primary.sha256 == found.primary.sha256
    assert again.control.sha256 == found.control.sha256


@pytest.mark.parametrize("name", ["primary", "control"])
def test_the_choice_is_balanced(name):
    """Two cases a spectrum, no schedule, momenta or rate more than twice, eight schedules."""
    cases = load_registry(name)
    spectra = Counter((case.spectrum, case.condition_number) for case in cases)
    assert set(spectra.values()) == {2}
    assert len(spectra) == 6
    assert max(Counter(case.schedule for case in cases).values()) <= 2
    assert len({case.schedule for case in cases}) == 8
    assert max(Counter((case.low, case.high) for case in cases).values()) <= 2
    assert max(Counter(case.learning_rate for case in cases).values()) <= 2


@pytest.mark.parametrize("name", ["primary", "control"])
def test_the_frozen_cases_qualify(name):
    """By the norm route each case reverses with both margins in its registry's range."""
    low, high = (0.1, np.inf) if name == "primary" else (0.05, 0.1)
    for case in load_registry(name):
        scenario = Scenario(
            curvature=Curvature(family=case.spectrum, condition_number=case.condition_number),
            schedule=Schedule(family=case.schedule),
            learning_rate=case.learning_rate,
            mechanisms=(case.better_at_low, case.better_at_high),
        )
        (a, b), (c, d) = final_damage(scenario, [case.low, case.high]).T
        margins = (b / a - 1, c / d - 1)
        assert low < min(margins) <= high
        assert min(margins) > case.margin_above


def test_the_choice_knows_only_margins_and_settings():
    """Below the threshold nobody is chosen; the order of the candidates does not matter."""
    scenario = Scenario(horizon=8, mechanisms=("iid", "dense", "bisr"))
    damage = np.array(
        [[1.0, 1, 1, 1, 1, 2], [1.2, 1.2, 1.2, 1.2, 1.2, 1], [1.01, 1, 1, 1, 1, 2.01]]
    )
    setting = ScoredSetting(
        scenario=scenario, damage=damage, static_mse=np.ones(3), lr_aware=np.ones(3)
    )
    candidates = list(reversals(setting))
    assert {(c.case.better_at_low, c.case.better_at_high) for c in candidates} == {
        *(("iid", "dense"), ("bisr", "dense"))
    }
    unstable = [
        Candidate(case=replace(c.case, better_at_low="noisecurve"), margin=c.margin)
        for c in candidates
    ]
    assert select("primary", unstable).cases == ()
    assert select("primary", unstable).qualified == len(candidates)
    chosen = select("primary", candidates)
    assert chosen == select("primary", candidates[::-1])
    assert len(chosen.cases) == len(candidates) == chosen.qualified
    weak = [Candidate(case=c.case, margin=0.09) for c in candidates]
    assert select("primary", weak).cases == ()
    assert len(select("control", weak).cases) == len(weak)


def test_a_case_is_identified_by_its_settings_alone():
    """Margin and predicted order leave the identity unchanged, every setting changes it."""
    swapped = replace(CASE, better_at_low="dense", better_at_high="noisecurve", margin_above=2.0)
    assert swapped.identity == CASE.identity
    assert replace(CASE, high=0.95).identity != CASE.identity


def test_simulation_confirms_true_cases_and_contradicts_false_ones():
    """κ = 10, rate 0.8: NoiseCurve wins at μ = 0 and Dense at 0.9; told the reverse, it objects."""
    small = replace(CASE, horizon=16)
    seed = np.random.SeedSequence(3)
    found = validate_case(small, seed)
    scenario = Scenario(
        horizon=16, curvature=Curvature(condition_number=10), mechanisms=("noisecurve", "dense")
    )
    exact = final_damage(scenario, [0.0, 0.9])
    for gap, truth in zip(
        found.gaps, (exact[1, 0] - exact[0, 0], exact[0, 1] - exact[1, 1]), strict=True
    ):
        assert gap.half_width <= 0.25 * abs(gap.gap)
        # Twice the half-width is four standard errors.
        assert abs(gap.gap - truth) <= 2.1 * gap.half_width
    false = replace(small, better_at_low="dense", better_at_high="noisecurve")
    assert found.verdict == "confirmed"
    assert validate_case(false, np.random.SeedSequence(3)).verdict == "contradicted"


def test_a_gap_that_is_too_small_stays_unresolved():
    """A mechanism against itself has no gap; sampling stops at its limit."""
    tie = replace(CASE, horizon=8, better_at_low="iid", better_at_high="sqrt", high=0.0)
    found = validate_case(tie, np.random.SeedSequence(0), most_runs=64)
    assert {gap.runs for gap in found.gaps} == {64}
    itself = replace(tie, better_at_high="iid")
    assert (
        validate_case(itself, np.random.SeedSequence(0), most_runs=4000).verdict != "contradicted"
    )


@pytest.mark.slow
def test_the_simulator_confirms_all_twelve():
    """Every primary case is confirmed on both sides, with the promised precision."""
    found = validate_registry("primary", seed=11)
    assert found.sha256 == frozen_hash("primary")
    assert found.confirmed == len(found.cases) == 12
    assert isinstance(found.cases[0].case, CrossoverCase)
    assert all(g.half_width <= 0.25 * abs(g.gap) for c in found.cases for g in c.gaps)
