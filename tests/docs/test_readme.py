"""The README is one screen of text: its budget, and that its links lead somewhere."""

import re
from pathlib import Path

import pytest

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


def test_the_first_code_returns_what_its_comment_says(capsys):
    code = re.search(r"```python\n(.*?)```", README, flags=re.DOTALL)[1]
    exec(code, {})
    pattern = r"MCC ([\d.]+) \(([\d.]+) to ([\d.]+)\)"
    stated, printed = (
        [float(number) for number in re.search(pattern, text).groups()]
        for text in (code, capsys.readouterr().out)
    )
    # Forests differ in the last bits from CPU to CPU, which can move a row across the cut.
    assert printed == pytest.approx(stated, abs=0.05)
