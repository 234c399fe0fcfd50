"""Tables on the ensemble: what it gains, what it costs, whether its out-of-fold score is right.

Two studies have them: the paper's sets, and the sets for confirmation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pandas as pd

from icost_reproduction.evaluation import (
    Results,
    count_wins,
    dataset_means,
    dataset_times,
    once,
    with_metrics,
)
from icost_reproduction.honest_tables import VARIANTS, gains_by_classifier
from icost_reproduction.paper_tables import classifier_label, paper_order
from icost_reproduction.rank_tests import mean_interval, source_interval, wilcoxon_holm
from icost_reproduction.rows import OWN_CLASSIFIER
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Rows, Table

SINGLE = ("ncs", "threshold", "smote")
"""What a user would do with one classifier; an oracle picks the best of them as the baseline."""

RIVALS = (*SINGLE, "cs", "neighbor", "gini", "bl-smote", "adasyn")
"""All strategies with the same classifier that a plan names, by threshold, weights or rows."""

BLENDED = ("lr", "svm", "rf", "xgb")
"""Classifiers of the blend."""

GRID = "tuned-neighbor"
"""The search over 81 settings that times are compared with."""

N_SETTINGS, N_FITS = 81, 81 * 5 + 1
"""Settings of that search, and fits of one that tries each on five folds and fits the best."""

PEERS = {"self-paced": "Self-paced ensemble"}
"""What other environments measured, by the name of its file in the study's folder ``peers``."""

METRICS = {
    "mcc": ("MCC (%)", 100.0),
    "f1": ("F1 (%)", 100.0),
    "pr_auc": ("PR-AUC (%)", 100.0),
    "brier": ("Brier score", 1.0),
    "log_loss": ("Log loss", 1.0),
}
"""Metrics with a table of all strategies: title and factor for display."""

DIFFERENCE_COLUMNS = ("Over", "By sets", "By families", "Median", "Wins–losses–ties")
Cells = tuple[Cell, ...]
INTERVALS = "95 % bootstrap intervals draw sets, or families of sets."


def study_rows(results: Results, study: str) -> pd.DataFrame:
    """Return the rows of a study, and those of packages that need an environment of their own."""
    rows = results.rows(study)
    folder = results.study_folder(study) / "peers"
    peers = [read_peer(name, folder / f"{name}.csv") for name in PEERS]
    recorded = [peer for peer in peers if len(peer)]
    return pd.concat([rows, *recorded], ignore_index=True) if recorded else rows


@once
def study_means(results: Results, study: str, metric: str) -> pd.DataFrame:
    """Return the `dataset_means` of a study and of those packages."""
    return dataset_means(study_rows(results, study), metric)


def read_peer(name: str, path: object) -> pd.DataFrame:
    """Return rows that ``benchmarks/self_paced.py`` wrote, or none."""
    try:
        table = pd.read_csv(path)  # type: ignore[call-overload]
    except FileNotFoundError:
        return pd.DataFrame()
    matrices = table[["tn", "fp", "fn", "tp"]].to_numpy().tolist()
    constants = {
        "strategy": name,
        "classifier": OWN_CLASSIFIER,
        "n_classes": 2,
        "error": None,
        "setting": 0,
    }
    # It takes the time of the processor, not that of a clock.
    return with_metrics(table.assign(confusion=matrices, cpu_time=table["fit_time"], **constants))


def _label(strategy: str) -> str:
    return PEERS[strategy] if strategy in PEERS else STRATEGIES[strategy].label


def _ensembles(means: pd.DataFrame, own_classifier: bool) -> list[str]:
    """Forms of the ensemble that were run, with a classifier each or with several of their own."""
    ours = [name for name in STRATEGIES if name in means and STRATEGIES[name].group == "ensemble"]
    return [name for name in ours if STRATEGIES[name].own_classifier == own_classifier]


