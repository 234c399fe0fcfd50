"""The candidates of the library, by the size of a table; scikit-learn alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost._core.validation import check_choice, import_extra
from icost._pass.candidates import PLAIN, WEIGHTING, Candidate
from icost._pass.quick_svm import QuickSVC
from icost._weights.classifier import iCost

LARGE = 20_000
"""Rows from which on boosting takes more steps, and stops early."""

SLOW_ROWS = 20_000
"""Rows that forests and curves learn from."""

PRODUCT_COLUMNS = 15
"""Columns up to which their products are tried."""

MOST_PRODUCTS = 30
"""Columns of numbers, levels among them, beyond which there are too many products."""

CURVE_VALUES = 10
"""Different values from which on a column gets a curve."""


def linear(seed: int, strength: float = 1.0) -> LogisticRegression:
    """Return logistic regression."""
    return LogisticRegression(C=strength, max_iter=300)


def liblinear(seed: int) -> LogisticRegression:
    """Return logistic regression by another solver."""
    return LogisticRegression(solver="liblinear", max_iter=1000, random_state=seed)


def curved_columns(X: Any) -> list[int]:
    """Return the columns with values enough for a curve."""
    rows = np.asarray(X[:2000])
    return [place for place, column in enumerate(rows.T) if len(np.unique(column)) >= CURVE_VALUES]


def splines(seed: int) -> Any:
    """Return logistic regression on curves of the columns."""
    curves = SplineTransformer(n_knots=5, knots="quantile", extrapolation="linear")
    bent = ColumnTransformer([("curves", curves, curved_columns)], remainder="passthrough")
    return make_pipeline(bent, StandardScaler(), linear(seed, 0.1))


def products(seed: int) -> Any:
    """Return logistic regression on the columns and their products."""
    pairs = PolynomialFeatures(2, include_bias=False)
    return make_pipeline(pairs, StandardScaler(), linear(seed, 0.1))


def boosting(seed: int, **params: Any) -> HistGradientBoostingClassifier:
    """Return gradient boosting."""
    return HistGradientBoostingClassifier(random_state=seed, **params)


def long_boosting(seed: int) -> HistGradientBoostingClassifier:
    """Return gradient boosting for large tables."""
    return boosting(seed, max_iter=400, early_stopping=True)


def forest(seed: int) -> RandomForestClassifier:
    """Return a random forest."""
    return RandomForestClassifier(100, random_state=seed, n_jobs=1)


def extra_trees(seed: int) -> ExtraTreesClassifier:
    """Return a forest of extra trees."""
    return ExtraTreesClassifier(100, random_state=seed, n_jobs=1)


def svm(seed: int) -> SVC:
    """Return a support vector machine."""
    return QuickSVC()


def neighbors(seed: int) -> KNeighborsClassifier:
    """Return nearest neighbours, near ones first."""
    return KNeighborsClassifier(10, weights="distance")


def xgboost(seed: int) -> Any:
    """Return XGBoost."""
    module = import_extra("xgboost", "boosters", "The classifier 'xgb'")
    return module.XGBClassifier(random_state=seed, n_jobs=1)


def lightgbm(seed: int) -> Any:
    """Return LightGBM."""
    module = import_extra("lightgbm", "boosters", "The classifier 'lgbm'")
    return module.LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


CLASSIFIERS: Mapping[str, tuple[str, Callable[[int], Any], float]] = {
    "lr": ("logistic regression", linear, 1),
    "hgb": ("gradient boosting", boosting, 10),
    "rf": ("a random forest", forest, 15),
    "et": ("extra trees", extra_trees, 10),
    "svm": ("a support vector machine", svm, 5),
    "splines": ("logistic regression on curves", splines, 3),
    "products": ("logistic regression on products", products, 3),
    "knn": ("nearest neighbours", neighbors, 1),
    "nb": ("naive Bayes", lambda seed: GaussianNB(), 1),
    "dt": ("a decision tree", lambda seed: DecisionTreeClassifier(random_state=seed), 1),
    "mlp": ("a neural network", lambda seed: MLPClassifier(max_iter=1000, random_state=seed), 20),
    "ridge": ("a ridge classifier", lambda seed: RidgeClassifier(random_state=seed), 1),
    "lr-liblinear": ("logistic regression (liblinear)", liblinear, 1),
    "xgb": ("XGBoost", xgboost, 10),
    "lgbm": ("LightGBM", lightgbm, 10),
}
"""Classifiers by name: what they are called, what makes one, and how long a fit takes about."""

ALIASES = {
    "logistic": "lr",
    "boosting": "hgb",
    "forest": "rf",
    "neighbors": "knn",
    "bayes": "nb",
    "tree": "dt",
    "neural": "mlp",
    "xgboost": "xgb",
    "lightgbm": "lgbm",
}
"""Words that stand for a name."""

STRATEGY_WORDS = {
    "cs": "with class-level costs",
    "smote": "with synthetic rows",
    "neighbor": "with iCost's weights by neighbours",
    "gini": "with iCost's weights by tree",
}
"""Strategies in sentences, behind their classifier."""


def named_candidate(
    name: str, strategy: Any = PLAIN, make: Callable[[int], Any] | None = None, **facts: Any
) -> Candidate:
    """Return a candidate with a classifier of the library."""
    key = ALIASES.get(name, name)
    check_choice("a classifier", key, {**CLASSIFIERS, **ALIASES})
    words, usual, cost = CLASSIFIERS[key]
    check_strategy(strategy)
    label = strategy if isinstance(strategy, str) else type(strategy).__name__
    if label != PLAIN:
        words = f"{words} {STRATEGY_WORDS.get(label, f'with {label}')}"
        key = f"{key}+{label}"
    return Candidate(key, words, make or usual, strategy, cost=float(cost), **facts)


def check_strategy(strategy: Any) -> None:
    """Raise unless a candidate can learn so."""
    is_object = isinstance(strategy, iCost) or hasattr(strategy, "fit_resample")
    if isinstance(strategy, type) or not is_object:
        names = (PLAIN, "smote", *WEIGHTING)
        check_choice("a strategy", strategy, names, ", an iCost or a sampler of imbalanced-learn")


def default_library(n_rows: int, n_columns: int, is_sparse: bool = False) -> list[Candidate]:
    """Return the candidates for a table, the simplest first."""
    if is_sparse:
        return [named_candidate("lr")]
    candidates = [
        named_candidate("lr"),
        named_candidate("hgb", make=long_boosting if n_rows >= LARGE else None),
        named_candidate("splines", most_rows=SLOW_ROWS),
        named_candidate("et", most_rows=SLOW_ROWS),
        named_candidate("svm", most_rows=3_000),
        named_candidate("knn", most_rows=10_000),
    ]
    if n_columns <= PRODUCT_COLUMNS:
        candidates.append(
            named_candidate("products", most_rows=SLOW_ROWS, most_columns=MOST_PRODUCTS)
        )
    return candidates
