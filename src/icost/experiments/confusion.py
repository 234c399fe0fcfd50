"""Matthews' coefficient alone, without what a thousand small folds would spend on the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost.metrics import confusion_scores
from icost.tuning.fold_scores import confusion_matrices


def correlation(matrices: ArrayLike) -> NDArray[np.float64]:
    """Return Matthews' coefficient of a stack of confusion matrices.

    Examples
    --------
    >>> from icost.experiments.confusion import correlation
    >>> correlation([[[5, 0], [0, 5]], [[5, 0], [5, 0]]])
    array([1., 0.])
    """
    return confusion_scores(matrices, names=["mcc"])["mcc"]


def fast_mcc(y_true: NDArray[np.intp], y_pred: NDArray[np.intp], pos_label: int = 1) -> float:
    """Return Matthews' coefficient of two classes coded 0 and 1, without checking anything.

    A threshold is tuned by hundreds of scores, most of whose time goes into checks otherwise. The
    coefficient is the same for either class: ``pos_label`` only tells scikit-learn whose score it
    is to cut.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.experiments.confusion import fast_mcc
    >>> fast_mcc(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    """
    return float(correlation(confusion_matrices(y_true, y_pred[np.newaxis], 2))[0])
