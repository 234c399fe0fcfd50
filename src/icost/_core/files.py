"""Files that are there as a whole or not at all."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np


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
