import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.svm import LinearSVC

from icost import LabelQuality, label_errors, label_quality
from icost.label_errors import calibrated, find_suspects, label_scores, least_likely


def blobs(n_classes=2, n_samples=180, seed=0):
    centers = [[0, 0], [7, 0], [0, 7]][:n_classes]
    X, y = make_blobs(n_samples, centers=centers, random_state=seed)
    return X, np.array(["a", "b", "c"])[y]


def swap(y, rows, labels):
    changed = y.copy()
    changed[rows] = labels
    return changed


def test_scores_by_hand():
    # Probabilities that say nothing: the mean of a class's share and of an equal one.
    P, codes = np.full((12, 3), 1 / 3), np.repeat([0, 1, 2], [8, 3, 1])
    expected = (np.array([8, 3, 1]) / 12 + 1 / 3) / 2
    np.testing.assert_allclose(label_scores(P, codes), expected[codes], atol=1e-3)


def test_who_is_left_out_by_hand():
    # Of class 0 the mean is 0.68, which row 5 of class 1 reaches with 0.9; of class 1 it is 0.64,
    # which row 0 reaches with 0.8. A fifth of either class is one row.
    P0 = np.array([0.2, 0.8, 0.8, 0.8, 0.8, 0.9, 0.2, 0.2, 0.2, 0.3])
    P, codes = np.column_stack([P0, 1 - P0]), np.repeat([0, 1], 5)
    assert np.flatnonzero(least_likely(P, codes)).tolist() == [0, 5]
    # Nobody is confidently elsewhere.
    assert not least_likely(np.column_stack([1.0 - codes, codes]), codes).any()


def test_a_fifth_of_a_class_goes_at_most():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1], 100)
    codes = np.repeat([0, 1], [90, 10])
    gone = least_likely(P, codes)
    assert np.bincount(codes[gone], minlength=2).tolist()[1] == 2
    assert gone[codes == 0].sum() <= 18


@pytest.mark.parametrize("n_classes", [2, 3])
def test_wrong_labels_come_first_and_are_suspects(n_classes):
    X, right = blobs(n_classes)
    rows = [3, 50, 120]
    y = swap(right, rows, np.where(right[rows] == "a", "b", "a"))
    quality = label_quality(X, y, random_state=0)
    assert isinstance(quality, LabelQuality)
    assert set(quality.order[:3]) == set(rows)
    found = np.flatnonzero(quality.is_suspect)
    assert set(found) <= set(rows) and len(found) >= 2
    assert (quality.suggested[found] == right[found]).all()
    keeps = ~quality.is_suspect
    assert (quality.suggested[keeps] == y[keeps]).all()
    assert quality.n_wrong == {
        label: int((y[quality.is_suspect] == label).sum()) for label in np.unique(y)
    }
    assert min(quality.told_apart.values()) > 0.9
    assert quality.score.min() >= 0 and quality.score.max() <= 1


def test_overlap_is_not_error():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), np.repeat([0, 1], [570, 30])
    quality = label_quality(X, y, random_state=0)
    assert quality.is_suspect.mean() <= 0.02
    assert abs(quality.told_apart[1] - 0.5) < 0.15


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], ["no", "yes"], [False, True]])
def test_the_kind_of_labels_changes_nothing(labels):
    X, y = blobs()
    codes = (y == "b").astype(int)
    codes[[3, 50]] = 1 - codes[[3, 50]]
    first = label_quality(X, codes, random_state=0)
    other = label_quality(X, np.array(labels)[codes], random_state=0)
    np.testing.assert_array_equal(first.score, other.score)
    np.testing.assert_array_equal(first.is_suspect, other.is_suspect)
    assert list(other.n_wrong) == labels


def test_tables_of_any_kind():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    X, y = blobs()
    y[7] = "a" if y[7] == "b" else "b"
    frame = pd.DataFrame(X, columns=["u", "v"]).assign(t=np.where(X[:, 0] > 2, "x", None))
    frame.loc[5, "u"] = np.nan
    quality = label_quality(frame, pd.Series(y), random_state=0)
    assert quality.order[0] == 7
    table = quality.to_frame()
    assert table.columns.tolist() == ["label", "score", "is_suspect", "suggested"]
    assert len(table) == len(y) and table["is_suspect"][7]
    assert label_quality(csr_array(X), y, random_state=0).order[0] == 7
    assert label_quality(X.tolist(), y.tolist(), random_state=0).order[0] == 7


