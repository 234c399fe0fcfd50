"""The classifiers that a plan may name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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

from icost.validation import check_choice, import_extra


@dataclass(frozen=True)
class Classifier:
    """A base classifier by name; ``factory`` makes one that uses one thread from a seed."""

    name: str
    label: str
    factory: Callable[[int], Any]

    def make(self, random_state: int = 0) -> Any:
        """Return an unfitted classifier with default parameters."""
        return self.factory(random_state)


def _xgb(seed: int) -> Any:
    xgboost = import_extra("xgboost", "experiments", "The classifier 'xgb'")
    return xgboost.XGBClassifier(random_state=seed, n_jobs=1)


def _lightgbm(seed: int) -> Any:
    lightgbm = import_extra("lightgbm", "boosters", "The classifier 'lgbm'")
    return lightgbm.LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _table(*classifiers: Classifier) -> dict[str, Classifier]:
    return {classifier.name: classifier for classifier in classifiers}


CLASSIFIERS: dict[str, Classifier] = _table(
    Classifier("lr", "LR", lambda seed: LogisticRegression(max_iter=1000)),
    Classifier("svm", "SVM", lambda seed: SVC()),
    Classifier("dt", "DT", lambda seed: DecisionTreeClassifier(random_state=seed)),
    Classifier("rf", "RF", lambda seed: RandomForestClassifier(random_state=seed, n_jobs=1)),
    Classifier("xgb", "XGBoost", _xgb),
    Classifier(
        "lr-liblinear",
        "LR (liblinear)",
        lambda seed: LogisticRegression(max_iter=1000, solver="liblinear", random_state=seed),
    ),
    Classifier("lgbm", "LightGBM", _lightgbm),
    Classifier("hgb", "HistGB", lambda seed: HistGradientBoostingClassifier(random_state=seed)),
    Classifier("et", "Extra trees", lambda seed: ExtraTreesClassifier(random_state=seed)),
    Classifier("ridge", "Ridge", lambda seed: RidgeClassifier(random_state=seed)),
    Classifier("nb", "Naive Bayes", lambda seed: GaussianNB()),
    Classifier("mlp", "MLP", lambda seed: MLPClassifier(max_iter=1000, random_state=seed)),
)
"""Classifiers by name; the paper's five come first."""

PAPER_CLASSIFIERS = ("lr", "svm", "dt", "rf", "xgb")
"""The five of the paper, in the order of its tables."""


def get_classifier(name: str) -> Classifier:
    """Return a classifier by its name in `CLASSIFIERS`."""
    return CLASSIFIERS[check_choice("a classifier", name, CLASSIFIERS)]
