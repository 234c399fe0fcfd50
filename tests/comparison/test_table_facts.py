"""What is odd about the columns of a table, by tables written by hand."""

import numpy as np
import pandas as pd
import pytest

from icost._table._columns import plain_table
from icost.comparison._table_facts import (
    group_column,
    leaks,
    missing_cells,
    odd_columns,
    repeated_rows,
    separation,
    similar_labels,
    small_minority,
    tiny_class,
)

LATE = np.repeat([False, True], [20, 10])
"""Labels of thirty rows, the last ten of the minority."""


def leak_of(values, is_minority=LATE):
    found = leaks(pd.DataFrame({"column": values}), np.where(is_minority, "yes", "no"))
    return found[0]["problem"] if found else None


def days(n_rows=30):
    return [f"2024-01-{day:02d}" for day in range(1, n_rows + 1)]


def test_dates_that_tell_the_classes_apart_name_the_first_day_of_the_later_class():
    assert leak_of(days()) == (
        "alone separates the classes (cut at 2024-01-21): is it known before the outcome?"
    )


def test_a_missing_date_is_on_neither_side():
    dates = np.array(days(), dtype=object)
    dates[-3:] = None  # three rows of the later class, which would be before all dates
    assert "at 2024-01-21" in leak_of(dates)


def test_every_class_of_several_may_be_told_by_a_column():
    labels = np.repeat(["few", "many", "most"], [6, 10, 14])
    (found,) = leaks(pd.DataFrame({"column": np.where(labels == "many", 2.0, 1.0)}), labels)
    assert found["problem"].startswith("alone separates class 'many':")


def test_the_first_date_is_no_missing_one():
    # Without the five rows of the first day, nothing would tell their class.
    is_first = np.arange(30) < 5
    dates = np.array(["2024-01-01"] * 5 + days(30)[5:], dtype=object)
    assert "at 2024-01-06" in leak_of(dates, is_first)


def test_a_number_that_tells_the_classes_apart_names_the_middle_of_both():
    assert "separates the classes (cut at 20.5):" in leak_of(np.arange(1.0, 31.0))


def test_of_two_values_no_cut_need_be_named():
    assert "separates the classes:" in leak_of(np.where(LATE, 3.0, 7.0))
    # Of three it must be: those of the majority are 1 and 2.
    assert "separates the classes (cut at 2.5):" in leak_of(
        np.where(LATE, 3.0, np.arange(30) % 2 + 1)
    )


def test_a_number_that_tells_nothing_is_no_leak():
    assert leak_of(np.arange(30.0) % 7) is None


def test_separation_is_the_share_of_pairs_in_order():
    # Of the six pairs of a minority and a majority row, 3 < 5 alone is in the other order.
    table = pd.DataFrame({"noise": [1.0, 1, 1, 1, 1], "value": [3.0, 6, 1, 2, 5]})
    found = separation(table, np.array([True, True, False, False, False]))
    assert [entry["name"] for entry in found] == ["value", "noise"]
    assert found[0]["auc"] == pytest.approx(5 / 6) and found[0]["higher"]
    assert found[1]["auc"] == 0.5
    turned = separation(-table, np.array([True, True, False, False, False]))[0]
    assert turned["auc"] == pytest.approx(5 / 6) and not turned["higher"]


def problem_of(values):
    found = odd_columns(pd.DataFrame({"column": values}))
    return found[0]["problem"] if found else ""


def test_numbers_that_are_dealt_out_fill_at_most_twice_their_number():
    # Thirty numbers from 1 to 60 span 60, which is twice as many; to 61 they span one more.
    shuffled = np.random.default_rng(0).permutation(np.append(np.arange(1.0, 30.0), 60.0))
    assert problem_of(shuffled).startswith("is a whole number that differs in every row")
    assert problem_of(np.where(shuffled == 60, 61.0, shuffled)) == ""


def test_text_is_judged_as_text_and_numbers_as_numbers():
    assert problem_of(np.arange(30.0)).startswith("counts the rows")
    assert problem_of([f"{number},5" for number in range(30)]).startswith(
        "is text that looks like numbers, such as '0,5'"
    )
    assert problem_of([f"word{number}" for number in range(30)]).startswith(
        "is text that differs in nearly every row"
    )
    assert problem_of(["a", None] * 15) == ""
    assert problem_of(["a"] * 30) == "has the same value in every row"
    assert problem_of([np.nan] * 30) == "is empty"


def test_units_of_a_group_are_whole_numbers_with_a_name_that_says_so():
    whole = np.repeat(np.arange(30.0), 3)
    assert group_column(pd.DataFrame({"patient": whole})) == "patient"
    assert group_column(pd.DataFrame({"patient": whole / 4})) == ""
    assert group_column(pd.DataFrame({"dose": whole})) == ""
    assert group_column(pd.DataFrame({"dose": [f"no. {n:.0f}" for n in whole]})) == "dose"


