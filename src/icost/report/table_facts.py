"""What a table holds before anybody learns from it: columns, gaps, repeated rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

if TYPE_CHECKING:
    import pandas as pd


def missing_cells(X: pd.DataFrame) -> dict[str, Any]:
    """Count missing cells, in all and per column that has any, the most affected first."""
    gaps = X.isna()
    per_column = gaps.sum().sort_values(ascending=False, kind="stable")
    columns = [
        {"name": str(name), "cells": int(count), "share": float(count / len(X))}
        for name, count in per_column[per_column > 0].items()
    ]
    cells = int(per_column.sum())
    rows = int(gaps.any(axis=1).sum())
    return {"cells": cells, "share": cells / max(1, X.size), "rows": rows, "columns": columns}


def repeated_rows(X: pd.DataFrame, y: ArrayLike) -> dict[str, int]:
    """Count rows that repeat an earlier one, and equal rows under different classes.

    Of the latter, which are called conflicting, no classifier can get all right.
    """
    import pandas as pd

    # 64-bit hashes of the rows: grouping by thirty columns would take seconds.
    group = pd.util.hash_pandas_object(X, index=False, categorize=True)
    both = pd.DataFrame({"group": group.to_numpy(), "label": np.asarray(y)})
    labels_in_group = both.drop_duplicates()["group"].value_counts()
    conflicting = both["group"].map(labels_in_group) > 1
    return {"repeated": int(both.duplicated().sum()), "conflicting": int(conflicting.sum())}


def separation(X: pd.DataFrame, is_minority: np.ndarray) -> list[dict[str, Any]]:
    """Return how well each numeric column alone tells the minority, the best first.

    ``auc`` is in the direction that is above 0.5; ``higher`` says whether minority values are.
    """
    found = []
    for name in X.columns:
        if X[name].dtype.kind != "f":
            continue
        values = X[name].to_numpy()
        known = ~np.isnan(values)
        minority = is_minority[known]
        n_minority, n_majority = int(minority.sum()), int((~minority).sum())
        if not n_minority or not n_majority:
            continue
        rank_sum = rankdata(values[known])[minority].sum()
        auc = (rank_sum - n_minority * (n_minority + 1) / 2) / (n_minority * n_majority)
        found.append({"name": name, "auc": float(max(auc, 1 - auc)), "higher": bool(auc >= 0.5)})
    return sorted(found, key=lambda entry: -entry["auc"])


CONSTANT = "has the same value in every row"

LOOKS_LIKE = {
    "numbers": re.compile(r"[-+]?[$€£]? ?\d[\d.,' ]*[%$€£]?"),
    "dates": re.compile(r"\d{4}-\d\d-\d\d.*|\d\d?[./]\d\d?[./]\d{2,4}.*"),
}
"""What text may look like that is better no text."""

MANY_LEVELS = 20
"""Levels beyond which text is looked at more closely."""


def odd_columns(X: pd.DataFrame) -> list[dict[str, str]]:
    """Return columns that cannot help, or do harm: constants, identifiers, numbers kept as text."""
    found = []
    for name in X.columns:
        problem = _problem(X[name])
        if problem:
            found.append({"name": str(name), "problem": problem})
    return found


def _problem(column: pd.Series) -> str:
    levels = column.nunique(dropna=False)
    if levels <= 1:
        return CONSTANT
    if levels <= MANY_LEVELS:
        return ""
    if column.dtype.kind == "f":
        counts = levels == len(column) and bool((np.diff(column) == 1).all())
        return "counts the rows, as an index does: leave it out" if counts else ""
    texts = column.dropna().unique()
    for kind, pattern in LOOKS_LIKE.items():
        if all(pattern.fullmatch(str(text)) for text in texts):
            return f"is text that looks like {kind}, such as {texts[0]!r}: write it as numbers"
    if levels > 0.9 * len(column):
        return "is text that differs in nearly every row, as an identifier does: leave it out"
    return ""
