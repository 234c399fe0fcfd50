"""Read a table from a file of any supported format, or from an open stream."""

from __future__ import annotations

import codecs
import io
import os
import re
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from icost._core.validation import check_choice, did_you_mean, import_extra, shorten
from icost.datasets._delimited_text import DelimitedText
from icost.datasets._formats import OLD_EXCEL, TargetError, Workbook, is_workbook, read_keel, unpack
from icost.datasets._text_columns import (
    DEFAULTS,
    MAX_UNPACKED,
    ColumnReader,
    RawTable,
    ReadOptions,
    TableError,
    refuse_repeated,
)

if TYPE_CHECKING:
    import pandas as pd

#: Format of a file, by how its name ends; of others, and of packed ones, the content tells.
SUFFIXES = {
    ".dat": "keel",
    ".arff": "arff",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xls": "excel",
    ".gz": "",
    ".zip": "",
}
# UTF-32 comes first: its mark for little endian begins with that of UTF-16.
_BOMS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

_PACKED = {b"\x1f\x8b": "an archive within an archive", b"PK\x03\x04": "a zip archive"}

DELIMITERS = ",;\t|"
"""What may part the cells of a text file without being named."""


def read_table(
    source: str | os.PathLike[str] | IO[Any],
    target: str | None = None,
    *,
    format: str | None = None,
    delimiter: str | None = None,
    drop_unlabelled: bool = False,
    max_unpacked: int = MAX_UNPACKED,
    missing: Collection[str] = (),
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | None = None,
) -> tuple[pd.DataFrame, pd.Series]:
    r"""Read features and class labels from a KEEL, ARFF, CSV, TSV, Parquet or Excel file.

    Whatever cannot be understood is refused with file and line, not guessed. Numbers become
    ``int64`` or ``float64`` columns and nominal values ``category`` columns; a missing value
    (``?``, a blank, or what pandas reads as missing, such as ``n/a``) becomes NaN. A CSV or TSV
    file needs a line of column names. A file may be packed by gzip, or alone in a zip archive; the
    first sheet of an Excel file is read (``pip install "icost-learn[excel]"``).

    Parameters
    ----------
    source : path or open stream
        A file, or a binary or text stream such as ``sys.stdin.buffer``.
    target : str, optional
        Name of the column that holds the class. By default the ``@output`` of a KEEL
        file, else the last column.
    format : {"keel", "arff", "csv", "tsv", "parquet", "excel"}, optional
        By default told from the file's name, or else from its content.
    delimiter : str, optional
        The character that parts the cells of a CSV file; a comma, semicolon, tab or pipe is found.
    drop_unlabelled : bool, default=False
        Whether rows without a class are left out, with a warning that counts them, or refused.
    max_unpacked : int, default=268435456
        Bytes that a packed file may have when unpacked.
    missing : collection of str
        What else stands for a missing cell, such as ``-`` or ``unknown``; nothing in Parquet files.
    decimal : {".", ","}, optional
        The decimal mark of columns whose cells do not show it, as ``1,362`` does not.
    thousands : str, optional
        What separates thousands in such columns: a comma, dot, apostrophe or space.
    sheet : str, optional
        The sheet of an Excel file; by default the first one, with a warning if others have cells.

    Returns
    -------
    X : pandas.DataFrame
        The features.
    y : pandas.Series
        The class labels, named after their column; text labels stay text.

    Raises
    ------
    TableError
        For a malformed file; one sentence that names the file and the line.

    See Also
    --------
    read_frame : All columns, for a table without a class.
    load_dataset : The same with facts about the table, and the paper's sets by name.

    Notes
    -----
    A column of a CSV or TSV file is numeric if every cell is a number or missing; where up to three
    words keep it from that, a warning names them with their first row. Commas in numbers are read
    by what the whole column shows: ``1,5`` and ``1.234,5`` have decimal commas, ``1,234,567`` and
    ``1,234.5`` have thousands. If both readings fit every cell, as for ``1,362`` beside ``12``, the
    file is refused unless ``decimal`` or ``thousands`` decides, and so is ``1.362`` beside ``12``
    where commas do not separate cells. A file without a byte-order mark is read as UTF-8, or as
    Windows text (cp1252) if it is not that, with a warning.

    Examples
    --------
    >>> import io
    >>> from icost.datasets import read_table
    >>> X, y = read_table(io.StringIO("size,sex,y\n1.5,M,0\n2.5,?,1\n"))
    >>> X["size"].tolist(), X["sex"].isna().tolist(), y.tolist()
    ([1.5, 2.5], [False, True], [0, 1])
    """
    options = ReadOptions(
        *(format, delimiter, sheet, max_unpacked),
        missing=missing,
        decimal=decimal,
        thousands=thousands,
    )
    table = read_file(source, options, has_target=True, target=target)
    return (table.labelled(target) if drop_unlabelled else table).split(target)


