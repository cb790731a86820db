"""Computations of seconds to minutes in processes of their own, shared by all sessions."""

from __future__ import annotations

import pickle
import subprocess
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final

import streamlit as st

from pages.ui import background_process
from pages.ui.background import STOPPED

MOST_AT_ONCE, MOST_KEPT = 2, 64
# Seconds for which a picture that fills in goes on without a page that looks at it.
LEASE: Final = 10.0
_TURNS: Final = threading.BoundedSemaphore(MOST_AT_ONCE)


class ProcessJob:
    """One call in a process of its own; `finished` once there is a result, an error or neither.

    A process can be ended at any moment and never holds up the pages.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Start it; the function is one of a module, and the arguments can be pickled."""
        self.latest: Any = None  # of a generator: what it yielded last
        self.result: Any = None
        self.error = ""
        self.finished = False
        self.cancelled = False
        self.waiting = True  # for its turn
        self._lease: float | None = None
        self._asked = time.monotonic()
        self._begun = time.monotonic()
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        call = pickle.dumps((function, arguments, False))
        threading.Thread(target=self._run, args=(call,), daemon=True).start()

    @property
    def seconds(self) -> int:
        """Whole seconds since it was asked for."""
        return int(time.monotonic() - self._begun)

    def cancel(self) -> None:
        """End it without a result."""
        with self._lock:
            if not self.finished:
                self.cancelled = self.finished = True
                if self._process is not None:
                    self._process.kill()

    def lease(self, seconds: float) -> None:
        """Say that a page wants it; it ends when none has said so for so long."""
        with self._lock:
            first, self._lease = self._lease is None, seconds
            self._asked = time.monotonic()
        if first:
            threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self.finished:
            assert self._lease is not None
            left = self._asked + self._lease - time.monotonic()
            if left <= 0:
                self.cancel()
            else:
                time.sleep(min(left, 1.0))

    def wait(self, seconds: float) -> None:
        """Return when it is finished, or after so long."""
        stop = time.monotonic() + seconds
        while not self.finished and time.monotonic() < stop:
            time.sleep(0.05)

    def _run(self, call: bytes) -> None:
        with _TURNS:
            with self._lock:
                if self.cancelled:  # before its turn
                    return
                self._process = background_process.begin()
                self.waiting = False
            kind, found = self._listen(self._process, call)
        with self._lock:
            if self.finished:  # cancelled meanwhile
                return
            if kind == "done":
                self.result = self.latest = found
            else:
                self.error = str(found)
            self.finished = True

    def _listen(self, process: subprocess.Popen[bytes], call: bytes) -> tuple[str, Any]:
        """Return the last message of a process, and keep what comes before it."""
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(call)
                process.stdin.close()
                while (message := background_process.receive(process.stdout)) is not None:
                    kind, found = message
                    if kind != "part":
                        return kind, found
                    self.latest = found
            except (OSError, EOFError, pickle.UnpicklingError):
                pass
        return "failed", STOPPED


class Registry:
    """The computations of one server, by what they compute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: OrderedDict[Hashable, ProcessJob] = OrderedDict()

    def find(self, key: Hashable, function: Callable[..., Any], *arguments: Any) -> ProcessJob:
        """Return the computation of this key; started if there is none, or a cancelled one."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.cancelled:
                job = self._jobs[key] = ProcessJob(function, *arguments)
            self._jobs.move_to_end(key)
            for old in [k for k, j in self._jobs.items() if j.finished][:-MOST_KEPT]:
                del self._jobs[old]
            return job


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """Return the computations of this server."""
    return Registry()


def job_of_session(
    kind: str,
    key: Hashable,
    function: Callable[..., Any],
    *arguments: Any,
    lease: float | None = None,
) -> ProcessJob:
    """Return the computation of this key; the session's former one of this kind is ended.

    Args:
        kind: a session has one at a time of each.
        key: tells computations apart; must hold everything that the result depends on.
        function, arguments: as for `ProcessJob`.
        lease: ends it when no page has asked for it for so many seconds; none: it goes on.
    """
    job = registry().find(key, function, *arguments)
    if lease is not None:
        job.lease(lease)
    former: ProcessJob | None = st.session_state.get(f"_job_{kind}")
    if former is not None and former is not job:
        # Another session that waits for it begins it anew.
        former.cancel()
    st.session_state[f"_job_{kind}"] = job
    return job
