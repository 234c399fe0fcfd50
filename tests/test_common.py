"""scikit-learn's own checks, on every estimator and method."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn import clone, config_context
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from icost import (
    ClusterComplexity,
    GiniComplexity,
    MarginComplexity,
    NeighborComplexity,
    ThresholdClassifier,
    WeightedBootstrap,
    iCost,
    iCostCV,
    iCostEnsemble,
    instance_weights,
)
from icost._table._encoder import TableEncoder
from icost.complexity._methods import MEASURES

EQUIVALENCE = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)
COUNTED = "rows are counted, not their weights"
TOO_FEW = "a class must have two rows of positive weight, and has one in this check"
BY_THRESHOLD = "the threshold decides, not the larger probability"
# Some checks of scikit-learn 1.6 have two rows of each class: there, rows are counted.
HAS_TWO_ROWS = sklearn.__version__.startswith("1.6.")
SIGNS = {
    COUNTED: (AssertionError, "Not equal to tolerance"),
    TOO_FEW: ((ValueError, AssertionError), "at least two|Not equal to tolerance")
    if HAS_TWO_ROWS
    else (ValueError, "at least two"),
    BY_THRESHOLD: (AssertionError, ""),
}
"""How a check fails for each reason."""

ESTIMATORS = [
    iCost(method="ncs"),
    iCost(method="cs"),
    *(
        iCost(method=name, n_neighbors=3, random_state=0)
        for name in MEASURES
        if name not in ("margin", "cluster")  # whose defaults need more rows than these checks have
    ),
    iCost(DecisionTreeClassifier(random_state=0), method="neighbor", n_neighbors=3),
    iCost(GaussianNB(), method="cs"),
    iCost(LogisticRegression(), method=NeighborComplexity(3, metric="manhattan")),
    iCost(LogisticRegression(), method=GiniComplexity(cross_fit=2), random_state=0),
    iCost(method=MarginComplexity(cv=2)),
    iCost(method=ClusterComplexity(n_clusters=1)),
    iCost(penalty="plausible", majority="plausible", n_neighbors=3),
    iCost(method="cs", multiclass="ovo"),
    iCost(multiclass="direct", n_neighbors=3),
    ThresholdClassifier(LogisticRegression(), cv=2, random_state=0),
    ThresholdClassifier(LogisticRegression(), "cost", cv=2, cost_fn=2.0, random_state=0),
    ThresholdClassifier(LogisticRegression(), "alerts<=0.9", cv=2, random_state=0),
    WeightedBootstrap(n_estimators=2, random_state=0),
    iCostCV(iCost(method="cs"), grid={"scale": [0.5, 1.0]}, cv=2),
    iCostCV(iCost(method="tree", random_state=0), grid={"cfb": [0.5, 1.0]}, cv=2, select="one_se"),
    iCostEnsemble(members=("plain", "smote"), n_splits=2, random_state=0),
    iCostEnsemble(members=("plain",), threshold="alerts<=0.9", n_splits=2, random_state=0),
    iCostEnsemble(
        LogisticRegression(), members=("cs",), n_splits=2, threshold=None, random_state=0
    ),
    TableEncoder(),
]


def expected_failures(estimator):
    """Neighbours and leaf sizes are counts of rows; so are the rows that a bootstrap draws.

    A fully grown tree fits these checks' data whatever the weights, and passes all the same. The
    centre of one cluster is the weighted mean of a class, in which rows do count by their weights.
    Rows that are split for held-out scores are held out once each, repeated or not.
    """
    decides = isinstance(estimator, ThresholdClassifier)
    if isinstance(estimator, iCostEnsemble):
        decides = estimator.threshold is not None
    failures = {"check_classifiers_train": BY_THRESHOLD} if decides else {}
    reason = _why_weights_differ(estimator)
    return failures | (dict.fromkeys(EQUIVALENCE, reason) if reason else {})


def _why_weights_differ(estimator):
    if isinstance(estimator, iCostEnsemble):
        return TOO_FEW
    if isinstance(estimator, ThresholdClassifier | WeightedBootstrap):
        return COUNTED
    if not isinstance(estimator, iCost):
        return None
    is_one_cluster = getattr(estimator.method, "n_clusters", None) == 1
    is_grown = isinstance(estimator.base_classifier, DecisionTreeClassifier)
    if is_one_cluster or is_grown or estimator.method in ("ncs", "cs"):
        return None
    is_split = isinstance(estimator.method, GiniComplexity | MarginComplexity)
    return TOO_FEW if is_split else COUNTED


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("estimator", "name"), [(e, name) for e in ESTIMATORS for name in expected_failures(e)]
)
def test_a_check_fails_for_the_reason_that_is_listed(estimator, name):
    error, words = SIGNS[expected_failures(estimator)[name]]
    with pytest.raises(error, match=words):
        getattr(estimator_checks, name)(type(estimator).__name__, clone(estimator))


#: Checks that scale their table by a transformer and then take it for an array.
CHECKS_OF_ARRAYS = ("check_classifiers_train", "check_classifiers_classes", "check_transformer")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


#: One of each class, and one of each way to use a table.
BY_CLASS = list({(type(e), getattr(e, "method", None) == "tree"): e for e in ESTIMATORS}.values())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("output", ["pandas", "polars"])
@parametrize_with_checks(BY_CLASS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks_whatever_transformers_return(estimator, check, output):
    is_of_arrays = getattr(check, "func", check).__name__.startswith(CHECKS_OF_ARRAYS)
    with config_context(transform_output="default" if is_of_arrays else output):
        check(estimator)


@pytest.mark.parametrize("output", ["pandas", "polars"])
@pytest.mark.parametrize(
    "model",
    [
        iCost(DecisionTreeClassifier(random_state=0), method="gini"),
        iCostEnsemble(n_splits=2, random_state=0),
        ThresholdClassifier(make_pipeline(TableEncoder(), LogisticRegression()), random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_what_transformers_return_changes_no_prediction(model, output):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"number": rng.normal(size=80), "text": rng.choice(list("xyz"), 80)})
    X.iloc[3, 0] = np.nan
    y = rng.permutation(np.repeat([0, 1], [60, 20]))
    if isinstance(model, iCost):
        X = X[["number"]]
    expected = clone(model).fit(X, y).predict_proba(X)
    weights = instance_weights(X, y)
    with config_context(transform_output=output):
        np.testing.assert_array_equal(clone(model).fit(X, y).predict_proba(X), expected)
        np.testing.assert_array_equal(instance_weights(X, y), weights)
