"""Models to keep: fitted with their preprocessing, saved in files that execute nothing.

- `fit_model`: a pipeline for a mixed table, and a record of how it was made;
- `choose_model`: the best model for the table, and a score to believe;
- `save_model`, `load_model`, `read_record`: skops files with a short list of allowed types;
- `check_table`: whether a table fits a model, and what does not.

Files need ``pip install "icost-learn[models]"``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from icost._core.validation import import_extra

if TYPE_CHECKING:
    from icost.modelfile._choosing import NothingBetterThanGuessing, choose_model
    from icost.modelfile._fitting import fit_model
    from icost.modelfile._saved_model import SavedModel
    from icost.modelfile._storage import (
        ModelFileError,
        UntrustedTypes,
        load_model,
        read_record,
        save_model,
    )
    from icost.modelfile._table_check import ColumnsDiffer, text_columns

_HOMES = {
    "choosing": ("NothingBetterThanGuessing", "choose_model"),
    "fitting": ("fit_model",),
    "saved_model": ("SavedModel",),
    "storage": ("ModelFileError", "UntrustedTypes", "load_model", "read_record", "save_model"),
    "table_check": ("ColumnsDiffer", "text_columns"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ColumnsDiffer",
    "ModelFileError",
    "NothingBetterThanGuessing",
    "SavedModel",
    "UntrustedTypes",
    "choose_model",
    "fit_model",
    "load_model",
    "read_record",
    "save_model",
    "text_columns",
]


def __getattr__(name: str) -> Any:
    # Loaded when used: whoever opens a model needs nothing of what fits one.
    if name in _HOME:
        if name in ("choose_model", "fit_model"):  # what they need names another extra
            import_extra("pandas", "models", f"icost.modelfile.{name}")
        return getattr(import_module(f"icost.modelfile._{_HOME[name]}"), name)
    raise AttributeError(f"module 'icost.modelfile' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
