"""Do the tests bite? Change the library in 200 places, one at a time, and count who notices.

    python benchmarks/mutants.py --out results/benchmarks          # all that is not recorded yet
    python benchmarks/mutants.py --show                            # survivors, with their reasons

Lines are those of the commit that a row names: other code has other places, and so another draw.

A mutant swaps a comparison, an operator, a truth value or a number. It is killed if the tests of
its own room fail: tests elsewhere do not count, since whoever works on a room runs the tests of
that room. Places are drawn with a seed; pictures are left out, since their sizes are no answers.
Survivors that change no answer are listed in `EQUIVALENT`, with the reason; of all others, at least
90 % must be killed.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from recording import record, recorded

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "icost"
N_MUTANTS, SEED, SECONDS = 200, 0, 1_500
TABLE = "mutants"
PASSED, FAILED = 0, 1
"""Exit codes of pytest that say something; others are for tests that are missing or not run."""

NOT_RUN = "not run"
"""Stands for a mutant whose tests were not run: it is neither killed nor survives."""

COMPARISONS = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
COMPARISONS |= {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
COMPARISONS |= {ast.In: ast.NotIn, ast.NotIn: ast.In}
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
OPERATORS |= {ast.FloorDiv: ast.Div, ast.Pow: ast.Mult}

EQUIVALENT = {
    "_weights/classifier.py:43:37 0 to 1": "all classifiers of a model have the same methods",
    "complexity/_graph.py:177:38 1.0 to 2.0": "a row with one link has one row to go to",
    "_neighbors/parts.py:231:29 0 to 1": "a single entry is merged with nothing",
    "_neighbors/choice.py:48:28 300.0 to 301.0": "a forecast of time: every search is exact",
    "label_errors/_odds.py:104:26 Sub to Add": "no probability is above 1, where odds end",
}
"""Survivors that change no answer, by module and line and what was changed, and why."""

TESTED = "a test was added since"
OPEN = {
    "metrics.py:431:44 0 to 1": f"{TESTED}: the minority is that of the truth",
    "complexity/_base.py:33:18 True to False": f"{TESTED}: a record cannot be changed",
    "comparison/_compare.py:325:7 LtE to Lt": f"{TESTED}: 2,000 rows have the blend",
    "ensemble/_synthetic.py:137:51 Gt to GtE": f"{TESTED}: constant columns keep their width",
    "_core/validation.py:185:7 And to Or": f"{TESTED}: what has a type keeps it",
    "comparison/_table_facts.py:233:15 Gt to GtE": "a clock that stood at 900,000,000 seconds",
    "cli/_app.py:152:32 True to False": "a disk that is full when Python flushes at its exit",
}
"""Survivors that change an answer, and what is or was missing."""

PICTURES = ("plots/", "report/_figures.py", "report/_layouts.py")
"""What draws."""


def places(path):
    """Yield the nodes of a module that a mutation can change; types and messages are left out."""
    tree = ast.parse(path.read_text("utf-8"))
    skipped = {
        id(n) for text in ast.walk(tree) if isinstance(text, ast.JoinedStr) for n in ast.walk(text)
    }
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                skipped |= {id(child) for child in ast.walk(getattr(node, field))}
    for node in ast.walk(tree):
        if id(node) not in skipped and changed(node) is not None:
            yield node


def changed(node):
    """Return what takes the place of a node, with a word for it, or None."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        other = COMPARISONS[type(node.ops[0])]
        new = ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators)
        return new, f"{type(node.ops[0]).__name__} to {other.__name__}"
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        other = OPERATORS[type(node.op)]
        return ast.BinOp(
            node.left, other(), node.right
        ), f"{type(node.op).__name__} to {other.__name__}"
    if isinstance(node, ast.BoolOp):
        other = ast.Or if isinstance(node.op, ast.And) else ast.And
        return ast.BoolOp(other(), node.values), f"{type(node.op).__name__} to {other.__name__}"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand, "Not dropped"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        value = not node.value if isinstance(node.value, bool) else node.value + 1
        return ast.Constant(value), f"{node.value} to {value}"
    return None


def draw():
    """Return the mutants: paths, and numbers of the places in them."""
    rng = random.Random(SEED)
    pool = []
    for path in sorted(SOURCE.rglob("*.py")):
        if not str(path.relative_to(SOURCE)).startswith(PICTURES):
            pool += [(path, number) for number, _ in enumerate(places(path))]
    return rng.sample(pool, N_MUTANTS)


def room(path):
    """Return the name of the room that a module belongs to."""
    inside = path.relative_to(SOURCE)
    return inside.parts[0].removesuffix(".py").lstrip("_")


