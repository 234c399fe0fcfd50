"""Commas in numbers: refused, declared, and remembered by a model."""

import numpy as np
import pytest


@pytest.fixture
def amounts(tmp_path):
    """A table as Excel writes it: amounts with thousands, of which none shows that it is."""
    rng = np.random.default_rng(0)
    amount = np.r_[rng.integers(5, 1000, 80), rng.integers(1000, 9000, 20)]
    rows = [f"{value:,}\t{rng.integers(9)}\t{'yn'[int(value < 1000)]}" for value in amount]
    path = tmp_path / "amounts.tsv"
    path.write_text("\n".join(["amount\tn\tlate", *rows]))
    return path


def test_a_comma_that_may_be_either_is_refused(icost, amounts):
    code, _, err = icost("fit", amounts, "-o", "m.skops")
    assert code == 1 and "may be" in err and "--thousands ," in err and "--decimal ," in err


def test_a_model_remembers_how_its_numbers_are_written(icost, amounts, tmp_path):
    fit = ["fit", amounts, "--thousands", "comma", "-s", "ncs", "-o", "m.skops"]
    assert icost(*fit)[0] == 0
    (tmp_path / "new.tsv").write_text("amount\tn\n7,500\t1\n12\t1\n")
    code, out, err = icost("predict", "m.skops", "new.tsv")
    assert code == 0 and out.split() == ["prediction", "y", "n"] and not err


def test_a_comparison_hands_the_marks_on(icost, amounts):
    few = ["-s", "cs", "--folds", "2", "--repeats", "1"]
    assert "--decimal ." in icost("compare", amounts, "--decimal", ".", *few)[1]


def test_an_unknown_mark_is_refused(icost, amounts):
    code, _, err = icost("analyze", amounts, "--thousands", "x")
    assert code == 2 and "expected a comma, dot, apostrophe or space, got 'x'" in err


@pytest.mark.parametrize(
    ("column", "cells", "new", "same"),
    [
        ("amount", [place * 9 for place in range(60)], "1.200", "1200"),
        ("score", [f"{place % 7}.{place % 9}" for place in range(60)], "1.250", "1.25"),
    ],
)
def test_dots_in_new_rows_are_read_as_in_the_rows_of_the_fit(
    icost, tmp_path, column, cells, new, same
):
    rows = [f"{place},5;{cell};{'yn'[place > 9]}" for place, cell in enumerate(cells)]
    (tmp_path / "old.csv").write_text("\n".join([f"share;{column};late", *rows]))
    assert icost("fit", "old.csv", "-s", "ncs", "-o", "m.skops")[0] == 0
    # No column of the new rows shows by itself what its marks are.
    (tmp_path / "new.csv").write_text(f"share;{column}\n1,250;{new}\n")
    (tmp_path / "same.csv").write_text(f"share;{column}\n1,25;{same}\n")
    predicted = icost("predict", "m.skops", "new.csv", "--proba")
    assert predicted[0] == 0 and predicted == icost("predict", "m.skops", "same.csv", "--proba")


def test_a_model_remembers_that_its_file_has_decimal_points(icost, tmp_path):
    rows = [f"{place}.5;{place % 7};{'yn'[place > 9]}" for place in range(60)]
    (tmp_path / "old.csv").write_text("\n".join(["share;n;late", *rows]))
    assert icost("fit", "old.csv", "-s", "ncs", "-o", "m.skops")[0] == 0
    (tmp_path / "new.csv").write_text("share;n\n1.250;1\n3;2\n")
    (tmp_path / "same.csv").write_text("share;n\n1.25;1\n3.0;2\n")
    predicted = icost("predict", "m.skops", "new.csv", "--proba")
    assert predicted[0] == 0 and predicted == icost("predict", "m.skops", "same.csv", "--proba")
    (tmp_path / "old.csv").write_text("\n".join(["share;n;late", *rows]).replace(".5", ""))
    assert icost("fit", "old.csv", "-s", "ncs", "-o", "m.skops")[0] == 0
    assert "'1.250' in column 'share' may be 1250" in icost("predict", "m.skops", "new.csv")[2]
