"""Compare the blend with what people use instead, on the 28 recorded data sets.

AutoGluon and FLAML run in an environment of their own, since they need other versions:

    python3.11 -m venv automl
    automl/bin/pip install "autogluon.tabular[lightgbm,catboost,xgboost]" flaml
    python benchmarks/automl.py run FOLDS --out results/benchmarks
    automl/bin/python benchmarks/automl.py peers FOLDS --out results/benchmarks
    python benchmarks/automl.py evaluate --out results/benchmarks

What is asked, and how it is judged, stands in docs/research/automl.md. Rows that the tables have
are not computed again; those of iCostAuto are of the default before the one pass
(benchmarks/one_pass.py has that). One core; AutoGluon and FLAML may take multiples of the CPU
seconds that the blend took on the same rows.
"""

import argparse
import os
import pickle
import shutil
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    log_loss,
    matthews_corrcoef,
)

SEED = 50
N_THIRDS = 3
N_PREDICTED = 1000
"""Rows of a prediction that is timed."""
LEAST_SECONDS = 5
"""A shorter limit than this is no use to AutoGluon: it stops before its first model."""
PEERS = {
    "AutoGluon, equal time": ("autogluon", 1),
    "AutoGluon, 3 × the time": ("autogluon", 3),
    "FLAML, equal time": ("flaml", 1),
    "FLAML, 3 × the time": ("flaml", 3),
}
SHARED_ROWS = ("kr-vs-k", "car")
"""Beginnings of names of data sets that share rows."""


def family(name):
    """Return the family of a data set: those of one family share rows."""
    return next((start for start in SHARED_ROWS if name.startswith(start)), name)


# The folds, as files that both environments read ---------------------------------------------


def export(folder):
    """Write the training and test rows of each data set and third as they are, text included."""
    from sklearn.model_selection import StratifiedKFold

    from icost._core.labels import class_totals, encode_labels, find_minority
    from icost.datasets import list_datasets, load_dataset

    folder.mkdir(parents=True, exist_ok=True)
    for name in list_datasets(collection="confirmation"):
        bunch = load_dataset(name, collection="confirmation")
        _, codes = encode_labels(bunch.target.to_numpy())
        is_minority = (codes == find_minority(class_totals(codes))).astype(int)
        splitter = StratifiedKFold(N_THIRDS, shuffle=True, random_state=SEED)
        for third, (train, test) in enumerate(splitter.split(codes, is_minority)):
            for part, rows in (("train", train), ("test", test)):
                table = bunch.data.iloc[rows].reset_index(drop=True)
                table.columns = [f"column {number}" for number in range(table.shape[1])]
                table.assign(is_minority=is_minority[rows]).to_parquet(
                    folder / f"{name}.{third}.{part}.parquet"
                )


def read_fold(folder, name, third):
    """Return tables and labels, 1 for the minority, of training and test rows."""
    parts = [
        pd.read_parquet(folder / f"{name}.{third}.{part}.parquet") for part in ("train", "test")
    ]
    tables = [part.drop(columns="is_minority") for part in parts]
    labels = [part["is_minority"].to_numpy() for part in parts]
    return (*tables, *labels)


def tasks(folder):
    """Return data sets and thirds, all data sets of the first third first, small ones first."""
    paths = [path for path in folder.glob("*.train.parquet")]
    keys = [(int(path.name.split(".")[-3]), path.stat().st_size, path.name) for path in paths]
    return [(name.rsplit(".", 3)[0], third) for third, _, name in sorted(keys)]


# The candidates ------------------------------------------------------------------------------


def tuned(classifier):
    """Return a classifier for mixed tables, with a threshold tuned for MCC on five folds."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import TunedThresholdClassifierCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    preprocessor = make_column_transformer(
        (
            make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
            make_column_selector(dtype_include="number"),
        ),
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
    )
    return TunedThresholdClassifierCV(
        make_pipeline(preprocessor, classifier), scoring=make_scorer(matthews_corrcoef)
    )


def voting():
    """Return the mean of the blend's four classifiers, as a user would write it."""
    from sklearn.ensemble import RandomForestClassifier, VotingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC
    from xgboost import XGBClassifier

    four = {
        "lr": LogisticRegression(max_iter=1000),
        "svm": SVC(probability=True, random_state=SEED),
        "rf": RandomForestClassifier(random_state=SEED),
        "xgb": XGBClassifier(n_jobs=1, random_state=SEED),
    }
    return VotingClassifier(list(four.items()), voting="soft")


