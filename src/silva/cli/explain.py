"""`silva explain`: why rows of a file get their predictions."""

import click

from silva.cli.tables.options import DATA, TableOptions, table_options
from silva.cli.terminal import MODEL, common_options, format_option


@click.command("explain", short_help="Say why rows of a file get their predictions.")
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA)
@click.option(
    "--row",
    "rows",
    type=int,
    multiple=True,
    metavar="N",
    help="Explain this row in full, counted from 0; may be given several times.",
)
@click.option("--all", "every", is_flag=True, help="Explain every row, in one sentence each.")
@click.option(
    "--digits", type=click.IntRange(min=1), help="Round numbers to so many significant digits."
)
@format_option("text", "json")
@table_options
@common_options
def explain_rows(
    model: str,
    data: str,
    rows: tuple[int, ...],
    every: bool,
    digits: int | None,
    style: str,
    reading: TableOptions,
) -> None:
    """Say why rows of the table DATA (- is standard input) get their predictions.

    MODEL is a file that `silva fit -o` or silva.save has written. --row prints the conditions on
    the row's path with its values, the class shares or the mean at each step, what each step and
    column contributed, and the training rows behind the prediction.
    """
    from silva.cli.explaining import print_reasons

    if every == bool(rows):
        raise click.UsageError("choose rows with --row N, or all of them with --all")
    print_reasons(model, data, None if every else rows, digits, style, reading)
