"""The golden record: does a change of the code change an answer?

    python benchmarks/answers.py weights
    PYTHONPATH=TREE/src python benchmarks/answers.py record FOLDER
    python benchmarks/answers.py compare FOLDER_BEFORE FOLDER_AFTER

``weights`` computes the weights of twenty data sets and compares them with the committed hashes in
``results/benchmarks/answers_weights.csv``. ``--record`` computes them with several kernels of the
linear algebra and writes the hashes anew; weights whose bits depend on the kernel have the word
"varies" there, and are compared by the record below alone.

``record`` writes all other answers of the code in TREE to FOLDER, which is best outside git, since
fits are the same bits on one machine only. After a move, PYTHONPATH names the sources of the
reproduction as well. Record the commit before and the commit after on one machine, and ``compare``
prints what differs. What is dropped, added or meant to change belongs into the table `CHANGES`,
with its reason; the exit code is 1 if a difference is not listed there.

A record has six files, one per section, each a flat table from a key to a value:

- ``weights/DATA SET/MULTICLASS/PENALTY/METHOD``: hashes of all weights;
- ``fit/TABLE/CLASSIFIER/STRATEGY/...``: labels, probabilities and metrics of `fit_model`;
- ``compare/TABLE/...``: the numbers of ``icost compare --json``;
- ``command/NAME/...``: the numbers, not the words, in the output of a command line;
- ``study/TABLE/CLASSIFIER/STRATEGY/...``: rows of all strategies that a study may name;
- ``table/STUDY/NAME/...``: the tables of ``results/``, rebuilt from the committed rows.
"""

import argparse
import contextlib
import hashlib
import io
import json
import os
import platform
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

# One thread, set before NumPy is loaded: sums of several threads depend on how many there are.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from recording import record as write_csv  # noqa: E402
from recording import recorded as read_csv  # noqa: E402

ROOT = Path(__file__).parents[1]


class Change(NamedTuple):
    """A difference that is wanted: dropped, added or changed, keys as in a shell, and why."""

    what: str
    keys: str
    reason: str


STUDIES_ONLY = "studies alone know this strategy now"
ONE_FIT = "fit keeps the estimator that compare compares: calibrated scores, one rule for a cut"
RECALIBRATED = "ensembles are recalibrated at the end, and blends are refitted"
TWO_NUMBERS = "calibrators are two numbers: another last bit decides ties between rows of a tree"
GROUP_ORDER = "groups are numbered in the order of their values, so that folds differ"
GROUPED = "thresholds and the folds of the scores hold groups out together, refused before"
CUTS = "comparisons and ensembles say what ten cuts find and cost"
BASELINES = "differences are to the recommended and to the plain strategy, not of all pairs"
JOINT = "intervals come from a bootstrap of out-of-fold rows and hold for all of them together"
CHOICE = "each draw chooses among thresholds and ensembles that are fitted in another way"
BEST = "the best is now a calibrated threshold, and ncs is not within one standard error of it"
ALSO_RETURNED = "comparisons return precision, fits, the candidate and what was not tried"
NO_WORDS = "an empty list has no words, by which lists of sentences are left out"
LABELS = "labels are judged by the odds that they are wrong, with bounds and classes of them"
PRINTED = "scores are printed from 0 to 1, other strategies by default, with a verdict in words"
AUTO = "icost fit keeps what a comparison recommends unless a strategy is named"
CHOSEN = "the record of a chosen model has intervals of its scores"
ONE_SCALE = "cs_multiplier is gone from the costs of a record: it is scale"
DIGITS = "scores of a model are printed with two digits"
NO_TUNE = "icost tune is gone: iCostCV searches"
AGREED = "a share that all folds agree on has the interval of its rows, not one of width 0"
LAST_BIT = "quantiles of Student's t come from another function, with another last bit"
COLLECTION = "the confirmation data sets are a collection that the command knows"

