"""Matthews' coefficient alone, without what a thousand small folds would spend on the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from icost.metrics import confusion_scores
from icost.tuning.fold_scores import confusion_matrices


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
    matrices = confusion_matrices(y_true, y_pred[np.newaxis], 2)
    return float(confusion_scores(matrices, names=["mcc"])["mcc"][0])
