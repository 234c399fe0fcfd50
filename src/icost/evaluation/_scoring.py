"""From a fitted classifier and labelled rows to what scores need: labels checked, as codes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icost._core.arrays import Ints
from icost._core.labels import encode_groups, find_minority
from icost._core.validation import is_missing, shorten
from icost._table._columns import level_name
from icost.evaluation._expectation import Expectation, rule_of
from icost.evaluation._intervals import ScoredRows
from icost.modelfile._saved_model import SavedModel
from icost.modelfile._table_check import check_table


def score_rows(
    model: Any,
    X: Any,
    codes: Ints | None,
    expected: Expectation,
    minority: int | None,
    groups: ArrayLike | None = None,
) -> ScoredRows:
    """Return rows with a model's decisions and scores; without labels, all have the code 0."""
    decided = np.asarray(model.predict(X))
    places = {label: code for code, label in enumerate(expected.classes)}
    predicted = np.array([places[label] for label in decided.tolist()], dtype=np.intp)
    codes = np.zeros(len(predicted), dtype=np.intp) if codes is None else codes
    proba = ranking = None
    if minority is not None:
        proba = _probabilities(model, X, minority)
        ranking = _distances(model, X, minority) if proba is None else proba
    n_classes, numbers = len(expected.classes), encode_groups(groups, len(codes))
    return ScoredRows(codes, predicted, n_classes, minority, ranking, proba, numbers)


def _probabilities(model: Any, X: Any, minority: int) -> NDArray[Any] | None:
    inner = model.estimator if isinstance(model, SavedModel) else model
    if not hasattr(inner, "predict_proba"):
        return None
    return np.asarray(model.predict_proba(X)[:, minority], dtype=np.float64)


def _distances(model: Any, X: Any, minority: int) -> NDArray[Any] | None:
    if isinstance(model, SavedModel):
        model, X = model.estimator, check_table(X, model.record)
    if not hasattr(model, "decision_function"):
        return None
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    return scores if minority else -scores


def label_codes_of(y: ArrayLike, expected: Expectation, n_rows: int) -> Ints:
    """Return labels as positions of a model's classes, or say which of them it does not have."""
    labels = np.asarray(y, dtype=object)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"y must have one label for each of the {n_rows:,} rows, got an array of shape "
            f"{labels.shape}."
        )
    values = labels.tolist()
    gaps = [row for row, label in enumerate(values) if is_missing(label)]
    if gaps:
        raise ValueError(
            f"y has no label in {len(gaps):,} of {n_rows:,} rows, the first is row "
            f"{gaps[0] + 1:,}: leave those rows out."
        )
    codes = _match(Counter(values), expected.classes)
    row_codes = np.array([codes[label] for label in values], dtype=np.intp)
    _refuse_one_class(row_codes, expected)
    return row_codes


def _match(counts: Counter[Any], classes: list[Any]) -> dict[Any, int]:
    """Return the code of each label: equal to a class, or else written like it, as in a file."""
    places = {label: code for code, label in enumerate(classes)}
    written = {level_name(label): code for label, code in places.items()}
    codes = {label: places.get(label, written.get(level_name(label), -1)) for label in counts}
    unknown = [label for label, code in codes.items() if code < 0]
    if unknown:
        n_rows = sum(counts[label] for label in unknown)
        raise ValueError(
            f"y must have the classes of the model, {shorten(classes)}, got {shorten(unknown, 6)} "
            f"in {n_rows:,} rows."
        )
    return codes


def _refuse_one_class(codes: Ints, expected: Expectation) -> None:
    if len(np.unique(codes)) == 1:
        label = expected.classes[int(codes[0])]
        raise ValueError(
            f"y must have rows of at least two classes to score a model, got only {label!r}; "
            "without y, the rows are compared with those of the fit."
        )


def minority_code(expected: Expectation, codes: Ints | None, minority_label: Any) -> int | None:
    """Return the code of the minority of two classes: named, that of the model, or the rarer."""
    classes = expected.classes
    if len(classes) != 2:
        if minority_label is not None:
            raise ValueError(
                f"minority_label needs two classes, got {len(classes)}: each of more is scored."
            )
        return None
    label = expected.minority if minority_label is None else minority_label
    if label is not None:
        return _match(Counter([label]), classes)[label]
    return 1 if codes is None else find_minority(np.bincount(codes, minlength=2))


def prevalence_of(model: Any, X: Any) -> Any:
    """Return the estimated share of the minority in rows without labels, or why there is none."""
    from icost.thresholds import estimate_prevalence

    if rule_of(model) is None:
        return "The share of the minority cannot be estimated: the model keeps no held-out rows."
    try:
        if isinstance(model, SavedModel):
            return estimate_prevalence(model.estimator, check_table(X, model.record))
        return estimate_prevalence(model, X)
    except ValueError as error:
        return f"The share of the minority cannot be estimated: {error}"