CHANGES: tuple[Change, ...] = (
    Change(
        "changed",
        "weights/kddcup-land_vs_portsweep/ovr/plausible/density",
        "columns of one value are left out of the space of a mixed table, which rounds otherwise",
    ),
    *(
        Change("dropped", f"fit/*/*/{name}/*", STUDIES_ONLY)
        for name in (
            *("blend-10", "blend-half", "ensemble-10", "ensemble-half", "ensemble-plain"),
            *("*-both-*", "*-plausible-*", "*-direct", "*-ovo", "tuned-*", "offsets-*"),
            *("calibrated", "easy-ensemble", "rusboost"),
        )
    ),
    *(
        Change(what, keys, reason)
        for reason, names in (
            (ONE_FIT, ("threshold", "threshold-cs", "threshold-cost", "offsets")),
            (RECALIBRATED, ("ensemble", "blend")),
        )
        for name in names
        for what, keys in (
            ("changed", f"fit/*/*/{name}/*"),
            ("added", f"fit/*/*/{name}/*"),
            ("changed", f"compare/*/strategies/{name}/*"),
            ("changed", f"compare/*/curves/{name}/*"),
        )
    ),
    Change("changed", "compare/groups/*", GROUP_ORDER),
    *(
        Change("changed", f"compare/*/strategies/*/scores/sensitivity/{end}", AGREED)
        for end in ("low", "high")
    ),
    Change("changed", "compare/*/strategies/*/scores/*/half", LAST_BIT),
    Change("changed", "study/ecoli3/dt/ensemble-*_auc", TWO_NUMBERS),
    Change("dropped", "fit/groups/*/*/error", GROUPED),
    Change("added", "fit/groups/*/*/*", GROUPED),
    Change("added", "compare/*/decision/*", CUTS),
    Change("changed", "command/fit-ensemble*", CUTS),
    Change("dropped", "compare/*/pairs/*", BASELINES),
    Change("dropped", "compare/*/differences/*", BASELINES),
    Change("added", "compare/*/differences/*", BASELINES),
    *(Change("changed", f"compare/*/differences/*/{end}", JOINT) for end in ("low", "high")),
    *(
        Change("changed", f"compare/*/differences/{name} */{value}", reason)
        for name, reason in (("threshold", ONE_FIT), ("blend", RECALIBRATED))
        for value in ("mean", "error")
    ),
    *(
        Change("changed", f"compare/*/selection/{name}", CHOICE)
        for name in ("corrected", "low", "high", "share")
    ),
    *(
        Change("changed", f"compare/time/{name}", BEST)
        for name in ("selection/name", "selection/raw", "recommendation/*")
    ),
    *(
        Change("added", f"compare/*/{name}", ALSO_RETURNED)
        for name in ("candidate/*", "not_tried", "strategies/*/n_fits", "strategies/*/precision/*")
    ),
    Change("added", "compare/*/notes", NO_WORDS),
    *(
        Change("changed", f"command/{name}/numbers", reason)
        for reason, names in (
            (LABELS, ("analyze", "analyze-*")),
            (PRINTED, ("compare", "compare-*")),
            (AUTO, ("fit", "inspect", "predict")),
            (CHOSEN, ("fit-auto", "inspect-json")),
            (ONE_FIT, ("fit-threshold", "predict-threshold", "fit-cost", "fit-offsets")),
            (RECALIBRATED, ("fit-blend", "predict-blend", "predict-ensemble", "inspect-ensemble")),
            (ONE_SCALE, ("fit-calibrated", "fit-cs")),
            (DIGITS, ("fit-direct", "fit-plausible", "fit-smote")),
        )
        for name in names
    ),
    Change("dropped", "command/tune*", NO_TUNE),
    Change("added", "command/datasets-confirmation/*", COLLECTION),
)
"""All differences that are wanted; one that no entry matches fails `compare`."""

OPTIONS_RENAMED = {"--method": "--strategy"}
"""Options that a command line may know by a newer name; tried if the older is not understood."""


# The one place that knows where things are, before and after a move.

REPRODUCTION = ("icost_reproduction", "icost.experiments")

STRATEGY_TABLES = (
    *(f"{package}:STRATEGIES" for package in REPRODUCTION),
    "icost_reproduction.strategies:STRATEGIES",
    "icost.strategies:list_strategies",
)
"""Where strategies that a study may name are listed."""

METHOD_TABLES = ("icost.modelfile:METHODS", "icost.strategies:list_strategies")
"""Where methods of `fit_model` are listed."""


def find(place):
    """Return what ``module:name`` is, or None."""
    module, _, name = place.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ModuleNotFoundError, AttributeError):
        return None


