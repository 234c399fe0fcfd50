"""How much faster is `iCostCV` than `GridSearchCV`, and what does halving cost in quality?

Run ``python benchmarks/tuning.py``; ``--help`` tells how to run a part of it. Both searches go over
the paper's 81 candidates with the same folds and the same number of jobs, side by side, and must
select the same costs. Then the nested MCC of halving is set against that of the full grid.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from imblearn.metrics import geometric_mean_score
from joblib import Parallel, delayed
from recording import add_out, machine, record
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from icost import iCost, iCostCV
from icost.datasets import load_dataset
from icost.tuning._candidates import list_candidates, order_candidates

DATASETS = ("pima", "yeast3", "page-blocks0")
TARGETS = {"lr": 2.0, "xgb": 2.0, "dt": 1.4, "svc": 1.4}


def make_base(name: str) -> Any:
    if name == "xgb":
        from xgboost import XGBClassifier

        return XGBClassifier(random_state=0)
    return {
        "lr": LogisticRegression(max_iter=1000),
        "dt": DecisionTreeClassifier(random_state=0),
        "svc": SVC(),
    }[name]


def best_by_the_tie_rule(cv_results: dict[str, Any]) -> int:
    """Return what `GridSearchCV` is to refit: the candidate that iCostCV selects."""
    names = ("mean_test_mcc", "mean_test_f1", "mean_test_g_mean")
    return order_candidates(cv_results["params"], [cv_results[name] for name in names])[0]


def make_searches(
    base: str, method: str, minority: Any, jobs: int, every: int = 1
) -> dict[str, Any]:
    estimator = make_pipeline(MinMaxScaler(), iCost(make_base(base), method=method, random_state=0))
    cv = StratifiedKFold(5, shuffle=True, random_state=50)
    # The plain scorers of scikit-learn: each looks at nothing but what it needs.
    scoring = {
        "mcc": "matthews_corrcoef",
        "f1": make_scorer(f1_score, pos_label=minority, zero_division=0),
        "g_mean": make_scorer(geometric_mean_score),
    }
    grid = [
        {name: [value] for name, value in candidate.items()}
        for candidate in list_candidates("paper", "icost__")[::every]
    ]
    return {
        "GridSearchCV": GridSearchCV(
            estimator, grid, scoring=scoring, refit=best_by_the_tie_rule, cv=cv, n_jobs=jobs
        ),
        "grid": iCostCV(estimator, grid=grid, cv=cv, n_jobs=jobs),
        "halving": iCostCV(estimator, grid=grid, search="halving", random_state=0, n_jobs=jobs),
    }


def seconds(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compare(dataset: str, base: str, args: argparse.Namespace) -> dict[str, float]:
    bunch = load_dataset(dataset)
    searches = make_searches(base, args.method, bunch.minority_label, args.jobs, args.every)
    # Alternating, so that a busy machine slows all of them alike; the fastest run counts.
    times = {name: np.inf for name in searches}
    for _ in range(args.repeats):
        for name, search in searches.items():
            taken = seconds(lambda search=search: search.fit(bunch.data, bunch.target))
            times[name] = min(times[name], taken)
    chosen = [searches[name].best_params_ for name in ("GridSearchCV", "grid")]
    if chosen[0] != chosen[1]:
        raise AssertionError(f"{dataset}, {base}: {chosen[0]} and {chosen[1]} were selected")
    return times


def print_times(args: argparse.Namespace) -> None:
    print(f"{'dataset':<14}{'base':<6}{'GridSearchCV':>13}{'iCostCV':>9}{'ratio':>7}{'halving':>9}"
          f"{'of GridSearchCV':>17}{'of grid':>9}")  # fmt: skip
    table = []
    for base in args.bases:
        ratios = []
        for dataset in args.datasets:
            t = compare(dataset, base, args)
            ratios.append(t["GridSearchCV"] / t["grid"])
            table.append(
                {
                    "base": base,
                    "data": dataset,
                    "GridSearchCV, seconds": f"{t['GridSearchCV']:.2f}",
                    "iCostCV, seconds": f"{t['grid']:.2f}",
                    "times faster": f"{ratios[-1]:.2f}",
                    "halving, seconds": f"{t['halving']:.2f}",
                    "halving, of GridSearchCV": f"{t['halving'] / t['GridSearchCV']:.2f}",
                    **machine(),
                }
            )
            record(table, args.out, "tuning")
            print(
                f"{dataset:<14}{base:<6}{t['GridSearchCV']:>11.2f} s{t['grid']:>7.2f} s"
                f"{ratios[-1]:>6.2f}x{t['halving']:>7.2f} s"
                f"{t['halving'] / t['GridSearchCV']:>17.2f}{t['halving'] / t['grid']:>9.2f}",
                flush=True,
            )
        mean = np.exp(np.mean(np.log(ratios)))
        print(
            f"  {base}: geometric mean {mean:.2f}x (wanted: {TARGETS[base]}x), "
            f"slowest {min(ratios):.2f}x",
            flush=True,
        )


def print_nested(args: argparse.Namespace) -> None:
    print("\nnested MCC x 100" + " " * 4 + f"{'grid':>8}{'halving':>9}{'difference':>12}")
    outer = StratifiedKFold(5, shuffle=True, random_state=0)
    differences, table = [], []
    for base in args.bases:
        for dataset in args.nested:
            bunch = load_dataset(dataset)
            searches = make_searches(base, args.method, bunch.minority_label, args.jobs)
            grid, halving = (
                100 * searches[name].nested_score(bunch.data, bunch.target, cv=outer).mean()
                for name in ("grid", "halving")
            )
            differences.append(halving - grid)
            table.append(
                {
                    "base": base,
                    "data": dataset,
                    "grid": f"{grid:.2f}",
                    "halving": f"{halving:.2f}",
                    "difference": f"{differences[-1]:+.2f}",
                }
            )
            record(table, args.out, "tuning_nested")
            print(
                f"{dataset:<14}{base:<6}{grid:>8.2f}{halving:>9.2f}{differences[-1]:>+12.2f}",
                flush=True,
            )
    print(f"  mean difference {np.mean(differences):+.2f} (wanted: at least -0.50)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="*", default=list(DATASETS))
    parser.add_argument("--bases", nargs="+", default=list(TARGETS), choices=list(TARGETS))
    parser.add_argument("--method", default="neighbor")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1, help="runs, of which the fastest counts")
    parser.add_argument("--every", type=int, default=1, help="time every n-th candidate only")
    parser.add_argument("--nested", nargs="*", default=list(DATASETS), help="sets for nested MCC")
    add_out(parser)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    Parallel(args.jobs)(delayed(time.sleep)(0.1) for _ in range(args.jobs))  # starts the workers
    if args.datasets:
        print_times(args)
    if args.nested:
        print_nested(args)


if __name__ == "__main__":
    main()
