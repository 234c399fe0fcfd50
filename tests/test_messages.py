"""What people try first and get wrong: the sentence says what to do instead."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from icost import ThresholdClassifier, iCost, iCostAuto, iCostCV, iCostEnsemble
from icost._core.validation import check_choice
from icost.strategies._estimators import ALIASES, CLASSIFIERS, get_classifier

RNG = np.random.default_rng(0)
Y = pd.Series(np.r_[np.zeros(48, int), np.ones(12, int)], name="ill")
X = pd.DataFrame(
    RNG.normal(size=(60, 3)) + 2 * Y.to_numpy()[:, np.newaxis], columns=["age", "pulse", "weight"]
)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    [
        (iCost(method="neighbour"), "got 'neighbour': did you mean 'neighbor'?"),
        (iCost(method="smote"), "use iCostAuto(strategies=['smote'])."),
        (iCost(method="threshold"), "use ThresholdClassifier."),
        (iCost(method="ensemble"), "use iCostEnsemble."),
        (iCost("neighbor"), "such as iCost(method='neighbor')."),
        (iCost("xgboost"), "such as XGBClassifier()."),
        (iCost("something"), "such as LogisticRegression()."),
        (iCostEnsemble("blnd"), "got the text 'blnd': did you mean 'blend'?"),
        (iCostEnsemble("xgboost"), "unless it is 'blend', must be a classifier, got the text 'xgb"),
        (iCostEnsemble("lightgbm"), "such as LGBMClassifier()."),
        (iCostEnsemble(threshold="cost"), "iCostEnsemble(threshold='cost', cost_fn=10)."),
        (iCostEnsemble(cost_fn=3), "cost_fn needs threshold='cost', got 'stable'."),
        (iCost(cost_factor={"border": 2}), "got 'border': did you mean 'cfb'?"),
        (iCostCV(LogisticRegression()), "write iCostCV(iCost(LogisticRegression()))."),
        (iCostAuto("forrest"), "got 'forrest': did you mean 'forest'?"),
        (iCostAuto("lr", ["neighbour"]), "did you mean 'neighbor'?"),
        (iCostAuto(keep="simple"), "got 'simple': did you mean 'simplest'?"),
        (iCost(method="rus"), "use compare(X, y, strategies=['rus'])."),
    ],
)
def test_a_wrong_parameter_comes_with_the_right_one(estimator, expected):
    with pytest.raises((ValueError, TypeError)) as error:
        estimator.fit(X, Y)
    assert expected in str(error.value)


def test_the_method_may_come_second():
    assert iCost(LogisticRegression(), "gini").get_params()["method"] == "gini"


TABLES = [iCost(), ThresholdClassifier(LogisticRegression()), iCostEnsemble(), iCostAuto()]


@pytest.mark.parametrize("rows", [X[:0], pd.DataFrame(X[:0]), []])
@pytest.mark.parametrize("estimator", TABLES)
def test_a_table_without_rows(estimator, rows):
    with pytest.raises(ValueError, match="^X (and y )?must have at least one row, got none.$"):
        estimator.fit(rows, Y[:0])


@pytest.mark.parametrize("estimator", TABLES)
def test_a_table_without_columns(estimator):
    with pytest.raises(ValueError, match="^X must have at least one column, got 0 feature"):
        estimator.fit(pd.DataFrame(X)[[]], Y)


@pytest.mark.parametrize("text", [pd.DataFrame({"town": ["a", "b"] * 30}), np.array([["a"]] * 60)])
@pytest.mark.parametrize("base", [LogisticRegression(), iCost()])
def test_text_that_a_classifier_cannot_read_names_the_encoder(base, text):
    ready = r"use make_pipeline\(icost.TableEncoder\(\), LogisticRegression\(\)\) instead.$"
    with pytest.raises(ValueError, match=ready) as raised:
        ThresholdClassifier(base).fit(text, Y)
    assert str(raised.value).count("must take the table as it is") == 1


@pytest.mark.parametrize("estimator", [iCost(), iCostEnsemble(), iCostAuto()])
def test_a_number_to_predict_is_no_class(estimator):
    amount = pd.Series(RNG.normal(size=60), name="cost")
    with pytest.raises(ValueError, match="'cost' looks like a number to predict, not a class"):
        estimator.fit(X, amount)
    with pytest.raises(ValueError, match="^y looks like a number to predict"):
        estimator.fit(X, amount.to_numpy())


def test_a_classifier_that_cannot_read_text_is_shown_the_encoder_that_can():
    from sklearn.pipeline import make_pipeline

    from icost import TableEncoder

    table = X.assign(city="a")
    advice = r"make_pipeline\(icost.TableEncoder\(\), LogisticRegression\(\)\)"
    with pytest.raises(ValueError, match=advice):
        iCost().fit(table, Y)
    assert iCost(make_pipeline(TableEncoder(), LogisticRegression())).fit(table, Y)


def test_long_lists_give_way_to_a_suggestion():
    names = [f"study-{number}" for number in range(79)]
    with pytest.raises(ValueError, match="one of 79 names, got 'studie-7': did you mean 'study-7'"):
        check_choice("a name", "studie-7", names)
    with pytest.raises(ValueError, match=r"'study-11', … \(79 in all\), got 'x'\.$"):
        check_choice("a name", "x", names)


def test_classifiers_have_names_in_words():
    assert not ALIASES.keys() & CLASSIFIERS.keys()
    assert [get_classifier(name).name for name in ("logistic", "forest", "boosting")] == [
        *("lr", "rf", "hgb")
    ]
    one, other = (iCostAuto(name, n_repeats=1, n_splits=2).fit(X, Y) for name in ("lr", "logistic"))
    assert one.blend_.names == other.blend_.names == ("lr",)
