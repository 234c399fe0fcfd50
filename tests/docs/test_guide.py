"""The code blocks of the documentation run, page by page, in one namespace per page."""

import ast
import doctest
import re
from pathlib import Path

import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("agg")

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("**/*.md")])
FENCE = re.compile(r"^```(python|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def code_blocks(path):
    """Line number, language and code of each fenced block."""
    text = path.read_text("utf-8")
    return [
        (text.count("\n", 0, match.start()) + 2, *match.groups()) for match in FENCE.finditer(text)
    ]


def is_generated(path):
    return {"generated", "gallery", "_build"} & set(path.relative_to(ROOT).parts)


def run_python(code, path, line, namespace):
    tree = ast.parse(code, str(path))
    # So that a failure points to the line of the page.
    exec(compile(ast.increment_lineno(tree, line - 1), str(path), "exec"), namespace)


def run_session(code, path, line, namespace):
    test = doctest.DocTestParser().get_doctest(code, namespace, path.name, str(path), line - 1)
    report = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    if report:
        pytest.fail("".join(report))


def pages_with_code():
    pages = [path for path in PAGES if path.is_file() and not is_generated(path)]
    return [path for path in pages if code_blocks(path)]


@pytest.mark.parametrize("path", pages_with_code(), ids=lambda path: path.stem)
def test_code_blocks_run(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for line, language, code in code_blocks(path):
        run = run_python if language == "python" else run_session
        run(code, path, line, namespace)
    pyplot.close("all")


def test_every_page_of_the_guide_has_code_or_a_command():
    guide = (ROOT / "docs" / "guide").glob("*.md")
    bare = [path.name for path in guide if "```" not in path.read_text("utf-8")]
    assert not bare


def test_a_wrong_output_is_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\n\n```pycon\n>>> x + 1\n3\n```\n", "utf-8")
    namespace = {}
    (line, _, code), (at, _, session) = code_blocks(page)
    run_python(code, page, line, namespace)
    with pytest.raises(pytest.fail.Exception, match="Got:\n    2"):
        run_session(session, page, at, namespace)


def test_the_page_of_commands_lists_every_strategy():
    from icost.strategies._registry import STRATEGIES

    page = (ROOT / "docs" / "guide" / "commands.md").read_text(encoding="utf-8")
    missing = [name for name in (*STRATEGIES, "threshold-cost") if f"`{name}`" not in page]
    assert missing == []
