"""Reader of KEEL (``.dat``) and ARFF files, which share their header of ``@`` lines."""

from __future__ import annotations

import io
import re

from icost.datasets.columns import Attribute, RawTable, TableError

# A value in single or double quotes, or bare up to the next comma.
_FIELD = re.compile(
    r"""\s*(?:'(?P<single>(?:\\.|[^'\\])*)'|"(?P<double>(?:\\.|[^"\\])*)"|(?P<bare>[^,]*?))\s*(?:,|$)"""
)
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'(?P<single>[^']+)'|"(?P<double>[^"]+)"|(?P<bare>[^\s{]+))\s*(?P<type>.*)""",
    re.IGNORECASE,
)
_TYPES = {"real": "real", "numeric": "real", "integer": "integer", "string": "text", "date": "text"}
# Header lines that say nothing about the cells (inputs: all that is not the output).
_SILENT = ("@relation", "@input", "@inputs", "@data")


def read_keel(text: str, source: str) -> RawTable:
    """Read a KEEL or ARFF file into cells; an ``@output`` line names the target."""
    table = RawTable(source, [])
    lines = enumerate(io.StringIO(text, newline=None), start=1)
    if not any(_read_header_line(table, line.strip(), number) for number, line in lines):
        raise TableError(f"{source}: there is no @data line.")
    if not table.attributes:
        raise TableError(f"{source}: there is no @attribute line before @data.")
    for number, line in lines:
        _read_data_line(table, line.strip(), number)
    return table


def _read_header_line(table: RawTable, line: str, number: int) -> bool:
    """Take in one line of the header; True for the one that ends it."""
    keyword = re.match(r"@?\w*", line.lower()).group()  # type: ignore[union-attr]
    if keyword == "@attribute":
        table.attributes.append(_parse_attribute(table.source, line, number))
    elif keyword in ("@output", "@outputs"):
        table.target = _parse_output(table.source, line, number)
    elif line and not line.startswith("%") and keyword not in _SILENT:
        raise TableError(
            f"{table.source}, line {number}: expected a header line such as @attribute or "
            f"@data, got {line[:40]!r}."
        )
    return keyword == "@data"


def _parse_attribute(source: str, line: str, number: int) -> Attribute:
    match = _ATTRIBUTE.match(line)
    declared = match["type"].strip() if match else ""
    name = match[_name_group(match)] if match else ""
    if declared.startswith("{") and declared.endswith("}"):
        return Attribute(name, "nominal", tuple(split_fields(declared[1:-1])))
    kind = _TYPES.get(re.split(r"[\s\[]", declared, maxsplit=1)[0].lower())
    if kind is None:
        raise TableError(
            f"{source}, line {number}: an attribute is real, integer or a list in braces, "
            f"got {line[:60]!r}."
        )
    return Attribute(name, kind)


def _name_group(match: re.Match[str]) -> str:
    return next(group for group in ("single", "double", "bare") if match[group] is not None)


def _parse_output(source: str, line: str, number: int) -> str:
    outputs = split_fields(line.partition(" ")[2])
    if len(outputs) != 1 or not outputs[0]:
        raise TableError(f"{source}, line {number}: expected one output, got {len(outputs)}.")
    return outputs[0]


def _read_data_line(table: RawTable, line: str, number: int) -> None:
    if not line or line.startswith("%"):
        return
    if line.startswith("{"):
        raise TableError(f"{table.source}, line {number}: sparse ARFF rows are not supported.")
    table.append(split_fields(line), number)


def split_fields(line: str) -> list[str]:
    """Split a line at its commas, except for those within quotes."""
    if "'" not in line and '"' not in line:
        return [cell.strip() for cell in line.split(",")]
    fields, position = [], 0
    while position <= len(line):
        match = _FIELD.match(line, position)
        assert match is not None  # the bare alternative matches anything, even nothing
        group = _name_group(match)
        cell = match[group]
        fields.append(cell if group == "bare" else re.sub(r"\\(.)", r"\1", cell))
        # A line that ends in a comma has one more, empty, field after it.
        position = match.end() + (0 if match[0].endswith(",") else 1)
    return fields
