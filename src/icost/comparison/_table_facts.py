"""What a table holds before anybody learns from it: columns, gaps, repeated rows, labels."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from icost._core.arrays import Bools, Floats
from icost._core.doubts import FEW_ROWS
from icost._table._columns import Table, numbered_times, plain_table, read_table
from icost._table._dates import find_date_style
from icost._table._rows import points_in_time

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class TableFacts:
    """A plain table with its labels, and what is odd about them: computed on demand, and once."""

    frame: pd.DataFrame
    labels: NDArray[Any]
    target: str
    typed: Table

    @classmethod
    def of(cls, X: Any, y: ArrayLike) -> TableFacts:
        """Prepare a table of any type; one that is prepared is returned as it is."""
        if isinstance(X, cls):
            return X
        frame = numbered_times(plain_table(X))
        name = str(getattr(y, "name", None) or "class")
        return cls(frame, np.asarray(y), name, read_table(X))

    @cached_property
    def leaks(self) -> list[dict[str, str]]:
        """Columns that alone tell a class from the rest."""
        return leaks(self.frame, self.labels)

    @cached_property
    def odd_columns(self) -> list[dict[str, str]]:
        """Columns that cannot help, or do harm."""
        return odd_columns(self.frame)

    @cached_property
    def harmful_columns(self) -> list[dict[str, str]]:
        """Odd columns that models should not learn from, by the first rows of a large table."""
        is_small = len(self.frame) <= ROWS_TO_JUDGE_BY
        odd = self.odd_columns if is_small else odd_columns(self.frame.head(ROWS_TO_JUDGE_BY))
        return [entry for entry in odd if entry["problem"] not in (CONSTANT, EMPTY, MIXED)]

    @property
    def identifiers(self) -> list[str]:
        """Columns that differ in nearly every row, leaks aside."""
        leaks = [entry["name"] for entry in self.leaks]
        odd = [entry for entry in self.harmful_columns if entry["name"] not in leaks]
        return [entry["name"] for entry in odd if entry["problem"].endswith(IDENTIFIER)]

    @property
    def smallest_class(self) -> int:
        """How many rows the smallest class has."""
        return int(np.unique(self.labels, return_counts=True)[1].min())

    @cached_property
    def repeated(self) -> dict[str, int]:
        """Numbers of duplicate and of conflicting rows."""
        return repeated_rows(self.frame, self.labels)

    @cached_property
    def label_notes(self) -> list[str]:
        """What should be known of the labels before anything else."""
        return notes_on_labels(self.labels)


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
    both = _equal_rows(X, y)
    is_conflicting = both.groupby("group")["label"].transform("nunique") > 1
    return {"repeated": int(both.duplicated().sum()), "conflicting": int(is_conflicting.sum())}


def contradictions(X: pd.DataFrame, y: ArrayLike) -> list[dict[str, Any]]:
    """Return groups of rows with equal features and different labels, in the table's order."""
    both = _equal_rows(X, y)
    conflicting = both[both.groupby("group")["label"].transform("nunique") > 1]
    return [
        {"rows": (rows.index + 1).tolist(), "labels": rows["label"].astype(str).tolist()}
        for _, rows in conflicting.groupby("group", sort=False)
    ]


def _equal_rows(X: pd.DataFrame, y: ArrayLike) -> pd.DataFrame:
    """Return the label of every row, and a number that rows with equal features share."""
    import pandas as pd

    # 64-bit hashes of the rows: grouping by thirty columns would take seconds.
    group = pd.util.hash_pandas_object(X, index=False, categorize=True)
    return pd.DataFrame({"group": group.to_numpy(), "label": np.asarray(y)})


def separation(X: pd.DataFrame, is_minority: np.ndarray) -> list[dict[str, Any]]:
    """Return how well each numeric column alone tells the minority, the best first.

    ``auc`` is in the direction that is above 0.5; ``higher`` says whether minority values are.
    """
    separated = []
    for name in X.columns:
        if X[name].dtype.kind != "f":
            continue
        values = X[name].to_numpy()
        present = ~np.isnan(values)
        minority = is_minority[present]
        n_minority, n_majority = int(minority.sum()), int((~minority).sum())
        if not n_minority or not n_majority:
            continue
        rank_sum = rankdata(values[present])[minority].sum()
        auc = (rank_sum - n_minority * (n_minority + 1) / 2) / (n_minority * n_majority)
        entry = {"name": name, "auc": float(max(auc, 1 - auc)), "higher": bool(auc >= 0.5)}
        separated.append(entry)
    return sorted(separated, key=lambda entry: -entry["auc"])


