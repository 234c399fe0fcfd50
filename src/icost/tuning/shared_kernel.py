"""One kernel matrix for many fits of a support vector machine on the same rows."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC
from sklearn.utils import check_array

MAX_KERNEL_BYTES = 512 * 2**20
"""Largest matrix that is kept; above it every fit computes its own kernel values."""


class SharedKernel:
    """The RBF kernel, with its values on the training and test rows kept.

    Parameters
    ----------
    train, test : ndarray of shape (n_samples, n_features)
        Rows whose kernel matrices are kept.
    gamma : float
        Width of the kernel.

    Notes
    -----
    Fits are those of ``kernel="rbf"``: libsvm keeps kernel values in single precision, so that the
    last bits of double precision, in which two ways to compute them differ, are rounded off; the
    diagonal, which it uses in double precision, is exactly 1 here as it is there. Measured, dual
    coefficients are the same to the last bit.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from icost.tuning.shared_kernel import SharedKernel
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    >>> shared = SVC(kernel=SharedKernel(X, X, gamma=1.0)).fit(X, y)
    >>> np.array_equal(shared.dual_coef_, SVC(gamma=1.0).fit(X, y).dual_coef_)
    True
    """

    def __init__(self, train: NDArray[np.float64], test: NDArray[np.float64], gamma: float) -> None:
        self.train, self.gamma = train, gamma
        # With one argument the diagonal is set to 1 exactly; with two it is only close to it.
        self.kept = [(train, rbf_kernel(train, gamma=gamma))]
        self.kept.append((test, rbf_kernel(test, train, gamma=gamma)))

    def __sklearn_clone__(self) -> SharedKernel:
        """Return the kernel itself: every fit clones its classifier, none needs its own matrix."""
        return self

    def __call__(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the kernel between all rows of X and of Y."""
        if np.array_equal(Y, self.train):
            for rows, matrix in self.kept:
                # Comparing costs n * d, computing n * n * d.
                if np.array_equal(X, rows):
                    return matrix
        return rbf_kernel(X, Y, gamma=self.gamma)


def share_kernel(base: Any, train: Any, test: Any) -> Any:
    """Return a classifier that fits as the given one does, with a kernel matrix that is shared.

    Parameters
    ----------
    base : classifier
        Anything; only an `sklearn.svm.SVC` with the RBF kernel on dense data is replaced.
    train, test : array-like of shape (n_samples, n_features)
        The rows that it will be fitted on, and those that it will predict.

    Returns
    -------
    classifier
        ``base`` itself where there is nothing to share or the matrix would be too large.

    Notes
    -----
    Fits are the same for positive weights only: where a weight is 0, `sklearn.svm.SVC` gives other
    results for a kernel that is a function than for its own.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.svm import SVC
    >>> from icost.tuning.shared_kernel import share_kernel
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> type(share_kernel(SVC(), X, X).kernel).__name__
    'SharedKernel'
    >>> share_kernel(LogisticRegression(), X, X)
    LogisticRegression()
    """
    if type(base) is not SVC or base.kernel != "rbf" or issparse(train):
        return base
    if base.gamma not in ("scale", "auto") and not isinstance(base.gamma, Real):
        return base  # which will say what is wrong with it
    n_train, n_test = np.shape(train)[0], np.shape(test)[0]
    if 8 * n_train * (n_train + n_test) > MAX_KERNEL_BYTES:
        return base
    # SVC itself sees double precision in C order; in any other form rows would not be recognised.
    train, test = (check_array(rows, dtype=np.float64, order="C") for rows in (train, test))
    return clone(base).set_params(kernel=SharedKernel(train, test, _gamma(base.gamma, train)))


def _gamma(gamma: str | float, train: NDArray[np.float64]) -> float:
    """What SVC makes of its parameter on these rows."""
    if gamma == "auto":
        return 1.0 / train.shape[1]
    if gamma == "scale":
        variance = train.var()
        return float(1.0 / (train.shape[1] * variance)) if variance != 0 else 1.0
    return float(gamma)