def read_frame(
    source: str | os.PathLike[str] | IO[Any],
    *,
    format: str | None = None,
    as_text: Collection[str] = (),
    delimiter: str | None = None,
    max_unpacked: int = MAX_UNPACKED,
    missing: Collection[str] = (),
    decimal: str | None = None,
    thousands: str | None = None,
    sheet: str | None = None,
) -> pd.DataFrame:
    r"""Read all columns of a file, for tables in which none holds the class.

    New rows to predict are such a table. Columns get their types as in :func:`read_table`, from
    the cells of this file alone: a column of codes in which only numbers occur today was perhaps
    text when a model was fitted. ``as_text`` is for that; `icost.modelfile.text_columns` tells
    which columns a saved model knows as text.

    Parameters
    ----------
    source, format
        As for :func:`read_table`.
    as_text : collection of str
        Columns of CSV and TSV files that hold text even where it looks like numbers, as the code
        ``01`` does. The other formats declare their types, so it does nothing there.
    delimiter, max_unpacked, missing, decimal, thousands, sheet
        As for :func:`read_table`.

    Returns
    -------
    pandas.DataFrame
        The table, in the order of the file.

    Raises
    ------
    TableError
        For a malformed file; one sentence that names the file and the line.

    See Also
    --------
    read_table : Features and labels apart.

    Examples
    --------
    A code keeps its leading zero only as text:

    >>> import io
    >>> from icost.datasets import read_frame
    >>> text = "postcode,size\n01067,1.5\n"
    >>> read_frame(io.StringIO(text))["postcode"].tolist()
    [1067]
    >>> read_frame(io.StringIO(text), as_text=["postcode"])["postcode"].tolist()
    ['01067']
    """
    options = ReadOptions(
        *(format, delimiter, sheet, max_unpacked, as_text, missing, decimal, thousands)
    )
    return read_file(source, options).frame


@dataclass(frozen=True, eq=False)
class FileTable:
    """All columns of a file, the place of each row for messages, and how numbers are written."""

    frame: pd.DataFrame
    label: str
    where: Callable[[int], str]
    output: str | None = None
    written: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def labelled(self, target: str | None) -> FileTable:
        """Leave out rows without a class, and say how many."""
        frame, column = self.frame, self._target(target)
        if column not in frame.columns or not frame[column].isna().any():
            return self
        gone = frame[column].isna()
        rows = "row without a class" if gone.sum() == 1 else "rows without a class"
        warnings.warn(
            f"{int(gone.sum()):,} {rows} ({column!r}) left out, the first at "
            f"{self.where(int(gone.argmax()))}; the others are numbered without.",
            UserWarning,
            stacklevel=3,
        )
        return replace(self, frame=frame[~gone].reset_index(drop=True))

    def split(self, target: str | None) -> tuple[pd.DataFrame, pd.Series]:
        """Return features and labels, or raise if there are none."""
        names, target = list(self.frame.columns), self._target(target)
        if target not in names:
            hint = did_you_mean(target, names) or f"its columns are {shorten(names)}."
            raise TargetError(f"{self.label} has no column {target!r}; {hint}")
        if len(names) < 2:
            needed = "expected a feature and a class column"
            raise TableError(f"{self.label}: {needed}, got only {target!r}.")
        y = self.frame[target]
        if y.isna().any():
            number = int(y.isna().sum())
            others = f" (and in {number - 1} more)" if number > 1 else ""
            raise TableError(
                f"{self.where(int(y.isna().argmax()))}: the class {target!r} is missing{others}; "
                "leave out rows without a class, or have them skipped (--drop-unlabelled)."
            )
        # Plain text labels serve every estimator; a category of labels does not.
        y = y.astype(object) if y.dtype == "category" else y
        return self.frame.drop(columns=target), y

    def _target(self, target: str | None) -> str:
        return target or self.output or str(self.frame.columns[-1])