def of_reproduction(module, name):
    """Return a name of a module of the reproduction, wherever that is."""
    homes = (module, "reproduction")  # which had the tables before
    places = [f"{package}.{home}:{name}" for package in REPRODUCTION for home in homes]
    for place in places:
        value = find(place)
        if value is not None:
            return value
    raise ImportError(f"none of {', '.join(places)} can be imported; is PYTHONPATH set?")


def names_in(places):
    """Return the names that tables or functions list, each once."""
    tables = [table() if callable(table) else table for table in map(find, places) if table]
    return list(dict.fromkeys(getattr(entry, "name", entry) for table in tables for entry in table))


# Weights.

BINARY = (
    "glass1",
    "glass2",
    "pima",
    "vehicle1",
    "new-thyroid1",
    "ecoli3",
    "yeast-2_vs_4",
    "cleveland-0_vs_4",
    "yeast-1_vs_7",
    "page-blocks-1-3_vs_4",
    "abalone",
    "winequality-red-8_vs_6",
    "kddcup-land_vs_portsweep",
    "poker-8-9_vs_6",
    "vowel",
)
MULTICLASS = ("wine", "new-thyroid", "contraceptive", "balance", "yeast-multiclass")
METHODS = ("ncs", "cs", "neighbor", "tree", "gini", "margin", "density", "graph", "cluster")
SHAPES = {
    "categories": {},
    "plausible": {"penalty": "plausible", "majority": "plausible", "scale": 0.3},
}
"""Options of iCost by the name that a row of hashes has for them."""


KERNELS = ("Haswell", "Prescott", "Sandybridge", "SkylakeX")
"""Kernels of OpenBLAS whose sums differ in the last bit; this CPU must have them all."""

VARIES = "varies"
"""Stands for a hash that depends on the kernel."""

SUMS = ("plausible", "margin")
"""Weights that are smooth in the scores of a linear model, which every kernel may round its way."""


def weights_of(data, method, options):
    """Return a hash of the weights' bits, or the kind of error."""
    from icost import instance_weights

    try:
        weights = instance_weights(*data, method, random_state=0, **options)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    values = np.ascontiguousarray(weights, dtype="<f8")
    return hashlib.sha256(repr(values.shape).encode() + values.tobytes()).hexdigest()[:16]


def weight_rows():
    """Return the hashes, a row per data set, way to learn several classes, and shape."""
    from icost.datasets import load_dataset

    rows = []
    for kind, names in (("binary", BINARY), ("multiclass", MULTICLASS)):
        ways = ("ovr", "ovo", "direct") if kind == "multiclass" else ("ovr",)
        for name in names:
            data = load_dataset(name, return_X_y=True)  # the name alone, as in `fit_arguments`
            for way in ways:
                for shape, options in SHAPES.items():
                    row = {"data set": name, "multiclass": way, "penalty": shape}
                    given = {"multiclass": way, **options}
                    rows.append(row | {m: weights_of(data, m, given) for m in METHODS})
    return rows


def weight_entries(rows):
    """Return the hashes by their keys."""
    entries = {}
    for row in rows:
        *names, hashes = *list(row.values())[:3], list(row.items())[3:]
        entries |= {"/".join(["weights", *names, method]): value for method, value in hashes}
    return entries


def record_weights():
    """Return the hashes of all weights on this machine."""
    return weight_entries(weight_rows())


def steady_rows():
    """Return the rows of hashes, with a word where a kernel of the linear algebra has a say."""
    tables = []
    for kernel in KERNELS:
        command = [sys.executable, "-W", "ignore", __file__, "weights", "--print"]
        environment = os.environ | {"OPENBLAS_CORETYPE": kernel}
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        tables.append(json.loads(done.stdout))
    return [{name: steady(name, rows) for name in rows[0]} for rows in zip(*tables, strict=True)]


def steady(name, rows):
    """Return a value that all kernels agree on, or the word for those that vary."""
    if (rows[0]["penalty"], name) == SUMS or len({row[name] for row in rows}) > 1:
        return VARIES
    return rows[0][name]


def print_weights():
    """Print the hashes with the kernel that the environment names."""
    print(json.dumps(weight_rows()))
    return 0