def test_gaps_and_repeated_rows_are_counted():
    table = pd.DataFrame({"a": [1.0, 1, 1, np.nan], "b": [2.0, 2, 2, np.nan], "c": [0.0, 0, 0, 5]})
    found = missing_cells(table)
    assert (found["cells"], found["share"], found["rows"]) == (2, 2 / 12, 1)
    assert found["columns"][0] == {"name": "a", "cells": 1, "share": 0.25}
    # The second row repeats the first; the third contradicts both.
    assert repeated_rows(table, ["x", "x", "y", "y"]) == {"repeated": 1, "conflicting": 3}


PHONES = np.random.default_rng(0).choice(np.arange(10**8, 10**9, 7), 300, replace=False)


class TestTableFacts:
    def test_repeated_rows_by_hand(self):
        X = pd.DataFrame({"a": [1.0, 1.0, 1.0, np.nan, np.nan], "b": list("xxyzz")})
        y = pd.Series(["n", "p", "n", "n", "n"])
        assert repeated_rows(X, y) == {"repeated": 1, "conflicting": 2}

    def test_missing_cells_by_hand(self):
        found = missing_cells(pd.DataFrame({"a": [1.0, np.nan], "b": [np.nan, np.nan]}))
        assert (found["cells"], found["share"], found["rows"]) == (3, 0.75, 2)
        assert [column["name"] for column in found["columns"]] == ["b", "a"]

    def test_separation_is_the_auc(self):
        from sklearn.metrics import roc_auc_score

        values, truth = np.array([3.0, 1.0, 2.0, 2.0, 5.0]), np.array([1, 0, 1, 0, 0], dtype=bool)
        (entry,) = separation(pd.DataFrame({"a": values}), truth)
        expected = roc_auc_score(truth, values)
        assert entry["auc"] == pytest.approx(max(expected, 1 - expected))

    def test_identifiers_are_odd(self):
        X = pd.DataFrame({"id": [f"p{i}" for i in range(40)], "a": [1.0, 2.0] * 20}).astype(
            {"id": object}
        )
        assert [entry["name"] for entry in odd_columns(X)] == ["id"]

    @pytest.mark.parametrize(
        ("values", "problem"),
        [
            (np.arange(5.0, 45.0), "counts the rows, as an index does"),
            (np.arange(40.0)[::-1], "a whole number that differs in every row, as an identifier"),
            # Of ten digits, and of nine: seconds since 1970 lie in between.
            (PHONES + 4e9, "a whole number that differs in every row, as an identifier"),
            (PHONES, "a whole number that differs in every row, as an identifier"),
            ([*PHONES[:-1], PHONES[0]], "codes of 9 digits that nearly all differ"),
            ([f"K{i}" for i in range(150)] + ["K1"] * 60, "with 150 levels, most of which occur"),
            ([np.nan] * 40, "is empty"),
            ([3.0] * 40, "has the same value in every row"),
            ([f"{i},5" for i in range(40)], "looks like numbers, such as '0,5'"),
            # One long cell among numbers is a slip, and makes no codes of them.
            ([f"{i},5" for i in range(39)] + ["12345678901234567890"], "looks like numbers"),
            # Codes of many digits are no numbers, also where a few are short.
            ([str(10**25 + i) for i in range(39)] + ["12"], "differs in nearly every row"),
            ([f"{i} %" for i in range(40)] * 2, "looks like numbers, such as '0 %'"),
            (
                [f"{i % 28 + 1:02d}.01.24" for i in range(40)],
                "such as '01.01.24': write them as 2024-01-31",
            ),
        ],
    )
    def test_columns_that_should_be_something_else(self, values, problem):
        plain = plain_table(pd.DataFrame({"a": values}))
        (entry,) = odd_columns(plain)
        assert problem in entry["problem"]

    @pytest.mark.parametrize(
        "values",
        [
            np.arange(40.0) ** 2,
            np.arange(40.0)[::-1] / 2,
            np.random.default_rng(0).integers(20, 5000, 400),
            np.random.default_rng(0).normal(size=50),
            [f"{i} kg" for i in range(30)] * 3,
            # What is read as dates, and what is read for its words.
            [f"2024-01-{i % 28 + 1:02d}" for i in range(40)],
            [f"{i % 28 + 1}.1.2024" for i in range(40)],
            [f"they said {i} words" for i in range(40)],
            # Prices, and seconds since 1970.
            np.random.default_rng(0).permutation(np.arange(100_000.0, 999_999.0, 2_977.0)),
            1.7e9 + np.random.default_rng(0).permutation(np.arange(0.0, 9e6, 30_011.0)),
        ],
    )
    def test_columns_that_are_fine(self, values):
        assert odd_columns(plain_table(pd.DataFrame({"a": values}))) == []


