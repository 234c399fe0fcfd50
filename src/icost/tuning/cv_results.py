"""The results of a search, in the form that `GridSearchCV` gave them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata

from icost.tuning.folds import SearchTable


def cross_validation_results(table: SearchTable) -> dict[str, Any]:
    """Return the table as ``cv_results_``.

    Parameters
    ----------
    table : SearchTable
        Scores of candidates on folds.

    Returns
    -------
    dict
        One entry per candidate under each key.

    Examples
    --------
    >>> from icost.tuning.folds import SearchTable
    >>> from icost.tuning.cv_results import cross_validation_results
    >>> table = SearchTable(n_folds=2)
    >>> rows = table.add([{"cfb": 1.0}, {"cfb": 1.5}])
    >>> for name in table.columns:
    ...     table.columns[name][:] = [[0.5, 0.6], [0.7, 0.8]]
    >>> cross_validation_results(table)["rank_test_score"]
    array([2, 1], dtype=int32)
    """
    results: dict[str, Any] = {}
    for name in ("fit_time", "score_time"):
        results[f"mean_{name}"], results[f"std_{name}"] = table.mean(name), table.std(name)
    results |= _parameters(table.candidates)
    results["params"] = table.candidates
    for fold, values in enumerate(table.columns["score"].T):
        results[f"split{fold}_test_score"] = values
    results["mean_test_score"], results["std_test_score"] = table.mean("score"), table.std("score")
    results["rank_test_score"] = _ranks(table)
    results["mean_test_f1"], results["mean_test_g_mean"] = table.mean("f1"), table.mean("g_mean")
    results["n_folds"] = table.n_evaluated
    return results


def _parameters(candidates: list[dict[str, Any]]) -> dict[str, Any]:
    """Each parameter's values, masked where a candidate has none."""
    names = sorted({name for candidate in candidates for name in candidate})
    columns = {}
    for name in names:
        column = np.ma.MaskedArray(np.empty(len(candidates)), mask=True, dtype=object)
        for row, candidate in enumerate(candidates):
            if name in candidate:
                column[row] = candidate[name]
        columns[f"param_{name}"] = column
    return columns


def _ranks(table: SearchTable) -> Any:
    """Ranks from 1; a candidate that was dropped earlier ranks behind all that were not."""
    scores = np.nan_to_num(table.mean("score"), nan=-np.inf)
    within = rankdata(-scores, method="dense")
    return rankdata(within - table.n_evaluated * (len(scores) + 1.0), method="min").astype(np.int32)