def check_weights(is_recording):
    """Write the hashes, or compare with those that are committed; return the exit code."""
    folder = ROOT / "results" / "benchmarks"
    if is_recording:
        rows = steady_rows()
        write_csv(rows, folder, "answers_weights")
        counts = Counter(value == VARIES for value in weight_entries(rows).values())
        print(f"Recorded {counts[False]} hashes of weights; {counts[True]} vary by the kernel.")
        return 0
    entries = weight_entries(read_csv(folder, "answers_weights"))
    steady = {key: value for key, value in entries.items() if value != VARIES}
    now = record_weights()
    return report(steady, {key: value for key, value in now.items() if entries.get(key) != VARIES})


# Tables that are made, not loaded: of the kinds that the command line knows.


def made_tables():
    """Return small tables by name, the class last; the same rows on every run."""
    rng = np.random.default_rng(20)
    is_rare = rng.permutation(np.arange(300) < 45)
    shift = 1.1 * is_rare[:, None]
    numbers = pd.DataFrame((rng.normal(size=(300, 4)) + shift).round(3), columns=list("abcd"))
    label = np.where(is_rare, "rare", "common")
    mixed = numbers.assign(
        colour=rng.choice(["red", "green", "blue"], 300, p=[0.5, 0.3, 0.2]),
        grade=np.where(is_rare & (rng.random(300) < 0.6), "low", "high"),
    )
    mixed.loc[rng.random(300) < 0.08, "b"] = np.nan
    mixed.loc[rng.random(300) < 0.08, "colour"] = None
    place = rng.choice(["low", "middle", "high"], 240, p=[0.6, 0.28, 0.12])
    several = rng.normal(size=(240, 3)) + pd.Series(place).map(
        {"low": 0.0, "middle": 1.0, "high": 2.0}
    ).to_numpy().reshape(-1, 1)
    multiclass = pd.DataFrame(several.round(3), columns=list("abc"))
    return {
        "binary": numbers.assign(label=label),
        "multiclass": multiclass.assign(label=place),
        "mixed": mixed.assign(label=label),
        "groups": numbers.assign(clinic=rng.integers(0, 30, 300), label=label),
        "time": numbers.assign(day=np.sort(rng.integers(0, 90, 300)), label=label),
        "costs": numbers.assign(label=label),
    }


# What `fit_model` keeps.

FITS = (
    ("glass2", "lr"),
    ("glass2", "dt"),
    ("glass2", "svm"),
    ("yeast-1_vs_7", "lr"),
    ("new-thyroid", "dt"),
    ("wine", "lr"),
    ("mixed", "lr"),
    ("groups", "dt"),
    ("costs", "lr"),
)
"""Tables and classifiers; groups are given with the one table, costs of errors with the other."""


def fit_arguments(name):
    """Return features, labels and further arguments of a fit."""
    from icost.datasets import load_dataset

    tables = made_tables()
    if name not in tables:
        # Earlier code has another word for a collection; the name alone is enough for both.
        return *load_dataset(name, return_X_y=True), {}
    table = tables[name]
    X, y, options = table.drop(columns="label"), table["label"], {}
    if name == "groups":
        options["groups"] = X.pop("clinic")
    if name == "costs":
        options["cost_fn"] = 10.0
    return X, y, options


def fit_answers(X, y, classifier, method, options):
    """Return what a fit predicts, or the kind of error."""
    from icost.modelfile import fit_model

    try:
        model = fit_model(X, y, classifier=classifier, method=method, n_splits=3, **options)
    except (TypeError, ValueError, RuntimeError) as error:
        return {"error": type(error).__name__}
    answers = {"labels": model.predict(X).tolist(), "metrics": plain(model.record["metrics"])}
    with contextlib.suppress(ValueError):  # an SVM has no probabilities
        answers["proba"] = model.predict_proba(X).ravel().tolist()
    return answers


def record_fits():
    """Return labels, probabilities and metrics of every strategy by `fit_model`."""
    entries = {}
    for table, classifier in FITS:
        X, y, options = fit_arguments(table)
        for method in names_in(METHOD_TABLES):
            for name, value in fit_answers(X, y, classifier, method, options).items():
                entries[f"fit/{table}/{classifier}/{method}/{name}"] = value
    return entries


# Rows of studies, and their tables.

