"""Long computations beside the pages: a few processes for the whole server, results shared."""

from __future__ import annotations

import os
import pickle
import subprocess
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import streamlit as st

from pages.ui import background_process

WORKERS: Final = max(1, min(4, os.cpu_count() or 1))
MOST_WAITING, MOST_KEPT = 8, 64
WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
# Seconds for which a picture that fills in goes on without a page that looks at it.
LEASE: Final = 10.0
_LOOK: Final = 0.5  # seconds between two looks at the leases
_SESSION: Final = "_jobs_session"
STOPPED: Final = "The computation ended without an answer: the server may be short of memory."
QUEUED: Final = "Waiting for its turn: other computations are running"
_BUSY: Final = "The server has too many computations waiting. Try again in a minute."


@dataclass(kw_only=True, eq=False)
class Job:
    """One computation: what it is, how far it is, and what came out.

    Args:
        key: two jobs of the same key are the same computation.
        call: what the process is sent.
        lease: seconds after which a session that no longer asks has lost its interest; none: it
            keeps it. With a lease it begins when it is asked for again, so that the browser draws
            what there is first.
        status: one of the five words above.
        share: how much is done, 0 to 1; None while unknown.
        text: what it is doing, or the message of a failure.
        latest: of a generator, what it yielded last.
        result: what the function returned.
        watchers: sessions that asked for it and when they did so last; it is ended when the last
            one cancels.
        asks: how often it was asked for.
        asked, begun: when it was asked for and when it started to run, seconds of the monotonic
            clock.
    """

    key: Hashable
    call: bytes = b""
    lease: float | None = None
    status: str = WAITING
    share: float | None = None
    text: str = ""
    latest: Any = None
    result: Any = None
    watchers: dict[str, float] = field(default_factory=dict)
    asks: int = 0
    asked: float = field(default_factory=time.monotonic)
    begun: float = 0.0
    process: subprocess.Popen[bytes] | None = None

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.status in (WAITING, RUNNING)

    @property
    def told(self) -> bool:
        """Whether it has said what it has to say: a result or a failure."""
        return self.status in (DONE, FAILED)

    @property
    def queued(self) -> bool:
        """Whether it waits for its turn."""
        return self.status == WAITING and (self.lease is None or self.asks > 1)

    @property
    def error(self) -> str:
        """The message of a failure, or nothing."""
        return self.text if self.status == FAILED else ""

    @property
    def seconds(self) -> int:
        """Whole seconds since it was asked for."""
        return int(time.monotonic() - self.asked)

    def wait(self, seconds: float) -> None:
        """Return when it is over, or after so long."""
        stop = time.monotonic() + seconds
        while self.active and time.monotonic() < stop:
            time.sleep(0.05)


