"""iCostAuto: one pass from a table to a model, in scikit-learn's tools and on all kinds of rows."""

import warnings
from html import escape

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from icost import iCost, iCostAuto
from icost.modelfile import choose_model, load_model, save_model
from icost.thresholds import LeastCost

QUICK = {"n_splits": 3, "n_repeats": 1}


def auto(*candidates, **options):
    return iCostAuto(list(candidates) or ["nb", "lr"], **{**QUICK, **options})


def _failures(estimator):
    counted = "rows are split, not their weights"
    names = ("dense", "sparse")
    checks = {f"check_sample_weight_equivalence_on_{n}_data": counted for n in names}
    return checks | {"check_classifiers_train": "the threshold decides, not the larger probability"}


@pytest.mark.filterwarnings("ignore:.*What scored best is kept all the same:UserWarning")
@parametrize_with_checks(
    [iCostAuto(["nb", "lr"], n_splits=2, n_repeats=1)], expected_failed_checks=_failures
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def patients():
    rng = np.random.default_rng(0)
    is_ill = np.arange(150) % 5 == 0
    table = pd.DataFrame(
        {
            "age": rng.normal(50 + 20 * is_ill, 10),
            "sex": rng.choice(["f", "m"], 150),
            "smokes": rng.random(150) < 0.3 + 0.3 * is_ill,
        }
    )
    table.loc[3, "age"] = np.nan
    return table, pd.Series(np.where(is_ill, "ill", "well"), name="state")


class Counting(ClassifierMixin, BaseEstimator):
    n_fits = 0

    def fit(self, X, y, sample_weight=None):
        Counting.n_fits += 1
        self.classes_ = np.unique(y)
        self.model_ = LogisticRegression().fit(X, y)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


def test_whatever_is_asked_a_candidate_is_fitted_once_per_fold_and_once_more(patients):
    X, y = patients
    Counting.n_fits = 0
    model = iCostAuto([("counting", Counting())], n_splits=4, n_repeats=2).fit(X, y)
    assert Counting.n_fits == 4 * 2 + 1
    model.decide("recall>=0.7").decide("cost", cost_fn=10)
    model.board()
    assert model.summary() and model.expected_["mcc"]["value"] > 0.3
    assert Counting.n_fits == 4 * 2 + 1
    # A certificate is of the models of the folds, which are kept instead of another fit.
    Counting.n_fits = 0
    iCostAuto([("counting", Counting())], rule="recall>=0.7", n_splits=4, n_repeats=1).fit(X, y)
    assert Counting.n_fits == 4


def test_labels_of_any_kind_decide_alike(patients):
    X, y = patients
    is_ill = (y == "ill").to_numpy()
    first = auto().fit(X, y)
    for labels in (is_ill.astype(int), is_ill, np.where(is_ill, -1, 1)):
        other = auto().fit(X, labels)
        wanted = first.predict(X) == "ill"
        minority = other.minority_label_
        np.testing.assert_array_equal(other.predict(X) == minority, wanted)
        column = list(other.classes_).index(minority)
        place = list(first.classes_).index("ill")
        np.testing.assert_array_equal(
            other.predict_proba(X)[:, column], first.predict_proba(X)[:, place]
        )


def test_expected_scores_hold_on_new_rows():
    rng, gaps = np.random.default_rng(0), []
    for _ in range(8):
        y = (rng.random(3_000) < 0.15).astype(int)
        X = rng.normal(size=(3_000, 4)) + 0.9 * y[:, None]
        model = auto("lr", "nb").fit(X[:600], y[:600])
        scored = matthews_corrcoef(y[600:], model.predict(X[600:]))
        gaps.append(model.expected_["mcc"]["value"] - scored)
    assert abs(np.mean(gaps)) < 0.05


def test_inside_pipelines_and_cross_validation(patients):
    X, y = patients
    pipeline = make_pipeline(FunctionTransformer(), auto())
    scores = cross_validate(pipeline, X, y, cv=3, scoring="roc_auc")
    assert scores["test_score"].mean() > 0.8
    assert clone(auto(time_limit=5)).get_params()["time_limit"] == 5


def test_the_command_keeps_the_same_model(patients, tmp_path):
    X, y = patients
    kept, model = choose_model(X, y, candidates=["nb", "lr"], **QUICK), auto().fit(X, y)
    assert kept.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()
    assert kept.predict(X).tolist() == model.predict(X).tolist()
    for name, decide in (("refit", "stable"), ("members", "recall>=0.7")):
        saved = choose_model(X, y, candidates=["splines", "knn", "svm"], decide=decide, **QUICK)
        save_model(saved, tmp_path / f"{name}.skops")
        loaded = load_model(tmp_path / f"{name}.skops")
        assert loaded.predict_proba(X).tobytes() == saved.predict_proba(X).tobytes()
        assert loaded.record == saved.record
        with pytest.raises(ValueError, match="which files do not keep"):
            loaded.estimator.decide("stable")


def test_groups_and_time_decide_the_folds(patients):
    X, y = patients
    grouped = auto().fit(X, y, groups=np.arange(150) // 5)
    assert "each of 30 groups" in grouped.out_of_fold_.folds.how
    later = auto().fit(X, y, time=pd.date_range("2024-01-01", periods=150))
    assert later.out_of_fold_.folds.is_by_time
    (expected,) = (remark for remark in later.verdict_ if remark.topic == "expect")
    assert "in the order of time" in expected.facts["how"]


def test_rows_of_weight_0_are_absent(patients):
    X, y = patients
    weight = np.where(np.arange(150) < 120, 1.0, 0.0)
    weighted = auto("lr").fit(X, y, sample_weight=weight)
    plain = auto("lr").fit(X[:120], y[:120])
    np.testing.assert_allclose(plain.predict_proba(X), weighted.predict_proba(X))
    with pytest.raises(ValueError, match="got zero for all"):
        auto().fit(X, y, sample_weight=np.zeros(150))
    heavy = auto("lr").fit(X, y, sample_weight=np.where(y == "ill", 20.0, 1.0))
    assert (heavy.predict(X) == "ill").sum() > (plain.predict(X) == "ill").sum()


def test_noise_is_fitted_with_a_warning_and_refused_by_the_command(patients):
    X, y = patients
    y = np.random.default_rng(1).permutation(y)
    with pytest.warns(UserWarning, match="Nothing here is better than guessing"):
        model = auto().fit(X[["sex"]], y)
    assert model.is_guessing_ and model.verdict_[0].topic == "guessing"
    with pytest.raises(ValueError, match="force=True"):
        choose_model(X[["sex"]], y, candidates=["nb"], **QUICK)
    kept = choose_model(X[["sex"]], y, candidates=["nb"], force=True, **QUICK)
    assert kept.record["verdict"][0]["topic"] == "guessing"


def test_costs_decide_per_row_and_per_class(patients):
    X, y = patients
    by_cost = auto(cost_fn=30.0).fit(X, y)
    assert by_cost.threshold_ == pytest.approx(1 / 31)
    X = X.assign(amount=np.linspace(5.0, 90.0, len(X)))
    model = auto("nb", cost_fn="amount", cost_fp=3.0).fit(X, y)
    proba = model.predict_proba(X)[:, list(model.classes_).index("ill")]
    wanted = proba >= 3.0 / (3.0 + X["amount"].to_numpy())
    np.testing.assert_array_equal(model.predict(X) == "ill", wanted)
    with pytest.raises(ValueError, match="a column of numbers in the table, got 'amuont': did you"):
        auto(cost_fn="amuont").fit(X, y)
    with pytest.raises(ValueError, match="got an array"):
        auto(cost_fn=np.ones(150)).fit(X, y)
    with pytest.raises(ValueError, match="cost_fn needs rule='cost'"):
        auto(cost_fn=3, rule="recall>=0.8").fit(X, y)
    with pytest.raises(ValueError, match="needs cost_fn"):
        auto(rule="cost").fit(X, y)


def test_several_classes_are_decided_by_offsets_or_costs():
    rng, y = np.random.default_rng(0), np.repeat(["a", "b", "c"], [200, 60, 30])
    X = rng.normal(size=(290, 3)) + np.repeat([0, 1.5, 3], [200, 60, 30])[:, None]
    model = auto().fit(X, y)
    assert model.offsets_.shape == (3,) and model.certificate_ is None
    assert {"b", "c"} <= set(model.predict(X))
    assert "rows of a class on average" in model.verdict_[1].text
    costs = LeastCost([[0, 1, 1], [1, 0, 1], [90, 90, 0]])
    cautious = auto(rule=costs).fit(X, y)
    assert (cautious.predict(X) == "c").sum() > (model.predict(X) == "c").sum()
    with pytest.raises(ValueError, match="Only binary classification is supported by rule='rec"):
        auto(rule="recall>=0.8").fit(X, y)


def test_a_preprocessor_of_the_user_takes_the_tables_place(patients):
    X, y = patients
    numbers = X[["age"]].fillna(50)
    scaled = auto("lr", preprocessor=StandardScaler()).fit(numbers, y)
    assert isinstance(scaled.member_.encoder, StandardScaler)
    whole = make_pipeline(StandardScaler(), LogisticRegression())
    raw = auto(("own", whole), preprocessor=None).fit(numbers, y)
    np.testing.assert_allclose(raw.predict_proba(numbers), scaled.predict_proba(numbers))
    with pytest.raises(ValueError, match="preprocessor"):
        auto(preprocessor="scale").fit(X, y)


def test_candidates_are_names_classifiers_or_pairs(patients):
    X, y = patients
    model = auto("lr", GaussianNB(), ("deep", LogisticRegression(C=9)), "lr+smote").fit(X, y)
    names = {row.name for row in model.board()}
    assert names <= {"lr", "GaussianNB", "deep", "lr+smote"}
    weighted = iCostAuto("lr", ["plain", "cs", iCost(method="neighbor")], **QUICK).fit(X, y)
    tried = {one.name for one in weighted._candidates(weighted.out_of_fold_.rows)}
    assert tried == {"lr", "lr+cs", "lr+iCost"}
    for given, text in (
        ([GaussianNB(), GaussianNB()], "different names"),
        ([], "at least one"),
        ([StandardScaler()], "must be classifiers"),
        ([GaussianNB], "names, classifiers or pairs"),
        (["lr+neighbour"], "did you mean 'neighbor'"),
    ):
        with pytest.raises(ValueError, match=text):
            iCostAuto(given, **QUICK).fit(X, y)


def test_the_simplest_that_is_as_good_is_kept_where_that_is_wanted():
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.2).astype(int)
    X = rng.normal(size=(500, 3)) + y[:, None]
    model = auto("lr", "nb", "knn", keep="simplest").fit(X, y)
    assert model.blend_.names == ("lr",)
    assert model.verdict_[0].text == "Use logistic regression."
    best = auto("lr", "nb", "knn").fit(X, y)
    if best.blend_.names != ("lr",):
        assert any(remark.topic == "simple" for remark in best.verdict_)


def test_sparse_tables_and_many_columns():
    rng = np.random.default_rng(0)
    y = (np.arange(120) % 4 == 0).astype(int)
    X = rng.normal(size=(120, 500)) * (rng.random((120, 500)) < 0.02)
    X[:, :5] += 2 * y[:, None]
    model = iCostAuto(**QUICK).fit(csr_matrix(X), y)
    assert model.predict(csr_matrix(X)).shape == (120,)
    assert model.blend_.names == ("lr",)


@pytest.mark.filterwarnings("ignore:.*What scored best is kept all the same:UserWarning")
def test_two_minority_rows_give_a_model_and_a_range():
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(60, int), 1, 1]
    X = np.c_[rng.normal(size=62) + 6 * y, rng.normal(size=62)]
    with pytest.warns(UserWarning, match="Few rows of class '1': 2"):
        model = auto().fit(X, y)
    score = model.expected_["mcc"]
    assert score["high"] - score["low"] > 0.2
    assert "cannot be known" in next(r.text for r in model.verdict_ if r.topic == "expect")


