"""Fail on phrases that a reader would stumble over, in code, docs, examples and pages.

    python .ci/check_words.py

Each has a plain counterpart: "supports" instead of "heeds", "within noise" instead of "cannot be
told", "saved to" instead of "went to".
"""

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


def main() -> int:
    """Print each phrase with its place, and return how many there are."""
    count = 0
    for path in texts():
        for line, phrase in find_phrases(path.read_text("utf-8")):
            print(f"{path.relative_to(ROOT).as_posix()}:{line}: say {phrase!r} in plain words")
            count += 1
    return count


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
