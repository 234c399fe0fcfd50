"""iCost: a classifier whose minority rows are weighted by how hard they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from icost._core.arrays import Floats, Ints
from icost._core.delegation import PredictionMixin
from icost._core.labels import label_codes
from icost._core.validation import check_column_names, check_features
from icost._weights.base_fit import check_many_classes, fit_problems
from icost._weights.problems import (
    Target,
    estimate_target,
    one_vs_one_confidence,
    one_vs_one_proba,
    one_vs_rest_confidence,
    one_vs_rest_proba,
    read_target,
)
from icost.complexity._base import BaseComplexity
from icost.complexity._methods import measure_of
from icost.penalties import Costs, Shape

PAPER_NAMES = {"min_samples_leaf": "tree_min_samples_leaf", "max_depth": "tree_max_depth"}
"""Parameters that the paper's Table 2 abbreviates, by what they are called here."""


def _suggest_names(init: Callable[..., None]) -> Callable[..., None]:
    """Let a constructor say which parameter is meant by a name that the paper abbreviates."""

    # The signature stays the wrapped one's, from which scikit-learn reads the parameters.
    @wraps(init)
    def checked(self: Any, *args: Any, **params: Any) -> None:
        for name in PAPER_NAMES.keys() & params:
            raise TypeError(
                f"{type(self).__name__} has no parameter {name!r}: did you mean "
                f"{PAPER_NAMES[name]!r}?"
            )
        init(self, *args, **params)

    return checked