def all_strategies(results: Results, metric: str, study: str = "ensemble") -> Table:
    """Return the mean of a metric over the sets, for each strategy and classifier."""
    title, factor = METRICS[metric]
    means = factor * study_means(results, study, metric)
    classifiers = [
        *paper_order(means.index),
        *([OWN_CLASSIFIER] if OWN_CLASSIFIER in means.index else []),
    ]
    rows = []
    for name in (name for name in (*STRATEGIES, *PEERS) if name in means):
        values = [float(means.loc[c, name].mean()) for c in classifiers]
        cells = tuple(Cell(value, digits=2 if factor > 1 else 4) for value in values)
        rows.append((_label(name), cells))
    columns = ("Strategy", *map(classifier_label, classifiers))
    note = "Mean over datasets. 'Own': strategies with classifiers of their own."
    name = study if metric == "mcc" else f"{study}-{metric.replace('_', '-')}"
    return Table(name, f"The ensemble beside other strategies: {title}", columns, tuple(rows), note)


def gains(results: Results, study: str = "ensemble") -> Table:
    """Return the gain of the ensembles over the best single baseline of each classifier."""
    note = (
        f"Differences of MCC in percentage points. {INTERVALS} The baseline is the best single one "
        "of plain, tuned threshold and SMOTE by its mean over the sets, an oracle's choice; for "
        "the blend, the best of all classifiers'. p-values by signed ranks, corrected over the "
        "comparisons of each form."
    )
    rows = _gain_rows(100 * study_means(results, study, "mcc"), SINGLE)
    return Table(f"{study}-gains", "What the ensembles gain", GAIN_COLUMNS, rows, note)


def strict_gains(results: Results, study: str = "ensemble") -> Table:
    """Return the same over the best of all strategies with the same classifier."""
    means = 100 * study_means(results, study, "mcc")
    named = ", ".join(_label(name) for name in RIVALS if name in means)
    note = (
        f"Differences of MCC in percentage points. {INTERVALS} The baseline is the best of all "
        f"that the plan names with the same classifier ({named}), an oracle's choice; for the "
        "blend, the best of all classifiers'. p-values as there."
    )
    title = "What the ensembles gain over the best of all baselines"
    return Table(f"{study}-gains-all", title, GAIN_COLUMNS, _gain_rows(means, RIVALS), note)


GAIN_COLUMNS = ("Ensemble", *DIFFERENCE_COLUMNS, "p (Holm)")


def _gain_rows(means: pd.DataFrame, baselines: Sequence[str]) -> Rows:
    rows = []
    for variant in _ensembles(means, own_classifier=False):
        pairs = list(differences(means, variant, baselines))
        p_values = _holm({label: gain for label, _, gain in pairs})
        for label, rival, gain in pairs:
            cells = (*_difference_cells(rival, gain), Cell(p_values[label], digits=4))
            rows.append((label, cells))
    return tuple(rows)


def differences(
    means: pd.DataFrame, variant: str, baselines: Sequence[str] = SINGLE
) -> Iterator[tuple[str, str, pd.Series]]:
    """Each comparison of a form: who, over whom, and the difference per set."""
    best = _best_single(means, baselines)
    for c, rival in best.items():
        gain = (means.loc[c, variant] - means.loc[c, rival]).dropna()
        yield f"{_label(variant)} of {classifier_label(c)}", _label(rival), gain
    blend = variant.replace("ensemble", "blend", 1)
    if blend in _ensembles(means, own_classifier=True):
        c = max(best, key=lambda c: means.loc[c, best[c]].mean())
        gain = (means.loc[OWN_CLASSIFIER, blend] - means.loc[c, best[c]]).dropna()
        yield _label(blend), f"{classifier_label(c)}, {_label(best[c])}", gain


def _best_single(means: pd.DataFrame, baselines: Sequence[str] = SINGLE) -> dict[str, str]:
    """The baseline of each classifier that has been run."""
    singles = [name for name in baselines if name in means]
    return {c: means.loc[c, singles].mean().idxmax() for c in paper_order(means.index)}


def _best_pipeline(means: pd.DataFrame) -> str:
    """The classifier whose baseline is the best."""
    best = _best_single(means)
    return max(best, key=lambda c: means.loc[c, best[c]].mean())


def _difference_cells(rival: str, gain: pd.Series, digits: int = 2) -> tuple[Cell, ...]:
    """A difference per set, told with intervals, its median and wins."""
    counts = count_wins(gain, 0 * gain)
    return (
        Cell(rival),
        Cell(_interval(mean_interval(gain), digits)),
        Cell(_interval(source_interval(gain), digits)),
        Cell(f"{gain.median():+.{digits}f}"),
        Cell("–".join(str(counts[k]) for k in ("wins", "losses", "ties"))),
    )


