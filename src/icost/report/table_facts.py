"""What a table holds before anybody learns from it: columns, gaps, repeated rows."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
EMPTY = "is empty"
HARMLESS = (CONSTANT, EMPTY)
"""What is of no use, and does no harm either."""

LOOKS_LIKE = {
    "numbers": re.compile(r"[-+]?[$€£]? ?\d[\d.,' ]*[%$€£]?"),
    "dates": re.compile(r"\d{4}-\d\d-\d\d.*|\d\d?[./]\d\d?[./]\d{2,4}.*"),
}
"""What text may look like that is better no text."""

ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")

MANY_LEVELS = 20
"""Levels beyond which text is looked at more closely."""

IDENTIFIER = "as an identifier does: leave it out"

LEAK_ROWS = 5
"""Rows of a class, and of the rest, that a column must tell apart before it is called a leak."""

LEAK_SHARE = 0.99
"""Share of a class, and of the rest, that it must get right."""


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
    if column.isna().all():
        return EMPTY
    if levels <= 1:
        return CONSTANT
    if levels <= MANY_LEVELS:
        return ""
    return _number_problem(column, levels) if column.dtype.kind == "f" else _text_problem(column)


def _number_problem(column: pd.Series, levels: int) -> str:
    values = column.dropna().to_numpy()
    if levels == len(column) == len(values) and bool((np.diff(values) == 1).all()):
        return "counts the rows, as an index does: leave it out"
    is_whole = bool((values == np.floor(values)).all())
    known = len(np.unique(values))
    if not is_whole or _is_time(values) or known < 0.99 * len(values):
        return ""
    # Numbers dealt out one by one fill a range; codes of many digits have all of them. Amounts have
    # fewer, and seconds since 1970 lie in a range of their own.
    span = values.max() - values.min() + 1
    digits = np.floor(np.log10(np.maximum(np.abs(values), 1)))
    is_clock = values.min() > 9e8 and values.max() < 2.1e9
    same_length = bool((digits == digits[0]).all()) and digits[0] >= 8 and not is_clock
    if known == len(values) and (span <= 2 * len(values) or same_length):
        return f"is a whole number that differs in every row, {IDENTIFIER}"
    if same_length:
        return f"holds codes of {int(digits[0]) + 1} digits that nearly all differ, {IDENTIFIER}"
    return ""


def _is_time(values: NDArray[np.float64]) -> bool:
    """Whether numbers are dates, which have become seconds, full minutes mostly."""
    return bool((values % 60 == 0).all()) and float(np.abs(values).max()) > 1e8


def _text_problem(column: pd.Series) -> str:
    texts = column.dropna().unique()
    for kind, pattern in LOOKS_LIKE.items():
        if all(pattern.fullmatch(str(text)) for text in texts):
            return f"is text that looks like {kind}, such as {texts[0]!r}: write it as numbers"
    known = column.notna().sum()
    if len(texts) > 0.9 * known:
        return f"is text that differs in nearly every row, {IDENTIFIER}"
    if len(texts) > 0.5 * known and known > 100:
        return f"is text with {len(texts):,} levels, most of which occur once, {IDENTIFIER}"
    return ""


def leaks(X: pd.DataFrame, y: ArrayLike) -> list[dict[str, str]]:
    """Return columns that alone tell a class from the rest: perhaps they are known only after it.

    A number or a date does so by one question about its size, or by two ends between which it lies,
    text, codes and gaps by their levels. Classes of fewer than `LEAK_ROWS` rows prove nothing, nor
    do levels that hardly any rows share.
    """
    labels, codes = np.unique(np.asarray(y, dtype=str), return_inverse=True)
    counts = np.bincount(codes)
    # Of two classes, who tells one tells the other.
    asked = [int(np.argmin(counts))] if len(labels) == 2 else range(len(labels))
    found = []
    for name in X.columns:
        for code in asked:
            is_class = codes == code
            if min(counts[code], len(codes) - counts[code]) >= LEAK_ROWS:
                how = _tells(X[name], is_class)
                if how is not None:
                    what = "the classes apart" if len(labels) == 2 else f"class '{labels[code]}'"
                    problem = f"alone tells {what}{how}: is it known before the outcome?"
                    found.append({"name": str(name), "problem": problem})
                    break
    return found


def _tells(column: pd.Series, is_class: NDArray[np.bool_]) -> str | None:
    """How a column tells a class, None if it does not."""
    gap = column.isna().to_numpy()
    if gap.any() and max(_agreement(gap, is_class), _agreement(~gap, is_class)) >= LEAK_SHARE:
        return " by its gaps"
    if column.dtype.kind != "f":
        return "" if _levels_tell(column, is_class) else _dates_tell(column, is_class)
    values = column.to_numpy()
    cut = _cut(values, is_class)
    if cut is not None:
        return "" if column.nunique() == 2 else f" at {_shown(cut, values)}"
    if _levels_tell(column, is_class):
        return ""
    ends = _ends(values, is_class)
    return ends and f" between {_shown(ends[0], values)} and {_shown(ends[1], values)}"


def _levels_tell(column: pd.Series, is_class: NDArray[np.bool_]) -> bool:
    """Whether who knows the level of a row knows whether it is of the class."""
    import pandas as pd

    codes, levels = pd.factorize(column, use_na_sentinel=False)
    # With a level for each row, labels are told by name.
    if len(levels) < 2 or len(levels) > len(codes) / LEAK_ROWS:
        return False
    inside = np.bincount(codes, weights=is_class) / np.bincount(codes)
    return _agreement((inside > 0.5)[codes], is_class) >= LEAK_SHARE


def _dates_tell(column: pd.Series, is_class: NDArray[np.bool_]) -> str | None:
    """How dates that are text tell a class; those of ISO 8601 are in order as they are written."""
    import pandas as pd

    texts = column.dropna().unique()
    if not all(ISO_DATE.match(str(text)) for text in texts):
        return None
    codes, dates = pd.factorize(column, sort=True)
    cut = _cut(np.where(codes < 0, np.nan, codes), is_class)
    return None if cut is None else f" at {dates[int(np.ceil(cut))]}"


def _shown(value: float, values: NDArray[np.float64]) -> str:
    """A number, or the day that it stands for."""
    if _is_time(values[~np.isnan(values)]):
        return str(np.datetime64(int(value), "s"))[:10]
    return f"{value:.4g}"


def _agreement(told: NDArray[np.bool_], is_class: NDArray[np.bool_]) -> float:
    """The smaller of the shares that a yes or no gets right, of the class and of the rest."""
    return float(min(told[is_class].mean(), (~told)[~is_class].mean()))


def _cut(values: NDArray[np.float64], is_class: NDArray[np.bool_]) -> float | None:
    """A value that parts the class from the rest, None if there is none."""
    order = np.argsort(values, kind="stable")
    ordered, inside = values[order], is_class[order]
    # Gaps are sorted to the end, and are on neither side.
    known = int((~np.isnan(ordered)).sum())
    ends = np.flatnonzero(np.diff(ordered[:known]) > 0)
    if not len(ends):
        return None
    of_class, of_rest = np.cumsum(inside[:known]), np.cumsum(~inside[:known])
    below_class, below_rest = of_class[ends], of_rest[ends]
    above_class, above_rest = of_class[-1] - below_class, of_rest[-1] - below_rest
    # Where it is known, if that is often enough to be no accident.
    n_class, n_rest = of_class[-1], of_rest[-1]
    if min(n_class, n_rest) < LEAK_ROWS or 2 * known < len(values):
        return None
    up = np.minimum(above_class / n_class, below_rest / n_rest)
    down = np.minimum(below_class / n_class, above_rest / n_rest)
    best = np.maximum(up, down)
    place = int(np.argmax(best))
    if best[place] < LEAK_SHARE:
        return None
    low, high = ordered[ends[place]], ordered[ends[place] + 1]
    return float(low + (high - low) / 2)


def _ends(values: NDArray[np.float64], is_class: NDArray[np.bool_]) -> tuple[float, float] | None:
    """Two values between which the class lies and the rest does not, or the other way round."""
    known = ~np.isnan(values)
    sides = [np.sort(values[known & side]) for side in (is_class, ~is_class)]
    # Two ends fit by accident more easily than one, so that they need more rows.
    if min(map(len, sides)) < 2 * LEAK_ROWS or 2 * known.sum() < len(values):
        return None
    for within, without in (sides, sides[::-1]):
        spare = int((1 - LEAK_SHARE) * len(within))
        # As many of its rows as may lie outside do so on either side, in all ways.
        low, high = within[: spare + 1], within[len(within) - 1 - spare :]
        strangers = np.searchsorted(without, high, "right") - np.searchsorted(without, low, "left")
        place = int(np.argmin(strangers))
        if strangers[place] <= (1 - LEAK_SHARE) * len(without):
            return float(low[place]), float(high[place])
    return None


def similar_labels(y: ArrayLike) -> str:
    """Say which labels differ only by case, blanks or the form of their letters."""
    groups: dict[str, list[str]] = {}
    for label in dict.fromkeys(map(str, np.asarray(y))):
        form = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
        groups.setdefault(form, []).append(label)
    same = [sorted(labels) for labels in groups.values() if len(labels) > 1]
    if not same:
        return ""
    listed = ", and ".join(_listed_labels(labels) for labels in same)
    return f"the labels {listed} differ only by case, blanks or the form of letters: are they one?"


def _listed_labels(labels: list[str]) -> str:
    # What looks the same on a screen is written out.
    is_seen = len({unicodedata.normalize("NFC", label) for label in labels}) == len(labels)
    return " and ".join((repr if is_seen else ascii)(label) for label in labels[:4])


def notes_on_labels(y: ArrayLike) -> list[str]:
    """Return what should be known of the labels before anything else."""
    found = many_numbers(y), tiny_class(y), similar_labels(y)
    return [note for note in found if note]


def many_numbers(y: ArrayLike) -> str:
    """Say that a target looks like an amount, of which each value would be a class."""
    values = np.asarray(y)
    number = len(np.unique(values)) if values.dtype.kind in "iuf" else 0
    if number <= MANY_LEVELS:
        return ""
    return f"the target has {number:,} different numbers: is it an amount, and not a class?"


def tiny_class(y: ArrayLike) -> str:
    """Say which classes have one or two rows, from which nothing can be learned or shown."""
    labels, counts = np.unique(np.asarray(y, dtype=str), return_counts=True)
    small = [(label, count) for label, count in zip(labels, counts, strict=True) if count < 3]
    if not small:
        return ""
    listed = ", ".join(f"'{label}' ({count})" for label, count in small[:4])
    subject = "a class has" if len(small) == 1 else "some classes have"
    return f"{subject} fewer than three rows, which is too few to learn or to test: {listed}"
