"""From a dataset to the numeric training and test part of a fold.

Imputation, encoding and scaling only ever see the training part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold

from icost.complexity import NeighborComplexity
from icost.datasets import load_dataset
from icost.experiments.plan import is_file
from icost.experiments.protocols import Protocol
from icost.labels import class_totals, encode_labels, find_minority
from icost.preprocessing import plain_table
from icost.strategies.training_fold import TrainingFold, prepare_fold


@dataclass(frozen=True, eq=False)
class LoadedSet:
    """A dataset with encoded labels.

    Parameters
    ----------
    X : pandas.DataFrame
        Features: floats and text.
    y : ndarray
        Class codes; of two classes, 1 is the minority.
    n_classes : int
        Number of classes.
    checksum : str
        Of the parsed table.
    """

    X: Any
    y: NDArray[np.intp]
    n_classes: int
    checksum: str


@dataclass(frozen=True, eq=False)
class Fold:
    """Both parts of a fold, as numbers.

    Parameters
    ----------
    train : TrainingFold
        Training part.
    X_test, y_test : ndarray
        Test part.
    test_category : ndarray of str
        Category of each test row of the minority by its neighbours among all rows, ``""`` for
        other rows. No strategy sees it: it is for recall per category.
    """

    train: TrainingFold
    X_test: NDArray[np.float64]
    y_test: NDArray[np.intp]
    test_category: NDArray[Any]


@lru_cache(maxsize=4)
def load_table(dataset: str, kind: str, variant: str) -> LoadedSet:
    """Load a dataset of a plan.

    Parameters
    ----------
    dataset : str
        Name or file.
    kind, variant : str
        As in `icost.datasets.load_dataset`.

    Returns
    -------
    Table
        The last few are remembered, as a worker gets the folds of one set after another.

    Examples
    --------
    >>> from icost.experiments.preparation import load_table
    >>> int(load_table("glass2", "binary", "keel").y.sum())
    17
    """
    options: dict[str, Any] = {} if is_file(dataset) else {"kind": kind, "variant": variant}
    bunch: Any = load_dataset(dataset, **options)
    classes, codes = encode_labels(bunch.target.to_numpy())
    if len(classes) == 2 and find_minority(class_totals(codes)) == 0:
        codes = 1 - codes
    return LoadedSet(plain_table(bunch.data), codes, len(classes), bunch.checksum)


def make_fold(table: LoadedSet, protocol: Protocol, repeat: int, fold: int) -> Fold:
    """Split, impute, encode and scale.

    Parameters
    ----------
    table : LoadedSet
        The dataset.
    protocol : Protocol
        Number of folds, seed, scaler.
    repeat, fold : int
        Which fold, from 0.

    Returns
    -------
    Fold
        Numeric training and test part.

    Examples
    --------
    >>> from icost.experiments.preparation import load_table, make_fold
    >>> from icost.experiments.protocols import Protocol
    >>> fold = make_fold(load_table("glass2", "binary", "keel"), Protocol(), 0, 0)
    >>> fold.train.X.shape, fold.X_test.shape
    ((171, 9), (43, 9))
    """
    train, test = split_rows(table.y, protocol, repeat, fold)
    training, X_test = prepare_fold(
        table.X,
        table.y,
        train,
        test,
        n_classes=table.n_classes,
        scaler=protocol.scaler,
        impute=protocol.impute,
        random_state=protocol.seed + repeat * protocol.n_splits + fold,
    )
    return Fold(training, X_test, table.y[test], _test_category(training, X_test, table.y[test]))


def split_rows(
    y: NDArray[np.intp], protocol: Protocol, repeat: int, fold: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the training and test rows of one fold.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.preparation import split_rows
    >>> from icost.experiments.protocols import Protocol
    >>> train, test = split_rows(np.repeat([0, 1], [8, 2]), Protocol(n_splits=2), 0, 1)
    >>> len(train), len(test)
    (5, 5)
    """
    # The first repeat has the folds of StratifiedKFold with this seed.
    splitter = RepeatedStratifiedKFold(
        n_splits=protocol.n_splits, n_repeats=repeat + 1, random_state=protocol.seed
    )
    return list(splitter.split(np.zeros(len(y)), y))[repeat * protocol.n_splits + fold]


def _test_category(
    train: TrainingFold, X_test: NDArray[np.float64], y_test: NDArray[np.intp]
) -> NDArray[Any]:
    """How hard the minority's test rows are among all rows, for recall per category."""
    category = np.full(len(y_test), "", dtype=object)
    if train.n_classes == 2:
        X, y = np.vstack([X_test, train.X]), np.concatenate([y_test, train.y])
        record = NeighborComplexity().estimate(X, y == 1)
        is_test = record.indices < len(y_test)
        category[record.indices[is_test]] = record.category[is_test]
    return category
