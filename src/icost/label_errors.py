"""Which labels are wrong? Every row is judged by models that have not seen it.

`label_quality` makes out-of-fold probabilities, and `LabelQuality` is what they say about each
label. How the scores and the limit were chosen stands in ``docs/research/label_quality.md``.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from icost.base_fit import fit_problems
from icost.ensemble.calibration import fit_calibrator
from icost.ensemble.treatments import with_seed
from icost.labels import check_class_weight, class_totals, encode_labels
from icost.preprocessing import TableEncoder
from icost.validation import as_table, check_number, check_sample_weight, import_extra, take_rows

if TYPE_CHECKING:
    import pandas as pd

N_TREES = 100
"""Trees of the default forest."""

FLOOR = 0.5 / N_TREES
"""Half a vote: what a share of no votes stands for."""

LIMIT = 0.5
"""A label is suspect below this share of what chance gives it among classes of equal weight."""

MOST_LEFT_OUT = 0.2
"""Share of a class that a second round leaves out at most."""

TREE_ROWS = 5_000
"""Rows that a tree of the default forest sees at most, so that large tables take minutes."""


@dataclass(frozen=True, eq=False)
class LabelQuality:
    """How well each label fits, as `label_quality` found it.

    Parameters
    ----------
    label : ndarray of shape (n_samples,)
        The labels as given.
    score : ndarray of shape (n_samples,)
        1 for a label that fits, 0 for one that does not; of every row, whatever its class. Rows are
        best looked at in the order of `order`, the lowest score first.
    is_suspect : ndarray of bool, shape (n_samples,)
        Whether the label can be told wrong.
    suggested : ndarray of shape (n_samples,)
        The likeliest other label of a suspect; the given one of all others.
    n_wrong : dict
        Suspects of each label.
    told_apart : dict
        How well each class can be told from the rest: the area under the ROC curve of held-out
        probabilities. At 0.5 the classes overlap fully, and no label can be told wrong.
    classes : ndarray
        The classes.
    probabilities : ndarray of shape (n_samples, n_classes)
        Out-of-fold probabilities of the classes.

    See Also
    --------
    label_quality : Makes one.

    Examples
    --------
    >>> import numpy as np
    >>> from icost import LabelQuality, label_quality
    >>> X = np.repeat([[0.0], [1.0]], 30, axis=0) + np.linspace(0, 0.1, 60)[:, np.newaxis]
    >>> y = np.repeat(["no", "yes"], 30)
    >>> y[40] = "no"
    >>> quality = label_quality(X, y, random_state=0)
    >>> isinstance(quality, LabelQuality), int(quality.order[0]), quality.n_wrong
    (True, 40, {'no': 1, 'yes': 0})
    >>> quality
    LabelQuality(60 rows; suspects by label: no: 1, yes: 0)
    """

    label: NDArray[Any]
    score: NDArray[np.float64]
    is_suspect: NDArray[np.bool_]
    suggested: NDArray[Any]
    n_wrong: dict[Any, int]
    told_apart: dict[Any, float]
    classes: NDArray[Any]
    probabilities: NDArray[np.float64]

    def __repr__(self) -> str:
        suspects = ", ".join(f"{label}: {number}" for label, number in self.n_wrong.items())
        return f"LabelQuality({len(self.label)} rows; suspects by label: {suspects})"

    @property
    def order(self) -> NDArray[np.intp]:
        """Rows by their score, the most doubtful first."""
        return np.argsort(self.score, kind="stable")

    def to_frame(self) -> pd.DataFrame:
        """Return the findings as a data frame, one line per row of the table.

        Returns
        -------
        pandas.DataFrame
            With the columns ``label``, ``score``, ``is_suspect`` and ``suggested``, in the order of
            the table. Needs pandas.
        """
        pd = import_extra("pandas", "data", "A frame of label quality")
        columns = ("label", "score", "is_suspect", "suggested")
        return pd.DataFrame({name: getattr(self, name) for name in columns})


def label_quality(
    X: Any,
    y: ArrayLike,
    *,
    classifier: Any = None,
    cv: Any = 5,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> LabelQuality:
    """Judge the label of every row by models that have not seen the row.

    A wrong label harms twice: in training, and in the test that should show the harm. Few of them
    can be found by eye in a large table. This puts the rows in the order in which to look.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Features of any kind; the default models take text and gaps as well.
    y : array-like of shape (n_samples,)
        Labels of two or more classes, each of at least two rows.
    classifier : classifier, default=None
        Whose ``predict_proba`` is asked. By default a forest and a logistic regression on
        standardised and one-hot encoded columns, whose probabilities are averaged; the forest is
        fitted twice, the second time without the rows whose labels the first found least likely.
    cv : int or splitter, default=5
        Number of stratified folds, or an object whose ``split`` puts every row into one test part.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for fitting the models.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group are held out together, such as those of one patient.
    n_jobs : int, default=None
        Fits to run at the same time.
    random_state : int, RandomState instance or None, default=None
        Seed of folds and models.

    Returns
    -------
    LabelQuality
        Scores, suspects and suggestions.

    See Also
    --------
    icost.report.analyze : Shows suspects with their neighbours.
    icost.NeighborComplexity : How hard minority rows are, which is another question.

    Notes
    -----
    A hard row is not a wrong one. Where classes overlap, many rows have an unlikely label that is
    right. So the probabilities are calibrated on the held-out rows, with classes of equal weight:
    where nothing tells the classes apart, all are near one half, and there are no suspects,
    however rare a class is.

    Scores rank rows within a table; they are no probabilities of being right. Errors that
    follow a rule, such as one clinic that always swaps two labels, look like knowledge to a model
    and are not found.

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
    5
    >>> quality.to_frame().columns.tolist()
    ['label', 'score', 'is_suspect', 'suggested']
    """
    X = as_table(X)
    classes, codes = encode_labels(y)
    weight = check_sample_weight(sample_weight, len(codes))
    check_class_weight(classes, codes, weight)
    rare = np.flatnonzero(class_totals(codes) < 2)
    if len(rare):
        raise ValueError(
            f"every class must have at least two rows to be judged by others, got one of class "
            f"{classes.tolist()[rare[0]]!r}."
        )
    random = check_random_state(random_state)
    folds = _folds(codes, cv, groups, random)
    rows = _Rows(X, codes, weight, folds, n_jobs)
    if classifier is not None:
        P = rows.out_of_fold(classifier, random)
        return _judge([P], codes, classes)
    forest, linear = _default_bases(len(codes))
    first, smooth = rows.out_of_fold(forest, random), rows.out_of_fold(linear, random)
    second = rows.out_of_fold(forest, random, ~least_likely(first, codes))
    return _judge([(first + smooth) / 2, (second + smooth) / 2], codes, classes)


def _default_bases(n_samples: int) -> tuple[Any, Any]:
    forest = RandomForestClassifier(
        N_TREES, max_samples=TREE_ROWS if n_samples > 2 * TREE_ROWS else None
    )
    linear = LogisticRegression(max_iter=1000)
    return make_pipeline(TableEncoder(), forest), make_pipeline(TableEncoder(), linear)


Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


def _folds(
    codes: NDArray[np.intp], cv: Any, groups: Any, random: np.random.RandomState
) -> list[Fold]:
    """Training and held-out rows of each part."""
    if not hasattr(cv, "split"):
        cv = _splitter(codes, int(check_number("cv", cv, low=2, integer=True)), groups, random)
    with warnings.catch_warnings():
        # Of a class with fewer rows than folds, some folds hold none: that is as good as it gets.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        folds = list(cv.split(np.zeros(len(codes)), codes, groups))
    held_out = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(codes))
    if (held_out != 1).any():
        row = int(np.argmax(held_out != 1))
        raise ValueError(f"cv must hold out every row once, got row {row} {held_out[row]} times.")
    for train, _ in folds:
        if len(np.unique(codes[train])) < codes.max() + 1:
            raise ValueError(
                "cv and groups must leave rows of every class to learn from, got a class whose "
                "rows are all held out together."
            )
    return folds


def _splitter(
    codes: NDArray[np.intp], n_splits: int, groups: Any, random: np.random.RandomState
) -> Any:
    seed = int(random.randint(2**31 - 1))
    if groups is None:
        n_splits = min(n_splits, int(class_totals(codes).max()))
        return StratifiedKFold(n_splits, shuffle=True, random_state=seed)
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        raise ValueError("groups must have at least two groups, got one.")
    return StratifiedGroupKFold(min(n_splits, n_groups), shuffle=True, random_state=seed)


@dataclass(frozen=True, eq=False)
class _Rows:
    """What is judged, and how it is parted."""

    X: Any
    codes: NDArray[np.intp]
    weight: NDArray[np.float64] | None
    folds: list[Fold]
    n_jobs: int | None

    def out_of_fold(
        self, base: Any, random: np.random.RandomState, stays: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Probabilities of every row by a model that has not seen it; some rows teach nobody."""
        # All seeds are drawn before the first fit, so that the number of jobs changes nothing.
        seeds = [int(random.randint(2**31 - 1)) for _ in self.folds]
        jobs = []
        for (train, test), seed in zip(self.folds, seeds, strict=True):
            taught = train if stays is None else train[stays[train]]
            if len(np.unique(self.codes[taught])) < len(np.unique(self.codes)):
                taught = train  # a doubtful row teaches more of its class than none
            weights = None if self.weight is None else [self.weight[taught]]
            part = take_rows(self.X, taught), self.codes[taught], weights
            jobs.append(delayed(_held_out)(with_seed(base, seed), part, take_rows(self.X, test)))
        found = np.zeros((len(self.codes), int(self.codes.max()) + 1))
        for (_, test), P in zip(self.folds, Parallel(n_jobs=self.n_jobs)(jobs), strict=True):
            found[test] = P
        return found


