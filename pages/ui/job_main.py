"""The process of one long computation: `python -m pages.ui.job_main`.

Reads a pickled (function, arguments) and writes a pickled ("done", result), ("refused", message)
or ("failed", message).
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any


def answer(call: bytes) -> tuple[str, Any]:
    """Return what a call gives, or why it gives nothing."""
    from momentdp_core import InputError

    function, arguments = pickle.loads(call)
    try:
        return "done", function(*arguments)
    except InputError as error:
        return "refused", str(error)
    except Exception as error:
        import traceback

        traceback.print_exc()
        return "failed", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    os.nice(5)  # pages come first
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a print must not get into the answer
    out.write(pickle.dumps(answer(sys.stdin.buffer.read())))
    out.close()
