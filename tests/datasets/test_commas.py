"""A comma in a number is never guessed."""

import io

import pytest

from icost.datasets import TableError, read_frame, read_table


def column(cells, delimiter="\t", **options):
    """Read a column of cells that stands beside a class."""
    rows = [f'"{cell}"{delimiter}{place % 2}' for place, cell in enumerate(cells)]
    text = "\n".join([f"x{delimiter}y", *rows])
    return read_frame(io.StringIO(text), delimiter=delimiter, **options)["x"]


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,5", "7"], [1.5, 7]),
        (["12,34", "-2,25"], [12.34, -2.25]),
        (["1.234,5", "1.234", "2,5"], [1234.5, 1234, 2.5]),
        (["1,362", "0,5"], [1.362, 0.5]),
        (["0,362", "1,250"], [0.362, 1.25]),
        (["1362,500", "7,250"], [1362.5, 7.25]),
        (["1,5e3", ",5"], [1500, 0.5]),
        (["1,234,567", "1,362", "12"], [1234567, 1362, 12]),
        (["1,234.5", "1,362"], [1234.5, 1362]),
        (["1,362", "4.5"], [1362, 4.5]),
        (["1.234.567", "1.234"], [1234567, 1234]),
        (["1.234", "12.5"], [1.234, 12.5]),
        (["1.234", "0.997", "12"], [1.234, 0.997, 12]),
        (["1.234", "2.345"], [1.234, 2.345]),
    ],
)
def test_a_column_shows_by_all_its_cells_what_a_comma_is(cells, numbers, delimiter):
    assert column(cells, delimiter).tolist() == numbers


@pytest.mark.parametrize(
    "cells", [["1,2,3", "4"], ["1,5", "1,234,567"], ["1,23,456", "7"], ["a,b", "c"], ["1,5", "2.5"]]
)
def test_cells_that_are_numbers_in_no_form_are_text(cells):
    assert column(cells).tolist() == cells


@pytest.mark.parametrize("delimiter", ["\t", ";", "|", ","])
def test_a_column_that_fits_both_readings_is_refused(delimiter):
    cells = ["12", "997", "1,362", "4,210"]
    with pytest.raises(TableError) as caught:
        column(cells, delimiter)
    sentence = str(caught.value)
    assert "line 4: '1,362' in column 'x' may be 1362 or 1.362" in sentence
    assert "--thousands ," in sentence and "--decimal ," in sentence
    assert column(cells, delimiter, thousands=",").tolist() == [12, 997, 1362, 4210]
    assert column(cells, delimiter, decimal=".").tolist() == [12, 997, 1362, 4210]
    assert column(cells, delimiter, decimal=",").tolist() == [12, 997, 1.362, 4.21]
    assert column(cells, delimiter, as_text=["x"]).tolist() == cells


@pytest.mark.parametrize("delimiter", ["\t", ";", "|"])
@pytest.mark.parametrize("gap", [[], [""], ["n/a"]])
def test_dots_before_three_digits_beside_whole_numbers_are_doubtful(delimiter, gap):
    cells = ["12", "997", "1.362", "4.210", *gap]
    with pytest.raises(TableError, match=r"'1.362' in column 'x' may be 1362 or 1.362"):
        column(cells, delimiter)
    assert column(cells, delimiter, thousands=".").tolist()[:4] == [12, 997, 1362, 4210]
    assert column(cells, delimiter, decimal=",").tolist()[:4] == [12, 997, 1362, 4210]
    assert column(cells, delimiter, decimal=".").tolist()[:4] == [12, 997, 1.362, 4.21]
    assert column(cells, ",").tolist()[:4] == [12, 997, 1.362, 4.21]


def test_marks_of_both_sorts_may_leave_the_choice_open():
    with pytest.raises(TableError, match="'1,362' in column 'x' may be 1362 or 1.362"):
        column(["4.500", "1,362"])
    assert column(["4.500", "1,362"], decimal=",").tolist() == [4500, 1.362]


def test_dots_before_three_digits_are_doubtful_beside_decimal_commas():
    text = "a;b;y\n1,5;1.234;0\n2,5;2.345;1\n"
    with pytest.raises(TableError, match="'1.234' in column 'b' may be 1234 or 1.234, since 'a'"):
        read_frame(io.StringIO(text))
    assert read_frame(io.StringIO(text), decimal=",")["b"].tolist() == [1234, 2345]
    assert read_frame(io.StringIO(text), thousands=".")["b"].tolist() == [1234, 2345]
    assert read_frame(io.StringIO(text), decimal=".")["b"].tolist() == [1.234, 2.345]
    assert read_frame(io.StringIO(text.replace("2.345", "9.97")))["b"].tolist() == [1.234, 9.97]


def test_what_is_declared_does_not_change_what_a_column_shows():
    assert column(["1,5", "2"], thousands=",").tolist() == [1.5, 2]
    assert column(["1,234.5"], decimal=",").tolist() == [1234.5]


@pytest.mark.parametrize("mark", ["'", " ", "\N{NARROW NO-BREAK SPACE}"])
def test_other_marks_of_thousands_must_be_declared(mark):
    cells = [f"1{mark}234,5", f"12{mark}345,25"]
    assert column(cells).tolist() == cells
    assert column(cells, thousands=mark).tolist() == [1234.5, 12345.25]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimal": ";"}, "decimal must be one of"),
        ({"thousands": "x"}, "thousands must be one of"),
        ({"decimal": ",", "thousands": ","}, "must differ, got ',' for both"),
    ],
)
def test_marks_that_no_number_has_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        read_table(io.StringIO("a,y\n1,0\n"), **options)
