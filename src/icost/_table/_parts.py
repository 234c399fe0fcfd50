"""How columns of each type become numbers: medians, parts of dates, levels, shares and topics."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import TargetEncoder, normalize

from icost._core.arrays import Bools, Floats, Ints
from icost._table._columns import NAMED, NUMERIC, ColumnType, Table, codes_among, learned_levels
from icost._table._dates import date_parts

MAX_TOPICS = 30
"""Numbers that a column of text becomes at most, beside its length and its number of words."""

MAX_TERMS = 8_000
"""Terms that all columns of text together are read for, so that saved models stay small."""

#: What a term is: a word, or letters in a row where texts have few words, as names and codes have.
_WORDS: dict[str, Any] = {"analyzer": "word"}
_LETTERS: dict[str, Any] = {"analyzer": "char_wb", "ngram_range": (3, 4)}
_FEW_WORDS = 3

#: Standard errors between classes from which it matters where the gaps of a column are.
_TELLING = 3.0


class NumberPart:
    """Numbers and truth values, with the median, or the mean, for a gap."""

    def __init__(self, impute: str = "median") -> None:
        self.impute = impute

    def fit(self, table: Table, codes: Ints | None) -> NumberPart:
        """Learn medians, and the columns whose gaps are more common in some class."""
        self.columns_ = _named_columns(table, ColumnType.NUMBER, ColumnType.TRUTH)
        numbers = self._numbers(table)
        gaps = np.isnan(numbers)
        self.fill_ = np.zeros(numbers.shape[1])
        for place in np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0)):
            present = numbers[~gaps[:, place], place]
            self.fill_[place] = np.mean(present) if self.impute == "mean" else np.median(present)
        self.telling_ = [place for place in range(gaps.shape[1]) if _tells(gaps[:, place], codes)]
        return self

    def transform(self, table: Table) -> Floats:
        """Return numbers without gaps."""
        numbers = self._numbers(table)
        gaps = np.isnan(numbers)
        return np.where(gaps, self.fill_, numbers) if gaps.any() else numbers

    def gaps(self, table: Table) -> Floats:
        """Return 1 where a column is missing whose gaps go with a class."""
        return np.isnan(self._numbers(table)[:, self.telling_]).astype(np.float64)

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.columns_)

    def gap_names(self) -> list[str]:
        """Return the names of the columns of gaps."""
        return [f"{list(self.columns_)[place]}: missing" for place in self.telling_]

    def _numbers(self, table: Table) -> Floats:
        places = list(self.columns_.values())
        return table.numbers if len(places) == table.numbers.shape[1] else table.numbers[:, places]


def _named_columns(table: Table, *types: ColumnType) -> dict[str, int]:
    """Return the places, in the block that they are in, of the columns of some types."""
    block = NUMERIC if types[0] in NUMERIC else NAMED
    wanted = set(table.types.named(*types))
    return {name: place for place, name in enumerate(table.types.named(*block)) if name in wanted}


def _tells(gaps: Bools, codes: Ints | None) -> bool:
    """Whether gaps are more common in some class than chance explains."""
    if codes is None or not gaps.any() or gaps.all():
        return False
    rows, missing = np.bincount(codes), np.bincount(codes, weights=gaps)
    share, n_others = gaps.mean(), len(codes) - rows
    difference = missing / rows - (gaps.sum() - missing) / n_others
    error = np.sqrt(share * (1 - share) * (1 / rows + 1 / n_others))
    return bool((np.abs(difference) > _TELLING * error).any())


class TimePart:
    """Times as seconds and the parts of a date that vary, with the median for a gap."""

    def fit(self, table: Table, codes: Ints | None) -> TimePart:
        """Learn which parts vary, and their medians."""
        self.columns_ = _named_columns(table, ColumnType.TIME)
        self.median_: dict[str, dict[str, float]] = {}
        for name, place in self.columns_.items():
            parts = date_parts(table.numbers[:, place])
            present = {key: values[~np.isnan(values)] for key, values in parts.items()}
            self.median_[name] = {
                key: float(np.median(values))
                for key, values in present.items()
                if len(values) and values.min() < values.max()
            }
        return self

    def transform(self, table: Table) -> Floats:
        """Return the parts that varied."""
        columns = [np.empty((table.n_rows, 0))]
        for name, place in self.columns_.items():
            parts = date_parts(table.numbers[:, place])
            for key, median in self.median_[name].items():
                columns.append(np.where(np.isnan(parts[key]), median, parts[key])[:, np.newaxis])
        return np.hstack(columns)

    def names(self) -> list[str]:
        """Return the names of the parts."""
        return [f"{name}: {key}" for name, medians in self.median_.items() for key in medians]


class LevelPart:
    """Few levels, one column for each, and one for gaps."""

    def fit(self, table: Table, codes: Ints | None) -> LevelPart:
        """Learn the levels."""
        self.columns_ = _named_columns(table, ColumnType.LEVEL)
        self.levels_ = {name: learned_levels(table, p) for name, p in self.columns_.items()}
        self.has_gaps_ = {
            name: bool((table.codes[:, place] < 0).any()) for name, place in self.columns_.items()
        }
        return self

    def transform(self, table: Table) -> Floats:
        """Return 1 for the level of each row; a level that was not learned has none."""
        columns = [np.empty((table.n_rows, 0))]
        for name, place in self.columns_.items():
            codes = codes_among(self.levels_[name], table, place)
            width = len(self.levels_[name]) + self.has_gaps_[name]
            columns.append((codes[:, np.newaxis] == np.arange(width)).astype(np.float64))
        return np.hstack(columns)

    def names(self) -> list[str]:
        """Return the names of columns and levels."""
        names = []
        for name, levels in self.levels_.items():
            names += [f"{name} = {level}" for level in levels.tolist()]
            names += [f"{name} = missing"] if self.has_gaps_[name] else []
        return names


class ManyPart:
    """Many levels as the share of the minority, or of each class, among rows of the same level."""

    columns_: dict[str, int]
    encoder_: Any

    def fit(self, table: Table, codes: Ints | None) -> ManyPart:
        """Learn the shares, or without classes how frequent each level is."""
        self._learn(table)
        if self.columns_ and codes is not None:
            self.encoder_ = _target_encoder(codes).fit(self._codes(table), codes)
        return self

    def fit_transform(self, table: Table, codes: Ints | None) -> Floats:
        """Learn shares, and return for each row the share among rows of other folds."""
        self._learn(table)
        n_folds = 0 if codes is None else min(5, int(np.bincount(codes).min()))
        if not self.columns_ or codes is None or n_folds < 2:
            return self.fit(table, codes).transform(table)
        cells = self._codes(table)
        self.encoder_ = _target_encoder(codes).fit(cells, codes)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=0).split(cells, codes)
        # By hand, since scikit-learn 1.9 seeds the encoder's own folds in another way than 1.6.
        shares = np.empty((table.n_rows, len(self.encoder_.encodings_)))
        for train, test in folds:
            shares[test] = (
                _target_encoder(codes).fit(cells[train], codes[train]).transform(cells[test])
            )
        return shares

    def _learn(self, table: Table) -> None:
        self.encoder_ = None
        self.columns_ = _named_columns(table, ColumnType.MANY)
        self.levels_ = {name: learned_levels(table, p) for name, p in self.columns_.items()}
        self.frequencies_ = [
            np.bincount(codes, minlength=len(levels) + 1) / len(codes)
            for levels, codes in zip(self.levels_.values(), self._codes(table).T, strict=True)
        ]

    def transform(self, table: Table) -> Floats:
        """Return the share of each row's level; one that was not learned has that of all rows."""
        codes = self._codes(table)
        if self.encoder_ is not None:
            return self.encoder_.transform(codes)
        shares = [
            np.append(f, 0.0)[column] for f, column in zip(self.frequencies_, codes.T, strict=True)
        ]
        return np.column_stack(shares) if shares else np.empty((table.n_rows, 0))

    def _codes(self, table: Table) -> Ints:
        codes = [codes_among(self.levels_[name], table, p) for name, p in self.columns_.items()]
        return np.column_stack(codes) if codes else np.empty((table.n_rows, 0), dtype=np.intp)

    def names(self) -> list[str]:
        """Return the names of the shares."""
        if self.encoder_ is None:
            return [f"{name}: frequency" for name in self.columns_]
        n_shares = len(self.encoder_.encodings_) // max(1, len(self.columns_))
        if n_shares == 1:
            return [f"{name}: share of the minority" for name in self.columns_]
        return [f"{name}: share of class {c}" for name in self.columns_ for c in range(n_shares)]


