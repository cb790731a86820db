"""The nearest flip: how far each control can move before the answer changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from momentdp_core.axes import MapAxis, check_axes, slices_at
from momentdp_core.damage import sweep
from momentdp_core.errors import FloatArray, InputError, check_choice
from momentdp_core.lattice import DesignLattice, native_problem, warm_design
from momentdp_core.mechanisms.structures import BandedStrategy
from momentdp_core.places import REDESIGNED, judge_of, places_of, scenario_with, stable_places
from momentdp_core.ranking import IntArray, ranks
from momentdp_core.scenario import Scenario

# What can flip.
QUESTIONS = ("winner", "rank", "pair")
# Settings looked at between the current one and the end of an axis before refining.
SCAN = 160
# Settings looked at in each round of refining, and rounds.
SECTIONS, SECTION_ROUNDS = 16, 8
# Lines on which NoiseCurve is designed along an axis of rate or condition number.
DESIGN_LINES = 13
UNSTABLE = "unstable"


@dataclass(frozen=True, kw_only=True)
class Flip:
    """The first change of an answer on the way along one control.

    Args:
        control: "value", "rate", "condition", "schedule" or another field of the scenario.
        question: "winner", "rank" (of `subject`) or "pair" (who of two is ahead).
        subject: key of the ranked mechanism, or both keys of the pair; empty for the winner.
        direction: −1 downwards, +1 upwards, 0 for a list of options.
        start: where the control stands, nan for a list of options.
        end: how far was looked, nan for a list of options.
        at: where the answer changes; None where nothing on this way changes it.
        option: the option of a list that changes the answer; None where none does.
        before, after: the answers: keys of the winners, a rank, the key that is ahead,
            or "unstable"; empty where nothing changes.
    """

    control: str
    question: str
    subject: tuple[str, ...]
    direction: int
    start: float
    end: float
    at: float | None
    option: object
    before: tuple[str, ...]
    after: tuple[str, ...]


def nearest_flips(
    scenario: Scenario, value: float, axis: MapAxis, *, pair: tuple[str, str] | None = None
) -> tuple[Flip, ...]:
    """Return the first flip of every question in both directions along one continuous control.

    The way from the current setting to each end of the axis is sampled and the first change is
    refined to a billionth of its length; changes that undo each other between two samples are
    missed. Along rate and condition number NoiseCurve is designed on a few lines, one of them
    the current setting, and mixed in between (see DesignLattice).

    Args:
        scenario: the current setting.
        value: of the swept parameter, the current one.
        axis: which control, and from where to where.
        pair: two mechanisms of the scenario, for the question who is ahead.

    Raises:
        InputError: an axis that this scenario does not have, or a current setting outside it.

    Source: theory of this project ("Ranking": crossovers along any control).

    >>> from momentdp_core.curvature import Curvature
    >>> table_1 = Scenario(curvature=Curvature(condition_number=10), mechanisms=("dense", "iid"))
    >>> axis = MapAxis(name="value", points=(0.0, 0.99))
    >>> [flip.after for flip in nearest_flips(table_1, 0.9, axis)]
    [(), ('iid',)]
    """
    check_axes(scenario, axis)
    own = {
        "value": value,
        "rate": scenario.learning_rate,
        "condition": scenario.curvature.condition_number,
    }
    check_choice("axis", axis.name, own)
    start = own[axis.name]
    if not axis.points[0] <= start <= axis.points[-1]:
        allowed = f"{axis.points[0]:g} to {axis.points[-1]:g}"
        raise InputError(axis.name, start, allowed, "Look along a longer axis.")
    line = MapAxis(name=axis.name, points=(axis.points[0], axis.points[-1]))
    answers = _answers_along(scenario, value, line, _lattice_along(scenario, line, start), pair)
    here = float(line.position(np.array([start]))[0])
    found = []
    for question, subject, answer in answers:
        before = answer(np.array([here]))[0]
        for direction, stop in ((-1, 0.0), (1, 1.0)):
            place = _first_change(answer, here, stop, before) if here != stop else None
            moved = None if place is None else float(line.at(np.array([place]))[0])
            found.append(
                Flip(
                    control=axis.name,
                    question=question,
                    subject=subject,
                    direction=direction,
                    start=start,
                    end=axis.points[0 if direction < 0 else -1],
                    at=moved,
                    option=None,
                    before=before,
                    after=() if place is None else answer(np.array([place]))[0],
                )
            )
    return tuple(found)


def flips_among(
    scenario: Scenario,
    value: float,
    control: str,
    options: Sequence[object],
    *,
    pair: tuple[str, str] | None = None,
) -> tuple[Flip, ...]:
    """Return which options of a control without an order flip each question.

    One Flip for each option and question that it flips; one with option None where none does.
    Everything is designed anew where a design depends on the control.

    Args:
        scenario, value, pair: as for `nearest_flips`.
        control: "schedule", or a field of Scenario such as "bands", "horizon" or "epsilon".
        options: its values; the current one is passed over.

    Raises:
        InputError: an option that the scenario refuses.

    >>> from momentdp_core.schedules import Schedule
    >>> pool = Scenario(horizon=8, mechanisms=("iid", "dense"))
    >>> flips_among(pool, 0.9, "epsilon", [1.0, 8.0])[0].option is None
    True
    """
    subjects = _questions(scenario, pair)
    own = _answers(scenario, *_ranked(scenario, value), subjects)
    found = []
    changed = dict.fromkeys(range(len(subjects)), False)
    for option in options:
        if option == getattr(scenario, control):
            continue
        if control == "schedule":
            other = scenario_with(scenario, {"schedule": option})
        else:
            other = replace(scenario, **{control: option})  # type: ignore[arg-type]
        answers = _answers(other, *_ranked(other, value), subjects)
        for number, (before, after) in enumerate(zip(own, answers, strict=True)):
            if before[0] != after[0]:
                changed[number] = True
                found.append(_option(control, subjects[number], option, before[0], after[0]))
    for number, any_change in changed.items():
        if not any_change:
            found.append(_option(control, subjects[number], None, own[number][0], ()))
    return tuple(found)


Question = tuple[str, tuple[str, ...]]
Answer = tuple[str, ...]


def _option(
    control: str, question: Question, option: object, before: Answer, after: Answer
) -> Flip:
    return Flip(
        control=control,
        question=question[0],
        subject=question[1],
        direction=0,
        start=float("nan"),
        end=float("nan"),
        at=None,
        option=option,
        before=before,
        after=after,
    )


def _questions(scenario: Scenario, pair: tuple[str, str] | None) -> list[Question]:
    keys = scenario.mechanisms
    for key in pair or ():
        check_choice("pair", key, keys)
    asked: list[Question] = [("winner", ())]
    if REDESIGNED in keys:
        asked.append(("rank", (REDESIGNED,)))
    if pair is not None:
        asked.append(("pair", pair))
    return asked


def _ranked(scenario: Scenario, value: float) -> tuple[IntArray, np.ndarray]:
    damages = sweep(scenario, np.array([value]))
    stable = stable_places(scenario, places_of(scenario, values=value))
    return ranks(np.where(stable, damages, np.inf)), stable


def _answers(
    scenario: Scenario, rank: IntArray, stable: np.ndarray, asked: Sequence[Question]
) -> list[list[Answer]]:
    """Return, for each question, its answer at each of N settings; rank has shape (n, N)."""
    keys = scenario.mechanisms
    out: list[list[Answer]] = []
    for question, subject in asked:
        rows = [keys.index(key) for key in (subject or keys)]
        answers: list[Answer] = []
        for column, settled in zip(rank[rows].T, stable, strict=True):
            if not settled:
                answers.append((UNSTABLE,))
            elif question == "rank":
                answers.append((str(column[0]),))
            else:
                best = column[column > 0].min(initial=len(keys) + 1)
                answers.append(
                    tuple(k for k, r in zip(subject or keys, column, strict=True) if r == best)
                )
        out.append(answers)
    return out


def _lattice_along(scenario: Scenario, line: MapAxis, start: float) -> DesignLattice | None:
    """Design NoiseCurve along a control; the current setting keeps the design it has."""
    if line.name == "value" or REDESIGNED not in scenario.mechanisms:
        return None
    spread = line.at(np.linspace(0, 1, DESIGN_LINES))
    apart = np.abs(np.log(spread / start)) > 1e-9
    lines = np.sort(np.append(spread[apart], start))
    own = scenario.design(REDESIGNED).strategy
    assert isinstance(own, BandedStrategy)
    one = np.array([scenario.curvature.condition_number])
    if line.name == "rate":
        lattice = DesignLattice(rates=lines, conditions=one)
    else:
        lattice = DesignLattice(rates=np.array([scenario.learning_rate]), conditions=lines)
    near = None
    for n, place in enumerate(lines):
        rate, kappa = (place, one[0]) if line.name == "rate" else (scenario.learning_rate, place)
        if place == start:
            near = own
        else:
            near = warm_design(native_problem(scenario, float(rate), float(kappa)), near)
        lattice.designs[(n, 0) if line.name == "rate" else (0, n)] = near
    return lattice


AnswerAt = Callable[[FloatArray], list[Answer]]


def _answers_along(
    scenario: Scenario,
    value: float,
    line: MapAxis,
    lattice: DesignLattice | None,
    pair: tuple[str, str] | None,
) -> list[tuple[str, Answer, AnswerAt]]:
    judge = judge_of(scenario, lattice)
    asked = _questions(scenario, pair)
    seen: dict[bytes, tuple[IntArray, np.ndarray]] = {}  # all questions scan the same ways

    def ranked(position: FloatArray) -> tuple[IntArray, np.ndarray]:
        key = position.tobytes()
        if key not in seen:
            places = slices_at(scenario, value, (line,), (position,))[0].places
            stable = stable_places(scenario, places)
            seen[key] = ranks(np.where(stable, judge.damage(places), np.inf)), stable
        return seen[key]

    def answer(number: int) -> AnswerAt:
        return lambda position: _answers(scenario, *ranked(position), [asked[number]])[0]

    return [(*question, answer(number)) for number, question in enumerate(asked)]


def _first_change(answer: AnswerAt, start: float, stop: float, before: Answer) -> float | None:
    """Return a position just beyond the first change on the way from start to stop."""
    low, high = start, stop
    for count in (SCAN, *[SECTIONS] * SECTION_ROUNDS):
        way = np.linspace(low, high, count + 1)
        # On the crossing itself both are answers: the change is where the old one is none.
        changed = [n for n, found in enumerate(answer(way[1:]), 1) if not {*before} <= {*found}]
        if not changed:
            return None if count == SCAN else high
        low, high = float(way[changed[0] - 1]), float(way[changed[0]])
    return high