def candidates():
    """Return what runs in the environment of icost, by name."""
    from catboost import CatBoostClassifier
    from lightgbm import LGBMClassifier

    from icost import iCostEnsemble

    catboost = CatBoostClassifier(
        auto_class_weights="Balanced",
        thread_count=1,
        random_state=SEED,
        verbose=False,
        allow_writing_files=False,
    )
    return {
        "blend": iCostEnsemble("blend", random_state=SEED),
        "voting, tuned threshold": tuned(voting()),
        "CatBoost balanced, tuned threshold": tuned(catboost),
        "LightGBM, tuned threshold": tuned(LGBMClassifier(n_jobs=1, random_state=SEED, verbose=-1)),
    }


class AutoGluon:
    """AutoGluon for MCC, in a folder that is removed with it; its own threshold calibration."""

    def __init__(self, seconds, is_long):
        self.seconds, self.preset = seconds, "good_quality" if is_long else "medium_quality"

    def fit(self, X, y):
        from autogluon.tabular import TabularPredictor

        self.folder = tempfile.mkdtemp()
        predictor = TabularPredictor("y", eval_metric="mcc", path=self.folder, verbosity=0)
        predictor.fit(
            X.assign(y=y),
            time_limit=self.seconds,
            presets=self.preset,
            num_cpus=1,
            fit_strategy="sequential",
            calibrate_decision_threshold=True,
            dynamic_stacking=False,
            # Folds in processes of their own would not be counted as CPU time.
            ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
        )
        kept = tempfile.mkdtemp()
        self.predictor = predictor.clone_for_deployment(kept, return_clone=True, dirs_exist_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder = kept
        self.predictor.persist()
        return self

    def predict(self, X):
        return self.predictor.predict(X).to_numpy()

    def predict_proba(self, X):
        return self.predictor.predict_proba(X)[[0, 1]].to_numpy()

    def kilobytes(self):
        files = Path(self.folder).rglob("*")
        return sum(path.stat().st_size for path in files if path.is_file()) / 1024

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Flaml:
    """FLAML for average precision, then the best cut for MCC on the held-out rows of five folds."""

    def __init__(self, seconds, is_long):
        self.seconds = seconds

    def fit(self, X, y):
        from flaml import AutoML
        from sklearn.model_selection import StratifiedKFold

        self.model = AutoML()
        settings = {"metric": "ap", "task": "classification", "n_jobs": 1, "seed": SEED}
        settings |= {"verbose": 0, "eval_method": "cv", "log_file_name": ""}
        self.model.fit(X, y, time_budget=self.seconds, **settings)
        scores = np.empty(len(y))
        for train, test in StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y):
            again = AutoML()
            once = {"starting_points": self.model.best_config_per_estimator, "max_iter": 1}
            once |= {"estimator_list": [self.model.best_estimator], "time_budget": -1}
            again.fit(X.iloc[train], y[train], **settings | once)
            scores[test] = again.predict_proba(X.iloc[test])[:, 1]
        cuts = np.unique(scores)
        values = [matthews_corrcoef(y, scores >= cut) for cut in cuts]
        self.cut = cuts[int(np.argmax(values))]
        return self

    def predict(self, X):
        return (self.predict_proba(X)[:, 1] >= self.cut).astype(int)

    def predict_proba(self, X):
        return self.model.predict_proba(X)

    def kilobytes(self):
        return len(pickle.dumps(self.model.model)) / 1024

    def close(self):
        """Leave nothing behind: there are no files."""


# Fits and scores -----------------------------------------------------------------------------


def score(model, X, y):
    """Return what decisions and probabilities of a fitted model are worth on test rows."""
    decided, proba = model.predict(X), model.predict_proba(X)[:, 1]
    clipped = np.clip(proba, 1e-6, 1 - 1e-6)
    return {
        "mcc": matthews_corrcoef(y, decided),
        "f1": f1_score(y, decided),
        "pr_auc": average_precision_score(y, proba),
        "brier": brier_score_loss(y, proba),
        "log_loss": log_loss(y, clipped, labels=[0, 1]),
    }


def predict_seconds(model, X):
    """Return the least of three times to predict a thousand rows, in seconds."""
    rows = X.iloc[np.arange(N_PREDICTED) % len(X)].reset_index(drop=True)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        model.predict(rows)
        times.append(time.perf_counter() - start)
    return min(times)


