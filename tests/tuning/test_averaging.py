import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import iCost
from icost.tuning import AveragedClassifier

X, y = make_classification(200, weights=[0.8], flip_y=0.1, random_state=0)


def test_the_mean_of_decision_functions_decides():
    members = [iCost(SVC(), cfb=0.5), iCost(SVC(), cfb=3.0)]
    model = AveragedClassifier(members).fit(X, y)
    mean = np.mean([m.fit(X, y).decision_function(X) for m in members], axis=0)
    np.testing.assert_array_equal(model.predict(X), (mean > 0).astype(int))
    assert not hasattr(model, "predict_proba")


def test_the_mean_of_probabilities_decides_where_there_is_no_decision_function():
    members = [iCost(DecisionTreeClassifier(max_depth=d, random_state=0)) for d in (1, 2, 3)]
    model = AveragedClassifier(members).fit(X, y)
    mean = np.mean([m.fit(X, y).predict_proba(X) for m in members], axis=0)
    np.testing.assert_array_equal(model.predict(X), mean.argmax(axis=1))
    np.testing.assert_allclose(model.predict_proba(X), mean)


def test_scores_of_different_kinds_are_not_averaged():
    with pytest.raises(ValueError, match="all have decision_function or all have predict_proba"):
        AveragedClassifier([iCost(SVC()), iCost(DecisionTreeClassifier())]).fit(X, y)


def test_multiclass_and_pickle():
    features, target = load_iris(return_X_y=True)
    model = AveragedClassifier([iCost(), iCost(cfb=2.0)]).fit(features, target)
    assert (model.predict(features) == target).mean() > 0.8
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(features), model.predict(features))