def _holm(gains: dict[str, pd.Series]) -> dict[str, float]:
    """p-values of all comparisons, each against no difference at all."""
    frame = pd.DataFrame(gains)
    frame["nothing"] = 0.0
    table = wilcoxon_holm(frame.dropna(), [(label, "nothing") for label in gains])
    return {label: float(table.loc[label, "nothing"]) for label in gains}


def _interval(values: tuple[float, float, float], digits: int = 2) -> str:
    mean, low, high = (f"{value:+.{digits}f}" for value in values)
    return f"{mean} [{low}, {high}]"


def forms(results: Results, study: str = "ensemble") -> Table:
    """Return the forms of the ensemble side by side, by their mean gain over the classifiers."""
    means = 100 * study_means(results, study, "mcc")
    best, rows = _best_single(means), []
    for variant in _ensembles(means, own_classifier=False):
        gain = pd.DataFrame({c: means.loc[c, variant] - means.loc[c, best[c]] for c in best})
        mean = gain.dropna().mean(axis=1)
        cells = (
            *(Cell(f"{gain[c].mean():+.2f}") for c in gain),
            Cell(_interval(mean_interval(mean))),
            Cell(_interval(source_interval(mean))),
        )
        rows.append((_label(variant), cells))
    columns = ("Form", *map(classifier_label, best), "Mean, by sets", "Mean, by families")
    note = (
        "Differences of MCC to the best single baseline of each classifier, an oracle's choice, in "
        f"percentage points, and their mean over the classifiers. {INTERVALS}"
    )
    return Table(f"{study}-forms", "Forms of the ensemble", columns, tuple(rows), note)


def per_set(results: Results, study: str = "ensemble") -> Table:
    """Return models beside an oracle that picks the best single pipeline for each set."""
    means = 100 * study_means(results, study, "mcc")
    singles = [name for name in SINGLE if name in means]
    pipelines = means.loc[paper_order(means.index), singles].unstack("classifier")
    ceiling, best = pipelines.max(axis=1), _best_single(means)
    c = _best_pipeline(means)
    models = {f"{classifier_label(c)}, {_label(best[c])}": means.loc[c, best[c]]}
    models |= {
        _label(name): means.loc[OWN_CLASSIFIER, name]
        for name in _ensembles(means, own_classifier=True)
    }
    models |= {
        f"{_label(variant)} of {classifier_label(c)}": means.loc[c, variant]
        for variant in _ensembles(means, own_classifier=False)
        for c in best
    }
    rows = [("Best single pipeline of each set", (Cell(float(ceiling.mean())), *[Cell(None)] * 4))]
    for label, scores in models.items():
        behind = (scores - ceiling).dropna()
        rows.append((label, (Cell(float(scores.mean())), *_difference_cells("", behind)[1:])))
    columns = ("Model", "MCC (%)", *DIFFERENCE_COLUMNS[1:])
    note = (
        "Differences of MCC, in percentage points, to the best of plain, tuned threshold and SMOTE "
        "with any classifier on each set, as an oracle picks it: by the test folds. "
        f"The first model is the best single pipeline over all sets. {INTERVALS}"
    )
    title = "Beside the best pipeline of each set"
    return Table(f"{study}-per-set", title, columns, tuple(rows), note)


def one_by_one(results: Results, study: str = "ensemble", by_source: bool = False) -> Table:
    """Return the ensemble, and the blend, beside every other strategy one by one."""
    means = 100 * study_means(results, study, "mcc")
    scores = {c: means.loc[c, "ensemble"] for c in paper_order(means.index)}
    if "blend" in means and OWN_CLASSIFIER in means.index:
        scores[OWN_CLASSIFIER] = means.loc[OWN_CLASSIFIER, "blend"]
    interval = source_interval if by_source else mean_interval
    rows = []
    for name in (name for name in (*STRATEGIES, *PEERS) if name in means):
        is_own = name in PEERS or STRATEGIES[name].own_classifier
        cells = []
        for c, mcc in scores.items():
            # A strategy with classifiers of its own has one score for all of ours.
            rival = means[name].get(OWN_CLASSIFIER if is_own else c)
            gain = (mcc - rival).dropna() if rival is not None else mcc[:0]
            cells.append(Cell(_interval(interval(gain)) if len(gain) else None))
        if name not in ("ensemble", "blend"):
            rows.append((f"over {_label(name)}", tuple(cells)))
    labels = [
        "Blend" if c == OWN_CLASSIFIER else f"Ensemble of {classifier_label(c)}" for c in scores
    ]
    drawn = "families of sets" if by_source else "sets"
    note = (
        "Mean difference of MCC, in percentage points, with 95 % bootstrap intervals that draw "
        f"{drawn}: each ensemble minus the strategy with the same classifier, or minus the one "
        "with classifiers of its own. Not corrected for the number of comparisons."
    )
    name = f"{study}-beside" + "-by-source" * by_source
    return Table(name, "The ensemble, one by one", ("Over", *labels), tuple(rows), note)


