"""Bad input: one sentence, an exit code, no traceback and no half-written file."""

import gzip
import os
import pickle
import re
import signal
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from icost.datasets import load_dataset
from icost.modelfile import fit_model, save_model

SOURCE = Path(__file__).parents[2] / "src"


def sentence(result, code=1):
    """The one line on standard error."""
    assert result[0] == code, result
    assert result[1] == ""
    # click moves past the terminal's ^C with an empty line.
    lines = [line for line in result[2].splitlines() if line]
    # A small table is cautioned about before anything else goes wrong.
    lines = [line for line in lines if not re.match(r"icost: warning: class '\w+' has only", line)]
    assert len(lines) == 1 and lines[0].startswith("icost: "), result[2]
    return lines[0]


def start(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "icost", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    return subprocess.Popen(command, env=environment, **pipes)


def finish(process, timeout=120):
    with process:
        out, err = process.communicate(timeout=timeout)
    return process.returncode, out or "", err


def test_a_missing_file(icost):
    assert "'nosuch.csv' does not exist" in sentence(icost("analyze", "nosuch.csv"))


def test_a_mistyped_dataset(icost):
    assert "did you mean 'yeast4'" in sentence(icost("analyze", "yeast-4"))


def test_no_such_column(icost, patients):
    error = sentence(icost("analyze", patients, "--target", "sick"), code=2)
    assert "no column 'sick'" in error and "'pulse'" in error and "'--target'" in error
    assert "of 'glass2' is 'Class'" in sentence(icost("analyze", "glass2", "-t", "Clas"), code=2)
    for option in ("--drop", "--group", "--time"):
        command = "analyze" if option == "--drop" else "compare"
        error = sentence(icost(command, patients, "-t", "ill", option, "zip"), code=2)
        assert f"'{option}': there is no column 'zip'" in error


def test_a_target_with_one_class(icost):
    Path("one.csv").write_text("a,y\n1,n\n2,n\n")
    assert "needs at least two classes, got only 'n'" in sentence(icost("analyze", "one.csv"))


def test_a_target_with_5000_classes(icost):
    Path("many.csv").write_text("a,id\n" + "".join(f"{i % 7},{i}\n" for i in range(5000)))
    for command in (["analyze"], ["compare"], ["fit", "-o", "m.skops"]):
        assert "5,000 classes" in sentence(icost(*command, "many.csv"))
    assert not Path("m.skops").exists()


def test_a_ragged_line_with_its_number(icost):
    Path("ragged.csv").write_text("a,b,y\n1,2,n\n1,2\n")
    assert "line 3: expected 3 values, got 2" in sentence(icost("analyze", "ragged.csv"))


@pytest.mark.parametrize("content", ["", "\n\n", "a,b,y\n"])
def test_an_empty_file(icost, content):
    Path("empty.csv").write_text(content)
    error = sentence(icost("analyze", "empty.csv"))
    assert "empty" in error or "no data rows" in error


def test_latin_1_is_read(icost):
    rows = "".join(f"{i},{'ja' if i % 3 == 0 else 'nein'}\n" for i in range(30))
    Path("latin.csv").write_bytes(f"größe,krank\n{rows}".encode("latin-1"))
    code, out, _ = icost("analyze", "latin.csv", "--json")
    assert code == 0 and '"größe"' in out


def test_a_binary_file(icost):
    Path("noise.csv").write_bytes(bytes(range(256)))
    assert "not a text file" in sentence(icost("analyze", "noise.csv"))


def test_models_that_are_none(icost, patients):
    Path("zero.skops").touch()
    assert "the file is empty" in sentence(icost("predict", "zero.skops", patients))
    Path("pickle.skops").write_bytes(pickle.dumps({"a": 1}))
    assert "this is a pickle" in sentence(icost("predict", "pickle.skops", patients))
    Path("text.skops").write_text("hello")
    assert "not a skops file" in sentence(icost("predict", "text.skops", patients))
    assert "does not exist" in sentence(icost("predict", "none.skops", patients))


def test_an_output_folder_that_does_not_exist(icost, patients):
    for command in (
        ["analyze", "--report", "nowhere/r.html"],
        ["analyze", "--save-weights", "nowhere/w.csv"],
        ["compare", "--report", "nowhere/r.html"],
        ["fit", "-o", "nowhere/m.skops"],
    ):
        error = sentence(icost(*command, patients, "-t", "ill"), code=2)
        assert "the folder 'nowhere' does not exist" in error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(icost, patients):
    for option in ("--report", "--save-weights"):
        error = sentence(icost("analyze", patients, "-t", "ill", "-q", option, "/dev/full"))
        assert "the disk is full" in error
    with open("/dev/full", "w") as full:
        assert "the disk is full" in sentence(finish(start("datasets", stdout=full)))


def test_a_disk_that_fills_half_way_leaves_the_old_file(patients, tmp_path):
    old = tmp_path / "r.html"
    old.write_text("old")

    def limit():
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    arguments = ["analyze", patients, "-t", "ill", "-q", "--report", old]
    result = finish(start(*arguments, preexec_fn=limit))
    assert "file too large" in sentence(result)
    assert old.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["patients.csv", "r.html"]


def test_usage_errors_have_their_own_code(icost):
    sentence(icost("frobnicate"), code=2)
    sentence(icost("analyze"), code=2)
    sentence(icost("analyze", "yeast4", "--nosuch"), code=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "-s", "smoote"], "no strategy 'smoote'; did you mean 'smote'?"),
        (["compare", "-c", "forrest"], "did you mean 'forest'?"),
        (["fit", "-o", "m.skops", "-s", "neighbour"], "did you mean 'neighbor'?"),
        (["fit", "-o", "m.skops", "--decide", "recal>=0.8"], "Did you mean 'recall'?"),
        (["compare", "--scaler", "minmx"], "'none': did you mean 'minmax'?"),
        (["fit", "-s", "cs", "--multiclass", "ovx"], "'direct': did you mean 'ovr'?"),
        (["fit", "-s", "neighbor", "--cfb", "-1"], "'--cfb': -1.0 is not in the range x>=0"),
        (["fit", "-s", "neighbor", "--scale", "-1"], "'--scale': -1.0 is not in the range x>=0"),
        (["compare", "--cost-fn", "-3"], "'--cost-fn': a finite cost of at least 0 is needed"),
        (["fit", "-o", "m.skops", "--cost-fp", "nan"], "'--cost-fp': a finite cost"),
    ],
)
def test_a_command_that_cannot_be_meant_is_refused_before_the_table_is_read(
    icost, arguments, message
):
    command, *options = arguments
    assert message in sentence(icost(command, "nosuch.csv", *options), code=2)


