"""`label_quality`, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_auc_score
from sklearn.utils import check_consistent_length, check_random_state

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import check_class_weight, class_totals, encode_groups, encode_labels
from icost._core.validation import as_table, check_sample_weight, import_extra
from icost._core.views import View, Viewed
from icost._weights.base_fit import check_base
from icost.label_errors._odds import error_odds, expected_errors, find_suspects, stack_probabilities
from icost.label_errors._out_of_fold import LabelledTable, make_folds

if TYPE_CHECKING:
    import pandas as pd

LEAST_ROWS = 10
"""Rows of a class below which neither its separability nor its errors are estimated."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelQuality(Viewed):
    """How well each label fits: the result of `label_quality`.

    Parameters
    ----------
    label : ndarray of shape (n_samples,)
        The labels as given.
    score : ndarray of shape (n_samples,)
        1 / (1 + odds), where the odds are those that the label is wrong. A low score is suspect,
        whatever the class. Check rows in the order of `order`, the lowest score first.
    is_suspect : ndarray of bool, shape (n_samples,)
        Whether the label surprises the models enough to be checked. A suspect need not be wrong.
    suggested : ndarray of shape (n_samples,)
        The likeliest other label of a suspect; the given label of every other row.
    n_suspects : dict
        Number of suspects with each label. This is no estimate of the number of wrong labels.
    separability : dict
        Area under the ROC curve of each class against the rest, from the mean out-of-fold
        probabilities. At 0.5 the classes overlap fully. None for a class with fewer than 10 rows.
    expected_errors : ndarray of shape (n_classes, n_classes)
        Entry [j, y] is a rough count of the rows of class j that bear label y, in the order of
        ``classes``: overlap of the classes adds to it. NaN where j or y has fewer than 10 rows.
    classes : ndarray
        The classes.
    probabilities : ndarray of shape (n_samples, n_classes)
        Stacked out-of-fold probabilities of the classes.

    See Also
    --------
    label_quality : Returns one.

    Examples
    --------
    >>> import numpy as np
    >>> from icost import LabelQuality, label_quality
    >>> X = np.repeat([[0.0], [1.0]], 30, axis=0) + np.linspace(0, 0.1, 60)[:, np.newaxis]
    >>> y = np.repeat(["no", "yes"], 30)
    >>> y[40] = "no"
    >>> quality = label_quality(X, y, random_state=0)
    >>> isinstance(quality, LabelQuality), int(quality.order[0]), quality.n_suspects
    (True, 40, {'no': 1, 'yes': 0})
    >>> quality
    LabelQuality(60 rows; suspects by label: no: 1, yes: 0)
    """

    label: NDArray[Any]
    score: Floats
    is_suspect: Bools
    suggested: NDArray[Any]
    n_suspects: dict[Any, int]
    separability: dict[Any, float | None]
    expected_errors: Floats
    classes: NDArray[Any]
    probabilities: Floats

    def _view(self) -> View:
        suspects = ", ".join(f"{label}: {number}" for label, number in self.n_suspects.items())
        few = self.classes[np.isnan(self.expected_errors).all(axis=1)]
        note = "; errors not estimated, fewer than 10 rows: " + ", ".join(map(str, few))
        title = f"LabelQuality({len(self.label)} rows; suspects by label: {suspects}"
        title += f"{note * bool(len(few))})"
        rows = [
            (row, self.label[row], self.suggested[row], f"{self.odds[row]:.2g}")
            for row in self.order
            if self.is_suspect[row]
        ]
        return View(title, (), ("Row", "Label", "Suggested", "Odds"), rows)

    def __repr__(self) -> str:
        return self._view().title

    @property
    def order(self) -> Ints:
        """Rows by their score, the most surprising label first."""
        return np.argsort(self.score, kind="stable")

    @property
    def odds(self) -> Floats:
        """Odds that the label is wrong, for ranking rows: 2 means two to one."""
        return 1 / self.score - 1

    def to_frame(self) -> pd.DataFrame:
        """Return the findings as a data frame, one line per row of the table.

        Returns
        -------
        pandas.DataFrame
            With the columns ``label``, ``score``, ``odds``, ``is_suspect`` and ``suggested``, in
            the order of the table. Needs pandas.
        """
        pd = import_extra("pandas", "data", "A frame of label quality")
        columns = ("label", "score", "odds", "is_suspect", "suggested")
        return pd.DataFrame({name: getattr(self, name) for name in columns})


