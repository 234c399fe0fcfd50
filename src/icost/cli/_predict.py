"""``icost predict``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from icost.cli._chunks import read_chunks
from icost.cli._options import (
    GroupedCommand,
    OutputFile,
    check_outputs,
    data_argument,
    format_option,
    quiet_option,
    reading_options,
    sep_option,
)
from icost.cli._printer import Printer
from icost.cli._user_table import column_named

if TYPE_CHECKING:
    import pandas as pd

    from icost.modelfile import SavedModel


@dataclass(frozen=True)
class Wanted:
    """What the file of predictions is to have."""

    proba: bool = False
    keep: tuple[str, ...] = ()
    only_alerts: bool = False
    top: int | None = None
    threshold: float | None = None
    spreadsheet_safe: bool = False

    @property
    def needs_proba(self) -> bool:
        """Whether probabilities are needed."""
        return self.proba or self.top is not None or self.threshold is not None

    @property
    def is_selection(self) -> bool:
        """Whether only some rows are wanted."""
        return self.only_alerts or self.top is not None

    def check(self, model: SavedModel) -> None:
        """Refuse what means nothing for several classes."""
        options = {
            "--only-alerts": self.only_alerts,
            "--top": self.top is not None,
            "--threshold": self.threshold is not None,
        }
        named = [name for name, is_typed in options.items() if is_typed]
        if named and model.record["minority"] is None:
            raise click.UsageError(f"{named[0]} needs two classes, got {len(model.classes)}.")


@dataclass
class Seen:
    """What was noticed in the rows so far."""

    levels: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    n_rows: int = 0
    n_unlikely: int = 0
    has_labels: bool = False


@click.command("predict", cls=GroupedCommand)
@click.argument("model", type=click.Path())
@data_argument
@click.option(
    "--output",
    "-o",
    type=OutputFile(allow_dash=True),
    metavar="FILE",
    help="CSV file, or a Parquet file if it ends in .parquet. [default: print]",
)
@click.option("--proba", is_flag=True, help="Add a column of probabilities for each class.")
@click.option("--keep", multiple=True, metavar="COL", help="Column of DATA to keep; repeatable.")
@click.option("--only-alerts", is_flag=True, help="Only rows predicted as the minority.")
@click.option(
    "--top",
    "n_top",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the N rows most likely of the minority, the likeliest first.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    help="Probability from which on a row is predicted as the minority. [default: the model's]",
)
@click.option("--trust", multiple=True, metavar="TYPE", help="Type to allow by name; repeatable.")
@click.option(
    "--spreadsheet-safe",
    is_flag=True,
    help="Put an apostrophe before labels that a spreadsheet would run, such as =1+1.",
)
@format_option
@sep_option
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print the predictions as JSON.")
@quiet_option
def predict_command(
    model: str,
    data: str,
    output: str | None,
    n_top: int | None,
    trust: tuple[str, ...],
    sep: str | None,
    file_format: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Predict the classes of DATA with a saved MODEL, one line per row.

    Large CSV, TSV and Parquet files are read in pieces. Where only some rows are wanted, a column
    says which they are.

    Example: icost predict patients.skops new.csv --proba -o predicted.csv
    """
    from icost.modelfile import load_model
    from icost.modelfile._table_check import version_differences

    output = None if output == "-" else output
    check_outputs([output], [model, data])
    if quiet and not output and not as_json:
        raise click.UsageError("--quiet leaves nothing to see without --output or --json.")
    printer, wanted, seen = Printer(as_json, quiet), Wanted(top=n_top, **options), Seen()
    with printer.steps("opening the model") as step:
        loaded = load_model(model, trust)
        wanted.check(loaded)
        for difference in version_differences(loaded.record):
            printer.note(f"warning: the model was made with {difference}.")
        if wanted.proba:
            _note_calibration(printer, loaded.record)
        step("predicting")
        others = _other_columns(loaded, wanted)
        tables = read_chunks(data, loaded.record, file_format, sep, others)
        chunks = _predictions(loaded, tables, wanted, seen, bool(trust))
        n_rows = _write(chunks, output, printer)
    _note_rows(printer, loaded, seen, f"icost evaluate {model} {data}")
    if output:
        printer.say(f"{n_rows:,} predictions saved to {output}.")


