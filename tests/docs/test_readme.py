"""The README is one screen of text: its budget, and that its links lead somewhere."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def prose():
    """The text without code, links, addresses and versions."""
    text = re.sub(r"```.*?```", "", README, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)
    return re.sub(r"Python \d[\d.]*", "", text)


def test_the_readme_keeps_to_its_budget():
    assert len(README.splitlines()) <= 90
    assert len(re.findall(r"\d+(?:[.,]\d+)?", prose())) <= 25
    assert len(re.findall(r"^\|[-| ]+\|$", README, flags=re.MULTILINE)) <= 2


def test_every_link_leads_to_a_file():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]


def test_the_other_package_of_the_name_is_mentioned_once():
    assert README.count("pip install icost`") == 1
