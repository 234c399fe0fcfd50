"""Fail where more functions than before are hard to follow.

    python .ci/check_complexity.py

Counts functions of the library by cyclomatic complexity: one, and one more for each branch, loop,
handler, assertion, alternative and condition. The bounds may only fall: lower them after a function
was made simpler.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

BOUNDS = {10: 62, 15: 9}
"""How many functions may have a complexity above each number."""

BRANCHES = (
    *(ast.If, ast.For, ast.While, ast.AsyncFor, ast.ExceptHandler, ast.IfExp, ast.Assert),
    ast.match_case,
)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def complexity(function: ast.AST) -> int:
    """Return the complexity of a function without that of functions inside it."""
    total, left = 1, list(ast.iter_child_nodes(function))
    while left:
        node = left.pop()
        if isinstance(node, SCOPES):
            continue
        if isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        else:
            total += isinstance(node, BRANCHES)
        left.extend(ast.iter_child_nodes(node))
    return total


def functions(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the complexity and the place of each function below a folder."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield complexity(node), f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def main() -> int:
    """Print the functions above a bound that has too many, and return the exit code."""
    counted, is_broken = sorted(functions(ROOT / "src" / "icost"), reverse=True), False
    for limit, bound in BOUNDS.items():
        above = [f"{value} {place}" for value, place in counted if value > limit]
        if len(above) > bound:
            is_broken = True
            print(f"{len(above)} functions with a complexity above {limit}, allowed are {bound}:")
            print(*above, sep="\n")
    return int(is_broken)


if __name__ == "__main__":
    sys.exit(main())