def read_file(
    source: str | os.PathLike[str] | IO[Any],
    options: ReadOptions = DEFAULTS,
    *,
    has_target: bool = False,
    target: str | None = None,
) -> FileTable:
    """Read all columns of a file, with what `read_table` needs to split them."""
    label, content = _read_content(source)
    content, inside = unpack(content, label, options.max_unpacked)
    read = _find_reader(options, inside, content, label)
    if not content.strip():
        raise TableError(f"{label}: the file is empty.")
    table = read(content, label, options)
    if not isinstance(table, RawTable):
        return FileTable(table, label, lambda row: f"{label}, row {row + 1}")
    if has_target:
        options = replace(options, labels=target or table.target or table.attributes[-1].name)
    reader = ColumnReader(table, options)
    return FileTable(reader.frame(), label, table.where, table.target, reader.written)


def _find_reader(
    options: ReadOptions, inside: str, content: bytes | str, label: str
) -> Callable[..., Any]:
    """Return the function that reads such content, by name of the file within an archive."""
    delimiter, sheet = options.delimiter, options.sheet
    name = options.format or ("csv" if delimiter is not None else None)
    name = name or SUFFIXES.get(Path(inside).suffix.lower()) or _sniff_format(content, label)
    check_choice("format", name, _READERS)
    if delimiter is not None and name != "csv":
        raise ValueError(f"a delimiter is for CSV files, got one for the format {name!r}.")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ValueError(f"a delimiter must be one character, got {delimiter!r}.")
    if sheet is not None and name != "excel":
        raise ValueError(f"a sheet is for Excel files, got one for the format {name!r}.")
    return _READERS[name]


def _read_content(source: str | os.PathLike[str] | IO[Any]) -> tuple[str, bytes | str]:
    if not isinstance(source, str | os.PathLike):
        name = getattr(source, "name", None)
        return (name if isinstance(name, str) else "<stream>"), source.read()
    path = Path(source)
    # Not is_file(): a pipe, as a shell's process substitution makes it, is none.
    if path.is_dir() or not path.exists():
        problem = "is a folder" if path.is_dir() else "does not exist"
        raise FileNotFoundError(f"The file {str(path)!r} {problem}.")
    return str(path), path.read_bytes()


def _sniff_format(content: bytes | str, label: str) -> str:
    if isinstance(content, bytes) and content[:4] == b"PAR1":
        return "parquet"
    if is_workbook(content) or (isinstance(content, bytes) and content.startswith(OLD_EXCEL)):
        return "excel"
    lines = (line.strip() for line in decode(content, label, is_quiet=True).splitlines())
    first = next((line for line in lines if line and not line.startswith("%")), "")
    return "keel" if first.startswith("@") else "csv"


def decode(content: bytes | str, label: str, *, is_quiet: bool = False) -> str:
    """Decode a file: by its byte-order mark, as UTF-8, or else as Windows text, with a warning."""
    if isinstance(content, str):
        return content
    bom = next((bom for bom in _BOMS if content.startswith(bom)), None)
    packed = next((name for start, name in _PACKED.items() if content.startswith(start)), None)
    if packed:
        raise TableError(f"{label}: this is {packed}, not a text file; unpack or export it first.")
    if bom is None and b"\0" in content:
        raise TableError(f"{label}: this is not a text file.")
    try:
        return content.decode(_BOMS[bom] if bom else "utf-8")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        if bom:
            problem = f"this is not valid {_BOMS[bom]} text"
            raise TableError(f"{label}, line {line}: {problem}.") from None
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError:
            text = content.decode("latin-1")  # of which any byte is a letter
        if is_quiet:
            return text
        warnings.warn(
            f"{label}, line {line}: this is not UTF-8, and was read as Windows text (cp1252): "
            f"{_around(text, line)!r}; if letters look wrong, save the file as UTF-8.",
            UserWarning,
            stacklevel=2,
        )
        return text


