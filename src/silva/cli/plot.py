"""`silva plot`: draw a tree of a saved model."""

import click

from silva.cli.terminal import (
    MODEL,
    common_options,
    limit_options,
    max_listed_option,
    tree_option,
)


@click.command(short_help="Draw a tree of a saved model as SVG, PNG or PDF.")
@click.argument("model", type=MODEL)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, allow_dash=True),
    help="The picture: name.svg, name.png or name.pdf; - prints SVG.",
)
@tree_option
@limit_options
@max_listed_option
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@common_options
def plot(
    model: str,
    output: str,
    tree: int | None,
    max_depth: int | None,
    min_rows: int | None,
    max_nodes: int | None,
    max_listed: int | None,
    force: bool,
) -> None:
    """Draw the tree of the model in the file MODEL; of a forest or of AdaBoost the tree --tree.

    SVG needs nothing else; PNG and PDF need matplotlib.
    """
    from silva.cli.drawing import draw

    limits = {"max_depth": max_depth, "min_rows": min_rows, "max_nodes": max_nodes}
    draw(model, output, tree, {**limits, "max_listed": max_listed}, force)