ROW_ANSWERS = (
    *("confusion", "roc_auc", "pr_auc", "brier", "log_loss", "oof_mcc", "oof_brier"),
    *("found_safe", "found_border", "found_outlier", "n_pure", "n_safe", "n_border", "n_outlier"),
    *("cfp", "cfs", "cfb", "cfo", "error"),
)
"""Columns of a row that are answers; times and versions are none."""


def record_studies():
    """Return the rows of all strategies that a study may name, on three small data sets."""
    run_plan, entries = of_reproduction("runner", "run_plan"), {}
    for kind, data_sets in (("binary", ["glass2", "ecoli3"]), ("multiclass", ["new-thyroid"])):
        for row in run_plan(study_plan(kind, data_sets)).to_dict("records"):
            place = [str(row[name]) for name in ("dataset", "classifier", "strategy", "fold")]
            entries |= {
                "/".join(["study", *place, name]): plain(row[name])
                for name in ROW_ANSWERS
                if name in row
            }
    return entries


def study_plan(kind, data_sets):
    """Return a plan of all strategies that can be named for data sets of this kind."""
    load_plan = of_reproduction("plan", "load_plan")
    plan = {
        "name": "answers",
        "title": "Every strategy once",
        "kind": kind,
        "datasets": data_sets,
        "classifiers": ["lr", "dt"],
        "protocol": {"n_splits": 2, "n_repeats": 1},
    }
    names = []
    for name in names_in(STRATEGY_TABLES):
        with contextlib.suppress(ValueError):  # for two classes only
            load_plan(plan | {"strategies": [name]}, "honest")
            names.append(name)
    return load_plan(plan | {"strategies": names}, "honest")


def record_tables():
    """Return the numbers in all tables of ``results/``, rebuilt from the committed rows."""
    homes = {"study_tables": "study_tables", "claims_table": "study_tables"}
    homes |= {"check_claims": "claims", "Results": "evaluation", "list_plans": "plan"}
    study_tables, claims_table, check_claims, results_of, list_plans = (
        of_reproduction(module, name) for name, module in homes.items()
    )
    honest_only = of_reproduction("plan", "HONEST_ONLY")
    results, entries = results_of(ROOT / "results", "published"), {}
    for study in list_plans():
        profile = "honest" if study in honest_only else "published"
        for table in study_tables(results.under(profile), study):
            entries |= table_entries(f"table/{study}/{table.name}", table)
    return entries | table_entries("table/claims", claims_table(check_claims(results)))


def table_entries(key, table):
    """Return the numbers of each column of a table; words are left to whoever reads them."""
    columns = zip(*(cells for _, cells in table.rows), strict=True)
    entries = {f"{key}/rows": len(table.rows)}
    for place, cells in enumerate(columns, 1):
        values = [value for cell in cells for value in (cell.ours, cell.published)]
        entries[f"{key}/{place}"] = [
            number
            for value in values
            for number in (numbers_in_text(value) if isinstance(value, str) else [plain(value)])
        ]
    return entries


# Command lines.

SAMPLERS = "ros rus smote bl-smote adasyn smote-enn smote-tomek enn tomek"
COMPARED = (
    f"ncs cs neighbor gini margin graph density cluster offsets {SAMPLERS} ensemble blend "
    "balanced-rf neighbor-mean gini-mean"
)
BRIEF = "--folds 3 --repeats 1 -j 1"

COMPARISONS = {
    "binary": f"binary.csv {BRIEF} -s threshold -s threshold-cs",
    "multiclass": f"multiclass.csv {BRIEF}",
    "mixed": f"mixed.csv {BRIEF} -s threshold -s threshold-cs",
    "groups": f"groups.csv {BRIEF} --group clinic -s threshold -c dt",
    "time": "time.csv --folds 3 -j 1 --time day -s threshold",
    "costs": f"costs.csv {BRIEF} --cost-fn 10 --cost-fp 2 -s threshold -s threshold-cost",
}
"""Arguments of ``icost compare --json``, besides the strategies that all have."""

