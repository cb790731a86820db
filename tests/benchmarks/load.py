"""Many readers on one server: python -m tests.benchmarks.load [SESSIONS]

Sessions, 50 by default, open Explore, and each moves the momentum again and again with a second of
thinking in between. Reported: from the request to the last message of the answer, and the server's
memory a session. No browser: the sessions speak the server's own protocol, so that the figure is
the server's.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

from tests.browser.conftest import running_app

SESSIONS = 50
MOVES = 8
THINKING = 1.0  # seconds
MOMENTA = [x / 100 for x in range(100)]


class Session:
    """One reader: opens the page, then moves its slider."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.slider = ""
        self.fragment = ""

    async def open(self) -> None:
        """Run the whole page once and find the slider of the momentum in what it sends."""
        message = BackMsg()
        message.rerun_script.query_string = "kappa=10"
        await self.socket.send(message.SerializeToString())
        await self._answer()

    async def move(self, momentum: float) -> float:
        """Set the slider as a browser does; return the seconds until the answer is complete."""
        message = BackMsg()
        message.rerun_script.query_string = "kappa=10"
        message.rerun_script.fragment_id = self.fragment
        state = WidgetState(id=self.slider)
        state.double_array_value.data.append(momentum)
        message.rerun_script.widget_states.widgets.append(state)
        start = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        said = await self._answer()
        if f'data-setting="{momentum:.2f}"' not in said:
            raise RuntimeError(f"the server did not answer for momentum {momentum}")
        return time.perf_counter() - start

    async def _answer(self) -> str:
        said = ""
        while True:
            message = ForwardMsg.FromString(await self.socket.recv())
            kind = message.WhichOneof("type")
            if kind == "script_finished":
                return said
            if kind == "delta":
                element = message.delta.new_element
                if element.WhichOneof("type") == "html":
                    said += element.html.body
                if element.WhichOneof("type") == "slider" and "μ" in element.slider.label:
                    self.slider = element.slider.id
                    self.fragment = message.delta.fragment_id


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmRSS"))
    return float(kilobytes) / 1024


def server() -> int:
    """Return the process of the app that this one has started."""
    tasks = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return int(tasks.read_text(encoding="utf-8").split()[-1])


async def measure(address: str, count: int) -> tuple[np.ndarray, float]:
    """Return the seconds of all moves, and the memory that each session after the first took."""
    url = f"{address.replace('http', 'ws')}/_stcore/stream"
    sockets = [await connect(url, subprotocols=["streamlit"], max_size=None) for _ in range(count)]
    sessions = [Session(socket) for socket in sockets]
    await sessions[0].open()
    before = memory(server())
    for session in sessions[1:]:
        await session.open()
    chance = random.Random(0)

    async def read(session: Session) -> list[float]:
        times = []
        await asyncio.sleep(chance.random() * THINKING)
        for _ in range(MOVES):
            times.append(await session.move(chance.choice(MOMENTA)))
            await asyncio.sleep(THINKING)
        return times

    times = await asyncio.gather(*(read(session) for session in sessions))
    each = (memory(server()) - before) / max(count - 1, 1)
    for socket in sockets:
        await socket.close()
    return np.array(times), each


def main(count: int) -> None:
    """Print the figures."""
    with running_app() as address:
        times, each = asyncio.run(measure(address, count))
    p50, p95 = 1000 * np.percentile(times, [50, 95])
    print(f"{count} sessions, {THINKING:g} s of thinking: p50 {p50:.0f} ms, p95 {p95:.0f} ms")
    print(f"memory of a session {each:.2f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS)
