import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from icost.tuning import shared_kernel
from icost.tuning.shared_kernel import SharedKernel, share_kernel

X, y = make_classification(400, n_features=7, weights=[0.8], flip_y=0.1, random_state=0)
weight = np.where(y == 1, np.random.default_rng(0).uniform(0.5, 5.0, 400), 1.0)


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.3])
@pytest.mark.parametrize("table", [X, np.asfortranarray(X), X.astype(np.float32)])
def test_fits_are_those_of_the_plain_kernel_to_the_last_bit(gamma, table):
    plain = SVC(gamma=gamma).fit(table[:300], y[:300], sample_weight=weight[:300])
    shared = share_kernel(SVC(gamma=gamma), table[:300], table[300:])
    shared.fit(table[:300], y[:300], sample_weight=weight[:300])
    np.testing.assert_array_equal(shared.dual_coef_, plain.dual_coef_)
    np.testing.assert_allclose(
        shared.decision_function(table[300:]), plain.decision_function(table[300:]), atol=1e-10
    )


def test_the_matrix_is_computed_once_and_never_copied(monkeypatch):
    calls = []
    real = shared_kernel.rbf_kernel
    monkeypatch.setattr(
        shared_kernel, "rbf_kernel", lambda *a, **k: calls.append(1) or real(*a, **k)
    )
    base = share_kernel(SVC(), X[:300], X[300:])
    for c in (0.1, 1.0, 10.0):
        clone(base).set_params(C=c).fit(X[:300], y[:300]).predict(X[300:])
    assert len(calls) == 2  # one for the training rows, one for the test rows
    assert clone(base).kernel is base.kernel


def test_other_rows_get_a_kernel_of_their_own():
    kernel = SharedKernel(X[:300], X[300:], gamma=0.1)
    np.testing.assert_allclose(kernel(X[:5], X[:3]), kernel.kept[0][1][:5, :3])


@pytest.mark.parametrize(
    ("base", "table"),
    [
        (LogisticRegression(), X),
        (SVC(kernel="linear"), X),
        (SVC(gamma="nonsense"), X),
        (SVC(), csr_array(X)),
    ],
)
def test_anything_else_is_left_alone(base, table):
    assert share_kernel(base, table, table) is base


def test_a_matrix_that_is_too_large_is_not_kept(monkeypatch):
    monkeypatch.setattr(shared_kernel, "MAX_KERNEL_BYTES", 8 * 400 * 400)
    base = SVC()
    assert share_kernel(base, X, X) is base