def _held_out(base: Any, part: tuple[Any, NDArray[np.intp], Any], X: Any) -> NDArray[np.float64]:
    """Fit a model, and return its probabilities of other rows."""
    model = fit_problems(base, part[0], [part[1]], part[2])[0]
    if not hasattr(model, "predict_proba"):
        raise ValueError(f"classifier must have predict_proba, got {type(base).__name__} without.")
    return np.asarray(model.predict_proba(X), dtype=np.float64)


def least_likely(P: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the rows that a second round leaves out: those confidently of another class.

    A row is confidently of a class if its probability is at least the mean of those who bear the
    label. Of each class as many rows go as have another such class, at most a fifth.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.label_errors import least_likely
    >>> P = np.array([[0.9, 0.1]] * 5 + [[0.1, 0.9]] * 6)
    >>> np.flatnonzero(least_likely(P, np.array([0] * 6 + [1] * 5)))
    array([5])
    """
    own = P[np.arange(len(codes)), codes]
    totals = class_totals(codes)
    limit = np.bincount(codes, weights=own) / totals
    above = np.where(limit <= P, P, -1.0)
    likely = np.where((above >= 0).any(axis=1), above.argmax(axis=1), codes)
    counts = np.bincount(codes[likely != codes], minlength=len(totals))
    is_out = np.zeros(len(codes), dtype=bool)
    for code, most in enumerate(np.minimum(counts, (MOST_LEFT_OUT * totals).astype(int))):
        mine = np.flatnonzero(codes == code)
        is_out[mine[np.argsort(own[mine], kind="stable")[:most]]] = True
    return is_out


def calibrated(
    P: NDArray[np.float64], codes: NDArray[np.intp], is_balanced: bool = False
) -> NDArray[np.float64]:
    """Return probabilities that held-out rows bear out, as they are or for classes of equal weight.

    Examples
    --------
    Probabilities that say nothing become the shares of the classes, or one half:

    >>> import numpy as np
    >>> from icost.label_errors import calibrated
    >>> P, codes = np.full((10, 2), 0.5), np.repeat([0, 1], [8, 2])
    >>> calibrated(P, codes)[0].round(2), calibrated(P, codes, is_balanced=True)[0].round(2)
    (array([0.8, 0.2]), array([0.5, 0.5]))
    """
    logs = np.log(np.clip(P, FLOOR, 1 - FLOOR))
    scores = logs[:, 1:] - logs[:, :1] if P.shape[1] == 2 else logs
    weight = (1 / class_totals(codes))[codes] if is_balanced else None
    return fit_calibrator(scores, codes, weight).predict_proba(scores)


def label_scores(P: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the score of every label: the mean of its two calibrated probabilities.

    One follows the classes' shares, and finds rows that are called minority; for the other all
    classes weigh the same, and it finds minority rows that are hidden.
    """
    both = calibrated(P, codes), calibrated(P, codes, is_balanced=True)
    rows = np.arange(len(codes))
    return (both[0][rows, codes] + both[1][rows, codes]) / 2


def find_suspects(rounds: list[NDArray[np.float64]], codes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return labels that can be told wrong.

    They are the likeliest neither as such nor when every class counts the same, and in each round a
    label of equal weight has a calibrated probability below the limit.
    """
    last, rows = rounds[-1], np.arange(len(codes))
    lifted = last / (class_totals(codes) / len(codes))
    is_suspect = (last.argmax(axis=1) != codes) & (lifted.argmax(axis=1) != codes)
    for P in rounds:
        is_suspect &= calibrated(P, codes, is_balanced=True)[rows, codes] < LIMIT / P.shape[1]
    return is_suspect


def _judge(
    rounds: list[NDArray[np.float64]], codes: NDArray[np.intp], classes: NDArray[Any]
) -> LabelQuality:
    """What probabilities of one or two rounds say about each label."""
    last, rows = rounds[-1], np.arange(len(codes))
    is_suspect = find_suspects(rounds, codes)
    other = calibrated(last, codes, is_balanced=True)
    other[rows, codes] = -1
    suggested = np.where(is_suspect, other.argmax(axis=1), codes)
    counts = np.bincount(codes[is_suspect], minlength=len(classes))
    apart = [roc_auc_score(codes == code, rounds[0][:, code]) for code in range(len(classes))]
    names = classes.tolist()
    return LabelQuality(
        label=classes[codes],
        score=label_scores(last, codes),
        is_suspect=is_suspect,
        suggested=classes[suggested],
        n_wrong=dict(zip(names, counts.tolist(), strict=True)),
        told_apart=dict(zip(names, map(float, apart), strict=True)),
        classes=classes,
        probabilities=last,
    )