def fit_and_score(model, fold):
    """Return the measured columns of one row."""
    X_train, X_test, y_train, y_test = fold
    start = time.process_time()
    model.fit(X_train, y_train)
    cpu = time.process_time() - start
    size = model.kilobytes() if hasattr(model, "kilobytes") else len(pickle.dumps(model)) / 1024
    values = score(model, X_test, y_test)
    values |= {"cpu": cpu, "predict_seconds": predict_seconds(model, X_test), "kilobytes": size}
    # Columns of a candidate that chose among others: its rows are closed.
    return {name: f"{value:.6g}" for name, value in values.items()} | {"chosen": "", "promised": ""}


def run(folder, out):
    """Fit what the environment of icost has, the blend first, as the others' time is its own."""
    if not any(folder.glob("*.parquet")):
        export(folder)
    rows = recorded(out, "automl")
    done = {(row["dataset"], int(row["third"]), row["model"]) for row in rows}
    for name, third in tasks(folder):
        for label, model in candidates().items():
            if (name, third, label) in done:
                continue
            values = fit_and_score(model, read_fold(folder, name, third))
            rows.append({"dataset": name, "third": third, "model": label} | values)
            record(rows, out, "automl")
            print(name, third, label, values["mcc"], values["cpu"], flush=True)


def run_peers(folder, out):
    """Fit AutoGluon and FLAML for as long as the blend took, and three times as long."""
    # Their limits are then CPU seconds, as ours are, however busy the machine is.
    time.time = time.process_time
    limits = {
        (row["dataset"], int(row["third"])): float(row["cpu"])
        for row in recorded(out, "automl")
        if row["model"] == "blend"
    }
    rows = recorded(out, "automl_peers")
    done = {(row["dataset"], int(row["third"]), row["model"]) for row in rows}
    for task in tasks(folder):
        for label, (library, times) in PEERS.items():
            if task not in limits or (*task, label) in done:
                continue
            kind = {"autogluon": AutoGluon, "flaml": Flaml}[library]
            model = kind(max(times * limits[task], LEAST_SECONDS), times > 1)
            values = fit_and_score(model, read_fold(folder, *task))
            model.close()
            rows.append({"dataset": task[0], "third": task[1], "model": label} | values)
            record(rows, out, "automl_peers")
            print(*task, label, values["mcc"], values["cpu"], flush=True)


# What was found ------------------------------------------------------------------------------

OURS = ("iCostAuto", "blend")
OTHERS = (
    *PEERS,
    *("voting, tuned threshold", "CatBoost balanced, tuned threshold", "LightGBM, tuned threshold"),
)
QUESTIONS = (
    ("1 iCostAuto − LR only", "iCostAuto", "iCostAuto, LR only", "greater"),
    ("2 blend − AutoGluon, equal time", "blend", "AutoGluon, equal time", "two-sided"),
    ("3 blend − AutoGluon, 3 × the time", "blend", "AutoGluon, 3 × the time", "two-sided"),
)
SCORES = ("mcc", "f1", "pr_auc", "brier", "log_loss")


def read_rows(out):
    """Return the rows of complete thirds as one table, a mean for each model and data set."""
    rows = pd.DataFrame(recorded(out, "automl") + recorded(out, "automl_peers"))
    numbers = rows.columns.difference(["dataset", "model", "chosen"])
    rows[numbers] = rows[numbers].apply(pd.to_numeric)
    sizes = rows.groupby("third").size()
    complete = sizes.index[sizes == rows["dataset"].nunique() * rows["model"].nunique()]
    rows["gap"] = rows["promised"] - rows["mcc"]
    kept = rows[rows["third"].isin(complete)].drop(columns=["third", "chosen"])
    return kept.groupby(["model", "dataset"]).mean()


def by_family(values):
    """Return the mean of each family."""
    return values.groupby(values.index.map(family)).mean()