def _target_encoder(codes: Ints) -> Any:
    encoder = TargetEncoder(target_type="binary" if codes.max() == 1 else "multiclass")
    return encoder.set_output(transform="default")


class TextPart:
    """Text as topics, its length and its number of words."""

    def fit(self, table: Table, codes: Ints | None) -> TextPart:
        """Learn terms and topics."""
        self.columns_ = _named_columns(table, ColumnType.TEXT)
        max_terms = MAX_TERMS // max(1, len(self.columns_))
        self.topics_ = {
            name: Topics(max_terms).fit(learned_levels(table, place).tolist())
            for name, place in self.columns_.items()
        }
        return self

    def transform(self, table: Table) -> Floats:
        """Return the numbers of each row's text, zeros for a gap."""
        columns = [np.empty((table.n_rows, 0))]
        for name, place in self.columns_.items():
            texts, codes = np.unique(table.codes[:, place], return_inverse=True)
            present = table.levels[place][texts[texts >= 0]]
            numbers = self.topics_[name].transform(present.tolist())
            no_text = np.zeros((len(texts) - len(present), numbers.shape[1]))
            columns.append(np.vstack([no_text, numbers])[codes])
        return np.hstack(columns)

    def names(self) -> list[str]:
        """Return the names of the numbers."""
        names = []
        for name, topics in self.topics_.items():
            n_topics = topics.components_.shape[0]
            names += [f"{name}: topic {number + 1}" for number in range(n_topics)]
            names += [f"{name}: length", f"{name}: words"]
        return names


