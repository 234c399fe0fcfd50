"""Real tables: frames of mixed types, missing values, and metadata routing."""

import numpy as np
import pytest
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from icost import categorize_minority_class, iCost, instance_weights

pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")

X, y = make_classification(200, n_features=5, weights=[0.85], random_state=0)


def mixed_columns():
    rng = np.random.default_rng(0)
    columns = {f"x{i}": X[:, i].copy() for i in range(5)}
    columns["x1"][rng.uniform(size=200) < 0.1] = np.nan
    columns["colour"] = np.where(X[:, 0] > 0, "red", "blue").tolist()
    columns["flag"] = X[:, 2] > 0.5
    return columns


def encoder():
    numbers = [name for name in mixed_columns() if name != "colour"]
    return make_column_transformer(
        (OneHotEncoder(), ["colour"]), (make_pipeline(SimpleImputer(), StandardScaler()), numbers)
    )


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
@pytest.mark.parametrize("method", ["cs", "neighbor", "tree"])
def test_mixed_frames_reach_the_base_as_they_are(library, method):
    frame = library.DataFrame(mixed_columns())
    base = make_pipeline(encoder(), LogisticRegression())
    model = iCost(base, method=method, random_state=0).fit(frame, y)
    assert model.feature_names_in_.tolist() == list(mixed_columns())
    assert model.score(frame, y) > 0.8
    np.testing.assert_array_equal(model.estimator_.feature_names_in_, model.feature_names_in_)


def test_pandas_and_polars_give_the_same_weights():
    columns = mixed_columns()
    from_pandas = instance_weights(pd.DataFrame(columns), y)
    np.testing.assert_array_equal(from_pandas, instance_weights(pl.DataFrame(columns), y))
    assert set(from_pandas[y == 1]) - {1.0}


def test_missing_values_reach_a_base_that_takes_them():
    table = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.2, np.nan, X)
    model = iCost(HistGradientBoostingClassifier(max_iter=5)).fit(table, y)
    assert model.score(table, y) > 0.8


def test_a_column_without_any_value_works():
    table = X.copy()
    table[:, 4] = np.nan
    base = make_pipeline(SimpleImputer(keep_empty_features=True), LogisticRegression())
    weights = iCost(base).fit(table, y).sample_weight_
    np.testing.assert_array_equal(weights, instance_weights(X[:, :4], y))


def test_columns_in_another_order_are_refused():
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = iCost().fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[list("edcba")])


def test_few_columns_that_decide_all_distances_draw_a_warning():
    with pytest.warns(UserWarning, match="spreads of the columns differ"):
        instance_weights(X * [1, 1, 1, 1, 1e5], y)
    instance_weights(X * [1, 1, 1, 1, 1e5], y, preprocessor=StandardScaler())
    instance_weights(X * [1, 1, 1, 1, 1e5], y, method="tree")


def test_categories_as_arrays_and_as_a_frame():
    labels = np.where(y == 1, "ill", "well")
    minority, by_category, counts = categorize_minority_class(X, labels)
    frame = categorize_minority_class(X, labels, "ill", return_dataframe=True)
    assert minority.tolist() == np.flatnonzero(y == 1).tolist() == frame.index.tolist()
    assert list(by_category) == ["pure", "safe", "border", "outlier"]
    assert sum(map(len, by_category.values())) == len(minority)
    for name, rows in by_category.items():
        assert frame.index[frame["category"] == name].tolist() == rows.tolist()
    assert frame["majority_neighbors"].tolist() == counts.tolist()


# ---------------------------------------------------------------------------- metadata routing


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


NESTED = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), SVC()))


@pytest.mark.parametrize("base", [SVC(), make_pipeline(StandardScaler(), SVC()), NESTED], ids=str)
def test_weights_reach_the_last_step_with_and_without_routing(base):
    plain = iCost(base).fit(X, y).decision_function(X)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = iCost(base).fit(X, y).decision_function(X)
    np.testing.assert_allclose(routed, plain)
    assert not np.allclose(plain, iCost(base, method="ncs").fit(X, y).decision_function(X))


def test_user_weights_are_routed_to_us(routing):
    weight = np.random.default_rng(0).uniform(0.5, 2, size=len(y))
    model = make_pipeline(StandardScaler(), iCost().set_fit_request(sample_weight=True))
    model[0].set_fit_request(sample_weight=False)
    model.fit(X, y, sample_weight=weight)
    expected = iCost().compute_sample_weight(StandardScaler().fit_transform(X), y, weight)
    np.testing.assert_allclose(model[-1].sample_weight_, expected)


def test_other_parameters_are_routed_to_the_base(routing):
    xgboost = pytest.importorskip("xgboost", reason="the extra `boosters` is not installed")
    base = xgboost.XGBClassifier(n_estimators=5, n_jobs=1, early_stopping_rounds=2)
    model = iCost(base.set_fit_request(eval_set=True, verbose=True))
    model.fit(X, np.where(y == 1, "b", "a"), eval_set=[(X, np.where(y == 1, "b", "a"))], verbose=0)
    assert model.estimator_.best_iteration >= 0


def test_an_unknown_parameter_is_refused(routing):
    with pytest.raises(TypeError, match="unexpected argument"):
        iCost().fit(X, y, colour="red")


def test_weights_pass_through_cross_validation_and_search(routing):
    weight = np.where(np.arange(len(y)) % 2, 2.0, 1.0)
    model = iCost().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
    result = cross_validate(
        model, X, y, params={"sample_weight": weight}, cv=2, return_estimator=True
    )
    half = result["estimator"][0].sample_weight_
    assert set(half) >= {1.0, 2.0}
    search = GridSearchCV(model, {"cfb": [1.0, 1.5]}, cv=2).fit(X, y, sample_weight=weight)
    assert set(search.best_estimator_.sample_weight_) >= {1.0, 2.0}
