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
from icost_reproduction._internals import (
    TrainingFold,
    class_totals,
    encode_labels,
    find_minority,
    plain_table,
    prepare_fold,
)
from icost_reproduction.plan import Protocol, is_file
from icost_reproduction.published_sets import load_published


@dataclass(frozen=True, eq=False)
class LoadedSet:
    """A dataset: features as floats and text, class codes, and a checksum of what was parsed."""

    X: Any
    # Of two classes, 1 is the minority.
    y: NDArray[np.intp]
    n_classes: int
    checksum: str


@dataclass(frozen=True, eq=False)
class Fold:
    """Both parts of a fold, as numbers."""

    train: TrainingFold
    X_test: NDArray[np.float64]
    y_test: NDArray[np.intp]
    # By the neighbours among all rows, "" for the majority. No strategy sees it: it is for recall
    # per category.
    test_category: NDArray[Any]


@lru_cache(maxsize=4)
def load_table(dataset: str, collection: str, variant: str) -> LoadedSet:
    """Load a dataset of a plan, by name or from a file.

    The last few are remembered, as a worker gets the folds of one set after another.
    """
    bunch: Any
    if is_file(dataset):
        bunch = load_dataset(dataset)
    elif variant == "published":
        bunch = load_published(dataset, collection)
    else:
        bunch = load_dataset(dataset, collection=collection)
    classes, codes = encode_labels(bunch.target.to_numpy())
    if len(classes) == 2 and find_minority(class_totals(codes)) == 0:
        codes = 1 - codes
    return LoadedSet(plain_table(bunch.data), codes, len(classes), bunch.checksum)


def make_fold(table: LoadedSet, protocol: Protocol, repeat: int, fold: int) -> Fold:
    """Split, impute, encode and scale."""
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
    """Return the training and test rows of one fold."""
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