def calibration(results: Results, study: str = "ensemble") -> Table:
    """Return how much better or worse the ensembles' probabilities are than calibrated ones."""
    rows = []
    for metric in ("brier", "log_loss"):
        means = study_means(results, study, metric)
        rivals = means["calibrated"].dropna()
        with_rival = paper_order(rivals.index)
        pairs = [
            (variant, c, c)
            for variant in _ensembles(means, own_classifier=False)
            for c in with_rival
        ]
        scores = rivals.groupby("classifier", observed=True).mean()
        pairs += [
            (variant, OWN_CLASSIFIER, scores.idxmin())
            for variant in _ensembles(means, own_classifier=True)
        ]
        for variant, c, other in pairs:
            off = (means.loc[c, variant] - rivals.loc[other]).dropna()
            who = _label(variant) + ("" if c == OWN_CLASSIFIER else f" of {classifier_label(c)}")
            rival = f"{classifier_label(other)}: {rivals.loc[other].mean():.4f}"
            better = _difference_cells("", -off)[-1]
            cells = (*_difference_cells(rival, off, digits=4)[:-1], better)
            rows.append((f"{METRICS[metric][0]}, {who}", cells))
    columns = ("Ensemble", *DIFFERENCE_COLUMNS)
    note = (
        "Differences to CalibratedClassifierCV with 20 fits, below 0 where the ensemble is better; "
        f"the blend's to the classifier with the best mean. Wins are lower scores. {INTERVALS}"
    )
    title = "Probabilities beside calibrated ones"
    return Table(f"{study}-calibration", title, columns, tuple(rows), note)


def out_of_fold_scores(results: Results, study: str = "ensemble") -> Table:
    """Return how far the ensemble's out-of-fold score is from the score on test folds."""
    rows = with_metrics(results.rows(study))
    rows = rows[rows["oof_mcc"].notna()]
    lines = []
    names = [name for name in STRATEGIES if name in set(rows["strategy"])]
    for name in names:
        of_strategy = rows[rows["strategy"] == name]
        for c in [*paper_order(set(of_strategy["classifier"])), OWN_CLASSIFIER]:
            of_classifier = of_strategy[of_strategy["classifier"] == c]
            if len(of_classifier):
                lines.append(
                    (f"{_label(name)}, {classifier_label(c)}", _out_of_fold_cells(of_classifier))
                )
    columns = (
        "Model",
        "Out-of-fold",
        "Test folds",
        "Difference",
        "Median off",
        "Brier, difference",
    )
    note = (
        "MCC in percent: `oof_score_`, measured on rows held out of members, calibration and "
        "threshold, beside that of test folds. 'Median off': of the absolute difference per set."
    )
    title = "Out-of-fold score compared with test folds"
    return Table(f"{study}-own-word", title, columns, tuple(lines), note)


def _out_of_fold_cells(rows: pd.DataFrame) -> tuple[Cell, ...]:
    by_set = rows.groupby("dataset", observed=True)[["oof_mcc", "mcc", "oof_brier", "brier"]]
    means = by_set.mean()
    off = 100 * (means["oof_mcc"] - means["mcc"])
    return (
        Cell(100 * float(means["oof_mcc"].mean())),
        Cell(100 * float(means["mcc"].mean())),
        Cell(_interval(mean_interval(off.dropna()))),
        Cell(float(off.abs().median())),
        Cell(float((means["oof_brier"] - means["brier"]).mean()), digits=4),
    )


