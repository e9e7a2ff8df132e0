"""Several processes on this machine that train one model together, and one error if any fails.

Each process is a member of a team (see team.py), as torchrun would start it. The parent waits for
all of them, ends the others when one fails, and reports only that error. They connect over the
loopback interface: nothing outside this machine can join.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from fabula.core.workers import serve
from fabula.errors import FabulaError

LOOPBACK = "127.0.0.1"


def together(count: int, job: Callable[[], Any]) -> Any:
    """Run a job in several processes and return the leader's result."""
    context = get_context("spawn")
    port = _free_port()
    processes: list[BaseProcess] = []
    results: dict[Connection, int] = {}
    for rank in range(count):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(
            target=_take_part, args=(rank, count, port, job, sender), daemon=True
        )
        process.start()
        sender.close()
        processes.append(process)
        results[receiver] = rank
    found = None
    try:
        while results:
            for ready in wait(list(results)):
                assert isinstance(ready, Connection)
                rank = results.pop(ready)
                try:
                    kind, value = ready.recv()
                except EOFError:
                    raise FabulaError(
                        f"process {rank} of {count} was killed, perhaps because memory ran out; "
                        "run the same command to resume, with fewer --processes if needed."
                    ) from None
                if kind == "error":
                    raise FabulaError(value)
                found = value if rank == 0 else found
    finally:  # processes that wait for a failed one would wait forever
        for each in processes:
            each.terminate()
            each.join()
    return found


def _take_part(
    rank: int, count: int, port: int, job: Callable[[], Any], sender: Connection
) -> None:
    serve()
    os.environ |= {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(count),
        "MASTER_ADDR": LOOPBACK,
        "MASTER_PORT": str(port),
    }
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    try:
        sender.send(("result", job()))
    except FabulaError as error:
        sender.send(("error", str(error)))
    except KeyboardInterrupt:
        pass  # the parent reports it
    except Exception as error:  # the user needs to see the first failure, not the others
        said = str(error).strip().splitlines()
        sender.send(("error", f"process {rank}: {said[0] if said else type(error).__name__}"))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((LOOPBACK, 0))
        port: int = found.getsockname()[1]
    return port
