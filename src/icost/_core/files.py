"""Files: written as a whole or not at all, and named where they cannot be read."""

from __future__ import annotations

import gzip
import math
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np


@contextmanager
def reading(path: str | os.PathLike[str], library_error: type[Exception]) -> Iterator[None]:
    """Say which file cannot be read, and why, whoever notices."""
    try:
        yield
    except UnicodeDecodeError:
        given = "got another encoding: save it as UTF-8"
        raise ValueError(f"The file '{path}' must be UTF-8 text, {given}.") from None
    except (OSError, EOFError, library_error) as error:
        # What comes before says the same in other words.
        reason = str(error).rpartition(f"'{path}': ")[2].rpartition("rror: ")[2]
        raise ValueError(f"The file '{path}' cannot be read: {' '.join(reason.split())}") from None


def find_separator(path: str | os.PathLike[str], candidates: str) -> str:
    """Return which character is between the cells of a text file, by its header."""
    if not Path(path).is_file():
        return candidates[0]
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rb") as file:
        header = file.readline().decode("utf-8", "replace")
    # A quoted name may hold any of them.
    return max(candidates, key=re.sub('"[^"]*"', "", header).count)


@contextmanager
def _terminated_by_exception() -> Iterator[None]:
    """Let SIGTERM raise `SystemExit` unless it is handled already, so that files are cleaned up."""
    is_main = threading.current_thread() is threading.main_thread()
    is_ours = is_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if is_ours:
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@_terminated_by_exception()
def write_whole(
    path: str | os.PathLike[str], content: str | bytes | Callable[[IO[bytes]], object]
) -> None:
    """Write a file so that nobody ever sees a part of it: whatever goes wrong, the old one stays.

    Text is written as UTF-8, and a callable gets the open stream. What is not a plain file, such as
    ``/dev/stdout``, is written to directly.
    """
    path = Path(path)
    if path.is_symlink():
        path = path.resolve()  # a rename would replace the link, not what it points to
    if not path.parent.is_dir():
        raise FileNotFoundError(f"The folder '{path.parent}' does not exist.")
    if path.exists() and not path.is_file():
        if path.is_dir():
            raise IsADirectoryError(f"'{path}' is a folder.")
        with open(path, "wb") as stream:
            _write(stream, content)
        return
    # In the same folder, since a rename is atomic within one file system only.
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".icost-")
    except PermissionError:
        raise PermissionError(f"The folder '{path.parent}' cannot be written to.") from None
    try:
        with open(handle, "wb") as stream:
            _write(stream, content)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write(stream: IO[bytes], content: str | bytes | Callable[[IO[bytes]], object]) -> None:
    if callable(content):
        content(stream)
    else:
        stream.write(content.encode() if isinstance(content, str) else content)


def _umask() -> int:
    # Temporary files are private; the final one gets the permissions of any other new file.
    mask = os.umask(0)
    os.umask(mask)
    return mask


def plain_value(value: Any) -> Any:
    """Return a value as JSON can hold it: numpy's numbers as Python's, NaN as None."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain_value(item) for item in value]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return None if value is None else str(value)
