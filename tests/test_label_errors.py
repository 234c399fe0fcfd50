import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from icost import LabelQuality, label_quality
from icost.label_errors import _out_of_fold
from icost.label_errors._odds import calibrate, error_odds, expected_errors, stack_probabilities


def blobs(n_classes=2, n_samples=180, seed=0):
    centers = [[0, 0], [7, 0], [0, 7]][:n_classes]
    X, y = make_blobs(n_samples, centers=centers, random_state=seed)
    return X, np.array(["a", "b", "c"])[y]


def swap(y, rows, labels):
    changed = y.copy()
    changed[rows] = labels
    return changed


def test_expected_errors_by_hand():
    # All 20 rows labelled 0 have one row labelled 1 among them, and one is added: (1 + 1) / 20.
    # The 20 clear rows of class 1 have none, and one is added: (0 + 1) / 20, times 21 rows.
    codes = np.repeat([0, 1], [20, 21])
    p = np.r_[np.full(20, 0.1), np.full(20, 0.9), 0.1]
    P = np.column_stack([1 - p, p])
    expected = [[0, 2], [21 / 20, 0]]
    np.testing.assert_allclose(expected_errors(P, codes), expected)
    # At most three tenths of the smaller class, whatever the overlap.
    np.testing.assert_allclose(expected_errors(np.full((41, 2), 0.5), codes), [[0, 6], [6, 0]])


def test_odds_by_hand():
    # Three classes: a row of label 1, and a tenth and a fifth of classes 0 and 2 bear that label.
    P, rates = np.array([[0.6, 0.1, 0.3]]), np.array([[0, 0.1, 0], [0, 0, 0], [0, 0.2, 0]])
    np.testing.assert_allclose(error_odds(P, np.array([1]), rates), [[0.6, 0.0, 0.6]])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_wrong_labels_come_first_and_are_suspects(n_classes):
    X, right = blobs(n_classes)
    rows = [3, 50, 120]
    y = swap(right, rows, np.where(right[rows] == "a", "b", "a"))
    quality = label_quality(X, y, random_state=0)
    assert isinstance(quality, LabelQuality)
    assert set(quality.order[:3]) == set(rows)
    suspects = np.flatnonzero(quality.is_suspect)
    assert set(suspects) <= set(rows) and len(suspects) >= 2
    assert (quality.suggested[suspects] == right[suspects]).all()
    keeps = ~quality.is_suspect
    assert (quality.suggested[keeps] == y[keeps]).all()
    assert quality.n_suspects == {
        label: int((y[quality.is_suspect] == label).sum()) for label in np.unique(y)
    }
    assert min(quality.separability.values()) > 0.9
    assert quality.score.min() >= 0 and quality.score.max() <= 1


def test_the_scale_of_weights_changes_nothing():
    rng = np.random.default_rng(0)
    y = (np.arange(256) % 4 == 0).astype(int)
    X = rng.normal(size=(256, 3)) + 1.2 * y[:, None]
    models = [LogisticRegression(), LogisticRegression(C=0.1), GaussianNB()]
    for weight in (np.ones(256), rng.integers(1, 4, size=256) * 1.0):
        expected = label_quality(X, y, classifier=models, sample_weight=weight, random_state=0)
        small = weight / weight.sum()
        quality = label_quality(X, y, classifier=models, sample_weight=small, random_state=0)
        np.testing.assert_array_equal(quality.is_suspect, expected.is_suspect)
        np.testing.assert_allclose(quality.score, expected.score, rtol=1e-6)


def test_a_classifier_without_weights_is_named_as_the_parameter_is():
    X, y = blobs()
    sentence = "^classifier must take sample_weight in fit, which KNeighborsClassifier does not"
    with pytest.raises(TypeError, match=sentence):
        label_quality(X, y, classifier=KNeighborsClassifier(), sample_weight=np.ones(len(y)))


