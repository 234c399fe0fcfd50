"""What is odd about the columns of a table, by tables written by hand."""

import numpy as np
import pandas as pd
import pytest

from icost.comparison._table_facts import (
    group_column,
    leaks,
    missing_cells,
    odd_columns,
    repeated_rows,
    separation,
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
    assert problem_of([f"word {number}" for number in range(30)]).startswith(
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
