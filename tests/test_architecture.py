"""The flow of data is the flow of imports: a module imports only from its left."""

import ast
import re
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
    "versions",
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
    "ensemble",
    "label_errors",
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
    "datasets": "columns fetch registry keel packed readers sources loading",
    "thresholds": "responses label_metric cuts offsets",
    "neighbors": "points ties search trees approximate kernel pilot choice blocks counts lists "
    "parts",
    "complexity": "base cuts probe gini neighbor margin density graph cluster methods",
    "dask": "partitions sample leaves neighbors records weights classifier",
    "tuning": "candidates selection sharing quick_fits averaging offsets fold_scores "
    "scoring search_table threshold_search optuna_search searches icost_cv",
    "ensemble": "synthetic treatments cross_fit calibration honest_score icost_ensemble",
    "strategies": "classifiers training_fold weighting threshold ensembles grids registry "
    "estimator",
    "comparison": "sample splits verdict fold_run running selection compare",
    "modelfile": "table_check saved_model storage fitting tuning choosing",
    "plots": "palette held_out plane complexity gini_partition weight_boundary cost_surface delta "
    "critical_difference calibration threshold",
    "report": "table_facts difficulty probe data_map analysis figures words page",
    "experiments": "plan rows preparation trials runner evaluation tables paper_tables "
    "honest_tables ensemble_tables measure_tables findings claims reproduction figures page",
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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_one_room_has_encoders(path):
    encoders = {"OneHotEncoder", "OrdinalEncoder", "TargetEncoder", "ColumnTransformer"}
    if name_of(path) != "preprocessing":
        assert not encoders & imported_names(path, "sklearn")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_base_is_fitted_in_one_place(path):
    assert "fit_weighted" not in imported_names(path, "icost.base_fit")
    assert path.name == "base_fit.py" or "weight_parameter" not in path.read_text("utf-8")


def imported_names(path, package):
    """Names that a module imports from a package or its modules."""
    nodes = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
    return {a.name for n in nodes if (n.module or "").startswith(package) for a in n.names}


@pytest.mark.parametrize("path", sorted((SOURCE / "neighbors").glob("*.py")), ids=name_of)
def test_the_search_knows_no_minority_and_no_cost(path):
    for node in ast.walk(ast.parse(path.read_text())):
        own = [getattr(node, part, None) for part in ("id", "arg", "attr", "name")]
        words = {word for name in own if isinstance(name, str) for word in name.split("_")}
        assert not words & {"minority", "minorities", "majority", "cost", "costs", "penalty"}


def test_the_weights_of_a_fold_are_made_of_frozen_values():
    from icost.complexity import Complexity
    from icost.penalties import Costs
    from icost.problems import Problem, Target

    assert all(v.__dataclass_params__.frozen for v in (Costs, Complexity, Problem, Target))


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


def test_what_evaluates_rows_loads_no_runner():
    pytest.importorskip("pyarrow")
    evaluating = "evaluation", "tables", "paper_tables", "honest_tables", "findings", "claims"
    found = own_modules("; ".join(f"import icost.experiments.{name}" for name in evaluating))
    assert "icost.experiments.runner" not in found


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


PAGES = [SOURCE.parents[1] / page for page in ("CONTRIBUTING.md", "docs/design.md")]
PAGES = [page for page in PAGES if page.is_file()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_tell_the_flow_as_it_is(page):
    (line,) = re.findall(r"`(validation, [^`]*→[^`]*)`", page.read_text("utf-8"))
    assert re.findall(r"\w+", line) == [stage for stage in FLOW if stage != "__main__"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_name_files_and_tests_that_exist(page):
    root, named = SOURCE.parents[1], re.findall(r"`([^`\n]+)`", page.read_text("utf-8"))
    files = {name for name in named if re.fullmatch(r"[\w/]+(\.py|\.csv|/)", name)}
    # The file that a reader of CONTRIBUTING is asked to write.
    files -= {"tests/complexity/test_isolation.py"}
    assert files
    assert not {f for f in files if not (root / f).exists() and not (SOURCE / f).exists()}
    sources = "".join(path.read_text("utf-8") for path in (root / "tests").rglob("*.py"))
    tests = {name for name in named if re.fullmatch(r"test_\w+", name)}
    assert not {name for name in tests if f"def {name}(" not in sources}


def test_the_picture_shows_the_flow_as_it_is():
    picture = SOURCE.parents[1] / "docs" / "_static" / "flow.svg"
    if not picture.is_file():
        pytest.skip("the documentation is not there")
    (names,) = re.findall(r'font-weight="600">(.*?)</g>', picture.read_text("utf-8"), re.DOTALL)
    drawn = re.findall(r">(\w+)</text>", names)
    assert drawn == [stage for stage in FLOW if stage in drawn]