def test_overlap_is_not_error():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), np.repeat([0, 1], [570, 30])
    quality = label_quality(X, y, random_state=0)
    assert quality.is_suspect.mean() <= 0.02
    assert abs(quality.separability[1] - 0.5) < 0.15


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], ["no", "yes"], [False, True]])
def test_the_type_of_labels_changes_nothing(labels):
    X, y = blobs()
    codes = (y == "b").astype(int)
    codes[[3, 50]] = 1 - codes[[3, 50]]
    first = label_quality(X, codes, random_state=0)
    other = label_quality(X, np.array(labels)[codes], random_state=0)
    np.testing.assert_array_equal(first.score, other.score)
    np.testing.assert_array_equal(first.is_suspect, other.is_suspect)
    assert list(other.n_suspects) == labels


def test_tables_of_any_kind():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    X, y = blobs()
    y[7] = "a" if y[7] == "b" else "b"
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(t=np.where(X[:, 0] > 2, "x", None))
    frame.loc[5, "u"] = np.nan
    quality = label_quality(frame, pd.Series(y), random_state=0)
    assert quality.order[0] == 7
    table = quality.to_frame()
    assert table.columns.tolist() == ["label", "score", "odds", "is_suspect", "suggested"]
    assert len(table) == len(y) and table["is_suspect"][7]
    assert label_quality(csr_array(X), y, random_state=0).order[0] == 7
    assert label_quality(X.tolist(), y.tolist(), random_state=0).order[0] == 7


def test_a_given_classifier_uses_weights():
    X, y = blobs()
    y[7] = "a" if y[7] == "b" else "b"
    plain = label_quality(X, y, classifier=LogisticRegression(), random_state=0)
    assert plain.order[0] == 7
    weight = np.ones(len(y))
    weight[:20] = 30
    weighted = label_quality(
        X, y, classifier=LogisticRegression(), sample_weight=weight, random_state=0
    )
    assert not np.allclose(weighted.probabilities, plain.probabilities)


def test_groups_are_held_out_together():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 6)
    # A column that tells the group, and a label that the group decides at random.
    y = rng.integers(0, 2, 30)[groups]
    X = np.column_stack([groups, rng.normal(size=180)])
    assert label_quality(X, y, random_state=0).separability[1] > 0.9
    assert label_quality(X, y, groups=groups, random_state=0).separability[1] < 0.75


def test_the_number_of_jobs_and_the_seed():
    X, y = blobs(3, 90)
    first = label_quality(X, y, random_state=0)
    np.testing.assert_array_equal(first.score, label_quality(X, y, random_state=0, n_jobs=2).score)
    assert not np.array_equal(first.score, label_quality(X, y, random_state=1).score)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classifier": []}, "got an empty list"),
        ({"cv": 1}, "cv must be a whole number"),
        ({"cv": ShuffleSplit(3, random_state=0)}, "cv must hold out every row once, got row"),
        ({"classifier": LinearSVC()}, "must have predict_proba, got LinearSVC without"),
        ({"groups": np.zeros(60)}, "at least two groups, got one"),
        ({"groups": [np.nan] + [0, 1, 2] * 19 + [3, 4]}, "groups must not be missing, got 1 of 60"),
        ({"groups": np.repeat([0, 1], 30)}, "all held out together"),
        ({"sample_weight": np.repeat([0.0, 1.0], 30)}, "must have a positive sample_weight"),
    ],
)
def test_bad_options(options, message):
    X, y = np.arange(60.0)[:, np.newaxis], np.repeat([0, 1], 30)
    with pytest.raises(ValueError, match=message):
        label_quality(X, y, **options)


