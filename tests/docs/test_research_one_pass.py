"""The page on the one pass says what its recorded rows say."""

import re

PAGE, SCRIPT = "one_pass.md", "one_pass"


def test_all_tables_are_those_of_the_recorded_rows(research, lines):
    assert len(lines) > 25
    assert not research.missing(lines)


def test_missed_goals_are_named(research, lines):
    (blend,) = [line for line in lines if line.startswith("| blend |")]
    (autogluon,) = [line for line in lines if line.startswith("| AutoGluon, 3")]
    ends = [
        float(re.findall(r"\[(\S+), (\S+)\]", line.split("|")[place])[0][end])
        for line, place, end in ((blend, 3, 1), (autogluon, 2, 0))
    ]
    is_missed = [ends[0] >= 0, ends[1] <= 0]
    said = research.page.partition("## The recorded")[0]
    assert ["below the blend's" in said, "above AutoGluon's" in said] == is_missed
