"""Tables on the measures: which of them carries information, and how much."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from icost_reproduction._internals import MEASURE_LABELS
from icost_reproduction.evaluation import Results, count_wins, dataset_means
from icost_reproduction.paper_tables import classifier_label, paper_order
from icost_reproduction.rank_tests import mean_interval, source_of, wilcoxon_holm
from icost_reproduction.strategies import SCALES, STRATEGIES
from icost_reproduction.tables import Cell, Table

PRIMARY = tuple((f"{measure}-both-1", "cs") for measure in MEASURE_LABELS)
"""The comparisons registered as primary: plausible two-sided weights beside uniform ones."""

EXPLORATORY = tuple(
    (f"{measure}-{weighting}-{scale:g}", "cs" if scale == 1 else f"cs-{scale:g}")
    for measure in MEASURE_LABELS
    for weighting in ("both", "plausible")
    for scale in SCALES
    if (weighting, scale) != ("both", 1.0)
) + tuple((measure, f"{measure}-mean") for measure in MEASURE_LABELS)
"""All others, each with the control that has the same total weight."""

WAYS = tuple(
    (f"{method}-{decomposition}", method)
    for decomposition in ("ovo", "direct")
    for method in ("cs", *MEASURE_LABELS)
)
OFFSETS = (("offsets", "ncs"), ("offsets-cs", "cs"), ("offsets-neighbor", "neighbor"))
"""What each way to learn several classes, and offsets, are measured against."""

SEVERAL = (
    *(
        (f"{measure}{decomposition}", f"cs{decomposition}")
        for measure in MEASURE_LABELS
        for decomposition in ("", "-ovo", "-direct")
    ),
    ("offsets-neighbor", "offsets-cs"),
    ("offsets", "cs"),
)
"""Instance weights of several classes beside class-level ones, and offsets in place of weights."""

_NOTE = (
    "Mean difference of MCC over datasets, in percentage points, with 95 % bootstrap intervals "
    "that draw {drawn}{counts}. Both have the same total weight in each class, so that a "
    "difference is due to which rows get which weight."
)


def primary(results: Results, by_source: bool = False) -> Table:
    """Return what plausible two-sided weights gain over uniform ones, the registered question."""
    gains = _gains(results, "measures", PRIMARY)
    p_values = _holm(gains)
    rows = []
    for one, other in PRIMARY:
        label = MEASURE_LABELS[one.partition("-")[0]]
        of_pair = [(key, gain) for key, gain in gains.items() if key[:2] == (one, other)]
        cells = tuple(_cell(gain, by_source, p_values[key]) for key, gain in of_pair)
        rows.append((label, cells))
    note = _note(by_source) + (
        f" p: signed ranks, corrected by Holm over all {len(gains)} comparisons of this table, "
        "which was registered before it was run."
    )
    name = "measures-by-source" if by_source else "measures"
    title = "Which measure carries information: plausible weights of both classes, beside uniform"
    return Table(name, title, ("Measure", *_labels(results, "measures")), tuple(rows), note)


def exploratory(results: Results, by_source: bool = False) -> Table:
    """Return the gains of all other forms over their controls, which nothing was registered on."""
    gains = _gains(results, "measures", EXPLORATORY)
    rows = _rows(gains, EXPLORATORY, by_source)
    note = _note(by_source) + " Exploratory: nothing is corrected for their number."
    name = "measures-all-by-source" if by_source else "measures-all"
    title = "All other forms of weights, each beside its control"
    return Table(name, title, ("Gain", *_labels(results, "measures")), rows, note)


def beside_threshold(results: Results) -> Table:
    """Return what plausible weights gain over a plain classifier with a tuned threshold.

    Thresholds are those of the study ``honest``, which has the folds of the first repeat only.
    """
    rows, honest_rows = results.rows("measures"), results.rows("honest")
    means = 100 * dataset_means(rows[rows["repeat"] == 0])
    threshold = 100 * dataset_means(honest_rows[honest_rows["repeat"] == 0])["threshold"]
    classifiers = paper_order(means.index)
    table_rows = tuple(
        (
            STRATEGIES[name].label,
            tuple(_cell((means.loc[c, name] - threshold[c]).dropna(), False) for c in classifiers),
        )
        for name in (
            f"{m}-{weighting}-1" for m in MEASURE_LABELS for weighting in ("both", "plausible")
        )
    )
    note = (
        "Mean difference of MCC over datasets, in percentage points, with 95 % bootstrap intervals "
        "that draw sets; wins, losses and ties, on the folds of the first repeat. Exploratory: "
        "nothing is corrected for their number."
    )
    title = "Plausible weights beside a plain classifier with a tuned threshold"
    columns = ("Gain over the tuned threshold", *map(classifier_label, classifiers))
    return Table("measures-threshold", title, columns, table_rows, note)


def levels(results: Results) -> Table:
    """Return the mean MCC of all strategies of the study."""
    return _levels(results, "measures", "measures-mcc", "All measures and controls: MCC (%)")


def several_levels(results: Results) -> Table:
    """Return the mean MCC of all ways to learn several classes."""
    title = "Several classes: MCC (%)"
    return _levels(results, "multiclass-honest", "multiclass-ways", title)


def several_gains(results: Results) -> Table:
    """Return what pairs and one fit gain over one class against the rest, and what offsets do."""
    note = (
        "The first rows are over one classifier per class against the rest, the last over the same "
        "without offsets."
    )
    title = "Several classes: what other ways gain"
    return _several(results, (*WAYS, *OFFSETS), "multiclass-gains", title, note)


def several_measures(results: Results) -> Table:
    """Return what each measure gains over class-level costs, whichever way classes are learned."""
    note = (
        "Default costs, whose total is not that of class-level ones: a gain may be due to smaller "
        "weights as well as to which rows have them."
    )
    title = "Several classes: what instance weights gain over class-level costs"
    return _several(results, SEVERAL, "multiclass-measures", title, note)


def _several(
    results: Results, pairs: tuple[tuple[str, str], ...], name: str, title: str, about: str
) -> Table:
    """A table of the study of several classes, of those comparisons that it has rows of."""
    study = "multiclass-honest"
    means = results.means(study)
    pairs = tuple(pair for pair in pairs if pair[0] in means)
    n_sets = means.index.get_level_values(1).nunique()
    note = (
        "Mean difference of MCC over datasets, in percentage points, with 95 % bootstrap intervals "
        f"over datasets; wins, losses and ties. {about} There are {n_sets} sets, each from another "
        "family, and nothing is corrected for the number of comparisons."
    )
    rows = _rows(_gains(results, study, pairs), pairs, by_source=False)
    return Table(name, title, ("Gain", *_labels(results, study)), rows, note)


def _levels(results: Results, study: str, name: str, title: str) -> Table:
    means = 100 * results.means(study)
    classifiers = paper_order(means.index)
    rows = tuple(
        (STRATEGIES[s].label, tuple(Cell(float(means.loc[c, s].mean())) for c in classifiers))
        for s in STRATEGIES
        if s in means
    )
    columns = ("Strategy", *map(classifier_label, classifiers))
    return Table(name, title, columns, rows, "Mean over datasets.")


Gains = dict[tuple[str, str, str], pd.Series]
"""Differences per dataset, by strategy, control and classifier."""


def _gains(results: Results, study: str, pairs: tuple[tuple[str, str], ...]) -> Gains:
    means = 100 * results.means(study)
    return {
        (one, other, c): (means.loc[c, one] - means.loc[c, other]).dropna()
        for one, other in pairs
        for c in paper_order(means.index)
    }


def _labels(results: Results, study: str) -> list[str]:
    return [classifier_label(c) for c in paper_order(results.means(study).index)]


def _rows(
    gains: Gains, pairs: tuple[tuple[str, str], ...], by_source: bool
) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    return tuple(
        (
            f"{STRATEGIES[one].label} over {STRATEGIES[other].label}",
            tuple(_cell(g, by_source) for key, g in gains.items() if key[:2] == (one, other)),
        )
        for one, other in pairs
    )


def _cell(gain: pd.Series, by_source: bool, p_value: float | None = None) -> Cell:
    groups = [source_of(name) for name in gain.index] if by_source else None
    mean, low, high = mean_interval(gain, groups=groups)
    text = f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]"
    if not by_source:
        counts = count_wins(gain, 0 * gain)
        text += ", " + "–".join(str(counts[k]) for k in ("wins", "losses", "ties"))
    return Cell(text if p_value is None else f"{text}, p {p_value:.3g}")


def _holm(gains: Gains) -> dict[tuple[str, str, str], float]:
    """p-values of all comparisons, each against no difference at all."""
    frame = pd.DataFrame({" ".join(key): gain for key, gain in gains.items()})
    frame["nothing"] = 0.0
    table = wilcoxon_holm(frame.dropna(), [(" ".join(key), "nothing") for key in gains])
    return {key: float(table.loc[" ".join(key), "nothing"]) for key in gains}


def _note(by_source: bool) -> str:
    drawn = "whole families of sets" if by_source else "sets"
    return _NOTE.format(drawn=drawn, counts="" if by_source else "; wins, losses and ties")


MEASURE_TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    "measures": ("measures", primary),
    "measures-by-source": ("measures", partial(primary, by_source=True)),
    "measures-all": ("measures", exploratory),
    "measures-all-by-source": ("measures", partial(exploratory, by_source=True)),
    "measures-threshold": ("measures", beside_threshold),
    "measures-mcc": ("measures", levels),
    "multiclass-ways": ("multiclass-honest", several_levels),
    "multiclass-measures": ("multiclass-honest", several_measures),
    "multiclass-gains": ("multiclass-honest", several_gains),
}
"""Tables by name: the study whose rows they need, and how to make them."""
