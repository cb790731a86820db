"""What the Design page says about a contest: readouts, a sentence, and the table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from momentdp_core.errors import FloatArray
from pages.views import words
from pages.views.design import EQUAL, Contest, beaten, multiple, name_of, rivals_called
from pages.views.readout import Readout


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of the table, all in words."""

    key: str
    label: str
    mean: str
    worst: str
    where: str
    beats: str


@dataclass(frozen=True, kw_only=True)
class DesignView:
    """All that the page says about a contest."""

    study: str
    setting: str
    readouts: tuple[Readout, ...]
    sentence: str
    heading: str
    lines: tuple[Line, ...]


def design_view(found: Contest) -> DesignView:
    """Return the texts of the page."""
    times, score = found.times, found.score()
    rivals = np.argsort(score[1:], kind="stable") + 1
    order = [0, *rivals.tolist()]
    return DesignView(
        study=words.digest(found.scenario),
        setting=f"{found.question.unknown.low:g}-{found.question.unknown.high:g}",
        readouts=_readouts(found, times, int(rivals[0])),
        sentence=_sentence(found, times, int(rivals[0])),
        heading="Who does how well over the range" if len(found.best) > 1 else "Who does how well",
        lines=tuple(_line(found, times, n) for n in order),
    )


def share(gap: float) -> str:
    """Return a small share in percent, rounded up: a certificate promises no less.

    >>> share(0.00123), share(0.0)
    ('0.13 %', '0 %')
    """
    return f"{np.ceil(gap * 1e4 - 1e-9) / 100:.3g} %" if gap > 0 else "0 %"


def _line(found: Contest, times: FloatArray, n: int) -> Line:
    worst = int(times[n].argmax())
    count, lost = len(found.best), beaten(found, n)
    return Line(
        key=found.keys[n],
        label=name_of(found.keys[n]),
        mean=multiple(float(times[n].mean())),
        worst=multiple(float(times[n, worst])),
        where=found.label(worst),
        beats="–" if n == 0 else f"{lost} of {count}",
    )


def _readouts(found: Contest, times: FloatArray, rival: int) -> tuple[Readout, ...]:
    design, several = found.design, len(found.best) > 1
    kind = "Full" if design.bands is None else f"{design.bands} bands"
    aim = "least worst case" if found.question.worst_case else "least mean"
    made = f"for {len(found.best)} conditions, {aim}" if several else f"for {found.label(0)}"
    if found.design.path_share > 0:
        made += f", the loss on the way × {found.design.path_share:g}"
    of = "full design" if design.bands is None else f"design of {design.bands} bands"
    said = "solved" if design.mechanism.report.converged else "not solved to the end"
    hardest = int(times[0].argmax())
    scale = "exact" if design.sensitivity.exact else "an upper bound"
    return (
        Readout(key="design", label="Design", value=kind, detail=made),
        Readout(
            key="gap",
            label="Certificate",
            value=f"within {share(design.gap)}",
            detail=f"of the best {of}: {said}, proved",
        ),
        Readout(
            key="times",
            label="× best possible",
            value=multiple(float(times[0].mean())),
            detail=f"at most {multiple(float(times[0, hardest]))}, at {found.label(hardest)}"
            if several
            else "of any mechanism, full or banded",
        ),
        Readout(
            key="rival",
            label=f"Best {rivals_called(found)}",
            value=multiple(float(times[rival].mean())),
            detail=f"{name_of(found.keys[rival])}, at most {multiple(float(times[rival].max()))}"
            if several
            else name_of(found.keys[rival]),
        ),
        Readout(
            key="noise",
            label="Noise multiplier",
            value=words.number(design.noise_multiplier),
            detail=f"σ × sensitivity {design.sensitivity.value:.4g} ({scale})",
        ),
    )


def _sentence(found: Contest, times: FloatArray, rival: int) -> str:
    name, kind = name_of(found.keys[rival]), rivals_called(found)
    ratio = float(found.score()[rival] / found.score()[0]) if found.score()[0] > 0 else 1.0
    lost = beaten(found, rival)
    if len(found.best) == 1:
        said = f"{name}, the best {kind} mechanism here, does {words.times(ratio - 1)} times the "
        said += "damage of this design."
        return said if lost == 0 else f"{name} does less damage here than this design."
    aim = "worst" if found.question.worst_case else "mean"
    unit = "multiple of the best possible" if found.question.relative else "damage"
    said = f"By the {aim} {unit}, {name} is the best {kind} mechanism of this range; it has "
    said += f"{words.times(ratio - 1)} times that of this design. "
    if ratio < 1 - EQUAL:
        said = f"By the {aim} {unit}, {name} does better than this design over this range. "
    hurt = [n for n in range(1, len(found.keys)) if beaten(found, n)]
    if not hurt:
        return said + "The design does the least damage in every condition."
    worst = max(hurt, key=lambda n: beaten(found, n))
    gap = found.damage[0] / np.minimum(found.damage[1:].min(axis=0), found.damage[0])
    at = int(gap.argmax())
    return said + (
        f"It loses most often to {name_of(found.keys[worst])}: in {beaten(found, worst)} of "
        f"{len(found.best)} conditions; most of all at {found.label(at)}, by "
        f"{multiple(float(gap[at]))} times the best {kind} there."
    )
