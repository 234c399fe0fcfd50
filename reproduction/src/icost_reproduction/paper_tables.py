"""The tables of the paper from our rows, each cell beside the published one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import Any

import pandas as pd

from icost.datasets import get_record, list_datasets
from icost_reproduction._internals import (
    CLASSIFIERS,
    PAPER_CLASSIFIERS,
    PAPER_GRID,
    RESAMPLER_LABELS,
    read_registry,
)
from icost_reproduction.evaluation import (
    METRICS,
    Results,
    choose_settings,
    class_sizes,
    count_wins,
    dataset_means,
    dataset_times,
    once,
    published,
    tuned_rows,
    with_metrics,
)
from icost_reproduction.published_sets import read_published_sets
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Rows, Table

PAPER_STRATEGIES = ("ncs", "cs", "neighbor", "gini")
VARIANTS = {"neighbor": "Neighbor-iCost", "gini": "Gini-iCost"}
Maker = Callable[[Results], Table]


def classifier_label(name: str) -> str:
    """Return the name of a classifier, or of the average over them, in tables."""
    return CLASSIFIERS[name].label if name in CLASSIFIERS else name.capitalize()


def paper_order(names: Container[str]) -> list[str]:
    """Return those of the paper's classifiers that were found, in the paper's order."""
    return [name for name in PAPER_CLASSIFIERS if name in names]


def averages(means: pd.DataFrame, scale: float = 100.0) -> pd.DataFrame:
    """Return the mean over datasets per classifier, and the mean of these as ``average``."""
    table = scale * means.groupby("classifier", observed=True).mean()
    table = table.loc[paper_order(table.index)]
    if set(table.index) == set(PAPER_CLASSIFIERS):
        # An average over fewer classifiers than the paper has is not comparable.
        table.loc["average"] = table.mean()
    return table


def look_up(tree: Any, *keys: str) -> Any:
    """Return an entry of nested dictionaries, or None."""
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def _beside_paper(
    name: str, means: pd.DataFrame, label: Callable[[str], str] = classifier_label
) -> Rows:
    """Return the rows of a table of means, each cell beside that of the paper's table."""
    rows, paper = [], published().get(name)
    for row in means.index:
        cells = tuple(Cell(means.loc[row, k], look_up(paper, row, k)) for k in means)
        rows.append((label(row), cells))
    return tuple(rows)


def metric_table(results: Results, metric: str) -> Table:
    """Return the average of a metric per classifier and strategy of the paper."""
    means = averages(results.means("default", metric))
    means = means[[s for s in PAPER_STRATEGIES if s in means]]
    name, title = metric.replace("_", "-"), {"mcc": "MCC", "f1": "F1"}.get(metric, metric)
    columns = ("Classifier", *(STRATEGIES[s].label for s in means))
    return Table(name, f"Average {title} (%)", columns, _beside_paper(name, means))


def per_dataset_table(results: Results, metric: str) -> Table:
    """Return a metric on each dataset, with each classifier and strategy of the paper."""
    means = 100 * results.means("default", metric).unstack("classifier")
    pairs = [(s, c) for c in PAPER_CLASSIFIERS for s in PAPER_STRATEGIES if (s, c) in means]
    names = [r.name for r in read_registry() if r.name in means.index]
    rows = [(name, tuple(Cell(means.loc[name, pair]) for pair in pairs)) for name in names]
    columns = ("Dataset", *(f"{classifier_label(c)} {s}" for s, c in pairs))
    return Table(f"per-dataset-{metric}", f"{metric} per dataset", columns, tuple(rows))


WIN_LOSS_COLUMNS = ("Method, classifier", "Avg. ΔMCC", "iCost wins", "CS wins", "Ties")
COUNTS = ("wins", "losses", "ties")
TIE_NOTE = "A tie is a difference of at most 1e-9."


def win_loss(results: Results) -> Table:
    """Return wins and losses of iCost with default costs against class-level costs."""
    title = "iCost against traditional CSL, by MCC on each dataset"
    return _win_loss("win-loss", results.means("default"), title)


def tuned_win_loss(results: Results) -> Table:
    """Return wins and losses of tuned iCost against tuned class-level costs."""
    title = "Tuned iCost against tuned CSL, by MCC on each dataset"
    return _win_loss("tuned-win-loss", tuned_means(results), title)


