import csv
import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow.csv
import pytest

import icost
from icost.cli._app import run


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.2).astype(int)
    X = rng.normal(size=(300, 2)) + y[:, None]
    return pd.DataFrame({"id": [f"r{i}" for i in range(300)], "a": X[:, 0], "b": X[:, 1], "y": y})


@pytest.fixture
def source(table, tmp_path):
    table.to_parquet(tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


PACKED = gzip.compress(b"id,a,b,y\n" + b"1,0.5,2.5,0\n1,1.5,0.5,1\n" * 99)


def read_csv(path):
    # Older versions of pandas err in the last bit.
    return pyarrow.csv.read_csv(path).to_pandas()


def arguments(source, output, *more):
    return ["weights", str(source), "-t", "y", "-o", str(output), "--exclude", "id", *more]


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_weights_are_the_last_column(table, source, tmp_path, method, ending):
    output = tmp_path / f"out.{ending}"
    assert run(arguments(source, output, "--method", method)) == 0
    weighted = (pd.read_parquet if ending == "parquet" else read_csv)(output)
    assert list(weighted) == [*table, "weight"]
    expected = icost.instance_weights(table[["a", "b"]], table["y"], method, random_state=0)
    np.testing.assert_array_equal(weighted["weight"], expected)
    assert weighted["id"].tolist() == table["id"].tolist()


def test_the_index_of_a_pandas_frame_is_kept_and_no_feature(table, tmp_path):
    kept = table[table["a"] > -1]
    kept.to_parquet(tmp_path / "in.parquet")
    assert run(arguments(tmp_path / "in.parquet", tmp_path / "out.parquet")) == 0
    weights = icost.instance_weights(kept[["a", "b"]], kept["y"])
    pd.testing.assert_frame_equal(
        pd.read_parquet(tmp_path / "out.parquet"), kept.assign(weight=weights)
    )


def test_costs_are_those_of_the_library(table, source, tmp_path):
    output, costs = tmp_path / "out.parquet", {"cfp": 0.3, "cfs": 0.6, "cfb": 2.0, "cfo": 0.1}
    options = [part for name, cost in costs.items() for part in (f"--{name}", str(cost))]
    assert run(arguments(source, output, *options, "--scale", "1.5")) == 0
    expected = icost.instance_weights(table[["a", "b"]], table["y"], scale=1.5, **costs)
    np.testing.assert_array_equal(pd.read_parquet(output)["weight"], expected)
    assert not np.array_equal(expected, icost.instance_weights(table[["a", "b"]], table["y"]))


def test_both_commands_say_whether_columns_were_scaled(source, tmp_path, capsys):
    assert run(arguments(source, tmp_path / "out.csv")) == 0
    said = "Columns were taken as they are; icost analyze --save-weights scales them first."
    assert said in capsys.readouterr().out
    saved = tmp_path / "w.csv"
    assert run(["analyze", str(source), "-t", "y", "--save-weights", str(saved)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"scaled by --scaler standard to {saved}; icost weights" in said


def test_a_csv_file_is_read_as_well(table, tmp_path):
    table.to_csv(tmp_path / "in.csv", index=False)
    output = tmp_path / "out.csv"
    assert run(arguments(tmp_path / "in.csv", output, "--output-column", "w")) == 0
    expected = icost.instance_weights(table[["a", "b"]], table["y"])
    np.testing.assert_array_equal(read_csv(output)["w"], expected)


@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_a_csv_file_is_copied_as_it_is(table, tmp_path, ending):
    ids = [
        "00001",
        "100000000000000000001",
        "1.10",
        "",
        "NA",
        '"a, ""b"',
        '"two\nlines"',
        '5" pipe',
    ]
    features = [f"{a:.2f}0,+{abs(b):.1f}" for a, b in zip(table["a"], table["b"], strict=True)]
    labels = table["y"].map({0: "é", 1: "1e0"})
    rows = [f"{ids[i % 8]},{features[i]},{labels[i]}" for i in range(300)]
    text = "\r\n".join(["id,a,b,y", *rows[:150], "", *rows[150:]])
    opened = gzip.open if ending.endswith("gz") else open
    with opened(tmp_path / f"in.{ending}", "wt", encoding="utf-8", newline="") as file:
        file.write(text)
    options = ["--output-column", "my, gewicht €"]
    assert run(arguments(tmp_path / f"in.{ending}", tmp_path / "out.csv", *options)) == 0
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as file:
        copied = list(csv.reader(file))
    X = [[float(cell) for cell in row.split(",")] for row in features]
    weights = [repr(weight) for weight in icost.instance_weights(X, table["y"]).tolist()]
    expected = [row for row in csv.reader(text.splitlines(keepends=True)) if row]
    cells = ["my, gewicht €", *weights]
    assert copied == [[*row, cell] for row, cell in zip(expected, cells, strict=True)]
    assert [row[0] for row in copied[1:4]] == ids[:3]


def test_an_id_of_a_csv_file_stays_one_in_parquet(table, tmp_path):
    table.assign(id=[f"{i:05d}" for i in range(300)]).to_csv(tmp_path / "in.csv", index=False)
    assert run(arguments(tmp_path / "in.csv", tmp_path / "out.parquet")) == 0
    assert pd.read_parquet(tmp_path / "out.parquet")["id"][7] == "00007"


@pytest.mark.parametrize(
    ("name", "sep", "options"),
    [
        ("in.csv", ";", []),
        ("in.csv", "#", ["--sep", "#"]),
        ("in.csv", "\t", []),
        ("in.tsv", "\t", []),
        ("in.tsv.gz", "\t", []),
    ],
)
def test_cells_may_be_parted_otherwise(table, tmp_path, name, sep, options):
    path, output = tmp_path / name, tmp_path / "out.csv"
    table.to_csv(path, sep=sep, index=False)
    assert run(arguments(path, output, *options)) == 0
    # What other programs read as CSV has no tabs between cells.
    weighted = pd.read_csv(output, sep="," if sep == "\t" else sep)
    assert list(weighted) == [*table, "weight"]
    expected = icost.instance_weights(table[["a", "b"]], table["y"])
    np.testing.assert_allclose(weighted["weight"], expected, rtol=1e-12)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_minority_may_be_named(table, source, tmp_path, ending):
    table.to_csv(tmp_path / "in.csv", index=False)
    output = tmp_path / "out.parquet"
    assert run(arguments(tmp_path / f"in.{ending}", output, "--minority", "0")) == 0
    expected = icost.instance_weights(table[["a", "b"]], table["y"], minority_label=0)
    np.testing.assert_array_equal(pd.read_parquet(output)["weight"], expected)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to end a process by")
def test_a_terminated_command_leaves_no_file_behind(source, tmp_path):
    code = f"""
import sys, time
from icost._batches.weigher import Weigher
weigh = Weigher.__call__
def slowly(self, *batch):
    print("writing", flush=True)
    time.sleep(60)
Weigher.__call__ = slowly
from icost.cli import main
sys.argv[1:] = {arguments(source, tmp_path / "out.csv", "-q")!r}
main()
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "writing\n"
        assert [path.name for path in tmp_path.glob(".icost-*")]
        process.terminate()
        assert process.wait(30) == 143
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


@pytest.mark.parametrize(("label", "classes"), [("2.0", 2), ("rare", 3)])
def test_later_rows_of_a_csv_file_may_have_other_types(tmp_path, capsys, label, classes):
    # More than what pyarrow looks at to guess the types.
    rows = [f"{i % 7},{i % 5},{1 + (i % 9 == 0)},r{i}" for i in range(100_000)]
    (tmp_path / "in.csv").write_text("\n".join(["a,b,y,id", *rows, f"1.5,0.5,{label},r"]))
    code = run(arguments(tmp_path / "in.csv", tmp_path / "out.csv", "-s", "cs"))
    if classes == 3:
        assert code == 1
        assert "must have two classes for one weight per row, got 3" in capsys.readouterr().err
    else:
        weights = read_csv(tmp_path / "out.csv")["weight"]
        assert code == 0 and weights.iloc[-1] == weights[0] > 1


def test_the_input_is_never_overwritten(source, capsys):
    before = source.read_bytes()
    assert run(arguments(source, source)) == 2
    assert "name another output" in capsys.readouterr().err
    assert source.read_bytes() == before


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        (["-t", "z"], 1, "target must be one of the columns 'id', 'a', 'b', 'y', got 'z'"),
        (["--output-column", "a"], 1, "--output-column must be a new column, got 'a'"),
        (["--exclude", "q"], 1, "columns of the table other than the target, got 'q'"),
        (["--exclude", "y"], 1, "columns of the table other than the target, got 'y'"),
        (["-s", "margin"], 1, "since other measures need the whole table, got MarginComplexity"),
        (["--method", "near"], 2, "a strategy must be one of"),
        (["-s", "neighbour"], 2, "did you mean 'neighbor'?"),
        (["--method", "cs", "--cfb", "2"], 2, "--cfb has no effect with --strategy cs"),
        (["-s", "ncs", "--scale", "2"], 2, "--scale has no effect with --strategy ncs"),
        (["--scale", "-1"], 2, "'--scale': -1.0 is not in the range x>"),
        (["-o", "out.xlsx"], 2, "must end in .parquet or .csv"),
        (["--minority", "2"], 2, "--minority must be one of"),
        (["--sep", ";"], 2, "--sep has no effect on a Parquet file"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(
    source, tmp_path, monkeypatch, capsys, more, code, message
):
    monkeypatch.chdir(tmp_path)
    assert run(arguments(source, tmp_path / "out.csv", *more)) == code
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_a_text_column_is_refused_in_one_sentence(source, tmp_path, capsys):
    command = ["weights", str(source), "-t", "y", "-o", str(tmp_path / "out.csv")]
    assert run(command) == 1
    assert "got string in column 'id': encode it first" in capsys.readouterr().err.replace(
        "large_string", "string"
    )


def test_a_file_that_breaks_off_leaves_the_old_one(table, source, tmp_path, monkeypatch):
    output = tmp_path / "out.csv"
    output.write_text("old")
    monkeypatch.setattr("icost._batches.weigher.Weigher.__call__", lambda *_: 1 / 0)
    assert run(arguments(source, output)) == 3
    assert output.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.parquet", "out.csv"]


def test_there_must_be_two_classes(table, tmp_path, capsys):
    table.assign(y=np.arange(300) % 3).to_parquet(tmp_path / "in.parquet")
    assert run(arguments(tmp_path / "in.parquet", tmp_path / "out.csv")) == 1
    assert "must have two classes for one weight per row, got 3" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("in.csv", b"id,a,b,y\n", "The table must have at least one row, got none."),
        ("in.csv", "größe,y\n1,0".encode("latin-1"), "'in.csv' must be UTF-8 text, got another"),
        ("in.csv.gz", PACKED[:-20], "'in.csv.gz' cannot be read: Truncated compressed stream"),
        ("in.csv.gz", PACKED[:12], "'in.csv.gz' cannot be read: Compressed file ended"),
        ("in.csv.gz", b"id,a,b,y", "'in.csv.gz' cannot be read: Not a gzipped file"),
        ("in.csv", b"", "'in.csv' cannot be read: Empty CSV file"),
        ("in.csv", b"id,a,b,y\n1,2,3,0\n1,2\n", "'in.csv' cannot be read: Row #3: Expected 4 col"),
        ("in.csv", b"id,a,a,y\n1,2,3,0\n", "'in.csv' cannot be read: Invalid: CSV file contained"),
        ("in.parquet", b"", "'in.parquet' cannot be read: Parquet file size is 0 bytes"),
        ("in.parquet", b"junk" * 9, "'in.parquet' cannot be read: Parquet magic bytes not found"),
    ],
    ids=[
        *("header only", "latin-1", "truncated", "more truncated", "not packed", "empty"),
        *("ragged", "names", "empty parquet", "junk"),
    ],
)
def test_a_file_without_a_table_is_refused(tmp_path, monkeypatch, capsys, name, content, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    assert run(arguments(name, "out.csv")) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