def test_a_classifier_weights_and_folds_of_ones_own():
    X, y = blobs()
    y[7] = "a" if y[7] == "b" else "b"
    plain = label_quality(X, y, classifier=LogisticRegression(), random_state=0)
    assert plain.order[0] == 7
    folds = KFold(3, shuffle=True, random_state=1)
    own = label_quality(X, y, classifier=LogisticRegression(), cv=folds)
    expected = np.empty((len(y), 2))
    for train, test in folds.split(X):
        model = LogisticRegression().fit(X[train], y[train] == "b")
        expected[test] = model.predict_proba(X[test])
    np.testing.assert_allclose(own.probabilities, expected, atol=1e-6)
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
    assert label_quality(X, y, random_state=0).told_apart[1] > 0.9
    assert label_quality(X, y, groups=groups, random_state=0).told_apart[1] < 0.75


def test_the_number_of_jobs_and_the_seed():
    X, y = blobs(3, 90)
    first = label_quality(X, y, random_state=0)
    np.testing.assert_array_equal(first.score, label_quality(X, y, random_state=0, n_jobs=2).score)
    assert not np.array_equal(first.score, label_quality(X, y, random_state=1).score)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 1}, "cv must be a whole number"),
        ({"cv": ShuffleSplit(3, random_state=0)}, "cv must hold out every row once, got row"),
        ({"classifier": LinearSVC()}, "must have predict_proba, got LinearSVC without"),
        ({"groups": np.zeros(60)}, "at least two groups, got one"),
        ({"groups": np.repeat([0, 1], 30)}, "all held out together"),
        ({"sample_weight": np.repeat([0.0, 1.0], 30)}, "must have a positive sample_weight"),
    ],
)
def test_bad_options(options, message):
    X, y = np.arange(60.0)[:, np.newaxis], np.repeat([0, 1], 30)
    with pytest.raises(ValueError, match=message):
        label_quality(X, y, **options)


def test_a_class_of_one_row_is_refused_and_one_of_two_is_not():
    X = np.arange(40.0)[:, np.newaxis]
    with pytest.raises(ValueError, match="at least two rows .* got one of class 'b'"):
        label_quality(X, ["a"] * 39 + ["b"])
    assert len(label_quality(X, ["a"] * 38 + ["b"] * 2, random_state=0).score) == 40


def test_equal_probabilities_have_equal_scores_whatever_their_order():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 20)[rng.integers(0, 20, 200)]
    codes = rng.integers(0, 3, 200)
    order = rng.permutation(200)
    np.testing.assert_allclose(
        label_scores(P, codes)[order], label_scores(P[order], codes[order]), atol=1e-6
    )
    first = calibrated(P, codes, is_balanced=True)
    assert np.allclose(first.sum(axis=1), 1)
    assert find_suspects([P], codes).shape == (200,)


def test_rows_of_a_large_table_are_shared_among_trees(monkeypatch):
    from icost import label_errors

    monkeypatch.setattr(label_errors, "TREE_ROWS", 50)
    X, y = blobs()
    y[7] = "a" if y[7] == "b" else "b"
    assert label_quality(X, y, random_state=0).is_suspect[7]


def test_a_round_that_would_lose_a_class_learns_from_all_rows():
    codes = np.repeat([0, 1], [30, 6])
    X = np.random.default_rng(0).normal(size=(36, 2))
    folds = [(np.arange(part, 36, 2), np.arange(1 - part, 36, 2)) for part in (0, 1)]
    rows = label_errors._Rows(X, codes, None, folds, 1)
    random = np.random.RandomState(0)
    P = rows.out_of_fold(LogisticRegression(), random, stays=codes == 0)
    np.testing.assert_allclose(P.sum(axis=1), 1)


@pytest.mark.parametrize("n_classes", [2, 6])
def test_labels_dealt_out_at_random_are_not_suspect(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(n_classes, size=300)
    assert label_quality(X, y, random_state=0).is_suspect.mean() <= 0.02
