from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

# A conftest cannot skip; without the command line's packages there is nothing to collect.
if any(find_spec(name) is None for name in ("click", "rich", "jinja2", "skops")):
    collect_ignore_glob = ["*.py"]


@pytest.fixture(autouse=True)
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def patients(tmp_path):
    """A mixed table: 60 rows, 12 of them ill, one missing cell, one repeated row."""
    rng = np.random.default_rng(7)
    ill = np.arange(60) >= 48
    table = pd.DataFrame(
        {
            "age": np.round(rng.normal(50 + 12 * ill, 9), 1),
            "pulse": np.round(rng.normal(70 + 9 * ill, 7), 1),
            "sex": rng.choice(["f", "m"], 60),
            "clinic": np.arange(60) % 6,
            "day": rng.permutation(60),
            "ill": np.where(ill, "yes", "no"),
        }
    )
    table = table.sample(frac=1, random_state=1).reset_index(drop=True)
    first, second, third = np.flatnonzero(table["ill"] == "no")[:3]
    table.loc[first, "age"] = np.nan
    table.loc[third] = table.loc[second]
    table.to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


@pytest.fixture
def clear_patients(patients):
    """The same from 20 clinics, of whom a few show already who is ill."""
    table = pd.read_csv(patients)
    table["clinic"] = np.arange(60) % 20
    table["pulse"] += 25 * (table["ill"] == "yes")
    table.to_csv(patients, index=False)
    return patients


@pytest.fixture
def icost(capsys):
    """Run a command in this process; gives the exit code, standard output and error."""
    from icost.cli._app import run

    def call(*arguments):
        code = run([str(argument) for argument in arguments])
        output = capsys.readouterr()
        return code, output.out, output.err

    return call
