"""Warnings that a table gives rise to, whatever is fitted to it: once for a table, not per fold."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

from icost._core.arrays import Bools, Floats, Ints

FEW_ROWS = 20
"""Rows of a class below which nothing is sure enough to warn of it, or to recalibrate by it."""

LEAK_AUC = 0.999
"""Area under the ROC curve of held-out rows beyond which a column may contain the answer."""

GUESSING_LEVEL = 0.05
"""Level of the test whether any of several strategies ranks minority rows above others."""

ONE_MODEL_LEVEL = 0.01
"""Level of the same test for one model, whose folds share training rows: on 500 tables of noise
with 150 rows, a level of 0.05 was undercut by 10 %, this one by 3 to 6 %."""

PAIRS_COUNT_TWICE = 2.0
"""Two rows of different folds meet twice, each once as a training row of the other. What one pair
adds by chance, it adds twice, so that the variance of the sum is twice that of separate folds."""


class DoubtfulTable(UserWarning):
    """The table has few rows of a class, gives its answer away, or does not contain it."""


def warn_if_few(codes: Ints, classes: NDArray[Any], stacklevel: int) -> bool:
    """Return whether all classes have rows enough to choose by, and warn if not."""
    counts = np.bincount(codes, minlength=len(classes))
    is_enough = bool(counts.min() >= FEW_ROWS)
    if not is_enough:
        text = f"Few rows of class {str(classes[counts.argmin()])!r}: {counts.min()}. "
        text += f"Below {FEW_ROWS}, threshold, probabilities and scores are uncertain."
        warnings.warn(text, DoubtfulTable, stacklevel=stacklevel + 1)
    return is_enough


def warn_of_leak(area: float, stacklevel: int) -> None:
    """Warn where held-out rows are ranked so well that a column may contain the answer."""
    if area > LEAK_AUC:
        text = f"The out-of-fold AUC is {area:.4f}. Few tables are that easy: check whether a "
        text += "column is known only after the answer, and leave it out."
        warnings.warn(text, DoubtfulTable, stacklevel=stacklevel + 1)


def warn_if_guessing(
    is_minority: Bools, score: Floats, groups: Ints | None, stacklevel: int
) -> None:
    """Warn where held-out rows of the minority are not ranked above others."""
    if guessing_p_value(*rank_sum(is_minority, score, groups)) > ONE_MODEL_LEVEL:
        text = "On held-out rows the model is no better than guessing: check the target and the "
        warnings.warn(f"{text}columns.", DoubtfulTable, stacklevel=stacklevel + 1)


def guessing_p_value(excess: float, variance: float) -> float:
    """Return the one-sided p-value of a statistic's excess over what guessing gives."""
    variance = PAIRS_COUNT_TWICE * variance
    return float(ndtr(-excess / np.sqrt(variance))) if variance > 0 else 1.0


def rank_sum(is_minority: Bools, score: Floats, groups: Ints | None = None) -> tuple[float, float]:
    """Return the excess of the minority's rank sum, and its variance if all rows are alike.

    With groups the variance counts groups instead of rows.
    """
    ranks = rankdata(score)
    centred = ranks - ranks.mean()
    n, share = len(ranks), float(is_minority.mean())
    excess = float(centred[is_minority].sum())
    if groups is None:
        return excess, float(share * (1 - share) * n / max(n - 1, 1) * (centred**2).sum())
    return excess, variance_of_groups((is_minority - share) * centred, groups)


def variance_of_groups(excess: Floats, groups: Ints) -> float:
    """Return the variance of a sum over rows of which only groups are independent."""
    return float((np.bincount(groups, weights=excess) ** 2).sum())


def right_decisions(
    truth: Ints, predicted: Ints, groups: Ints | None = None
) -> tuple[float, float]:
    """Return the excess of right decisions over labels shuffled within a fold, and its variance."""
    n, n_classes = len(truth), int(max(truth.max(), predicted.max())) + 1
    if groups is not None:
        centred = [np.eye(n_classes)[labels] for labels in (truth, predicted)]
        of_rows = np.prod([labels - labels.mean(axis=0) for labels in centred], axis=0).sum(axis=1)
        return float(of_rows.sum()), variance_of_groups(of_rows, groups)
    true, called = (np.bincount(labels, minlength=n_classes) for labels in (truth, predicted))
    products = (true * called).astype(np.float64)
    expected = products.sum() / n
    spread = (products * (n - true) * (n - called)).sum() + products.sum() ** 2
    variance = (spread - (products**2).sum()) / (n**2 * max(n - 1, 1))
    return float((truth == predicted).sum() - expected), float(variance)
