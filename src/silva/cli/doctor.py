"""`silva doctor`: what may be wrong with a table before a model is fitted."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import (
    common_options,
    drop_option,
    format_option,
    target_option,
    task_option,
)


@click.command(short_help="Look for problems in a table and a target.")
@click.argument("data", type=DATA)
@target_option(required=True)
@task_option
@drop_option
@format_option("text", "json", "csv")
@table_options
@common_options
def doctor(**options: Any) -> None:
    """Look for problems in the table DATA (- is standard input) before a model is fitted.

    Prints the kind of each column and what looks wrong: missing cells, constant columns, row
    numbers, identifiers, dates and numbers stored as text, copies of the target, tiny classes,
    imbalance, repeated and contradictory rows. Finding problems is no failure: the exit code is 0.
    """
    from silva.cli.examining import print_checkup

    print_checkup(**options)
