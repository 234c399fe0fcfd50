"""Which cells are missing, and words that may mean it in a column of numbers."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

from icost.datasets import TableError, read_frame, read_table


def column(cells, **options):
    return read_frame(io.StringIO("\n".join(["x,y", *(f"{c},1" for c in cells)])), **options)["x"]


NUMBERS = [str(number / 2) for number in range(40)]


def test_what_pandas_reads_as_missing_is_missing():
    words = pd.Series(["#N/A", "N/A", "n/a", "NA", "<NA>", "NULL", "null", "NaN", "nan", "None"])
    theirs = pd.read_csv(io.StringIO("x,y\n" + "".join(f"{w},1\n" for w in words)))["x"]
    assert theirs.isna().all()
    x = column([*NUMBERS, *words])
    assert x.dtype == np.float64 and x.isna().sum() == len(words)


def test_none_stays_a_level_among_words():
    assert column(["None", "mild", "severe", "n/a"]).tolist()[:3] == ["None", "mild", "severe"]


@pytest.mark.parametrize("words", [["-"], [".", "unknown"], ["n.a.", "#DIV/0!"], ["Unknown"] * 30])
def test_words_for_a_gap_among_numbers_are_gaps_and_said_once(words):
    cells = [*NUMBERS[:5], *words, *NUMBERS[5:]]
    with pytest.warns(UserWarning, match="read as missing") as caught:
        x = column(cells)
    assert x.dtype == np.float64 and x.isna().sum() == len(words)
    (said,) = (str(warning.message) for warning in caught)
    listed = ", ".join(map(repr, dict.fromkeys(words)))
    assert f"{listed} in column 'x' ({len(words)} cell" in said


def test_one_sentence_names_all_columns_with_words_for_gaps():
    rows = [f"{number},{number},{number}" for number in range(5)]
    text = "\n".join(["a,b,y", *rows, "-,unknown,1", "n/a,NONE,1"])
    with pytest.warns(UserWarning) as caught:
        frame = read_frame(io.StringIO(text))
    (said,) = (str(warning.message) for warning in caught)
    assert "'-' in column 'a' (1 cell), 'unknown', 'NONE' in column 'b' (2 cells)" in said
    assert frame.isna().sum().tolist() == [2, 2, 0]


@pytest.mark.parametrize("label", ["unknown", "-"])
def test_a_class_is_no_gap(label):
    _, y = read_table(io.StringIO(f"a,y\n1,0\n2,1\n3,{label}\n4,2\n"))
    assert y.tolist() == ["0", "1", label, "2"]


@pytest.mark.parametrize("words", [["high"], ["low", "high"]])
def test_words_among_numbers_are_named_with_their_row_and_can_be_declared(words):
    cells = [*NUMBERS[:5], *words, *NUMBERS[5:]]
    with pytest.warns(UserWarning, match="'x' is read as text") as caught:
        assert column(cells).dtype == "category"
    said = str(caught[0].message)
    assert "line 7" in said and f"{len(words)} of {len(cells)} cells" in said
    assert all(f"--missing {word}" in said and repr(word) in said for word in words)
    x = column(cells, missing=words)
    assert x.dtype == np.float64 and x.isna().sum() == len(words)


def test_words_among_numbers_make_no_identifier_of_a_column():
    from icost.comparison._table_facts import MIXED, odd_columns

    for words, problem in ((["-", "unknown"], MIXED), (list("abcde"), "as an identifier does")):
        cells = pd.Series([*NUMBERS, *words], dtype=object)
        (entry,) = odd_columns(pd.DataFrame({"x": cells}))
        assert problem in entry["problem"] and (problem == MIXED or MIXED not in entry["problem"])


def test_words_beside_decimal_commas_are_said_once_as_well():
    with pytest.warns(UserWarning, match=r"missing: '-' in column 'b' \(1 cell\)\.$"):
        read_frame(io.StringIO("a;b\n1,5;-\n2,5;1.25\n3,5;2.5\n"))


@pytest.mark.parametrize(
    "cells",
    [
        [*NUMBERS, *(f"A{n}" for n in range(4))],  # codes
        [*NUMBERS[:9], *["pending"] * 5],  # a level
        ["1", *["-"] * 5],
        ["red", "green", "red"],
    ],
)
def test_text_is_nothing_to_warn_of(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert column(cells).dtype == "category"


def test_a_word_beside_decimal_commas_is_found():
    rows = "".join(f"{number},5;{number % 2}\n" for number in range(20))
    with pytest.warns(UserWarning, match="--missing high"):
        read_frame(io.StringIO("x;y\n" + rows + "high;1\n"))
    with pytest.warns(UserWarning, match="read as missing: '-' in column 'x'"):
        assert read_frame(io.StringIO("x;y\n" + rows + "-;1\n"))["x"].isna().sum() == 1


def test_numbers_may_be_names_among_words():
    X, y = read_table(io.StringIO("region,2019,inf,2020,y\nnorth,1,2,3,no\nsouth,4,5,6,yes\n"))
    assert list(X.columns) == ["region", "2019", "inf", "2020"] and y.tolist() == ["no", "yes"]


@pytest.mark.parametrize("text", ["5.1,3.5,a\n4.9,3.0,b\n6.1,3.1,a\n", "5,3\n4,3\n", ",7.5\n0,2\n"])
def test_a_first_row_of_data_is_refused(text):
    with pytest.raises(TableError, match="line 1: expected column names, got the number"):
        read_frame(io.StringIO(text))
