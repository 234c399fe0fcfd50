"""What candidates of one fold share, so that it is computed once.

A candidate is a dictionary of parameters, as in `sklearn.model_selection.GridSearchCV`. Its values
decide, in this order, how the steps before iCost transform the table, how hard each minority row
is, and which base classifier is fitted. Costs decide none of these, only the weights.

`share_kernel` and `plain_booster` return a classifier that gives the same fits in less time, and
the given one itself wherever this is not certain.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Number, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.utils import check_array
from sklearn.utils.metadata_routing import get_routing_for_object

from icost._core.arrays import Floats, Ints
from icost._core.validation import import_extra
from icost._weights.classifier import iCost
from icost.complexity._methods import MEASURES
from icost.penalties import COST_PARAMETERS

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Group:
    """Candidates that differ in costs only: what they share by full names, costs by iCost's own."""

    structure: Params
    members: list[tuple[int, Params]]


def cost_prefix(estimator: Any) -> str:
    """Return what stands before the names of iCost's parameters: ``"<step>__"`` in a pipeline."""
    if isinstance(estimator, iCost):
        return ""
    if isinstance(estimator, Pipeline) and isinstance(estimator.steps[-1][1], iCost):
        return f"{estimator.steps[-1][0]}__"
    name = type(estimator).__name__
    hint = f": write iCostCV(iCost({name}()))" if is_classifier(estimator) else ""
    if isinstance(estimator, Pipeline):
        last = type(estimator.steps[-1][1]).__name__
        hint = f" that ends in {last}: write iCost({last}()) in its place"
    raise TypeError(f"estimator must be an iCost or a pipeline that ends in one, got {name}{hint}.")


def is_shareable(estimator: Any, metadata: Iterable[str] = ()) -> bool:
    """Whether the steps before iCost can be fitted apart from it.

    Pipelines of other packages do more than transform: imbalanced-learn's resample the rows. And
    where metadata routing is on, a step may ask for what is given to ``fit``.
    """
    if type(estimator) is not Pipeline:
        return type(estimator) is iCost
    if getattr(estimator, "transform_input", None) is not None:
        return False
    return not any(_takes(step, list(metadata)) for _, step in estimator.steps[:-1])


def _takes(step: Any, metadata: list[str]) -> bool:
    if not get_config()["enable_metadata_routing"]:
        return False
    routing = get_routing_for_object(step)
    return any(routing.consumes(name, metadata) for name in ("fit", "fit_transform", "transform"))


def group_candidates(candidates: Iterable[Params], prefix: str) -> list[Group]:
    """Return the candidates in groups that differ in costs only, in the order of their firsts."""
    groups: dict[Hashable, Group] = {}
    for position, params in enumerate(candidates):
        costs = {name: value for name, value in params.items() if _is_cost(name, prefix)}
        structure = {name: value for name, value in params.items() if name not in costs}
        group = groups.setdefault(params_key(structure), Group(structure, []))
        own_names = {name.removeprefix(prefix): value for name, value in costs.items()}
        group.members.append((position, own_names))
    return list(groups.values())