def _win_loss(name: str, means: pd.DataFrame, title: str) -> Table:
    rows = []
    for variant, label in VARIANTS.items():
        delta, paper = 100 * (means[variant] - means["cs"]), published()[name][variant]
        for c in paper_order(delta.index):
            cells = _win_loss_cells(delta.loc[[c]], look_up(paper, c) or {})
            rows.append((f"{label}, {classifier_label(c)}", cells))
        total = {k: sum(numbers[k] for numbers in paper.values()) for k in COUNTS}
        rows.append((f"{label}, {classifier_label('all')}", _win_loss_cells(delta, total)))
    return Table(name, title, WIN_LOSS_COLUMNS, tuple(rows), TIE_NOTE)


def _win_loss_cells(delta: pd.Series, paper: dict[str, Any]) -> tuple[Cell, ...]:
    counts = count_wins(delta, 0 * delta)
    numbers = (Cell(counts[k], paper.get(k), 0) for k in COUNTS)
    return Cell(float(delta.mean()), paper.get("delta")), *numbers


@once
def tuned_means(results: Results, study: str = "tuning") -> pd.DataFrame:
    """Return the MCC of tuned ``cs``, ``neighbor`` and ``gini`` per classifier and dataset."""
    rows = results.rows(study)
    return dataset_means(pd.concat([tuned_rows(rows, n) for n in ("cs", "neighbor", "gini")]))


