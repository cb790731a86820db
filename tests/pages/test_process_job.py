"""Long computations beside the pages: results, refusals, failures, and their end."""

from __future__ import annotations

import math
import time

from momentdp_core import Scenario, optimal_curve, optimal_curve_stages
from momentdp_core.errors import check_choice
from pages.ui.process_job import STOPPED, ProcessJob, Registry


def done(job: ProcessJob) -> ProcessJob:
    """Wait until a computation is finished."""
    job.wait(60)
    assert job.finished
    return job


def test_a_result_comes_back() -> None:
    """What the function returns is the result, and there is no error."""
    job = done(ProcessJob(math.factorial, 20))
    assert (job.result, job.error, job.cancelled) == (math.factorial(20), "", False)


def test_refusals_and_failures_are_told() -> None:
    """Bad input comes back as its own sentence, anything else with its kind."""
    refused = ProcessJob(check_choice, "horizon", "long", ("short",))
    failed = ProcessJob(math.factorial, -1)
    assert done(refused).error.startswith("horizon = 'long' is not allowed")
    assert done(failed).error.startswith("ValueError: ")


def test_a_process_that_dies_is_told() -> None:
    """Without an answer the reader hears so."""
    import os

    assert done(ProcessJob(os._exit, 3)).error == STOPPED


def test_it_ends_when_it_is_cancelled() -> None:
    """A cancelled computation is over at once, has neither result nor error, and frees its turn."""
    began = time.monotonic()
    jobs = [ProcessJob(time.sleep, 50) for _ in range(3)]
    time.sleep(0.5)
    for job in jobs:
        job.cancel()
        assert (job.finished, job.result, job.error) == (True, None, "")
    assert done(ProcessJob(math.factorial, 3)).result == 6
    assert time.monotonic() - began < 40


def test_equal_questions_share_one_computation() -> None:
    """The same key is computed once; a cancelled one is begun anew."""
    registry = Registry()
    first = registry.find("a", math.factorial, 4)
    assert registry.find("a", math.factorial, 4) is first
    assert registry.find("b", math.factorial, 4) is not first
    slow = registry.find("c", time.sleep, 50)
    slow.cancel()
    assert registry.find("c", math.factorial, 4) is not slow


def test_a_generator_is_followed() -> None:
    """What a generator yields last is the result, and the parts before are there meanwhile."""
    scenario = Scenario(horizon=4, mechanisms=("iid",))
    job = done(ProcessJob(optimal_curve_stages, scenario, [0.0, 0.5, 0.9]))
    assert job.result is job.latest
    assert job.result.damage.tolist() == optimal_curve(scenario, [0.0, 0.5, 0.9]).damage.tolist()
    assert done(ProcessJob(optimal_curve_stages, scenario, [2.0])).error.startswith("momentum")


def test_what_nobody_asks_for_ends_with_its_lease() -> None:
    """With a lease it goes on as long as it is renewed, and is ended soon after."""
    job = ProcessJob(time.sleep, 50)
    began = time.monotonic()
    while time.monotonic() - began < 3:
        job.lease(1.5)
        assert not job.finished
        time.sleep(0.1)
    job.wait(30)
    assert job.cancelled
    assert done(ProcessJob(math.factorial, 3)).result == 6
