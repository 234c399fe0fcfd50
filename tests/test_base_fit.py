import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

from icost import iCost
from icost.base_fit import encode_eval_labels


def shout(labels):
    return [label.upper() for label in labels]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("X", ["a"]), ("X", ["A"])),
        ([("X", ["a"])], [("X", ["A"])]),
        ([["X", ["a"]]], [("X", ["A"])]),
        ([["X", ["a"]], ("Z", ["b"])], [("X", ["A"]), ("Z", ["B"])]),
        ((["X", ["a"]],), [("X", ["A"])]),
        ("a pool", "a pool"),
        (["a pool"], ["a pool"]),
        (None, None),
    ],
)
def test_pairs_may_be_lists_or_tuples(given, expected):
    assert encode_eval_labels({"eval_set": given}, shout) == {"eval_set": expected}
    assert encode_eval_labels({"step__eval_set": given}, shout) == {"step__eval_set": expected}


def test_pairs_as_lists_evaluate_what_pairs_as_tuples_do():
    xgboost = pytest.importorskip("xgboost")
    X, y = make_classification(
        150, n_classes=3, n_informative=4, weights=[0.7, 0.2], random_state=0
    )
    base = xgboost.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1)
    model = iCost(base).fit(X, y, eval_set=[[X, y]], verbose=False)
    for code, member in enumerate(model.estimators_):
        curve = member.evals_result()["validation_0"]["logloss"]
        proba = member.predict_proba(X)[:, 1]
        assert curve[-1] == pytest.approx(log_loss(np.asarray(y) == code, proba), rel=1e-4)
