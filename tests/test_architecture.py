"""The flow of data is the flow of imports: a module imports only from its left."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import icost

SOURCE = Path(__file__).parents[1] / "src" / "icost"

FLOW = [
    "validation",
    "files",
    "datasets",
    "preprocessing",
    "labels",
    "metrics",
    "complexity",
    "penalties",
    "multiclass",
    "base_fit",
    "bootstrap",
    "classifier",
    "boosters",
    "dask",
    "tuning",
    "experiments",
    "comparison",
    "modelfile",
    "plots",
    "report",
    "cli",
    "__main__",
]


def stage(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "icost":
            names = [alias.name for alias in node.names]
            # What the package itself hands on comes from the module where it is at home.
            homes = (icost._HOME.get(name, name) for name in names if not name.startswith("_"))
            yield from (f"icost.{home}" for home in homes)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_its_left(path):
    position = FLOW.index(stage(path))
    for module in imported_modules(path):
        if module.startswith("icost."):
            assert FLOW.index(module.split(".")[1]) <= position, module


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_private_is_imported_from_scikit_learn(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            assert not any(name.startswith("_") for name in names), names


def third_party_modules(statement):
    code = f"import sys; {statement}; print(*{{m.partition('.')[0] for m in sys.modules}})"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    return set(output.split())


def test_importing_icost_loads_nothing_that_scikit_learn_does_not():
    needed = "import sklearn.tree, sklearn.neighbors, sklearn.linear_model, sklearn.impute"
    extra = third_party_modules("from icost import *") - third_party_modules(needed)
    assert extra - set(sys.stdlib_module_names) == {"icost"}


def test_every_public_name_is_found_where_it_is_said_to_be():
    code = "import icost; [getattr(icost, name) for name in [*icost.__all__, *icost._MODULES]]"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'iCosts'"):
        icost.iCosts  # noqa: B018 - the access is the test


def test_names_and_their_homes_are_all_listed():
    assert set(icost._HOME) == set(icost.__all__)
