"""Computations that pages follow as they fill in: parts, leases, turns, and one session's own."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import pytest

from momentdp_core import Scenario, optimal_curve, optimal_curve_stages
from pages.ui import background
from pages.ui.background import CANCELLED, DONE, FAILED, RUNNING, WAITING, Job, Jobs

PATIENCE = 60.0


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    """A register with two processes; what is left in it is ended."""
    register = Jobs(workers=2)
    yield register
    for job in list(register._jobs.values()):
        for session in list(job.watchers):
            register.cancel(job.key, session)


def wait(job: Job, until: Callable[[Job], bool] = lambda job: not job.active) -> Job:
    """Wait for a job."""
    deadline = time.monotonic() + PATIENCE
    while not until(job):
        assert time.monotonic() < deadline, (job.status, job.text)
        time.sleep(0.02)
    return job


def test_a_generator_is_followed(jobs: Jobs) -> None:
    """What a generator yields last is the result, and is the latest part too."""
    scenario = Scenario(horizon=4, mechanisms=("iid",))
    job = wait(jobs.start("curve", "a", optimal_curve_stages, scenario, [0.0, 0.5, 0.9]))
    assert job.result is job.latest
    assert job.result.damage.tolist() == optimal_curve(scenario, [0.0, 0.5, 0.9]).damage.tolist()
    refused = wait(jobs.start("bad", "a", optimal_curve_stages, scenario, [2.0]))
    assert refused.error.startswith("momentum")


def counted() -> Iterator[int]:
    """Yield two parts with a pause between them."""
    yield 1
    time.sleep(60)
    yield 2


def test_parts_are_there_meanwhile(jobs: Jobs) -> None:
    """While the process goes on, what it has yielded can be seen."""
    job = wait(jobs.start("parts", "a", counted), lambda job: job.latest is not None)
    assert (job.latest, job.status, job.result) == (1, RUNNING, None)


def test_a_failed_one_is_kept_for_those_who_only_look(jobs: Jobs) -> None:
    """A page that asks at every run is told the failure and does not start it again and again."""
    job = wait(jobs.start("bad", "a", math.factorial, -1))
    assert job.status == FAILED
    assert jobs.start("bad", "a", math.factorial, -1, retry=False) is job
    assert jobs.start("bad", "a", math.factorial, -1) is not job


def test_a_cancelled_one_is_started_anew(jobs: Jobs) -> None:
    """Who asks for what another one has ended gets an answer."""
    slow = jobs.start("c", "a", time.sleep, 60)
    jobs.cancel("c", "a")
    assert (slow.status, slow.result, slow.error) == (CANCELLED, None, "")
    assert wait(jobs.start("c", "b", math.factorial, 4, retry=False)).result == 24


def test_what_nobody_asks_for_any_more_ends_with_its_lease(jobs: Jobs) -> None:
    """It goes on while one session of two renews the lease, and is ended soon after."""
    job = jobs.start("leased", "gone", time.sleep, 60, lease=1.5)
    began = time.monotonic()
    while time.monotonic() - began < 4:
        assert jobs.start("leased", "here", time.sleep, 60, lease=1.5) is job
        assert job.active
        time.sleep(0.1)
    assert set(job.watchers) == {"here"}
    assert wait(job).status == CANCELLED
    assert job.process is not None
    assert job.process.wait(timeout=10) != 0


def test_a_picture_begins_when_it_is_asked_for_again(jobs: Jobs) -> None:
    """At the first look nothing runs beside the browser; nobody is told of a queue."""
    job = jobs.start("picture", "a", math.factorial, 5, lease=60.0)
    assert (job.status, job.queued) == (WAITING, False)
    assert jobs.start("picture", "a", math.factorial, 5, lease=60.0) is job
    assert wait(job).result == 120


def picture(jobs: Jobs, key: str, function: Callable[..., object], argument: int) -> Job:
    """Ask twice for a computation with a lease."""
    jobs.start(key, "a", function, argument, lease=60.0)
    return jobs.start(key, "a", function, argument, lease=60.0)


def test_a_lease_is_watched_again_after_a_rest(jobs: Jobs) -> None:
    """The second leased computation of a server ends as the first one did."""
    for n in range(2):
        assert wait(jobs.start(n, "a", time.sleep, 60, lease=0.5)).status == CANCELLED


def test_a_picture_does_not_wait_for_long_computations(jobs: Jobs) -> None:
    """Long ones leave a process free; who waits with a lease goes before who waits without."""
    long = [jobs.start(n, "a", time.sleep, 60) for n in range(2)]
    assert [job.status for job in long] == [RUNNING, WAITING]
    quick = picture(jobs, "quick", math.factorial, 5)
    assert quick.status == RUNNING
    assert wait(quick).result == 120
    full = picture(jobs, "slow", time.sleep, 60)
    assert full.status == RUNNING
    last = picture(jobs, "next", math.factorial, 6)
    assert (last.status, last.queued) == (WAITING, True)
    jobs.cancel(0, "a")
    assert wait(last).status == DONE
    assert wait(long[1], lambda job: job.status == RUNNING)
    assert full.active


def test_one_process_serves_long_ones_too() -> None:
    """Where there is one process only, nothing waits for ever."""
    register = Jobs(workers=1)
    assert wait(register.start("long", "a", math.factorial, 3)).result == 6
    assert wait(picture(register, "picture", math.factorial, 3)).result == 6


def test_a_session_has_one_of_each_kind(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new question gives up the former one, which goes on while another session watches it."""
    state: dict[str, object] = {}
    monkeypatch.setattr(background, "server_jobs", lambda: jobs)
    monkeypatch.setattr("streamlit.session_state", state)
    first = background.job_of_session("map", "one", time.sleep, 60)
    assert background.job_of_session("map", "one", time.sleep, 60) is first
    background.job_of_session("flips", "two", time.sleep, 60)
    assert first.active
    jobs.start("one", "other session", time.sleep, 60)
    second = background.job_of_session("map", "three", time.sleep, 60)
    assert (first.active, second.active) == (True, True)
    jobs.cancel("one", "other session")
    assert first.status == CANCELLED
    background.job_of_session("map", "four", time.sleep, 60)
    assert second.status == CANCELLED