class iCost(PredictionMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Cost-sensitive classifier that weights minority rows by how hard they are.

    Class-level costs give all rows of the rare class the same weight. iCost gives each its own:
    with the default costs, rows near the border count most, those in the midst of their class
    less, and those alone among the majority least, since they may well be noise. No row is made
    up or removed. A call of ``fit`` takes four steps:

    1. **Labels** are encoded, the smaller class becomes the minority, and the imbalance ratio (IR)
       is measured, the number of majority rows for each minority row.
    2. **Complexity**: a measure, see ``method``, sorts the minority rows into categories, by the
       training rows alone. In cross-validation each fold thus gets weights of its own.
    3. **Penalties**: a category's cost, a multiple of IR, becomes the weight of its rows.
       Majority rows weigh 1.
    4. **Fit**: a clone of the base classifier is fitted to your table with these weights.

    The categories and their costs, by neighbours or by the leaf of a shallow tree:

    - *pure*, ``cfp``: no neighbour is of the majority; the leaf's minority share is high;
    - *safe*, ``cfs``: some of the neighbours are, but less than half;
    - *border*, ``cfb``: at least half of them are, but not all;
    - *outlier*, ``cfo``: all of them are; the leaf's minority share is low;
    - *mixed*: the leaf is neither. The cost rises from ``cfs`` to ``cfb``, the more even the leaf.

    Weights move the point from which on a classifier says "minority", and a threshold does that as
    well. Compare the two before you rely on either; the notes say what to expect.

    Parameters
    ----------
    base_classifier : classifier, default=None
        Any classifier whose ``fit`` takes ``sample_weight``; one that does not can be wrapped in
        `WeightedBootstrap`. The weights reach the last step of a pipeline. Leave its own
        ``class_weight`` or ``scale_pos_weight`` alone: the imbalance would be counted twice, and
        a warning says so. Default: ``LogisticRegression(max_iter=1000)``.
    method : str or BaseComplexity, default="neighbor"
        - ``"ncs"``: not cost-sensitive, all rows weigh 1;
        - ``"cs"``: class-level costs, all minority rows weigh ``scale * IR``;
        - ``"neighbor"``: Neighbor-iCost, by the classes of the nearest neighbours;
        - ``"tree"`` or ``"gini"``: Gini-iCost, by the class composition of a shallow tree's leaves;
        - ``"margin"``, ``"density"``, ``"graph"`` or ``"cluster"``: by a held-out classifier, by
          densities, by walks among neighbours or by k-means (`MarginComplexity`,
          `DensityComplexity`, `GraphComplexity`, `ClusterComplexity`);
        - a complexity object, such as
          ``NeighborComplexity(metric="manhattan")``, whose parameters then replace those below.
    preprocessor : "auto", transformer or None, default="auto"
        Makes the numeric space in which complexity is estimated; the base classifier never sees
        it. ``"auto"`` keeps numeric columns as they are and imputes missing cells by the median;
        if there are other columns it one-hot encodes them and scales all to [0, 1].
    n_neighbors : int, default=5
        Number of neighbours for ``"neighbor"``, ``"density"`` and ``"graph"``; the row itself is
        none of them.
    tau_pure, tau_out : float, default=0.80 and 0.20
        Minority share of a leaf from which its rows are pure, and up to which they are outliers,
        for ``"tree"``.
    tree_max_depth : int or None, default=3
        Depth of the tree of ``"tree"``. In the small leaves of a deep one, rows look purer than
        they are.
    tree_min_samples_leaf : int, default=5
        Fewest rows in a leaf of that tree.
    tree_probe : {"exact", "fast"}, default="exact"
        How the tree of ``"tree"`` is grown. ``"fast"`` is for large tables: of more than 50,000
        dense rows a sample proposes splits, and all rows decide between them. See
        `GiniComplexity` for how little that changes. The one tree of more than two classes, of
        ``multiclass="direct"``, is always exact.
    cfp, cfs, cfb, cfo : float, default=0.50, 0.75, 1.25 and 0.20
        Penalties of pure, safe, border and outlier rows, as multiples of IR. `icost.PAPER` holds
        these defaults, `icost.MILD` milder ones: ``iCost(**icost.MILD)``. Raise ``cfo`` where lone
        minority rows are certain to be right.
    cost_factor : dict or None, default=None
        Final penalties, *not* multiplied by IR, for any of ``"cfp"``, ``"cfs"``, ``"cfb"`` and
        ``"cfo"``; they win over the parameters of these names.
    scale : float, default=1.0
        Multiplies every penalty of the minority, whatever the method and the penalty.
    penalty : {"categories", "plausible"} or callable, default="categories"
        Where penalties come from: the paper's categories and their four costs, or the other-class
        share around each row, ``complexity_.other_class_share``. ``"plausible"`` weights a
        row by ``scale * IR * shape``, where ``shape`` is ``floor + (1 - floor) * (1 -
        other_class_share)`` scaled to a mean of 1: uniform weights of the same total,
        ``method="cs"``, are its exact control. A function gets the array of other-class shares and
        returns the shape, which is scaled likewise.
    floor : float, default=0.05
        What is left for a row with an other-class share of 1, in the shape of ``"plausible"``.
    majority : {"flat", "plausible"}, default="flat"
        Whether every majority row weighs 1, or each by the same shape, with a mean of 1. The
        majority then is judged as well, which takes longer; ``"cs"`` judges no row.
    minority_label : label, default=None
        The minority class of a binary target. By default the smaller one, or the second one if
        both have the same size.
    multiclass : {"ovr", "ovo", "direct"}, default="ovr"
        How more than two classes are learned; of two classes, all are the same.

        - ``"ovr"``: one classifier per class against the rest, as in the paper;
        - ``"ovo"``: one per pair of classes, with complexity among the rows of the pair; votes
          decide, and summed confidences between equal votes;
        - ``"direct"``: one classifier of all classes. A row weighs the size of the largest class
          over that of its own, times the cost that its complexity among all other classes leads to.
          The largest class is judged likewise; ``scale`` leaves it as it is,
          and ``majority`` has no say.
    n_jobs : int, default=None
        Number of threads of the neighbour search, and of jobs for the fits of a multiclass target.
        By default the search takes as many threads as scikit-learn's native code
        (``OMP_NUM_THREADS``, or the cores that the process may use), and one in a worker of joblib
        or Dask; the fits run one after another. No weight depends on it.
    random_state : int, RandomState or None, default=None
        Seed of the tree of ``"tree"``, of folds and of k-means. The base classifier has its own.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    estimator_ : classifier
        The fitted base classifier of a binary target, or of all classes with ``"direct"``; it
        predicts codes, positions in ``classes_``.
    estimators_ : list of classifiers
        The fitted base classifiers of a multiclass target, one per class against the rest, or one
        per pair of classes.
    pairs_ : ndarray of shape (n_pairs, 2)
        With ``"ovo"``, the classes of each pair; the second is the one that is positive.
    minority_label_ : label or None
        The minority class; None for a multiclass target.
    imbalance_ratio_ : float or ndarray of shape (n_classes,) or (n_pairs,)
        Imbalance ratio; of each class against the rest for a multiclass target, of each pair, or
        with ``"direct"`` of the largest class to each.
    sample_weight_ : ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
        Weights that the base classifiers were fitted with; 0 where a row is not of the pair.
    complexity_ : Complexity, list of Complexity or None
        Category, score and penalty of each minority row; a list, one per class or pair, for a
        multiclass target; with ``"direct"`` one of all rows, which tells the ``rival`` of each;
        None for ``"ncs"`` and ``"cs"``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where they have any.

    See Also
    --------
    iCostCV : Chooses the costs by cross-validation.
    instance_weights : The weights alone, for a training loop of your own.
    WeightedBootstrap : Makes a base classifier of one without ``sample_weight``.
    icost.comparison.compare : Compares iCost with other strategies on your table.
    sklearn.model_selection.TunedThresholdClassifierCV : Moves the threshold of a plain classifier.

    Notes
    -----
    **The base classifier** gets your table as it is, labels as codes 0, 1, ... and the weights.
    Missing cells and text are its own business, so give it a pipeline if it needs numbers. Its
    decisions are taken as they come; no threshold is moved afterwards. With several of them, the
    class of highest confidence is predicted, of tied ones the first: confidence is the decision
    function, or else the probability, or else the prediction.

    **Probabilities** are the base classifier's, and weights shift them towards the minority, as if
    it were more frequent; `sklearn.calibration.CalibratedClassifierCV` around iCost is a remedy.
    Those of classes against the rest are scaled to sum to one, those of pairs are averaged.

    **Scale your columns** for ``"neighbor"``. The paper scales every table to [0, 1] before iCost;
    ``"auto"`` leaves a purely numeric table as it is, and columns in large units then decide who
    is a neighbour. A warning comes only where spreads differ more than a thousandfold.

    **When it does not help.** On the paper's 65 binary sets, the default costs had a better MCC
    than class-level costs with logistic regression, and on columns scaled to [0, 1] with an SVM;
    with families of sets as the unit, both are within noise. A tuned threshold on a plain
    classifier did at least as well. If you know what errors cost, set a threshold by that; if you
    need probabilities, leave the weights out.

    References
    ----------
    .. [1] Newaz, A., Adib, A. U. R., & Jabid, T. iCost: A novel instance-complexity-based
           cost-sensitive learning framework.

    Examples
    --------
    Scaled to [0, 1], as in the paper, most of the rare rows of this set have more neighbours of the
    other class than of their own:

    >>> from icost import iCost
    >>> from icost.datasets import load_dataset
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = make_pipeline(MinMaxScaler(), iCost()).fit(X, y)[-1]
    >>> model.complexity_.counts()
    {'border': 9, 'outlier': 8}

    Each has a weight by its category, here 1.25 and 0.20 times the imbalance ratio:

    >>> round(model.imbalance_ratio_, 2)
    11.59
    >>> model.complexity_.to_frame().head(3).round(2)
        category  score  penalty
    row
    35    border    0.8    14.49
    88   outlier    1.0     2.32
    92   outlier    1.0     2.32

    A ``preprocessor`` scales for the neighbours only. The base classifier then gets the raw
    columns, and brings a scaler of its own if it needs one:

    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import SVC
    >>> base = make_pipeline(StandardScaler(), SVC())
    >>> iCost(base, preprocessor=MinMaxScaler()).fit(X, y).complexity_.counts()
    {'border': 9, 'outlier': 8}
    """

    @_suggest_names
    def __init__(
        self,
        base_classifier: Any = None,
        method: str | BaseComplexity = "neighbor",
        *,
        preprocessor: Any = "auto",
        n_neighbors: int = 5,
        tau_pure: float = 0.80,
        tau_out: float = 0.20,
        tree_max_depth: int | None = 3,
        tree_min_samples_leaf: int = 5,
        tree_probe: str = "exact",
        cfp: float = 0.50,
        cfs: float = 0.75,
        cfb: float = 1.25,
        cfo: float = 0.20,
        cost_factor: Mapping[str, float] | None = None,
        scale: float = 1.0,
        penalty: str | Shape = "categories",
        floor: float = 0.05,
        majority: str = "flat",
        minority_label: Any = None,
        multiclass: str = "ovr",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.base_classifier = base_classifier
        self.method = method
        self.preprocessor = preprocessor
        self.n_neighbors = n_neighbors
        self.tau_pure = tau_pure
        self.tau_out = tau_out
        self.tree_max_depth = tree_max_depth
        self.tree_min_samples_leaf = tree_min_samples_leaf
        self.tree_probe = tree_probe
        self.cfp = cfp
        self.cfs = cfs
        self.cfb = cfb
        self.cfo = cfo
        self.cost_factor = cost_factor
        self.scale = scale
        self.penalty = penalty
        self.floor = floor
        self.majority = majority
        self.minority_label = minority_label
        self.multiclass = multiclass
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> iCost:
        """Weight the rows by their complexity and fit the base classifier.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training data; handed to the base classifier as it is.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of your own. They multiply the penalties; imbalance ratio and leaf compositions
            count them, neighbour counts count rows. Rows of weight 0 decide nothing: they are left
            out of the complexity and reach the base classifier with weight 0.
        **fit_params
            Other parameters of the base classifier's ``fit``, such as ``eval_set`` (its labels are
            encoded for the base classifier). Routed by request when metadata routing is enabled.

        Returns
        -------
        self
            The fitted estimator.
        """
        target = estimate(self, X, y, sample_weight)
        return fit_target(self, X, target, fit_params=fit_params)

    def compute_sample_weight(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Floats:
        """Return the weights that ``fit`` would give to the base classifier.

        No classifier is fitted, and the model stays as it is.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of your own, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            One column per class, or pair of classes, for a multiclass target; one weight per row
            with ``multiclass="direct"``.
        """
        weights = estimate(self, X, y, sample_weight).weights(Costs.of(self))
        return weights[:, 0] if weights.shape[1] == 1 else weights

    def calculate_imbalance_ratio(self, y: ArrayLike) -> float | Floats:
        """Return the imbalance ratio of a target; ``minority_label``, if set, is its minority.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels.

        Returns
        -------
        float or ndarray of shape (n_classes,) or (n_pairs,)
            One ratio per class for a multiclass target, of the larger side to the smaller: it is
            never below 1, also for a class that has more rows than all the others. With
            ``multiclass="ovo"`` one per pair, with ``"direct"`` of the largest class to each.
        """
        problems = read_target(y, self.minority_label, None, self.multiclass).problems
        if len(problems) == 1:
            return problems[0].ratio
        return np.array([problem.ratio for problem in problems])

    def _base(self) -> Any:
        if self.base_classifier is None:
            return LogisticRegression(max_iter=1000)
        return self.base_classifier

    def _route(self, fit_params: Mapping[str, Any]) -> Mapping[str, Any]:
        if not get_config()["enable_metadata_routing"]:
            return fit_params
        return process_routing(self, "fit", **fit_params).base_classifier.fit

    def _set_fitted_attributes(
        self, target: Target, columns: Sequence[Floats], weights: Floats, fitted: list[Any]
    ) -> None:
        """Set what a fit leaves behind."""
        # A refit on another kind of target must not leave the old one's attribute behind.
        for name in ("estimator_", "estimators_", "pairs_"):
            self.__dict__.pop(name, None)
        problems, self.classes_ = target.problems, target.classes
        if target.pairs is not None:
            self.pairs_ = target.pairs
        records = [p.record(column) for p, column in zip(problems, columns, strict=True)]
        if len(problems) == 1:
            self.estimator_ = fitted[0]
            minority = problems[0].minority
            self.minority_label_ = None if minority is None else self.classes_[minority]
            self.imbalance_ratio_: Any = problems[0].ratio
            self.sample_weight_ = weights[:, 0]
            self.complexity_: Any = records[0]
        else:
            self.estimators_ = fitted
            self.minority_label_ = None
            self.imbalance_ratio_ = np.array([problem.ratio for problem in problems])
            self.sample_weight_ = weights
            self.complexity_ = None if records[0] is None else records

    def _predictor(self) -> Any:
        several = getattr(self, "estimators_", None)
        return several[0] if several else getattr(self, "estimator_", None) or self._base()

    def _has_method(self, name: str) -> bool:
        # Pairs have the votes as their scores.
        is_votes = name == "decision_function" and hasattr(self, "pairs_")
        return is_votes or super()._has_method(name)

    def _call_model(self, name: str, X: Any) -> NDArray[Any]:
        check_is_fitted(self)
        check_features(self, X, reset=False)
        if not hasattr(self, "estimators_"):
            answer = getattr(self.estimator_, name)(X)
            return self.classes_[np.ravel(answer).astype(np.intp)] if name == "predict" else answer
        is_pairs = hasattr(self, "pairs_")
        if name == "predict_proba":
            return (one_vs_one_proba if is_pairs else one_vs_rest_proba)(self.estimators_, X)
        combine = one_vs_one_confidence if is_pairs else one_vs_rest_confidence
        confidence = combine(self.estimators_, X)
        return self.classes_[np.argmax(confidence, axis=1)] if name == "predict" else confidence

    @property
    def coef_(self) -> Floats:
        """Coefficients of the fitted base, of a binary target: what `RFE` and others look for."""
        return self._attribute_of_base("coef_")

    @property
    def intercept_(self) -> Floats:
        """Intercept of the fitted base, of a binary target."""
        return self._attribute_of_base("intercept_")

    @property
    def feature_importances_(self) -> Floats:
        """Importances of the fitted base, of a binary target."""
        return self._attribute_of_base("feature_importances_")

    def _attribute_of_base(self, name: str) -> Any:
        # An AttributeError is what tells others that there is none: before fit, and of many bases.
        if hasattr(self, "estimators_"):
            raise AttributeError(
                f"{name} is of one base, got {len(self.estimators_)}: see estimators_."
            )
        return getattr(self.estimator_, name)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata is routed: ``fit`` hands it to the base classifier's ``fit``.

        Returns
        -------
        MetadataRouter
            The routing.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(base_classifier=self._base(), method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = self._base()
        if hasattr(base, "__sklearn_tags__"):
            # The base classifier gets the user's own table, so what it accepts we accept.
            tags.input_tags = get_tags(base).input_tags
        return tags


def estimate(model: iCost, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Target:
    """Return a target with the complexity of its minority rows: the costly half of a fit.

    It depends on no cost and on no base classifier, so that whoever fits many of them, as a search
    or a comparison does, estimates once and hands the result to `fit_target`.
    """
    measure, costs = measure_of(model), Costs.of(model)
    check_column_names(X)
    check_consistent_length(X, y)
    target = read_target(y, model.minority_label, sample_weight, model.multiclass)
    return estimate_target(
        *(target, X, measure, model.preprocessor),
        both=costs is not None and costs.majority == "plausible",
        n_jobs=model.n_jobs,
        random_state=model.random_state,
    )


def fit_target(
    model: iCost,
    X: Any,
    target: Target,
    columns: Sequence[Floats] | None = None,
    fit_params: Mapping[str, Any] | None = None,
) -> iCost:
    """Fit an `iCost` to a target whose complexity is known: the other half of a fit.

    ``columns`` are weights of each problem to take in place of those that the model's costs give;
    controls have such.
    """
    costs = Costs.of(model)
    if columns is None:
        columns = [problem.weights(costs) for problem in target.problems]
    weights = target.with_user_weight(columns)
    check_features(model, X)
    is_weighted = costs is not None or target.sample_weight is not None
    rows = [problem.rows for problem in target.problems]
    if len(target.problems) == 1 and len(target.classes) > 2:
        check_many_classes(model._base())
    fitted = fit_problems(
        model._base(),
        X,
        [problem.target for problem in target.problems],
        _weights_of_problems(weights, rows) if is_weighted else None,
        model._route(fit_params or {}),
        encode=_LabelEncoder(target.classes, target.pairs is not None),
        is_cost_sensitive=costs is not None,
        n_jobs=model.n_jobs,
        rows=rows,
    )
    model._set_fitted_attributes(target, columns, weights, fitted)
    return model


def _weights_of_problems(weights: Floats, rows: Sequence[Ints | None]) -> list[Floats]:
    """Return the weights of each problem: a column, or its entries of the problem's rows."""
    pairs = zip(weights.T, rows, strict=True)
    return [column.copy() if chosen is None else column[chosen] for column, chosen in pairs]