def test_a_group_that_is_no_column_is_suggested(icost, patients):
    patients.write_text(patients.read_text().replace("clinic", "clinic_nr", 1))
    error = sentence(icost("compare", patients, "-t", "ill", "--group", "clinic"), code=2)
    assert error.endswith("there is no column 'clinic'; did you mean 'clinic_nr'?")


def test_a_label_that_is_none_is_suggested(icost, patients):
    error = sentence(icost("analyze", patients, "-t", "ill", "--minority", "ys"), code=2)
    assert error.endswith("--minority must be one of 'no', 'yes', got 'ys': did you mean 'yes'?")


def test_a_number_to_predict_is_named(icost):
    Path("costs.csv").write_text("a,cost\n" + "".join(f"{i % 7},{i}.5\n" for i in range(300)))
    assert "'cost' looks like a number to predict" in sentence(icost("analyze", "costs.csv"))


def test_a_bug_is_called_one(icost, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("oops")

    monkeypatch.setattr("icost.datasets.list_datasets", broken)
    assert "error of the program (RuntimeError: oops)" in sentence(icost("datasets"), code=3)


def test_ctrl_c(patients, tmp_path):
    # Whatever the shell did that started the tests: in the background it has the signal ignored.
    restore = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    options = {"stdin": subprocess.PIPE, "preexec_fn": restore}
    process = start("analyze", "-", "--report", tmp_path / "r.html", **options)
    # More than a pipe holds: once it is through, the command is reading and not starting any more.
    process.stdin.write("a,y\n" + "1,n\n" * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert sentence(finish(process), code=130).endswith("nothing is half-written.")
    assert not (tmp_path / "r.html").exists()


def test_ctrl_c_within_a_comparison(icost, patients, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("icost.comparison.compare", interrupted)
    sentence(icost("compare", patients, "-t", "ill"), code=130)


def test_a_reader_that_leaves_is_no_reason_to_complain():
    process = start("datasets", "--json")
    process.stdout.close()
    with process:
        assert process.stderr.read() == ""
    assert process.returncode == 0


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_files_are_written_although_the_reader_has_left(patients, tmp_path, form):
    files = ["--report", tmp_path / "r.html", "--save-weights", tmp_path / "w.csv"]
    process = start("analyze", patients, "-t", "ill", *files, *form)
    process.stdout.close()
    with process:
        assert process.stderr.read() == ""
    assert process.returncode == 0
    assert (tmp_path / "r.html").exists() and (tmp_path / "w.csv").exists()


def test_warnings_are_one_line_each(icost, patients, monkeypatch):
    import warnings

    from icost import report

    original = report.analyze

    def warns(*arguments, **options):
        for _ in range(3):
            warnings.warn("mind\nthe gap", UserWarning, stacklevel=1)
        return original(*arguments, **options)

    monkeypatch.setattr(report, "analyze", warns)
    assert icost("analyze", patients, "-t", "ill")[2] == "icost: warning: mind the gap\n"
    assert icost("analyze", patients, "-t", "ill", "-q")[2] == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyze", "patients.csv", "-t", "ill", "--save-weights", "patients.csv"],
        ["analyze", "patients.csv", "-t", "ill", "--save-weights", "a", "--report", "./a"],
        ["fit", "patients.csv", "-t", "ill", "-o", "patients.csv"],
    ],
)
def test_no_file_is_used_twice(icost, patients, arguments):
    before = patients.read_bytes()
    assert "is used twice by this command" in sentence(icost(*arguments), code=2)
    assert patients.read_bytes() == before


def test_a_table_is_not_replaced_by_a_page(icost, patients):
    before = patients.read_bytes()
    said = sentence(icost("compare", "patients.csv", "-t", "ill", "--report", "patients.csv"), 2)
    assert "'patients.csv' is no page" in said and patients.read_bytes() == before


@pytest.mark.parametrize("command", ["analyze", "compare", "fit"])
def test_a_minority_of_three_classes_is_refused(icost, command):
    output = ("-o", "m.skops") if command == "fit" else ()
    said = sentence(icost(command, "wine", "--minority", "2", *output), code=2)
    assert "--minority is for two classes only, got 3" in said


def test_a_target_of_many_numbers_is_asked_about(icost, tmp_path):
    rows = [f"{place % 30},{place}" for place in range(90)]
    path = tmp_path / "ages.csv"
    path.write_text("\n".join(["age,x", *rows]))
    _, out, err = icost("analyze", path, "-t", "age")
    said = "he target has 30 different numbers: is it an amount, and not a class?"
    assert said in " ".join((out + err).split())


def test_control_characters_are_seen_instead_of_obeyed(icost, patients):
    text = patients.read_text().replace("yes", "\x1b[2Jyes")
    patients.write_text(text)
    code, out, _ = icost("analyze", patients, "-t", "ill")
    assert code == 0 and "\x1b" not in out and "\\x1b[2Jyes" in out


def test_nested_cells_are_named(icost, tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"x": [[1], [2], [3], [4]], "y": [0, 1, 0, 1]})
    frame.to_parquet("nested.parquet")
    assert "column 'x' must hold one number, text or time per cell" in sentence(
        icost("analyze", "nested.parquet")
    )


