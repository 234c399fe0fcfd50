"""What every measure passes, whatever it goes by."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.preprocessing import scale

from icost import (
    ClusterComplexity,
    DensityComplexity,
    GiniComplexity,
    GraphComplexity,
    MarginComplexity,
    NeighborComplexity,
    categorize_minority_class,
    complexity,
    iCost,
    instance_weights,
)
from icost.complexity._base import BaseComplexity
from icost.complexity._methods import MEASURES, measure_of
from icost.datasets import load_dataset

CATEGORIES = ("pure", "safe", "border", "outlier")

ALL = [getattr(complexity, name)() for name in dict.fromkeys(name for name, _ in MEASURES.values())]
NEW = ALL[2:]
INDUCTIVE = [measure for measure in ALL if not isinstance(measure, GraphComplexity)]
FEW_CENTRES = [m if not isinstance(m, ClusterComplexity) else ClusterComplexity(1) for m in ALL]


def name_of(measure):
    return type(measure).__name__


def table(kind, n=120, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.choice(n_classes, size=n, p=np.arange(n_classes, 0, -1) / sum(range(n_classes + 1)))
    X = rng.normal(size=(n, 3)) + codes[:, None]
    if kind == "coarse":
        X = np.round(X)
    return X, codes


def same(a, b):
    assert a.indices.tolist() == b.indices.tolist()
    assert a.category.tolist() == b.category.tolist()
    np.testing.assert_allclose(a.other_class_share, b.other_class_share, rtol=0, atol=1e-9)
    np.testing.assert_allclose(a.score, b.score, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", ["fine", "coarse"])
@pytest.mark.parametrize(
    "measure", [m for m in ALL if not isinstance(m, GiniComplexity)], ids=name_of
)
def test_the_order_of_the_rows_decides_nothing(measure, kind):
    X, codes = table(kind)
    first = measure.estimate(X, codes == 1)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(codes))
        again = measure.estimate(X[order], codes[order] == 1)
        back = np.argsort(order[again.indices])
        assert first.category.tolist() == again.category[back].tolist()
        np.testing.assert_allclose(
            first.other_class_share, again.other_class_share[back], rtol=0, atol=1e-9
        )


@pytest.mark.parametrize("measure", ALL, ids=name_of)
def test_equal_rows_of_a_class_are_judged_alike(measure):
    X, codes = table("coarse", 200)
    record = measure.estimate(X, codes == 1, random_state=0)
    rows = X[record.indices]
    _, point = np.unique(rows, axis=0, return_inverse=True)
    point = np.ravel(point)
    assert np.bincount(point).max() > 1
    for number in range(point.max() + 1):
        assert len(set(record.other_class_share[point == number])) == 1


@pytest.mark.parametrize("measure", ALL, ids=name_of)
def test_sparse_rows_are_judged_as_dense_ones(measure):
    X, codes = table("coarse")
    dense = measure.estimate(X, codes == 1, random_state=0)
    if isinstance(measure, MarginComplexity):
        # The default probe does not centre sparse columns; without an intercept's penalty, that
        # changes the solver's path only.
        sparse = measure.estimate(csr_matrix(X), codes == 1, random_state=0)
        np.testing.assert_allclose(dense.other_class_share, sparse.other_class_share, atol=1e-3)
    else:
        same(dense, measure.estimate(csr_matrix(X), codes == 1, random_state=0))


@pytest.mark.parametrize("measure", ALL, ids=name_of)
def test_rows_of_weight_0_are_absent(measure):
    X, codes = table("fine")
    weight = np.ones(len(codes))
    weight[::7] = 0
    kept = np.flatnonzero(weight)
    record = measure.estimate(X, codes == 1, sample_weight=weight, random_state=0)
    fewer = measure.estimate(X[kept], codes[kept] == 1, sample_weight=weight[kept], random_state=0)
    assert record.indices.tolist() == kept[fewer.indices].tolist()
    np.testing.assert_allclose(record.other_class_share, fewer.other_class_share, atol=1e-9)


@pytest.mark.parametrize("measure", ALL, ids=name_of)
@pytest.mark.parametrize("kind", ["fine", "coarse"])
def test_each_choice_of_the_minority_is_a_problem_of_its_own(measure, kind):
    X, codes = table(kind, n_classes=4)
    groups = [*np.eye(4, dtype=bool), ~np.eye(4, dtype=bool)[0], np.array([1, 1, 0, 0], bool)]
    records = measure.estimate_groups(X, codes, groups, random_state=0)
    for group, record in zip(groups, records, strict=True):
        same(record, measure.estimate(X, group[codes], random_state=0))


@pytest.mark.parametrize("measure", NEW, ids=name_of)
def test_the_other_class_share_is_the_score_and_leads_to_the_category(measure):
    X, codes = table("fine", 400)
    record = measure.estimate(X, codes == 1)
    np.testing.assert_array_equal(record.other_class_share, record.score)
    assert ((record.other_class_share >= 0) & (record.other_class_share <= 1)).all()
    strict = clone(measure).set_params(cuts=(1.0, 1.0, 1.0)).estimate(X, codes == 1)
    assert strict.counts() == {"pure": len(record.indices)}
    with pytest.raises(ValueError, match=r"^cuts must ascend"):
        clone(measure).set_params(cuts=(0.5, 0.2, 0.8)).estimate(X, codes == 1)


@pytest.mark.parametrize("measure", FEW_CENTRES, ids=name_of)
def test_rows_among_other_classes_have_larger_shares(measure):
    # Two groups far apart, and two minority rows in the midst of the majority.
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(80, 2)), rng.normal(size=(20, 2)) + 8, rng.normal(size=(2, 2))])
    codes = np.repeat([0, 1, 1], [80, 20, 2])
    other_class_share = measure.estimate(X, codes == 1, random_state=0).other_class_share
    assert other_class_share[20:].min() > 0.5 > other_class_share[:20].max()


@pytest.mark.parametrize("measure", ALL, ids=name_of)
def test_one_record_of_all_rows_against_all_other_classes(measure):
    X, codes = table("fine", 150, n_classes=3)
    record = measure.estimate_classes(X, codes, random_state=0)
    assert record.indices.tolist() == list(range(150))
    assert ((record.other_class_share >= 0) & (record.other_class_share <= 1)).all()
    if type(measure)._estimate_classes is BaseComplexity._estimate_classes:
        assert record.rival is None  # each class was judged against all others together
        return
    assert (record.rival != codes).all()
    assert set(record.rival.tolist()) <= {-1, 0, 1, 2}
    # A row that no other class is near has no rival, and only such a row.
    if isinstance(measure, NeighborComplexity | GiniComplexity | GraphComplexity):
        np.testing.assert_array_equal(record.rival == -1, record.other_class_share == 0)


@pytest.mark.parametrize(
    "measure", [NeighborComplexity(), DensityComplexity(), GraphComplexity()], ids=name_of
)
def test_of_all_classes_at_once_as_of_each_against_the_rest(measure):
    X, codes = table("coarse", 150, n_classes=3)
    record = measure.estimate_classes(X, codes)
    for code in range(3):
        one = measure.estimate(X, codes == code)
        assert record.category[codes == code].tolist() == one.category.tolist()
        np.testing.assert_allclose(
            record.other_class_share[codes == code], one.other_class_share, atol=1e-9
        )


@pytest.mark.parametrize("measure", INDUCTIVE, ids=name_of)
def test_new_rows_are_judged_by_the_training_rows_alone(measure):
    X, codes = table("fine", 160)
    new, new_codes = table("fine", 30, seed=5)
    groups = [np.array([False, True]), np.array([True, False])]
    records = measure.estimate_new(X, codes, new, new_codes, groups, random_state=0)
    for group, record in zip(groups, records, strict=True):
        assert record.indices.tolist() == np.flatnonzero(group[new_codes]).tolist()
        # Each by itself as all of them together.
        row = record.indices[:1]
        one = measure.estimate_new(X, codes, new[row], new_codes[row], [group], random_state=0)[0]
        np.testing.assert_allclose(one.other_class_share, record.other_class_share[:1], atol=1e-9)
    nothing = measure.estimate_new(X, codes, new[:0], new_codes[:0], groups, random_state=0)
    assert [len(record.indices) for record in nothing] == [0, 0]


def test_a_graph_says_that_it_cannot_judge_new_rows():
    X, codes = table("fine")
    with pytest.raises(ValueError, match=r"GraphComplexity, which is transductive"):
        GraphComplexity().estimate_new(X, codes, X, codes, [np.array([False, True])])


@pytest.mark.parametrize("method", MEASURES)
def test_a_name_stands_for_a_measure(method):
    X, codes = table("fine")
    model = iCost(method=method, n_neighbors=3, random_state=0).fit(X, codes)
    own = measure_of(model).estimate(X, codes == 1, random_state=0)
    assert model.complexity_.category.tolist() == own.category.tolist()
    weights = instance_weights(X, codes, method, n_neighbors=3, random_state=0)
    np.testing.assert_array_equal(weights, model.sample_weight_)


def test_a_measure_without_other_class_shares_of_classes_is_merged():
    class Halves(GiniComplexity.__mro__[1]):
        def _estimate(self, X, is_minority, **options):
            n = int(is_minority.sum())
            return np.full(n, "safe"), np.linspace(0, 1, n)

    X, codes = table("fine", n_classes=3)
    record = Halves().estimate_classes(X, codes)
    assert record.other_class_share is None
    assert record.rival is None
    for code in range(3):
        np.testing.assert_array_equal(
            record.score[codes == code], np.linspace(0, 1, (codes == code).sum())
        )


@pytest.mark.parametrize(
    ("other_class_share", "match"),
    [([0.5], "an other-class share for each of 2"), ([0.5, 1.5], "from 0 to 1, got 1.5")],
)
def test_a_wrong_other_class_share_is_told(other_class_share, match):
    class Wrong(GiniComplexity.__mro__[1]):
        def _estimate(self, X, is_minority, **options):
            return ["safe", "safe"], [0.1, 0.2], other_class_share

    with pytest.raises(ValueError, match=match):
        Wrong().estimate(np.zeros((3, 1)), [1, 1, 0])


@pytest.mark.parametrize(
    ("measure", "counts"),
    [
        (NeighborComplexity(), [4, 13, 13, 5]),
        (MarginComplexity(), [0, 30, 3, 2]),
        (DensityComplexity(), [0, 30, 5, 0]),
        (GraphComplexity(), [0, 21, 5, 9]),
        (ClusterComplexity(), [1, 32, 2, 0]),
    ],
    ids=name_of,
)
def test_defaults_judge_as_they_always_did(measure, counts):
    X, y = load_dataset("ecoli3", return_X_y=True)
    is_minority = (y == y.value_counts().idxmin()).to_numpy()
    category = measure.estimate(scale(X.to_numpy()), is_minority).category
    assert [int((category == name).sum()) for name in CATEGORIES] == counts


@pytest.mark.parametrize("measure", ALL, ids=name_of)
def test_columns_of_one_name_are_refused_in_one_sentence(measure):
    X, codes = table("fine")
    frame = pd.DataFrame(X, columns=["a", "a", "b"])
    sentence = r"^Column names must be unique, got 'a' more than once\.$"
    with pytest.raises(ValueError, match=sentence):
        measure.estimate(frame, codes == 1)
    with pytest.raises(ValueError, match=sentence):
        categorize_minority_class(frame, codes)
