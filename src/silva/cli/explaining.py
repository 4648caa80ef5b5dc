"""The work behind `silva explain`: a file read by the model's schema, reasons as text or JSON."""

from collections.abc import Sequence

import click
import numpy as np

import silva
from silva.cli.answers import read_for
from silva.cli.output import require_output, say, say_json
from silva.cli.tables.options import TableOptions
from silva.cli.terminal import working
from silva.inspect.explain import Explanations, explain
from silva.inspect.subject import subject_of
from silva.messages import counted


def print_reasons(
    model: str,
    data: str,
    rows: Sequence[int] | None,
    digits: int | None,
    style: str,
    reading: TableOptions,
) -> None:
    """Load, read, explain the rows (None: all, in short), print."""
    require_output("the explanations")
    estimator = silva.load(model)
    with working(f"reading {data}"):
        table = read_for(subject_of(estimator).schema, data, reading)
    found = explain(estimator, table, digits=digits)
    if rows is not None:
        found = found.take(_checked(rows, data, len(found)))
    if style == "json":
        say_json(found.to_dict())
    else:
        say(_in_short(found) if rows is None else _in_full(found))


def _checked(rows: Sequence[int], data: str, n_rows: int) -> np.ndarray:
    for row in rows:
        if not 0 <= row < n_rows:
            known = f", counted from 0 to {n_rows - 1}" if n_rows else ""
            raise click.UsageError(f"--row {row}: {data} has {counted(n_rows, 'row')}{known}")
    return np.array(rows, dtype=np.int64)


def _in_short(found: Explanations) -> str:
    return "\n".join(found.lines()) or str(found)


def _in_full(found: Explanations) -> str:
    if len(found) == 1:
        return str(found[0])
    return "\n\n".join(f"row {one.row}\n{one}" for one in found)