def tests_of(path):
    """Return the tests of a module's room, those of the module itself first."""
    folder, name = ROOT / "tests" / room(path), path.stem.lstrip("_")
    if not folder.is_dir():
        return [str(ROOT / "tests" / f"test_{room(path)}.py"), str(path)]
    nearest = sorted(folder.glob(f"test_{name}*.py"))
    others = [p for p in sorted(folder.glob("test_*.py")) if p not in nearest]
    return [str(p) for p in (*nearest, *others)]


class Replace(ast.NodeTransformer):
    """Put one node in the place of another, which is known by its position and type."""

    def __init__(self, node, new):
        self.node, self.new = node, new

    def visit(self, node):
        """Return the new node for the old one."""
        if ast.dump(node, include_attributes=True) == ast.dump(self.node, include_attributes=True):
            return ast.copy_location(self.new, node)
        return self.generic_visit(node)


def is_killed(tree, path, node, new):
    """Whether the tests of the room fail for a library with one place changed, if they ran."""
    copy = tree / "src" / "icost" / path.relative_to(SOURCE)
    original = copy.read_text("utf-8")
    module = Replace(node, new).visit(ast.parse(original))
    copy.write_text(ast.unparse(ast.fix_missing_locations(module)), "utf-8")
    try:
        code = run_tests(tree, path)
        return code == FAILED if code in (PASSED, FAILED) else NOT_RUN
    except subprocess.TimeoutExpired:
        return True
    finally:
        copy.write_text(original, "utf-8")


def run_tests(tree, path):
    """Return the exit code of a room's tests."""
    sources = [str(tree / "src"), str(ROOT / "reproduction" / "src")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sources), "OMP_NUM_THREADS": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        # A mutant that breaks an import fails then, as one that breaks a test.
        "--continue-on-collection-errors",
        *tests_of(path),
    ]
    return subprocess.run(
        command, env=environment, cwd=ROOT, timeout=SECONDS, capture_output=True
    ).returncode


def check_baseline(tree, path, checked):
    """End if the tests of a room do not pass without a mutant, and so would kill every one."""
    if room(path) not in checked and run_tests(tree, path) != PASSED:
        raise SystemExit(f"The tests of {room(path)} do not pass without a mutant.")
    checked.add(room(path))


def commit():
    """Return the commit of the code, which must be checked out."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout[:7]


def measure(out, limit, rooms):
    """Try the mutants of some rooms, or of all, that are not recorded yet."""
    rows = recorded(out, TABLE)
    recorded_mutants = {row["mutant"] for row in rows if row["commit"] == commit()}
    checked = set()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copytree(ROOT / "src", tree / "src")
        drawn = [(path, n) for path, n in draw()[:limit] if not rooms or room(path) in rooms]
        for path, number in drawn:
            node = list(places(tree / "src" / "icost" / path.relative_to(SOURCE)))[number]
            new, what = changed(node)
            mutant = f"{path.relative_to(SOURCE)}:{node.lineno}:{node.col_offset} {what}"
            if mutant in recorded_mutants:
                continue
            check_baseline(tree, path, checked)
            start = perf_counter()
            killed = is_killed(tree, path, node, new)
            seconds = f"{perf_counter() - start:.0f}"
            row = {"commit": commit(), "room": room(path), "mutant": mutant}
            rows.append(row | {"killed": killed, "seconds": seconds})
            print(rows[-1], flush=True)
            record(rows, out, TABLE)
    return rows


def show(rows):
    """Print who survives, and the share that is killed."""
    survivors = [row["mutant"] for row in rows if str(row["killed"]) == "False"]
    for mutant in survivors:
        print(f"{mutant}: {(EQUIVALENT | OPEN).get(mutant, 'no reason')}")
    killed = sum(str(row["killed"]) == "True" for row in rows)
    counted = killed + sum(mutant not in EQUIVALENT for mutant in survivors)
    print(
        f"{killed} of {counted} mutants that change an answer are killed ({killed / counted:.0%}); "
        f"{len(rows)} of {N_MUTANTS} were tried"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "benchmarks")
    parser.add_argument(
        "--limit", type=int, default=N_MUTANTS, help="how many of those drawn to try"
    )
    parser.add_argument("--rooms", nargs="+", default=[], help="rooms to try, by default all")
    parser.add_argument("--show", action="store_true", help="show what is recorded")
    arguments = parser.parse_args()
    show(
        recorded(arguments.out, TABLE)
        if arguments.show
        else measure(arguments.out, arguments.limit, arguments.rooms)
    )


if __name__ == "__main__":
    main()
