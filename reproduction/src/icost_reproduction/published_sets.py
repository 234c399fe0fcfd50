"""Data sets as the authors had them, from the files of the repositories.

What differs is in ``published_sets.csv``: a first row that was read as a header, and what became of
nominal columns.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pandas as pd

from icost.datasets import get_record, load_dataset
from icost_reproduction._internals import make_bunch, parse_counts

if TYPE_CHECKING:
    from sklearn.utils import Bunch


@dataclass(frozen=True)
class PublishedSet:
    """How the authors' copy of a set differs from the file, and what the paper prints about it."""

    name: str  # in icost's registry
    checksum: str  # of the table as published
    lost_first_row: bool
    # How nominal columns became numbers: empty, "drop", "codes" (alphabetical), "drop Sex" or
    # "Sex: F=0 M=1 I=2".
    encoding: str
    n_features: int
    class_counts: dict[str, int]
    # As the paper's tables print them. The binary one counts the class as a feature; the multiclass
    # one has no imbalance ratio.
    paper_n: int
    paper_d: int
    paper_ir: float | None


@cache
def read_published_sets() -> dict[str, PublishedSet]:
    """Return the paper's sets by their names in icost's registry, in its order."""
    text = files("icost_reproduction").joinpath("published_sets.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {row["name"]: _parse(row) for row in rows}


def _parse(row: dict[str, Any]) -> PublishedSet:
    return PublishedSet(
        name=row["name"],
        checksum=row["checksum"],
        lost_first_row=row["lost_first_row"] == "true",
        encoding=row["encoding"],
        n_features=int(row["features"]),
        class_counts=parse_counts(row["class_counts"]),
        paper_n=int(row["paper_n"]),
        paper_d=int(row["paper_d"]),
        paper_ir=float(row["paper_ir"]) if row["paper_ir"] else None,
    )


def load_published(name: str, kind: str | None = None, **options: Any) -> Bunch:
    """Load a set of the paper as the authors had it: the copy that its numbers come from.

    10 binary sets lack their first row, which was read as a header. Nominal columns are dropped or
    coded, so that all features are numbers; missing values stay missing.

    Parameters
    ----------
    name : str
        Any name of a set of the paper.
    kind : {"binary", "multiclass"}, default=None
        Look among these sets only, as `icost.datasets.load_dataset` does.
    **options
        ``data_home``, ``download``, ``base_url`` and ``timeout`` of `icost.datasets.load_dataset`.

    Returns
    -------
    sklearn.utils.Bunch
        With the entries that `icost.datasets.load_dataset` describes.

    See Also
    --------
    icost.datasets.load_dataset : The whole file, nominal columns and missing values as they are.

    Examples
    --------
    The authors coded text by hand:

    >>> from icost.datasets import load_dataset
    >>> from icost_reproduction import load_published
    >>> load_dataset("abalone").data["Sex"].head(3).tolist()
    ['F', 'M', 'M']
    >>> load_published("abalone").data["Sex"].head(3).tolist()
    [0, 1, 1]
    """
    record = get_record(name, kind)
    published = read_published_sets().get(record.name)
    if published is None:
        raise ValueError(
            f"name must be a set of the paper, got {record.name!r}: load_dataset has its table."
        )
    whole: Any = load_dataset(record.name, collection=record.collection, **options)
    X, y = as_published(whole.data, whole.target, published)
    bunch = make_bunch(X, y, record.name, record)
    first = "the first row of the file is left out" if published.lost_first_row else "all rows"
    columns = published.encoding or "none"
    bunch.DESCR += f"\nAs published: {first}; nominal columns: {columns}."
    return bunch


def as_published(
    X: pd.DataFrame, y: pd.Series, published: PublishedSet
) -> tuple[pd.DataFrame, pd.Series]:
    """Turn the table of a repository into the one that the paper's numbers come from.

    Nominal columns that hold numbers become numbers, and missing values stay missing.
    """
    if published.lost_first_row:
        X, y = X.iloc[1:].reset_index(drop=True), y.iloc[1:].reset_index(drop=True)
    X = X.apply(_number_like)
    text = [name for name in X.columns if X[name].dtype == "category"]
    if not published.encoding:
        return X, y
    if published.encoding == "drop":
        return X.drop(columns=text), y
    if published.encoding == "codes":
        return X.assign(**{name: _alphabetical(X[name]) for name in text}), y
    if published.encoding.startswith("drop "):
        return X.drop(columns=published.encoding.removeprefix("drop ")), y
    name, _, pairs = published.encoding.partition(": ")
    codes = {value: int(code) for value, _, code in (pair.partition("=") for pair in pairs.split())}
    return X.assign(**{name: X[name].astype(object).map(codes).astype("int64")}), y


def _number_like(column: pd.Series) -> pd.Series:
    """Turn a nominal column of numbers, such as {0, 1}, into numbers."""
    if column.dtype != "category":
        return column
    try:
        return pd.to_numeric(column.astype(object))
    except ValueError:
        return column


def _alphabetical(column: pd.Series) -> pd.Series:
    # Only values that occur count: the authors had the data, not the header's lists.
    codes = {value: code for code, value in enumerate(sorted(set(column.dropna())))}
    return column.astype(object).map(codes)