@pytest.mark.parametrize(
    ("classifier", "message"),
    [
        ("rf", r"^classifier must be a classifier, got the text 'rf': .* RandomForestClassifier"),
        (LinearRegression(), r"^classifier must be a classifier, got LinearRegression\(\)\.$"),
        ([GaussianNB(), GaussianNB], "^classifier must be a classifier, got <class"),
    ],
)
def test_what_is_no_classifier_is_refused_in_one_sentence(classifier, message):
    X, y = np.arange(60.0)[:, np.newaxis], np.repeat([0, 1], 30)
    with pytest.raises(TypeError, match=message):
        label_quality(X, y, classifier=classifier)


@pytest.mark.parametrize("as_input", [np.asarray, csr_array, np.ndarray.tolist])
@pytest.mark.parametrize("n_labels", [50, 70])
def test_labels_of_another_number_of_rows_are_refused(as_input, n_labels):
    X, y = as_input(np.arange(60.0)[:, np.newaxis]), np.arange(n_labels) % 2
    with pytest.raises(ValueError, match=rf"inconsistent numbers of samples: \[60, {n_labels}\]"):
        label_quality(X, y)


def test_a_class_of_one_row_is_refused_and_one_of_two_is_not():
    X = np.arange(40.0)[:, np.newaxis]
    with pytest.raises(ValueError, match="at least two rows .* got one of class 'b'"):
        label_quality(X, ["a"] * 39 + ["b"])
    assert len(label_quality(X, ["a"] * 38 + ["b"] * 2, random_state=0).score) == 40


def test_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 20)[rng.integers(0, 20, 200)]
    codes, order = rng.integers(0, 3, 200), rng.permutation(200)
    stacked = stack_probabilities([P, P**2], codes)
    moved = stack_probabilities([P[order], P[order] ** 2], codes[order])
    np.testing.assert_allclose(stacked[order], moved, atol=1e-6)
    np.testing.assert_allclose(expected_errors(P, codes), expected_errors(P[order], codes[order]))


def test_rows_of_a_large_table_are_shared_among_trees(monkeypatch):
    monkeypatch.setattr(_out_of_fold, "TREE_ROWS", 50)
    X, y = blobs()
    y[7] = "a" if y[7] == "b" else "b"
    assert label_quality(X, y, random_state=0).is_suspect[7]


def test_models_are_fitted_on_a_sample_of_a_large_table(monkeypatch):
    monkeypatch.setattr(_out_of_fold, "FIT_ROWS", 60)
    codes = np.repeat([0, 1], [190, 10])
    rows = _out_of_fold.fit_rows(np.arange(200), codes, np.random.RandomState(0))
    assert len(rows) <= 60 and np.bincount(codes[rows]).tolist() == [56, 3]
    X, y = blobs()
    y[7] = "a" if y[7] == "b" else "b"
    quality = label_quality(X, y, random_state=0)
    assert quality.order[0] == 7 and len(quality.score) == len(y)


