"""The numbers on label errors in the documentation are those of the files under results/."""

import csv
import importlib
import re
import subprocess
import sys
import tarfile
import warnings
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
    """Rows of the first table of a section: what each is called, and its numbers."""
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
        expected = on_file(scorer_of(name))
        # The files are rounded to four digits, so that the third may be off by one.
        assert shown == pytest.approx([*expected, mean(expected)], abs=6e-4), name


def test_the_default_is_the_survivor_that_was_confirmed_best():
    survivors = {name for name, _ in table(DEVELOPMENT) if "cleanlab" not in name}
    assert len(survivors) == 3
    best = max(survivors, key=lambda name: mean(confirmed(name)))
    assert best == DEFAULT
    assert mean(confirmed(best)) > mean(confirmed("cleanlab rf | self_confidence"))


def test_suspects_are_those_of_the_file():
    rows = read("suspects_confirmation")

    def share(rule, direction):
        chosen = [r for r in rows if r["rule"] == rule and r["direction"] == direction]
        return 100 * by_source(chosen, "share")

    def judged(rule, column):
        chosen = [[r for r in rows if r["rule"] == rule and r["direction"] == way] for way in BOTH]
        return mean(by_source(group, column) for group in chosen)

    text = " ".join(CONFIRMATION.split())
    ours, theirs = "two rounds", "cleanlab rf"
    assert f"Then {share(ours, 'random'):.2f} % of labels dealt out at random" in text
    assert f"{share(ours, 'none'):.1f} % of labels as they come" in text
    assert f"({share(theirs, 'none'):.1f} % by the filter)" in text
    assert f"({share(theirs, 'random'):.0f} % by the filter)" in text
    scores = judged(ours, "f1"), judged(ours, "precision"), judged(ours, "recall")
    assert "F1 is {:.3f} as before (precision {:.2f}, recall {:.2f})".format(*scores) in text
    assert f"{judged(theirs, 'f1'):.3f} for cleanlab's filter" in text


SECOND = CONFIRMATION.partition("\n### Results of the second round\n")[2]
GUIDE = " ".join((ROOT / "docs" / "guide" / "labels.md").read_text("utf-8").split())
TYPES = ("hidden", "called", "both", "any", "border")
DEFAULT_NOW = "four models, odds"


def by_type(rows, column):
    """Means over rates, then over families, of every type of errors."""
    values = defaultdict(list)
    for row in rows:
        values[row["noise"], row["family"]].append(float(row[column]))
    means = {key: mean(numbers) for key, numbers in values.items()}
    return [mean(m for (noise, _), m in means.items() if noise == wanted) for wanted in TYPES]


def second_table(title):
    """Cells of every line of a table of the second round, by name."""
    lines = SECOND.partition(f"| {title} |")[2].splitlines()[2:]
    for line in lines[: lines.index("")]:
        name, *cells = (cell.replace("*", "").strip() for cell in line.strip("|").split("|"))
        yield name.removesuffix(": the default"), list(map(float, cells))


def ranked(name):
    scores = by_type([row for row in read("second") if row["noise"] in TYPES], name)
    return [*scores, mean(scores)]


def test_the_second_table_is_that_of_the_file():
    shown = dict(second_table("precision at k, second round"))
    assert len(shown) >= 10
    for name, cells in shown.items():
        assert cells == pytest.approx(ranked(name), abs=6e-4), name


def test_suspects_of_the_second_round_are_those_of_the_file():
    rows, shown = read("second_suspects"), dict(second_table("F1 of suspects"))
    assert len(shown) >= 5
    for name, (*scores, on_average, plain, random) in shown.items():
        mine = [row for row in rows if row["rule"] == name]
        expected = by_type([row for row in mine if row["noise"] in TYPES], "f1")
        assert [*scores, on_average] == pytest.approx([*expected, mean(expected)], abs=6e-4), name
        for noise, cell in (("none", plain), ("random", random)):
            share = 100 * mean(float(row["share"]) for row in mine if row["noise"] == noise)
            assert cell == pytest.approx(share, abs=0.06), name


