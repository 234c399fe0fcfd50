import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import matthews_corrcoef

from icost.thresholds import _cuts
from icost.thresholds._cuts import stable_threshold

TRUTH = np.array([False, False, True, False, True])
SCORE = np.array([0.1, 0.2, 0.3, 0.6, 0.8])


def widest_best_cut(truth, score, weight, metric):
    """The best cut of scores themselves."""
    return _cuts.widest_best_cut(*np.unique(score, return_inverse=True), truth, weight, metric)


def smoothed_cut(truth, score, weight, metric):
    """The best cut of smoothed scores."""
    return _cuts.SmoothedScores(truth, score, metric).best_cut(weight)


def best_cut(truth, score, metric="mcc"):
    return widest_best_cut(truth, score, np.ones(len(truth)), metric)


def test_by_hand():
    # MCC: a cut at 0.25 finds both with one alarm, 2/3; one at 0.7 finds one of two, 0.61.
    assert best_cut(TRUTH, SCORE) == pytest.approx(0.25)
    assert best_cut(TRUTH, SCORE, "precision") == pytest.approx(0.7)


def test_cuts_of_resamples_are_midway_between_levels():
    levels = np.array([0.1, 0.2, 0.4, 0.8])
    # Weights by class and level: of others and of the minority.
    tables = np.array([[[1.0, 1, 0, 0], [0, 0, 1, 1]], [[1.0, 1, 1, 0], [0, 0, 0, 1]]])
    places, truth = np.tile(np.arange(4), 2), np.repeat([False, True], 4)
    cuts = [_cuts.widest_best_cut(levels, places, truth, table.ravel(), "mcc") for table in tables]
    assert cuts == pytest.approx([0.3, 0.6])


def test_equal_scores_are_never_parted():
    assert best_cut(np.array([True, False]), np.array([0.5, 0.5])) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=3, max_size=30))
def test_no_other_threshold_is_better(rows):
    truth = np.array([row[0] for row in rows])
    score = np.array([float(row[1]) for row in rows])
    found = best_cut(truth, score)
    values = [matthews_corrcoef(truth, score >= cut) for cut in np.unique(score)[1:] - 0.5]
    if values:
        assert matthews_corrcoef(truth, score >= found) == pytest.approx(max(values))


def test_the_widest_of_equally_good_gaps():
    truth, score = np.array([False, False, True, True]), np.array([0.1, 0.2, 0.8, 0.9])
    assert widest_best_cut(truth, score, np.ones(4), "mcc") == pytest.approx(0.5)
    # Between 0.1 and 0.2 and between 0.3 and 0.9 recall of both classes is the same.
    assert widest_best_cut(
        np.array([False, True, False, True]), np.array([0.1, 0.2, 0.3, 0.9]), np.ones(4), "g_mean"
    ) == pytest.approx(0.6)


def test_weights_stand_for_repeated_rows():
    truth, score = np.array([False, True, False, True]), np.array([0.1, 0.2, 0.3, 0.9])
    weight = np.array([1.0, 5.0, 1.0, 1.0])
    rows = np.repeat(np.arange(4), weight.astype(int))
    repeated = widest_best_cut(truth[rows], score[rows], np.ones(8), "mcc")
    assert widest_best_cut(truth, score, weight, "mcc") == pytest.approx(repeated)


def test_smoothed_scores_are_cut_between_the_classes():
    rng = np.random.default_rng(0)
    truth = np.repeat([False, True], [200, 50])
    score = np.concatenate([rng.normal(0, 1, 200), rng.normal(6, 1, 50)])
    assert 2 < smoothed_cut(truth, score, np.ones(250), "mcc") < 4


def test_many_scores_are_binned_without_moving_the_cut():
    rng = np.random.default_rng(0)
    truth = np.repeat([False, True], [9000, 1000])
    score = np.concatenate([rng.normal(0, 1, 9000), rng.normal(3, 1, 1000)])
    binned = smoothed_cut(truth, score, np.ones(10_000), "mcc")
    few = np.r_[0:9000:4, 9000:10_000]
    assert binned == pytest.approx(smoothed_cut(truth[few], score[few], np.ones(3250), "f1"), abs=1)