def test_a_large_table_has_two_folds_unless_more_are_given_or_rows_are_grouped(monkeypatch):
    monkeypatch.setattr(_out_of_fold, "FIT_ROWS", 30)

    def n_folds(n_rows, cv=None, groups=None):
        random = np.random.RandomState(0)
        return len(_out_of_fold.make_folds(np.arange(n_rows) % 2, cv, groups, random))

    assert (n_folds(60), n_folds(61), n_folds(61, 5), n_folds(61, 3)) == (5, 2, 5, 3)
    assert n_folds(61, KFold(4)) == 4
    assert n_folds(61, groups=np.arange(61) // 4) == 5
    X, y = np.random.RandomState(0).normal(size=(61, 2)), np.arange(61) % 2
    by_default, with_two, with_five = (
        label_quality(X, y, classifier=GaussianNB(), random_state=0, **options).score
        for options in ({}, {"cv": 2}, {"cv": 5})
    )
    np.testing.assert_array_equal(by_default, with_two)
    assert not np.array_equal(by_default, with_five)


def test_classes_of_few_rows_are_ranked_but_not_estimated():
    X, y = blobs()
    y = np.where(np.arange(len(y)) < 9, "few", y)
    quality = label_quality(X, y, random_state=0)
    assert quality.separability["few"] is None and quality.separability["a"] > 0.9
    is_few = quality.classes == "few"
    assert np.isnan(quality.expected_errors[is_few]).all()
    assert np.isnan(quality.expected_errors[:, is_few]).all()
    assert np.isfinite(quality.expected_errors[~is_few][:, ~is_few]).all()
    # Nine rows of two far blobs share a label: they surprise, although the class is small.
    assert np.isfinite(quality.score).all() and quality.order[0] < 9


@pytest.mark.parametrize("scale", [None, 3.0])
def test_one_error_is_assumed_where_a_class_has_few_rows(scale):
    X, y = blobs()
    y = np.where(np.arange(len(y)) < 9, "few", y)
    weight = None if scale is None else np.full(len(y), scale)
    quality = label_quality(X, y, sample_weight=weight, random_state=0)
    codes = np.searchsorted(quality.classes, y)
    errors = expected_errors(quality.probabilities, codes)
    assert errors[0, 2] > 1 and errors[2, 0] > 1  # what the odds must not use
    errors[[0, 1, 2, 2], [2, 2, 0, 1]] = 1
    odds = error_odds(quality.probabilities, codes, errors / np.bincount(codes)[:, np.newaxis])
    np.testing.assert_allclose(quality.odds, odds.sum(axis=1))


def test_classes_without_an_estimate_are_named():
    X, y = blobs()
    assert "estimated" not in repr(label_quality(X, y, random_state=0))
    y = np.where(np.arange(len(y)) < 9, "few", y)
    quality = label_quality(X, y, random_state=0)
    sentence = "errors not estimated, fewer than 10 rows: few)"
    assert repr(quality).endswith(sentence) and sentence in quality._repr_html_()


def test_several_classifiers_are_stacked_and_one_is_calibrated():
    X, y = blobs()
    models = [LogisticRegression(), GaussianNB()]
    folds = KFold(3, shuffle=True, random_state=1)
    stacked = label_quality(X, y, classifier=models, cv=folds).probabilities
    by_model = [cross_val_predict(m, X, y, cv=folds, method="predict_proba") for m in models]
    codes = (y == "b").astype(int)
    np.testing.assert_allclose(stacked, stack_probabilities(by_model, codes), atol=1e-9)
    alone = label_quality(X, y, classifier=models[0], cv=folds).probabilities
    np.testing.assert_allclose(alone, calibrate(by_model[0], codes), atol=1e-9)


def test_weights_move_expected_errors_and_suspects_are_counted_by_row():
    X, y = blobs()
    rows = np.flatnonzero(y == "a")[:2]
    y[rows] = "b"
    weight = np.ones(len(y))
    weight[rows] = 5
    plain, weighted = (label_quality(X, y, sample_weight=w, random_state=0) for w in (None, weight))
    assert weighted.expected_errors[0, 1] > 2 * plain.expected_errors[0, 1]
    assert sum(weighted.n_suspects.values()) == weighted.is_suspect.sum()
    scaled = label_quality(X, y, sample_weight=np.full(len(y), 3.0), random_state=0)
    np.testing.assert_allclose(scaled.expected_errors, plain.expected_errors)


# Shifts of the minority at which no model can exceed these areas under the ROC curve; its spread
# in the shifted column is 1, or 0.5, which makes the log-odds a parabola.
SHIFTS = {
    1.0: {0.72: 0.829, 0.8: 1.194, 0.88: 1.666, 0.93: 2.091, 0.97: 2.665},
    0.5: {0.72: 0.291, 0.8: 0.837, 0.88: 1.282, 0.93: 1.639, 0.97: 2.103},
}


# By share of the minority: bounds of the share of suspects, on average and in any table. They are
# what the default rule does where classes overlap, not what one would wish.
BOUNDS = {0.15: (0.02, 0.07), 0.3: (0.045, 0.12), 0.5: (0.04, 0.1)}


def share_of_suspects(minority, spread, area, seed):
    """Judge 600 rows of overlapping clouds, whose labels are all right, by the default settings."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(600, 4)), np.arange(600) >= round(600 * (1 - minority))
    X[y, 0] = SHIFTS[spread][area] + spread * X[y, 0]
    return label_quality(X, y, random_state=seed).is_suspect.mean()


def shares_by_minority(n_seeds):
    """Judge so many clouds of each shape and area, whose shares of the minority take turns."""
    shares = {minority: [] for minority in BOUNDS}
    clouds = itertools.product(SHIFTS, SHIFTS[1.0], range(n_seeds))
    for minority, cloud in zip(itertools.cycle(BOUNDS), clouds, strict=False):
        shares[minority].append(share_of_suspects(minority, *cloud))
    return shares


def check_bounds(shares):
    for minority, (on_average, most) in BOUNDS.items():
        assert np.mean(shares[minority]) <= on_average, minority
        assert max(shares[minority]) <= most, minority


def test_few_rows_of_overlapping_clouds_are_suspects():
    shares = shares_by_minority(2)
    assert sum(map(len, shares.values())) == 20
    check_bounds(shares)


@pytest.mark.slow
def test_few_rows_of_many_overlapping_clouds_are_suspects():
    shares = shares_by_minority(20)
    assert sum(map(len, shares.values())) == 200
    check_bounds(shares)
    path = Path(__file__).parents[1] / "docs" / "guide" / "labels.md"
    guide = path.read_text("utf-8")
    for minority, found in shares.items():
        numbers = [100 * minority, len(found), 100 * np.mean(found), 100 * max(found)]
        line = "| {:.0f} % | {} | {:.1f} % | {:.1f} % |".format(*numbers)
        assert line in guide, line


@pytest.mark.parametrize("n_classes", [2, 6])
def test_labels_dealt_out_at_random_are_not_suspect(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(n_classes, size=300)
    assert label_quality(X, y, random_state=0).is_suspect.mean() <= 0.02


def test_a_model_that_has_learned_nothing_does_not_spoil_one_that_has():
    codes = np.repeat([0, 1], [80, 20])
    good = np.column_stack([1.0 - codes, codes])
    P = stack_probabilities([good, np.full((100, 2), 0.5)], codes)
    assert P[[0, 99]].round(2).tolist() == [[0.97, 0.03], [0.12, 0.88]]


def test_uninformative_probabilities_become_the_shares_of_the_classes():
    P, codes = np.full((10, 2), 0.5), np.repeat([0, 1], [8, 2])
    np.testing.assert_allclose(calibrate(P, codes)[0], [0.8, 0.2], atol=0.005)
    even = 1 / np.array([8, 2])[codes]
    np.testing.assert_allclose(calibrate(P, codes, even)[0], [0.5, 0.5])


def test_large_tables_are_fitted_to_a_part_of_their_rows():
    codes = np.repeat([0, 1], [90_000, 10_000])
    rows = _out_of_fold.fit_rows(np.arange(100_000), codes, np.random.RandomState(0))
    assert np.bincount(codes[rows]).tolist() == [17_999, 2_000]


def test_the_stack_has_four_models_and_three_for_sparse_tables():
    models = list(_out_of_fold.default_models(1000, 10))
    assert models == ["forest", "linear", "kernel", "boosting"]
    assert list(_out_of_fold.default_models(1000, 10, is_sparse=True)) == models[:3]


@pytest.mark.parametrize(("n_rows", "n_landmarks"), [(1, 1), (40, 20), (1000, 150)])
def test_half_of_the_rows_are_landmarks_at_most(n_rows, n_landmarks):
    kernel = _out_of_fold.default_models(n_rows, 10)["kernel"]
    assert kernel[0].n_components == n_landmarks
