"""Out-of-fold probabilities: every row is judged by models that were fitted without it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits

from icost._core.arrays import Floats, Ints
from icost._core.labels import class_totals
from icost._core.validation import check_number, rows_of
from icost._table._columns import read_table
from icost._table._encoder import TableEncoder
from icost._weights.base_fit import fit_problems
from icost.ensemble._treatments import with_seed

TREE_ROWS = 5_000
"""Rows that a tree of the forest sees at most, so that large tables take minutes."""

FIT_ROWS = 20_000
"""Rows that a model is fitted on at most."""

Fold = tuple[Ints, Ints]


def default_models(n_rows: int, n_columns: int, is_sparse: bool = False) -> dict[str, Any]:
    """Return the models of the stack by name, for an encoded table of this size.

    Boosting is left out for sparse tables, which it cannot read.
    """
    max_samples = TREE_ROWS if n_rows > 2 * TREE_ROWS else None
    landmarks = Nystroem(n_components=max(1, min(150, n_rows // 2)), gamma=0.5 / n_columns)
    models = {
        "forest": RandomForestClassifier(100, max_samples=max_samples),
        "linear": LogisticRegression(max_iter=1000),
        "kernel": make_pipeline(landmarks, LogisticRegression(C=3, max_iter=1000)),
        "boosting": HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=8, early_stopping=False
        ),
    }
    if is_sparse:
        del models["boosting"]
    return models


def make_folds(codes: Ints, cv: Any, groups: Any, random: np.random.RandomState) -> list[Fold]:
    """Return training and held-out rows of each fold; None stands for the default number."""
    if cv is None:
        # Half of a large table has FIT_ROWS rows as well, but half of the groups may be too few.
        cv = 2 if len(codes) > 2 * FIT_ROWS and groups is None else 5
    if not hasattr(cv, "split"):
        cv = _splitter(codes, int(check_number("cv", cv, low=2, integer=True)), groups, random)
    with warnings.catch_warnings():
        # With fewer rows of a class than folds, some folds have none of it: still the best split.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = list(cv.split(np.zeros(len(codes)), codes, groups))
    held_out = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(codes))
    if (held_out != 1).any():
        row = int(np.argmax(held_out != 1))
        raise ValueError(
            f"cv must hold out every row once, got row {row + 1:,} {held_out[row]} times."
        )
    for train, _ in folds:
        if len(np.unique(codes[train])) < codes.max() + 1:
            raise ValueError(
                "cv and groups must leave rows of every class to learn from, got a class whose "
                "rows are all held out together."
            )
    return folds


def _splitter(codes: Ints, n_splits: int, groups: Any, random: np.random.RandomState) -> Any:
    """Return a stratified splitter that keeps groups together, if there are any."""
    seed = int(random.randint(2**31 - 1))
    if groups is None:
        n_splits = min(n_splits, int(class_totals(codes).max()))
        return StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise ValueError("groups must have at least two groups, got one.")
    return StratifiedGroupKFold(min(n_splits, n_groups), shuffle=True, random_state=seed)


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """A table with its labels and folds, ready to be judged."""

    X: Any
    codes: Ints
    weight: Floats | None
    folds: list[Fold]
    n_jobs: int | None = None

    def probabilities(
        self, classifiers: Sequence[Any] | None, random: np.random.RandomState
    ) -> list[Floats]:
        """Return out-of-fold probabilities of each classifier, by default of the stack's models."""
        # All seeds are drawn before the first fit, so that the number of jobs changes nothing.
        seeds = [int(random.randint(2**31 - 1)) for _ in self.folds]
        X = self.X
        if classifiers is None and not issparse(X):
            X = read_table(X)  # text is slow to look at, which one look at the whole table avoids
        jobs, n_rows = [], len(self.codes)
        for (train, test), seed in zip(self.folds, seeds, strict=True):
            rows = fit_rows(train, self.codes, np.random.RandomState(seed))
            target = self.codes[rows], None if self.weight is None else [self.weight[rows]]
            # Few rows at a time stay in the cache, and leave their memory to the next.
            shares = [rows, *np.split(test, range(FIT_ROWS, len(test), FIT_ROWS))]
            parts = [rows_of(X, some, n_rows) for some in shares]
            jobs.append(delayed(_judge_fold)(classifiers, parts, target, seed))
        by_fold = Parallel(n_jobs=self.n_jobs)(jobs)
        tests = np.concatenate([test for _, test in self.folds])
        back = np.argsort(tests)
        return [np.concatenate(blocks)[back] for blocks in zip(*by_fold, strict=True)]


def fit_rows(train: Ints, codes: Ints, random: np.random.RandomState) -> Ints:
    """Return at most `FIT_ROWS` of the training rows, the same share of every class."""
    if len(train) <= FIT_ROWS:
        return train
    totals = class_totals(codes[train])
    # Rounding up keeps a row of every class, and may add one row per class.
    quotas = np.ceil(totals * (FIT_ROWS - len(totals)) / len(train)).astype(int)
    mixed = random.permutation(train)
    chosen = [mixed[codes[mixed] == code][:quota] for code, quota in enumerate(quotas)]
    return np.sort(np.concatenate(chosen))


def _judge_fold(
    classifiers: Sequence[Any] | None, parts: list[Any], target: tuple[Any, Any], seed: int
) -> list[Floats]:
    """Fit each classifier to the first part, and return its probabilities of the others."""
    (codes, weights), encoded = target, iter(parts)
    X, models = next(encoded), []
    if classifiers is None:
        encoder = TableEncoder().set_output(transform="default")
        X, encoded = encoder.fit_transform(X, codes), map(encoder.transform, encoded)
    if classifiers is None:
        classifiers = list(default_models(X.shape[0], X.shape[1], issparse(X)).values())
    # Threads of OpenMP wait by spinning: beside other work they make boosting many times slower.
    with threadpool_limits(1):
        for number, classifier in enumerate(classifiers):
            model = fit_problems(with_seed(classifier, seed + number), X, [codes], weights)[0]
            if not hasattr(model, "predict_proba"):
                raise ValueError(
                    f"classifier must have predict_proba, got {type(classifier).__name__} without."
                )
            models.append(model)
        by_part = [[model.predict_proba(X_test) for model in models] for X_test in encoded]
    return [np.concatenate(P, dtype=np.float64) for P in zip(*by_part, strict=True)]