COMMANDS = {
    "datasets": "datasets",
    "datasets-confirmation": "datasets --collection confirmation",
    "datasets-glass2": "datasets glass2",
    "datasets-json": "datasets --json",
    "analyze": "analyze glass2",
    "analyze-json": "analyze glass2 --json",
    "analyze-measures": "analyze yeast-1_vs_7 -k 7 --measure density --measure cluster --json",
    "analyze-mixed": "analyze mixed.csv --measure margin --measure graph --top 5",
    "analyze-multiclass": "analyze multiclass.csv --json",
    "analyze-weights": "analyze mixed.csv -q --save-weights weights.csv",
    "compare": f"compare glass2 {BRIEF}",
    "compare-classifiers": f"compare mixed.csv {BRIEF} -c lr -c dt -s ncs -s cs -s smote",
    "compare-costs": f"compare costs.csv {BRIEF} --cost-fn 10",
    "compare-multiclass": f"compare wine {BRIEF} -c dt -s ncs -s cs -s neighbor -s offsets",
    "compare-sample": f"compare binary.csv {BRIEF} --max-rows 200 --seed 3 -s ncs -s cs",
    "compare-time": "compare time.csv --time day --folds 3 -j 1 -s ncs -s cs -s threshold",
    "fit": "fit glass2 -o neighbor.skops",
    "fit-threshold": "fit glass2 --method threshold -o threshold.skops",
    "fit-calibrated": "fit glass2 --method gini -c svm --calibrate -o calibrated.skops --json",
    "fit-cs": "fit glass2 --method cs --scale 0.3 -o cs.skops --json",
    "fit-plausible": "fit mixed.csv --method margin --penalty plausible -o margin.skops",
    "fit-offsets": "fit multiclass.csv --method offsets -o offsets.skops --json",
    "fit-direct": "fit multiclass.csv --method neighbor --multiclass direct -o direct.skops",
    "fit-ensemble": "fit groups.csv --method ensemble -c dt --group clinic -o ensemble.skops",
    "fit-blend": "fit multiclass.csv --method blend -o blend.skops --json",
    "fit-cost": "fit costs.csv --method threshold-cost --cost-fn 10 -o cost.skops --json",
    "fit-smote": "fit mixed.csv --method smote -c dt -o smote.skops",
    "fit-auto": f"fit mixed.csv --method auto {BRIEF} -s ncs -s cs -s threshold -o auto.skops",
    "predict": "predict neighbor.skops glass2 --proba -o predicted.csv",
    "predict-threshold": "predict threshold.skops glass2 --proba",
    "predict-ensemble": "predict ensemble.skops groups.csv --proba --json",
    "predict-blend": "predict blend.skops multiclass.csv --proba",
    "inspect": "inspect neighbor.skops",
    "inspect-ensemble": "inspect ensemble.skops",
    "inspect-json": "inspect auto.skops --json",
    "tune": "tune glass2 --grid scale",
    "tune-gini": "tune glass2 --method gini -c dt --search random --candidates 8 --nested --json",
}
"""Command lines by name, run one after the other in a folder with the tables that are made."""


def run_command(line):
    """Return the exit code of a command line and what it printed."""
    code, output = run_words(shlex.split(line))
    if code == 2:
        words = [OPTIONS_RENAMED.get(word, word) for word in shlex.split(line)]
        code, output = run_words(words)
    return code, output


def run_words(words):
    """Run ``python -m icost`` in this process, which need not load the library each time."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    before = sys.argv
    sys.argv = ["icost", *words]
    code = 0
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_module("icost", run_name="__main__")
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.argv = before
    return code, printed.buffer.getvalue().decode("utf-8")


@contextlib.contextmanager
def folder_of_tables():
    """Work in a folder with the tables that are made; yields nothing."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, table in made_tables().items():
            table.to_csv(f"{name}.csv", index=False)
        yield


def record_comparisons():
    """Return the numbers of ``icost compare --json`` by their places in it."""
    entries = {}
    strategies = " ".join(f"-s {name}" for name in COMPARED.split())
    with folder_of_tables():
        for name, arguments in COMPARISONS.items():
            code, output = run_command(f"compare {arguments} {strategies} --json")
            entries[f"compare/{name}/exit code"] = code
            if code == 0:
                entries |= leaves(f"compare/{name}", json.loads(output))
    return entries


