"""Download the sets that no package bundles, and keep them in a folder.

The cache has the layout of a data folder (``ICOST_DATA``): one CSV file a set, the class
in its last column. So the one can be copied to a machine without internet as the other.
"""

from __future__ import annotations

import http.client
import io
import os
import urllib.error
import urllib.request
import zipfile
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from icost import __version__

#: Seconds without a byte after which a download is given up.
TIMEOUT = 30.0

MAX_BYTES = 2**28
"""Bytes that a download may have, packed or not: far more than any of the sets has."""


class DatasetUnavailable(OSError):
    """A set that is neither at hand nor to be downloaded, or not the registered one.

    The message says what is wrong and, where a download failed, what to do: connect to the
    internet, or name a folder that holds the file. It is an `OSError`, as for any file that cannot
    be had.

    See Also
    --------
    load_dataset : Raises it.
    """


def cache_folder(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder for downloaded sets.

    Five of the multiclass sets come with no package. :func:`load_dataset` downloads each once and
    keeps it here; nothing else is written there, so the folder may be removed at any time.

    Parameters
    ----------
    data_home : path, optional
        The folder itself; ``~`` is the home folder. By default the one that the environment
        variable ``ICOST_CACHE`` names, else ``icost`` in ``XDG_CACHE_HOME`` or in ``~/.cache``.

    Returns
    -------
    pathlib.Path
        The folder, which need not exist yet: asking does not create it.

    See Also
    --------
    load_dataset : Takes the same ``data_home``.

    Notes
    -----
    A file is there as a whole or not at all, so that processes which download the same set at the
    same time do no harm. The layout is that of ``ICOST_DATA``, the folder that is looked at first:
    one CSV file a set, the class in its last column. For a machine without internet, copy the
    folder there and let ``ICOST_DATA`` name it.

    Examples
    --------
    >>> from icost.datasets import cache_folder
    >>> cache_folder("downloads").name
    'downloads'
    """
    given = data_home or os.environ.get("ICOST_CACHE")
    if given:
        return Path(given).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "icost"


def download(url: str, *, base_url: str | None = None, timeout: float = TIMEOUT) -> bytes:
    """Download a file, all of it or none; ``base_url`` is a mirror in place of the address' host.

    ``timeout`` is in seconds without a byte: a slow connection may take its time.
    """
    base = base_url or os.environ.get("ICOST_DOWNLOAD_URL")
    if base:
        url = base.rstrip("/") + urlsplit(url).path
    headers = {"User-Agent": f"icost-learn/{__version__}"}
    try:
        request = urllib.request.Request(url, headers=headers)
        with urllib.request.urlopen(request, timeout=timeout) as response:
            content = _read(response)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DatasetUnavailable(f"downloading {url} failed ({_reason(error)})") from error
    return content


def _read(response: Any) -> bytes:
    """Read an answer to its end, or to where none of the sets would go on."""
    content: bytes = response.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"the answer is longer than {MAX_BYTES:,} bytes")
    # Of a part, Python complains only where all was asked for.
    length = response.headers.get("Content-Length", "")
    if length.isdigit() and len(content) < int(length):
        raise http.client.IncompleteRead(content)
    return content


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        error.close()  # it holds the connection
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, http.client.IncompleteRead):
        return "the connection closed half way"
    reason = getattr(error, "reason", error)
    return "no answer in time" if isinstance(reason, TimeoutError) else str(reason)


def unzip(content: bytes, *members: str) -> list[bytes]:
    """Take files out of a zip archive, by their names without folders."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found = {Path(entry.filename).name: entry for entry in archive.infolist()}
            taken = [found[member] for member in members]
            if sum(entry.file_size for entry in taken) <= MAX_BYTES:
                return [archive.read(entry) for entry in taken]
    except KeyError as error:
        raise DatasetUnavailable(f"the downloaded archive has no file {error}") from None
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError):
        raise DatasetUnavailable("the download is not a readable zip archive") from None
    raise DatasetUnavailable(f"what the download packs is longer than {MAX_BYTES:,} bytes")
