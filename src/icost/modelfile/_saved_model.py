"""SavedModel: a fitted model that knows its table, whatever it was fitted by."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.calibration import CalibratedClassifierCV

from icost._core.arrays import Floats
from icost._core.validation import import_extra
from icost._core.views import METRICS, View, Viewed, interval_text, score_name, score_text
from icost._neighbors import kernel
from icost._neighbors.counts import threads_for
from icost.modelfile._table_check import check_table, installed_versions
from icost.thresholds._certificate import cut_text

if TYPE_CHECKING:
    import pandas as pd

    from icost.evaluation import Evaluation

__all__ = ["show_versions"]

PACKAGE = "icost-learn"
"""The name under which the package is installed."""

CORE = ("numpy", "scipy", "scikit-learn", "imbalanced-learn", "joblib", "threadpoolctl")
"""What is always needed, directly or by scikit-learn."""


def show_versions() -> None:
    """Print the versions of Python and packages, and how the neighbour search runs here.

    For reports of errors and of times. Of the optional packages only those are listed that are
    installed. The last lines say how many threads a search takes by default, and which variant of
    the compiled kernel it uses, or why none; `icost.iCost` gives the same weights in any case.

    See Also
    --------
    sklearn.show_versions : What scikit-learn says of its own libraries.

    Examples
    --------
    >>> import icost
    >>> icost.show_versions()  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    System:
        python: ...
        platform: ...
        processor: ...
    Packages:
        icost-learn: ...
        numpy: ...
    Neighbour search:
        threads: ...
        kernel: ...
    """
    for title, entries in version_facts().items():
        print(f"{title}:")
        for name, value in entries.items():
            print(f"    {name}: {value}")


def version_facts() -> dict[str, dict[str, str]]:
    """Return what `show_versions` prints, section by section."""
    packages = installed_versions((*CORE, *_optional()))
    return {
        "System": {
            "python": sys.version.replace("\n", " "),
            "platform": platform.platform(),
            "processor": processor_name(),
        },
        "Packages": {name: version for name, version in packages.items() if name != "python"},
        "Neighbour search": {"threads": str(threads_for(None)), "kernel": _kernel()},
    }


def processor_name() -> str:
    """Return the name of the processor, as far as the system tells."""
    try:
        # Python knows the name on some systems only; Linux has it in a file.
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        match = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
    except OSError:
        match = None
    return match[1].strip() if match else platform.processor() or platform.machine()


def _optional() -> list[str]:
    """Return the packages that the extras name; none if the package itself is not installed."""
    try:
        requirements = metadata.requires(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return []
    names = (re.split(r"[^\w.-]", requirement, maxsplit=1)[0] for requirement in requirements)
    return sorted({name for name in names if name not in (PACKAGE, *CORE)})


def _kernel() -> str:
    """Say which variant is used, of which, or why none."""
    try:
        name, reason = kernel.variant()
    except ValueError as error:
        # A wrong ICOST_KERNEL is just what somebody may be looking for.
        return f"none, since {error}"
    if reason is not None:
        return f"{name}, since {'it is ' if not reason.startswith('ICOST') else ''}{reason}"
    return f"{name}, of {', '.join(kernel.present_variants())}"


def describe(record: Mapping[str, Any]) -> str:
    """Say in a line what a model is, and what it predicts from what."""
    # When they are used: whoever opens a model needs no comparison.
    from icost.comparison._verdict import capital, in_words
    from icost.strategies import get_strategy

    names = record["classifier"], record["method"]
    if "words" in record:
        return _described([capital(record["words"])], record)
    try:
        strategy = get_strategy(names[1])
        facts = [capital(in_words(strategy, names[0]))]
        if strategy.own_classifier and names[0] != names[1]:
            facts = [f"{facts[0]} ({names[0]})"]
    except ValueError:  # a strategy of the user's
        facts = list(dict.fromkeys(names))
    facts += [f"{name} {value}" for name, value in record.get("weighting", {}).items()]
    facts += ["calibrated"] * record["calibrated"]
    return _described(facts, record)


def _described(facts: Sequence[str], record: Mapping[str, Any]) -> str:
    return (
        f"{', '.join(facts)}: predicts '{record['target']}' "
        f"({', '.join(str(label) for label in record['classes'])}) from "
        f"{len(record['columns'])} columns, fitted on {record['rows']:,} rows"
    )


def decision_text(record: Mapping[str, Any]) -> str:
    """Say why the class that is predicted need not be the most probable one."""
    if record["method"] == "calibrated":
        return "and the class predicted is the most probable one"
    if "threshold" not in record:
        return (
            "the classes are those before: not every row with a probability above one half is "
            "predicted, and the other way round"
        )
    if any(isinstance(cost, str) for cost in record.get("error_costs", ())):
        return "the class predicted is the one that is expected to cost less in its row"
    if record["threshold"] is None:
        return "the class predicted need not be the most probable one: rare ones get a bonus"
    threshold, minority = record["threshold"], record["minority"]
    return f"rows with P({minority}) ≥ {cut_text(threshold)} are predicted {str(minority)!r}"


def score_table(record: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Return columns and rows of a model's scores, with intervals where it has some."""
    scores = record["metrics"]
    names = sorted(scores, key=lambda name: [*METRICS, *scores].index(name))
    rows = [[score_name(name), score_text(name, scores[name])] for name in names]
    intervals = record.get("metric_intervals", {})
    if not intervals:
        return ["Score", "Value"], rows
    for row, metric in zip(rows, names, strict=True):
        ends = intervals.get(metric)
        row.append("–" if ends is None else interval_text(metric, *ends))
    return ["Score", "Value", "95 % interval"], rows


