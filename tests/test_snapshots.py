"""Pages of sentences are compared with their snapshots: what counts, and what a failure says."""

import re
import runpy
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SHARED = runpy.run_path(str(TESTS / "conftest.py"))
normalize, compare_page = SHARED["normalize"], SHARED["compare_page"]


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("MCC 0.41 (-0.05 to 1.00).", "MCC 0 (0 to 0)."),
        ("1,000 of 5,600 rows, 38–68, 1e-05", "0 of 0 rows, 0–0, 0"),
        ("│ F1    │   0.79 │\n└───────┴────────┘", "│ F1 │ 0 │\n└─┴─┘"),
        ("Made with numpy 2.4.6, icost-learn 1.0.0rc1.", "Made with numpy 0, icost-learn 0."),
        ("icost fit /tmp/x/patients.csv -o m.skops", "icost fit patients.csv -o m.skops"),
        ("  -t, --target   Column.  ", "  -t, --target Column."),
    ],
)
def test_numbers_widths_and_folders_do_not_count(text, page):
    assert normalize(text, "/tmp/x") == f"{page}\n"


def test_another_sentence_fails_with_the_difference_and_the_flag(tmp_path):
    path = tmp_path / "snapshots" / "page.txt"
    compare_page(path, "Use CS.\nWhy? It is best.\n", "a::b", update=True)
    compare_page(path, "Use CS.\nWhy? It is best.\n", "a::b")
    with pytest.raises(pytest.fail.Exception) as raised:
        compare_page(path, "Use SMOTE.\nWhy? It is best.\n", "a::b")
    assert {"-Use CS.", "+Use SMOTE.", " Why? It is best."} <= set(str(raised.value).splitlines())
    assert "pytest 'a::b' --update-snapshots" in str(raised.value)
    with pytest.raises(pytest.fail.Exception, match=r"\+Use CS\."):
        compare_page(tmp_path / "missing.txt", "Use CS.\n", "a::b")


def test_every_snapshot_is_that_of_a_test():
    saved = {path for path in TESTS.rglob("snapshots/*.txt")}
    folders = {path.parents[1] for path in saved}
    named = {
        folder / "snapshots" / f"{name}.txt"
        for folder in folders
        for path in folder.glob("test_*.py")
        for name in re.findall(r'snapshot\(\s*"([\w-]+)"', path.read_text("utf-8"))
    }
    assert saved and saved == named