def record_commands():
    """Return exit codes and numbers of all command lines; one that is not understood has none."""
    entries = {}
    with folder_of_tables():
        for name, line in COMMANDS.items():
            code, output = run_command(line)
            if code == 2:
                print(f"not understood: icost {line}", file=sys.stderr)
                continue
            for file in re.findall(r"(?:-o|--save-weights) (\S+\.csv)", line):
                output += Path(file).read_text()
            is_json = line.endswith("--json") and code == 0
            numbers = numbers_in_json(json.loads(output)) if is_json else numbers_in_text(output)
            entries[f"command/{name}/exit code"] = code
            entries[f"command/{name}/numbers"] = sorted(numbers)
    return entries


# From what was printed to numbers.

TIMES = ("seconds", "seconds_for_all", "fit_time", "weight_time", "versions")
"""Names in JSON whose values are other ones on every run."""

SIGNED = r"(?<![\w.\-])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)"


def numbers_in_text(text):
    """Return the numbers in a text, without times, sizes of files, versions and names.

    >>> numbers_in_text("glass2: 1,484 rows, −0.50 to 7.9 %, 12 kB by 1.9.1")
    [1484.0, -0.5, 7.9]
    """
    text = without_times(text).replace("−", "-").replace("…", " … ")
    text = re.sub(r"[\d.]+ [kM]B\b|\d+\.\d+\.\d+\S*", "", text)
    return [float(number.replace(",", "")) for number in re.findall(SIGNED, text)]


def without_times(text):
    """Return printed tables without their column of seconds."""
    lines, place = [], None
    for line in text.splitlines():
        if line.startswith("┃"):
            heads = [cell.strip() for cell in line.split("┃")]
            place = next((i for i, head in enumerate(heads) if re.match(r"Fit\b.*s\b", head)), None)
        if line.startswith("│") and place is not None:
            cells = line.split("│")
            line = "│".join(cells[:place] + cells[place + 1 :])
        lines.append(line)
    return "\n".join(lines)


def numbers_in_json(value):
    """Return all numbers in a value of JSON, but for times."""
    if isinstance(value, dict):
        inner = [item for name, item in value.items() if name not in TIMES]
    elif isinstance(value, list):
        inner = value
    else:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return [float(value)] if is_number else []
    return [number for item in inner for number in numbers_in_json(item)]


def leaves(key, value):
    """Return numbers, lists of them and names in a value of JSON, by the way that leads there."""
    if isinstance(value, dict):
        items = [(name, item) for name, item in value.items() if name not in TIMES]
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        items = [(identify(item, place), item) for place, item in enumerate(value)]
    else:
        return {} if is_wording(key, value) else {key: value}
    entries = {}
    for name, item in items:
        entries |= leaves(f"{key}/{name}", item)
    return entries


def identify(item, place):
    """Return the name of an entry of a list, so that one that is dropped moves no other."""
    if not isinstance(item, dict):
        return str(place)
    names = [str(item[name]) for name in ("name", "strategy", "baseline", "metric") if name in item]
    return " ".join(dict.fromkeys(names)) or str(place)


def is_wording(key, value):
    """Whether a value is of words: a sentence, some of them, or a label for people."""
    if isinstance(value, list):
        return any(isinstance(item, str) for item in value)
    return isinstance(value, str) and (" " in value or key.endswith("label"))


