"""XGBoost without what its scikit-learn interface does around every fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from icost.validation import import_extra

NEUTRAL: dict[str, tuple[str | None, ...]] = {
    "objective": (None, "binary:logistic"),
    "booster": (None, "gbtree"),
    "device": (None, "cpu"),
    "early_stopping_rounds": (None,),
    "callbacks": (None,),
    "feature_weights": (None,),
    "feature_types": (None,),
}
"""Parameters that must be as here for `PlainBooster` to be the same."""

HANDLED = frozenset({"n_estimators", "missing", "enable_categorical", "importance_type"})
"""Parameters of the interface alone that may be anything, as those of the booster itself may."""


class PlainBooster(ClassifierMixin, BaseEstimator):
    """A binary booster, trained on a fresh weighted ``DMatrix``.

    Its trees are those of ``xgboost.XGBClassifier``, to the last bit. A quantile matrix shared by
    all fits would be faster still, but its bins would not be those of the weights.

    Parameters
    ----------
    params : dict
        From ``XGBClassifier.get_xgb_params``.
    n_rounds : int
        Number of trees.
    missing : float
        What stands for a missing cell.
    """

    def __init__(self, params: dict[str, Any], n_rounds: int, missing: float = np.nan) -> None:
        self.params = params
        self.n_rounds = n_rounds
        self.missing = missing

    def __sklearn_clone__(self) -> PlainBooster:
        return PlainBooster(self.params, self.n_rounds, self.missing)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PlainBooster:
        """Train on codes 0 and 1."""
        xgboost = import_extra("xgboost", "boosters", "PlainBooster")
        threads = self.params.get("n_jobs")
        data = xgboost.DMatrix(X, y, weight=sample_weight, missing=self.missing, nthread=threads)
        self.booster_ = xgboost.Booster(self.params, [data])
        for iteration in range(self.n_rounds):
            self.booster_.update(data, iteration)
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float32]:
        """Return the probabilities of both classes."""
        second = self.booster_.inplace_predict(X, missing=self.missing)
        return np.column_stack([1.0 - second, second])

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return the likelier class."""
        second = self.booster_.inplace_predict(X, missing=self.missing)
        return (second > 0.5).astype(np.intp)


def plain_booster(base: Any, train: Any) -> Any:
    """Return a classifier that fits as the given one does, with less around it.

    Parameters
    ----------
    base : classifier
        Anything; only a ``xgboost.XGBClassifier`` without extras is replaced.
    train : array-like of shape (n_samples, n_features)
        What it will be fitted on; only a dense array will do, since frames may hold categories.

    Returns
    -------
    classifier
        ``base`` itself where it is something else.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from icost.tuning.plain_booster import plain_booster
    >>> plain_booster(SVC(), np.array([[0.0], [1.0]]))
    SVC()
    """
    is_xgboost = type(base).__name__ == "XGBClassifier" and type(base).__module__.startswith(
        "xgboost."
    )
    if not is_xgboost or not isinstance(train, np.ndarray) or train.dtype.kind != "f":
        return base
    given, own = base.get_params(), base.get_xgb_params()
    is_seeded = base.random_state is None or isinstance(base.random_state, int)
    if not is_seeded or not all(_is_one_of(given.get(name), v) for name, v in NEUTRAL.items()):
        return base
    # Versions to come may have parameters of which nothing is known here.
    if any(given[name] is not None for name in given.keys() - own - NEUTRAL.keys() - HANDLED):
        return base
    params = {name: value for name, value in own.items() if value is not None}
    params["objective"] = "binary:logistic"
    return PlainBooster(params, base.get_num_boosting_rounds(), base.missing)


def _is_one_of(value: Any, neutral: tuple[str | None, ...]) -> bool:
    """Whether a parameter, which may be an array or a function, is None or a string of these."""
    return (value is None or isinstance(value, str)) and value in neutral
