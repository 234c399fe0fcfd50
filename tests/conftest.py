"""What all tests share: pages of sentences as snapshots, and no time limit for examples."""

import difflib
import re
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes depends on what else the machine does; time is for benchmarks.
settings.register_profile("icost", deadline=None)
settings.load_profile("icost")

UPDATE = "--update-snapshots"

# Digits differ by CPU and release: numbers with sign, groups, exponent or a release's suffix.
NUMBER = re.compile(r"(?<![\w.])[-−+]?\d+(?:[.,]\d+)*(?:e[-+]?\d+|rc\d+|\.dev\d+)?")
# So do the widths of columns, and with them padding and rules.
WIDTHS = ((re.compile(r"(?<=\S) {2,}"), " "), (re.compile(r"([━─])\1+"), r"\1"))


def pytest_addoption(parser):
    parser.addoption(UPDATE, action="store_true", help="save pages of sentences as they are now")


def normalize(text, folder=""):
    """Return a page with 0 for each number, no padding, and no folder before names of files."""
    text = text.replace(f"{folder}/", "").replace(f"{folder}\\", "") if folder else text
    text = NUMBER.sub("0", text)
    for pattern, replacement in WIDTHS:
        text = pattern.sub(replacement, text)
    return "".join(f"{line.rstrip()}\n" for line in text.strip("\n").splitlines())


def compare_page(path, text, node, update=False):
    """Compare a page with the file of its snapshot, or save it there."""
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
        return
    saved = path.read_text("utf-8") if path.is_file() else ""
    if text != saved:
        names = (f"{path.name}, saved", f"{path.name}, now")
        lines = difflib.unified_diff(saved.splitlines(), text.splitlines(), *names, lineterm="")
        advice = f"The page differs from its snapshot. If it is right: pytest {node!r} {UPDATE}"
        pytest.fail("\n".join([advice, *lines]), pytrace=False)


@pytest.fixture
def snapshot(request, tmp_path):
    """Compare a page of sentences with snapshots/<name>.txt next to the test, numbers aside."""

    def check(name, text):
        path = Path(request.path).parent / "snapshots" / f"{name}.txt"
        update = request.config.getoption(UPDATE, default=False)
        compare_page(path, normalize(text, str(tmp_path)), request.node.nodeid, update)

    return check
