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
    "labels",
    "metrics",
    "thresholds",
    "preprocessing",
    "neighbors",
    "complexity",
    "penalties",
    "problems",
    "base_fit",
    "bootstrap",
    "classifier",
    "boosters",
    "dask",
    "tuning",
    "resampling",
    "strategies",
    "statistics",
    "comparison",
    "modelfile",
    "plots",
    "report",
    "experiments",
    "cli",
    "__main__",
]

INSIDE = {
    "datasets": "columns checksums fetch registry variants keel readers sources loading",
    "neighbors": "points ties search kdtree trees approximate choice counts parts",
    "complexity": "base probe gini neighbor methods",
    "dask": "partitions sample leaves neighbors records weights classifier",
    "tuning": "candidates selection sharing shared_kernel plain_booster averaging fold_scores "
    "scoring search_table threshold_search optuna_search searches icost_cv",
    "strategies": "classifiers fitted training_fold weighting threshold grids registry",
    "comparison": "splits verdict fold_run compare",
    "modelfile": "table_check saved_model storage fitting tuning",
    "plots": "palette plane complexity gini_partition weight_boundary cost_surface delta "
    "critical_difference",
    "report": "table_facts difficulty probe data_map analysis figures words page",
    "experiments": "protocols plan rows preparation trials runner evaluation tables paper_tables "
    "honest_tables findings claims reproduction figures page",
    "cli": "printer options user_table analyze compare fit inspect predict tune datasets reproduce "
    "completion app __main__",
}
"""The flow inside of each package."""


def place(module):
    """Where a module stands in the flow: its stage, and its place inside of that."""
    stage, *inside = module.split(".")
    order = INSIDE.get(stage, "").split()
    # A package as such stands behind its modules, whose names it hands on.
    return FLOW.index(stage), order.index(inside[0]) if inside else len(order)


def name_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_from_its_left(path):
    own = place(name_of(path))
    for module in imported_modules(path):
        if not module.startswith("icost."):
            continue
        imported = place(module.removeprefix("icost."))
        is_own_package = imported[0] == own[0]
        assert imported <= own or (is_own_package and _is_lazy_name(path, module)), module


def _is_lazy_name(path, module):
    """Whether a module of a package asks the package itself, which hands names on when used."""
    return module == f"icost.{name_of(path).partition('.')[0]}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_the_command_line_imports_the_experiments(path):
    stage = name_of(path).partition(".")[0]
    if stage not in ("cli", "experiments"):
        assert not any(m.startswith("icost.experiments") for m in imported_modules(path))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nobody_outside_of_complexity_asks_for_the_type_of_a_measure(path):
    if name_of(path).startswith("complexity"):
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            names = {getattr(part, "id", "") for part in ast.walk(node.args[1])}
            assert not names & {"NeighborComplexity", "GiniComplexity"}, node.lineno


def own_modules(statement):
    code = f"import sys; {statement}; print(*(m for m in sys.modules if m.startswith('icost')))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_loading_a_model_loads_little_else():
    model = SOURCE.parents[1] / "tests" / "modelfile" / "data" / "lr-neighbor.skops"
    found = own_modules(f"from icost.modelfile import load_model; load_model({str(model)!r})")
    stages = {module.split(".")[1] for module in found if "." in module}
    assert not stages & {"experiments", "comparison", "report", "plots", "cli", "dask"}
    assert len(found) <= 45
    assert "icost.complexity.gini" not in found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
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
