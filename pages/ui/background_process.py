"""The process that a long computation runs in: `python -m pages.ui.background_process`.

Reads one pickled call from its input and writes length-prefixed pickles to its output: any number
of ("progress", share, text), and of a generator now and then ("part", what it yielded); then
("done", result), ("refused", message) or ("failed", message). The last thing that a generator
yields is its result. A process of its own can be ended at any moment and never holds up the pages.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final

LENGTH: Final = 8  # bytes of the length before each message
# Progress and parts are told at most so often: a small simulation has thousands of steps, and a
# part can be as large as a result.
PAUSE: Final = 0.2

ROOT: Final = Path(__file__).resolve().parents[2]


def begin() -> subprocess.Popen[bytes]:
    """Start the process; it waits for its call."""
    return subprocess.Popen(
        [sys.executable, "-m", "pages.ui.background_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )


def send(stream: IO[bytes], message: tuple[Any, ...]) -> None:
    """Write one message."""
    content = pickle.dumps(message)
    stream.write(len(content).to_bytes(LENGTH, "big") + content)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Any, ...] | None:
    """Return the next message; None at the end."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    content = stream.read(int.from_bytes(head, "big"))
    # Both ends are ours: nothing from outside reaches this pipe.
    message: tuple[Any, ...] = pickle.loads(content)
    return message


def _main() -> None:
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a print must not get among the messages
    function, arguments, reports = pickle.load(sys.stdin.buffer)
    if reports:
        arguments = (*arguments, _teller(out))
    from momentdp_core import InputError

    try:
        result = function(*arguments)
        if inspect.isgenerator(result):
            part, last = None, -PAUSE
            for part in result:
                if time.monotonic() - last >= PAUSE:
                    last = time.monotonic()
                    send(out, ("part", part))
            result = part
        message = ("done", result)
    except InputError as error:
        message = ("refused", str(error))
    except BrokenPipeError:  # nobody listens any more: nothing to tell
        raise
    except Exception as error:
        import traceback

        traceback.print_exc()
        message = ("failed", f"{type(error).__name__}: {error}")
    send(out, message)


def _teller(out: IO[bytes]) -> Callable[[float, str], None]:
    last = 0.0

    def tell(share: float, text: str) -> None:
        nonlocal last
        if time.monotonic() - last > PAUSE:
            last = time.monotonic()
            send(out, ("progress", share, text))

    return tell


if __name__ == "__main__":
    os.nice(10)  # pages come first, and the browser on the same machine
    with contextlib.suppress(BrokenPipeError):  # the server has gone
        _main()
