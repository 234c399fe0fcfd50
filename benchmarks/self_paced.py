"""Run the self-paced ensemble of imbalanced-ensemble on the folds of a study.

Its releases do not go with the versions that icost needs, so it runs in an environment of its own:
folds are exported by one Python, fitted by another, and the tables read what it wrote.

    python3.11 -m venv spe
    spe/bin/pip install imbalanced-ensemble==0.2.2 scikit-learn==1.5.2 "numpy<2" "pandas<2.3"
    python benchmarks/self_paced.py export FOLDS --study ensemble
    spe/bin/python benchmarks/self_paced.py run FOLDS results/ensemble-honest/peers/self-paced.csv

Both steps go on where they stopped. Folds are those of the study, after its imputation, encoding
and scaling; 50 trees, as its authors use.
"""

import argparse
import csv
import time
import warnings
from pathlib import Path

import numpy as np

COLUMNS = (
    *("dataset", "repeat", "fold", "tn", "fp", "fn", "tp"),
    *("roc_auc", "pr_auc", "brier", "log_loss", "fit_time", "versions"),
)
N_ESTIMATORS = 50


def export(folder, study, datasets):
    """Write each fold of a study as arrays; by the Python that has icost."""
    from icost_reproduction.plan import load_plan
    from icost_reproduction.preparation import load_table, make_fold
    from icost_reproduction.rows import slug

    plan = load_plan(study, profile="honest")
    folder.mkdir(parents=True, exist_ok=True)
    for dataset in datasets or plan.datasets:
        table = load_table(dataset, plan.kind, plan.protocol.variant)
        for repeat in range(plan.protocol.n_repeats):
            for number in plan.folds():
                path = folder / f"{slug(dataset)}.r{repeat}.f{number}.npz"
                if path.exists():
                    continue
                fold = make_fold(table, plan.protocol, repeat, number)
                arrays = {
                    "X_train": fold.train.X,
                    "y_train": fold.train.y,
                    "X_test": fold.X_test,
                    "y_test": fold.y_test,
                }
                place = {"dataset": dataset, "repeat": repeat, "fold": number}
                part = path.with_suffix(".part")
                with part.open("wb") as file:
                    np.savez_compressed(file, seed=fold.train.random_state, **place, **arrays)
                part.replace(path)


def run(folder, out):
    """Fit and score all exported folds that the table lacks; by the Python that has imbens."""
    done = set()
    if out.exists():
        with out.open(encoding="utf-8") as file:
            done = {(row["dataset"], row["repeat"], row["fold"]) for row in csv.DictReader(file)}
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not done and file.tell() == 0:
            writer.writeheader()
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as arrays:
                fold = dict(arrays)
            if (str(fold["dataset"]), str(fold["repeat"]), str(fold["fold"])) not in done:
                writer.writerow(fit_fold(fold))
                file.flush()


def fit_fold(fold):
    """Return one row: the confusion matrix, and what the probabilities are worth."""
    import imbens
    import sklearn
    from imbens.ensemble import SelfPacedEnsembleClassifier
    from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

    model = SelfPacedEnsembleClassifier(n_estimators=N_ESTIMATORS, random_state=int(fold["seed"]))
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(fold["X_train"], fold["y_train"])
    seconds = time.process_time() - start
    truth, proba = fold["y_test"], model.predict_proba(fold["X_test"])[:, 1]
    decided = model.predict(fold["X_test"])
    cells = np.bincount(2 * truth + decided, minlength=4)
    return {
        **{name: fold[name].item() for name in ("dataset", "repeat", "fold")},
        **dict(zip(("tn", "fp", "fn", "tp"), cells.tolist(), strict=True)),
        "roc_auc": round(roc_auc_score(truth, proba), 6),
        "pr_auc": round(average_precision_score(truth, proba), 6),
        "brier": round(brier_score_loss(truth, proba), 6),
        "log_loss": round(log_loss(truth, proba, labels=[0, 1]), 6),
        "fit_time": round(seconds, 4),
        "versions": f"imbalanced-ensemble {imbens.__version__}; scikit-learn {sklearn.__version__}",
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(dest="step", required=True)
    exporting = steps.add_parser("export", help="write the folds of a study")
    exporting.add_argument("folder", type=Path)
    exporting.add_argument("--study", default="ensemble", choices=["ensemble", "confirmation"])
    exporting.add_argument("--dataset", action="append", help="only this one; repeatable")
    running = steps.add_parser("run", help="fit them, in the other environment")
    running.add_argument("folder", type=Path)
    running.add_argument("out", type=Path)
    given = parser.parse_args()
    if given.step == "export":
        export(given.folder, given.study, given.dataset)
    else:
        run(given.folder, given.out)


if __name__ == "__main__":
    main()
