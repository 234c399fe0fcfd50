"""Rows: what is kept of a trial, and the files that keep it.

Under ``rows/``, a study's folder has one Parquet file per dataset while it runs, and a single one
once it is complete. Trials under way are lines of JSON in ``rows/unfinished/``, one file per fold:
a line is written as soon as its trial is done, so that killing a run loses the trials under way
and no more. A Parquet file replaces the older ones in one step; should a kill leave both, reading
takes each row once.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from icost import PAPER
from icost_reproduction._internals import NEIGHBOR_CATEGORIES, PAPER_CATEGORIES, write_whole

_TEXT = pa.dictionary(pa.int32(), pa.string())
KEY = ("dataset", "classifier", "strategy", "setting", "repeat", "fold")
"""The columns that identify a row."""

OWN_CLASSIFIER = "own"
"""In place of a classifier's name, for strategies that bring their own."""

COST_COLUMNS = (*PAPER, "cs_multiplier")
"""Columns of costs, as multiples of the imbalance ratio. ``cs_multiplier`` is the ``scale`` of
class-level costs, under the name that it had when the rows were recorded."""

SCHEMA = pa.schema(
    [
        ("dataset", _TEXT),
        ("classifier", _TEXT),
        ("strategy", _TEXT),
        ("setting", pa.int16()),
        ("repeat", pa.int16()),
        ("fold", pa.int16()),
        ("n_classes", pa.int16()),
        ("n_train", pa.int32()),
        ("confusion", pa.list_(pa.int32())),
        ("roc_auc", pa.float32()),
        ("pr_auc", pa.float32()),
        ("brier", pa.float32()),
        ("log_loss", pa.float32()),
        ("oof_mcc", pa.float32()),
        ("oof_brier", pa.float32()),
        *((f"found_{name}", pa.int32()) for name in NEIGHBOR_CATEGORIES),
        *((f"total_{name}", pa.int32()) for name in NEIGHBOR_CATEGORIES),
        *((f"n_{name}", pa.int32()) for name in PAPER_CATEGORIES),
        *((name, pa.float64()) for name in COST_COLUMNS),
        ("fit_time", pa.float32()),
        ("weight_time", pa.float32()),
        ("cpu_time", pa.float32()),
        ("note", _TEXT),
        ("error", _TEXT),
        ("seed", pa.int32()),
        ("checksum", _TEXT),
        ("versions", _TEXT),
    ]
)
"""Columns of a row.

``confusion`` is the matrix row by row, true classes first (of two: tn, fp, fn, tp); ``found_*`` of
``total_*`` test samples of the minority were found, by the category of their neighbourhood; ``n_*``
are the training samples per category of the strategy's own measure; costs are multiples of the
imbalance ratio; times are seconds, empty where none were taken, and ``cpu_time`` is that of the
processor, for all of a fit (with members that another ensemble had fitted, without other work that
strategies share). ``oof_*`` is what a model said of itself, by rows held out of its training.
Columns that older rows lack are empty there.
"""

Row = dict[str, Any]


def slug(text: str) -> str:
    """Return a name that is good for a file."""
    return re.sub(r"[^\w.]+", "-", text)


class RowStore:
    """The rows of a study, in its folder, which is made when the first row is written."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder) / "rows"
        self.unfinished = self.folder / "unfinished"

    def journal(self, dataset: str, repeat: int, fold: int) -> Path:
        """Return the file for the finished trials of an unfinished fold."""
        return self.unfinished / f"{slug(dataset)}.r{repeat}.f{fold}.jsonl"

    def shard(self, dataset: str) -> Path:
        """Return the Parquet file of a dataset."""
        return self.folder / f"part-{slug(dataset)}.parquet"

    def read(self) -> pd.DataFrame:
        """Return all rows, sorted by their key, none of them twice."""
        shards = [
            pq.read_table(path, schema=SCHEMA) for path in sorted(self.folder.glob("*.parquet"))
        ]
        lines = read_lines(self.unfinished.glob("*.jsonl"))
        return unique_rows(pa.concat_tables([*shards, to_table(lines)]).to_pandas())

    def append(self, dataset: str, repeat: int, fold: int, rows: list[Row]) -> None:
        """Keep the rows of one or more trials of an unfinished fold."""
        with open_journal(self.journal(dataset, repeat, fold)) as journal:
            write_line(journal, rows)

    def finish_all(self, except_for: set[str]) -> None:
        """Finish every dataset that has unfinished files, but for those still to be run."""
        lines = read_lines(self.unfinished.glob("*.jsonl"))
        for dataset in sorted({row["dataset"] for row in lines} - except_for):
            self.finish(dataset)

    def finish(self, dataset: str) -> None:
        """Move the rows of a dataset that is done from its lines of JSON to its Parquet file."""
        journals = list(self.unfinished.glob(f"{slug(dataset)}.r*.jsonl"))
        lines = list(read_lines(journals))
        if lines:
            shard = self.shard(dataset)
            old = [pq.read_table(shard, schema=SCHEMA)] if shard.exists() else []
            frame = unique_rows(pa.concat_tables([*old, to_table(lines)]).to_pandas())
            write_shard(frame, shard)
        for path in journals:
            path.unlink()

    def compact(self) -> None:
        """Move all rows to a single file, for a study that is complete."""
        shards = set(self.folder.glob("*.parquet"))
        whole = self.folder / "all.parquet"
        if len(shards) > 1:
            write_shard(self.read(), whole)
            for path in shards - {whole}:
                path.unlink()


def open_journal(path: Path) -> IO[bytes]:
    """Open a file of unfinished rows for appending."""
    return path.open("ab", buffering=0)


def write_line(journal: IO[bytes], rows: list[Row]) -> None:
    """Write the rows of a trial as one line, so that it has all of them or none."""
    # The line break before it keeps a line that was cut off by a kill from spoiling this one.
    journal.write(b"\n" + json.dumps(rows).encode() + b"\n")


def read_lines(journals: Iterable[Path]) -> Iterator[Row]:
    """Yield the rows of files of unfinished rows; a line that was cut off has none."""
    for path in sorted(journals):
        for line in path.read_bytes().splitlines():
            try:
                yield from json.loads(line) if line else ()
            except json.JSONDecodeError:
                continue


def to_table(rows: Iterable[Row]) -> pa.Table:
    """Return rows as an Arrow table; columns that a row lacks are null."""
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def unique_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return rows sorted by their key; of equal keys, one without an error if there is any."""
    for name in ("dataset", "classifier", "strategy", "note", "error", "checksum", "versions"):
        frame[name] = frame[name].astype(object)
    frame = frame.assign(failed=frame["error"].notna())
    frame = frame.sort_values([*KEY, "failed"], kind="stable").drop(columns="failed")
    return frame.drop_duplicates(list(KEY)).reset_index(drop=True)


def write_shard(frame: pd.DataFrame, path: Path) -> None:
    """Write rows to a Parquet file, which appears complete or not at all."""
    table = pa.Table.from_pandas(frame, schema=SCHEMA, preserve_index=False)
    options: dict[str, Any] = {"compression": "zstd", "compression_level": 9}
    # Statistics per column would be most of a small file.
    write_whole(path, lambda file: pq.write_table(table, file, write_statistics=False, **options))
