"""The process of one long computation: `python -m pages.ui.job_main`.

Reads a pickled (function, arguments) and writes pickles: of a generator ("part", it) for all that
it yields, and at the end ("done", result), ("refused", message) or ("failed", message). The last
thing that a generator yields is its result.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import pickle
import sys
import traceback
from collections.abc import Iterator
from typing import Any


def answers(call: bytes) -> Iterator[tuple[str, Any]]:
    """Yield what a call gives, or why it gives nothing."""
    from momentdp_core import InputError

    function, arguments = pickle.loads(call)
    try:
        result = function(*arguments)
        if inspect.isgenerator(result):
            part = None
            for part in result:
                yield "part", part
            result = part
        yield "done", result
    except InputError as error:
        yield "refused", str(error)
    except Exception as error:
        traceback.print_exc()
        yield "failed", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    os.nice(5)  # pages come first
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a print must not get into the answer
    with contextlib.suppress(BrokenPipeError):  # the server has gone
        for message in answers(sys.stdin.buffer.read()):
            out.write(pickle.dumps(message))
            out.flush()
