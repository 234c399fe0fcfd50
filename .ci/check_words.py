"""Fail on phrases that a reader of the code would stumble over.

    python .ci/check_words.py

Each has a plain counterpart: "supports" instead of "heeds", "within noise" instead of "cannot be
told", "saved to" instead of "went to".
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

FOLDERS = ("src/icost",)

PHRASES = re.compile(
    r"be told|own word|heeds|told apart|in hindsight|holds 0|which nobody|went to \{", re.IGNORECASE
)


def main() -> int:
    """Print each phrase with its place, and return how many there are."""
    count = 0
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
                for phrase in PHRASES.findall(line):
                    print(f"{name}:{number}: say {phrase!r} in plain words")
                    count += 1
    return count


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
