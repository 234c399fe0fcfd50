from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.base import clone

from icost import GiniComplexity, NeighborComplexity, complexity, iCost
from icost.complexity import BaseComplexity, Complexity
from icost.complexity import _methods as methods


def test_counts_go_from_the_easiest_category_on():
    record = Complexity(range(5), ["outlier", "zebra", "pure", "ant", "pure"], np.zeros(5))
    assert list(record.counts().items()) == [("pure", 2), ("outlier", 1), ("ant", 1), ("zebra", 1)]


def test_frame_has_a_row_per_minority_sample():
    pytest.importorskip("pandas", reason="the extra `data` is not installed")
    frame = Complexity([3, 7], ["safe", "border"], [0.2, 0.6], penalty=[7.5, 12.5]).to_frame()
    assert frame.index.tolist() == [3, 7]
    assert frame.columns.tolist() == ["category", "score", "penalty"]
    assert frame.loc[7].tolist() == ["border", 0.6, 12.5]


def test_repr_tells_the_counts():
    assert repr(Complexity([3], ["safe"], [0.2])) == (
        "Complexity(1 minority rows; safe: 1; columns as passed)"
    )
    judged = Complexity([0, 1], ["safe", "pure"], [0.2, 0.0], rival=["b", None])
    assert repr(judged) == "Complexity(2 rows of all classes; pure: 1, safe: 1; columns as passed)"


class Remoteness(BaseComplexity):
    """A measure of a stranger's: far from the centre of the minority is hard."""

    def __init__(self, factor=1.0):
        self.factor = factor

    def _estimate(self, X, is_minority, **_):
        centre = X[is_minority].mean(axis=0)
        distance = np.linalg.norm(X[is_minority] - centre, axis=1)
        is_far = distance > self.factor * np.median(distance)
        return np.where(is_far, "remote", "safe"), distance / distance.max()

    def _own_costs(self):
        return {"remote": 2.0}


def test_a_measure_of_ones_own_is_one_small_class():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [20.0], [21.0], [22.0], [23.0]])
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0])
    weights = iCost(method=Remoteness()).compute_sample_weight(X, y)
    # The centre is 3, distances 3 2 1 6, median 2.5; IR is 1, so safe is 0.75 and remote 2.
    assert weights.tolist() == [2.0, 0.75, 0.75, 2.0, 1, 1, 1, 1]


def test_its_parameters_can_be_searched():
    model = iCost(method=Remoteness()).set_params(method__factor=3.0)
    assert clone(model).method.factor == 3.0


def test_a_measure_must_be_implemented():
    with pytest.raises(TypeError, match="abstract"):
        BaseComplexity()


class RemotenessAnywhere(Remoteness):
    """The same, for rows of other tables too: by the centre and the spread of the training rows."""

    def _estimate(self, X, is_minority, **_):
        return self._judge(X[is_minority], X[is_minority])

    def _estimate_new(self, X, codes, X_new, codes_new, minorities, **options):
        self.options = options
        return [self._judge(X[m[codes]], X_new[m[codes_new]]) for m in minorities]

    def _judge(self, minority, rows):
        centre = minority.mean(axis=0)
        usual = np.median(np.linalg.norm(minority - centre, axis=1))
        distance = np.linalg.norm(rows - centre, axis=1)
        return np.where(distance > self.factor * usual, "remote", "safe"), distance / 100


# The centre of class 1 is 3 and its usual distance 2.5; of class 0 they are 21.5 and 1.
KNOWN = np.array([[0.0], [1.0], [2.0], [9.0], [20.0], [21.0], [22.0], [23.0]])
CODES = np.array([1, 1, 1, 1, 0, 0, 0, 0])
NEW, CODES_NEW = np.array([[22.0], [4.0], [9.0], [30.0]]), np.array([0, 1, 1, 0])
EITHER = [np.array([False, True]), np.array([True, False])]


def test_new_rows_are_judged_by_the_training_rows():
    second, first = RemotenessAnywhere().estimate_new(KNOWN, CODES, NEW, CODES_NEW, EITHER)
    assert second.indices.tolist() == [1, 2]
    assert second.category.tolist() == ["safe", "remote"]
    np.testing.assert_allclose(second.score, [0.01, 0.06])
    assert second.own_costs == {"remote": 2.0}
    assert first.indices.tolist() == [0, 3]
    assert first.category.tolist() == ["safe", "remote"]


def test_training_rows_in_their_place_are_judged_alike():
    measure = RemotenessAnywhere()
    (record,) = measure.estimate_new(KNOWN, CODES, KNOWN, CODES, EITHER[:1])
    expected = measure.estimate(KNOWN, CODES)
    assert record.indices.tolist() == expected.indices.tolist()
    assert record.category.tolist() == expected.category.tolist()


def test_new_rows_need_not_hold_any_of_the_minority():
    (record,) = RemotenessAnywhere().estimate_new(KNOWN, CODES, NEW[:1], CODES_NEW[:1], EITHER[:1])
    assert len(record.indices) == 0 and record.counts() == {}