def floor_claims(**wanted):
    with (FOLDER / "label_floor.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if wanted.items() <= row.items()]
    return f"{sum(int(row['claims']) for row in rows)} of {len(rows)}"


def test_the_claims_of_the_noise_floor_are_those_of_the_file():
    text = " ".join(SECOND.split())
    assert f"Without a wrong label, {floor_claims(what='clean')} tables claim errors" in text
    assert f"measured labels, {floor_claims(what='measured')} do" in text
    for rate, percent in (("0.1", "10 %"), ("0.05", "5 %")):
        assert f"with {percent} errors, {floor_claims(what='noisy', rate=rate)}" in text
    for direction in ("hidden", "called", "both"):
        claims = floor_claims(what="noisy", rate="0.1", direction=direction)
        assert f"{direction} {claims}" in text


def test_the_time_is_that_of_the_file():
    with (FOLDER / "label_speed.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert f"{row['now']} CPU seconds, {row['ratio']} of the {row['before']}" in " ".join(
        SECOND.split()
    )
    assert float(row["ratio"]) <= 1


def test_two_folds_of_large_tables_find_as_much_as_five():
    with (FOLDER / "label_folds.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["rate"] == "0.05"]
    text = " ".join(SECOND.split())
    columns = {"average precision": "", "precision": " of suspects", "recall": ""}
    for column, of_what in columns.items():
        five, two = (
            mean(float(row[column]) for row in rows if row["folds"] == folds) for folds in "52"
        )
        assert re.search(
            f"{column}{of_what} (is )?{five:.3f} (with five folds )?and {two:.3f}", text
        )
        assert two > five - 0.005
    sizes = {row["table"]: int(row["rows"]) for row in rows}
    assert len(rows) == 2 * 5 * 4 and len(sizes) == 4
    assert f"{min(sizes.values()):,} to {max(sizes.values()):,} rows" in text


SPEED = ROOT / "benchmarks" / "label_speed.py"


def archive(commit, file, *paths):
    """Write some paths of a commit to a file; skip where history is not at hand."""
    if not (ROOT / ".git").is_dir() or (ROOT / ".git" / "shallow").exists():
        pytest.skip("only a full clone has earlier versions")
    command = ["git", "-C", str(ROOT), "archive", commit, *paths]
    with file.open("wb") as stream:
        subprocess.run(command, stdout=stream, check=True)


@pytest.mark.parametrize("text", [PAGE, SPEED.read_text("utf-8")], ids=["page", "speed"])
def test_earlier_versions_that_commands_name_exist(text, tmp_path):
    commits = set(re.findall(r"git (?:archive|show) ([0-9a-f]{7,40})", text))
    assert commits
    for commit in commits:
        archive(commit, tmp_path / commit, "src", "benchmarks")


def test_the_plan_that_the_page_names_came_before_results(tmp_path):
    (commit,) = re.findall(r"plan of the first round is commit ([0-9a-f]+)", PAGE)
    archive(commit, tmp_path / "plan.tar", "docs/research/label_quality.md", "results")
    with tarfile.open(tmp_path / "plan.tar") as file:
        assert not [name for name in file.getnames() if "label_noise" in name]
        plan = file.extractfile("docs/research/label_quality.md").read().decode("utf-8")
    assert "## How it is judged" in plan and "## What was found" not in plan


@pytest.mark.slow
def test_the_command_for_the_time_runs(tmp_path):
    commit = re.findall(r"git archive (\w+) src", SPEED.read_text("utf-8"))[0]
    archive(commit, tmp_path / "before.tar", "src")
    with tarfile.open(tmp_path / "before.tar") as file:
        file.extractall(tmp_path, filter="data")
    command = [sys.executable, str(SPEED), str(tmp_path / "src"), "--rows", "300", "--turns", "1"]
    subprocess.run([*command, "--out", str(tmp_path)], check=True)
    with (tmp_path / "label_speed.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["rows"] == "300" and float(row["before"]) > 0 and float(row["now"]) > 0


def test_the_guide_has_the_numbers_of_the_second_round():
    names = (DEFAULT_NOW, "first round", "cleanlab, forest: self_confidence")
    ours, before, peer = (f"{100 * ranked(name)[-1]:.0f} %" for name in names)
    assert f"{ours} of the rows that it ranks first were changed ones" in GUIDE
    assert f"{before} with the earlier score" in GUIDE
    assert f"{peer} with cleanlab's default score" in GUIDE


def test_all_registered_draws_are_in_the_file():
    n_draws = defaultdict(int)
    for row in read("second"):
        # A line is the mean of several draws, or one draw in files of later runs.
        n_draws[row["family"], row["noise"], row["rate"]] += int(row.get("tables", 1))
    assert {n for (_, noise, _), n in n_draws.items() if noise in TYPES} == {5}
    assert len(n_draws) == 12 * 5 * 3
    assert "All five registered draws" in " ".join(SECOND.split())


def test_a_run_records_every_draw(monkeypatch, tmp_path):
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    label_noise = importlib.import_module("label_noise")
    about = [
        {"family": family, "noise": noise, "rate": 0.1, "draw": draw}
        for family in ("ada", "zoo")
        for noise in TYPES
        for draw in (1, 2)
    ]
    ranked = pd.DataFrame(about).assign(ours=0.25, theirs=0.5)
    picked = pd.DataFrame(about).assign(rule="ours", share=0.1, precision=0.5, recall=0.5, f1=0.5)
    monkeypatch.setattr(label_noise, "run", lambda *given: (ranked, picked))
    # What main switches off stays switched off for the tests that follow, unless it is undone.
    monkeypatch.setattr(label_noise.logging, "disable", lambda level: None)
    monkeypatch.setattr(sys, "argv", ["label_noise.py", str(tmp_path), "--out", str(tmp_path)])
    shown = ("display.width", 80, "display.max_rows", 60, "display.max_columns", 20)
    with pd.option_context(*shown), warnings.catch_warnings():
        label_noise.main()
    for name, frame in (("second", ranked), ("second_suspects", picked)):
        written = pd.read_csv(tmp_path / f"label_noise_{name}.csv")
        pd.testing.assert_frame_equal(written, frame)


def test_the_default_is_what_the_plan_makes_it():
    four, milder, three = (
        ranked(name)[-1] for name in (DEFAULT_NOW, "four models, milder odds", "three models, odds")
    )
    assert four >= milder and four - three > 0.005