def _other_columns(model: SavedModel, wanted: Wanted) -> list[str]:
    """Return columns to keep as they are written: those that the model does not use."""
    used = {column["name"] for column in model.record["columns"]}
    return [name for name in wanted.keep if name not in used]


def _predictions(
    model: SavedModel, tables: Iterable[pd.DataFrame], wanted: Wanted, seen: Seen, trusts: bool
) -> Iterator[pd.DataFrame]:
    """Yield the predictions of each piece of a table; of the top rows all at once."""
    from icost.modelfile._table_check import unseen_levels

    best = None
    for table in tables:
        for name, levels in unseen_levels(table, model.record).items():
            seen.levels[name].update(levels)
        seen.has_labels = model.record["target"] in table.columns
        frame = _predicted(model, table, wanted, seen, trusts)
        seen.n_rows += len(table)
        if wanted.top is None:
            yield frame
        else:
            best = _best_rows(frame, best, wanted.top)
    if best is not None:
        yield best.drop(columns=RANK)


RANK = "\0rank"
"""Column of what rows are ranked by; no file has such a name."""


def _best_rows(frame: pd.DataFrame, best: pd.DataFrame | None, n_rows: int) -> pd.DataFrame:
    """Return the likeliest rows of those so far and a piece."""
    import pandas as pd

    both = frame if best is None else pd.concat([best, frame], ignore_index=True)
    return both.sort_values(RANK, ascending=False, kind="stable").head(n_rows)


def _predicted(
    model: SavedModel, table: pd.DataFrame, wanted: Wanted, seen: Seen, trusts: bool
) -> pd.DataFrame:
    """Predict; a type that the user allowed need not be a classifier."""
    try:
        return _predicted_frame(model, table, wanted, seen)
    except (AttributeError, TypeError) as error:
        if not trusts:
            raise
        raise ValueError(f"the model cannot predict with what --trust allowed: {error}.") from None


def _predicted_frame(
    model: SavedModel, table: pd.DataFrame, wanted: Wanted, seen: Seen
) -> pd.DataFrame:
    """Return the columns and rows that are wanted of a piece."""
    import numpy as np
    import pandas as pd

    shares: Any = model.predict_proba(table) if wanted.needs_proba else None
    predicted = _decisions(model, table, shares, wanted.threshold)
    columns: dict[str, Any] = {}
    if wanted.is_selection:
        columns["row"] = np.arange(seen.n_rows + 1, seen.n_rows + len(table) + 1)
    columns |= {name: column_named(table, name, "keep").to_numpy() for name in wanted.keep}
    columns |= {"prediction": predicted}
    if wanted.proba:
        columns |= dict(zip(_probability_names(model.classes), shares.T, strict=True))
        seen.n_unlikely += _count_unlikely(model, predicted, shares)
    if wanted.top is not None:
        columns[RANK] = shares[:, model.classes.index(model.record["minority"])]
    frame = pd.DataFrame(columns)
    frame = frame[frame["prediction"] == model.record["minority"]] if wanted.only_alerts else frame
    return _safe(frame) if wanted.spreadsheet_safe else frame


def _count_unlikely(model: SavedModel, predicted: Any, shares: Any) -> int:
    """Return in how many rows the class predicted is not the most probable; 0 if calibrated."""
    import numpy as np

    if model.record["calibrated"]:
        return 0
    return int((np.asarray(model.classes)[np.argmax(shares, axis=1)] != predicted).sum())


def _decisions(model: SavedModel, table: pd.DataFrame, shares: Any, threshold: float | None) -> Any:
    """Return the model's decisions, or those by another threshold."""
    import numpy as np

    if threshold is None:
        return model.predict(table)
    minority = model.classes.index(model.record["minority"])
    codes = np.where(shares[:, minority] >= threshold, minority, 1 - minority)
    return np.asarray(model.classes)[codes]


def _probability_names(classes: list[Any]) -> list[str]:
    names = ["_".join(f"probability_{label}".split(" ")) for label in classes]
    if len(set(names)) < len(names):  # labels such as 'very ill' and 'very_ill'
        return [f"probability_{label}" for label in classes]
    return names


