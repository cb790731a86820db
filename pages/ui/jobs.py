"""Long computations in slices, so that a page stays alive: shared by all sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Job(Generic[T]):
    """A computation that improves its result step by step.

    Nothing runs unless a page asks: a page that has gone no longer advances it, and the next one
    goes on where it stopped.
    """

    def __init__(self, steps: Iterator[T]) -> None:
        """Do the first step; what that raises is raised here."""
        self._steps = steps
        self._lock = threading.Lock()
        self.latest = next(steps)
        self.finished = False

    def advance(self, seconds: float) -> None:
        """Work for about so long, or wait as long where another session is at it."""
        if not self._lock.acquire(timeout=seconds):
            return
        try:
            stop = time.monotonic() + seconds
            while not self.finished and time.monotonic() < stop:
                try:
                    self.latest = next(self._steps)
                except StopIteration:
                    self.finished = True
        finally:
            self._lock.release()
