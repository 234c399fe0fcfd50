"""The decision tree is drawn from one list, and every page gives its answer."""

import re
import runpy
from pathlib import Path

import pytest

import icost

DOCS = Path(__file__).parents[2] / "docs"
PICTURE = runpy.run_path(str(DOCS / "which_picture.py"))


@pytest.mark.parametrize("name", PICTURE["PICTURES"])
def test_the_picture_is_what_the_script_draws(name):
    assert (DOCS / "_static" / name).read_text("utf-8") == PICTURE["PICTURES"][name]()
    assert name in (DOCS / "which.md").read_text("utf-8")


def test_every_answer_names_something_public():
    answers = [answer for _, answer, _ in PICTURE["TREE"]] + [PICTURE["LAST"][0]]
    named = {name for answer in answers for name in re.findall(r"(\w+)\(", answer)}
    assert named and all(hasattr(icost, name) for name in named)


def test_the_readme_takes_the_same():
    readme = (DOCS.parent / "README.md").read_text("utf-8")
    table = readme.partition("| You have |")[2].partition("[Which do I take?]")[0]
    row = next(line for line in table.splitlines() if line.startswith("| a table |"))
    assert "icost fit table.csv" in row and "iCostAuto()" in row
    for _, answer, _ in PICTURE["TREE"]:
        name = re.search(r"\w+(?=\()", answer)
        assert name is None or name[0] in table
    answer = PICTURE["LAST"][0]
    row = next(line for line in table.splitlines() if "any other classifier" in line)
    assert f"`{answer}`" in row