class Topics:
    """Texts as a few numbers: tf-idf of their terms, and its largest singular vectors."""

    def __init__(self, max_terms: int = MAX_TERMS) -> None:
        self.max_terms = max_terms

    def fit(self, texts: list[str]) -> Topics:
        """Learn the terms that texts share, and what they have in common."""
        self.is_of_words_ = sum(len(text.split()) for text in texts) >= _FEW_WORDS * len(texts)
        self.terms_ = np.empty(0, dtype="U1")
        self.idf_, self.components_ = np.empty(0), np.empty((0, 0), dtype=np.float32)
        if not texts:
            return self
        min_df = 2 if len(texts) > 2 else 1
        counter = self._counter(max_features=self.max_terms, min_df=min_df)
        try:
            counts = counter.fit_transform(texts)
        except ValueError:  # no term is in two of the texts
            return self
        self.terms_ = counter.get_feature_names_out().astype(str)
        n_texts = np.bincount(counts.indices, minlength=len(self.terms_))
        self.idf_ = np.log((1 + len(texts)) / (1 + n_texts)) + 1
        n_topics = min(MAX_TOPICS, len(self.terms_), len(texts))
        svd = TruncatedSVD(n_topics, random_state=0).set_output(transform="default")
        with np.errstate(divide="ignore", invalid="ignore"):  # where texts are all alike
            svd.fit(self._weighed(counts))
        self.components_ = svd.components_.astype(np.float32)
        return self

    def transform(self, texts: list[str]) -> Floats:
        """Return topics, length and number of words of each text."""
        lengths = np.array([[len(text), len(text.split())] for text in texts], dtype=np.float64)
        lengths = lengths.reshape(-1, 2)
        if not len(self.terms_) or not texts:
            return np.hstack([np.zeros((len(texts), len(self.components_))), lengths])
        counter = self._counter(vocabulary=self.terms_.tolist())
        weighed = self._weighed(counter.transform(texts))
        return np.hstack([weighed @ self.components_.T.astype(np.float64), lengths])

    def _counter(self, **options: Any) -> CountVectorizer:
        return CountVectorizer(**(_WORDS if self.is_of_words_ else _LETTERS), **options)

    def _weighed(self, counts: Any) -> Any:
        weighed = csr_array(counts, dtype=np.float64) @ diags_array(self.idf_, format="csr")
        return normalize(csr_array(weighed), copy=False)