def test_a_summary_says_what_is_kept_and_how_it_decides(patients):
    X, y = patients
    model = auto("nb").fit(X, y)
    lines = model.summary().splitlines()
    assert lines[:2] == ["iCostAuto, rule: stable", "Use naive Bayes."]
    assert "Expected scores with 95 % intervals:" in lines
    assert "Columns: 1 number; 'smokes': true or false; 'sex': levels." in lines
    assert all(escape(line) in model._repr_html_() for line in lines)


def test_a_fit_that_fails_leaves_no_model(patients):
    X, y = patients
    model = auto().fit(X, y)
    with pytest.raises(ValueError, match="at least two classes"):
        model.fit(X, ["ill"] * len(y))
    with pytest.raises(AttributeError, match="not fitted yet"):
        model.predict(X)


def test_a_column_with_the_answer_is_warned_about():
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(80, int), np.ones(30, int)]
    X = np.c_[rng.normal(size=110), 3.0 * y]
    with pytest.warns(UserWarning, match=r"out-of-fold AUC is 1\.0000.*known only after"):
        auto("lr").fit(X, y)


def test_few_rows_are_warned_of_once():
    rng, y = np.random.default_rng(0), np.repeat(["well", "ill"], [60, 15])
    X = rng.normal(size=(75, 2)) + 2 * (y == "ill")[:, None]
    with pytest.warns(UserWarning) as caught:
        auto().fit(X, y)
    assert [str(w.message)[:28] for w in caught] == ["Few rows of class 'ill': 15."]