def _is_cost(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and name.removeprefix(prefix) in COST_PARAMETERS


def params_key(params: Params) -> Hashable:
    """Return a key that two sets of parameters share only if they are the same.

    Objects are compared by identity: a grid repeats its objects, so equal ones usually are one.
    """
    return tuple((name, _token(params[name])) for name in sorted(params))


def _token(value: Any) -> Hashable:
    # The type matters: min_samples_leaf=1 is one row, 1.0 is all of them.
    if value is None or isinstance(value, str | Number):
        return type(value), value
    return type(value), id(value)


def head_key(structure: Params, prefix: str) -> Hashable:
    """Return what decides the table that iCost gets: the parameters of the steps before it."""
    of_icost = _of_icost(structure, prefix, lambda own_name: True)
    return params_key({n: value for n, value in structure.items() if n not in of_icost})


def complexity_key(structure: Params, prefix: str, method: Any) -> Hashable:
    """Return what decides the complexity of the minority rows, given iCost's method."""
    relevant = {"method", "minority_label", "preprocessor", "random_state"}
    relevant |= {"majority", "multiclass"}
    if isinstance(method, str) and method in MEASURES:
        relevant |= set(MEASURES[method][1])
    nested = ("method__", "preprocessor__")

    def matters(own_name: str) -> bool:
        return own_name in relevant or own_name.startswith(nested)

    return params_key(_of_icost(structure, prefix, matters))


def base_key(structure: Params, prefix: str) -> Hashable:
    """Return what decides the base classifier."""
    return params_key(
        _of_icost(structure, prefix, lambda own_name: own_name.startswith("base_classifier"))
    )


def _of_icost(structure: Params, prefix: str, matters: Any) -> dict[str, Any]:
    """Those parameters of iCost that matter, and iCost itself where a grid replaces it."""
    return {
        name: value
        for name, value in structure.items()
        if (name.startswith(prefix) and matters(name.removeprefix(prefix)))
        or (prefix and f"{name}__" == prefix)
    }


MAX_KERNEL_BYTES = 512 * 2**20
"""Largest matrix that is kept; above it every fit computes its own kernel values."""


class SharedKernel:
    """The RBF kernel, with its values on the training and test rows kept.

    libsvm keeps kernel values in single precision, so that fits are those of ``kernel="rbf"``:
    measured, dual coefficients are the same to the last bit.
    """

    def __init__(self, train: Floats, test: Floats, gamma: float) -> None:
        self.train, self.gamma = train, gamma
        # With one argument the diagonal is set to 1 exactly; with two it is only close to it.
        self.kept = [(train, rbf_kernel(train, gamma=gamma))]
        self.kept.append((test, rbf_kernel(test, train, gamma=gamma)))

    def __sklearn_clone__(self) -> SharedKernel:
        """Return the kernel itself: every fit clones its classifier, none needs its own matrix."""
        return self

    def __call__(self, X: Floats, Y: Floats) -> Floats:
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
    return clone(base).set_params(kernel=SharedKernel(train, test, kernel_width(base.gamma, train)))


def kernel_width(gamma: str | float, train: Floats) -> float:
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
    **dict.fromkeys(("early_stopping_rounds", "callbacks"), (None,)),
    **dict.fromkeys(("feature_weights", "feature_types"), (None,)),
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

    def predict(self, X: Any) -> Ints:
        """Return the likelier class."""
        return (self.predict_proba(X)[:, 1] > 0.5).astype(np.intp)


def plain_booster(base: Any, train: Any) -> Any:
    """Return a classifier that fits as an ``xgboost.XGBClassifier`` does, with less around it."""
    # By name, so that XGBoost need not be installed. Frames may hold categories: left alone.
    package, _, _ = type(base).__module__.partition(".")
    is_xgboost = (package, type(base).__name__) == ("xgboost", "XGBClassifier")
    if not is_xgboost or not isinstance(train, np.ndarray) or train.dtype.kind != "f":
        return base
    given, booster_params = base.get_params(), base.get_xgb_params()
    is_seeded = base.random_state is None or isinstance(base.random_state, int)
    if not is_seeded or not all(_is_one_of(given.get(name), v) for name, v in NEUTRAL.items()):
        return base
    # Versions to come may have parameters of which nothing is known here.
    others = given.keys() - booster_params - NEUTRAL.keys() - HANDLED
    if any(given[name] is not None for name in others):
        return base
    params = {name: value for name, value in booster_params.items() if value is not None}
    params["objective"] = "binary:logistic"
    return PlainBooster(params, base.get_num_boosting_rounds(), base.missing)


def _is_one_of(value: Any, neutral: tuple[str | None, ...]) -> bool:
    """Whether a parameter, which may be an array or a function, is None or a string of these."""
    return (value is None or isinstance(value, str)) and value in neutral
