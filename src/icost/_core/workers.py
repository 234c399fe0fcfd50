"""Worker processes: they end when the process that started them was killed."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

_WATCH = "icost-watches-parent"


def run_in_worker(parent: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a worker of a process, which ends soon after that process does.

    A process that is killed ends no workers, and theirs would compute on for minutes. Threads, and
    workers that another process started, are left alone.
    """
    if os.getppid() == parent and _WATCH not in [thread.name for thread in threading.enumerate()]:
        threading.Thread(target=_end_with, args=(parent,), name=_WATCH, daemon=True).start()
    return function(*arguments)


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
