import numpy as np
import pytest
from sklearn.base import clone

from icost import GiniComplexity, NeighborComplexity, iCost
from icost.complexity import BaseComplexity, Complexity


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
    assert repr(Complexity([3], ["safe"], [0.2])) == "Complexity(1 minority samples; safe: 1)"


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


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        (Answer("Border"), "Answer must return categories among .* a cost of their own, got 'Bord"),
        (Answer("mixed", -3.0), "scores from 0 to 1 for mixed samples, got -3"),
        (Answer("mixed", np.nan), "scores from 0 to 1 for mixed samples, got nan"),
        (Answer(n_samples=1), r"a score for each of 3 .*got arrays of shape \(1,\) and \(1,\)"),
    ],
)
def test_a_measure_of_ones_own_must_answer_what_has_a_cost(measure, message):
    with pytest.raises(ValueError, match=message):
        measure.estimate(TABLE, [True, False] * 3)
    assert Answer("border", 7.0).estimate(TABLE, [True, False] * 3).counts() == {"border": 3}
