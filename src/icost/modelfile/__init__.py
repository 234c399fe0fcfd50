"""Models to keep: fitted with their preprocessing, saved in files that execute nothing.

- `fit_model`: a pipeline for a mixed table, and a record of how it was made;
- `tune_model`: the same with costs that were searched for;
- `save_model`, `load_model`, `read_record`: skops files with a short list of allowed types;
- `check_table`: whether a table fits a model, and what does not.

Files need ``pip install "icost-learn[models]"``.
"""

from icost.modelfile.fitting import METHODS, SavedModel, fit_model
from icost.modelfile.storage import (
    ModelFileError,
    UntrustedTypes,
    load_model,
    read_record,
    save_model,
)
from icost.modelfile.tables import (
    ColumnsDiffer,
    check_table,
    text_columns,
    unseen_levels,
    version_differences,
)
from icost.modelfile.tuning import tune_model

__all__ = [
    "METHODS",
    "ColumnsDiffer",
    "ModelFileError",
    "SavedModel",
    "UntrustedTypes",
    "check_table",
    "fit_model",
    "load_model",
    "read_record",
    "save_model",
    "text_columns",
    "tune_model",
    "unseen_levels",
    "version_differences",
]