def test_a_stable_threshold_is_the_mean_of_two_cuts():
    rng = np.random.default_rng(1)
    truth = np.repeat([False, True], [60, 12])
    score = np.concatenate([rng.normal(0, 1, 60), rng.normal(2, 1, 12)])
    found = stable_threshold(truth, score, random_state=0)
    draws = np.random.RandomState(0)
    groups = [np.flatnonzero(truth), np.flatnonzero(~truth)]
    cuts, rules = [], []
    for _ in range(100):
        rows = np.concatenate([draws.choice(group, len(group)) for group in groups])
        cuts.append(widest_best_cut(truth[rows], score[rows], np.ones(72), "mcc"))
        counts = np.bincount(rows, minlength=72).astype(float)
        rules.append((cuts[-1] + smoothed_cut(truth, score, counts, "mcc")) / 2)
    smooth = smoothed_cut(truth, score, np.ones(72), "mcc")
    assert found.value == pytest.approx((np.median(cuts[:25]) + smooth) / 2)
    # The interval is of the rule whose value is reported, not of the best cut alone.
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(rules, [2.5, 97.5])))


@pytest.mark.parametrize("metric", ["mcc", "f1", "g_mean"])
def test_a_stable_threshold_lies_in_its_interval(metric):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        # A few rows far up: the smoothed cut goes there, and no best cut does.
        n_minority = 4 + seed % 9
        truth = np.repeat([False, True], [80, n_minority])
        score = np.concatenate([rng.beta(1, 6, 80), rng.beta(2, 3, n_minority)])
        found = stable_threshold(truth, score, metric, random_state=0)
        assert found.low <= found.value <= found.high


def test_where_nothing_can_be_cut_nobody_is_called_minority():
    assert 0.4 < stable_threshold([0, 1], [0.4, 0.4]).value < 0.4 + 1e-9
    assert 0.4 < stable_threshold([1, 1], [0.2, 0.4]).value < 0.4 + 1e-9


def test_rows_of_a_group_are_no_witnesses_of_their_own():
    rng = np.random.default_rng(0)
    truth = np.repeat([False, True], [60, 12])
    score = np.concatenate([rng.normal(0, 1, 60), rng.normal(2, 1, 12)])
    # Every row fifty times: as fifty rows it seems certain, as one group it is not.
    groups = np.repeat(np.arange(72), 50)
    alone = stable_threshold(truth, score, random_state=0)
    many = truth.repeat(50), score.repeat(50)
    as_rows = stable_threshold(*many, random_state=0)
    as_groups = stable_threshold(*many, random_state=0, groups=groups)
    assert as_rows.high - as_rows.low < 0.8 * (alone.high - alone.low)
    assert as_groups.high - as_groups.low > 0.9 * (alone.high - alone.low)


@pytest.mark.parametrize("n_rows", [200, _cuts.MANY_ROWS + 1])
@pytest.mark.parametrize("is_grouped", [False, True])
def test_an_interval_that_is_not_wanted_changes_no_threshold(n_rows, is_grouped):
    rng = np.random.default_rng(0)
    truth, score = rng.random(n_rows) < 0.2, rng.normal(size=n_rows)
    options = {"random_state": 0, "groups": np.arange(n_rows) // 2 if is_grouped else None}
    quick = stable_threshold(truth, score, **options, interval=False)
    assert quick.value == stable_threshold(truth, score, **options).value
    assert np.isnan(quick.low) and np.isnan(quick.high)


def test_functions_of_labels_are_asked_about_cells_and_choose_the_same_cuts():
    rng = np.random.default_rng(0)
    truth = rng.random(150) < 0.2
    score, weight = rng.normal(size=150) + truth, rng.integers(1, 4, 150).astype(float)
    asked = []

    def metric(own_truth, decided, own_weight):
        asked.append(len(own_truth))
        return matthews_corrcoef(own_truth, decided, sample_weight=own_weight)

    found = widest_best_cut(truth, score, weight, metric)
    assert max(asked) <= 4
    ordered = np.sort(score)
    cuts = (ordered[:-1] + ordered[1:])[np.linspace(0, 148, 25).astype(int)] / 2
    values = [matthews_corrcoef(truth, score >= cut, sample_weight=weight) for cut in cuts]
    assert found == cuts[np.argmax(values)]
