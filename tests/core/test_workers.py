"""Workers end with the process that started them, even if it is killed."""

import os
import signal
import subprocess
import sys
import time

import pytest

SCRIPT = """
import os, sys, time
from joblib import Parallel, delayed
from icost._core.workers import run_in_worker

def compute(folder):
    open(os.path.join(folder, str(os.getpid())), "w").close()
    time.sleep(120)

parent = os.getpid()
Parallel(n_jobs=2)(delayed(run_in_worker)(parent, compute, sys.argv[1]) for _ in range(2))
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)
    return condition()


@pytest.mark.skipif(sys.platform == "win32", reason="keeps the number of a parent")
def test_workers_of_a_killed_process_end(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)])
    try:
        assert wait_until(lambda: len(list(tmp_path.iterdir())) == 2, 60)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    workers = [int(path.name) for path in tmp_path.iterdir()]
    assert wait_until(lambda: not any(map(is_alive, workers)), 20)
