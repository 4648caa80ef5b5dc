"""Tables out, as Parquet, by DuckDB."""

import csv
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

from silva.cli.files import writing
from silva.cli.tables.duck import connect, identifier, literal, refuse_cases

PARQUET = (".parquet", ".pq")


def write_parquet(path: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows by way of a CSV file. A column has the type of its first known value."""
    refuse_cases(names, "Parquet", ", or write CSV")
    kinds: list[str | None] = [None] * len(names)
    with tempfile.TemporaryDirectory(prefix="silva-") as folder:
        copy, packed = os.path.join(folder, "rows.csv"), os.path.join(folder, "rows.parquet")
        with open(copy, "w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
            for row in rows:
                kinds = [kind or _kind(value) for kind, value in zip(kinds, row, strict=True)]
                writer.writerow(row)
        columns = ", ".join(f"'c{at}': '{kind or 'VARCHAR'}'" for at, kind in enumerate(kinds))
        named = ", ".join(f"c{at} AS {identifier(name)}" for at, name in enumerate(names))
        with connect() as connection:
            connection.execute(
                f"COPY (SELECT {named} FROM read_csv({literal(copy)}, columns = {{{columns}}}, "
                "auto_detect = false, header = false, delim = ',', quote = '\"', escape = '\"', "
                f"new_line = '\\n')) TO {literal(packed)} (FORMAT parquet)"
            )
        with open(packed, "rb") as written, writing(path) as target:
            bytes_of: Any = target
            shutil.copyfileobj(written, bytes_of.buffer)


def _kind(value: Any) -> str | None:
    if value is None:
        return None
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE"}
    return kinds.get(type(value), "VARCHAR")
