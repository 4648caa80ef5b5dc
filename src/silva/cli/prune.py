"""`silva prune`: cut back the tree of a saved model."""

from typing import Any

import click

from silva.cli.tables.options import DATA, table_options
from silva.cli.terminal import MODEL, common_options, target_option, weight_option


@click.command(short_help="Cut back the tree of a saved model.")
@click.argument("model", type=MODEL)
@click.argument("data", type=DATA, required=False)
@target_option(required=False)
@weight_option
@click.option(
    "--prune",
    "name",
    required=True,
    metavar="NAME",
    help="auto, cost_complexity, reduced_error, pessimistic, minimum_error, accuracy_threshold,"
    " generalisation_bound, critical_value or max_leaves.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of the pruner, such as max_leaves=5; repeatable.",
)
@click.option(
    "--rows",
    "role",
    type=click.Choice(["training", "validation"]),
    help="What DATA is: the rows that the tree grew from, or others.  [default: others for"
    " reduced_error and auto, else those of training]",
)
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="Save here.")
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@table_options
@common_options
def prune(**options: Any) -> None:
    """Cut back the tree of the model in the file MODEL, save the result, print what was cut.

    Pruners that look at rows get those of the table DATA (- is standard input). MODEL holds one
    tree.
    """
    from silva.cli.pruning import prune_model

    if (options["data"] is None) != (options["target"] is None):
        raise click.UsageError("DATA and --target go together: give both, or neither")
    prune_model(**options)