def plain(value):
    """Return a value as JSON has it; what is missing is None."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and np.isnan(value) else value


# A record, and the difference of two.

SECTIONS = {
    "weights": record_weights,
    "fit": record_fits,
    "compare": record_comparisons,
    "command": record_commands,
    "study": record_studies,
    "table": record_tables,
}


def circumstances():
    """Return what the bits of a fit depend on besides the code."""
    packages = ("numpy", "scipy", "scikit-learn", "imbalanced-learn", "xgboost", "pandas")
    return {"processor": processor(), **{name: version(name) for name in packages}}


def processor():
    """Return the name of the processor; read here, since modules of the library may move."""
    path = Path("/proc/cpuinfo")
    text = path.read_text() if path.exists() else ""
    name = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return name[1] if name else platform.processor()


def record(folder, sections):
    """Write a record, section by section, and say how long each took."""
    import icost

    folder.mkdir(parents=True, exist_ok=True)
    print(f"recording the answers of {Path(icost.__file__).parent}")
    (folder / "about.json").write_text(json.dumps(circumstances(), indent=1))
    for name in sections:
        start = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            entries = SECTIONS[name]()
        lines = (f"{json.dumps(k)}: {json.dumps(plain(entries[k]))}" for k in sorted(entries))
        (folder / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        print(f"{name}: {len(entries):,} answers in {perf_counter() - start:.0f} s", flush=True)
    return 0


def read(folder, sections):
    """Return all answers of a record, or those of some sections."""
    paths = [folder / f"{name}.json" for name in sections]
    present = [path for path in paths if path.exists()]
    if not present:
        raise SystemExit(f"There is no record in {folder}.")
    return {key: value for path in present for key, value in json.loads(path.read_text()).items()}


def compare(before, after, sections):
    """Print in what two records differ; return the exit code."""
    texts = [(folder / "about.json").read_text() for folder in (before, after)]
    if texts[0] != texts[1]:
        print("The records are of different processors or packages, so that bits may differ.")
    return report(read(before, sections), read(after, sections))


def report(before, after, most=30):
    """Print in what two tables of answers differ; return 1 if a difference is not listed."""
    differences = [*differing(before, after)]
    listed, unlisted = Counter(), []
    for what, key, text in differences:
        entry = next((c for c in CHANGES if c.what == what and fnmatchcase(key, c.keys)), None)
        if entry is None:
            unlisted.append((what, key, text))
        else:
            listed[entry] += 1
    for entry, count in listed.items():
        print(f"{entry.what}, as listed: {count} of {entry.keys} ({entry.reason})")
    sections = {key.partition("/")[0] for key in (*before, *after)}
    for entry in CHANGES:
        if entry not in listed and entry.keys.partition("/")[0] in sections:
            print(f"listed, but there is no such difference: {entry.what} {entry.keys}")
    for section, lines in by_section(unlisted).items():
        print(*lines[:most], sep="\n")
        if len(lines) > most:
            print(f"... and {len(lines) - most:,} more of {section}")
    n_equal = len(before.keys() & after.keys()) - sum(d[0] == "changed" for d in differences)
    print(
        f"{n_equal:,} answers are equal, {sum(listed.values()):,} differ as listed, "
        f"{len(unlisted):,} differ and are not listed."
    )
    return int(bool(unlisted))


def by_section(differences):
    """Return the lines to print about differences, by the first word of their keys."""
    lines = {}
    for what, key, text in differences:
        lines.setdefault(key.partition("/")[0], []).append(f"{what}: {key}{text and ': '}{text}")
    return lines


def differing(before, after):
    """Yield what became of each answer that is not the same: dropped, added or changed."""
    for key in dict.fromkeys([*before, *after]):
        if key not in after:
            yield "dropped", key, ""
        elif key not in before:
            yield "added", key, ""
        elif before[key] != after[key]:
            yield "changed", key, describe(key, before[key], after[key])


def describe(key, before, after):
    """Say how far two answers are apart."""
    if not (isinstance(before, list) and isinstance(after, list)):
        return f"{before} -> {after}"
    if key.startswith("command/") or len(before) != len(after):
        gone, new = Counter(map(str, before)), Counter(map(str, after))
        return f"no longer {shorten(gone - new)}; new {shorten(new - gone)}"
    pairs = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    text = f"{len(pairs)} of {len(before)} differ"
    if all(isinstance(value, int | float) for pair in pairs for value in pair):
        text += f", by {max(abs(old - new) for old, new in pairs):.3g} at most"
    return text


def shorten(counts, most=8):
    """Return some of the values that are counted."""
    values = list(counts.elements())
    rest = f" and {len(values) - most} more" if len(values) > most else ""
    return (", ".join(values[:most]) or "none") + rest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    weights = commands.add_parser("weights", help="compare weights with the committed hashes")
    weights.add_argument("--record", action="store_true", help="write the hashes anew")
    weights.add_argument("--print", action="store_true", help="print the hashes as JSON")
    recording = commands.add_parser("record", help="write all other answers to a folder")
    recording.add_argument("folder", type=Path)
    comparing = commands.add_parser("compare", help="print in what two records differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for command in (recording, comparing):
        command.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    given = parser.parse_args()
    if given.command == "weights":
        return print_weights() if given.print else check_weights(given.record)
    if given.command == "record":
        return record(given.folder, given.only)
    return compare(given.before, given.after, given.only)


if __name__ == "__main__":
    sys.exit(main())