SPREAD = np.linspace(1, 2, 60)
DAYS = np.datetime64("2024-01-01") + np.arange(60)


class TestLeaks:
    truth = np.arange(60) % 6 == 0
    labels = np.where(truth, "yes", "no")
    rng = np.random.default_rng(0)

    @pytest.mark.parametrize(
        ("values", "how"),
        [
            (np.where(truth, 1.0, 0.0), ":"),
            (np.where(truth, -5.0, 5.0) + np.linspace(0, 1, 60), " (cut at 0."),
            (np.where(truth, "paid", "open"), ":"),
            (np.where(truth, 1.5, np.nan), " by its gaps"),
            (np.where(np.arange(60) % 7 == 0, np.nan, truth * 2.0), ":"),
            (np.where(truth, np.nan, np.linspace(0, 1, 60)), " by its gaps"),
            (np.where(truth, 1.0, rng.choice([0.0, 2.0], 60)), ":"),
            (np.where(truth, 0.1, rng.choice([-1.0, 1.0], 60)) * SPREAD, " (between"),
            (np.where(truth, rng.choice([-1.0, 1.0], 60), 0.1) * SPREAD, " (between"),
            (np.where(truth, DAYS + np.timedelta64(99, "D"), DAYS), " (cut at 2024-0"),
            (np.where(truth, DAYS + np.timedelta64(99, "D"), DAYS).astype(str), " (cut at 2024-0"),
        ],
    )
    def test_a_column_that_knows_the_answer(self, values, how):
        noise = self.rng.normal(size=60)
        (entry,) = leaks(plain_table(pd.DataFrame({"noise": noise, "a": values})), self.labels)
        assert entry["name"] == "a" and f"alone separates the classes{how}" in entry["problem"]
        assert entry["problem"].endswith("is it known before the outcome?")

    @pytest.mark.parametrize(
        "values",
        [
            rng.normal(size=60),
            np.where(truth, 1.0, np.arange(60) % 3),
            [f"name {i}" for i in range(60)],
            np.full(60, np.nan),
            np.full(60, 3.0),
        ],
    )
    def test_others_do_not(self, values):
        assert leaks(plain_table(pd.DataFrame({"a": values})), self.labels) == []

    def test_codes_of_many_levels(self):
        y = np.arange(600) % 6 == 0
        codes = 2.0 * self.rng.integers(0, 30, 600) + y
        (entry,) = leaks(pd.DataFrame({"a": codes}), y)
        assert "alone separates the classes:" in entry["problem"]
        assert leaks(pd.DataFrame({"a": self.rng.permutation(codes)}), y) == []

    def test_a_hundredth_may_lie_on_the_wrong_side(self):
        y = np.arange(1000) % 5 == 0
        values = np.where(y, 0.0, np.where(np.arange(1000) % 2, -2.0, 2.0))
        values += self.rng.uniform(-0.9, 0.9, 1000)
        values[[0, 1, 2, 3, 4, 5]] *= -1  # still outside, or inside
        values[[10, 20]] = 5.0, -5.0
        assert len(leaks(pd.DataFrame({"a": values}), y)) == 1
        values[30] = 5.0
        assert leaks(pd.DataFrame({"a": values}), y) == []

    def test_one_class_of_several(self):
        y = np.arange(90) % 3
        X = pd.DataFrame({"a": np.where(y == 2, 9.0, self.rng.normal(size=90))})
        (entry,) = leaks(plain_table(X), y)
        assert "alone separates class '2' (cut at" in entry["problem"]

    def test_four_rows_prove_nothing(self):
        y = np.arange(60) < 4
        assert leaks(pd.DataFrame({"a": y.astype(float)}), y) == []


@pytest.mark.parametrize(
    ("labels", "listed"),
    [
        (["Yes", "yes", "no"], "'Yes' and 'yes'"),
        (["a b", "a  b", "c"], "'a  b' and 'a b'"),
        (["Yes", "no", "yes", "No"], "'Yes' and 'yes', and 'No' and 'no'"),
        (["\u00e9", "e\u0301"], r"'e\u0301' and '\xe9'"),
        (["yes", "no"], ""),
        ([1, 2, 3], ""),
    ],
)
def test_labels_that_look_the_same(labels, listed):
    found = similar_labels(labels)
    assert (listed in found and found.endswith("are they one?")) if listed else found == ""


def test_classes_of_hardly_any_row():
    assert tiny_class(list("aaab")).endswith("which is too few to learn or to test: 'b' (1)")
    assert "'b' (1), 'c' (2)" in tiny_class(list("aaabcc"))
    assert tiny_class(list("aaabbb")) == ""


def test_twenty_rows_of_the_minority_draw_no_caution():
    assert small_minority(["p"] * 20 + ["n"] * 30) == ""
    assert "class 'p' has only 19 rows" in small_minority(["p"] * 19 + ["n"] * 30)