CONSTANT = "has the same value in every row"
EMPTY = "is empty"
MIXED = "is text, since a few words stand among its numbers"

ROWS_TO_JUDGE_BY = 10_000
"""Rows that tell what kind of column one is."""

LOOKS_LIKE = {
    "dates": re.compile(r"\d{4}[-/]\d\d?[-/]\d\d?.*|\d\d?[./]\d\d?[./]\d{2,4}.*"),
    "numbers": re.compile(r"[-+]?[$€£]? ?\d[\d.,' ]*[%$€£]?"),
}
"""What text may look like that is better no text; dates with points look like both."""

ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")

UNIT = re.compile(r"(^|_| )(id|patient|user|customer|client|subject|group|family)s?(_|$)", re.I)
"""Names of columns that say to what a row belongs."""

FEW_WORDS = 3
"""Words among numbers that rather stand for gaps than for levels."""

MANY_LEVELS = 20
"""Levels beyond which text is looked at more closely."""

IDENTIFIER = "as an identifier does: leave it out"

LEAK_ROWS = 5
"""Rows of a class, and of the rest, that a column must tell apart before it is called a leak."""

LEAK_SHARE = 0.99
"""Share of a class, and of the rest, that it must get right."""


def odd_columns(X: pd.DataFrame) -> list[dict[str, str]]:
    """Return columns that cannot help, or do harm: constants, identifiers, numbers kept as text."""
    odd = []
    for name in X.columns:
        problem = _problem(X[name])
        if problem:
            odd.append({"name": str(name), "problem": problem})
    return odd


def _problem(column: pd.Series) -> str:
    levels = column.nunique(dropna=False)
    if column.isna().all():
        return EMPTY
    if levels <= 1:
        return CONSTANT
    if levels <= MANY_LEVELS:
        return ""
    return _number_problem(column, levels) if column.dtype.kind == "f" else _text_problem(column)


def date_column(X: pd.DataFrame) -> str:
    """Return the first column of dates that puts all rows in order, also 2012/01/01 as text."""
    for name in X.columns:
        texts = X[name].unique()
        is_text = X[name].dtype.kind not in "ifub"
        looks_dated = len(texts) > 2 and is_text and all(_is_date(str(text)) for text in texts)
        if looks_dated and _has_order(X[name]):
            return str(name)
    return ""


def _has_order(column: pd.Series) -> bool:
    """Whether a comparison can split by it: 01.02.2012 may be of January or of February."""
    try:
        return len(points_in_time(column)) > 0
    except ValueError:
        return False


def _is_date(text: str) -> bool:
    return LOOKS_LIKE["dates"].fullmatch(text) is not None


def group_column(X: pd.DataFrame) -> str:
    """Return the first column whose values look like names of units that have several rows each.

    Text counts, and whole numbers under a name such as ``patient`` or ``customer_id``.
    """
    for name in X.columns:
        column = X[name].dropna()
        is_unit = UNIT.search(str(name)) is not None
        is_number = column.dtype.kind in "ifub"
        if is_number and not (is_unit and (column % 1 == 0).all()):
            continue
        counts = column.value_counts()
        counts = counts[counts > 0]  # levels of a category that do not occur
        enough = len(counts) > (LEAK_ROWS if is_unit else MANY_LEVELS)
        few_each = counts.median() <= len(column) / MANY_LEVELS
        dated = all(_is_date(str(text)) for text in counts.index[:MANY_LEVELS])
        if enough and few_each and (counts > 1).mean() > 0.5 and not dated:
            return str(name)
    return ""


def _number_problem(column: pd.Series, levels: int) -> str:
    values = column.dropna().to_numpy()
    if levels == len(column) == len(values) and bool((np.diff(values) == 1).all()):
        return "counts the rows, as an index does: leave it out"
    is_whole = bool((values == np.floor(values)).all())
    n_distinct = len(np.unique(values))
    if not is_whole or _is_time(values) or n_distinct < 0.99 * len(values):
        return ""
    # Numbers dealt out one by one fill a range; codes of many digits have all of them. Amounts have
    # fewer, and seconds since 1970 lie in a range of their own.
    span = values.max() - values.min() + 1
    digits = np.floor(np.log10(np.maximum(np.abs(values), 1)))
    is_clock = values.min() > 9e8 and values.max() < 2.1e9
    same_length = bool((digits == digits[0]).all()) and digits[0] >= 8 and not is_clock
    if n_distinct == len(values) and (span <= 2 * len(values) or same_length):
        return f"is a whole number that differs in every row, {IDENTIFIER}"
    if same_length:
        return f"holds codes of {int(digits[0]) + 1} digits that nearly all differ, {IDENTIFIER}"
    return ""


