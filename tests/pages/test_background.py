"""Computations beside the pages: shared, cancelled, failed with a message, never in the way."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable

import pytest

from momentdp_core.experiments.lr_limit import lr_aware_limit
from momentdp_core.experiments.validation import validate_registry
from pages.ui.background import CANCELLED, DONE, FAILED, MOST_WAITING, RUNNING, WAITING, Job, Jobs

PATIENCE = 60.0


def wait(job: Job, until: Callable[[Job], bool] = lambda job: not job.active) -> Job:
    """Wait for a job."""
    deadline = time.monotonic() + PATIENCE
    while not until(job):
        assert time.monotonic() < deadline, (job.status, job.text)
        time.sleep(0.02)
    return job


def slow(seconds: float, tell: Callable[[float, str], None]) -> str:
    """Report halfway and go on."""
    tell(0.5, "half of it")
    time.sleep(seconds)
    return "slept"


def test_a_result_comes_back() -> None:
    """The function runs elsewhere, with its arguments, and its result is there."""
    job = Jobs().start("power", "a", pow, 2, 10)
    assert wait(job).status == DONE
    assert job.result == 1024


def test_a_record_with_arrays_comes_back() -> None:
    """A study's frozen record survives the way between the processes."""
    job = Jobs().start("study", "a", lr_aware_limit)
    assert wait(job).result == lr_aware_limit()


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (operator.truediv, (1, 0), "ZeroDivisionError: division by zero"),
        (validate_registry, ("other",), "registry = 'other' is not allowed"),
        (eval, ("__import__('os')._exit(3)",), "ended without an answer"),
    ],
    ids=("fault", "bad input", "death"),
)
def test_a_failure_is_a_message(
    function: Callable[..., object], arguments: tuple[object, ...], message: str
) -> None:
    """Whatever goes wrong, the job says so; it can be started again."""
    jobs = Jobs()
    job = wait(jobs.start("bad", "a", function, *arguments))
    assert job.status == FAILED
    assert message in job.text
    assert jobs.start("bad", "a", pow, 1, 1) is not job


def test_a_job_reports_and_is_cancelled() -> None:
    """Progress is seen while it runs; cancelled, its process ends at once."""
    jobs = Jobs()
    job = wait(jobs.start("slow", "a", slow, 60.0, reports=True), lambda job: job.share is not None)
    assert (job.status, job.share, job.text) == (RUNNING, 0.5, "half of it")
    jobs.cancel("slow", "a")
    assert job.status == CANCELLED
    assert job.process is not None
    assert job.process.wait(timeout=10) != 0
    assert jobs.find("slow", "a") is None


def test_two_sessions_share_one_computation() -> None:
    """The same key runs once; one session's cancel leaves it to the other."""
    jobs = Jobs()
    job = jobs.start("shared", "a", time.sleep, 1.0)
    assert jobs.start("shared", "b", time.sleep, 1.0) is job
    jobs.cancel("shared", "a")
    assert job.active
    assert jobs.find("shared", "a") is None
    assert wait(job).status == DONE
    assert jobs.find("shared", "b") is job
    assert jobs.start("shared", "c", time.sleep, 1.0) is job


def test_the_number_at_once_is_bounded() -> None:
    """With one worker the second job waits, is cancelled there, and too many are refused."""
    jobs = Jobs(workers=1)
    first = wait(jobs.start(0, "a", time.sleep, 60), lambda job: job.process is not None)
    second = jobs.start(1, "a", time.sleep, 60)
    assert second.status == WAITING
    waiting = [jobs.start(n, "a", time.sleep, 60) for n in range(2, MOST_WAITING + 2)]
    assert waiting[-1].status == FAILED
    assert "Try again" in waiting[-1].text
    jobs.cancel(1, "a")
    assert second.status == CANCELLED
    assert jobs.start(99, "a", time.sleep, 60).status == WAITING
    for n in (*range(MOST_WAITING + 2), 99):
        jobs.cancel(n, "a")
    assert wait(first).process is not None
    assert second.process is None
