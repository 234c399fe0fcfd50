"""The quick SVM scores as scikit-learn's does."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_classification
from sklearn.svm import SVC

from icost._pass.quick_svm import BLOCK, QuickSVC


@pytest.mark.parametrize("options", [{}, {"gamma": "auto"}, {"gamma": 0.3}, {"kernel": "poly"}])
def test_its_scores_are_those_of_scikit_learn(options):
    X, y = make_classification(2 * BLOCK + 7, 6, weights=[0.8], random_state=0)
    weight = np.random.default_rng(0).random(len(y))
    for fit_params in ({}, {"sample_weight": weight}):
        expected = SVC(**options).fit(X, y, **fit_params).decision_function(X)
        scores = QuickSVC(**options).fit(X, y, **fit_params).decision_function(X)
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


def test_constant_columns_several_classes_and_sparse_rows_are_scored_as_there():
    y = np.repeat([0, 1, 2], 20)
    X = np.random.default_rng(0).normal(size=(60, 3)) + y[:, None]
    for rows, labels in ((X, y), (csr_array(X), y > 0), (np.ones((60, 2)), y > 0)):
        expected = SVC().fit(rows, labels).decision_function(rows)
        scores = QuickSVC().fit(rows, labels).decision_function(rows)
        np.testing.assert_allclose(scores, expected, atol=1e-12)
