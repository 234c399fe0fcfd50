"""Classifiers by name, and those that strategies build around them: resampled rows, row costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost._core.delegation import DelegatingClassifier
from icost._core.statistics import SAMPLERS, Resampled, resample
from icost._core.validation import check_choice, check_row_costs, did_you_mean, import_extra


@dataclass(frozen=True)
class Classifier:
    """A base classifier by name; ``factory`` makes one that uses one thread from a seed.

    ``phrase`` names it in sentences, and ``package`` what it needs besides scikit-learn.
    """

    name: str
    label: str
    phrase: str
    factory: Callable[[int], Any]
    package: str = ""

    def make(self, random_state: int = 0) -> Any:
        """Return an unfitted classifier with default parameters."""
        return self.factory(random_state)


def _xgb(seed: int) -> Any:
    xgboost = import_extra("xgboost", "boosters", "The classifier 'xgb'")
    return xgboost.XGBClassifier(random_state=seed, n_jobs=1)


def _lightgbm(seed: int) -> Any:
    lightgbm = import_extra("lightgbm", "boosters", "The classifier 'lgbm'")
    return lightgbm.LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _seeded(estimator_class: Callable[..., Any], **params: Any) -> Callable[[int], Any]:
    return lambda seed: estimator_class(random_state=seed, **params)


_LISTED = (
    Classifier("lr", "LR", "logistic regression", lambda seed: LogisticRegression(max_iter=1000)),
    Classifier("svm", "SVM", "a support vector machine", lambda seed: SVC()),
    Classifier("dt", "DT", "a decision tree", _seeded(DecisionTreeClassifier)),
    Classifier("rf", "RF", "a random forest", _seeded(RandomForestClassifier, n_jobs=1)),
    Classifier("xgb", "XGBoost", "XGBoost", _xgb, "xgboost"),
    Classifier(
        "lr-liblinear",
        "LR (liblinear)",
        "logistic regression (liblinear)",
        _seeded(LogisticRegression, max_iter=1000, solver="liblinear"),
    ),
    Classifier("lgbm", "LightGBM", "LightGBM", _lightgbm, "lightgbm"),
    Classifier("hgb", "HistGB", "gradient boosting", _seeded(HistGradientBoostingClassifier)),
    Classifier("et", "Extra trees", "a forest of extra trees", _seeded(ExtraTreesClassifier)),
    Classifier("ridge", "Ridge", "a ridge classifier", _seeded(RidgeClassifier)),
    Classifier("nb", "Naive Bayes", "naive Bayes", lambda seed: GaussianNB()),
    Classifier("mlp", "MLP", "a neural network", _seeded(MLPClassifier, max_iter=1000)),
)
CLASSIFIERS = {classifier.name: classifier for classifier in _LISTED}
"""Classifiers by name; the paper's five come first."""

PAPER_CLASSIFIERS = ("lr", "svm", "dt", "rf", "xgb")
"""The five of the paper, in the order of its tables."""


ALIASES = {
    "logistic": "lr",
    "forest": "rf",
    "boosting": "hgb",
    "tree": "dt",
    "bayes": "nb",
    "neural": "mlp",
    "xgboost": "xgb",
    "lightgbm": "lgbm",
}
"""Words that stand for a name."""


def get_classifier(name: str) -> Classifier:
    """Return a classifier by its name in `CLASSIFIERS` or `ALIASES`."""
    names = {**ALIASES, **dict.fromkeys(CLASSIFIERS)}  # words first, as a message lists them
    return CLASSIFIERS[names[check_choice("a classifier", name, names)] or name]


class ResampledClassifier(DelegatingClassifier):
    """Fit a classifier to rows that a sampler of imbalanced-learn has balanced.

    ``note_`` says where the sampler could not do what was asked. Resampled rows are not kept, so
    that a prediction needs neither them nor imbalanced-learn.
    """

    def __init__(self, estimator: Any, sampler: str, random_state: int | None = 0) -> None:
        self.estimator = estimator
        self.sampler = sampler
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> ResampledClassifier:
        """Resample the rows, then fit the classifier."""
        return self.fit_resampled(self.resample(X, y))

    def resample(self, X: Any, y: ArrayLike) -> Resampled:
        """Return the rows that the classifier learns from."""
        check_choice("sampler", self.sampler, SAMPLERS)
        return resample(np.asarray(X), np.asarray(y), self.sampler, self.random_state)

    def fit_resampled(self, rows: Resampled) -> ResampledClassifier:
        """Fit the classifier to rows that are resampled already."""
        self.model_ = clone(self.estimator).fit(rows.X, rows.y)
        self.classes_ = self.model_.classes_
        self.note_ = rows.note
        return self


class RowCosts(DelegatingClassifier):
    """A pipeline whose last step gets the costs of each row from columns of the table."""

    def __init__(
        self, estimator: Any, cost_fn: str | None = None, cost_fp: str | None = None
    ) -> None:
        self.estimator = estimator
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp

    def fit(self, X: Any, y: ArrayLike, **fit_params: Any) -> RowCosts:
        """Fit the pipeline with the costs of the rows."""
        last = self.estimator.steps[-1][0]
        costs = {f"{last}__{name}": values for name, values in self._costs(X).items()}
        self.model_ = clone(self.estimator).fit(X, y, **costs, **fit_params)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Decide by the costs of the rows."""
        return self.model_.predict(X, **self._costs(X))

    def _costs(self, X: Any) -> dict[str, Any]:
        columns = {"cost_fn": self.cost_fn, "cost_fp": self.cost_fp}
        return {name: X[key].to_numpy(float) for name, key in columns.items() if key is not None}


def cost_columns(table: Any, costs: tuple[Any, Any] | None) -> dict[str, str]:
    """Return the columns with costs of rows by what they cost, or raise where there is none."""
    named = zip(("cost_fn", "cost_fp"), costs or (), strict=False)
    columns = {name: column for name, column in named if isinstance(column, str)}
    for name, column in columns.items():
        if column not in table or table[column].dtype.kind not in "iuf":
            hint = "" if column in table else did_you_mean(column, table)
            raise ValueError(
                f"{name} must be a number or a column of numbers in the table, got "
                f"{column!r}{': ' + hint if hint else '.'}"
            )
        # Before the folds, whose rows have other numbers.
        check_row_costs(name, table[column], len(table))
    return columns


def number_costs(costs: tuple[Any, Any] | None) -> tuple[float, float] | None:
    """Return costs for a constructor: the mean of those of rows, and 1 in place of a column."""
    if costs is None:
        return None
    cost_fn, cost_fp = (1.0 if isinstance(cost, str) else float(np.mean(cost)) for cost in costs)
    return cost_fn, cost_fp
