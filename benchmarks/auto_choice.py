"""Is the choice of classifier and strategy better than that of a strategy for logistic regression?

    python benchmarks/auto_choice.py --out results/benchmarks
    python benchmarks/auto_choice.py --evaluate --out results/benchmarks

One data set per family of the paper's and of the 28 recorded ones. On each training part of five
outer folds, `iCostAuto` chooses once from its defaults and once from the strategies with logistic
regression, and both models are scored on the test part. What each promised is kept beside it: this
is nested cross-validation of the promise. Both choose as the rule was when the study began; where
passing over what decides poorly makes another choice of the same scores, that one is scored, too.
Rows that the table has are not computed again. What is asked, and how it is judged, stands in
docs/research/choice.md.
"""

import argparse
import warnings
from contextlib import contextmanager
from time import process_time
from unittest.mock import patch

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from icost import iCostAuto
from icost.comparison import _stages, _summary
from icost.datasets import load_dataset

PAPER = (
    *("glass1", "new-thyroid1", "vehicle1", "yeast-1_vs_7", "pima", "wisconsin", "ecoli3"),
    *("cleveland-0_vs_4", "vowel", "page-blocks-1-3_vs_4", "abalone", "winequality-red-8_vs_6"),
    *("shuttle-c0-vs-c4", "poker-8-9_vs_6", "kddcup-land_vs_satan"),
)
"""One data set per family of the paper's."""
RECORDED = (
    *("appendicitis", "haberman", "hepatitis", "ionosphere", "saheart", "spectfheart", "wdbc"),
    *("iris0", "segment0", "cm1", "kc1", "pc1", "car-good", "dermatology-6", "flare-F"),
    *("kr-vs-k-one_vs_fifteen", "led7digit-0-2-4-5-6-7-8-9_vs_1", "lymphography-normal-fibrosis"),
    *("zoo-3", "ada", "satimage", "hypothyroid", "german"),
)
"""The first data set of each family of the 28 on which the ensemble was confirmed."""
N_OUTER = 5
CHOICES = {"two stages": None, "lr only": "lr"}


PASSING = "passing over"
"""Prefix of the columns of the rule that passes over what decides poorly; the first rounds of outer
folds have none."""


@contextmanager
def rule_of_before():
    """Pass nothing over; the list that is yielded gets what each choice was made of."""
    choices = []

    def note(*given):
        choices.append(given)
        return _stages.choose_run(*given)

    with (
        patch.object(_summary, "choose_run", note),
        patch.object(_stages, "decides", lambda *given: True),
    ):
        yield choices


def run(name, number, train, test, X, y, options):
    row = {"dataset": name, "fold": str(number), "inner": f"{options.splits} x {options.repeats}"}
    X_train, y_train = X.iloc[train], y.iloc[train]

    def score(model):
        return f"{matthews_corrcoef(y.iloc[test], model.predict(X.iloc[test])):.4f}"

    for what, classifier in CHOICES.items():
        start = process_time()
        model = iCostAuto(classifier, n_splits=options.splits, n_repeats=options.repeats)
        with rule_of_before() as choices:
            model.fit(X_train, y_train)
        seconds = process_time() - start
        chosen = f"{model.best_classifier_}:{model.best_strategy_}".lstrip(":")
        row |= {what: chosen, f"{what}: MCC": score(model)}
        row |= {f"{what}: promised": f"{model.best_score_:.4f}"}
        row |= {f"{what}: CPU seconds": f"{seconds:.1f}"}
        if classifier is None:
            both = {PASSING: _stages.choose_run(*choices[0]), f"{PASSING}: MCC": score(model)}
    if both[PASSING] != row["two stages"]:
        classifier, _, strategy = both[PASSING].rpartition(":")
        # What is kept is fitted to all rows, however the only candidate was compared.
        only = iCostAuto(classifier or None, [strategy], n_splits=2, n_repeats=1)
        both[f"{PASSING}: MCC"] = score(only.fit(X_train, y_train))
    return row | both


def read_rows(out):
    """Return the means of data sets over the outer folds that all have, and how many these are."""
    table = pd.DataFrame(recorded(out, "auto_choice"))
    if table.empty:
        raise SystemExit(f"{out} has no rows yet: run the script without --evaluate first.")
    for what in CHOICES:
        for column in ("MCC", "promised", "CPU seconds"):
            table[f"{what}: {column}"] = table[f"{what}: {column}"].astype(float)
    names = [*PAPER, *RECORDED]
    n_sets = table.groupby("fold")["dataset"].nunique()
    complete = sorted(n_sets.index[n_sets == len(names)])
    whole = table[table["fold"].isin(complete)]
    return whole.groupby("dataset").mean(numeric_only=True).loc[names], len(complete)


