"""Model files: a skops archive with a record beside the model."""

from __future__ import annotations

import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from icost.files import write_whole
from icost.modelfile.saved_model import SavedModel
from icost.validation import import_extra

# The reviewed allow-list. skops itself trusts NumPy arrays and scikit-learn's public estimators.
# Each type below was looked at for what loading it does: icost's own types and the private ones of
# scikit-learn are rebuilt attribute by attribute; a Tree hands its arrays to its compiled
# __setstate__, which checks their shapes and types but not the node numbers inside. A booster hands
# the bytes of the file to its own native loader, written in C++: no Python code of the file runs,
# yet a bug in such a loader would be within reach of whoever made the file.
OWN_TYPES = (
    "icost.bootstrap.WeightedBootstrap",
    "icost.classifier.iCost",
    "icost.complexity.base.Complexity",
    "icost.complexity.gini.GiniComplexity",
    "icost.complexity.neighbor.NeighborComplexity",
)

SCIKIT_LEARN_TYPES = (
    "sklearn._loss.link.Interval",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.tree._tree.Tree",
)

NATIVE_LOADERS = (
    "catboost.core.CatBoostClassifier",
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
)
"""Types that are loaded by the C++ code of their own library."""

PLAIN_TYPES = ("collections.OrderedDict", "numpy.dtype")

ALLOWED_TYPES = frozenset((*OWN_TYPES, *SCIKIT_LEARN_TYPES, *NATIVE_LOADERS, *PLAIN_TYPES))
"""All types that load without being named by the user."""

RECORD_NAME = "icost.json"
"""The record's name in the archive; it can be read without loading anything."""

FORMAT = 1
"""Version of the layout of a model file."""


class ModelFileError(ValueError):
    """A file that is not a model that can be opened; the message says why."""


class UntrustedTypes(ModelFileError):
    """A model file with types outside the allow-list.

    Parameters
    ----------
    path : path
        The file.
    names : list of str
        The types.
    """

    def __init__(self, path: str | os.PathLike[str], names: list[str]) -> None:
        self.names = names
        listed = ", ".join(names)
        super().__init__(
            f"{os.fspath(path)} holds types that are not on the allow-list and was not opened: "
            f"{listed}; allow them by name only if you trust whoever made the file."
        )


def save_model(model: SavedModel, path: str | os.PathLike[str]) -> None:
    """Save a model with its record, as a whole or not at all.

    Parameters
    ----------
    model : SavedModel
        From `icost.modelfile.fit_model`.
    path : path
        The file; by custom it ends in ``.skops``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model, load_model, save_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = fit_model(X, y, n_splits=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder) / "glass.skops")
    ...     loaded = load_model(Path(folder) / "glass.skops")
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    skops = import_extra("skops.io", "models", "Saving a model")
    buffer = io.BytesIO(skops.dumps(model.estimator))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(RECORD_NAME, json.dumps({"format": FORMAT, **model.record}, indent=1))
    write_whole(path, buffer.getvalue())


def read_record(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the record of a model file; the model stays closed.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict
        Versions, columns, target, classes, costs and metrics.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model, read_record, save_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(fit_model(X, y, n_splits=2), Path(folder) / "glass.skops")
    ...     record = read_record(Path(folder) / "glass.skops")
    >>> record["target"], record["classes"]
    ('Class', ['negative', 'positive'])
    """
    path = Path(path)
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "does not exist"
        raise FileNotFoundError(f"The model file '{path}' {problem}.")
    if not path.stat().st_size:
        raise ModelFileError(f"{path}: the file is empty, it is not a model.")
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            record = json.loads(archive.read(RECORD_NAME)) if RECORD_NAME in names else None
            if archive.testzip() is not None:
                raise zipfile.BadZipFile
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError):
        raise ModelFileError(_not_a_model(path)) from None
    if not isinstance(record, dict) or "schema.json" not in names:
        raise ModelFileError(f"{path}: this archive is not a model that icost saved.")
    if record.get("format") != FORMAT:
        raise ModelFileError(
            f"{path}: this version opens model files of format {FORMAT}, got "
            f"{record.get('format')!r}."
        )
    return record


def _not_a_model(path: Path) -> str:
    with open(path, "rb") as stream:
        start = stream.read(2)
    # Protocols 2 and up begin with the opcode PROTO and their number.
    if start[:1] == b"\x80" and start[1:] <= b"\x05":
        return (
            f"{path}: this is a pickle, which can run any code when it is opened; icost opens "
            "skops files only."
        )
    return f"{path}: this is not a skops file, or only a part of one."


def load_model(path: str | os.PathLike[str], trust: Iterable[str] = ()) -> SavedModel:
    """Open a model file; types outside the allow-list are refused unless named.

    Parameters
    ----------
    path : path
        The file.
    trust : iterable of str, default=()
        Full names of further types to allow.

    Returns
    -------
    SavedModel
        The model and its record.

    Raises
    ------
    UntrustedTypes
        If the file holds other types; nothing of it was loaded then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from icost.datasets import load_dataset
    >>> from icost.modelfile import fit_model, load_model, save_model
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(fit_model(X, y, n_splits=2), Path(folder) / "glass.skops")
    ...     model = load_model(Path(folder) / "glass.skops")
    >>> model.predict(X).shape
    (214,)
    """
    record = read_record(path)
    skops = import_extra("skops.io", "models", "Opening a model")
    content = Path(path).read_bytes()
    try:
        found = skops.get_untrusted_types(data=content)
        refused = sorted(set(found) - ALLOWED_TYPES - set(trust))
        if refused:
            raise UntrustedTypes(path, refused)
        estimator = skops.loads(content, trusted=list(found))
    except ModelFileError:
        raise
    except ImportError as error:
        raise ModelFileError(f"{path}: opening it needs a package: {error}.") from error
    # A damaged archive can fail anywhere in skops, with any kind of exception.
    except Exception as error:
        raise ModelFileError(f"{path}: the model in this file is damaged ({error}).") from error
    return SavedModel(estimator, {k: v for k, v in record.items() if k != "format"})