def test_seeds_and_jobs(patients):
    X, y = patients
    one = auto(n_jobs=2).fit(X, y).predict_proba(X)
    assert one.tobytes() == auto().fit(X, y).predict_proba(X).tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        auto(random_state=np.random.RandomState(0)).fit(X, y)


def test_another_decision_is_another_model(patients):
    X, y = patients
    model = auto("lr").fit(X, y)
    before = model.predict(X), str(model.verdict_), model.get_params()["rule"]
    by_cost = model.decide("cost", cost_fn=10)
    floor = by_cost.decide("recall>=0.7")
    assert (model.predict(X) == before[0]).all() and str(model.verdict_) == before[1]
    assert model.get_params()["rule"] == before[2]
    assert "cost" in by_cost.expected_ and "cost" not in floor.expected_
    # A clone decides as the model does.
    again = clone(floor).fit(X, y)
    assert again.rule == "recall>=0.7" and again.cost_fn is None
    for wrong, text in (
        ({"rule": "cost"}, "needs cost_fn"),
        ({"rule": "cost", "cost_fn": -1}, "cost_fn must be a finite number >= 0"),
        ({"rule": "recall>=0.7", "cost_fn": 3}, "cost_fn needs the rule 'cost'"),
    ):
        with pytest.raises(ValueError, match=text):
            model.decide(**wrong)


