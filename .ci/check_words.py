"""Fail on phrases and names that a reader would stumble over.

    python .ci/check_words.py

Phrases, in code, docs, examples and pages, have a plain counterpart: "supports" instead of
"heeds", "within noise" instead of "cannot be told", "saved to" instead of "went to". Names, in
the code of packages, say what they stand for: "threshold" instead of "known".
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

FOLDERS = ("src", "reproduction", "docs", "examples", "benchmarks", ".ci", "results")
SUFFIXES = {".py", ".md", ".toml", ".html", ".js", ".css", ".rst", ".txt", ".svg"}
# Built from the rest, or written by others.
SKIPPED = re.compile(r"/(_build|gallery|generated)/|\.min\.js$|\.ci/check_words\.py$")

PHRASES = (
    *("be told", "own word", "heeds", "told apart", "in hindsight", "holds 0", "which nobody"),
    *("went to {", "threshold-tuned", "mean-matched"),
)
# A phrase may run over the end of a line.
PATTERN = re.compile("|".join(re.escape(p).replace(r"\ ", r"\s+") for p in PHRASES), re.IGNORECASE)

NAMED_FOLDERS = ("src", "reproduction/src")
# Whole names that say nothing, and those that the project has another word for. A word of that
# list that also has a meaning of its own in code (a pandas frame, a point of a curve) is allowed.
VAGUE = {
    *("own", "found", "known", "part", "kind", "like", "made", "taken", "beside"),
    *("foreign", "form", "honest", "implausible", "lone", "noise", "price", "told", "way", "wrong"),
}
# What users type keeps its name: the key of a plan's file, and a parameter.
TYPED_BY_USERS = {("plan.py", "kind"), ("published_sets.py", "kind")}


def texts() -> Iterator[Path]:
    """Yield each file that someone reads."""
    yield from sorted(ROOT.glob("*.md"))
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            is_text = path.suffix in SUFFIXES and path.is_file()
            if is_text and not SKIPPED.search(path.as_posix()):
                yield path


def find_phrases(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and wording of each phrase in a text."""
    for match in PATTERN.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split())


def defined_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of all that a module defines: functions, arguments and variables."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr
            case ast.alias(asname=str(name)) | ast.ExceptHandler(name=str(name)):
                yield node.lineno, name


def find_vague_names(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and name of each vague name that a module defines."""
    for line, name in defined_names(ast.parse(text)):
        if name.strip("_").lower() in VAGUE:
            yield line, name


def vague_names() -> Iterator[tuple[str, int, str]]:
    """Yield file, line and name of each vague name in the code of the packages."""
    for folder in NAMED_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for line, name in find_vague_names(path.read_text("utf-8")):
                if (path.name, name) not in TYPED_BY_USERS:
                    yield path.relative_to(ROOT).as_posix(), line, name


def main() -> int:
    """Print each phrase and each vague name with its place, and return how many there are."""
    count = 0
    for path in texts():
        for line, phrase in find_phrases(path.read_text("utf-8")):
            print(f"{path.relative_to(ROOT).as_posix()}:{line}: say {phrase!r} in plain words")
            count += 1
    for file, line, name in vague_names():
        print(f"{file}:{line}: name {name!r} after what it stands for")
        count += 1
    return count


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