class Jobs:
    """The computations of one server.

    What a page shows as it fills in has a lease and goes first. All others, which may take minutes,
    leave one process to it where there are several.
    """

    def __init__(self, workers: int = WORKERS) -> None:
        self._lock = threading.Lock()
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._running: list[Job] = []
        self._workers = workers
        self._watching = False

    def start(
        self,
        key: Hashable,
        session: str,
        function: Callable[..., Any],
        *arguments: Any,
        reports: bool = False,
        lease: float | None = None,
        retry: bool = True,
    ) -> Job:
        """Start a computation, or join the one of this key; a cancelled one is started anew.

        Args:
            key: tells computations apart; must hold everything that the result depends on.
            session: who asks.
            function: of a module, so that another process finds it.
            arguments: its arguments, which can be pickled.
            reports: whether it takes a function of (share, text) as its last argument.
            lease: as of the job.
            retry: whether one that failed is started anew, too.
        """
        with self._lock:
            job = self._jobs.get(key)
            again = job is not None and job.status == FAILED and (retry or job.text == _BUSY)
            if job is None or job.status == CANCELLED or again:
                call = pickle.dumps((function, arguments, reports))
                job = self._jobs[key] = Job(key=key, call=call, lease=lease)
                queue = [other for other in self._waiting() if other.lease is None]
                if lease is None and len(queue) > MOST_WAITING:
                    job.status, job.text = FAILED, _BUSY
            job.asks += 1
            if job.active or lease is None:
                job.watchers[session] = time.monotonic()
            self._jobs.move_to_end(key)
            for old in [k for k, j in self._jobs.items() if not j.active][:-MOST_KEPT]:
                del self._jobs[old]
            self._begin_next()
            if lease is not None and job.active and not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, daemon=True).start()
            return job

    def find(self, key: Hashable, session: str) -> Job | None:
        """Return the computation of a key if this session asked for it."""
        with self._lock:
            job = self._jobs.get(key)
            return job if job is not None and session in job.watchers else None

    def cancel(self, key: Hashable, session: str) -> None:
        """Take a session's interest back; without any other the computation is ended."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.active:
                job.watchers.pop(session, None)
                self._end_unwanted(job)

    def _end_unwanted(self, job: Job) -> None:
        if not job.watchers:
            job.status = CANCELLED
            if job.process is not None:
                job.process.kill()

    def _watch(self) -> None:
        """End leases; until there is none."""
        while True:
            time.sleep(_LOOK)
            with self._lock:
                leased = [job for job in self._jobs.values() if job.active and job.lease]
                if not leased:
                    self._watching = False
                    return
                for job in leased:
                    last = time.monotonic() - (job.lease or 0)
                    job.watchers = {who: at for who, at in job.watchers.items() if at > last}
                    self._end_unwanted(job)

    def _waiting(self) -> list[Job]:
        """Return who waits, in the order of their turns."""
        waiting = [job for job in self._jobs.values() if job.queued]
        return sorted(waiting, key=lambda job: (job.lease is None, job.asked))

    def _begin_next(self) -> None:
        for job in self._waiting():
            long = sum(other.lease is None for other in self._running)
            most = self._workers if job.lease else max(1, self._workers - 1) - long
            if len(self._running) < self._workers and most > 0:
                job.status, job.begun = RUNNING, time.monotonic()
                self._running.append(job)
                threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def _run(self, job: Job) -> None:
        kind, found = "failed", STOPPED
        try:
            kind, found = self._listen(job)
        except (OSError, EOFError, pickle.UnpicklingError):
            pass  # the process was ended, or could not begin
        finally:
            with self._lock:
                if job.status == RUNNING:
                    if kind == "done":
                        job.result = job.latest = found
                        job.status = DONE
                    else:
                        job.text = str(found)
                        job.status = FAILED
                self._running.remove(job)
                self._begin_next()

    def _listen(self, job: Job) -> tuple[str, Any]:
        """Return the last message of a job's process, and keep what comes before it."""
        with self._lock:
            if job.status != RUNNING:  # cancelled before it began
                return "failed", STOPPED
            job.process = background_process.begin()
        with job.process as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(job.call)
            process.stdin.close()
            while (message := background_process.receive(process.stdout)) is not None:
                kind, *found = message
                if kind == "progress":
                    job.share, job.text = float(found[0]), str(found[1])
                elif kind == "part":
                    job.latest = found[0]
                else:
                    return kind, found[0]
        return "failed", STOPPED


@lru_cache(maxsize=1)  # a module lives as long as the server
def server_jobs() -> Jobs:
    """Return the computations of this server."""
    return Jobs()


def session() -> str:
    """Return a name of this session that no other one has."""
    name: str = st.session_state.setdefault(_SESSION, uuid.uuid4().hex)
    return name


def job_of_session(
    kind: str,
    key: Hashable,
    function: Callable[..., Any],
    *arguments: Any,
    lease: float | None = None,
) -> Job:
    """Return the computation of this key; the session's former one of this kind is given up.

    Args:
        kind: a session has one at a time of each.
        key, function, arguments, lease: as for `Jobs.start`.
    """
    jobs, who = server_jobs(), session()
    former: Job | None = st.session_state.get(f"_job_{kind}")
    if former is not None and former.key != key:
        jobs.cancel(former.key, who)
    job = jobs.start(key, who, function, *arguments, lease=lease, retry=False)
    st.session_state[f"_job_{kind}"] = job
    return job
