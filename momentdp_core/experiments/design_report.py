"""The study of designs in real training as plain numbers, and the run that comes with the program.

python -m momentdp_core.experiments.design_report [JOBS]    # compute it anew, on so many processes
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from typing import Any

from momentdp_core.experiments.design_kinds import KINDS, LOWEST_CURVATURE
from momentdp_core.experiments.design_proof import (
    ConditionProof,
    Paired,
    confirm,
    other_partitions,
    scores,
    tuned_scores,
    verdict,
)
from momentdp_core.experiments.design_reasons import (
    CAUSES,
    RUNGS,
    SUBJECT,
    Reason,
    reason,
    telling_rates,
)
from momentdp_core.experiments.design_runs import ConditionLosses, ProofSettings, run_condition
from momentdp_core.experiments.execution import RESULTS, environment, plain
from momentdp_core.experiments.logistic_data import paper_problem

Report = dict[str, Any]
FILE = RESULTS / "designs.json"
# The study's own seed, of data and noise.
SEED = 0


def _trained(settings: ProofSettings, condition: str) -> tuple[ConditionLosses, ...]:
    return run_condition(paper_problem(SEED), settings, condition)


def _checked(settings: ProofSettings, proof: ConditionProof, key: str) -> Paired:
    return other_partitions(paper_problem(SEED), settings, proof, key)


def _explained(settings: ProofSettings, told: ConditionLosses) -> list[Reason]:
    problem = paper_problem(SEED)
    return [reason(problem, settings, told, *where) for where in telling_rates(told, settings)]


def design_study(settings: ProofSettings, jobs: int = 1) -> Report:
    """Return everything the study says, as JSON-like values.

    Args:
        settings: how.
        jobs: processes.

    Raises:
        InputError: a setting is out of range.

    Source: this project, on the task of MOMENT-DP (arXiv:2611.11457), Appendix F.

    >>> few = ProofSettings(rates=(0.02,), kinds=("banded",), pool=("bisr",), replicates=2,
    ...                     bands=2, conditions=("L0",), epsilons=(4.0,))
    >>> design_study(few)["verdict"]["best"]
    'banded'
    """
    with _Workers(jobs) as work:
        runs = work(_trained, [(settings, key) for key in settings.conditions])
        every = [told for run in runs for told in run]
        proofs = [confirm(told, settings) for told in every]
        score = scores(every, settings)
        found = verdict(score, proofs)
        checks = work(_checked, [(settings, proof, found.best) for proof in proofs])
        subject = [run[0] for run in runs] if SUBJECT in settings.kinds else []
        reasons = work(_explained, [(settings, told) for told in subject])
    alone = {
        f"{epsilon:g}": scores([t for t in every if t.epsilon == epsilon], settings)
        for epsilon in settings.epsilons
    }
    return {
        "settings": plain(settings) | {"data": paper_problem(SEED).source},
        "kinds": {key: plain(KINDS[key]) for key in settings.kinds},
        "lowest_curvature": LOWEST_CURVATURE,
        "score": score,
        "score_by_epsilon": alone,
        "score_tuned": tuned_scores(every, settings),
        "verdict": plain(found),
        "proofs": [_proof(proof) for proof in proofs],
        "partitions": [_paired(check) for check in checks],
        "reasons": [_reason(one) for several in reasons for one in several],
    }


class _Workers:
    """Runs a function over argument tuples, here or in processes."""

    def __init__(self, jobs: int) -> None:
        self.pool = ProcessPoolExecutor(jobs) if jobs > 1 else None

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.shutdown()

    def __call__(self, function: Any, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
        if self.pool is None:
            return [function(*call) for call in calls]
        return [task.result() for task in [self.pool.submit(function, *call) for call in calls]]


def _paired(pair: Paired) -> Report:
    told: Report = plain(pair)
    return told | {"outcome": pair.outcome}


def _proof(proof: ConditionProof) -> Report:
    """Return a condition's proof; the sweep as relative differences, which is what is drawn."""
    told: Report = plain(proof)
    told["tuned"] = {key: _paired(pair) for key, pair in proof.tuned.items()}
    told["sweep"] = {
        key: {
            "rival": [pair.rival for pair in pairs],
            "relative": [pair.difference / pair.rival_mean for pair in pairs],
            "half_width": [pair.half_width / pair.rival_mean for pair in pairs],
            "outcome": [pair.outcome for pair in pairs],
        }
        for key, pairs in proof.sweep.items()
    }
    return told


def _reason(one: Reason) -> Report:
    told: Report = plain(one)
    cause = {"cause": one.cause, "said": CAUSES[one.cause], "mended": list(one.mended)}
    return told | cause | {"rungs": list(RUNGS)}


@lru_cache(maxsize=1)
def shipped_designs() -> Report:
    """Return the study that comes with the program, with its date, seed and versions.

    >>> sorted(shipped_designs())
    ['date', 'environment', 'report', 'seconds', 'seed']
    """
    told: Report = json.loads(FILE.read_text(encoding="utf-8"))
    return told


def write_designs(date: str, jobs: int = 1, settings: ProofSettings | None = None) -> Report:
    """Compute the study and write what comes with the program.

    Args:
        date: day of the run, as 2026-01-31.
        jobs: processes.
        settings: other than the defaults, for a trial.
    """
    import time

    start = time.perf_counter()
    study = design_study(settings or ProofSettings(), jobs)
    told = {
        "date": date,
        "seed": SEED,
        "environment": environment(),
        "seconds": round(time.perf_counter() - start, 1),
        "report": study,
    }
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    FILE.write_text(text.replace('{"condition"', '\n{"condition"') + "\n", encoding="utf-8")
    return told


if __name__ == "__main__":
    from datetime import UTC, datetime

    made = write_designs(
        str(datetime.now(tz=UTC).date()), int(sys.argv[1]) if len(sys.argv) > 1 else 2
    )
    print(json.dumps(made["report"]["verdict"]))
