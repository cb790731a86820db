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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import streamlit as st

from pages.ui import background_process

WORKERS: Final = max(1, min(2, (os.cpu_count() or 2) - 1))
MOST_WAITING, MOST_KEPT = 8, 64
WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
_POLL: Final = 1.0  # seconds between two looks at a running job
_SESSION: Final = "_jobs_session"
STOPPED: Final = "The computation ended without an answer: the server may be short of memory."
_BUSY: Final = "The server has too many computations waiting. Try again in a minute."


@dataclass(kw_only=True, eq=False)
class Job:
    """One computation: what it is, how far it is, and what came out.

    Args:
        key: two jobs of the same key are the same computation.
        status: one of the five words above.
        share: how much is done, 0 to 1; None while unknown.
        text: what it is doing, or the message of a failure.
        result: what the function returned.
        watchers: sessions that asked for it; it is ended when the last one cancels.
        begun: when it started to run, seconds of the monotonic clock.
    """

    key: Hashable
    status: str = WAITING
    share: float | None = None
    text: str = ""
    result: Any = None
    watchers: set[str] = field(default_factory=set)
    begun: float = 0.0
    process: subprocess.Popen[bytes] | None = None

    @property
    def active(self) -> bool:
        """Whether it waits or runs."""
        return self.status in (WAITING, RUNNING)


class Jobs:
    """The computations of one server."""

    def __init__(self, workers: int = WORKERS) -> None:
        self._lock = threading.Lock()
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="job")

    def start(
        self,
        key: Hashable,
        session: str,
        function: Callable[..., Any],
        *arguments: Any,
        reports: bool = False,
    ) -> Job:
        """Start a computation, or join the one of this key; a failed one is started anew.

        Args:
            key: tells computations apart; must hold everything that the result depends on.
            session: who asks.
            function: of a module, so that another process finds it.
            arguments: its arguments, which can be pickled.
            reports: whether it takes a function of (share, text) as its last argument.
        """
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.status in (FAILED, CANCELLED):
                job = self._jobs[key] = Job(key=key)
                if sum(other.status == WAITING for other in self._jobs.values()) > MOST_WAITING:
                    job.status, job.text = FAILED, _BUSY
                else:
                    call = pickle.dumps((function, arguments, reports))
                    self._pool.submit(self._run, job, call)
            job.watchers.add(session)
            self._jobs.move_to_end(key)
            for old in [k for k, j in self._jobs.items() if not j.active][:-MOST_KEPT]:
                del self._jobs[old]
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
            if job is None or not job.active:
                return
            job.watchers.discard(session)
            if not job.watchers:
                job.status = CANCELLED
                if job.process is not None:
                    job.process.kill()

    def _run(self, job: Job, call: bytes) -> None:
        with self._lock:
            if job.status != WAITING:  # cancelled before its turn
                return
            job.process = process = background_process.begin()
            job.status, job.begun = RUNNING, time.monotonic()
        last: tuple[Any, ...] | None = None
        with process:
            if process.stdin is not None and process.stdout is not None:
                try:
                    process.stdin.write(call)
                    process.stdin.close()
                    while (message := background_process.receive(process.stdout)) is not None:
                        if message[0] == "progress":
                            job.share, job.text = float(message[1]), str(message[2])
                        else:
                            last = message
                except OSError:  # the process was ended
                    last = None
        with self._lock:
            if job.status != RUNNING:
                return
            if last is None:
                job.status, job.text = FAILED, STOPPED
            elif last[0] == "done":
                job.status, job.result = DONE, last[1]
            else:
                job.status, job.text = FAILED, str(last[1])


@lru_cache(maxsize=1)  # a module lives as long as the server
def server_jobs() -> Jobs:
    """Return the computations of this server."""
    return Jobs()


def session() -> str:
    """Return a name of this session that no other one has."""
    name: str = st.session_state.setdefault(_SESSION, uuid.uuid4().hex)
    return name


def panel(
    key: Hashable,
    label: str,
    function: Callable[..., Any],
    *arguments: Any,
    name: str,
    seconds: float | None = None,
    reports: bool = False,
) -> Any:
    """Draw a button that starts a computation, its progress and a way to cancel it.

    Args:
        key: as for `Jobs.start`.
        label: of the button.
        function, arguments, reports: as for `Jobs.start`.
        name: of the widgets; once on a page.
        seconds: how long it takes, for the bar until a function reports, if it does.

    Returns:
        What the function returned, once it is done and as long as it is kept; else None.
    """
    jobs, who = server_jobs(), session()
    job = jobs.find(key, who)
    active = job is not None and job.active
    # Not by a callback, which would still have the arguments of the last run.
    if st.button(label, key=f"{name}-start", disabled=active, icon=":material/replay:"):
        job = jobs.start(key, who, function, *arguments, reports=reports)
    if job is None:
        return None
    if job.active:
        st.fragment(_progress, run_every=_POLL)(job, who, name, seconds)
    elif job.status == FAILED:
        st.error(job.text)
    return job.result if job.status == DONE else None


def _progress(job: Job, who: str, name: str, seconds: float | None) -> None:
    if not job.active:
        st.rerun()
    share, text = job.share, job.text
    if job.status == WAITING:
        share, text = 0.0, "waiting for its turn"
    elif share is None:
        spent = time.monotonic() - job.begun
        share, text = 0.0, f"{spent:.0f} s so far"
        if seconds:
            share = min(0.99, spent / seconds)
            text += f", usually about {max(1, round(seconds))} s"
    bar, stop = st.columns((4, 1), vertical_alignment="center")
    bar.progress(min(1.0, share), text=text[:1].upper() + text[1:])
    with stop:
        if st.button("Cancel", key=f"{name}-cancel", width="stretch"):
            server_jobs().cancel(job.key, who)
            st.rerun()
