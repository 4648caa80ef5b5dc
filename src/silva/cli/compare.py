"""`silva compare`: where two saved models differ."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import MODEL, common_options, format_option, target_option, weight_option


@click.command(short_help="Say where two saved models differ.")
@click.argument("a", type=MODEL)
@click.argument("b", type=MODEL)
@click.argument("data", type=DATA, required=False)
@target_option(required=False)
@weight_option
@format_option("text", "json")
@table_options
@common_options
def compare(**options: Any) -> None:
    """Say where the models in the files A and B differ: kind, size, parameters, first split.

    With DATA, count the rows for which they predict differently; with --target too, print the
    scores of both and McNemar's exact test, or their errors and the difference of the squared ones.
    """
    from silva.cli.comparing import print_comparison

    if options["target"] is not None and options["data"] is None:
        raise click.UsageError("--target is a column of DATA: give DATA too")
    if options["weight"] is not None and options["target"] is None:
        raise click.UsageError("--weight is for the scores on DATA: give DATA and --target too")
    print_comparison(**options)
