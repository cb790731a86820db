"""Analytic discovery of crossover cases: searched, qualified, balanced, frozen.

`python -m momentdp_core.experiments.discovery` writes the registries anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from momentdp_core.experiments.grid import GRID_SETTING, MOMENTA, ScoredSetting, controlled_grid
from momentdp_core.experiments.progress import Tell, nobody, part
from momentdp_core.experiments.registry import (
    CONTROL,
    PRIMARY,
    CrossoverCase,
    registry_text,
    sha256_of,
    write_registry,
)

CASES = 12
# Of the time that discovery takes on the whole grid.
GRID_SHARE = 0.9
# Name of a registry: its cases' smaller margin lies above the first and at most the second.
THRESHOLDS = {PRIMARY: (0.10, np.inf), CONTROL: (0.05, 0.10)}
# Searched and counted, but not frozen: away from the condition it is designed for, NoiseCurve's
# damage follows columns that its objective hardly feels. A change of its start in the 14th digit
# moves it by 1 % in half of the grid, and up to threefold: another machine has another case.
NOT_FROZEN = frozenset({"noisecurve"})
# A margin is stored as the largest of these that it exceeds, which no rounding changes.
MARGIN_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A sign change of Δ between two momenta, before it is qualified.

    Args:
        case: its settings and predicted order.
        margin: the smaller of the two relative margins D_worse/D_better − 1.
    """

    case: CrossoverCase
    margin: float


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Twelve cases of one registry.

    Args:
        name: "primary" or "control".
        threshold: of the smaller margin.
        cases: in the order they were chosen.
        qualified: how many candidates qualified, of all pairs.
        eligible: how many of them could be frozen.
        clearance: how near, relatively, the choice is to being another one: the smallest
            distance of a deciding margin to a threshold or to a step of MARGIN_STEPS.
        sha256: of the registry's text.
    """

    name: str
    threshold: float
    cases: tuple[CrossoverCase, ...]
    qualified: int
    eligible: int
    clearance: float
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Discovery:
    """The analytic half of the blind protocol.

    Args:
        conditions: number of conditions searched.
        reversals: sign changes of Δ between two momenta, over all pairs and settings.
        primary, control: the two selections.
        setting: in words.
    """

    conditions: int
    reversals: int
    primary: Selection
    control: Selection
    setting: str


def discover(grid: Sequence[ScoredSetting] | None = None, *, tell: Tell = nobody) -> Discovery:
    """Search the grid for competitive crossovers and choose twelve for each registry.

    Args:
        grid: scored settings; the whole grid of Appendix D if left out.
        tell: told how far it is.

    Source: MOMENT-DP, Appendix D.

    >>> from momentdp_core.experiments.grid import scenarios, score
    >>> small = [score(scenario) for scenario in scenarios(rates=(0.2, 0.8), horizon=8)]
    >>> len(discover(small).primary.cases)
    12
    """
    settings = controlled_grid(part(tell, 0, GRID_SHARE)) if grid is None else grid
    tell(GRID_SHARE, "choosing twelve cases for each registry")
    candidates = [candidate for setting in settings for candidate in reversals(setting)]
    return Discovery(
        conditions=len(settings) * len(MOMENTA),
        reversals=len(candidates),
        primary=select(PRIMARY, candidates),
        control=select(CONTROL, candidates),
        setting=GRID_SETTING,
    )


def reversals(setting: ScoredSetting) -> Iterator[Candidate]:
    """Yield every pair of mechanisms and momenta of one setting between which Δ changes sign.

    Source: MOMENT-DP, Section 2.2.

    >>> from momentdp_core.experiments.grid import score
    >>> from momentdp_core.scenario import Scenario
    >>> next(reversals(score(Scenario(horizon=8)))).margin > 0
    True
    """
    scenario, damage = setting.scenario, setting.damage
    keys, shape = scenario.mechanisms, scenario.curvature
    first, second = np.triu_indices(len(keys), 1)
    gap = (damage[first] - damage[second]) / np.minimum(damage[first], damage[second])
    for i, low in enumerate(MOMENTA):
        for j in range(i + 1, len(MOMENTA)):
            margins = np.minimum(np.abs(gap[:, i]), np.abs(gap[:, j]))
            for pair in np.flatnonzero(gap[:, i] * gap[:, j] < 0):
                a, b = keys[first[pair]], keys[second[pair]]
                at_low, at_high = (a, b) if gap[pair, i] < 0 else (b, a)
                margin = float(margins[pair])
                case = CrossoverCase(
                    spectrum=shape.family,
                    modes=shape.modes,
                    condition_number=shape.condition_number,
                    schedule=scenario.schedule.family,
                    learning_rate=scenario.learning_rate,
                    horizon=scenario.horizon,
                    bands=scenario.bands,
                    epsilon=scenario.epsilon,
                    delta=scenario.delta,
                    low=low,
                    high=MOMENTA[j],
                    better_at_low=at_low,
                    better_at_high=at_high,
                    margin_above=max((s for s in MARGIN_STEPS if s < margin), default=0.0),
                )
                yield Candidate(case=case, margin=margin)


def select(name: str, candidates: Sequence[Candidate]) -> Selection:
    """Choose twelve qualified candidates, balanced over curvature and optimizer conditions.

    Pairs with a mechanism of NOT_FROZEN are left out. The spectra take turns. Within a spectrum
    the candidate is taken whose schedule, momenta, rate and mechanisms have been taken least
    often so far, compared in this order; equals are ordered by the SHA-256 of their settings,
    which no result influences.

    Source: MOMENT-DP, Appendix D ("Competitive-case selection"); the rule is this project's.

    >>> select("primary", []).cases
    ()
    """
    low, high = THRESHOLDS[name]
    spectra = list(dict.fromkeys(_spectrum(c.case) for c in candidates))
    by_spectrum = {s: [c for c in candidates if _spectrum(c.case) == s] for s in spectra}
    eligible = [c for c in candidates if not NOT_FROZEN & _pair(c.case)]
    identities = {id(c): c.case.identity for c in eligible if c.margin > low / 2}
    taken: Counter[object] = Counter()
    chosen: list[Candidate] = []
    clearance = np.inf
    for turn in range(CASES if spectra else 0):
        pool = [c for c in by_spectrum[spectra[turn % len(spectra)]] if id(c) in identities]
        ordered = sorted(
            (c for c in pool if c not in chosen),
            key=lambda c: (*_burden(c.case, taken), identities[id(c)]),
        )
        for candidate in ordered:
            clearance = min(clearance, _distance(candidate.margin, (low, high)))
            if low < candidate.margin <= high:
                steps = [s for s in MARGIN_STEPS if name == PRIMARY or s < high]
                clearance = min(clearance, _distance(candidate.margin, steps))
                chosen.append(candidate)
                taken.update(_conditions(candidate.case))
                break
    cases = tuple(c.case for c in chosen)
    return Selection(
        name=name,
        threshold=low,
        cases=cases,
        qualified=sum(low < c.margin <= high for c in candidates),
        eligible=sum(low < c.margin <= high for c in eligible),
        clearance=float(clearance),
        sha256=sha256_of(registry_text(name, low, cases)),
    )


def _spectrum(case: CrossoverCase) -> tuple[str, float]:
    return case.spectrum, case.condition_number


def _pair(case: CrossoverCase) -> set[str]:
    return {case.better_at_low, case.better_at_high}


def _conditions(case: CrossoverCase) -> list[object]:
    pair = sorted(_pair(case))
    return [
        ("schedule", case.schedule),
        ("momenta", case.low, case.high),
        ("rate", case.learning_rate),
        *(("mechanism", key) for key in pair),
    ]


def _burden(case: CrossoverCase, taken: Counter[object]) -> tuple[int, ...]:
    schedule, momenta, rate, *pair = _conditions(case)
    return taken[schedule], taken[momenta], taken[rate], sum(taken[key] for key in pair)


def _distance(margin: float, marks: Sequence[float]) -> float:
    return min(abs(margin / mark - 1) for mark in marks if np.isfinite(mark))


if __name__ == "__main__":
    found = discover()
    for selection in (found.primary, found.control):
        digest = write_registry(selection.name, selection.threshold, selection.cases)
        print(f"{selection.name}: {selection.qualified} qualified, SHA-256 {digest}")
