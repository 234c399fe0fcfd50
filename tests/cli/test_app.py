"""The commands as processes: pipes, help, completion, datasets."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from icost.cli.app import app

SOURCE = Path(__file__).parents[2] / "src"


def icost_process(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    environment |= options.pop("env", {})
    command = [sys.executable, "-m", "icost.cli", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, check=False, **options)


def test_standard_input_to_standard_output(patients):
    content = patients.read_bytes()
    analysis = icost_process("analyze", "-", "-t", "ill", "--json", input=content)
    assert analysis.returncode == 0, analysis.stderr
    assert json.loads(analysis.stdout)["minority"] == "yes"
    assert icost_process("fit", "-", "-t", "ill", "-o", "m.skops", input=content).returncode == 0
    predicted = icost_process("predict", "m.skops", "-", input=content)
    assert predicted.stdout.decode().count("\n") == 61


def test_help_and_version(icost):
    code, out, _ = icost("--help")
    assert code == 0 and "analyze" in out and "Exit codes" in out
    for command in ("analyze", "compare", "fit", "predict", "tune", "datasets", "reproduce"):
        assert icost(command, "--help")[0] == 0
    assert icost("--version")[1].startswith("icost, version")


def test_help_names_every_classifier(icost):
    from icost.strategies.classifiers import CLASSIFIERS

    text = " ".join(icost("fit", "--help")[1].replace("│", " ").split())
    listed = text.partition("Base classifier: ")[2].partition(".")[0]
    assert set(listed.split(", ")) == set(CLASSIFIERS)


def test_datasets(icost):
    _, out, _ = icost("datasets", "--kind", "multiclass", "--json")
    assert len(json.loads(out)) == 10
    _, out, _ = icost("datasets", "glass2")
    assert "214 rows, 9 features" in out


def test_completion_knows_commands_and_datasets(icost):
    assert "_ICOST_COMPLETE" in icost("completion", "bash")[1]
    complete = {"_ICOST_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    words = complete | {"COMP_WORDS": "icost analyze yeast4"}
    assert b"plain,yeast4" in icost_process(env=words).stdout


def test_reproduce_hands_its_options_on(icost, monkeypatch):
    calls = []

    def reproduce(names, **options):
        calls.append((names, options))
        return ["default.html"]

    monkeypatch.setattr("icost.experiments.page.reproduce_with_pages", reproduce)
    code, out, _ = icost("reproduce", "mcc", "-c", "lr", "--quick")
    ((names, options),) = calls
    assert code == 0 and "default.html" in out
    assert names == ("mcc",) and options["classifiers"] == ("lr",) and options["quick"]


def test_without_click_it_says_what_to_install():
    code = "import sys; sys.modules['click'] = None; from icost.cli import main; main()"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr == 'icost: The command line needs click: pip install "icost-learn[cli]"\n'


def loaded_by(*words):
    code = (
        "import sys; from icost.cli.app import app; "
        f"app({list(words)!r}, standalone_mode=False); print(); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("command", ["", *app.commands])
def test_help_waits_for_nothing(command):
    # A second or two is what these take to load; nobody waits that long for a help text.
    heavy = {"numpy", "scipy", "sklearn", "pandas", "joblib"}
    assert not heavy & loaded_by(*filter(None, [command]), "--help")


def test_names_that_the_options_write_out_are_those_of_the_library():
    from icost.cli.fit import ROWS_OF_COST
    from icost.penalties import COST_MULTIPLIERS
    from icost.preprocessing import SCALERS
    from icost.strategies.classifiers import CLASSIFIERS

    options = {option.name: option for option in app.commands["fit"].params}
    assert list(options["scaler"].type.choices) == list(SCALERS)
    assert tuple(ROWS_OF_COST) == COST_MULTIPLIERS
    named = options["classifier"].help.partition(": ")[2].partition(".")[0].split(", ")
    assert sorted(named) == sorted(CLASSIFIERS)