def error_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how many errors iCost adds to those of class-level costs, over all datasets.

    Counts are mean sensitivity and specificity of a dataset's folds times its class sizes.
    """
    sizes = class_sizes(rows)
    dataset = dataset_means(rows, "specificity").index.get_level_values("dataset")
    negative, positive = (sizes.loc[dataset, k].to_numpy() for k in ("negative", "positive"))
    fp = (1 - dataset_means(rows, "specificity")).mul(negative, axis=0)
    fn = (1 - dataset_means(rows, "sensitivity")).mul(positive, axis=0)
    parts = {}
    for variant in VARIANTS:
        changes = pd.DataFrame({"fp": fp[variant] - fp["cs"], "fn": fn[variant] - fn["cs"]})
        changes["correct"] = -changes["fp"] - changes["fn"]
        parts[variant] = changes.groupby("classifier", observed=True).sum()
    return pd.concat(parts, names=["variant"]).swaplevel().sort_index()


def trade_off(results: Results) -> Table:
    """Return the changes of false positives and false negatives against class-level costs."""
    changes, paper = error_changes(results.rows("default")), published()["trade-off"]
    rows = []
    for c in paper_order(changes.index):
        cells = tuple(
            Cell(float(changes.loc[(c, v), k]), look_up(paper, v, c, k), 0)
            for v in VARIANTS
            for k in ("fp", "fn", "correct")
        )
        rows.append((classifier_label(c), cells))
    names = [f"{VARIANTS[v]} {k}" for v in VARIANTS for k in ("ΔFP", "ΔFN", "ΔCorrect")]
    note = "Counts are mean sensitivity and specificity of the folds times the class sizes."
    title = "Errors of iCost compared with traditional CSL; negative values are reductions"
    return Table("trade-off", title, ("Classifier", *names), tuple(rows), note)


def stability(results: Results) -> Table:
    """Return the spread of MCC over folds and the fit times."""
    rows = results.rows("default")
    grouped = rows.groupby(["classifier", "dataset", "strategy"], observed=True)
    spread = averages(grouped["mcc"].std(ddof=0).unstack("strategy"), 1.0)
    time = averages(dataset_times(rows), 1.0)
    paper, strategies = published()["stability"], ("cs", "neighbor", "gini")
    lines = []
    for c in spread.index:
        cells = [Cell(spread.loc[c, s], look_up(paper, "std", c, s), 4) for s in strategies]
        cells += [Cell(time.loc[c, s], look_up(paper, "time", c, s), 4) for s in strategies]
        lines.append((classifier_label(c), tuple(cells)))
    names = [
        f"{quantity} {STRATEGIES[s].label}"
        for quantity in ("MCC std.", "Fit time (s)")
        for s in strategies
    ]
    note = (
        "Times include the estimation of complexity and are those of a set's median fold; the "
        "machine is not the paper's."
    )
    title = "Stability and computational cost"
    return Table("stability", title, ("Classifier", *names), tuple(lines), note)


def tuning(results: Results) -> Table:
    """Return MCC with default and with tuned costs."""
    default, tuned = (averages(means) for means in (results.means("tuning"), tuned_means(results)))
    rows = []
    for c in paper_order(tuned.index):
        for name, label in {"cs": "CSL", **VARIANTS}.items():
            numbers = look_up(published(), "tuning", name, c) or {}
            before, after = default.loc[c, name], tuned.loc[c, name]
            values = {"default": before, "tuned": after, "delta": after - before}
            cells = tuple(Cell(value, numbers.get(key)) for key, value in values.items())
            rows.append((f"{classifier_label(c)}, {label}", cells))
    columns = ("Classifier, method", "Default", "Tuned", "ΔMCC")
    nested = (results.rows("tuning")["strategy"] == "tuned-neighbor").any()
    note = (
        "Tuned inside each training fold."
        if nested
        else "Tuned on the very folds that are reported, as in the paper: optimistic."
    )
    return Table("tuning", "MCC before and after cost tuning", columns, tuple(rows), note)


def cost_table(results: Results, variant: str) -> Table:
    """Return how often each candidate cost was chosen, and how often by a tie-break."""
    rows, name = results.rows("tuning"), f"{variant}-costs"
    chosen = choose_settings(rows[rows["strategy"] == f"grid-{variant}"])
    lines = []
    for c in paper_order(set(chosen["classifier"])):
        of_classifier, paper = chosen[chosen["classifier"] == c], look_up(published(), name, c)
        lines.append((classifier_label(c), tuple(_cost_cells(of_classifier, paper))))
    values = [f"{cost} {value:.2f}" for cost, vs in PAPER_GRID.items() for value in vs]
    ties = [f"{cost} by tie-break" for cost in PAPER_GRID]
    title = f"How often each cost was chosen for tuned {VARIANTS[variant]}"
    note = (
        "Multiples of the imbalance ratio. 'By tie-break': datasets where settings with other "
        "values of this cost had the very same MCC, F1 and G-mean; the smallest is then taken. "
        "Costs of empty categories always tie."
    )
    return Table(name, title, ("Classifier", *values, *ties), tuple(lines), note)


def _cost_cells(chosen: pd.DataFrame, paper: Any) -> Iterable[Cell]:
    for cost, values in PAPER_GRID.items():
        for position, value in enumerate(values):
            count = int((chosen[cost].round(9) == value).sum())
            yield Cell(count, paper and paper[cost][position], 0)
    for cost in PAPER_GRID:
        yield Cell(int(chosen["costs_tied"].str.contains(cost).sum()), None, 0)


def resampling(results: Results) -> Table:
    """Return the MCC of the resamplers beside tuned iCost."""
    means = averages(results.means("resampling")).T
    if not results.rows("tuning").empty:
        tuned = averages(tuned_means(results)).T.rename(index=lambda name: f"grid-{name}")
        means = pd.concat([means, tuned])
    labels = {"ncs": "no sampler", **RESAMPLER_LABELS}
    labels |= {f"grid-{name}": f"{label}, tuned" for name, label in VARIANTS.items()}
    means = means.loc[[name for name in labels if name in means.index]]
    rows = _beside_paper("resampling", means, labels.__getitem__)
    columns = ("Method", *(classifier_label(c) for c in means))
    note = "As in the paper, tuned iCost stands beside samplers with default settings."
    return Table("resampling", "MCC of resampling and of tuned iCost", columns, rows, note)


def multiclass_means(results: Results) -> pd.DataFrame:
    """Return the MCC on the multiclass sets, of no cost, tuned CSL and tuned iCost."""
    tuned = tuned_means(results, "multiclass").rename(columns=lambda name: f"grid-{name}")
    return tuned.join(results.means("multiclass")[["ncs"]])


def multiclass(results: Results) -> Table:
    """Return the MCC on the multiclass sets."""
    means = averages(multiclass_means(results))
    labels = {
        "ncs": "No cost",
        "grid-cs": "Tuned CSL",
        **{f"grid-{name}": label for name, label in VARIANTS.items()},
    }
    rows = _beside_paper("multiclass", means[list(labels)])
    title, columns = "MCC on the multiclass sets", ("Classifier", *labels.values())
    return Table("multiclass", title, columns, rows, _replaced(results.rows("multiclass")))


def _replaced(rows: pd.DataFrame) -> str:
    """Return a note on what took the place of what the plan names, and with which classifiers."""
    noted = rows.assign(used=rows["note"].fillna("").str.split("; ")).explode("used")
    noted = noted[noted["used"].str.startswith("as ")]
    n_classifiers, parts = rows["classifier"].nunique(), []
    groups = noted.groupby(["dataset", "used"], observed=True)["classifier"]
    for (where, what), names in groups:
        labels = ", ".join(map(classifier_label, paper_order(set(names))))
        place = where if names.nunique() == n_classifiers else f"{where} ({labels})"
        parts.append(f"{place}: {what}")
    return f"Exceptions: {'; '.join(sorted(parts))}." if parts else ""


def multiclass_win_loss(results: Results) -> Table:
    """Return wins and losses of tuned iCost against tuned CSL on the multiclass sets."""
    means, rows = tuned_means(results, "multiclass"), []
    for variant, label in VARIANTS.items():
        paper = published()["multiclass-win-loss"][variant]
        rows.append((label, _win_loss_cells(100 * (means[variant] - means["cs"]), paper)))
    columns = ("Method", "Avg. ΔMCC", "iCost wins", "CSL wins", "Ties")
    title = "Tuned iCost against tuned CSL on the multiclass sets"
    return Table("multiclass-win-loss", title, columns, tuple(rows), TIE_NOTE)


def forests(results: Results) -> Table:
    """Return the MCC of RF by version of scikit-learn, as 1.9 changed what weights do to it."""
    paper, rows = published()["mcc"]["rf"], []
    for environment in map(with_metrics, results.environments("default").values()):
        means = averages(dataset_means(environment[environment["classifier"] == "rf"]))
        if len(means):
            recorded = environment.loc[environment["classifier"] == "rf", "versions"].iloc[0]
            version = next(text for text in recorded.split(", ") if text.startswith("scikit-learn"))
            cells = (Cell(means.loc["rf", s], paper[s]) for s in PAPER_STRATEGIES)
            rows.append((version, tuple(cells)))
    columns = ("Version", *(STRATEGIES[s].label for s in PAPER_STRATEGIES))
    note = "Up to 1.8, weights entered the trees; from 1.9 on they drive the bootstrap draw."
    return Table("forests", "Average MCC (%) of RF", columns, tuple(rows), note)


def datasets(results: Results) -> Table:
    """Return the datasets beside the paper's numbers of samples, features and their ratios."""
    rows = []
    for record in map(get_record, list_datasets()):
        paper = read_published_sets()[record.name]
        counts = paper.class_counts
        ratio = max(counts.values()) / min(counts.values())
        # The paper's binary table counts the class as a feature, the multiclass one does not.
        d = record.d + (record.collection == "binary")
        cells = (
            Cell(sum(counts.values()), paper.paper_n, 0),
            Cell(d, paper.paper_d, 0),
            Cell(ratio, paper.paper_ir),
            Cell(", ".join(str(n) for n in counts.values())),
        )
        rows.append((record.name, cells))
    note = "The variant 'published'. As in the paper, binary sets count the class as a feature."
    columns = ("Dataset", "Samples", "Features", "Imbalance ratio", "Samples per class")
    return Table("datasets", "The 65 binary and 10 multiclass sets", columns, tuple(rows), note)


TABLES: dict[str, tuple[str, Maker]] = {
    "datasets": ("", datasets),
    **{
        metric.replace("_", "-"): ("default", partial(metric_table, metric=metric))
        for metric in dict.fromkeys(("mcc", "f1", *METRICS))
    },
    **{f"per-dataset-{m}": ("default", partial(per_dataset_table, metric=m)) for m in METRICS},
    "win-loss": ("default", win_loss),
    "trade-off": ("default", trade_off),
    "stability": ("default", stability),
    "forests": ("default", forests),
    "tuning": ("tuning", tuning),
    "tuned-win-loss": ("tuning", tuned_win_loss),
    "neighbor-costs": ("tuning", partial(cost_table, variant="neighbor")),
    "gini-costs": ("tuning", partial(cost_table, variant="gini")),
    "resampling": ("resampling", resampling),
    "multiclass": ("multiclass", multiclass),
    "multiclass-win-loss": ("multiclass", multiclass_win_loss),
}
"""Tables by name: the study whose rows they need, and how to make them."""
