import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import NeighborComplexity, iCost
from icost.metrics import confusion_matrices
from icost.tuning._candidates import list_candidates
from icost.tuning._fold_scores import configure, evaluate_candidates

X, y = make_classification(
    300, n_features=5, n_informative=3, weights=[0.8], flip_y=0.1, random_state=1
)
FOLD = X[:200], y[:200], X[200:], y[200:]

BASES = [
    LogisticRegression(),
    DecisionTreeClassifier(random_state=0),
    SVC(),
    SVC(kernel="linear", gamma=0.5),
    make_pipeline(StandardScaler(), SVC(gamma="auto")),
]

GRIDS = [
    {"cfb": [0.5, 1.5], "cfo": [0.1, 1.0]},
    {"method": ["ncs", "cs", "neighbor", "tree"], "scale": [0.8, 1.0], "cfb": [1.0, 1.5]},
    [
        {"method": [NeighborComplexity(3), NeighborComplexity(7, metric="manhattan")]},
        {"method": [NeighborComplexity()], "method__n_neighbors": [1, 3], "cfs": [0.5, 1.0]},
        {"n_neighbors": [3, 7], "tau_pure": [0.6, 0.9], "method": ["neighbor", "tree"]},
        {"cost_factor": [{"cfb": 9.0}, {"cfb": 9.0, "cfo": 0.1}]},
        {"preprocessor": [StandardScaler(), None], "minority_label": [0, 1]},
    ],
]


def separate_predictions(estimator, candidates, **fit_params):
    X_train, y_train, X_test, _ = FOLD
    models = [configure(estimator, candidate) for candidate in candidates]
    return [model.fit(X_train, y_train, **fit_params).predict(X_test) for model in models]


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("base", BASES, ids=repr)
def test_results_are_those_of_separate_fits(base, grid):
    estimator, candidates = iCost(base, random_state=0), list_candidates(grid)
    results = evaluate_candidates(estimator, *FOLD, candidates)
    np.testing.assert_array_equal(results.predictions, separate_predictions(estimator, candidates))


def test_parameters_of_the_base_classifier_and_of_a_pipeline():
    estimator = make_pipeline(MinMaxScaler(), iCost(SVC()))
    candidates = list_candidates(
        {
            "minmaxscaler": [MinMaxScaler(), StandardScaler(), "passthrough"],
            "icost__base_classifier__C": [0.1, 10.0],
            "icost__cfb": [1.0, 1.5],
        }
    ) + list_candidates({"icost": [iCost(method="cs"), iCost(method="tree", random_state=0)]})
    results = evaluate_candidates(estimator, *FOLD, candidates)
    np.testing.assert_array_equal(results.predictions, separate_predictions(estimator, candidates))


def test_user_weights_take_part():
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 200)
    candidates = list_candidates({"cfb": [0.5, 1.5], "method": ["neighbor", "ncs"]})
    results = evaluate_candidates(iCost(), *FOLD, candidates, sample_weight=weight)
    expected = separate_predictions(iCost(), candidates, sample_weight=weight)
    np.testing.assert_array_equal(results.predictions, expected)


@pytest.mark.parametrize("method", ["neighbor", "cs", "ncs"])
@pytest.mark.parametrize("base", [SVC(), SVC(C=100.0, gamma=2.0), LogisticRegression()], ids=repr)
def test_weights_of_zero_change_nothing(base, method):
    weight = np.where(np.random.default_rng(0).random(200) < 0.3, 0.0, 1.0)
    estimator = iCost(base, method=method)
    candidates = list_candidates({"cfo": [0.0, 0.2], "cfp": [0.0, 0.5]})
    for params in ({}, {"sample_weight": weight}):
        results = evaluate_candidates(estimator, *FOLD, candidates, **params)
        models = [configure(estimator, candidate) for candidate in candidates]
        expected = [m.fit(*FOLD[:2], **params).predict(FOLD[2]) for m in models]
        np.testing.assert_array_equal(results.predictions, expected)


def test_confusion_matrices_are_scikit_learns():
    results = evaluate_candidates(iCost(), *FOLD, list_candidates({"cfb": [0.1, 1.0, 3.0]}))
    for matrix, predicted in zip(results.confusion, results.predictions, strict=True):
        np.testing.assert_array_equal(matrix, confusion_matrix(FOLD[3], predicted))


def test_confusion_matrices_by_hand():
    truth, predicted = np.array([0, 1, 2, 2]), np.array([[0, 1, 2, 2], [1, 1, 0, 2]])
    assert confusion_matrices(truth, predicted, 3).tolist() == [
        [[1, 0, 0], [0, 1, 0], [0, 0, 2]],
        [[0, 1, 0], [0, 1, 0], [1, 0, 1]],
    ]


class CountingLogisticRegression(LogisticRegression):
    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


class CountingComplexity(NeighborComplexity):
    estimates = 0

    def _estimate_groups(self, *args, **kwargs):
        type(self).estimates += 1
        return super()._estimate_groups(*args, **kwargs)


def test_equal_weights_are_fitted_once_and_complexity_is_estimated_once():
    # Two neighbours make no sample "safe" (0 < m < 1), so that cfs changes nothing.
    measure = CountingComplexity(2)
    CountingComplexity.estimates = CountingLogisticRegression.fits = 0
    estimator = iCost(CountingLogisticRegression(), method=measure)
    candidates = list_candidates({"cfs": [0.5, 1.0, 2.0], "cfb": [1.0, 1.5]})
    results = evaluate_candidates(estimator, *FOLD, candidates)
    assert CountingComplexity.estimates == 1
    assert CountingLogisticRegression.fits == 2
    assert results.fit_index.tolist() == [0, 0, 0, 1, 1, 1]


def test_what_a_method_does_not_heed_costs_no_second_estimate():
    CountingComplexity.estimates = 0
    grid = {"n_neighbors": [3, 5], "tau_pure": [0.7, 0.8], "base_classifier__C": [1.0, 2.0]}
    estimator = iCost(LogisticRegression(), method=CountingComplexity(3))
    evaluate_candidates(estimator, *FOLD, list_candidates(grid))
    assert CountingComplexity.estimates == 1


def test_a_scorer_sees_the_fitted_whole_and_the_users_table():
    estimator = make_pipeline(MinMaxScaler(), iCost())
    candidates = list_candidates({"icost__cfb": [0.5, 1.5]})
    results = evaluate_candidates(estimator, *FOLD, candidates, scorer=get_scorer("roc_auc"))
    X_train, y_train, X_test, y_test = FOLD
    for candidate, value in zip(candidates, results.values, strict=True):
        model = clone(estimator).set_params(**candidate).fit(X_train, y_train)
        assert value == get_scorer("roc_auc")(model, X_test, y_test)


def test_an_estimator_without_icost_is_refused():
    with pytest.raises(TypeError, match="must be an iCost or a pipeline that ends in one, got SVC"):
        evaluate_candidates(SVC(), *FOLD, [{}])


def test_the_estimator_and_candidates_stay_as_they_are():
    estimator, candidates = iCost(SVC()), [{"base_classifier__C": 2.0, "cfb": 1.0}]
    evaluate_candidates(estimator, *FOLD, candidates)
    assert estimator.base_classifier.C == 1.0 and estimator.base_classifier.kernel == "rbf"
    assert candidates == [{"base_classifier__C": 2.0, "cfb": 1.0}]
