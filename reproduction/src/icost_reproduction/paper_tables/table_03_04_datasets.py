"""Tables 3 and 4 of the paper: the datasets."""

from __future__ import annotations

from icost.datasets import get_record, list_datasets
from icost_reproduction.evaluation import Results
from icost_reproduction.published_sets import read_published_sets
from icost_reproduction.tables import Cell, Table


def datasets(results: Results) -> Table:
    """Return the datasets beside the paper's numbers of samples, features and their ratios."""
    rows = []
    for record in map(get_record, list_datasets()):
        paper = read_published_sets()[record.name]
        counts = paper.class_counts
        ratio = max(counts.values()) / min(counts.values())
        # The paper's binary table counts the class as a feature, the multiclass one does not.
        d = paper.n_features + (record.collection == "binary")
        cells = (
            Cell(sum(counts.values()), paper.paper_n, 0),
            Cell(d, paper.paper_d, 0),
            Cell(ratio, paper.paper_ir),
            Cell(", ".join(str(n) for n in counts.values())),
        )
        rows.append((record.name, cells))
    note = "The variant 'published'. As in the paper, binary sets count the class as a feature."
    title = "Tables 3 and 4: The 65 binary and 10 multiclass sets"
    columns = ("Dataset", "Samples", "Features", "Imbalance ratio", "Samples per class")
    return Table("datasets", title, columns, tuple(rows), note)