def nested_scores(results: Results, study: str = "ensemble") -> Table:
    """Return how far nested cross-validation is from test folds, beside the out-of-fold score."""
    path = results.study_folder(study) / "peers" / "nested.csv"
    if not path.exists():
        raise KeyError(f"{path} has not been made: see benchmarks/own_word.py")
    rows = with_metrics(results.rows(study))
    rows = rows[rows["strategy"] == "ensemble"]
    key = ["dataset", "classifier", "repeat", "fold"]
    both = rows[[*key, "oof_mcc", "mcc"]].merge(pd.read_csv(path).dropna(), on=key)
    lines = []
    for c in paper_order(set(both["classifier"])):
        by_set = both[both["classifier"] == c].groupby("dataset", observed=True)
        means = 100 * by_set[["oof_mcc", "nested", "mcc"]].mean()
        cells = [Cell(float(len(means)), digits=0), Cell(float(means["mcc"].mean()))]
        for name in ("oof_mcc", "nested"):
            off = means[name] - means["mcc"]
            cells += [Cell(_interval(mean_interval(off))), Cell(float(off.abs().median()))]
        lines.append((f"{_label('ensemble')}, {classifier_label(c)}", tuple(cells)))
    asked = ("Out-of-fold, difference", "Median off", "Nested, difference", "Median off, nested")
    columns = ("Model", "Sets", "Test folds", *asked)
    note = (
        "MCC in percent, on the folds that have both: `oof_score_`, which needs no "
        "further fits, and five-fold cross-validation of the whole ensemble inside the training "
        "fold, which needs five times as many; both minus the test folds'. 'Median off': of the "
        "absolute difference per set."
    )
    title = "Out-of-fold score compared with nested cross-validation"
    return Table(f"{study}-nested", title, columns, tuple(lines), note)


def fit_times(results: Results, study: str = "ensemble") -> Table:
    """Return times over all sets, as multiples of a tuned threshold's."""
    rows = study_rows(results, study)
    timed = rows[rows["fit_time"].notna()]
    measured = ["cpu_time"] if timed["cpu_time"].notna().all() else ["fit_time", "weight_time"]
    times = dataset_times(timed, measured)
    classifiers = paper_order(times.index)
    unit = {c: times.loc[c, "threshold"].sum() for c in classifiers}
    unit[OWN_CLASSIFIER] = sum(unit.get(c, np.nan) for c in BLENDED)
    lines = []
    for name in (name for name in (*STRATEGIES, *PEERS) if name in times):
        lines.append(
            (_label(name), _ratio_cells(times[name], unit, [*classifiers, OWN_CLASSIFIER]))
        )
    exhaustive = _exhaustive_times(times, unit, classifiers)
    if exhaustive is not None:
        label = f"GridSearchCV, {N_SETTINGS} settings, {N_FITS} fits"
        lines += [(label, exhaustive), *_shares(lines, exhaustive)]
    grid = _grid_times(results, set(rows["dataset"]))
    if grid is not None:
        lines.append((f"{_label(GRID)}, {N_SETTINGS} settings by iCostCV", grid))
    columns = ("Strategy", *map(classifier_label, [*classifiers, OWN_CLASSIFIER]))
    seconds = "CPU seconds" if measured == ["cpu_time"] else "Seconds"
    notes = [
        f"{seconds} of a typical fold, summed over the sets, divided by those of a threshold tuned "
        "on five folds; for strategies with classifiers of their own, by those of LR, SVM, RF and "
        "XGBoost together."
    ]
    n_timed, n_repeats = (
        table.loc[table["strategy"] == "threshold", "repeat"].nunique() for table in (timed, rows)
    )
    if n_timed < n_repeats:
        notes.append(f"{n_timed} of {n_repeats} repeats were timed.")
    if exhaustive is not None:
        notes.append(
            f"GridSearchCV, {N_SETTINGS} settings on five folds and a refit, is computed: {N_FITS} "
            "times a fit of Neighbor-iCost to the whole training fold, and no time for scoring."
        )
    if grid is not None:
        notes.append(
            "iCostCV, which fits equal weights once and halves for RF and XGBoost, is that of the "
            "study 'honest' with three folds, beside its own thresholds."
        )
    title = "What the ensembles cost"
    return Table(f"{study}-times", title, columns, tuple(lines), " ".join(notes))


