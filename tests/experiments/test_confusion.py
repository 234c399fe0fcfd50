import numpy as np

from icost.experiments.confusion import fast_mcc


def test_one_predicted_class_has_no_correlation():
    assert fast_mcc(np.array([0, 0, 1]), np.array([0, 0, 0])) == 0.0