def with_interval(values):
    """Return a mean with its 95 % bootstrap interval, as text."""
    draws = np.random.default_rng(0).choice(values.to_numpy(), (10_000, len(values))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def question_lines(table):
    """Yield the answers to the registered questions as lines of a table."""
    from scipy.stats import wilcoxon

    differences = [
        table.loc[first, "mcc"] - table.loc[other, "mcc"] for _, first, other, _ in QUESTIONS
    ]
    families = [by_family(values) for values in differences]
    p_values = [
        wilcoxon(values, alternative=question[-1]).pvalue
        for values, question in zip(families, QUESTIONS, strict=True)
    ]
    yield "| question, MCC | by data sets | by families | higher–lower | p | p (Holm) |"
    yield "|---|---|---|---|---|---|"
    corrected, order = {}, np.argsort(p_values)
    for rank, place in enumerate(order):
        before = corrected[order[rank - 1]] if rank else 0.0
        corrected[place] = max(before, min(1.0, (len(order) - rank) * p_values[place]))
    for place, (label, *_) in enumerate(QUESTIONS):
        values = families[place]
        counts = f"{(values > 0).sum()}–{(values < 0).sum()} of {len(values)}"
        cells = (with_interval(differences[place]), with_interval(values), counts)
        yield f"| {label} | {' | '.join(cells)} | {p_values[place]:.4f} | {corrected[place]:.4f} |"


def model_lines(table):
    """Yield means of all models, the best MCC first; CPU is that of the blend = 1."""
    means = table.groupby("model").mean()
    yield "| | MCC | F1 | PR AUC | Brier score | log loss | CPU | 1,000 rows, ms | MB |"
    yield f"|{'---|' * 9}"
    for name, row in means.sort_values("mcc", ascending=False).iterrows():
        label = f"**{name}**" if name in OURS else name
        cells = [f"{row[score]:.3f}" for score in SCORES]
        cells += [f"{row['cpu'] / means.loc['blend', 'cpu']:.1f}"]
        cells += [f"{1000 * row['predict_seconds']:.0f}", f"{row['kilobytes'] / 1024:.2f}"]
        yield f"| {label} | {' | '.join(cells)} |"


RATIOS = {"CPU of the fit": "cpu", "1,000 rows": "predict_seconds", "file": "kilobytes"}


def speed_rows(table):
    """Return times and sizes of ours and of AutoGluon, as multiples of AutoGluon's."""
    means = table.groupby("model").mean()
    names = [*OURS, *(name for name in OTHERS if name.startswith("AutoGluon"))]
    unit = means.loc["AutoGluon, equal time"]
    return [
        {"model": name}
        | {what: f"{means.loc[name, key] / unit[key]:.2f}" for what, key in RATIOS.items()}
        for name in names
    ]


def difference_lines(table):
    """Yield how far others are from ours in MCC and log loss, over data sets."""
    yield "| others − ours | MCC, iCostAuto | MCC, blend | log loss, iCostAuto | log loss, blend |"
    yield "|---|---|---|---|---|"
    for name in OTHERS:
        cells = [
            with_interval(table.loc[name, score] - table.loc[ours, score])
            for score in ("mcc", "log_loss")
            for ours in OURS
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def evaluate(out):
    """Yield all tables of the page as lines of Markdown."""
    table = read_rows(out)
    for lines in (question_lines, model_lines, difference_lines):
        yield from lines(table)
        yield ""
    gap = table.loc["iCostAuto", "gap"]
    yield f"Promised − scored, iCostAuto: {with_interval(gap)}, median {gap.median():+.3f}."


def draw(out):
    """Draw the difference of each model to the blend in MCC, with intervals over data sets."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "icost"
    import matplotlib.pyplot as plt

    table = read_rows(out)
    names = table["mcc"].groupby("model").mean().drop("blend").sort_values().index
    figure, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
    for place, name in enumerate(names):
        values = (table.loc[name, "mcc"] - table.loc["blend", "mcc"]).to_numpy()
        draws = np.random.default_rng(0).choice(values, (10_000, len(values))).mean(axis=1)
        color = "#0072B2" if name in OURS else "#000000"
        ax.plot(np.percentile(draws, [2.5, 97.5]), [place, place], color=color)
        ax.plot(values.mean(), place, "o", color=color)
    ax.axvline(0, color="#666666", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel("MCC minus that of the blend, mean and 95 % interval over data sets")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(out, "automl.svg"), metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["run", "peers", "evaluate"])
    parser.add_argument("folder", type=Path, nargs="?", help="where the folds are kept")
    add_out(parser)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.step == "evaluate":
        print(*evaluate(options.out), sep="\n")
        record(speed_rows(read_rows(options.out)), options.out, "automl_speed")
        draw(options.out)
    elif options.folder is None:
        parser.error("name the folder where the folds are kept")
    else:
        {"run": run, "peers": run_peers}[options.step](options.folder, options.out)


if __name__ == "__main__":
    main()
