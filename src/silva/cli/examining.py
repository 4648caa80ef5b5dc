"""The work behind `silva doctor`."""

from silva.cli.output import require_output, say_record
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_data
from silva.cli.terminal import working
from silva.cli.training import chosen_task, feature_names
from silva.errors import DataError
from silva.inspect.table_check import checkup


def print_checkup(
    data: str, target: str, task: str, drop: tuple[str, ...], style: str, reading: TableOptions
) -> None:
    """Read, look, print."""
    require_output("the findings")
    with working(f"reading {data}"):
        table = read_data(data, reading, target=target)
    if not table.n_rows:
        raise DataError(f"{data} has no rows below its header; there is nothing to look at")
    names = feature_names(table, target, drop)
    found = checkup(
        table.table(names), table.column(target), chosen_task(task, target, table), target
    )
    say_record(found, style, found.table)
