"""The numbers on label errors in the documentation are those of the files under results/."""

import csv
import re
from collections import defaultdict
from pathlib import Path
from statistics import mean

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "results" / "benchmarks"
PAGE = (ROOT / "docs" / "research" / "label_quality.md").read_text(encoding="utf-8")
DEVELOPMENT, CONFIRMATION = PAGE.split("\n## Confirmation\n")
DEFAULT = "two rounds, mean of calibrated"
BOTH = ("called", "hidden")


def read(name):
    with (FOLDER / f"label_noise_{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_source(rows, column):
    """Means over the sets of a source, then over sources."""
    sets = defaultdict(list)
    for row in rows:
        sets[row["source"], row["set"]].append(float(row[column]))
    sources = defaultdict(list)
    for (source, _), values in sets.items():
        sources[source].append(mean(values))
    return mean(map(mean, sources.values()))


def confirmed(scorer):
    rows = [row for row in read("confirmation") if row["scorer"] == scorer]
    return [by_source([r for r in rows if r["direction"] == way], "precision_at_k") for way in BOTH]


def tried(scorer):
    (row,) = [row for row in read("tried") if row["scorer"] == scorer]
    return [float(row[f"precision_at_k, {way}"]) for way in BOTH]


def table(text):
    """Rows of the first table of a part: what each is called, and its numbers."""
    lines = text.partition("| precision at k |")[2].splitlines()[2:]
    for line in lines[: lines.index("")]:
        name, *numbers = (cell.replace("*", "").strip() for cell in line.strip("|").split("|"))
        yield name, list(map(float, numbers))


def scorer_of(name):
    """What the files call it."""
    name = re.sub(r" \(its default\)|: the default", "", name)
    peer = re.fullmatch(r"cleanlab, (forest|linear): (.*)", name)
    if peer is None:
        return name
    base = {"forest": "rf", "linear": "lr"}[peer[1]]
    return f"cleanlab {base} | {re.sub('[- ](?=confidence|margin)', '_', peer[2])}"


@pytest.mark.parametrize(("text", "on_file"), [(DEVELOPMENT, tried), (CONFIRMATION, confirmed)])
def test_tables_are_those_of_the_files(text, on_file):
    rows = list(table(text))
    assert len(rows) >= 7
    for name, shown in rows:
        found = on_file(scorer_of(name))
        # The files are rounded to four digits, so that the third may be off by one.
        assert shown == pytest.approx([*found, mean(found)], abs=6e-4), name


def test_the_default_is_the_survivor_that_was_confirmed_best():
    survivors = {name for name, _ in table(DEVELOPMENT) if "cleanlab" not in name}
    assert len(survivors) == 3
    best = max(survivors, key=lambda name: mean(confirmed(name)))
    assert best == DEFAULT
    assert mean(confirmed(best)) > mean(confirmed("cleanlab rf | self_confidence"))


def test_suspects_are_those_of_the_file():
    rows = read("suspects_confirmation")

    def share(rule, direction):
        own = [r for r in rows if r["rule"] == rule and r["direction"] == direction]
        return 100 * by_source(own, "share")

    def judged(rule, column):
        own = [[r for r in rows if r["rule"] == rule and r["direction"] == way] for way in BOTH]
        return mean(by_source(part, column) for part in own)

    text = " ".join(CONFIRMATION.split())
    ours, theirs = "two rounds", "cleanlab rf"
    assert f"Then {share(ours, 'random'):.2f} % of labels dealt out at random" in text
    assert f"{share(ours, 'none'):.1f} % of labels as they come" in text
    assert f"({share(theirs, 'none'):.1f} % by the filter)" in text
    assert f"({share(theirs, 'random'):.0f} % by the filter)" in text
    scores = judged(ours, "f1"), judged(ours, "precision"), judged(ours, "recall")
    assert "F1 is {:.3f} as before (precision {:.2f}, recall {:.2f})".format(*scores) in text
    assert f"{judged(theirs, 'f1'):.3f} for cleanlab's filter" in text


def test_the_guide_says_the_same():
    guide = " ".join((ROOT / "docs" / "guide" / "labels.md").read_text("utf-8").split())
    ours, plain, adjusted = (
        f"{100 * mean(confirmed(name)):.0f} %"
        for name in (
            DEFAULT,
            "cleanlab rf | self_confidence",
            "cleanlab rf | self_confidence, adjusted",
        )
    )
    assert f"of the rows that it ranks first, {ours} are wrong ones" in guide
    assert f"{plain} with cleanlab's default score" in guide
    assert f"{adjusted} with its adjusted one" in guide