def test_a_matrix_of_costs_decides_two_classes(patients):
    X, y = patients
    matrix = [[0, 9], [1, 0]]  # 'ill' comes first
    model = auto("lr", rule=LeastCost(matrix)).fit(X, y)
    assert model.threshold_ == pytest.approx(0.1)
    assert model.decide(LeastCost([[0, 4], [1, 0]])).threshold_ == pytest.approx(0.2)


def test_weights_are_relative_and_name_the_minority(patients):
    X, y = patients
    thousand, one = (auto("svm").fit(X, y, sample_weight=np.full(150, k)) for k in (1e3, 1.0))
    np.testing.assert_allclose(thousand.predict_proba(X), one.predict_proba(X))
    weight = np.where(y == "ill", 9.0, 1.0)  # 30 rows against 120
    assert auto("lr").fit(X, y, sample_weight=weight).minority_label_ == "well"
    model = choose_model(X, y, candidates=["lr"], sample_weight=weight, force=True, **QUICK)
    assert model.record["minority"] == "well"


@pytest.mark.filterwarnings("ignore:.*What scored best is kept all the same:UserWarning")
def test_answers_forward_in_time_know_nothing_of_later_rows(patients):
    X, y = patients
    later = y.copy()
    later[-25:] = np.where(later[-25:] == "ill", "well", "ill")
    one, other = (auto("lr").fit(X, labels, time=np.arange(150)) for labels in (y, later))
    n_same = (one._answers.parts == 0).sum()
    np.testing.assert_array_equal(one._answers.proba[:n_same], other._answers.proba[:n_same])


def test_what_is_expected_is_of_the_cut_that_is_certified(patients):
    X, y = patients
    model = auto("nb", rule="recall>=0.6").fit(X, y)
    alerts = (model._answers.proba[:, 1] >= model.threshold_).astype(int)
    np.testing.assert_array_equal(model._answers.decided, alerts)


def test_candidates_cannot_change_what_others_see(patients):
    class Writing(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            X[:] = 0
            return super().fit(X, y)

    X, y = patients
    model = auto("lr", ("writing", Writing())).fit(X, y)
    assert model.blend_.names == ("lr",) and "writing (ValueError" in model.notes_[0]


def test_scores_that_are_no_numbers_leave_a_candidate_out(patients):
    class Empty(LogisticRegression):
        def decision_function(self, X):
            return np.full(len(X), np.nan)

    model = auto("lr", ("empty", Empty())).fit(*patients)
    assert "empty (ValueError: scores must be numbers, got NaN)" in model.notes_[0]
    only = auto(("empty", Empty()), "lr", time_limit=0.0).fit(*patients)
    assert only.blend_.names == ("lr",)