def label_quality(
    X: Any,
    y: ArrayLike,
    *,
    classifier: Any = None,
    cv: Any = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> LabelQuality:
    """Judge the label of every row by models that have not seen the row.

    A wrong label harms twice: in training, and in the test that should show the harm. Few wrong
    labels can be found by eye in a large table. This function ranks the rows to be checked.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Features of any kind; the default models accept text and missing cells as well.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each with at least two rows.
    classifier : classifier or list of classifiers, default=None
        Models with ``predict_proba``. Probabilities of one model are calibrated; those of several
        are stacked by a logistic regression. By default a forest, a linear model, a kernel model
        and gradient boosting are stacked, on standardised and one-hot encoded columns (for sparse
        tables, without boosting).
    cv : int or splitter, default=None
        Number of stratified folds, or an object whose ``split`` holds out every row once. By
        default 5, or 2 for more than 40,000 rows without groups.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for the models, the stack and the expected errors, relative to their mean. Suspects
        are counted by row.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group, such as those of one patient, are held out together.
    n_jobs : int, default=None
        Folds to run at the same time.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and models.

    Returns
    -------
    LabelQuality
        Scores, suspects and suggested labels.

    See Also
    --------
    icost.report.analyze : Shows suspects with their neighbours.
    icost.NeighborComplexity : How hard minority rows are, which is another question.

    Notes
    -----
    The odds that a label y is wrong are the sum over other classes j of E[j, y] / n_j · p_j / p_y.
    E[j, y], the expected number of rows of class j that bear label y, is estimated from the table:
    rows labelled y among those that look most like class j. So the score follows the direction of
    the errors, which a fixed correction for the size of the classes cannot. Where class j or y has
    fewer than 10 rows, nothing is estimated: one such row is assumed (0.3 of the smaller class, if
    that is less).

    A surprising label need not be wrong. Where classes overlap, some rows have an unlikely label
    that is right, and from the features alone nobody can count the wrong ones among them. Errors
    that follow a rule, such as a clinic that always swaps two labels, look regular to a model and
    are not found.

    Models are fitted on at most 20,000 rows of a training fold, a stratified sample; all rows are
    judged. Two folds of more than 40,000 rows leave as many to learn from as five do.

    Examples
    --------
    Ten of the 163 minority rows of yeast3 are hidden among the others:

    >>> import numpy as np
    >>> from icost import label_quality
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("yeast3", return_X_y=True)
    >>> wrong = np.flatnonzero(y == "positive")[::17]
    >>> y.iloc[wrong] = "negative"
    >>> quality = label_quality(X, y, random_state=0)
    >>> int(np.isin(quality.order[:20], wrong).sum())
    6
    >>> quality.to_frame().columns.tolist()
    ['label', 'score', 'odds', 'is_suspect', 'suggested']
    """
    X = as_table(X)
    check_consistent_length(X, y, groups)
    classes, codes = encode_labels(y)
    weight = check_sample_weight(sample_weight, len(codes))
    check_class_weight(classes, codes, weight)
    # Penalised models would take weights of 1 / n for hardly any rows.
    weight = None if weight is None else weight / weight.mean()
    rare = np.flatnonzero(class_totals(codes) < 2)
    if len(rare):
        raise ValueError(
            f"every class must have at least two rows to be judged by others, got one of class "
            f"{classes.tolist()[rare[0]]!r}."
        )
    random = check_random_state(random_state)
    table = LabelledTable(
        X, codes, weight, make_folds(codes, cv, encode_groups(groups, len(codes)), random), n_jobs
    )
    try:
        models = table.probabilities(_as_list(classifier), random)
    except (TypeError, ValueError) as error:
        if "base_classifier" not in str(error):
            raise
        raise type(error)(str(error).replace("base_classifier", "classifier")) from error
    return _judge(models, codes, weight, classes)


def _as_list(classifier: Any) -> Sequence[Any] | None:
    """Return one classifier or several as a list; None stands for the default models."""
    if classifier is None:
        return None
    classifiers = classifier if isinstance(classifier, list | tuple) else [classifier]
    if not classifiers:
        raise ValueError("classifier must be a classifier or a list of some, got an empty list.")
    for each in classifiers:
        check_base(each, "classifier")
    return classifiers


def _judge(
    models: list[Floats], codes: Ints, weight: Floats | None, classes: NDArray[Any]
) -> LabelQuality:
    """Turn out-of-fold probabilities of the models into the result."""
    P, mean = stack_probabilities(models, codes, weight), np.mean(models, axis=0)
    errors, totals = expected_errors(P, codes, weight), class_totals(codes, weight)
    is_few = class_totals(codes) < LEAST_ROWS
    has_few = is_few[:, np.newaxis] | is_few
    # Errors among few rows cannot be counted. One is assumed, the least of any estimate that is not
    # cut to its share of the smaller class.
    rates = np.where(has_few, errors.clip(max=1), errors) / totals[:, np.newaxis]
    by_class = error_odds(P, codes, rates * totals.sum() / len(codes))
    odds = by_class.sum(axis=1)
    # The stack has seen the labels that it ranks; the mean of the models has not. With many classes
    # of few rows, suspects of the stack would include labels that are pure chance.
    is_suspect = find_suspects(mean, codes, odds, weight)
    suggested = np.where(is_suspect, by_class.argmax(axis=1), codes)
    counts = np.bincount(codes[is_suspect], minlength=len(classes)).tolist()
    names = classes.tolist()
    return LabelQuality(
        label=classes[codes],
        score=1 / (1 + odds),
        is_suspect=is_suspect,
        suggested=classes[suggested],
        n_suspects=dict(zip(names, counts, strict=True)),
        separability=dict(zip(names, _areas(mean, codes), strict=True)),
        expected_errors=np.where(has_few, np.nan, errors),
        classes=classes,
        probabilities=P,
    )


def _areas(P: Floats, codes: Ints) -> list[float | None]:
    """Return the area under the ROC curve of each class against the rest, if it has enough rows."""
    return [
        float(roc_auc_score(codes == code, P[:, code])) if total >= LEAST_ROWS else None
        for code, total in enumerate(class_totals(codes))
    ]