def _exhaustive_times(
    times: pd.DataFrame, unit: dict[str, float], classifiers: list[str]
) -> tuple[Cell, ...] | None:
    """What the fits of a search that tries every setting on every fold take."""
    if "neighbor" not in times:
        return None
    return _ratio_cells(N_FITS * times["neighbor"], unit, [*classifiers, OWN_CLASSIFIER])


def _shares(lines: list[tuple[str, Cells]], exhaustive: Cells) -> Iterator[tuple[str, Cells]]:
    """The ensembles' times as shares of the search's."""
    cells_of = dict(lines)
    for name in (name for name in ("ensemble", "ensemble-10") if _label(name) in cells_of):
        pairs = zip(cells_of[_label(name)], exhaustive, strict=True)
        cells = tuple(Cell(_divided(one.ours, whole.ours), digits=3) for one, whole in pairs)
        yield f"{_label(name)}, share of GridSearchCV", cells


def _divided(numerator: object, denominator: object) -> float | None:
    is_number = (
        isinstance(numerator, float)
        and isinstance(denominator, float)
        and not np.isnan(denominator)
    )
    return numerator / denominator if is_number else None  # type: ignore[operator]


def _ratio_cells(
    seconds: pd.Series, unit: dict[str, float], classifiers: list[str]
) -> tuple[Cell, ...]:
    sums = seconds.groupby("classifier", observed=True).sum(min_count=1)
    return tuple(Cell(float(sums.get(c, np.nan) / unit[c])) for c in classifiers)


def _grid_times(results: Results, datasets: set[str]) -> tuple[Cell, ...] | None:
    """A search over 81 settings beside a threshold, where the study 'honest' ran both."""
    rows = results.under("honest").rows("honest")
    times = dataset_times(rows[rows["dataset"].isin(datasets)])
    if GRID not in times or "threshold" not in times:
        return None
    both = times[[GRID, "threshold"]].dropna()
    classifiers = paper_order(both.index)
    unit = {c: both.loc[c, "threshold"].sum() for c in classifiers}
    return (*_ratio_cells(both[GRID], unit, classifiers), Cell(None))


def confirmed_controls(results: Results, by_source: bool = False) -> Table:
    """Return iCost's gain over class-level costs and over weights of the same mean."""
    pairs = [(variant, other) for variant in VARIANTS for other in ("cs", f"{variant}-mean")]
    drawn = "families of datasets" if by_source else "datasets; wins, losses and ties"
    note = (
        "Mean difference of MCC over datasets, in percentage points, with 95 % bootstrap intervals "
        f"over {drawn}. Only a gain over the same-total control is due to which minority rows "
        "get more weight."
    )
    gains = gains_by_classifier(results, "confirmation", pairs, by_source)
    name = "confirmation-controls" + "-by-source" * by_source
    return Table(name, "iCost on sets of other families", *gains, note)


def _tables(study: str) -> dict[str, tuple[str, Callable[[Results], Table]]]:
    makers: dict[str, Callable[[Results], Table]] = {
        "": partial(all_strategies, metric="mcc", study=study),
        "-gains": partial(gains, study=study),
        "-gains-all": partial(strict_gains, study=study),
        "-forms": partial(forms, study=study),
        "-per-set": partial(per_set, study=study),
        "-beside": partial(one_by_one, study=study),
        "-beside-by-source": partial(one_by_one, study=study, by_source=True),
        **{
            f"-{metric.replace('_', '-')}": partial(all_strategies, metric=metric, study=study)
            for metric in METRICS
            if metric != "mcc"
        },
        "-calibration": partial(calibration, study=study),
        "-own-word": partial(out_of_fold_scores, study=study),
        "-nested": partial(nested_scores, study=study),
        "-times": partial(fit_times, study=study),
    }
    return {f"{study}{suffix}": (study, maker) for suffix, maker in makers.items()}


ENSEMBLE_TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    **_tables("ensemble"),
    **_tables("confirmation"),
    "confirmation-controls": ("confirmation", confirmed_controls),
    "confirmation-controls-by-source": (
        "confirmation",
        partial(confirmed_controls, by_source=True),
    ),
}
"""Tables by name: the study whose rows they need, and how to make them."""
