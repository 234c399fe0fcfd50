"""What do two stages lose against a comparison of all classifiers with all strategies?

    python benchmarks/elimination.py --out results/benchmarks

On each data set all 18 pairs are run on all folds. Then the two stages choose from the same scores:
the classifier by the first stage, strategies for it, and repeats only for what is within one
standard error after the first. The regret is the mean score of the full comparison's choice minus
that of the two stages' choice, in MCC on the same folds. ``best`` is the best mean of all, which no
rule can choose without luck. Rows that the table has already are not computed again.
"""

import argparse
import warnings

import numpy as np
from recording import add_out, record, recorded
from threadpoolctl import threadpool_limits

from icost._table._columns import plain_table
from icost.comparison._fold_run import Setup, with_classifiers
from icost.comparison._running import Runner, Watcher
from icost.comparison._splits import make_splits
from icost.comparison._stages import (
    CLASSIFIERS,
    best_classifier,
    choose_run,
    eligible,
    second_stage,
)
from icost.datasets import load_dataset
from icost.strategies import get_strategy

SETS = (
    *("glass1", "new-thyroid1", "vehicle1", "yeast-1_vs_7", "pima", "wisconsin", "ecoli3"),
    *("cleveland-0_vs_4", "vowel", "page-blocks-1-3_vs_4", "abalone", "winequality-red-8_vs_6"),
    *("shuttle-c0-vs-c4", "poker-8-9_vs_6", "kddcup-land_vs_satan"),
)
"""One data set per family of the paper's."""
STRATEGIES = ("ncs", "threshold", "cs", "neighbor", "smote", "ensemble")
FIRST = tuple(f"{name}:{strategy}" for name in CLASSIFIERS for strategy in STRATEGIES[:2])


def all_scores(name, n_splits, n_repeats):
    """Return the setup of two stages, the folds and the scores of all pairs on all folds."""
    X, y = load_dataset(name, return_X_y=True)
    codes = (np.asarray(y) == "positive").astype(np.intp)
    splits = make_splits(codes, n_splits=n_splits, n_repeats=n_repeats)
    runs = with_classifiers([get_strategy(name) for name in STRATEGIES], CLASSIFIERS)
    setup = Setup(CLASSIFIERS[0], runs, 2)
    runner = Runner(
        plain_table(X), codes, splits, setup, None, Watcher(setup, None, lambda state: None)
    )
    runner.run()
    return setup, splits, runner.scores


def staged(setup, splits, scores):
    """Return the choice of two stages, and the share of the fits that they need."""
    setup = Setup(setup.classifier, setup.runs, 2, first_stage=FIRST)
    first = {name: scores[name] for name in FIRST}
    seen = first | {
        name: scores[name] for name in second_stage(setup, best_classifier(setup, first))
    }
    kept = eligible(setup, seen, splits.test_share, splits.n_folds)
    later = np.arange(len(splits.pairs)) >= splits.n_folds
    seen = {
        name: own if name in (*FIRST, *kept) else np.where(later, np.nan, own)
        for name, own in seen.items()
    }
    n_fits = sum((~np.isnan(own)).sum() for own in seen.values())
    chosen = choose_run(setup, seen, splits.test_share, splits.n_folds)
    return chosen, n_fits / (len(scores) * len(splits.pairs))


def run(name, n_splits, n_repeats):
    setup, splits, scores = all_scores(name, n_splits, n_repeats)
    full = choose_run(setup, scores, splits.test_share, splits.n_folds)
    chosen, share = staged(setup, splits, scores)
    means = {name: own.mean() for name, own in scores.items()}
    best = max(means, key=means.get)
    return {
        "dataset": name,
        "folds": f"{n_splits} x {n_repeats}",
        "full": full,
        "two stages": chosen,
        "best": best,
        "score of full": f"{means[full]:.4f}",
        "score of two stages": f"{means[chosen]:.4f}",
        "score of best": f"{means[best]:.4f}",
        "share of fits": f"{share:.3f}",
    }


def table_lines(rows):
    """Yield the table of the page, and its last sentence, as lines of Markdown."""
    yield "| data set | full comparison | two stages | MCC of both | share of the fits |"
    yield "|---|---|---|---|---|"
    for row in rows:
        share = f"{float(row['share of fits']):.0%}".replace("%", " %")
        yield (
            f"| {row['dataset']} | {row['full']} | {row['two stages']} | {row['score of full']}, "
            f"{row['score of two stages']} | {share} |"
        )
    full, chosen, best = (
        np.array([float(row[f"score of {what}"]) for row in rows])
        for what in ("full", "two stages", "best")
    )
    yield ""
    yield (
        f"Mean of full comparison minus two stages: {np.mean(full - chosen):+.4f}; of an oracle "
        f"that picks the best mean minus two stages: {np.mean(best - chosen):+.4f}."
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=3)
    add_out(parser)
    options = parser.parse_args()
    rows = recorded(options.out, "elimination")
    seen = {(row["dataset"], row["folds"]) for row in rows}
    for name in SETS:
        if (name, f"{options.splits} x {options.repeats}") in seen:
            continue
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append(run(name, options.splits, options.repeats))
        print(*rows[-1].values(), sep="  ", flush=True)
        record(rows, options.out, "elimination")
    print(*table_lines(rows), sep="\n")


if __name__ == "__main__":
    main()