def _around(text: str, line: int) -> str:
    """The first word of a line that has a letter beyond ASCII."""
    match = re.search(r"[^\s,;|\t\"]*[^\x00-\x7f][^\s,;|\t\"]*", text.split("\n")[line - 1])
    return match[0] if match else ""


def _read_keel(content: bytes | str, label: str, options: ReadOptions) -> RawTable:
    return read_keel(decode(content, label), label)


def _read_csv(content: bytes | str, label: str, options: ReadOptions) -> DelimitedText:
    text, delimiter = decode(content, label), options.delimiter
    # A spreadsheet may say in a line of its own what separates the cells.
    declared = re.match(r'"?sep=([^\r\n"])"?(?=\r?\n)', text, re.IGNORECASE)
    if declared:
        delimiter, text = delimiter or declared[1], text[declared.end() :]
    if delimiter is None:
        # A quoted name may hold any of them.
        header = re.sub('"[^"]*"', "", text.lstrip().partition("\n")[0])
        delimiter = max(DELIMITERS, key=header.count)
    return DelimitedText(text, label, delimiter)


def _read_tsv(content: bytes | str, label: str, options: ReadOptions) -> DelimitedText:
    return DelimitedText(decode(content, label), label, "\t")


def _read_excel(content: bytes | str, label: str, options: ReadOptions) -> Workbook:
    return Workbook.read(content, label, options.sheet)


def _read_parquet(content: bytes | str, label: str, options: ReadOptions) -> pd.DataFrame:
    pyarrow = import_extra("pyarrow", "data", "Reading a Parquet file")
    if isinstance(content, str):
        raise TableError(f"{label}: Parquet is not text; open the stream in binary mode.")
    try:
        table = import_module("pyarrow.parquet").ParquetFile(io.BytesIO(content)).read()
    except (OSError, ValueError, TypeError, KeyError, pyarrow.ArrowException):
        # A damaged file fails in the parser of its JSON metadata as well.
        raise TableError(f"{label}: this is not a readable Parquet file.") from None
    if not table.num_rows:
        raise TableError(f"{label}: there are no data rows.")
    refuse_repeated(table.column_names, label)
    fields = [column.with_type(_plain_type(column, label)) for column in table.schema]
    table = table.cast(pyarrow.schema(fields, metadata=table.schema.metadata))
    frame = table.to_pandas().reset_index(drop=True).rename(columns=str)
    plain = ["number", "bool", "category", "datetime", "datetimetz"]
    return frame.astype(dict.fromkeys(frame.select_dtypes(exclude=plain).columns, "category"))


def _plain_type(column: Any, label: str) -> Any:
    """Return numbers for decimals and times for days; refuse cells that hold several values."""
    import pyarrow

    types, given = pyarrow.types, column.type
    if types.is_nested(given):
        raise TableError(
            f"{label}: column {column.name!r} must hold one number, text or time per cell, got "
            f"{given}."
        )
    if types.is_decimal(given):
        # 18 digits fit into 64 bits.
        is_whole = given.scale == 0 and given.precision <= 18
        return pyarrow.int64() if is_whole else pyarrow.float64()
    if types.is_null(given):
        return pyarrow.float64()
    return pyarrow.timestamp("s") if types.is_date(given) else given


_READERS: dict[str, Callable[[bytes | str, str, ReadOptions], Any]] = {
    "keel": _read_keel,
    "arff": _read_keel,
    "csv": _read_csv,
    "tsv": _read_tsv,
    "parquet": _read_parquet,
    "excel": _read_excel,
}
