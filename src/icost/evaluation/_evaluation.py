"""`evaluate`: how a fitted classifier fares on new rows, beside what was expected of it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from icost._core.arrays import Floats
from icost._core.doubts import FEW_ROWS
from icost._core.files import plain_value
from icost._core.validation import check_row_costs, import_extra
from icost._core.views import View, Viewed, score_name
from icost.evaluation._calibration import Calibration, calibration_of
from icost.evaluation._expectation import (
    Expectation,
    Limit,
    error_costs,
    expectation_of,
    limits_of,
    row_costs,
)
from icost.evaluation._intervals import (
    Interval,
    ScoredRows,
    differs,
    mean_interval,
    score_intervals,
    share_of,
    widened,
)
from icost.evaluation._promises import PromiseVerdict, promise_verdicts
from icost.evaluation._scoring import label_codes_of, minority_code, prevalence_of, score_rows
from icost.evaluation._subgroups import LevelScores, columns_by, scores_by
from icost.evaluation._table_shift import ColumnShift, column_shifts
from icost.evaluation._words import evaluation_title, score_sentences, score_table, share_sentences
from icost.modelfile._saved_model import SavedModel
from icost.modelfile._table_check import check_table
from icost.thresholds._certificate import cut_curve, cut_table

if TYPE_CHECKING:
    import pandas as pd

SHIFTED = (
    "Weights or resampling shift the probabilities of this model: they rank rows, but are no "
    "shares, and neither are its Brier score and log loss."
)


@dataclass(frozen=True)
class Comparison:
    """A value on new rows, what was expected of it, and whether they differ by more than chance."""

    now: Interval
    expected: Interval | None = None
    differs: bool | None = None


@dataclass(frozen=True)
class ClassScores:
    """Recall and precision of one of several classes."""

    label: Any
    n_rows: int
    recall: Interval
    precision: Interval


@dataclass(frozen=True, repr=False)
class Evaluation(Viewed):
    """How a model fares on new rows; prints as sentences, and as a table in a notebook.

    `icost.evaluate` makes it. Intervals are at 95 %, each for itself.

    Parameters
    ----------
    target : str
        Column of the class, as the model knows it.
    classes : list
        Labels.
    minority : label
        The minority class; None for more than two classes.
    n_rows : int
        New rows.
    n_minority : int or None, default=None
        Those of the minority; None without labels.
    scores : mapping, default={}
        A comparison by name of score: ``now`` and ``expected``, each with ``value``, ``low`` and
        ``high``, and whether it ``differs`` by more than chance.
    promises : tuple of PromiseVerdict, default=()
        How each promise of the rule fared.
    prevalence, alerts : comparison or None, default=None
        The minority's share, estimated where there are no labels, and the share of alerts.
    class_scores : tuple, default=()
        Recall and precision of each of more than two classes.
    calibration : object or None, default=None
        ``slope``, ``intercept`` and ``curve`` of the probabilities.
    levels : tuple, default=()
        Recall, precision and alerts for each level of the columns ``by``; ``differing`` names those
        that are not as in the other rows.
    cuts : list of dict, default=[]
        Ten cuts from 10 to 100 of 100 minority rows found, with what each costs.
    curve : mapping, default={}
        The same of all cuts with 90 % intervals, as arrays, to draw.
    shifts : tuple, default=()
        Columns with new levels, or with other gaps or ranges than in training.
    notes : tuple of str, default=()
        What limits all this.

    See Also
    --------
    icost.evaluate : Makes one.
    icost.evaluation.decide_anew : Another cut by the same rows.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost import evaluate
    >>> X, y = make_classification(2000, weights=[0.9], class_sep=0.5, random_state=0)
    >>> model = LogisticRegression().fit(X[:1000], y[:1000])
    >>> evaluation = evaluate(model, X[1000:], y[1000:], promise="recall>=0.9")
    >>> evaluation.n_minority, evaluation.holds, evaluation.promises[0].verdict
    (96, False, 'broken')
    """

    target: str
    classes: list[Any]
    minority: Any
    n_rows: int
    n_minority: int | None = None
    scores: Mapping[str, Comparison] = field(default_factory=dict)
    promises: tuple[PromiseVerdict, ...] = ()
    prevalence: Comparison | None = None
    alerts: Comparison | None = None
    class_scores: tuple[ClassScores, ...] = ()
    calibration: Calibration | None = None
    levels: tuple[LevelScores, ...] = ()
    cuts: list[dict[str, float]] = field(default_factory=list)
    curve: Mapping[str, Floats] = field(default_factory=dict)
    shifts: tuple[ColumnShift, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool | None:
        """False if a promise is broken, True if all are kept, None if that is open."""
        verdicts = {promise.verdict for promise in self.promises}
        if "broken" in verdicts:
            return False
        return True if verdicts == {"kept"} else None

    @property
    def sentences(self) -> list[str]:
        """What there is to know, the promises first."""
        lines = [str(promise) for promise in self.promises]
        lines += score_sentences(self.scores)
        lines += share_sentences(self)
        lines += [] if self.calibration is None else [str(self.calibration)]
        lines += [str(level) for level in self.levels if level.differing]
        return [*lines, *map(str, self.shifts), *self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, as JSON holds them.

        Returns
        -------
        dict
            The fields by name but for the curve, with ``holds`` and ``sentences``.
        """
        fields = {name: value for name, value in asdict(self).items() if name != "curve"}
        return plain_value({**fields, "holds": self.holds, "sentences": self.sentences})

    def to_frame(self) -> pd.DataFrame:
        """Return the scores as a data frame.

        Returns
        -------
        pandas.DataFrame
            A row per score: ``value``, ``low``, ``high``, ``expected`` and ``differs``.
        """
        pd = import_extra("pandas", "data", "Evaluation.to_frame")
        rows = {
            name: {
                **asdict(score.now),
                "expected": None if score.expected is None else score.expected.value,
                "differs": score.differs,
            }
            for name, score in self.scores.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index")

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Save a page to open in a browser.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced. Needs ``pip install "icost-learn[report]"``.
        """
        # By its name, since what draws pages is not needed to evaluate.
        pages = import_extra("icost.report._evaluation_page", "report", "Evaluation.save_page")
        pages.write_evaluation_page(path, self)

    def _view(self) -> View:
        return View(evaluation_title(self), self.sentences, *score_table(self))


def evaluate(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    by: Any = None,
    promise: Any = None,
    minority_label: Any = None,
    cost_fn: Any = None,
    cost_fp: Any = 1.0,
) -> Evaluation:
    """Evaluate a fitted classifier on rows that it has not seen, beside what was expected of it.

    Scores with intervals, and whether they differ from those of the fit by more than chance; the
    promises of the model's rule, each *kept*, *broken* or *undecided*; the minority's share, the
    number of alerts and the calibration, then and now; levels, gaps and ranges that are new.
    Without labels it returns what needs none.

    Parameters
    ----------
    model : SavedModel or fitted classifier
        Of this library or any other with scikit-learn's interface.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows that the model has not seen.
    y : array-like of shape (n_samples,), default=None
        Their labels.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group count as one witness, so that intervals are wider.
    by : str, list of str or mapping, default=None
        Columns of ``X`` to judge by, or values by name: recall, precision and alerts for each
        level. Numbers are cut at their quartiles.
    promise : str or rule object, default=None
        Limits such as ``"recall>=0.8"`` to check, in place of those of the model's rule.
    minority_label : label, default=None
        The minority class, where the model does not know it; by default the rarer one of ``y``.
    cost_fn, cost_fp : float or array-like of shape (n_samples,), default=None and 1.0
        What a miss and a false alarm cost, where the model decides by costs of each row.

    Returns
    -------
    Evaluation
        Prints as sentences.

    See Also
    --------
    icost.modelfile.SavedModel.evaluate : The same as a method.
    icost.evaluation.decide_anew : Another cut by these rows.
    icost.metrics.classification_scores : The scores alone.

    Notes
    -----
    Intervals of recall, specificity, precision, accuracy, alerts and the minority's share are exact
    (Clopper–Pearson); those of MCC, F1 and G-mean are from 2,000 confusion matrices drawn around
    the one that was counted; the ROC area has DeLong's interval and the area under the
    precision–recall curve that of Boyd et al., both on the logit scale; Brier score, log loss and
    costs have t intervals on the log scale. How often they contain the truth is shown under
    *Do the intervals of an evaluation contain the truth?* in the documentation.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost import ThresholdClassifier, evaluate
    >>> X, y = make_classification(3000, weights=[0.9], class_sep=1.5, random_state=0)
    >>> model = ThresholdClassifier(LogisticRegression(), "recall>=0.7", random_state=0)
    >>> evaluation = evaluate(model.fit(X[:1500], y[:1500]), X[1500:], y[1500:])
    >>> print(evaluation.promises[0])
    recall >= 0.7: kept (0.76, 0.68 to 0.82, 164 minority rows).
    """
    expected = expectation_of(model)
    table = _named_table(model, X)
    codes = None if y is None else label_codes_of(y, expected, len(table))
    minority = minority_code(expected, codes, minority_label)
    given = {"by": by, "promise": promise, "cost_fn": cost_fn}
    _refuse_without_effect(given, y is not None, len(expected.classes))
    rows = score_rows(model, X, codes, expected, minority, groups)
    if y is None:
        scored = _without_labels(model, X, rows, expected)
    elif minority is None:
        scored = _of_classes(rows, expected)
    else:
        costs = _costs(model, X, rows, cost_fn, cost_fp)
        limits = expected.limits if promise is None else limits_of(promise)
        scored = _of_minority(rows, expected, limits, costs) | {"levels": _levels(rows, by, X)}
    return Evaluation(
        target=str(getattr(y, "name", None) or expected.target),
        classes=expected.classes,
        minority=None if minority is None else expected.classes[minority],
        n_rows=len(rows.codes),
        alerts=_alerts(rows, expected),
        shifts=column_shifts(table, expected.columns or (), expected.n_rows),
        **scored,
    )


def _refuse_without_effect(given: Mapping[str, Any], has_labels: bool, n_classes: int) -> None:
    """Refuse what needs labels of two classes."""
    for name, value in given.items():
        if value is None or (np.ndim(value) == 0 and not value):  # an empty mapping is none
            continue
        if not has_labels:
            raise ValueError(f"{name} needs labels: y must be given.")
        if n_classes != 2:
            raise ValueError(f"{name} needs two classes, got {n_classes}.")


def _of_minority(
    rows: ScoredRows, expected: Expectation, limits: tuple[Limit, ...], costs: Floats | None
) -> dict[str, Any]:
    """Return scores and promises of two classes."""
    has_ranking = rows.ranking is not None
    return {
        "n_minority": int(rows.is_minority.sum()),
        "scores": _compared_scores(rows, expected),
        "promises": promise_verdicts(rows, expected, limits, costs),
        "prevalence": _prevalence(rows, expected),
        "calibration": calibration_of(rows),
        "cuts": cut_table(rows.held_out) if has_ranking else [],
        "curve": cut_curve(rows.held_out, 0.9) if has_ranking else {},
        "notes": (*_notes(rows, expected), *_cost_notes(rows, expected, costs)),
    }


def _levels(rows: ScoredRows, by: Any, X: Any) -> tuple[LevelScores, ...]:
    columns = columns_by(by, X).items()
    return tuple(level for name, cells in columns for level in scores_by(rows, name, cells))


def _cost_notes(rows: ScoredRows, expected: Expectation, costs: Floats | None) -> list[str]:
    if costs is None or expected.cost is not None:
        return []
    mean = mean_interval(costs, rows.groups)
    ends = f"{mean.low:.3g} to {mean.high:.3g}"
    return [f"The mean cost per row is {mean.value:.3g} ({ends}); the fit expected none."]


def _named_table(model: Any, X: Any) -> Any:
    """Return a table whose columns fit a saved model; that of another model as it is."""
    if not isinstance(model, SavedModel):
        return X if hasattr(X, "shape") else np.asarray(X)
    return check_table(X, model.record)


def _costs(model: Any, X: Any, rows: ScoredRows, cost_fn: Any, cost_fp: Any) -> Floats | None:
    given = error_costs(model, X) if cost_fn is None else (cost_fn, cost_fp)
    if given is None or rows.minority is None:
        return None
    checked = [
        check_row_costs(name, cost, len(rows.codes))
        for name, cost in zip(("cost_fn", "cost_fp"), given, strict=True)
    ]
    return row_costs(rows.is_minority, rows.is_alert, *checked)


def _compared_scores(rows: ScoredRows, expected: Expectation) -> dict[str, Comparison]:
    compared = {}
    for name, now in score_intervals(rows).items():
        before = expected.scores.get(name)
        if before is None or np.isnan(now.value) or np.isnan(before.value):
            compared[name] = Comparison(now)
            continue
        if np.isnan(before.low):
            # Without an interval of its own, the value had one like that of the new rows.
            n_before = expected.n_rows or len(rows.codes)
            before = widened(now, before.value, len(rows.codes), n_before)
        compared[name] = Comparison(now, before, differs(now, before))
    return compared


def _compared_share(
    now: Interval, before: float | None, expected: Expectation, n: int
) -> Comparison:
    if before is None:
        return Comparison(now)
    interval = widened(now, before, n, expected.n_rows or n)
    return Comparison(now, interval, differs(now, interval))


def _alerts(rows: ScoredRows, expected: Expectation) -> Comparison | None:
    if rows.minority is None:
        return None
    everything = np.ones(len(rows.codes), dtype=bool)
    now = share_of(rows, everything, rows.is_alert)
    return _compared_share(now, expected.alerts, expected, len(rows.codes))


def _prevalence(rows: ScoredRows, expected: Expectation) -> Comparison:
    now = share_of(rows, np.ones(len(rows.codes), dtype=bool), rows.is_minority)
    return _compared_share(now, expected.prevalence, expected, len(rows.codes))


def _without_labels(model: Any, X: Any, rows: ScoredRows, expected: Expectation) -> dict[str, Any]:
    """Return what can be said without labels: an estimate of the minority's share."""
    if rows.minority is None:
        return {}
    share = prevalence_of(model, X)
    if isinstance(share, str):
        return {"notes": (share,)}
    now = Interval(share.value, share.low, share.high)
    note = "The minority's share is estimated (90 % interval), as if only that share had changed."
    compared = _compared_share(now, expected.prevalence, expected, len(rows.codes))
    return {"prevalence": compared, "notes": (note,)}


def _of_classes(rows: ScoredRows, expected: Expectation) -> dict[str, Any]:
    """Return scores of more than two classes, and recall and precision of each."""
    by_class = []
    for code, label in enumerate(expected.classes):
        truth, called = rows.codes == code, rows.decided == code
        shares = share_of(rows, truth, called), share_of(rows, called, truth)
        by_class.append(ClassScores(label, int(truth.sum()), *shares))
    few_rows = [f"{c.label!r} ({c.n_rows})" for c in by_class if c.n_rows < FEW_ROWS]
    note = f"Few rows of class {', '.join(few_rows)}: their intervals are wide."
    return {
        "scores": _compared_scores(rows, expected),
        "class_scores": tuple(by_class),
        "notes": (note,) if few_rows else (),
    }


def _notes(rows: ScoredRows, expected: Expectation) -> list[str]:
    notes, n_minority = [], int(rows.is_minority.sum())
    if n_minority < FEW_ROWS:
        notes.append(f"Only {n_minority} minority rows: little can be said.")
    if expected.is_shifted and rows.proba is not None:
        notes.append(SHIFTED)
    if expected.prevalence is not None:
        share = _prevalence(rows, expected)
        if share.differs:
            names = ", ".join(score_name(name) for name in ("precision", "f1", "mcc", "pr_auc"))
            notes.append(f"{names} change with the minority's share, however good the model is.")
    return notes