def test_an_interruption_while_the_library_loads_is_one_sentence(monkeypatch, capsys):
    from icost import cli

    class Interrupted(ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "icost.cli._app", Interrupted("icost.cli._app"))
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 130
    assert capsys.readouterr().err == "icost: interrupted; nothing is half-written.\n"


def test_the_command_starts_before_the_library_is_loaded():
    code = "import sys, icost.cli; print('sklearn' in sys.modules, 'numpy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["fit", "-o", "m.skops", "-m", "cs", "--cfp", "9"],
            "--cfp has no effect with --strategy cs",
        ),
        (["fit", "-o", "m.skops", "-m", "cs", "--cfb", "9"], "--cfb has no effect with"),
        (["fit", "-o", "m.skops", "--cfb", "9"], "--cfb is for one strategy"),
        (["fit", "-o", "m.skops", "-m", "threshold", "--cfo", "1"], "--cfo has no effect"),
        (["compare", "--cost-fp", "50"], "--cost-fp has no effect without --cost-fn"),
        (["compare", "--time", "day", "--repeats", "7"], "--repeats has no effect with --time"),
        (["analyze", "--json", "--top", "2"], "--top has no effect with --json"),
        (["analyze", "--top", "-3"], "-3 is not in the range x>=0"),
        (["analyze", "-k", "0"], "0 is not in the range x>=1"),
        (["compare", "-j", "0"], "at least one job is needed, got 0"),
        (["compare", "--folds", "1"], "1 is not in the range x>=2"),
    ],
)
def test_options_without_effect_are_refused(icost, patients, arguments, message):
    command, *options = arguments
    error = sentence(icost(command, patients, "-t", "ill", *options), code=2)
    assert message in error


