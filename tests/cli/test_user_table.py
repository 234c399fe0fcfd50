"""From what the user typed to a table, or one sentence on why not."""

from pathlib import Path

import pandas as pd
import pytest

DAYS = [f"2024-0{month}-{day:02}" for month in range(1, 10) for day in (3, 17)]


def write(name, cells, column="when"):
    frame = pd.DataFrame({"n": range(len(cells)), column: cells})
    if name.endswith("csv"):
        frame.to_csv(name, index=False)
    else:
        frame.assign(**{column: pd.to_datetime(frame[column])}).to_parquet(name)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("iso.csv", DAYS),
        ("typed.parquet", DAYS),
        ("german.csv", ["31.12.2024", "1.2.2024", "3.4.2024"]),
        ("american.csv", ["12/31/2024", "1/2/2024"]),
    ],
)
def test_dates_are_no_classes(icost, name, cells):
    write(name, cells)
    code, _, err = icost("analyze", name, "-t", "when")
    assert code == 1 and "the target 'when' has dates, such as '" in err and "--target" in err


def test_texts_are_no_classes(icost):
    write("texts.csv", [f"this was order {place}" for place in range(120)], "review")
    err = icost("analyze", "texts.csv")[2]
    assert "'review' has 120 classes, as an identifier, a measurement or a text has" in err


def test_a_column_that_is_left_out_need_not_be_understood(icost, patients):
    lines = patients.read_text().splitlines()
    cells = ["price", '"1,250"', *["12"] * (len(lines) - 2)]
    rows = [f"{cell},{line}" for cell, line in zip(cells, lines, strict=True)]
    Path("shop.csv").write_text("\n".join(rows))
    assert "may be 1250 or 1.250" in icost("analyze", "shop.csv", "-t", "ill")[2]
    code, out, err = icost("analyze", "shop.csv", "-t", "ill", "--drop", "price")
    assert code == 0 and not err and "price" not in out


def test_the_first_line_of_a_spreadsheet_may_name_the_separator(icost):
    Path("sep.csv").write_text("sep=;\na,1;b;y\n1;2;0\n3;4\n")
    assert "sep.csv, line 4: expected 3 values, got 2." in icost("analyze", "sep.csv")[2]


@pytest.mark.parametrize(
    ("option", "same"), [("--day-first", "2024-02-03"), ("--month-first", "2024-03-02")]
)
def test_dates_that_could_be_either_are_read_as_declared(icost, option, same):
    days = [f"0{place % 9 + 1}/0{place // 9 + 1}/2024" for place in range(60)]
    rows = [f"{day},{place % 5},{'yn'[place > 9]}" for place, day in enumerate(days)]
    Path("old.csv").write_text("\n".join(["day,n,late", *rows]))
    fit = ["fit", "old.csv", "-s", "ncs", "-o", "m.skops"]
    assert "--day-first or --month-first" in icost(*fit)[2]
    assert icost(*fit, option)[0] == 0
    Path("new.csv").write_text("day,n\n03/02/2024,1\n,1\n")
    Path("same.csv").write_text(f"day,n\n{same},1\n,1\n")
    predicted = icost("predict", "m.skops", "new.csv", "--proba", option)
    assert predicted[0] == 0 and predicted == icost("predict", "m.skops", "same.csv", "--proba")