def with_interval(values):
    """Return a mean with its 95 % bootstrap interval over families, one data set each."""
    values = values.to_numpy()
    draws = np.random.default_rng(0).choice(values, (10_000, len(values))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def passed_over(out):
    """Yield lines on the rule that passes over what decides poorly, for the rounds that have it."""
    table = pd.DataFrame(recorded(out, "auto_choice"))
    table = table[table[PASSING] != ""]
    n_sets = table.groupby("fold")["dataset"].nunique()
    table = table[table["fold"].isin(n_sets.index[n_sets == len(PAPER + RECORDED)])]
    gain = table[f"{PASSING}: MCC"].astype(float) - table["two stages: MCC"].astype(float)
    mean = gain.groupby(table["dataset"]).mean()
    other = table[PASSING] != table["two stages"]
    yield f"{other.sum()} of {len(table)} choices differ: {with_interval(mean)}"
    yield "| data set | round | chosen | passing over | MCC of both |"
    yield "|---|---|---|---|---|"
    for _, row in table[other].iterrows():
        yield (
            f"| {row['dataset']} | {int(row['fold']) + 1} | {row['two stages']} | {row[PASSING]} "
            f"| {float(row['two stages: MCC']):.3f}, {float(row[f'{PASSING}: MCC']):.3f} |"
        )


def evaluate(out):
    """Yield the tables of the page as lines of Markdown."""
    means, n_rounds = read_rows(out)
    gain = means["two stages: MCC"] - means["lr only: MCC"]
    gap = means["two stages: promised"] - means["two stages: MCC"]
    is_paper = means.index.isin(PAPER)
    yield "| families | number | two stages − LR only | higher–lower | promised − scored |"
    yield "|---|---|---|---|---|"
    for title, chosen in {
        "the paper's": is_paper,
        "recorded benchmark": ~is_paper,
        "all": np.full(len(means), True),
    }.items():
        higher, lower = (gain[chosen] > 0.0005).sum(), (gain[chosen] < -0.0005).sum()
        yield (
            f"| {title} | {chosen.sum()} | {with_interval(gain[chosen])} | {higher}–{lower} "
            f"| {with_interval(gap[chosen])} |"
        )
    yield ""
    yield "| data set | two stages | LR only | promised | CPU s | CPU s, LR only |"
    yield "|---|---|---|---|---|---|"
    for name, row in means.iterrows():
        yield (
            f"| {name} | {row['two stages: MCC']:.3f} | {row['lr only: MCC']:.3f} "
            f"| {row['two stages: promised']:.3f} | {row['two stages: CPU seconds']:.0f} "
            f"| {row['lr only: CPU seconds']:.1f} |"
        )
    yield ""
    ratio = (means["two stages: CPU seconds"] / means["lr only: CPU seconds"]).median()
    yield f"Two stages take {ratio:.0f} times the CPU time of LR only, in the median."
    yield f"Rounds of outer folds in which all data sets were run: {n_rounds} of {N_OUTER}."
    yield ""
    yield from passed_over(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=PAPER + RECORDED)
    add_out(parser)
    parser.add_argument("--evaluate", action="store_true", help="print the tables of the page")
    options = parser.parse_args()
    if options.evaluate:
        print(*evaluate(options.out), sep="\n")
        return
    empty = {PASSING: "", f"{PASSING}: MCC": ""}
    rows = [row | empty | row for row in recorded(options.out, "auto_choice")]
    seen = {(row["dataset"], row["fold"], row["inner"]) for row in rows}
    # Fold by fold through all sets: a run that is cut short has something of each.
    for number in range(N_OUTER):
        for name in options.sets:
            if (name, str(number), f"{options.splits} x {options.repeats}") in seen:
                continue
            collection = "confirmation" if name in RECORDED else None
            X, y = load_dataset(name, collection=collection, return_X_y=True)
            folds = StratifiedKFold(N_OUTER, shuffle=True, random_state=0)
            train, test = list(folds.split(X, y))[number]
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append(run(name, number, train, test, X, y, options))
            print(*rows[-1].values(), sep="  ", flush=True)
            record(rows, options.out, "auto_choice")


if __name__ == "__main__":
    main()
