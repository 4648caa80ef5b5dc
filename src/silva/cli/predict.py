"""`silva predict`: predictions of a saved model for the rows of a file."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import MODEL, common_options


@click.command(short_help="Predict the rows of a file with a saved model.")
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Write the predictions here: Parquet where the name ends in .parquet, else CSV.",
)
@click.option(
    "--id",
    "ids",
    multiple=True,
    metavar="COLUMN",
    help="Write this column of DATA before the predictions; repeatable.",
)
@click.option("--proba", is_flag=True, help="Add the probability of every class.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@table_options
@common_options
def predict(**options: Any) -> None:
    """Predict the rows of the table DATA (- is standard input) with the model in the file MODEL.

    Writes CSV with one line for each row, in order. Columns are matched by name; columns that the
    model does not know are not read, unless --id names them.
    """
    from silva.cli.answers import write_answers

    write_answers(**options)
