"""`silva show`: print a saved model."""

import click

from silva.cli.terminal import common_options, max_listed_option


@click.command(short_help="Print a saved model.")
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--tree",
    type=click.IntRange(min=0),
    help="The tree of a forest or of AdaBoost to print, counted from 0.",
)
@click.option("--max-depth", type=click.IntRange(min=0), help="Hide what lies deeper.")
@click.option("--min-rows", type=click.IntRange(min=0), help="Hide nodes with fewer training rows.")
@click.option(
    "--max-nodes", type=click.IntRange(min=1), help="Show only so many, those with the most rows."
)
@max_listed_option
@common_options
def show(
    model: str,
    tree: int | None,
    max_depth: int | None,
    min_rows: int | None,
    max_nodes: int | None,
    max_listed: int | None,
) -> None:
    """Print the model in the file MODEL, which `silva fit -o` or silva.save has written.

    Prints the tree of a single-tree model; what a limit hides is counted where it would stand.
    Prints a summary with the importances of the columns for forests and AdaBoost; --tree prints
    one of their trees.
    """
    from silva.cli.showing import show_model

    limits = {"max_depth": max_depth, "min_rows": min_rows, "max_nodes": max_nodes}
    show_model(model, tree, limits, max_listed)
