"""Model files: a skops archive with a record beside the model."""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sklearn.base import is_classifier

from icost._core.files import write_whole
from icost._core.validation import import_extra
from icost.complexity._base import home_of
from icost.complexity._methods import MEASURES
from icost.modelfile._saved_model import SavedModel

# The reviewed allow-list. skops itself trusts NumPy arrays and scikit-learn's public estimators.
# Each type below was looked at for what loading it does: icost's own types, the private ones of
# scikit-learn and those of imbalanced-learn are rebuilt attribute by attribute; a Tree hands its
# arrays to its compiled __setstate__, which checks their shapes and types but not the node numbers
# inside. A booster hands the bytes of the file to its own native loader, written in C++: no Python
# code of the file runs, yet a bug in such a loader would be within reach of whoever made the file.
MEASURE_TYPES = sorted({f"{home_of(measure)}.{measure}" for measure, _ in MEASURES.values()})
OWN_TYPES = (
    "icost._weights.bootstrap.WeightedBootstrap",
    "icost._weights.classifier.iCost",
    "icost.complexity._base.Complexity",
    *MEASURE_TYPES,
    "icost.ensemble._icost_ensemble.iCostEnsemble",
    "icost._pass.blend.Blend",
    "icost._pass.cross_fit.Member",
    "icost._pass.library.curved_columns",
    "icost._pass.quick_svm.QuickSVC",
    "icost._pass.verdict.Remark",
    "icost.ensemble._icost_auto.iCostAuto",
    "icost._table._columns.Column",
    "icost._table._columns.ColumnType",
    "icost._table._columns.TableTypes",
    "icost._table._encoder.TableEncoder",
    *(
        f"icost._table._parts.{name}"
        for name in ("LevelPart", "ManyPart", "NumberPart", "TextPart", "TimePart", "Topics")
    ),
    "icost._core.views.Scores",
    "icost.strategies._estimators.ResampledClassifier",
    "icost.strategies._estimators.RowCosts",
    "icost.thresholds._certificate.Certificate",
    "icost.thresholds._certificate.HeldOut",
    "icost.thresholds._certificate.Promise",
    "icost.thresholds._rules.Bound",
    "icost.thresholds._rules.Cut",
    "icost.thresholds._rules.LeastCost",
    "icost.thresholds._rules.Stable",
    "icost.thresholds._threshold_classifier.ThresholdClassifier",
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
    "sklearn.model_selection._split.RepeatedStratifiedKFold",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._kd_tree.KDTree",
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

IMBALANCED_LEARN_TYPES = (
    "imblearn.ensemble._easy_ensemble.EasyEnsembleClassifier",
    "imblearn.ensemble._forest.BalancedRandomForestClassifier",
    "imblearn.ensemble._weight_boosting.RUSBoostClassifier",
    "imblearn.pipeline.Pipeline",
    "imblearn.under_sampling._prototype_selection._random_under_sampler.RandomUnderSampler",
)
"""Its three ensembles, with what they keep of each member."""

SCIPY_TYPES = (
    "scipy._lib.array_api_compat.numpy._aliases.asarray",
    "scipy.interpolate._bsplines.BSpline",
)
"""Curves of columns, and the function that they keep to read their input."""

PLAIN_TYPES = ("collections.OrderedDict", "numpy.dtype")

ALLOWED_TYPES = frozenset(
    (
        *OWN_TYPES,
        *SCIKIT_LEARN_TYPES,
        *SCIPY_TYPES,
        *IMBALANCED_LEARN_TYPES,
        *NATIVE_LOADERS,
        *PLAIN_TYPES,
    )
)
"""All types that load without being named by the user."""

RECORD_NAME = "icost.json"
"""The record's name in the archive; it can be read without loading anything."""

LARGEST_TEXT = 2**28
"""Bytes that the record and the description of the model may have, once unpacked."""

_NUMBER, _LABEL = (int, float), (str, int, float)
_CUT = {"found": _NUMBER, "threshold": _NUMBER, "false_alarms": _NUMBER, "alerts": _NUMBER}
_COLUMN = {"name": (str, int), "kind": str}
_REQUIRED = {
    "classifier": str,
    "method": str,
    "calibrated": bool,
    "target": _LABEL,
    "classes": [_LABEL],
    "minority": (*_LABEL, None),
    "rows": int,
    "columns": [_COLUMN],
    "metrics": {str: _NUMBER},
    "metrics_from": str,
    "versions": {str: str},
}
_OPTIONAL = {
    "threshold": (*_NUMBER, None),
    "threshold_interval": ([_NUMBER], None),
    "metric_intervals": {str: ([_NUMBER], None)},
    "certificate": str,
    "cuts": [_CUT],
    "notes": [str],
    "selection": {str: object},
    "weighting": {str: object},
    "error_costs": [(str, *_NUMBER, None)],
}
"""What the values of a record are: types, ``[entries]``, ``{names: values}``, or one of several."""

_WITH_CERTIFICATE = ("threshold", "threshold_interval", "cuts")
"""Entries that every record with a certificate has."""

LARGE_FILE = 200 * 2**20
"""Bytes from which on a model file is warned about."""

SCHEMA_NAME = "schema.json"
"""The name of skops' description of the model in the archive."""

FORMAT = 1
"""Version of the layout of a model file."""


class ModelFileError(ValueError):
    """A file that is not a model that can be opened; the message says why.

    An empty or cut file, a pickle, another kind of archive, a format of a later version, or a model
    that needs a package that is not installed. It is a ValueError; a file that is not there is a
    FileNotFoundError.

    See Also
    --------
    load_model : Raises it.
    """


class UntrustedTypes(ModelFileError):
    """A model file with types outside the allow-list; nothing of it was loaded.

    Loading a type means running code that belongs to it. The types on the list were looked at for
    what that code does, others were not. Whoever trusts the maker of a file may name them, one by
    one, as ``trust`` of `load_model`.

    Parameters
    ----------
    path : path
        The file.
    names : list of str
        The types.

    Attributes
    ----------
    names : list of str
        The full names of the types, to look at and, perhaps, to allow.

    See Also
    --------
    load_model : Raises it.
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

    The file is a skops archive, a zip with a description of the estimator, its arrays and, as JSON,
    the record. Unlike a pickle, opening it runs no code of the file. If writing fails halfway, a
    file that was there before is still there.

    Parameters
    ----------
    model : SavedModel
        From `fit_model` or `choose_model`.
    path : path
        The file; by custom it ends in ``.skops``. One of this name is replaced.

    See Also
    --------
    load_model : The way back.
    read_record : The record alone.

    Notes
    -----
    It needs skops: ``pip install "icost-learn[models]"``. The training rows are not saved as such,
    but what a model keeps of them is: the support vectors of an SVM are rows of the table, and the
    record has the levels of text columns and the range of numbers. Think of that before giving a
    file away.

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
    >>> bool((loaded.predict(X) == model.predict(X)).all()), loaded.record == model.record
    (True, True)
    """
    if not isinstance(model, SavedModel):
        raise TypeError(
            f"model must be a SavedModel, as fit_model returns, got {type(model).__name__}; a "
            "bare estimator is saved by joblib.dump."
        )
    skops = import_extra("skops.io", "models", "Saving a model")
    # Fitted trees are mostly zeros and small numbers: packed, a file is a tenth of its size.
    buffer = io.BytesIO(skops.dumps(model.estimator, compression=zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(RECORD_NAME, json.dumps({"format": FORMAT, **model.record}, indent=1))
    if buffer.getbuffer().nbytes > LARGE_FILE:
        size = buffer.getbuffer().nbytes / 2**20
        warnings.warn(
            f"the model file has {size:.0f} MB: an ensemble keeps all of its members, so take "
            "refit=True, fewer of them, or smaller ones.",
            UserWarning,
            stacklevel=2,
        )
    write_whole(path, buffer.getvalue())


def read_record(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the record of a model file; the model stays closed.

    What is this file, who are its classes, which columns does it want, how good was it? The answers
    are in plain JSON beside the model. Nothing is loaded for them, skops is not needed, and the
    file may hold types that `load_model` would refuse.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    dict
        Versions, columns, target, classes, costs and metrics, as in ``SavedModel.record``, and
        ``format``, the version of the file's layout.

    Raises
    ------
    ModelFileError
        If it is no model file, or damaged: all parts of the archive are checked.
    FileNotFoundError
        If it is not there.

    See Also
    --------
    load_model : The model as well.
    version_differences : Which packages have changed since.
    text_columns : Which columns to read as text.

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
    >>> record["target"], record["classes"], record["columns"][0]["name"]
    ('Class', ['negative', 'positive'], 'RI')
    """
    path = Path(path)
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "does not exist"
        raise FileNotFoundError(f"The model file '{path}' {problem}.")
    if not path.stat().st_size:
        raise ModelFileError(f"{path}: the file is empty, it is not a model.")
    try:
        names, record = _read_archive(path)
    except ModelFileError:
        raise
    # Archives of other programs may be encrypted or packed by a method that Python lacks.
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, RuntimeError):
        raise ModelFileError(_not_a_model(path)) from None
    if not isinstance(record, dict) or SCHEMA_NAME not in names:
        raise ModelFileError(f"{path}: this archive is not a model that icost saved.")
    if record.get("format") != FORMAT:
        raise ModelFileError(
            f"{path}: this version opens model files of format {FORMAT}, got "
            f"{record.get('format')!r}."
        )
    damaged = _wrong_entries(record)
    if damaged:
        raise ModelFileError(
            f"{path}: the record in this file is damaged: {damaged[0]!r} is missing or is not what "
            "icost saves."
        )
    return record


def _read_archive(path: Path) -> tuple[list[str], Any]:
    """Return the names of an archive's parts and its record; raise if a part is damaged."""
    with zipfile.ZipFile(path) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
        for name in (RECORD_NAME, SCHEMA_NAME):
            if sizes.get(name, 0) > LARGEST_TEXT:
                raise ModelFileError(
                    f"{path}: {name} in this file must have at most {LARGEST_TEXT / 2**20:.0f} MB, "
                    f"got {sizes[name] / 2**20:,.0f} MB: this is not a model that icost saved."
                )
        record = json.loads(archive.read(RECORD_NAME)) if RECORD_NAME in sizes else None
        if archive.testzip() is not None:
            raise zipfile.BadZipFile
    return list(sizes), record


def _wrong_entries(record: dict[str, Any]) -> list[str]:
    """Return the names of a record's entries that are missing or cannot be used."""
    required = [*_REQUIRED, *(_WITH_CERTIFICATE if "certificate" in record else ())]
    missing = [name for name in required if name not in record]
    shapes = {**_REQUIRED, **_OPTIONAL}
    unusable = [name for name in shapes if name in record and not _fits(record[name], shapes[name])]
    empty = [name for name in ("classes", "columns") if name in record and not record[name]]
    return [*missing, *unusable, *empty]


def _fits(value: Any, shape: Any) -> bool:
    """Whether a value of a record has a shape, as `_REQUIRED` and `_OPTIONAL` list them."""
    if isinstance(shape, tuple):
        return any(_fits(value, one) for one in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(entry, shape[0]) for entry in value)
    if isinstance(shape, dict):
        return isinstance(value, dict) and _entries_fit(value, shape)
    return value is None if shape is None else isinstance(value, shape)


def _entries_fit(entries: dict[str, Any], shape: dict[Any, Any]) -> bool:
    """Whether entries of any names have one shape, or those that the shape names have theirs."""
    if str in shape:
        return all(_fits(value, shape[str]) for value in entries.values())
    return all(_fits(entries.get(name), one) for name, one in shape.items())


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
    ModelFileError
        If it is no model file, is damaged, or needs a package that is not installed.
    FileNotFoundError
        If it is not there.

    See Also
    --------
    save_model : Makes the file.
    read_record : The record of the file; look at it first.
    check_table : Whether a table fits the model.

    Notes
    -----
    Allowed are NumPy's arrays and scikit-learn's public estimators, which skops trusts, and a short
    list in ``icost.modelfile._storage.ALLOWED_TYPES``: icost's own types, a few private ones of
    scikit-learn, three ensembles of imbalanced-learn, and the boosters. These are not all the same.
    A booster, and in part a tree, is read by compiled code of its library: no Python code of the
    file runs, but a bug there is within reach of whoever made the file. Open files of strangers
    only where that would do no harm.

    A file that opens need not predict what it did: versions of scikit-learn change their insides.
    See `version_differences`.

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
    >>> model.record["method"], model.record["calibrated"]
    ('neighbor', False)
    """
    record = read_record(path)
    skops = import_extra("skops.io", "models", "Opening a model")
    try:
        content = Path(path).read_bytes()
        allowed = ALLOWED_TYPES | set(trust)
        try:
            # Types are checked before anything is built; to list them first takes twice as long.
            estimator = skops.loads(content, trusted=sorted(allowed))
        except TypeError:
            refused = sorted(set(skops.get_untrusted_types(data=content)) - allowed)
            if refused:
                raise UntrustedTypes(path, refused) from None
            raise
    except ModelFileError:
        raise
    except ImportError as error:
        raise ModelFileError(f"{path}: opening it needs a package: {error}.") from error
    # A damaged archive can fail anywhere in skops, with any kind of exception.
    except Exception as error:
        raise ModelFileError(f"{path}: the model in this file is damaged ({error}).") from error
    _check_estimator(path, estimator, record)
    return SavedModel(estimator, {k: v for k, v in record.items() if k != "format"})


def _check_estimator(path: str | os.PathLike[str], estimator: Any, record: dict[str, Any]) -> None:
    """Raise unless a file has a classifier with the classes of its record."""
    if isinstance(estimator, type) or not _is_classifier(estimator):
        type_name = getattr(estimator, "__name__", type(estimator).__name__)
        raise ModelFileError(f"{path}: the file must hold a classifier, got {type_name}.")
    n_classes = len(getattr(estimator, "classes_", record["classes"]))
    if n_classes != len(record["classes"]):
        raise ModelFileError(
            f"{path}: the record in this file is damaged: it names {len(record['classes'])} "
            f"classes, and the model has {n_classes}."
        )


def _is_classifier(estimator: Any) -> bool:
    try:
        return hasattr(estimator, "predict") and is_classifier(estimator)
    # A pipeline of nothing, for instance, does not know what it is.
    except Exception:
        return False