def _is_time(values: Floats) -> bool:
    """Whether numbers are dates, which have become seconds, full minutes mostly."""
    return bool((values % 60 == 0).all()) and float(np.abs(values).max()) > 1e8


def _text_problem(column: pd.Series) -> str:
    texts = column.dropna().unique()
    # A number has at most 64 bits: more digits are a code, which numbers would round.
    n_codes = sum(len(str(text)) > 18 and str(text).isdecimal() for text in texts)
    is_code = n_codes > len(texts) / 2
    for content, pattern in LOOKS_LIKE.items():
        if not is_code and all(pattern.fullmatch(str(text)) for text in texts):
            if _are_dates(list(map(str, texts))):
                return ""
            better = "write them as 2024-01-31" if content == "dates" else "write it as numbers"
            return f"is text that looks like {content}, such as {texts[0]!r}: {better}"
    n_words = sum(LOOKS_LIKE["numbers"].fullmatch(str(text)) is None for text in texts)
    if n_words <= FEW_WORDS and not is_code:
        return MIXED
    n_present = column.notna().sum()
    if np.mean([len(str(text).split()) for text in texts]) > 1:
        return ""  # it is read for its words
    if len(texts) > 0.9 * n_present:
        return f"is text that differs in nearly every row, {IDENTIFIER}"
    if len(texts) > 0.5 * n_present and n_present > 100:
        return f"is text with {len(texts):,} levels, most of which occur once, {IDENTIFIER}"
    return ""


def _are_dates(texts: list[str]) -> bool:
    """Whether all texts are dates that become numbers; those that could be either are none."""
    try:
        return find_date_style(texts, None, "") is not None
    except ValueError:
        return False


def leaks(X: pd.DataFrame, y: ArrayLike) -> list[dict[str, str]]:
    """Return columns that alone tell a class from the rest: perhaps they are known only after it.

    A number or a date does so by one question about its size, or by two ends between which it lies,
    text, codes and gaps by their levels. Classes of fewer than `LEAK_ROWS` rows prove nothing, nor
    do levels that hardly any rows share.
    """
    labels, codes = np.unique(np.asarray(y, dtype=str), return_inverse=True)
    counts = np.bincount(codes)
    # For two classes, what predicts one predicts the other.
    judged = [int(np.argmin(counts))] if len(labels) == 2 else range(len(labels))
    leaking = []
    for name in X.columns:
        for code in judged:
            is_class = codes == code
            if min(counts[code], len(codes) - counts[code]) >= LEAK_ROWS:
                how = _describe_leak(X[name], is_class)
                if how is not None:
                    what = "the classes" if len(labels) == 2 else f"class '{labels[code]}'"
                    problem = f"alone separates {what}{how}: is it known before the outcome?"
                    leaking.append({"name": str(name), "problem": problem})
                    break
    return leaking


def _describe_leak(column: pd.Series, is_class: Bools) -> str | None:
    """Return how a column separates a class from the rest, None if it does not."""
    gap = column.isna().to_numpy()
    if gap.any() and max(_agreement(gap, is_class), _agreement(~gap, is_class)) >= LEAK_SHARE:
        return " by its gaps"
    if column.dtype.kind != "f":
        return "" if _levels_tell(column, is_class) else _dates_tell(column, is_class)
    values = column.to_numpy()
    cut = _find_threshold(values, is_class)
    if cut is not None:
        return "" if column.nunique() == 2 else f" (cut at {_shown(cut, values)})"
    if _levels_tell(column, is_class):
        return ""
    ends = _find_interval(values, is_class)
    return ends and f" (between {_shown(ends[0], values)} and {_shown(ends[1], values)})"


def _levels_tell(column: pd.Series, is_class: Bools) -> bool:
    """Whether who knows the level of a row knows whether it is of the class."""
    import pandas as pd

    codes, levels = pd.factorize(column, use_na_sentinel=False)
    # With a level for each row, labels are told by name.
    if len(levels) < 2 or len(levels) > len(codes) / LEAK_ROWS:
        return False
    inside = np.bincount(codes, weights=is_class) / np.bincount(codes)
    return _agreement((inside > 0.5)[codes], is_class) >= LEAK_SHARE


