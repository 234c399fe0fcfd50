"""There is one way to install, and it is the one that `make dist` tries."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def commands(page):
    text = (ROOT / page).read_text("utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return re.findall(r"pip install .*", "\n".join(blocks))


def test_readme_and_docs_name_one_way_to_install():
    assert commands("README.md") == commands("docs/start.md") == ['pip install ".[all]"']


def test_it_is_the_one_that_make_dist_tries():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert ".ci/check_dist.py dist" in makefile and "dist: wheels" in makefile
    assert 'try_install(wheel, "[all]")' in (ROOT / ".ci" / "check_dist.py").read_text("utf-8")


def test_make_dist_tries_every_extra_alone():
    assert ".ci/check_extras.py dist" in (ROOT / "Makefile").read_text("utf-8")
