import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, fbeta_score, get_scorer, make_scorer

from icost.thresholds._label_metric import N_ASKED, LabelMetric, asked_places

CLASSES = np.array(["c", "a", "b"])


def rows(seed, n_classes=3):
    rng = np.random.default_rng(seed)
    truth, decided = rng.integers(0, n_classes, (2, 40))
    return truth, decided, rng.integers(1, 4, 40).astype(float)


def test_a_scorer_is_asked_about_labels_in_the_order_of_the_codes():
    truth, decided, weight = rows(0)
    metric = LabelMetric(get_scorer("balanced_accuracy"), CLASSES)
    expected = balanced_accuracy_score(CLASSES[truth], CLASSES[decided], sample_weight=weight)
    assert metric.takes_weight
    assert metric(truth, decided, weight) == pytest.approx(expected)


def test_the_positive_label_is_the_scorer_s():
    truth, decided, weight = rows(1, n_classes=2)
    classes = np.array(["well", "ill"])  # not in their order: the minority comes second
    scorer = make_scorer(fbeta_score, beta=2, pos_label="ill")
    expected = fbeta_score(truth, decided, beta=2, sample_weight=weight)
    assert LabelMetric(scorer, classes)(truth, decided, weight) == pytest.approx(expected)
    assert LabelMetric(scorer, classes)(truth == 1, decided == 1, weight) == pytest.approx(expected)


def heedless(truth, decided):
    return float(np.mean(truth == decided))


def deaf(estimator, X, y, sample_weight=None):
    return heedless(y, estimator.predict(X))


@pytest.mark.parametrize("scorer", [make_scorer(heedless), deaf])
def test_who_takes_no_weights_is_asked_about_repeated_rows(scorer):
    truth, decided, weight = rows(2)
    metric = LabelMetric(scorer, CLASSES)
    assert not metric.takes_weight
    expected = np.average(truth == decided, weights=weight)
    assert metric(truth, decided, weight) == pytest.approx(expected)
    with pytest.raises(ValueError, match="scorer that takes sample_weight where there are weights"):
        metric(truth, decided, weight / 3)


@pytest.mark.parametrize("name", ["roc_auc_ovr", "neg_log_loss", "average_precision"])
def test_who_needs_more_than_labels_is_refused(name):
    with pytest.raises(ValueError, match="scoring must go by predicted labels, got make_scorer"):
        LabelMetric(get_scorer(name), CLASSES)


@pytest.mark.parametrize(("n_cuts", "corners"), [(3, [1]), (400, [397]), (400, range(300, 400, 2))])
def test_corners_are_asked_about_first(n_cuts, corners):
    is_corner = np.isin(np.arange(n_cuts), list(corners))
    asked = asked_places(is_corner)
    assert len(asked) <= N_ASKED and {0, n_cuts - 1} <= set(asked.tolist())
    assert is_corner[asked].sum() == min(len(corners), N_ASKED - 5)
