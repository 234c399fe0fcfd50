"""What the reproduction takes from icost; contracts of import-linter say what its modules may."""

import ast
import re
import runpy
import tomllib
from pathlib import Path

import pytest

import icost
import icost_reproduction

SOURCE = Path(icost_reproduction.__file__).parent
ROOT = Path(__file__).parents[2]
INTERNALS = "_internals.py"

MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name != "__init__.py")
DOCUMENTED = runpy.run_path(str(ROOT / "docs" / "_ext" / "public_names.py"))


def imports(path):
    """All imports of a module, wherever in it they stand: pairs of a module and a name or None."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)


def is_documented(module, name):
    modules = DOCUMENTED["public_modules"]()
    names = DOCUMENTED["public_names"](modules[module]) if module in modules else []
    return name in names or (module, name) == ("icost", "__version__")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_only_one_module_imports_what_is_not_documented(path):
    of_icost = [(m, n) for m, n in imports(path) if m.partition(".")[0] == "icost"]
    if path.name == INTERNALS:
        assert of_icost and not any(is_documented(*pair) for pair in of_icost)
    else:
        assert all(is_documented(*pair) for pair in of_icost), of_icost


def test_every_name_of_the_list_is_used():
    listed = {name for _, name in imports(SOURCE / INTERNALS)} - {"STRATEGIES"}
    used = {n for path in MODULES for m, n in imports(path) if m == "icost_reproduction._internals"}
    assert listed <= used


def test_every_public_name_is_where_it_is_said_to_be():
    assert set(icost_reproduction._HOME) == set(icost_reproduction.__all__)
    assert all(getattr(icost_reproduction, name) for name in icost_reproduction.__all__)
    with pytest.raises(AttributeError, match="no attribute 'plans'"):
        icost_reproduction.plans  # noqa: B018 - the access is the test


def project(path):
    return tomllib.loads((ROOT / path).read_text("utf-8"))["project"]


def test_both_distributions_have_one_version():
    assert icost_reproduction.__version__ == icost.__version__
    needed = project("reproduction/pyproject.toml")["dependencies"]
    (product,) = [line for line in needed if line.startswith("icost-learn")]
    assert re.sub(r"\[.*\]", "", product) == f"icost-learn=={icost.__version__}"


def test_the_product_needs_nothing_of_the_reproduction():
    product = project("pyproject.toml")
    groups = [product["dependencies"], *product["optional-dependencies"].values()]
    names = {re.split(r"[\[<>= ]", line)[0] for group in groups for line in group}
    assert not names & {"icost-reproduction", "scikit-posthocs", "statsmodels"}