@dataclass(frozen=True, eq=False, repr=False)
class SavedModel(Viewed):
    """A fitted model and the record of how it was made.

    It predicts the user's labels from the user's table: columns are found by name, checked, and put
    through the model's own preprocessing. The record says what the model is, from the rows that it
    was fitted on to the versions of the packages, and stays readable when the model is not.
    `fit_model` and `choose_model` make one; `save_model` and `load_model` move it to a file and
    back.

    Parameters
    ----------
    estimator : classifier
        Takes the columns of the record, as floats and text, and predicts positions in
        ``classes``: labels of any kind may then pass through any tool of scikit-learn.
    record : dict
        Versions, columns, target, classes, costs and metrics; plain values.

    See Also
    --------
    fit_model : Makes one from a table.
    check_table : What every table goes through before it is predicted.

    Notes
    -----
    ``record`` has the keys ``classifier``, ``method``, ``calibrated``, ``target``, ``classes``,
    ``minority``, ``rows``, ``columns``, ``costs``, ``scaler``, ``seed``, ``metrics``,
    ``metrics_from`` and ``versions``. A model of `choose_model` has ``verdict``, an
    ensemble or a tuned threshold ``threshold`` and ``threshold_interval``, the former
    ``metric_intervals``, the latter ``certificate`` and ``cuts``, and a model that decides by costs
    of errors ``error_costs``. Read ``metrics_from`` before ``metrics``: it says on
    which folds they were measured, and whether they are optimistic.

    It is no estimator of scikit-learn and has no ``fit``; ``estimator`` is one.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = fit_model(X, y, n_splits=2)
    >>> model.classes, model.predict_proba(X).shape
    (['negative', 'positive'], (214, 2))

    Columns may come in any order, with others among them:

    >>> other = X[X.columns[::-1]].assign(note="as it came")
    >>> np.array_equal(model.predict(other), model.predict(X))
    True
    """

    estimator: Any
    record: dict[str, Any]

    def to_frame(self) -> pd.DataFrame:
        """Return the scores of the record as a data frame.

        Returns
        -------
        pandas.DataFrame
            A row per score: ``value`` and, where they are known, the ends ``low`` and ``high`` of
            its 95 % interval.
        """
        pd = import_extra("pandas", "models", "SavedModel.to_frame")
        scores, ends = self.record["metrics"], self.record.get("metric_intervals", {})
        rows = {name: (value, *(ends.get(name) or (None, None))) for name, value in scores.items()}
        return pd.DataFrame.from_dict(
            rows, orient="index", columns=["value", "low", "high"], dtype=float
        )

    def _view(self) -> View:
        record, (columns, rows) = self.record, score_table(self.record)
        source = f"Scores are from {record['metrics_from']}."
        chosen = [remark["text"] for remark in record.get("verdict", ())]
        sentences = [*chosen, *([source] if rows else []), *record.get("notes", ())]
        return View(describe(record), sentences, columns, rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        A calibrated model's labels are those before calibration: calibrated probabilities undo the
        weights, and a threshold of one half would undo what they are for.

        Parameters
        ----------
        X : array-like or data frame
            A table with the model's columns.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels, as they were in training.

        Raises
        ------
        ColumnsDiffer
            If columns are missing or of the wrong kind.
        """
        table = check_table(X, self.record)
        if isinstance(self.estimator, CalibratedClassifierCV):
            (calibrated,) = self.estimator.calibrated_classifiers_
            codes = calibrated.estimator.predict(table)
        else:
            codes = self.estimator.predict(table)
        return np.asarray(self.classes)[codes]

    def predict_proba(self, X: Any) -> Floats:
        """Predict probabilities, calibrated ones if the model is.

        Weights of the minority move the probabilities of a model that is not calibrated: they rank
        rows, but are too high for the minority to be read as shares.

        Parameters
        ----------
        X : array-like or data frame
            A table with the model's columns.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes``.

        Raises
        ------
        ColumnsDiffer
            If columns are missing or of the wrong kind.
        ValueError
            If the classifier has no probabilities, such as an SVM that was not calibrated.
        """
        table = check_table(X, self.record)
        if not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                f"the classifier {self.record['classifier']!r} has no probabilities: fit it with "
                "calibration."
            )
        return self.estimator.predict_proba(table)

    def evaluate(self, X: Any, y: ArrayLike | None = None, **options: Any) -> Evaluation:
        """Evaluate the model on rows that it has not seen, beside what was expected of it.

        Parameters
        ----------
        X : array-like or data frame
            A table with the model's columns.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        **options
            Of `icost.evaluate`: ``groups``, ``by``, ``promise`` and others.

        Returns
        -------
        Evaluation
            Scores, promises and what is new in the rows.
        """
        # By its name, since evaluations know models, and a model that predicts needs none.
        evaluation = import_extra("icost.evaluation", "models", "SavedModel.evaluate")
        return evaluation.evaluate(self, X, y, **options)

    @property
    def classes(self) -> list[Any]:
        """The labels, in the order of the probabilities."""
        return self.record["classes"]