def test_a_measure_is_told_weights_and_seed_and_never_sees_rows_of_weight_0():
    measure, weight = RemotenessAnywhere(), np.array([1.0, 2.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    options = {"sample_weight": weight, "n_jobs": 2, "random_state": 7}
    (record,) = measure.estimate_new(KNOWN, CODES, NEW, CODES_NEW, EITHER[:1], **options)
    # Without the row at 9, the centre is 1 and the usual distance 1.
    assert record.category.tolist() == ["remote", "remote"]
    assert measure.options["sample_weight"].tolist() == [1, 2, 1, 1, 1, 1, 1]
    assert (measure.options["n_jobs"], measure.options["random_state"]) == (2, 7)


def test_without_a_way_to_judge_new_rows_one_sentence_says_so():
    message = "^method must .* can judge new rows, .* evaluation set, got Remoteness.$"
    with pytest.raises(ValueError, match=message):
        Remoteness().estimate_new(KNOWN, CODES, NEW, CODES_NEW, EITHER)


MEASURES = [NeighborComplexity(1), GiniComplexity(min_samples_leaf=1), Remoteness()]
TABLE = np.array([[0.0], [1.0], [2.1], [3.3], [4.6], [6.0]])
MASK = np.array([True, True, True, False, False, False])


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: type(measure).__name__)
def test_tables_and_masks_of_any_kind_give_the_same(measure):
    expected = measure.estimate(TABLE, MASK, random_state=0)
    pandas = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    for kind in (np.ndarray.tolist, np.float32, pandas.DataFrame):
        record = measure.estimate(kind(TABLE), MASK, random_state=0)
        assert record.category.tolist() == expected.category.tolist()
    for mask in (MASK.tolist(), MASK.astype(int), MASK.astype(float), MASK.astype(object)):
        assert measure.estimate(TABLE, mask, random_state=0).counts() == expected.counts()


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: type(measure).__name__)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.where(TABLE == 6.0, np.nan, TABLE)}, "contains NaN"),
        ({"X": [["a"]] * 6}, "could not convert string to float"),
        ({"X": TABLE[:, 0]}, "Expected 2D array"),
        ({"X": TABLE[:5]}, "inconsistent numbers of samples"),
        ({"is_minority": np.where(MASK, 1, -1)}, "is_minority must be .*got -1"),
        ({"is_minority": ["1", "0"] * 3}, "is_minority must be .*got '1'"),
        ({"is_minority": [None, True] * 3}, "is_minority must be .*got None"),
        ({"sample_weight": [1.0, -1.0] * 3}, "not negative, got -1"),
    ],
)
def test_what_cannot_be_estimated_is_said(measure, change, message):
    with pytest.raises(ValueError, match=message):
        measure.estimate(**({"X": TABLE, "is_minority": MASK} | change))


class Answer(BaseComplexity):
    def __init__(self, category="safe", score=0.5, n_samples=None):
        self.category = category
        self.score = score
        self.n_samples = n_samples

    def _estimate(self, X, is_minority, **_):
        n_samples = is_minority.sum() if self.n_samples is None else self.n_samples
        return np.full(n_samples, self.category), np.full(n_samples, self.score)

    def _estimate_new(self, X, codes, X_new, codes_new, minorities, **options):
        return [self._estimate(X_new, minority[codes_new]) for minority in minorities]


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (Answer("Border"), "Answer must return categories among .* a cost of their own, got 'Bord"),
        (Answer("mixed", -3.0), "scores from 0 to 1 for mixed rows, got -3"),
        (Answer("mixed", np.nan), "scores from 0 to 1 for mixed rows, got nan"),
        (Answer(n_samples=1), r"a score for each of 3 .*got arrays of shape \(1,\) and \(1,\)"),
    ],
)
def test_a_measure_of_ones_own_must_answer_what_has_a_cost(measure, message):
    with pytest.raises(ValueError, match=message):
        measure.estimate(TABLE, [True, False] * 3)
    with pytest.raises(ValueError, match=message):
        measure.estimate_new(KNOWN, CODES, TABLE, np.array([1, 0] * 3), EITHER[:1])
    assert Answer("border", 7.0).estimate(TABLE, [True, False] * 3).counts() == {"border": 3}


def test_a_negative_cost_of_its_own_is_refused():
    class Odd(BaseComplexity):
        def _estimate(self, X, is_minority, **_):
            return np.full(is_minority.sum(), "odd"), np.zeros(is_minority.sum())

        def _own_costs(self):
            return {"odd": -2.0}

    with pytest.raises(ValueError, match="the cost of category 'odd' must be a finite number >= 0"):
        Odd().estimate(np.zeros((3, 1)), [True, False, False])


@pytest.mark.parametrize("name", sorted({name for name, _ in methods.MEASURES.values()}))
@pytest.mark.parametrize("value", [False, True])
def test_one_class_alone_is_refused_by_every_measure(name, value):
    X = np.random.default_rng(0).normal(size=(40, 2))
    measure, match = getattr(complexity, name)(), f"True for some .*got {value} for all"
    with pytest.raises(ValueError, match=f"{match} 40"):
        measure.estimate(X, np.full(40, value))
    mask = np.arange(40) < 15
    with pytest.raises(ValueError, match=match):
        measure.estimate(X, mask, sample_weight=mask == value)


def test_a_record_cannot_be_changed():
    record = NeighborComplexity(1).estimate(np.arange(6.0).reshape(-1, 1), np.arange(6) < 2)
    with pytest.raises(FrozenInstanceError):
        record.score = np.zeros(2)
