"""``icost reproduce``: found as an entry point, and a thin shell over `reproduce_with_pages`."""

import subprocess
import sys
from importlib.metadata import entry_points

from icost.cli._app import run
from icost_reproduction.command import reproduce_command


def test_the_command_is_an_entry_point():
    (entry,) = entry_points(group="icost.commands", name="reproduce")
    assert entry.load() is reproduce_command


def test_it_hands_its_options_on(capsys, monkeypatch):
    calls = []

    def reproduce(names, **options):
        calls.append((names, options))
        return ["default.html"]

    monkeypatch.setattr("icost_reproduction.reproduction.reproduce_with_pages", reproduce)
    code = run(["reproduce", "mcc", "-c", "lr", "--quick"])
    ((names, options),) = calls
    assert code == 0 and "default.html" in capsys.readouterr().out
    assert run(["reproduce", "honest", "--table", "8", "--table", "16"]) == 0
    assert calls[1][0] == ("honest", "table-8", "table-16")
    assert names == ("mcc",) and options["classifiers"] == ("lr",) and options["quick"]
    assert options["command"] == "icost reproduce mcc --profile published --quick"


def test_tables_of_definitions_are_pointed_to(capsys):
    assert run(["reproduce", "--table", "2", "--table", "10"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Table 2 of the paper lists the parameters of iCost" in text
    assert "Table 10 of the paper lists the costs that are tried: icost.iCostCV(grid" in text


def test_help_waits_for_nothing():
    code = (
        "import sys; from icost.cli._app import run; assert run(['reproduce', '--help']) == 0; "
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *text, modules = done.stdout.splitlines()
    assert text[0].startswith("Usage: icost reproduce")
    assert not {"numpy", "scipy", "sklearn", "pandas", "joblib"} & set(modules.split())


def test_a_misspelt_study_is_a_command_that_was_not_understood(capsys):
    assert run(["reproduce", "honnest"]) == 2
    assert "got 'honnest': did you mean 'honest'?" in capsys.readouterr().err
