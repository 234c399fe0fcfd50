"""The tables of the paper from our rows, each cell beside the published one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pandas as pd

from icost.datasets import read_registry
from icost.experiments.evaluation import (
    METRICS,
    Results,
    choose_settings,
    class_sizes,
    count_wins,
    dataset_means,
    dataset_times,
    published,
    tuned_rows,
    with_metrics,
)
from icost.experiments.tables import Cell, Table
from icost.strategies.classifiers import CLASSIFIERS, PAPER_CLASSIFIERS
from icost.strategies.registry import RESAMPLER_LABELS, STRATEGIES
from icost.tuning import PAPER_GRID

PAPER_STRATEGIES = ("ncs", "cs", "neighbor", "gini")
VARIANTS = {"neighbor": "Neighbor-iCost", "gini": "Gini-iCost"}
Maker = Callable[[Results], Table]


def classifier_label(name: str) -> str:
    """Return the name of a classifier in tables.

    Examples
    --------
    >>> from icost.experiments.paper_tables import classifier_label
    >>> classifier_label("xgb"), classifier_label("average")
    ('XGBoost', 'Average')
    """
    return CLASSIFIERS[name].label if name in CLASSIFIERS else name.capitalize()


def averages(means: pd.DataFrame, scale: float = 100.0) -> pd.DataFrame:
    """Return the mean over datasets per classifier, and the mean of these as ``average``.

    Parameters
    ----------
    means : pandas.DataFrame
        From `icost.experiments.evaluation.dataset_means`.
    scale : float, default=100.0
        Factor, as the paper prints percentages.

    Returns
    -------
    pandas.DataFrame
        A row per classifier, in the paper's order, a column per strategy.
    """
    table = scale * means.groupby("classifier", observed=True).mean()
    table = table.loc[[name for name in PAPER_CLASSIFIERS if name in table.index]]
    if set(table.index) == set(PAPER_CLASSIFIERS):
        # An average over fewer classifiers than the paper has is not comparable.
        table.loc["average"] = table.mean()
    return table


def look_up(tree: Any, *keys: str) -> Any:
    """Return an entry of nested dictionaries, or None.

    Examples
    --------
    >>> from icost.experiments.paper_tables import look_up
    >>> look_up({"a": {"b": 1}}, "a", "b"), look_up({}, "a", "b")
    (1, None)
    """
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def _metric_table(name: str, metric: str, title: str) -> Maker:
    def make(results: Results) -> Table:
        means = averages(dataset_means(results.rows("default"), metric))
        strategies = [s for s in PAPER_STRATEGIES if s in means]
        rows = [
            (
                classifier_label(c),
                tuple(Cell(means.loc[c, s], look_up(published(), name, c, s)) for s in strategies),
            )
            for c in means.index
        ]
        columns = ("Classifier", *(STRATEGIES[s].label for s in strategies))
        return Table(name, title, columns, tuple(rows))

    return make


def _per_dataset_table(metric: str) -> Maker:
    def make(results: Results) -> Table:
        means = 100 * dataset_means(results.rows("default"), metric).unstack("classifier")
        pairs = [(s, c) for c in PAPER_CLASSIFIERS for s in PAPER_STRATEGIES if (s, c) in means]
        names = [r.name for r in read_registry() if r.name in means.index]
        rows = [(name, tuple(Cell(means.loc[name, pair]) for pair in pairs)) for name in names]
        columns = ("Dataset", *(f"{classifier_label(c)} {s}" for s, c in pairs))
        return Table(f"per-dataset-{metric}", f"{metric} per dataset", columns, tuple(rows))

    return make


def _win_loss_rows(means: pd.DataFrame, variant: str, paper: Any, digits: int = 2) -> Iterable[Any]:
    """Rows of a win-loss table: one per classifier and the totals."""
    delta = 100 * (means[variant] - means["cs"])
    groups = [(c, delta.loc[[c]]) for c in PAPER_CLASSIFIERS if c in delta.index]
    for name, part in [*groups, ("all", delta)]:
        counts = count_wins(part, 0 * part)
        numbers = _published_total(paper) if name == "all" else look_up(paper, name) or {}
        cells = [Cell(float(part.mean()), numbers.get("delta"), digits)]
        cells += [Cell(counts[k], numbers.get(k), 0) for k in ("wins", "losses", "ties")]
        yield f"{VARIANTS[variant]}, {classifier_label(name)}", tuple(cells)


def _published_total(paper: Any) -> dict[str, int]:
    return {k: sum(numbers[k] for numbers in paper.values()) for k in ("wins", "losses", "ties")}


WIN_LOSS_COLUMNS = ("Method, classifier", "Avg. ΔMCC", "iCost wins", "CS wins", "Ties")
TIE_NOTE = "A tie is a difference of at most 1e-9."


def win_loss(results: Results) -> Table:
    """Return wins and losses of iCost with default costs against class-level costs."""
    means = dataset_means(results.rows("default"))
    rows = [r for v in VARIANTS for r in _win_loss_rows(means, v, published()["win-loss"][v])]
    title = "iCost against traditional CSL, by MCC on each dataset"
    return Table("win-loss", title, WIN_LOSS_COLUMNS, tuple(rows), TIE_NOTE)


def tuned_means(results: Results, study: str = "tuning") -> pd.DataFrame:
    """Return the MCC of tuned CSL and tuned iCost per classifier and dataset.

    Parameters
    ----------
    results : Results
        With a tuning study.
    study : str, default="tuning"
        Its name.

    Returns
    -------
    pandas.DataFrame
        Columns ``cs``, ``neighbor`` and ``gini``.
    """

    def compute() -> pd.DataFrame:
        rows = results.rows(study)
        return dataset_means(pd.concat([tuned_rows(rows, n) for n in ("cs", "neighbor", "gini")]))

    return results.once(("tuned", study), compute)


def tuned_win_loss(results: Results) -> Table:
    """Return wins and losses of tuned iCost against tuned class-level costs."""
    means, paper = tuned_means(results), published()["tuned-win-loss"]
    rows = [row for v in VARIANTS for row in _win_loss_rows(means, v, paper[v])]
    title = "Tuned iCost against tuned CSL, by MCC on each dataset"
    return Table("tuned-win-loss", title, WIN_LOSS_COLUMNS, tuple(rows), TIE_NOTE)


def error_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how many errors iCost adds to those of class-level costs, over all datasets.

    Counts are mean sensitivity and specificity of a dataset's folds times its class sizes.

    Parameters
    ----------
    rows : pandas.DataFrame
        Of the default study.

    Returns
    -------
    pandas.DataFrame
        Rows (classifier, variant), columns ``fp``, ``fn`` and ``correct``.
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
    for c in (name for name in PAPER_CLASSIFIERS if name in changes.index):
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
        f"{kind} {STRATEGIES[s].label}" for kind in ("MCC std.", "Fit time (s)") for s in strategies
    ]
    note = (
        "Times include the estimation of complexity and are those of a set's median fold; the "
        "machine is not the paper's."
    )
    title = "Stability and computational cost"
    return Table("stability", title, ("Classifier", *names), tuple(lines), note)


def tuning(results: Results) -> Table:
    """Return MCC with default and with tuned costs."""
    default, tuned = (
        averages(means) for means in (dataset_means(results.rows("tuning")), tuned_means(results))
    )
    rows = []
    for c in (name for name in PAPER_CLASSIFIERS if name in tuned.index):
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


def _cost_table(variant: str) -> Maker:
    def make(results: Results) -> Table:
        rows = results.rows("tuning")
        chosen = choose_settings(rows[rows["strategy"] == f"grid-{variant}"])
        name, lines = f"{variant}-costs", []
        for c in (name for name in PAPER_CLASSIFIERS if name in set(chosen["classifier"])):
            part = chosen[chosen["classifier"] == c]
            lines.append(
                (classifier_label(c), tuple(_cost_cells(part, look_up(published(), name, c))))
            )
        values = [f"{cost} {value:.2f}" for cost, vs in PAPER_GRID.items() for value in vs]
        ties = [f"{cost} by tie-break" for cost in PAPER_GRID]
        title = f"How often each cost was chosen for tuned {VARIANTS[variant]}"
        note = (
            "Multiples of the imbalance ratio. 'By tie-break': datasets where settings with other "
            "values of this cost had the very same MCC, F1 and G-mean; the smallest is then taken. "
            "Costs of empty categories always tie."
        )
        return Table(name, title, ("Classifier", *values, *ties), tuple(lines), note)

    return make


def _cost_cells(chosen: pd.DataFrame, paper: Any) -> Iterable[Cell]:
    for cost, values in PAPER_GRID.items():
        for position, value in enumerate(values):
            count = int((chosen[cost].round(9) == value).sum())
            yield Cell(count, paper and paper[cost][position], 0)
    for cost in PAPER_GRID:
        yield Cell(int(chosen["costs_tied"].str.contains(cost).sum()), None, 0)


def resampling(results: Results) -> Table:
    """Return the MCC of the resamplers beside tuned iCost."""
    means = averages(dataset_means(results.rows("resampling"))).T
    if not results.rows("tuning").empty:
        tuned = averages(tuned_means(results)).T.rename(index=lambda name: f"grid-{name}")
        means = pd.concat([means, tuned])
    labels = {"ncs": "no sampler", **RESAMPLER_LABELS}
    labels |= {f"grid-{name}": f"{label}, tuned" for name, label in VARIANTS.items()}
    rows = []
    for name in (name for name in labels if name in means.index):
        cells = (
            Cell(means.loc[name, c], look_up(published(), "resampling", name, c)) for c in means
        )
        rows.append((labels[name], tuple(cells)))
    columns = ("Method", *(classifier_label(c) for c in means))
    note = "As in the paper, tuned iCost stands beside samplers with default settings."
    return Table("resampling", "MCC of resampling and of tuned iCost", columns, tuple(rows), note)


def multiclass_means(results: Results) -> pd.DataFrame:
    """Return the MCC on the multiclass sets, of no cost, tuned CSL and tuned iCost."""
    tuned = tuned_means(results, "multiclass").rename(columns=lambda name: f"grid-{name}")
    return tuned.join(dataset_means(results.rows("multiclass"))[["ncs"]])


def multiclass(results: Results) -> Table:
    """Return the MCC on the multiclass sets."""
    means = averages(multiclass_means(results))
    labels = {
        "ncs": "No cost",
        "grid-cs": "Tuned CSL",
        **{f"grid-{name}": label for name, label in VARIANTS.items()},
    }
    rows = [
        (
            classifier_label(c),
            tuple(Cell(means.loc[c, s], look_up(published(), "multiclass", c, s)) for s in labels),
        )
        for c in means.index
    ]
    title, columns = "MCC on the multiclass sets", ("Classifier", *labels.values())
    return Table("multiclass", title, columns, tuple(rows), _replaced(results.rows("multiclass")))


def _replaced(rows: pd.DataFrame) -> str:
    """Return a note on what took the place of what the plan names, and with which classifiers."""
    noted = rows.assign(used=rows["note"].fillna("").str.split("; ")).explode("used")
    noted = noted[noted["used"].str.startswith("as ")]
    n_classifiers, parts = rows["classifier"].nunique(), []
    groups = noted.groupby(["dataset", "used"], observed=True)["classifier"]
    for (where, what), names in groups:
        labels = ", ".join(classifier_label(c) for c in PAPER_CLASSIFIERS if c in set(names))
        place = where if names.nunique() == n_classifiers else f"{where} ({labels})"
        parts.append(f"{place}: {what}")
    return f"Exceptions: {'; '.join(sorted(parts))}." if parts else ""


def multiclass_win_loss(results: Results) -> Table:
    """Return wins and losses of tuned iCost against tuned CSL on the multiclass sets."""
    means, rows = tuned_means(results, "multiclass"), []
    for variant, label in VARIANTS.items():
        delta = 100 * (means[variant] - means["cs"])
        counts, paper = count_wins(delta, 0 * delta), published()["multiclass-win-loss"][variant]
        cells = [Cell(float(delta.mean()), paper["delta"])]
        cells += [Cell(counts[k], paper[k], 0) for k in ("wins", "losses", "ties")]
        rows.append((label, tuple(cells)))
    columns = ("Method", "Avg. ΔMCC", "iCost wins", "CSL wins", "Ties")
    title = "Tuned iCost against tuned CSL on the multiclass sets"
    return Table("multiclass-win-loss", title, columns, tuple(rows), TIE_NOTE)


def forests(results: Results) -> Table:
    """Return the MCC of RF by version of scikit-learn, as 1.9 changed what weights do to it."""
    paper, rows = published()["mcc"]["rf"], []
    for part in map(with_metrics, results.environments("default").values()):
        means = averages(dataset_means(part[part["classifier"] == "rf"]))
        if len(means):
            found = part.loc[part["classifier"] == "rf", "versions"].iloc[0]
            version = next(text for text in found.split(", ") if text.startswith("scikit-learn"))
            cells = (Cell(means.loc["rf", s], paper[s]) for s in PAPER_STRATEGIES)
            rows.append((version, tuple(cells)))
    columns = ("Version", *(STRATEGIES[s].label for s in PAPER_STRATEGIES))
    note = "Up to 1.8, weights entered the trees; from 1.9 on they drive the bootstrap draw."
    return Table("forests", "Average MCC (%) of RF", columns, tuple(rows), note)


def datasets(results: Results) -> Table:
    """Return the datasets beside the paper's numbers of samples, features and their ratios."""
    rows = []
    for record in read_registry():
        counts = record.published_counts
        ratio = max(counts.values()) / min(counts.values())
        # The paper's binary table counts the class as a feature, the multiclass one does not.
        d = record.d + (record.kind == "binary")
        cells = (
            Cell(sum(counts.values()), record.paper_n, 0),
            Cell(d, record.paper_d, 0),
            Cell(ratio, record.paper_ir),
            Cell(", ".join(str(n) for n in counts.values())),
        )
        rows.append((record.name, cells))
    note = "The variant 'published'. As in the paper, binary sets count the class as a feature."
    columns = ("Dataset", "Samples", "Features", "Imbalance ratio", "Samples per class")
    return Table("datasets", "The 65 binary and 10 multiclass sets", columns, tuple(rows), note)


TABLES: dict[str, tuple[str, Maker]] = {
    "datasets": ("", datasets),
    "mcc": ("default", _metric_table("mcc", "mcc", "Average MCC (%)")),
    "f1": ("default", _metric_table("f1", "f1", "Average F1 (%)")),
    **{
        metric.replace("_", "-"): (
            "default",
            _metric_table(metric.replace("_", "-"), metric, f"Average {metric} (%)"),
        )
        for metric in METRICS
        if metric not in ("mcc", "f1")
    },
    **{f"per-dataset-{m}": ("default", _per_dataset_table(m)) for m in METRICS},
    "win-loss": ("default", win_loss),
    "trade-off": ("default", trade_off),
    "stability": ("default", stability),
    "forests": ("default", forests),
    "tuning": ("tuning", tuning),
    "tuned-win-loss": ("tuning", tuned_win_loss),
    "neighbor-costs": ("tuning", _cost_table("neighbor")),
    "gini-costs": ("tuning", _cost_table("gini")),
    "resampling": ("resampling", resampling),
    "multiclass": ("multiclass", multiclass),
    "multiclass-win-loss": ("multiclass", multiclass_win_loss),
}
"""Tables by name: the study whose rows they need, and how to make them."""
