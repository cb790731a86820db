"""One run of the logistic study as plain numbers: ranks, differences, trajectories, causes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from momentdp_core.experiments.execution import RESULTS, environment, plain
from momentdp_core.experiments.logistic_claims import settings_of
from momentdp_core.experiments.logistic_data import LogisticProblem, paper_problem
from momentdp_core.experiments.logistic_own import logistic_problem, read_rows
from momentdp_core.experiments.logistic_parts import excess_parts
from momentdp_core.experiments.logistic_ranks import mean_and_error, rank_condition, t_factor
from momentdp_core.experiments.logistic_runs import COMPARED, LogisticSettings, run_logistic
from momentdp_core.experiments.logistic_sweep import SWEPT_RATES, rate_sweep
from momentdp_core.experiments.progress import Tell, nobody

Report = dict[str, Any]
FILE = RESULTS / "logistic.json"


def logistic_report(
    problem: LogisticProblem, settings: LogisticSettings, tell: Tell = nobody
) -> Report:
    """Return ranks, paired differences, trajectories and causes under each condition.

    Args:
        problem: the data.
        settings: how; all nine compared mechanisms are run, whatever it names.
        tell: told the share that is done, and what is done next.

    Raises:
        InputError: a setting is out of range.

    Source: MOMENT-DP (arXiv:2611.11457), Appendix F and H.2.

    >>> small = LogisticSettings(replicates=2, noisecurve="solved", bands=2, conditions=("L0",))
    >>> list(logistic_report(paper_problem(0), small)["conditions"])
    ['L0']
    """
    asked = replace(settings, mechanisms=COMPARED)
    count = len(asked.conditions)
    factor = t_factor(asked.replicates)
    conditions: Report = {}
    told: Report = {}
    for place, key in enumerate(asked.conditions):
        tell(place / count, f"training under {key}")
        study = run_logistic(problem, replace(asked, conditions=(key,)))
        (run,) = study.runs
        order = rank_condition(run)
        mean, error = mean_and_error(run.trajectory.swapaxes(0, 1))
        tell((place + 0.6) / count, f"causes of the loss under {key}")
        parts = excess_parts(problem, asked, key)
        privacy, spread = mean_and_error(parts.privacy)
        told = settings_of(study)
        conditions[key] = {
            "mechanisms": run.mechanisms,
            "mean": order.mean,
            "half_width": order.half_width,
            "rank": order.rank,
            "best_rank": order.best_rank,
            "worst_rank": order.worst_rank,
            "difference": order.difference,
            "difference_half_width": order.difference_half_width,
            "steps": run.steps,
            "path": mean,
            "path_half_width": factor * error,
            "optimisation": parts.optimisation,
            "sampling": parts.sampling.mean(),
            "clipping": parts.clipping.mean(),
            "privacy": privacy,
            "privacy_half_width": factor * spread,
        }
    report: Report = plain({"settings": told | {"conditions": list(conditions)}})
    return report | {"conditions": plain(conditions)}


def sweep_report(
    problem: LogisticProblem,
    settings: LogisticSettings,
    tell: Tell = nobody,
    rates: Iterable[float] = SWEPT_RATES,
) -> Report:
    """Return NoiseCurve's rank, with its interval, and loss under L0 to L3 over learning rates.

    Args:
        problem: the data.
        settings: how.
        tell: told the share that is done, and the rate that is next.
        rates: η > 0.

    Raises:
        InputError: a rate or a setting is out of range.

    Source: MOMENT-DP, Table 2 (its learning rate is not printed).

    >>> few = LogisticSettings(replicates=2, noisecurve="solved", bands=2)
    >>> sweep_report(paper_problem(0), few, rates=[0.1])["rates"]
    [0.1]
    """
    names = ("rank", "best_rank", "worst_rank", "mean", "best_mean")
    out: Report = {name: [] for name in ("rates", *names)}
    wanted = list(rates)
    for place, rate in enumerate(wanted):
        tell(place / len(wanted), f"rate {rate:g}")
        sweep = rate_sweep(problem, settings, [rate])
        out["rates"].append(float(rate))
        for name in names:
            out[name].append(plain(getattr(sweep, name)[0]))
    return out


def paper_report(settings: LogisticSettings, seed: int, tell: Tell = nobody) -> Report:
    """Return the report on the paper's synthetic data.

    >>> paper_report.__name__
    'paper_report'
    """
    return logistic_report(paper_problem(seed), settings, tell)


def paper_sweep(settings: LogisticSettings, seed: int, tell: Tell = nobody) -> Report:
    """Return the sweep on the paper's synthetic data.

    >>> paper_sweep.__name__
    'paper_sweep'
    """
    return sweep_report(paper_problem(seed), settings, tell)


def own_report(
    name: str,
    content: bytes,
    options: tuple[tuple[str, Any], ...],
    settings: LogisticSettings,
    tell: Tell = nobody,
) -> Report:
    """Return the report on a reader's own file.

    Args:
        name, content: as for `read_rows`.
        options: keyword arguments of `logistic_problem`.
        settings: how.
        tell: as for `logistic_report`.

    Raises:
        InputError: the file or a setting cannot be used.

    >>> from momentdp_core import InputError
    >>> try: own_report("a.csv", b"x", (), LogisticSettings())
    ... except InputError as error: print(str(error).split(" is ")[0])
    file = 'no table'
    """
    tell(0.0, "reading the file")
    features, labels = read_rows(name, content)
    return logistic_report(logistic_problem(features, labels, **dict(options)), settings, tell)


@lru_cache(maxsize=1)
def shipped_report() -> Report:
    """Return the report and the sweep, at the defaults, that come with the program.

    >>> sorted(shipped_report())
    ['date', 'environment', 'report', 'seed', 'sweep']
    """
    told: Report = json.loads(FILE.read_text(encoding="utf-8"))
    return told


def write_report(date: str) -> None:
    """Compute what comes with the program anew.

    Args:
        date: day of the run, as 2026-01-31.
    """
    told = {
        "date": date,
        "seed": 0,
        "environment": environment(),
        "report": paper_report(LogisticSettings(), 0),
        "sweep": paper_sweep(LogisticSettings(), 0),
    }
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    FILE.write_text(text.replace('"L', '\n"L') + "\n", encoding="utf-8")


if __name__ == "__main__":
    from datetime import UTC, datetime

    write_report(str(datetime.now(tz=UTC).date()))
