"""Check that one version is named wherever a release names it, and that a tag is of this version.

Usage: ``python .ci/check_release.py [TAG]``. Called by the release workflow.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

PLACES = {
    "src/icost/__init__.py": r'^__version__ = "(.+)"$',
    "reproduction/src/icost_reproduction/__init__.py": r'^__version__ = "(.+)"$',
    "reproduction/pyproject.toml": r'^\s+"icost-learn\[.*\]==(.+)",$',
    "CITATION.cff": r"^version: (.+)$",
    "CHANGELOG.md": r"^## (\S+) ",
    ".ci/conda/meta.yaml": r'^{% set version = "(.+)" %}$',
}
"""Where a version is written, and how; the first match is the newest."""


def versions_by_file() -> dict[str, str]:
    """Return the version that each file names, "none" if it names none."""
    texts = {name: (ROOT / name).read_text("utf-8") for name in PLACES}
    matches = {name: re.search(PLACES[name], text, re.MULTILINE) for name, text in texts.items()}
    return {name: match[1] if match else "none" for name, match in matches.items()}


def find_problem(tag: str | None) -> str | None:
    """Return what is wrong in one sentence, or None."""
    versions = versions_by_file()
    if len(set(versions.values())) > 1:
        listed = ", ".join(f"{version} in {name}" for name, version in versions.items())
        return f"All files must name one version, got {listed}."
    version = next(iter(versions.values()))
    if tag is not None and tag != f"v{version}":
        return f"The tag must be v{version}, got {tag}."
    if tag is not None and "unreleased" in changelog_heading(version):
        return f"CHANGELOG.md must have the date of {version} instead of 'unreleased'."
    return None


def changelog_heading(version: str) -> str:
    """Return the line of the changelog that starts a version."""
    lines = (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines()
    return next(line for line in lines if line.startswith(f"## {version}"))


if __name__ == "__main__":
    sys.exit(find_problem(sys.argv[1] if len(sys.argv) > 1 else None))
