"""The commands as processes: pipes, help, completion, datasets."""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from icost.cli._app import app
from icost.cli._options import GROUPS, RARE
from icost.cli._other_commands import GROUP

SOURCE = Path(__file__).parents[2] / "src"


def icost_process(*arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    environment |= options.pop("env", {})
    command = [sys.executable, "-m", "icost", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, check=False, **options)


def test_standard_input_to_standard_output(patients):
    content = patients.read_bytes()
    analysis = icost_process("analyze", "-", "-t", "ill", "--json", input=content)
    assert analysis.returncode == 0, analysis.stderr
    assert json.loads(analysis.stdout)["minority"] == "yes"
    fit = ["fit", "-", "-t", "ill", "-m", "cs", "-o", "m.skops"]
    assert icost_process(*fit, input=content).returncode == 0
    predicted = icost_process("predict", "m.skops", "-", input=content)
    assert predicted.stdout.decode().count("\n") == 61


def test_help_and_version(icost, snapshot, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    commands = ("analyze", "compare", "fit", "predict", "inspect", "datasets")
    pages = [icost(*command, "--help") for command in ((), *((name,) for name in commands))]
    assert {code for code, _, _ in pages} == {0}
    snapshot("help", "\n".join(page for _, page, _ in pages))
    assert icost("reproduce", "--help")[0] == 0
    assert icost("--version")[1].startswith("icost, version")


def test_help_names_every_classifier(icost):
    from icost.strategies._estimators import ALIASES, CLASSIFIERS

    text = " ".join(icost("fit", "--help")[1].split())
    listed = text.partition("Base classifier: ")[2].partition(".")[0]
    assert set(re.findall(r"[\w-]+", listed)) == {*CLASSIFIERS, *ALIASES}


def test_help_has_groups_and_rare_options_on_demand(icost):
    brief, whole = icost("fit", "--help")[1], icost("fit", "--help-all")[1]
    titles = ["Data", "Model", "Weights", "Decision", "Validation", "Output"]
    for text in (brief, whole):
        assert re.findall(r"^(\w+):$", text, re.M) == titles
    shown, everything = (
        set(re.findall(r"^  .*?--([\w-]+)", text, re.M)) for text in (brief, whole)
    )
    names = {option.name for option in app.commands["fit"].params if option.name in RARE}
    assert len(everything - shown) == len(names) and shown < everything
    options = [p for p in app.commands["fit"].params if p.opts[0].startswith("-")]
    assert len(everything) == len(options) + 1  # --help


def test_every_option_that_is_sorted_into_a_group_exists():
    sorted_names = {*RARE, *" ".join(GROUPS.values()).split()}
    assert sorted_names == sorted_names & {
        option.name for command in app.commands.values() for option in command.params
    }


@pytest.mark.parametrize("command", ["compare", "fit", "weights"])
def test_one_option_names_the_strategy_in_every_command(command):
    words = [option.opts for option in app.commands[command].params]
    assert ["--strategy", "-s", "--method", "-m"] in words


def test_datasets(icost, snapshot):
    _, out, _ = icost("datasets", "--collection", "multiclass", "--json")
    assert len(json.loads(out)) == 10
    _, out, _ = icost("datasets", "glass2")
    snapshot("datasets", out)
    assert "214 rows, 9 features" in out


def test_completion_knows_commands_and_datasets(icost):
    assert "_ICOST_COMPLETE" in icost("completion", "bash")[1]
    complete = {"_ICOST_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    words = complete | {"COMP_WORDS": "icost analyze yeast4"}
    assert b"plain,yeast4" in icost_process(env=words).stdout


@pytest.mark.parametrize("arguments", [(), ("mcc", "-c", "lr"), ("--help",), ("-h",)])
def test_without_the_reproduction_it_says_how_to_install_it(icost, monkeypatch, arguments):
    monkeypatch.setattr("icost.cli._other_commands.entry_points", lambda **_: ())
    code, out, err = icost("reproduce", *arguments)
    assert code == 2 and not out
    assert err.startswith("icost: ") and err.endswith("pip install -e ./reproduction\n")
    assert "reproduce " in icost("--help")[1]


def test_reproduce_is_the_command_of_an_entry_point(icost, monkeypatch):
    # Any command stands for that of the other distribution.
    entry = EntryPoint("reproduce", "icost.cli._other_commands:datasets_command", GROUP)
    wanted = {"group": "icost.commands", "name": "reproduce"}
    monkeypatch.setattr(
        "icost.cli._other_commands.entry_points", lambda **given: [entry] if given == wanted else []
    )
    code, out, _ = icost("reproduce", "glass2")
    assert code == 0 and "214 rows, 9 features" in out


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
        "import sys; from icost.cli._app import app; "
        f"app({list(words)!r}, standalone_mode=False); print(); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("command", ["", *app.commands])
def test_help_waits_for_nothing(command):
    # A second or two is what these take to load; nobody waits that long for a help text.
    heavy = {"numpy", "scipy", "sklearn", "pandas", "joblib"}
    assert not heavy & loaded_by(*filter(None, [command]), "--help")


def test_predicting_loads_nothing_that_only_other_commands_need(tmp_path):
    model = Path(__file__).parents[1] / "modelfile" / "stored" / "weights.skops"
    loaded = loaded_by("predict", str(model), "glass2", "-o", str(tmp_path / "predicted.csv"))
    assert "icost.modelfile._storage" in loaded
    rooms = {
        "comparison",
        "evaluation",
        "label_errors",
        "plots",
        "report",
        "tuning",
        "dask",
        "spark",
    }
    heavy = {"matplotlib", "plotly", "imblearn", "xgboost", "lightgbm", "optuna", "statsmodels"}
    assert not loaded & (heavy | {f"icost.{room}" for room in rooms})


def test_garbage_is_looked_for_less_often_than_in_a_library():
    code = (
        "import atexit, gc, sys; from icost.cli import main; sys.argv[1:] = ['--version']; "
        "atexit.register(lambda: print(gc.get_threshold()[0] >= 10_000, gc.get_freeze_count() > 0))"
        "; main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "True True"


def test_names_that_the_options_write_out_are_those_of_the_library():
    from icost._table._encoder import SCALERS
    from icost.cli._fit import ROWS_OF_COST
    from icost.penalties import PAPER

    options = {option.name: option for option in app.commands["fit"].params}
    assert list(options["scaler"].type.choices) == list(SCALERS)
    assert tuple(ROWS_OF_COST) == tuple(PAPER)


def test_the_scaler_decides_who_is_a_neighbour(icost):
    counts = {}
    for scaler in ("standard", "minmax", "none"):
        analysis = json.loads(icost("analyze", "glass2", "--scaler", scaler, "--json")[1])
        entries = analysis["groups"][0]["neighbor"]
        counts[scaler] = {entry["category"]: entry["rows"] for entry in entries if entry["rows"]}
    assert counts["standard"] == {"border": 12, "outlier": 5}
    assert counts["none"] == {"safe": 2, "border": 9, "outlier": 6}


def test_errors_that_cost_nothing_are_a_misunderstood_command(icost, patients):
    code, _, said = icost(
        "compare", patients, "-t", "ill", "--minority", "1", "--cost-fn", "0", "--cost-fp", "0"
    )
    assert code == 2 and "--cost-fn and --cost-fp must not both be 0" in said
