"""The flow of data is the flow of imports: a module imports only from its left."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import icost

SOURCE = Path(__file__).parents[1] / "src" / "icost"

PROJECT = SOURCE.parents[1] / "pyproject.toml"

MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")

PUBLIC = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.name[0] not in "_."}


def flow():
    """Rooms from left to right, as the contract of imports lists them from the top."""
    contracts = tomllib.loads(PROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in contracts if c.get("containers") == ["icost"])
    return [room for layer in reversed(layers) for room in re.findall(r"\w+", layer)]


def name_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_what_is_public_is_listed_and_the_rest_is_underscored():
    assert PUBLIC - {"py.typed", "cli"} == set(icost._PACKAGES)
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name[0] == "_"}
    assert len(rooms - {"__pycache__"}) <= 6
    inside = {path for path in MODULES if path.parent.name in PUBLIC}
    assert not [path for path in inside if not path.name.startswith("_")]


def test_the_product_does_not_know_the_reproduction():
    imported = {module for path in MODULES for module in imported_modules(path)}
    assert not [module for module in imported if module.startswith("icost_reproduction")]


def type_checks(path):
    """Names of the types that a module asks for."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            yield from (getattr(child, "id", "") for child in ast.walk(node.args[1]))


def test_nobody_outside_of_complexity_asks_for_the_type_of_a_measure():
    measures = {"NeighborComplexity", "GiniComplexity"}
    others = [path for path in MODULES if not name_of(path).startswith("complexity")]
    assert not [path for path in others if measures & set(type_checks(path))]


def test_only_one_room_has_encoders():
    encoders = {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder"}
    users = [path for path in MODULES if encoders & imported_names(path, "sklearn")]
    assert [name_of(path) for path in users] == ["_table._parts", "_table._space"]


def test_a_base_is_fitted_in_one_place():
    others = [path for path in MODULES if path.name != "base_fit.py"]
    users = [p for p in others if "fit_weighted" in imported_names(p, "icost._weights.base_fit")]
    assert not users
    # A threshold fits its estimator by scikit-learn's rules, and asks only for the name.
    asking = [name_of(p) for p in others if "weight_parameter" in p.read_text("utf-8")]
    assert asking == ["thresholds._threshold_classifier"]


def imported_names(path, package):
    """Names that a module imports from a package or its modules."""
    nodes = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
    return {a.name for n in nodes if (n.module or "").startswith(package) for a in n.names}


def words_of_names(path):
    """All words in the names of a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [getattr(node, field, None) for field in ("id", "arg", "attr", "name")]
        yield from (word for name in names if isinstance(name, str) for word in name.split("_"))


def test_the_search_knows_no_minority_and_no_cost():
    words = {word for path in (SOURCE / "_neighbors").glob("*.py") for word in words_of_names(path)}
    assert not words & {"minority", "minorities", "majority", "cost", "costs", "penalty"}


def test_the_weights_of_a_fold_are_made_of_frozen_values():
    from icost._weights.problems import Problem, Target
    from icost.complexity import Complexity
    from icost.penalties import Costs

    assert all(v.__dataclass_params__.frozen for v in (Costs, Complexity, Problem, Target))


def own_modules(statement):
    code = f"import sys; {statement}; print(*(m for m in sys.modules if m.startswith('icost')))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_loading_a_model_loads_little_else():
    model = SOURCE.parents[1] / "tests" / "modelfile" / "stored" / "weights.skops"
    found = own_modules(f"from icost.modelfile import load_model; load_model({str(model)!r})")
    stages = {module.split(".")[1] for module in found if "." in module}
    assert not stages & {"comparison", "report", "plots", "cli", "dask"}
    assert len(found) <= 45
    assert "icost.complexity._gini" not in found


def test_nothing_private_is_imported_from_scikit_learn():
    imported = {module for path in MODULES for module in imported_modules(path)}
    names = {name for path in MODULES for name in imported_names(path, "sklearn")}
    names |= {name for m in imported if m.startswith("sklearn") for name in m.split(".")}
    assert not [name for name in names if name.startswith("_")]


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
    code = "import icost; [getattr(icost, name) for name in [*icost.__all__, *icost._PACKAGES]]"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="no attribute 'iCosts'"):
        icost.iCosts  # noqa: B018 - the access is the test


def test_names_and_their_homes_are_all_listed():
    assert set(icost._HOME) == set(icost.__all__)


PAGES = [SOURCE.parents[1] / page for page in ("CONTRIBUTING.md", "docs/design.md")]
PAGES = [page for page in PAGES if page.is_file()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_tell_the_flow_as_it_is(page):
    (line,) = re.findall(r"`(_core → [^`]*→[^`]*)`", page.read_text("utf-8"))
    assert re.findall(r"\w+", line) == flow()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_name_files_and_tests_that_exist(page):
    root, named = SOURCE.parents[1], re.findall(r"`([^`\n]+)`", page.read_text("utf-8"))
    files = {name for name in named if re.fullmatch(r"[\w/]+(\.py|\.csv|/)", name)}
    # The files that a reader of CONTRIBUTING is asked to write.
    files -= {"tests/complexity/test_isolation.py", "src/icost/complexity/_isolation.py"}
    assert files
    assert not {f for f in files if not (root / f).exists() and not (SOURCE / f).exists()}
    folders = (root / "tests", root / "reproduction" / "tests")
    sources = "".join(p.read_text("utf-8") for folder in folders for p in folder.rglob("*.py"))
    tests = {name for name in named if re.fullmatch(r"test_\w+", name)}
    assert not {name for name in tests if f"def {name}(" not in sources}


def test_the_picture_shows_the_flow_as_it_is():
    picture = SOURCE.parents[1] / "docs" / "_static" / "flow.svg"
    if not picture.is_file():
        pytest.skip("the documentation is not there")
    (names,) = re.findall(r'font-weight="600">(.*?)</g>', picture.read_text("utf-8"), re.DOTALL)
    drawn = re.findall(r">(\w+)</text>", names)
    assert drawn == [room for room in flow() if room in drawn]
