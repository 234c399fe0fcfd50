"""Table 15 of the paper: resampling, and tuned iCost."""

from __future__ import annotations

import pandas as pd

from icost_reproduction._internals import RESAMPLER_LABELS
from icost_reproduction.evaluation import Results
from icost_reproduction.paper_tables.cells import (
    VARIANTS,
    averages,
    classifier_label,
    rows_beside_paper,
    tuned_means,
)
from icost_reproduction.tables import Table


def resampling(results: Results) -> Table:
    """Return the MCC of the resamplers beside tuned iCost."""
    means = averages(results.means("resampling")).T
    if not results.rows("tuning").empty:
        tuned = averages(tuned_means(results)).T.rename(index=lambda name: f"grid-{name}")
        means = pd.concat([means, tuned])
    labels = {"ncs": "no sampler", **RESAMPLER_LABELS}
    labels |= {f"grid-{name}": f"{label}, tuned" for name, label in VARIANTS.items()}
    means = means.loc[[name for name in labels if name in means.index]]
    rows = rows_beside_paper("resampling", means, labels.__getitem__)
    columns = ("Method", *(classifier_label(c) for c in means))
    note = "As in the paper, tuned iCost stands beside samplers with default settings."
    return Table(
        "resampling", "Table 15: MCC of resampling and of tuned iCost", columns, rows, note
    )