@pytest.mark.parametrize("option", ["--drop", "--group", "--time"])
def test_the_target_is_needed_as_such(icost, patients, option):
    command = "analyze" if option == "--drop" else "compare"
    error = sentence(icost(command, patients, "-t", "ill", option, "ill"), code=2)
    assert f"'{option}': column 'ill' is the target" in error


def test_infinity_is_named_with_its_place(icost):
    Path("inf.csv").write_text("a,b,y\n" + "1,2,n\n" * 9 + "1,inf,p\n2,2,p\n")
    error = sentence(icost("fit", "inf.csv", "-o", "m.skops"))
    assert "column 'b' must be finite, got infinity in row 10" in error


def test_numbers_near_the_largest_float_are_named_with_their_place(icost, patients):
    lines = patients.read_text().splitlines()
    for value in ("1e308", "-1e200", "4e38"):
        lines[3] = f"{value}," + lines[3].partition(",")[2]
        Path("big.csv").write_text("\n".join(lines))
        for command in (["analyze"], ["compare"], ["fit", "-o", "m.skops"]):
            error = sentence(icost(*command, "big.csv"))
            assert "column 'age' must hold numbers of at most 1e+38" in error
            assert "in row 3" in error


def test_a_target_in_the_wrong_case_is_offered(icost, patients):
    assert "did you mean 'ill'?" in sentence(icost("analyze", patients, "-t", "Ill"), code=2)
    assert "did you mean 'age'?" in sentence(icost("analyze", patients, "--drop", "AGE"), code=2)


def test_rows_without_a_class_are_counted(icost):
    Path("gaps.csv").write_text("a,y\n1,n\n2,\n3,\n")
    error = sentence(icost("analyze", "gaps.csv"))
    assert "line 3: the class 'y' is missing (and in 1 more); leave out rows" in error


def test_groups_with_gaps_are_refused(icost):
    Path("gaps.csv").write_text("g,a,y\n" + "u,1,n\n,2,n\nv,2,p\n" * 9)
    error = sentence(icost("compare", "gaps.csv", "--group", "g"))
    assert "groups" in error and "9 of 27 rows" in error


@pytest.mark.parametrize("start", [b"\x1f\x8b\0", b"PK\x03\x04\0"])
def test_damaged_archives_are_called_so(icost, start):
    Path("packed.csv").write_bytes(start)
    assert "this archive is damaged" in sentence(icost("analyze", "packed.csv"))


def test_without_a_command_there_is_help(icost):
    _, out, err = icost()
    assert "Usage: icost" in out + err and "reproduce" in out + err


def test_a_folder_that_cannot_be_written_to_is_noticed_before_the_work(
    icost, patients, monkeypatch
):
    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    error = sentence(icost("analyze", patients, "-t", "ill", "--report", "page.html"), code=2)
    assert "the folder '.' cannot be written to" in error


def test_what_was_found_is_printed_even_if_the_report_cannot_be_written(
    icost, patients, monkeypatch
):
    def refuse(*_, **__):
        raise PermissionError("The folder cannot be written to.")

    monkeypatch.setattr("icost.report.write_page", refuse)
    for command in ("analyze", "compare"):
        few = ["-s", "cs", "--folds", "2", "--repeats", "1"] if command == "compare" else []
        code, out, _ = icost(command, patients, "-t", "ill", "--report", "page.html", *few)
        assert code == 1 and ("hardest rows" in out or "Keep it:" in out)


def test_a_type_that_was_trusted_and_cannot_predict(icost, tmp_path):
    X, y = load_dataset("glass2", return_X_y=True)
    save_model(fit_model(X, y, n_splits=None), "m.skops")
    X.to_csv("new.csv", index=False)
    with zipfile.ZipFile("m.skops") as good, zipfile.ZipFile("bad.skops", "w") as bad:
        for name in good.namelist():
            content = good.read(name)
            if name == "schema.json":
                content = content.replace(b'"LogisticRegression"', b'"Popen"')
                content = content.replace(b'"sklearn.linear_model._logistic"', b'"subprocess"')
            bad.writestr(name, content)
    trusted = icost("predict", "bad.skops", "new.csv", "--trust", "subprocess.Popen")
    assert "cannot predict with what --trust allowed" in sentence(trusted)


def test_a_size_that_is_none(icost, patients):
    error = sentence(icost("analyze", patients, "--max-unpacked", "much"), 2)
    assert "such as 500MB or 4GB, got 'much'" in error


def test_a_packed_file_beyond_the_limit(icost):
    Path("a.csv.gz").write_bytes(gzip.compress(b"a,y\n" + b"1,0\n" * 999))
    assert "--max-unpacked" in sentence(icost("analyze", "a.csv.gz", "--max-unpacked", "1KB"))
