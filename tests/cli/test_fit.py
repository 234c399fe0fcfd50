"""``icost fit``: what it keeps, how it measures, and what it says where it does not."""

import json
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest


def sentence(outcome, code):
    assert outcome[0] == code, outcome
    return outcome[2].strip()


@pytest.fixture
def three_classes(patients):
    table = pd.read_csv(patients)
    table.loc[table.index % 3 == 0, "ill"] = "perhaps"
    table.to_csv(patients, index=False)
    return patients


def test_a_refusal_of_guesses_names_the_way_to_keep_one(icost, tmp_path):
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    noise.assign(y=(np.arange(80) % 5 == 0).astype(int)).to_csv("noise.csv", index=False)
    fit = (
        "fit",
        "noise.csv",
        "-s",
        "ncs",
        "-s",
        "cs",
        "-c",
        "nb",
        "--repeats",
        "1",
        "--folds",
        "3",
    )
    assert "--force" in sentence(icost(*fit), code=1)
    assert icost(*fit, "--force")[0] == 0


def test_a_kept_command_measures_by_groups_whatever_the_strategy(icost, patients):
    options = ("-t", "ill", "-s", "cs", "-c", "nb", "--group", "clinic", "--repeats", "1")
    _, out, _ = icost("compare", patients, *options, "--folds", "3")
    (kept,) = (line for line in out.splitlines() if line.startswith("Keep it: "))
    words = shlex.split(kept.removeprefix("Keep it: icost "))
    assert words[words.index("--group") + 1] == "clinic" and "--drop" not in words
    assert icost(*words)[0] == 0
    record = json.loads(icost("inspect", "model.skops", "--json")[1])
    assert "whole groups" in record["metrics_from"]
    assert "clinic" not in [column["name"] for column in record["columns"]]


def test_calibration_holds_whole_groups_out(icost, patients, monkeypatch):
    from icost.modelfile import _fitting

    seen = []

    def spy(*arguments, **options):
        seen.append(options["cv"])
        return calibrated(*arguments, **options)

    calibrated = _fitting.CalibratedClassifierCV
    monkeypatch.setattr(_fitting, "CalibratedClassifierCV", spy)
    options = ("-t", "ill", "-s", "cs", "-c", "nb", "--calibrate", "--group", "clinic")
    assert icost("fit", patients, *options, "-o", "m.skops")[0] == 0
    clinic = pd.read_csv(patients)["clinic"].to_numpy()
    assert all(not set(clinic[train]) & set(clinic[test]) for train, test in seen[0])


def test_a_rule_for_several_classes_names_what_was_typed(icost, three_classes):
    options = ("-t", "ill", "--decide", "recall>=0.8")
    for more in ((), ("-c", "nb")):
        said = sentence(icost("fit", three_classes, *options, *more, "-o", "m.skops"), code=2)
        assert said.startswith("icost: --decide recall>=0.8 is for two classes, got 3")
        assert "offsets are tuned" in said


def test_one_strategy_says_what_its_scores_are_measured_on(icost, patients):
    options = ("-t", "ill", "-s", "threshold", "--decide", "recall>=0.5", "-o", "m.skops")
    said = " ".join(icost("fit", patients, *options)[1].split())
    assert "stratified folds), with thresholds chosen on the others" in said
    assert "Kept model, on the rows that its decision comes from: recall >= 0.5" in said
    plain = icost("fit", patients, "-t", "ill", "-s", "ncs", "-o", "plain.skops")[1]
    assert "threshold" not in plain


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to end a process by")
def test_a_terminated_comparison_ends_its_processes_in_silence(patients):
    command = [sys.executable, "-m", "icost", "compare", str(patients), "-t", "ill"]
    options = ["-j", "2", "-s", "ncs", "-s", "neighbor", "-c", "lr", "--repeats", "2000"]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        time.sleep(15)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    assert [line for line in said.splitlines() if "has only 12 rows" not in line] == []