def _note_rows(printer: Printer, model: SavedModel, seen: Seen, evaluating: str) -> None:
    """Say what was noticed in the rows: new levels, decisions that may surprise, and labels."""
    for name, levels in seen.levels.items():
        more = f" and {len(levels) - 3} more" if len(levels) > 3 else ""
        shown = ", ".join(repr(level) for level in sorted(levels)[:3])
        printer.note(f"warning: the model has never seen {shown}{more} in column {name!r}.")
    if seen.n_unlikely:
        printer.note(
            f"in {seen.n_unlikely:,} of {seen.n_rows:,} rows the class predicted is not the most "
            "probable one: the model decides by a border of its own."
        )
    if seen.has_labels:
        printer.note(
            f"column {model.record['target']!r} has labels, which are not used: {evaluating} "
            "compares them with the predictions."
        )


def _note_calibration(printer: Printer, record: dict[str, Any]) -> None:
    """Say whether probabilities are shares: those of weighted or resampled rows are not."""
    from icost.modelfile._saved_model import decision_text
    from icost.strategies import get_strategy

    method = record["method"]
    if record["calibrated"]:
        printer.note(f"the probabilities are calibrated, {decision_text(record)}.")
    elif method != "ncs" and get_strategy(method).group in ("weighting", "resampling"):
        printer.note(
            f"the probabilities are not calibrated: strategy {method!r} shifts them towards rare "
            "classes, so that they rank rows but are no shares (see icost fit --calibrate)."
        )


def harmless(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    is_formula = isinstance(value, str) and value.lstrip().startswith(("=", "+", "-", "@"))
    if is_formula or (isinstance(value, str) and value.startswith(("\t", "\r", "\n"))):
        return f"'{value}"
    return value


def _safe(frame: pd.DataFrame) -> pd.DataFrame:
    """Return predictions of which a spreadsheet runs nothing."""
    import pandas as pd

    return pd.DataFrame(
        {
            name if name == RANK else str(harmless(name)): [harmless(cell) for cell in frame[name]]
            for name in frame.columns
        }
    )


def _write(chunks: Iterator[pd.DataFrame], output: str | None, printer: Printer) -> int:
    """Write predictions piece by piece, and return how many there are."""
    from icost._core.files import write_whole

    counted: list[int] = []
    chunks = _printed_as_json(chunks, printer) if printer.as_json else chunks
    if output is None:
        for number, frame in enumerate(chunks):
            counted.append(len(frame))
            if not printer.is_silent:
                click.echo(frame.to_csv(index=False, header=number == 0), nl=False)
        return sum(counted)
    is_parquet = Path(output).suffix.lower() in (".parquet", ".pq")
    write = _write_parquet if is_parquet else _write_csv
    write_whole(output, lambda stream: counted.append(write(chunks, stream)))
    return sum(counted)


def _printed_as_json(chunks: Iterable[pd.DataFrame], printer: Printer) -> Iterator[pd.DataFrame]:
    """Print all pieces as one value, and yield them as one."""
    import pandas as pd

    frame = pd.concat(list(chunks), ignore_index=True)
    printer.json({name: frame[name].tolist() for name in frame.columns})
    yield frame


def _write_csv(chunks: Iterable[pd.DataFrame], stream: IO[bytes]) -> int:
    n_rows = 0
    for number, frame in enumerate(chunks):
        stream.write(frame.to_csv(index=False, header=number == 0).encode())
        n_rows += len(frame)
    return n_rows


def _write_parquet(chunks: Iterable[pd.DataFrame], stream: IO[bytes]) -> int:
    """Write all pieces with the types of the first; text where a kept column is of several."""
    from icost._core.validation import import_extra

    pyarrow = import_extra("pyarrow", "data", "Writing a Parquet file")
    parquet = import_extra("pyarrow.parquet", "data", "Writing a Parquet file")
    writer, n_rows = None, 0
    for frame in chunks:
        texts = frame.select_dtypes(object)
        frame = frame.assign(**{name: texts[name].map(str, na_action="ignore") for name in texts})
        schema = None if writer is None else writer.schema
        table = pyarrow.Table.from_pandas(frame, schema=schema, preserve_index=False)
        writer = writer or parquet.ParquetWriter(stream, table.schema)
        writer.write_table(table)
        n_rows += len(frame)
    if writer is not None:
        writer.close()
    return n_rows