class _LabelEncoder:
    """Labels of an eval_set as the base classifier of a problem sees them."""

    def __init__(self, classes: NDArray[Any], is_pairs: bool = False) -> None:
        self.classes, self.is_pairs = classes, is_pairs

    def __call__(self, column: int | None, labels: ArrayLike) -> Ints:
        if self.is_pairs:
            raise ValueError("eval_set must be left out with multiclass='ovo', got one: use 'ovr'.")
        codes = label_codes(labels, self.classes, "a label of eval_set")
        return codes if column is None else (codes == column).astype(np.intp)


def instance_weights(
    X: Any,
    y: ArrayLike,
    method: str | BaseComplexity = "neighbor",
    *,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> Floats:
    """Return the weights of `iCost` alone, for any training loop.

    For a neural network, a booster's native interface, a learner in another process: whatever takes
    one weight per row can learn from them. The weights are those that
    ``iCost(method=method, **params).fit(X, y)`` trains its base classifier with: by default 1 for
    majority rows, a penalty by its category for each minority row.

    If scikit-learn can fit your classifier, take `iCost` instead. It computes the weights anew from
    each training fold. Weights computed once from all rows let those of the test fold decide who is
    an outlier, which may flatter the result.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Training data, of any kind that `iCost` takes; text and missing cells are dealt with.
    y : array-like of shape (n_samples,)
        Labels.
    method : str or BaseComplexity, default="neighbor"
        As for `iCost`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of your own, which multiply the result.
    **params
        Other parameters of `iCost`, such as ``cfb``; for millions of rows,
        ``method="tree", tree_probe="fast"``.

    Returns
    -------
    ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
        One column per class against the rest, or per pair of classes, for a multiclass target; one
        weight per row with ``multiclass="direct"``.

    See Also
    --------
    icost.boosters.eval_weights : Weights of an evaluation set, by the training rows around it.
    icost.dask.instance_weights : The same for tables that do not fit in memory.
    categorize_minority_class : The categories without the weights.

    Notes
    -----
    The weights are not normalised, and on imbalanced data their mean mostly is above 1. Where a
    learning rate or a regularisation term was set for weights of 1, divide them by their mean.

    Examples
    --------
    Both minority rows are border ones here, and weigh 1.25 times the imbalance ratio of 3:

    >>> from icost import instance_weights
    >>> X = [[0.0], [1.0], [2.1], [3.3], [4.6], [6.0], [7.5], [9.1]]
    >>> y = [1, 1, 0, 0, 0, 0, 0, 0]
    >>> instance_weights(X, y, n_neighbors=2)
    array([3.75, 3.75, 1.  , 1.  , 1.  , 1.  , 1.  , 1.  ])

    In a loop over batches, compute them once from all *training* rows and hand each batch its part:

    >>> import numpy as np
    >>> from sklearn.linear_model import SGDClassifier
    >>> X, y = np.array(X), np.array(y)
    >>> weights = instance_weights(X, y, n_neighbors=2)
    >>> weights /= weights.mean()
    >>> learner = SGDClassifier(random_state=0)
    >>> for batch in 3 * [[0, 2, 4, 6], [1, 3, 5, 7]]:
    ...     learner = learner.partial_fit(X[batch], y[batch], [0, 1], weights[batch])
    >>> learner.predict(X)
    array([1, 1, 0, 0, 0, 0, 0, 0])
    """
    return iCost(method=method, **params).compute_sample_weight(X, y, sample_weight)