def _dates_tell(column: pd.Series, is_class: Bools) -> str | None:
    """How dates that are text tell a class; those of ISO 8601 are in order as they are written."""
    import pandas as pd

    texts = column.dropna().unique()
    if not all(ISO_DATE.match(str(text)) for text in texts):
        return None
    codes, dates = pd.factorize(column, sort=True)
    cut = _find_threshold(np.where(codes < 0, np.nan, codes), is_class)
    return None if cut is None else f" (cut at {dates[int(np.ceil(cut))]})"


def _shown(value: float, values: Floats) -> str:
    """A number, or the day that it stands for."""
    if _is_time(values[~np.isnan(values)]):
        return str(np.datetime64(int(value), "s"))[:10]
    return f"{value:.4g}"


def _agreement(predicted: Bools, is_class: Bools) -> float:
    """The smaller of the shares that a yes or no gets right, of the class and of the rest."""
    return float(min(predicted[is_class].mean(), (~predicted)[~is_class].mean()))


def _find_threshold(values: Floats, is_class: Bools) -> float | None:
    """A value that parts the class from the rest, None if there is none."""
    order = np.argsort(values, kind="stable")
    ordered, inside = values[order], is_class[order]
    # Gaps are sorted to the end, and are on neither side.
    n_present = int((~np.isnan(ordered)).sum())
    ends = np.flatnonzero(np.diff(ordered[:n_present]) > 0)
    if not len(ends):
        return None
    of_class, of_rest = np.cumsum(inside[:n_present]), np.cumsum(~inside[:n_present])
    below_class, below_rest = of_class[ends], of_rest[ends]
    above_class, above_rest = of_class[-1] - below_class, of_rest[-1] - below_rest
    # Where it is known, if that is often enough to be no accident.
    n_class, n_rest = of_class[-1], of_rest[-1]
    if min(n_class, n_rest) < LEAK_ROWS or 2 * n_present < len(values):
        return None
    up = np.minimum(above_class / n_class, below_rest / n_rest)
    down = np.minimum(below_class / n_class, above_rest / n_rest)
    best = np.maximum(up, down)
    place = int(np.argmax(best))
    if best[place] < LEAK_SHARE:
        return None
    low, high = ordered[ends[place]], ordered[ends[place] + 1]
    return float(low + (high - low) / 2)


def _find_interval(values: Floats, is_class: Bools) -> tuple[float, float] | None:
    """Two values between which the class lies and the rest does not, or the other way round."""
    present = ~np.isnan(values)
    sides = [np.sort(values[present & side]) for side in (is_class, ~is_class)]
    # Two ends fit by accident more easily than one, so that they need more rows.
    if min(map(len, sides)) < 2 * LEAK_ROWS or 2 * present.sum() < len(values):
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
        folded = " ".join(unicodedata.normalize("NFKC", label).casefold().split())
        groups.setdefault(folded, []).append(label)
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
    notes = many_numbers(y), tiny_class(y), small_minority(y), similar_labels(y)
    return [note for note in notes if note]


def many_numbers(y: ArrayLike) -> str:
    """Say that a target looks like an amount, of which each value would be a class."""
    values = np.asarray(y)
    number = len(np.unique(values)) if values.dtype.kind in "iuf" else 0
    if number <= MANY_LEVELS:
        return ""
    return f"the target has {number:,} different numbers: is it an amount, and not a class?"


def small_minority(y: ArrayLike) -> str:
    """Say that the smallest class has too few rows for scores that can be relied on."""
    labels, counts = np.unique(np.asarray(y, dtype=str), return_counts=True)
    smallest = counts.min()
    if not 3 <= smallest < FEW_ROWS:
        return ""
    return (
        f"class '{labels[counts.argmin()]}' has only {smallest} rows: every score depends on "
        "single ones, so collect more before you rely on it"
    )


def tiny_class(y: ArrayLike) -> str:
    """Say which classes have one or two rows, from which nothing can be learned or shown."""
    labels, counts = np.unique(np.asarray(y, dtype=str), return_counts=True)
    small = [(label, count) for label, count in zip(labels, counts, strict=True) if count < 3]
    if not small:
        return ""
    listed = ", ".join(f"'{label}' ({count})" for label, count in small[:4])
    subject = "a class has" if len(small) == 1 else "some classes have"
    return f"{subject} fewer than three rows, which is too few to learn or to test: {listed}"
