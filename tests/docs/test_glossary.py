"""Every term of the glossary leads to the page that explains it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GLOSSARY = (DOCS / "glossary.md").read_text("utf-8").partition(":::{glossary}\n")[2]
TERMS = dict(re.findall(r"^(\w.*)\n((?:  .*\n)+)", GLOSSARY, flags=re.MULTILINE))


@pytest.mark.parametrize("term", TERMS)
def test_a_term_links_to_a_page(term):
    links = re.findall(r"\{doc\}`([^`]+)`", TERMS[term])
    assert links and all((DOCS / f"{link}.md").exists() for link in links)


def test_all_terms_are_read():
    assert len(TERMS) == GLOSSARY.count("\n  ") - GLOSSARY.count("\n  {doc}")
