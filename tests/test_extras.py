"""What each extra installs, and what works without it."""

import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("module", ["plots", "_core.statistics"])
def test_modules_without_an_extra_of_their_own_need_no_pandas(module):
    run = run_python(f"import sys; sys.modules['pandas'] = None; import icost.{module}")
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(("module", "extra"), [("report", "report"), ("comparison", "data")])
def test_modules_that_need_pandas_name_their_extra(module, extra):
    run = run_python(f"import sys; sys.modules['pandas'] = None; import icost.{module}")
    assert run.returncode == 1 and f"icost.{module} needs pandas" in run.stderr
    assert run.stderr.rstrip().endswith(f'pip install "icost-learn[{extra}]"')


def test_what_the_ensemble_needs_for_synthetic_rows_is_always_installed():
    names = {re.split(r"[<>=]", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert "imbalanced-learn" in names


def texts():
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md"))
    for folder in ("src", "docs", "examples", "reproduction/src", "reproduction/README.md"):
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md"))


def test_every_extra_that_a_text_names_exists():
    named = {
        extra.strip()
        for path in texts()
        for extras in re.findall(r"icost-learn\[([\w, -]+)\]", path.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert named and named <= set(PROJECT["optional-dependencies"])


@pytest.fixture
def broken_imbalanced_learn(tmp_path):
    """A path on which imbalanced-learn cannot be imported, as after an update of scikit-learn."""
    package = tmp_path / "imblearn"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('broken by an update')")
    # The package under test must stay ahead of one that may be installed.
    inherited = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, (str(tmp_path), inherited)))


def test_a_broken_imbalanced_learn_breaks_only_what_uses_it(broken_imbalanced_learn):
    code = """
from sklearn.datasets import make_classification
from icost import *
X, y = make_classification(100, weights=[0.8], random_state=0)
iCost().fit(X, y)
iCostEnsemble(members=("plain",), n_splits=2, random_state=0).fit(X, y)
try:
    iCostEnsemble(members=("smote",), n_splits=2, random_state=0).fit(X, y)
except RuntimeError as error:
    print(error)
"""
    run = run_python(code, PYTHONPATH=broken_imbalanced_learn)
    assert run.stdout == "broken by an update\n", run.stderr


def requirements_of(name, extras):
    """What a distribution requires here, as requirements; the project itself as it is written."""
    if name == PROJECT["name"]:
        optional = PROJECT["optional-dependencies"]
        lines = [*PROJECT["dependencies"], *(line for extra in extras for line in optional[extra])]
        return [Requirement(line) for line in lines]
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []  # it counts itself, and nothing that it may need
    wanted = [Requirement(line) for line in lines]
    environments = [{"extra": extra} for extra in extras or [""]]
    return [r for r in wanted if not r.marker or any(map(r.marker.evaluate, environments))]


def installed_by(extra):
    """The names of all distributions that an extra of the project installs, itself among them."""
    waiting, seen = [(PROJECT["name"], (extra,))], set()
    while waiting:
        name, extras = waiting.pop()
        seen.add((name, extras))
        for needed in requirements_of(name, extras):
            entry = canonicalize_name(needed.name), tuple(sorted(needed.extras))
            waiting += [entry] if entry not in seen else []
    return {name for name, _ in seen}


def test_the_command_line_installs_at_most_30_packages():
    names = installed_by("cli")
    assert len(names) <= 30, sorted(names)
    assert {"click", "rich", "jinja2", "skops", "pandas", "scikit-learn"} <= names


def test_the_command_line_installs_nothing_of_the_studies():
    heavy = {"xgboost", "nvidia-nccl-cu12", "statsmodels", "scikit-posthocs", "matplotlib"}
    assert not installed_by("cli") & heavy
