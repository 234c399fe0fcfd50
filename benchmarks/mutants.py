"""Do the tests bite? Change the library in 200 places, one at a time, and count who notices.

    python benchmarks/mutants.py --out results/benchmarks          # all that is not recorded yet
    python benchmarks/mutants.py --again                           # survivors, on the code of now
    python benchmarks/mutants.py --show                            # survivors, with their reasons

Lines are those of the commit that a row names: other code has other places, and so another draw.
Survivors are tried again where their line still stands once: ``again`` says whether tests that were
added since kill them, or that the line is gone.

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

STRICT = "both have the same length"
EXACT = "every search is exact"
EQUIVALENT = {
    "_weights/classifier.py:43:37 0 to 1": "all classifiers of a model have the same methods",
    "complexity/_graph.py:177:38 1.0 to 2.0": "a row with one link has one row to go to",
    "_neighbors/parts.py:231:29 0 to 1": "a single entry is merged with nothing",
    "_neighbors/choice.py:48:28 300.0 to 301.0": f"a forecast of time: {EXACT}",
    "label_errors/_odds.py:104:26 Sub to Add": "no probability is above 1, where odds end",
    "tuning/_search_table.py:114:82 True to False": STRICT,
    "comparison/_splits.py:136:61 True to False": STRICT,
    "ensemble/_treatments.py:197:68 True to False": STRICT,
    "_table/_space.py:33:15 10000 to 10001": "about how many rows tell a spread",
    "ensemble/_quick_svm.py:15:8 256 to 257": "rows are scored one by one, however many at a time",
    "_neighbors/kernel.py:267:32 Mult to Div": f"a limit of memory: {EXACT}",
    "_neighbors/trees.py:234:53 Gt to GtE": f"a limit of memory: {EXACT}",
    "_neighbors/choice.py:214:7 And to Or": EXACT,
    "_neighbors/choice.py:38:17 0.3 to 1.3": f"a forecast of time: {EXACT}",
    "_neighbors/choice.py:259:14 Div to Mult": f"a forecast of time: {EXACT}",
    "_neighbors/counts.py:178:39 Mult to Div": EXACT,
    "_neighbors/parts.py:83:17 Mult to Div": EXACT,
    "_neighbors/parts.py:49:20 0 to 1": "it is set, but for parts without a row",
    "_neighbors/search.py:315:51 1 to 2": "more candidates than needed, of which the nearest count",
    "complexity/_neighbor.py:151:55 Mult to Div": "the number of threads",
    "report/_difficulty.py:128:52 1 to 2": "no table that is analysed has two rows",
    "ensemble/_cross_fit.py:20:27 False to True": "nobody compares training rows",
    "comparison/_splits.py:114:7 Or to And": "numbers and times become numbers in the same order",
    "_core/statistics.py:45:85 1 to 2": "the error of one fold is NaN",
    "tuning/_fold_scores.py:194:82 True to False": "checks that do not fail",
    "datasets/_formats.py:112:67 1 to 2": "the line has ended",
}
"""Survivors that change no answer, by module and line and what was changed, and why."""

OPEN = {
    "comparison/_table_facts.py:233:15 Gt to GtE": "a clock that stood at 900,000,000 seconds",
    "cli/_app.py:152:32 True to False": "a disk that is full when Python flushes at its exit",
    "tuning/_searches.py:29:8 8 to 9": "a batch could as well have another size",
}
"""Survivors that change an answer and are not killed yet, and why."""

GONE = "its line is gone"

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


def draw(seed):
    """Return the mutants: paths, and numbers of the places in them."""
    rng = random.Random(seed)
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


def measure(out, limit, rooms, seed):
    """Try the mutants of some rooms, or of all, that are not recorded yet."""
    rows = recorded(out, TABLE)
    recorded_mutants = {row["mutant"] for row in rows if row["commit"] == commit()}
    checked = set()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copytree(ROOT / "src", tree / "src")
        drawn = [(path, n) for path, n in draw(seed)[:limit] if not rooms or room(path) in rooms]
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


def same_place(row):
    """Return where a survivor is now: a path and the number of a place in it, or None."""
    where, what = row["mutant"].split(" ", 1)
    name, line, column = where.split(":")
    path = f"src/icost/{name}"
    command = ["git", "show", f"{row['commit']}:{path}"]
    before = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    text, path = before.splitlines()[int(line) - 1], ROOT / path
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    for number, node in enumerate(places(path) if lines.count(text) == 1 else ()):
        is_there = (node.lineno, node.col_offset) == (lines.index(text) + 1, int(column))
        if is_there and changed(node)[1] == what:
            return path, number
    return None


def try_again(out):
    """Try survivors that change an answer on the code and with the tests of now."""
    rows = recorded(out, TABLE)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        shutil.copytree(ROOT / "src", tree / "src")
        for row in rows:
            row.setdefault("again", "")
            is_open = row["killed"] == "False" and row["mutant"] not in EQUIVALENT
            if not is_open or row["again"] in ("True", GONE):
                continue
            place = same_place(row)
            row["again"] = GONE
            if place is not None:
                node = list(places(place[0]))[place[1]]
                row["again"] = str(is_killed(tree, place[0], node, changed(node)[0]))
            print(row["mutant"], row["again"], sep=": ", flush=True)
            record(rows, out, TABLE)
    return rows


def show(rows):
    """Print who survives, and the shares that are killed, at first and with the tests of now."""
    counted = [row for row in rows if row["mutant"] not in EQUIVALENT]
    killed = [row for row in counted if row["killed"] == "True"]
    later = [row for row in counted if row.get("again") == "True"]
    there = [row for row in counted if row.get("again") != GONE]
    for row in there:
        if row not in killed and row not in later:
            print(f"{row['mutant']}: {OPEN.get(row['mutant'], 'no reason')}")
    for what, dead, tried in (("at first", killed, counted), ("now", killed + later, there)):
        number = f"{len(dead)} of {len(tried)}"
        share = len(dead) / len(tried)
        print(f"{number} that change an answer are killed {what} ({share:.0%})")
    print(f"{len(rows) - len(counted)} change no answer; {len(rows)} of {N_MUTANTS} were tried")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "benchmarks")
    parser.add_argument(
        "--limit", type=int, default=N_MUTANTS, help="how many of those drawn to try"
    )
    parser.add_argument("--rooms", nargs="+", default=[], help="rooms to try, by default all")
    parser.add_argument("--seed", type=int, default=SEED, help="another draw, for another folder")
    parser.add_argument("--again", action="store_true", help="try survivors again")
    parser.add_argument("--show", action="store_true", help="show what is recorded")
    arguments = parser.parse_args()
    if arguments.show:
        show(recorded(arguments.out, TABLE))
    elif arguments.again:
        show(try_again(arguments.out))
    else:
        show(measure(arguments.out, arguments.limit, arguments.rooms, arguments.seed))


if __name__ == "__main__":
    main()
