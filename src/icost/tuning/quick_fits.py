"""The same fits in less time: what candidates of one fold need not do again each.

`share_kernel` gives all fits of a support vector machine one kernel matrix; `plain_booster` fits
XGBoost without what its scikit-learn interface does around every fit. Both return a classifier
whose fits are those of the given one, and that one itself wherever this is not certain.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearn.utils import check_array

from icost.validation import import_extra

MAX_KERNEL_BYTES = 512 * 2**20
"""Largest matrix that is kept; above it every fit computes its own kernel values."""


class SharedKernel:
    """The RBF kernel, with its values on the training and test rows kept.

    Fits are those of ``kernel="rbf"``: libsvm keeps kernel values in single precision, so that the
    last bits of double precision, in which two ways to compute them differ, are rounded off; the
    diagonal, which it uses in double precision, is exactly 1 here as it is there. Measured, dual
    coefficients are the same to the last bit.
    """

    def __init__(self, train: NDArray[np.float64], test: NDArray[np.float64], gamma: float) -> None:
        self.train, self.gamma = train, gamma
        # With one argument the diagonal is set to 1 exactly; with two it is only close to it.
        self.kept = [(train, rbf_kernel(train, gamma=gamma))]
        self.kept.append((test, rbf_kernel(test, train, gamma=gamma)))

    def __sklearn_clone__(self) -> SharedKernel:
        """Return the kernel itself: every fit clones its classifier, none needs its own matrix."""
        return self

    def __call__(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the kernel between all rows of X and of Y."""
        if np.array_equal(Y, self.train):
            for rows, matrix in self.kept:
                # Comparing costs n * d, computing n * n * d.
                if np.array_equal(X, rows):
                    return matrix
        return rbf_kernel(X, Y, gamma=self.gamma)


def share_kernel(base: Any, train: Any, test: Any) -> Any:
    """Return a classifier that fits as the given one does, with a kernel matrix that is shared.

    Fits are the same for positive weights only: where a weight is 0, `sklearn.svm.SVC` gives other
    results for a kernel that is a function than for its own.
    """
    if type(base) is not SVC or base.kernel != "rbf" or issparse(train):
        return base
    if base.gamma not in ("scale", "auto") and not isinstance(base.gamma, Real):
        return base  # which will say what is wrong with it
    n_train, n_test = np.shape(train)[0], np.shape(test)[0]
    if 8 * n_train * (n_train + n_test) > MAX_KERNEL_BYTES:
        return base
    # SVC itself sees double precision in C order; in any other form rows would not be recognised.
    train, test = (check_array(rows, dtype=np.float64, order="C") for rows in (train, test))
    return clone(base).set_params(kernel=SharedKernel(train, test, _gamma(base.gamma, train)))


def _gamma(gamma: str | float, train: NDArray[np.float64]) -> float:
    """What SVC makes of its parameter on these rows."""
    if gamma == "auto":
        return 1.0 / train.shape[1]
    if gamma == "scale":
        variance = train.var()
        return float(1.0 / (train.shape[1] * variance)) if variance != 0 else 1.0
    return float(gamma)


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
    """A binary XGBoost booster, trained on a fresh weighted ``DMatrix``.

    Its trees are those of ``xgboost.XGBClassifier``, to the last bit. A quantile matrix shared by
    all fits would be faster still, but its bins would not be those of the weights.
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
    """Return a classifier that fits as an ``xgboost.XGBClassifier`` does, with less around it."""
    # By name, so that XGBoost need not be installed. Frames may hold categories: left alone.
    package, _, _ = type(base).__module__.partition(".")
    is_xgboost = (package, type(base).__name__) == ("xgboost", "XGBClassifier")
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
